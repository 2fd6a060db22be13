package harness

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// OpenCall is a recorded call without an outcome.
type OpenCall struct {
	Call    string // our id
	ID      string // the provider's
	Name    string
	Input   string
	Refused string // why it will not run; "" when it will
	Started bool
	Early   bool // its answer is not committed yet: it began while that still streamed (B4)
	Block   int  // its block's position in the answer
}

// Running is a call that was answered with a placeholder and works on in the
// background (C14).
type Running struct{ Call, ID, Name string }

// Verdicts are what the gates said of the last committed answer.
type Verdicts struct {
	Hook       string // allow, block, prevent, halt, failed; "" not asked
	ToolHook   string // likewise, behind the answer's tools
	Completion string // pass, unverified, fail
	Judge      string // done, not_done, impossible, error, deferred
	Text       string // what the last of them said
}

// State is everything the loop knows, at one moment. It is a value: stepping
// never changes an older State, and only records make steps (Apply), so that
// folding a transcript gives the live state.
type State struct {
	Session   string
	Run       int        // current run, from 1; 0 before the first prompt
	Turn      int        // turns used in this run
	Calls     int        // calls made in this run
	Attempts  int        // attempts begun in this session
	CallIDs   int        // call ids given in this session
	Life      int        // from 1
	Last      Transition // why the loop went on last
	Counters  Counters
	Usage     providers.Usage // of this run, all attempts of all lanes
	Text      string          // last committed text of this run
	Stop      string          // last raw stop reason of this run
	Ended     Reason          // "" while the run is open
	Model     string          // the fallback model, once the run switched to it (D8); "" before
	MaxTokens int             // raised or lowered until next_turn; 0: the configured one
	Verdicts  Verdicts

	Attempt    string     // the open attempt, "" for none
	Open       []OpenCall // calls without an outcome, in call order; not to be modified
	Background []Running  // in the order in which they were started; not to be modified

	lane         string          // of the open attempt
	model        string          // of the open attempt
	early        []Entry         // calls and results of the open attempt's answer
	paused       bool            // the last committed answer only paused
	said         bool            // it, with the parts that it continues, says something
	cut          bool            // the last committed answer was cut, and the next one continues it
	told         bool            // Text is of it, or of a part that it continues
	part         string          // the text of the last committed answer alone
	answer       *journal.Record // a committed answer whose transition or terminal is not recorded yet
	settled      bool            // a resume settled the last crash and nothing has happened since
	summaryFails int             // failed summaries in a row, in this session (D14)
	revealed     []string        // deferred tools that were made available, in order (C12)
	offered      int             // how many of them the last request offered: what its answer finds, the next one may call
	hint         string          // what the next request says beside the history
	compacts     bool            // a compaction was asked for and has not been tried yet (E3)
	nudges       nudges
	breakers     map[string]tools.Breaker // by tool; not to be modified (C10)
	known        map[string]tools.Breaker // those when the last answer was asked for: they decide about its calls, however fast the first of them failed
	history      History
}

// History returns the conversation so far.
func (s State) History() History { return s.history }

// Answer returns the committed answer that has had no transition or terminal
// yet, or nil: what a resume must take up again.
func (s State) Answer() *journal.Record { return s.answer }

// Live reports whether a run is under way: begun and without a terminal.
func (s State) Live() bool { return s.Run > 0 && s.Ended == "" }

// Apply steps from s over one record.
func Apply(s State, r *journal.Record) State {
	switch r.Kind {
	case journal.KindSession:
		s.Session, s.Life = r.Session, 1
	case journal.KindUser: // a call that somebody else's history left open behind a terminal is never run (github/copilot-cli#3183)
		s = State{
			Session: s.Session, Run: r.Run, Attempts: s.Attempts, CallIDs: s.CallIDs, Life: s.Life, Background: s.Background,
			summaryFails: s.summaryFails, revealed: s.revealed, offered: s.offered, compacts: s.compacts, breakers: s.breakers, known: s.known, history: s.history,
		}
		s.history = s.history.append(Entry{Kind: EntryUser, Seq: r.Seq, Text: r.Text})
	case journal.KindAttempt:
		s.Attempts++
		s.Attempt, s.lane, s.model, s.settled = r.Attempt, r.Lane, r.Model, false
		if r.Lane == providers.LaneMain {
			s.offered, s.known = len(s.revealed), s.breakers
		}
	case journal.KindAssistant:
		s = s.assistant(r)
	case journal.KindDiscarded:
		s = s.discarded(r)
	case journal.KindCall:
		s = s.called(r)
	case journal.KindStarted:
		s.settled = false
		s.Open = append([]OpenCall(nil), s.Open...)
		for i := range s.Open {
			if s.Open[i].Call == r.Call {
				s.Open[i].Started = true
			}
		}
		s = s.probing(r.Name)
	case journal.KindResult, journal.KindToolError:
		s = s.outcome(r)
	case journal.KindTransition:
		s = s.step(r)
		if r.Text != "" {
			s.history = s.history.append(noteOf(r))
		}
	case journal.KindBoundary:
		s.settled, s.compacts = false, false
		if compact.Stage(r.Code) == compact.Summary {
			s.summaryFails = 0
			s.Counters.Summaries += reactive(r.Reason)
		}
		if len(r.Names) > 0 && compact.Stage(r.Code) != compact.Media { // an image is not read again
			s = s.reveal(readResult)
		}
		s.history = s.history.append(boundaryOf(r))
	case journal.KindGate:
		s = s.judged(r)
	case journal.KindNotice:
		s = s.noticed(r)
	case journal.KindResume:
		s.Life, s.Attempt, s.early, s.settled = r.Life, "", nil, true
	case journal.KindTerminal:
		s.Ended, s.Turn, s.answer, s.settled = Reason(r.Reason), r.Turn, nil, false
	}
	return s
}

