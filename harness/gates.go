package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/gate"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// gates asks everything that may keep a final answer from ending the run, in
// order: stop hooks, the completion gate, the goal judge. Each says its word
// in a record, and Decide reads them from the state; the first that is against
// the answer ends the asking. The answer is committed by then. An answer taken up again
// after a crash is asked only what it was not asked yet.
func (l *loop) gates(t *Turn) error {
	for l.ctx.Err() == nil {
		v := l.s.Verdicts
		var rec *journal.Record
		switch {
		case v.Hook == "" && l.hooked(OnStop):
			rec = l.askHooks(OnStop, gateHook, HookInput{Text: t.Text})
		case v.Hook != "" && v.Hook != hookAllow && v.Hook != hookFailed:
			return nil
		case v.Completion == "" && l.cfg.Gate:
			rec = l.askGate()
		case v.Completion == gateFail:
			return nil
		case v.Judge == "" && l.cfg.Goal != "":
			var err error
			if rec, err = l.askJudge(); err != nil {
				return err
			}
		default:
			return nil
		}
		if rec == nil || l.ctx.Err() != nil { // an abort while it was asked: no verdict
			return nil
		}
		if err := l.commit("an answer is judged: "+rec.Code, l.parts.Gate(rec)); err != nil {
			return err
		}
	}
	return nil
}

// toolHooks asks the hooks behind an answer's tools.
func (l *loop) toolHooks(t *Turn) error {
	if !l.hooked(OnTool) || l.s.Verdicts.ToolHook != "" || l.ctx.Err() != nil {
		return nil
	}
	in := HookInput{Text: t.Text}
	h := l.s.history
	for i := h.Len() - 1; i >= 0 && h.At(i).Kind != EntryAssistant; i-- {
		if e := h.At(i); e.Kind == EntryCall {
			in.Calls = append([]string{e.Call}, in.Calls...)
		}
	}
	rec := l.askHooks(OnTool, gateToolHook, in)
	if rec == nil || l.ctx.Err() != nil {
		return nil
	}
	return l.commit("the tools are over: "+rec.Code, l.parts.Gate(rec))
}

func (l *loop) hooked(on HookPoint) bool {
	for i := range l.cfg.Hooks {
		if l.cfg.Hooks[i].On == on {
			return true
		}
	}
	return false
}

// askHooks asks the hooks of a point in order. The first that does not allow
// decides; one that fails is passed over, and said so if none decides.
func (l *loop) askHooks(on HookPoint, code string, in HookInput) *journal.Record {
	rec := &journal.Record{Kind: journal.KindGate, Code: code, Reason: hookAllow}
	in.Active, in.Env = l.s.Counters.HookBlocks > 0, l.env
	for _, h := range l.cfg.Hooks {
		if h.On != on {
			continue
		}
		l.probe(env.Site{Point: env.Hook})
		if l.ctx.Err() != nil { // aborted: nobody else is asked
			return nil
		}
		out, err := l.askHook(h, in)
		if l.ctx.Err() != nil {
			return nil
		}
		switch {
		case err != nil:
			rec.Reason, rec.Detail, rec.Text = hookFailed, h.Name, fmt.Sprintf("the hook %s failed: %v", h.Name, err)
		case out.Verdict != hookAllow:
			rec.Reason, rec.Detail, rec.Text = out.Verdict, h.Name, out.Text
			return rec
		}
	}
	return rec
}

// askHook runs one hook in a task of its own, within its time.
func (l *loop) askHook(h Hook, in HookInput) (HookOutcome, error) {
	ctx, timer := l.env.Clock.WithTimer(l.ctx, errHookTime)
	defer timer.Stop()
	timer.Reset(l.limits.HookTimeout)
	var out HookOutcome // the hook's task's alone, once it was left
	var failed error
	if why, _ := env.Within(ctx, l.env.Clock, "hook "+h.Name, "hook "+h.Name, l.limits.Grace, func() {
		defer func() {
			if p := recover(); p != nil {
				failed = fmt.Errorf("it panicked: %v", p)
			}
		}()
		out, failed = h.Run(ctx, in)
	}); why != nil {
		return HookOutcome{}, why
	}
	if failed != nil {
		return HookOutcome{}, failed
	}
	switch out.Verdict {
	case hookAllow, hookBlock, hookPrevent, hookHalt:
		return out, nil
	}
	return HookOutcome{}, fmt.Errorf("it said %q, which is none of allow, block, prevent and halt", out.Verdict)
}

var errHookTime = errors.New("it did not answer in time")

// askGate is the completion gate: what the user asked for must have been done,
// and shown by evidence that cannot be faked (G1 to G3). It reads the run's
// records alone.
func (l *loop) askGate() *journal.Record {
	prompt, steps, todos := l.wasShown()
	v := l.parts.Verdict(gate.Judge(gate.Required(prompt), steps, todos))
	rec := &journal.Record{Kind: journal.KindGate, Code: gateCompletion, Text: v.Feedback}
	switch v.Outcome {
	case gate.Pass:
		rec.Reason = gatePass
	case gate.Unverified:
		rec.Reason = gateUnverified
	default:
		rec.Reason = gateFail
	}
	return rec
}