// assistant commits an answer: with it, the calls that began while it streamed
// become part of the history.
func (s State) assistant(r *journal.Record) State {
	s.Attempt, s.answer, s.settled, s.Verdicts = "", r, false, Verdicts{}
	s.Usage = s.Usage.Plus(r.Usage)
	s.Stop = r.Stop
	text := providers.TextOf(r.Blocks)
	goesOn := s.paused || s.cut // not the last transition alone: a retry may lie between the parts
	s.said = goesOn && s.said || strings.TrimSpace(text) != ""
	s.paused, s.cut = r.Stop == "pause_turn" && !called(r.Blocks), false
	s.told = goesOn && s.told
	switch {
	case s.told: // both halves, once (dust-tt/dust p28390)
		s.Text += text
	case text != "":
		s.Text, s.told = text, true
	}
	s.part = text
	s.Counters.Retries, s.Counters.Overloads = 0, 0
	s.history = s.history.append(Entry{
		Kind: EntryAssistant, Seq: r.Seq, Attempt: r.Attempt, Blocks: r.Blocks, Stop: r.Stop, Model: s.model, Tokens: r.Usage.Total(),
	})
	for _, e := range s.early {
		s = s.heard(&e)
		s.history = s.history.append(e)
	}
	s.early = nil
	open := s.Open
	s.Open = nil
	for _, c := range open {
		if c.Early { // what else is open, work went on behind: it is never run
			c.Early = false
			s.Open = append(s.Open, c)
		}
	}
	return s
}

// discarded drops an attempt, and whatever began early in it.
func (s State) discarded(r *journal.Record) State {
	if s.lane == providers.LaneMain {
		if r.Code == string(providers.Overloaded) {
			s.Counters.Overloads++
		} else if r.Ending == string(Complete) {
			s.Counters.Overloads = 0
		}
	}
	s.Attempt, s.early = "", nil
	s.Usage = s.Usage.Plus(r.Usage)
	return s
}

func (s State) called(r *journal.Record) State {
	s.Calls++
	s.CallIDs++
	s.settled = false
	early := s.Attempt != "" && r.Attempt == s.Attempt
	s.Open = append(s.Open[:len(s.Open):len(s.Open)], OpenCall{
		Call: r.Call, ID: r.ID, Name: r.Name, Input: r.Input, Refused: r.Refused, Early: early, Block: r.Block,
	})
	return s.remember(early, Entry{Kind: EntryCall, Seq: r.Seq, Call: r.Call, ID: r.ID, Name: r.Name, Block: r.Block, Text: r.Input, Code: r.Refused})
}

// remember appends to the history, or to what waits for its answer to be committed.
func (s State) remember(early bool, e Entry) State {
	if early {
		s.early = append(s.early[:len(s.early):len(s.early)], e)
	} else {
		s.history = s.history.append(e)
	}
	return s
}

func (s State) outcome(r *journal.Record) State {
	rest := make([]OpenCall, 0, len(s.Open))
	early := false
	for _, c := range s.Open {
		if c.Call != r.Call {
			rest = append(rest, c)
		} else {
			early = c.Early
		}
	}
	s.Open = rest
	s = s.learned(r)
	if r.Code == CodeBackground {
		s.Background = append(s.Background[:len(s.Background):len(s.Background)], Running{r.Call, r.ID, r.Name})
	}
	e := Entry{
		Kind: EntryResult, Seq: r.Seq, Call: r.Call, Name: r.Name, Text: r.Text, Images: r.Images, Digest: r.Digest, File: r.File, Bytes: r.Bytes,
		State: r.State, Code: r.Code, IsError: r.Kind == journal.KindToolError || r.IsError, Names: r.Names,
	}
	if !early {
		s = s.heard(&e)
	}
	return s.remember(early, e)
}

// heard notes what a result of the conversation makes available, or asks for.
// That of an answer which is not kept does neither.
func (s State) heard(e *Entry) State {
	if e.Kind != EntryResult {
		return s
	}
	if e.Code == codeCompact {
		s.compacts = true
	}
	s = s.reveal(e.Names...)
	if e.File != "" {
		s = s.reveal(readResult)
	}
	return s
}

// reveal makes deferred tools available, in order.
func (s State) reveal(names ...string) State {
	for _, n := range names {
		if !slices.Contains(s.revealed, n) {
			s.revealed = append(s.revealed[:len(s.revealed):len(s.revealed)], n)
		}
	}
	return s
}

// judged notes what a gate said. A block is counted here, with its record.
func (s State) judged(r *journal.Record) State {
	v := &s.Verdicts
	switch r.Reason {
	case hookAllow, gatePass, judgeDone: // what another gate lacked is still what is to be told
	default:
		v.Text = r.Text
	}
	switch r.Code {
	case gateHook:
		v.Hook = r.Reason
		if r.Reason == hookBlock {
			s.Counters.HookBlocks++
		}
	case gateToolHook:
		v.ToolHook = r.Reason
	case gateCompletion:
		v.Completion = r.Reason
		if r.Reason == gateFail {
			s.Counters.GateBlocks++
		}
	case gateJudge:
		v.Judge = r.Reason
		if r.Reason == judgeNotDone {
			s.Counters.JudgeBlocks++
		}
	}
	return s
}

// noticed steps over the few notices that are more than a remark.
func (s State) noticed(r *journal.Record) State {
	switch r.Code {
	case noticeCompaction:
		s.settled, s.compacts = false, false
		s.summaryFails++
		s.Counters.Summaries += reactive(r.Reason)
	case noticeBackgroundDone, noticeBackgroundFailed, noticeBackgroundLost:
		s.settled = false
		rest := make([]Running, 0, len(s.Background))
		for _, b := range s.Background {
			if b.Call != r.Call {
				rest = append(rest, b)
			}
		}
		s.Background = rest
		s.history = s.history.append(noteOf(r))
	}
	return s
}

// reactive is 1 for what an overflow asked for: only that uses up the rung.
func reactive(trigger string) int {
	if trigger == triggerOverflow || trigger == triggerTooLarge {
		return 1
	}
	return 0
}

// step is the step of a transition: which counter it uses, and what refills.
// The note that it adds to the history is not part of it.
func (s State) step(r *journal.Record) State {
	s.Last, s.answer, s.settled, s.Verdicts, s.hint = Transition(r.Reason), nil, false, Verdicts{}, r.Code
	c := &s.Counters
	if s.Last != TransportRetry {
		c.Retries = 0
	}
	switch s.Last {
	case NextTurn:
		s.Turn++
		s.Counters = c.refilled()
		s.MaxTokens = 0
	case CollapseDrainRetry:
		c.Drains++
	case MaxOutputLower:
		c.Lowers++
		s.MaxTokens = r.MaxTokens
	case MaxOutputEscalate:
		c.Escalations++
		s.MaxTokens = r.MaxTokens
	case MaxOutputRecovery:
		c.Continuations++
		s.cut = true
	case TransportRetry:
		c.Retries++
	case ModelFallback:
		c.Fallbacks++
		c.Overloads = 0
		s.Model = r.Model
	case EmptyRetry:
		c.Empty++
	case ProtocolRetry:
		c.Protocol++
	case PauseContinue:
		c.Pauses++
	case StopHookBlocking, GateFeedback:
		s.Turn++
	case TokenBudgetContinuation:
		s.Turn++
		c.Nudges++
		s.nudges = s.nudges.add(s.Usage.Out)
	}
	return s
}

// Fold returns the state after all records.
func Fold(records []journal.Record) State {
	var s State
	for i := range records {
		s = Apply(s, &records[i])
	}
	return s
}

// called reports whether an answer calls a tool of ours: then its stop reason
// does not matter, and what comes next is no part of it (A1).
func called(blocks []providers.Block) bool {
	for i := range blocks {
		if blocks[i].Kind == providers.ToolCall {
			return true
		}
	}
	return false
}