// wasShown is what the gate judges by: this run's prompt, what its tools did, in
// order, and its last list of todos.
func (l *loop) wasShown() (prompt string, steps []gate.Step, todos []gate.Todo) {
	h := l.s.history
	i := h.Len() - 1
	for ; i > 0 && h.At(i).Kind != EntryUser; i-- {
	}
	turn := 0
	calls := map[string]*Entry{}
	for ; i < h.Len(); i++ {
		switch e := h.At(i); e.Kind {
		case EntryUser:
			prompt = e.Text
		case EntryAssistant:
			turn++
		case EntryCall:
			calls[e.Call] = e
		case EntryNote: // a background call ended: what it changed, it may have changed until now
			if c := calls[e.Call]; c != nil {
				if st, ok := l.stepOf(turn, c, e); ok {
					st.OK, st.Known = false, false
					steps = append(steps, st)
				}
			}
		case EntryResult:
			c := calls[e.Call]
			if c == nil {
				break
			}
			if st, ok := l.stepOf(turn, c, e); ok {
				steps = append(steps, st)
			}
			if c.Name == todoTool && !e.IsError {
				todos = todosOf(c.Text)
			}
		}
	}
	return prompt, steps, todos
}

// todoTool is the tool whose last list must be done before a run is (K3).
const todoTool = "todo"

func todosOf(input string) []gate.Todo {
	items, err := tools.TodoItems([]byte(input))
	if err != nil {
		return nil
	}
	list := make([]gate.Todo, len(items))
	for i, t := range items {
		list[i] = gate.Todo{Text: t.Text, Status: t.Status}
	}
	return list
}

// stepOf is a call as the gate sees it: what it may have changed, and what it
// may prove.
func (l *loop) stepOf(turn int, c, e *Entry) (gate.Step, bool) {
	t, known := l.registry().Lookup(c.Name)
	if e.State == journal.Refused || e.State == journal.Never {
		return gate.Step{}, false
	}
	if !known { // another life had it: it may have changed anything
		t = &tools.Tool{}
	}
	st := gate.Step{
		Turn: turn, Call: c.Block, Tool: c.Name, Shell: t.Shell, Changes: !t.Shell && !t.ReadOnly && !t.Aside,
		OK: e.State == journal.Done && !e.IsError, Partial: e.State == journal.Interrupted || e.Code == tools.CodeTimeout,
		Known: e.State != journal.Unknown && e.Code != CodeBackground,
	}
	if t.Shell {
		st.Command = commandOf(c.Text)
	}
	return st, true
}

// commandOf is the command line of a shell tool's input.
func commandOf(input string) string {
	var in struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal([]byte(input), &in) // it was validated; without a command it proves nothing
	return in.Command
}

// askJudge asks a model whether the goal is reached (G5). Every failure of the
// judge stops the run and keeps the goal; none is ever success.
func (l *loop) askJudge() (*journal.Record, error) {
	rec := &journal.Record{Kind: journal.KindGate, Code: gateJudge}
	if len(l.s.Background) > 0 { // what it would judge is not over (G6)
		rec.Reason, rec.Text = judgeDeferred, "background work is still running; the goal was not judged"
		return rec, nil
	}
	question := gate.JudgeQuestion(l.cfg.Goal, compact.Material(l.told(0, math.MaxInt64), gate.JudgeMaterial))
	t, err := l.side(providers.LaneJudge, gate.JudgePrompt(l.cfg.Goal), question, gate.JudgeTokens, l.limits.JudgeTimeout)
	if err != nil {
		return nil, err
	}
	if why := failureOf(l.ctx, t); why != "" {
		rec.Reason, rec.Text = judgeBroken, "the goal could not be judged: "+why
		return rec, nil
	}
	switch j := gate.ReadJudgement(t.Text, len(t.Calls) > 0, t.Stop); j.Outcome {
	case gate.Done:
		rec.Reason, rec.Text = judgeDone, j.Reason
	case gate.NotDone:
		rec.Reason, rec.Text = judgeNotDone, j.Reason
	case gate.Impossible:
		rec.Reason, rec.Text = judgeImpossible, j.Reason
	default:
		rec.Reason, rec.Text = judgeBroken, "the goal could not be judged: "+j.Reason
	}
	return rec, nil
}

// note is what a transition adds in the user's place, "" for nothing.
func (l *loop) note(t *Turn, go_ Transition) string {
	v := l.s.Verdicts
	switch go_ {
	case MaxOutputRecovery:
		if len(t.Calls) > 0 {
			return reminder("Your answer was cut at the output limit, in the middle of a call, which was not run. Go on from there; make the call again, in smaller pieces if it is large.")
		}
		return reminder("Your answer was cut at the output limit. Resume directly where it stops: no apology, no recap, nothing twice.")
	case StopHookBlocking:
		return reminder("A stop hook sent this answer back: " + v.Text)
	case GateFeedback:
		return reminder("This is not done yet: " + v.Text)
	case TokenBudgetContinuation:
		return reminder(fmt.Sprintf("You have used %d of %d output tokens. Go on with the task; do not summarise.", l.s.Usage.Out, l.limits.Nudge))
	case NextTurn:
		if v.ToolHook == hookBlock && strings.TrimSpace(v.Text) != "" {
			return reminder("A hook says of these results: " + v.Text)
		}
	}
	return ""
}
