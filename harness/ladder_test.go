package harness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// worked is a state behind n turns of one call each, whose results have so many
// bytes; the last one is read where an answer follows.
func worked(n, bytes int, images int) State {
	recs := []journal.Record{{Seq: 1, Kind: journal.KindSession, Session: "s"}, {Seq: 2, Run: 1, Kind: journal.KindUser, Text: "do it"}}
	add := func(r journal.Record) {
		r.Seq, r.Run = int64(len(recs)+1), 1
		recs = append(recs, r)
	}
	for i := range n {
		a, c := attemptID(i+1), fmt.Sprintf("c%d", i+1)
		add(journal.Record{Kind: journal.KindAttempt, Attempt: a, Lane: providers.LaneMain, Model: "m"})
		add(journal.Record{Kind: journal.KindAssistant, Attempt: a, Stop: "tool_use", Blocks: []providers.Block{call(c, fmt.Sprintf(`{"line":"%d"}`, i))}})
		add(journal.Record{Kind: journal.KindCall, Attempt: a, Call: c, ID: c, Name: "note", Input: fmt.Sprintf(`{"line":"%d"}`, i)})
		r := journal.Record{Kind: journal.KindResult, Call: c, Name: "note", State: journal.Done, Text: strings.Repeat("x", bytes)}
		for range images {
			r.Images = append(r.Images, providers.ImageData{Type: "image/png", Data: "aGk="})
		}
		add(r)
		add(journal.Record{Kind: journal.KindTransition, Reason: string(NextTurn)})
	}
	return Fold(recs)
}

func refused(c providers.Class, e providers.Error) *Turn {
	e.Class = c
	return &Turn{Ending: Failed, Err: &e}
}

// The rungs that need more than the answer: what was tried before, what the
// history holds, what the gates said.
func TestLadder(t *testing.T) {
	small, big := worked(3, 10, 0), worked(3, 10_000, 0)
	pictures := worked(2, 10, 1)
	count := func(s State, f func(*Counters)) State { f(&s.Counters); return s }
	says := func(v Verdicts, c Counters) State { return State{Run: 1, Verdicts: v, Counters: c} }
	cut := whole("max_tokens", text("half of it"))
	numbers := providers.Error{Input: 190_000, Asked: 16_000, Window: 200_000}
	for _, tc := range []struct {
		name string
		s    State
		turn *Turn
		l    Limits
		go_  Transition
		end  Reason
	}{
		{"overflow drains what is staged first", big, refused(providers.Overflow, providers.Error{}), Limits{}, CollapseDrainRetry, ""},
		{"a drain that would free nothing falls through at once", small, refused(providers.Overflow, providers.Error{}), Limits{}, ReactiveCompactRetry, ""},
		{"one drain a turn", count(big, func(c *Counters) { c.Drains = 1 }), refused(providers.TooLarge, providers.Error{}), Limits{}, ReactiveCompactRetry, ""},
		{"one summary a turn", count(big, func(c *Counters) { c.Drains, c.Summaries = 1, 1 }), refused(providers.TooLarge, providers.Error{}), Limits{}, "", PromptTooLong},
		{"nothing to summarise", State{Run: 1}, refused(providers.Overflow, providers.Error{}), Limits{}, "", PromptTooLong},
		{"the breaker of summaries is open", func() State { s := small; s.summaryFails = 3; return s }(), refused(providers.Overflow, providers.Error{}), Limits{}, "", PromptTooLong},
		{"a full window is an overflow", small, whole("model_context_window_exceeded", text("half")), Limits{}, ReactiveCompactRetry, ""},
		{"a refused image sheds images", pictures, refused(providers.BadImage, providers.Error{}), Limits{}, CollapseDrainRetry, ""},
		{"and is no reason to summarise", count(pictures, func(c *Counters) { c.Drains = 1 }), refused(providers.BadImage, providers.Error{}), Limits{}, "", ImageError},
		{"images weigh in a 413", pictures, refused(providers.TooLarge, providers.Error{}), Limits{}, CollapseDrainRetry, ""},

		{"input + max_tokens over the window lowers max_tokens", small, refused(providers.MaxTokens, providers.Error{Input: 195_000, Asked: 8000, Window: 200_000}), Limits{}, MaxOutputLower, ""},
		{"without numbers it is halved", small, refused(providers.MaxTokens, providers.Error{}), Limits{}, MaxOutputLower, ""},
		{"once a turn; then it is an overflow", count(small, func(c *Counters) { c.Lowers = 1 }), refused(providers.MaxTokens, providers.Error{}), Limits{}, ReactiveCompactRetry, ""},
		{"no room for an answer is an overflow", small, refused(providers.MaxTokens, providers.Error{Input: 199_900, Window: 200_000}), Limits{}, ReactiveCompactRetry, ""},
		{"a limit that fits already is an overflow", small, refused(providers.MaxTokens, numbers), Limits{MaxTokens: 8000}, ReactiveCompactRetry, ""},

		{"a cut answer escalates first", State{Run: 1}, cut, Limits{}, MaxOutputEscalate, ""},
		{"once a turn", count(State{Run: 1, MaxTokens: 64_000}, func(c *Counters) { c.Escalations = 1 }), cut, Limits{}, MaxOutputRecovery, ""},
		{"not over a limit that was lowered", State{Run: 1, MaxTokens: 500}, cut, Limits{}, MaxOutputRecovery, ""},
		{"not to a limit that is no higher", State{Run: 1}, cut, Limits{MaxTokens: 64_000}, MaxOutputRecovery, ""},
		{"even with whole calls: they are in the next answer", State{Run: 1}, whole("max_tokens", call("t1", `{"line":"x"}`), text("and")), Limits{}, MaxOutputEscalate, ""},
		{"three continuations", count(State{Run: 1}, func(c *Counters) { c.Continuations = 3 }), cut, Limits{Escalate: -1}, "", Truncated},
		{"none without new text", State{Run: 1, cut: true, part: "half of it "}, cut, Limits{Escalate: -1}, "", Truncated},
		{"none after thinking alone", State{Run: 1}, whole("max_tokens", providers.Block{Kind: providers.Thinking, Text: "hm"}), Limits{Escalate: -1}, "", Truncated},
		{"a cut call is told, and goes on", State{Run: 1}, whole("max_tokens", open(call("t1", `{"li`))), Limits{Escalate: -1}, MaxOutputRecovery, ""},

		{"two overloads are retried", count(State{Run: 1}, func(c *Counters) { c.Overloads = 1 }), failed(providers.Overloaded), Limits{fallback: true}, TransportRetry, ""},
		{"the third changes the model", count(State{Run: 1}, func(c *Counters) { c.Overloads = 2 }), failed(providers.Overloaded), Limits{fallback: true}, ModelFallback, ""},
		{"another failure does not", count(State{Run: 1}, func(c *Counters) { c.Overloads = 2 }), failed(providers.Server), Limits{fallback: true}, TransportRetry, ""},
		{"once a run", count(State{Run: 1}, func(c *Counters) { c.Overloads, c.Fallbacks = 2, 1 }), failed(providers.Overloaded), Limits{fallback: true}, TransportRetry, ""},
		{"not without a fallback", count(State{Run: 1}, func(c *Counters) { c.Overloads = 2 }), failed(providers.Overloaded), Limits{}, TransportRetry, ""},

		{"a hook blocks", says(Verdicts{Hook: hookBlock}, Counters{HookBlocks: 1}), whole("end_turn", text("hi")), Limits{}, StopHookBlocking, ""},
		{"the last block ends the run", says(Verdicts{Hook: hookBlock}, Counters{HookBlocks: 2}), whole("end_turn", text("hi")), Limits{HookBlocks: 2}, "", StopHookPrevented},
		{"a hook prevents", says(Verdicts{Hook: hookPrevent}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", StopHookPrevented},
		{"a hook halts", says(Verdicts{Hook: hookHalt}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", HookStopped},
		{"a hook that failed is no success", says(Verdicts{Hook: hookFailed}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", CompletedUnverified},
		{"a hook behind tools halts", says(Verdicts{ToolHook: hookPrevent}, Counters{}), whole("tool_use", call("t1", `{"line":"x"}`)), Limits{}, "", HookStopped},
		{"the gate fails", says(Verdicts{Completion: gateFail}, Counters{GateBlocks: 1}), whole("end_turn", text("hi")), Limits{}, GateFeedback, ""},
		{"the second time it ends the run", says(Verdicts{Completion: gateFail}, Counters{GateBlocks: 2}), whole("end_turn", text("hi")), Limits{}, "", GateBlocked},
		{"a gate comes before the end of the turns", func() State {
			s := says(Verdicts{Completion: gateFail}, Counters{GateBlocks: 2})
			s.Turn = 2
			return s
		}(), whole("end_turn", text("hi")), Limits{MaxTurns: 3}, "", GateBlocked},
		{"a block without a turn left is max_turns", func() State {
			s := says(Verdicts{Completion: gateFail}, Counters{GateBlocks: 1})
			s.Turn = 2
			return s
		}(), whole("end_turn", text("hi")), Limits{MaxTurns: 3}, "", MaxTurns},
		{"unverified", says(Verdicts{Completion: gateUnverified}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", CompletedUnverified},
		{"the judge says no", says(Verdicts{Judge: judgeNotDone}, Counters{JudgeBlocks: 1}), whole("end_turn", text("hi")), Limits{}, GateFeedback, ""},
		{"as often as it may", says(Verdicts{Judge: judgeNotDone}, Counters{JudgeBlocks: 8}), whole("end_turn", text("hi")), Limits{}, "", GateBlocked},
		{"the judge says never", says(Verdicts{Judge: judgeImpossible}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", GoalImpossible},
		{"the judge broke", says(Verdicts{Judge: judgeBroken}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", JudgeError},
		{"the judge waits", says(Verdicts{Judge: judgeDeferred}, Counters{}), whole("end_turn", text("hi")), Limits{}, "", CompletedUnverified},
		{"a refusal asks no hook", says(Verdicts{Hook: hookBlock}, Counters{}), whole("refusal", text("no")), Limits{}, "", RefusedByModel},

		{"the token budget", State{Run: 1, Usage: providers.Usage{In: 90, Out: 11}}, whole("end_turn", text("hi")), Limits{TokenBudget: 100}, "", TokenBudget},
		{"all of it may be used", State{Run: 1, Usage: providers.Usage{In: 90, Out: 10}}, whole("end_turn", text("hi")), Limits{TokenBudget: 100}, "", Completed},
		{"it comes before a gate", func() State {
			s := says(Verdicts{Completion: gateFail}, Counters{GateBlocks: 2})
			s.Usage.Out = 101
			return s
		}(), whole("end_turn", text("hi")), Limits{TokenBudget: 100}, "", TokenBudget},

		{"tokens are left", State{Run: 1, Usage: providers.Usage{Out: 899}}, whole("end_turn", text("hi")), Limits{Nudge: 1000}, TokenBudgetContinuation, ""},
		{"not from nine tenths on", State{Run: 1, Usage: providers.Usage{Out: 900}}, whole("end_turn", text("hi")), Limits{Nudge: 1000}, "", Completed},
		{"a text that is a call is asked again", State{Run: 1}, func() *Turn { t := whole("end_turn", text("{}")); t.TextCall = "note"; return t }(), Limits{}, ProtocolRetry, ""},
		{"then it is an answer", count(State{Run: 1}, func(c *Counters) { c.Protocol = 1 }), func() *Turn { t := whole("end_turn", text("{}")); t.TextCall = "note"; return t }(), Limits{}, "", Completed},
	} {
		fb := tc.l.fallback
		l := tc.l.Resolve()
		l.fallback = fb
		if d := Decide(tc.s, tc.turn, l); d.Go != tc.go_ || d.End != tc.end {
			t.Errorf("%s: got go %q, end %q (%s); want %q, %q", tc.name, d.Go, d.End, d.Detail, tc.go_, tc.end)
		}
	}
}

// The deltas of D11: three nudges, then two answers under 500 tokens in a row end it.
func TestDiminishingReturns(t *testing.T) {
	for _, tc := range []struct {
		deltas []int // output tokens of each answer
		nudges int
	}{
		{[]int{100, 600, 400, 400, 9}, 3},
		{[]int{100, 600, 499, 501, 499, 499, 9}, 5},
		{[]int{0, 0, 0, 0, 0}, 3},
		{[]int{600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600, 600}, 10},
		{[]int{4000, 5000}, 1},
	} {
		l := Limits{Nudge: 10_000}.Resolve()
		s, n := State{Run: 1}, 0
		for _, d := range tc.deltas {
			s.Usage.Out += d
			if Decide(s, whole("end_turn", text("hi")), l).Go != TokenBudgetContinuation {
				break
			}
			n++
			s = s.step(&journal.Record{Reason: string(TokenBudgetContinuation)})
		}
		if n != tc.nudges {
			t.Errorf("deltas %v: %d nudges, want %d", tc.deltas, n, tc.nudges)
		}
	}
}

// Only what the issue of progress is about refills a limit.
func TestCountersRefill(t *testing.T) {
	full := Counters{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	for _, r := range Ladder() {
		s := State{Run: 1, Counters: full, MaxTokens: 64_000}
		n := s.step(&journal.Record{Reason: string(r.Name), MaxTokens: 64_000, Model: "b"})
		perRun := n.Counters.HookBlocks + n.Counters.GateBlocks + n.Counters.JudgeBlocks + n.Counters.Nudges + n.Counters.Fallbacks
		if perRun < 5 {
			t.Errorf("%s refills a limit of the run: %+v", r.Name, n.Counters)
		}
		perTurn := n.Counters.Drains + n.Counters.Summaries + n.Counters.Lowers + n.Counters.Escalations + n.Counters.Continuations + n.Counters.Empty + n.Counters.Protocol + n.Counters.Pauses
		if (perTurn == 0) != (r.Name == NextTurn) {
			t.Errorf("%s: the limits of a turn stand at %d in all; they refill at next_turn and nowhere else", r.Name, perTurn)
		}
		if (n.MaxTokens == 0) != (r.Name == NextTurn) {
			t.Errorf("%s: max_tokens is %d; it falls back at next_turn and nowhere else", r.Name, n.MaxTokens)
		}
		if (n.Turn == 1) != r.Turn {
			t.Errorf("%s: %d turns used, and the rung says %v", r.Name, n.Turn, r.Turn)
		}
	}
}

// Loop detection (N1): what is a loop, and what only looks like one.
func TestLoops(t *testing.T) {
	type turn struct {
		calls   []string // NAME INPUT
		results []string
	}
	one := func(in, out string) turn { return turn{[]string{in}, []string{out}} }
	for _, tc := range []struct {
		name  string
		turns []turn // the last one is about to run
		want  bool
	}{
		{"a third time", []turn{one(`{"a":1}`, "x"), one(`{"a":1}`, "x"), one(`{"a":1}`, "")}, true},
		{"a second time", []turn{one(`{"a":1}`, "x"), one(`{"a":1}`, "")}, false},
		{"polling that changes", []turn{one(`{"a":1}`, "x"), one(`{"a":1}`, "y"), one(`{"a":1}`, "")}, false},
		{"polling that changed once, then stood still", []turn{one(`{}`, "x"), one(`{}`, "y"), one(`{}`, "y"), one(`{}`, "")}, true},
		{"the order of keys is nothing new", []turn{one(`{"a":1,"b":2}`, "x"), one(`{"b":2,"a":1}`, "x"), one(`{ "a": 1, "b": 2 }`, "")}, true},
		{"nor are escapes and zeros", []turn{one(`{"a":1}`, "x"), one(`{"\u0061":1.0}`, "x"), one(`{"a":10e-1}`, "")}, true},
		{"another input", []turn{one(`{"a":1}`, "x"), one(`{"a":1}`, "x"), one(`{"a":2}`, "")}, false},
		{"a batch of equal calls is one round", []turn{{[]string{"{}", "{}", "{}"}, []string{"x", "x", "x"}}, one("{}", "")}, false},
		{"alternating", []turn{one("1", "x"), one("2", "y"), one("1", "x"), one("2", "y"), one("1", "")}, true},
		{"alternating, not yet", []turn{one("1", "x"), one("2", "y"), one("1", "x"), one("2", "")}, false},
		{"alternating with news", []turn{one("1", "x"), one("2", "y"), one("1", "x"), one("2", "z"), one("1", "")}, false},
		{"three in a ring", []turn{one("1", "x"), one("2", "x"), one("3", "x"), one("1", "x"), one("2", "x"), one("3", "x"), one("1", "")}, true},
		{"the order in a batch is nothing new", []turn{{[]string{"1", "2"}, []string{"x", "y"}}, {[]string{"2", "1"}, []string{"y", "x"}}, {[]string{"1", "2"}, nil}}, true},
		{"swapped results are news", []turn{{[]string{"1", "2"}, []string{"x", "y"}}, {[]string{"1", "2"}, []string{"y", "x"}}, {[]string{"1", "2"}, nil}}, false},
	} {
		h := History{}
		got := false
		for n, u := range tc.turns {
			if n == len(tc.turns)-1 {
				now := &Turn{}
				for _, c := range u.calls {
					now.Calls = append(now.Calls, Call{Name: "t", Input: c})
				}
				got = loops(h, now, 3)
				if looms := looming(h, 3); got && !looms {
					t.Errorf("%s: a loop that did not loom: its calls may have begun early", tc.name)
				}
				break
			}
			h = h.append(Entry{Kind: EntryAssistant})
			for i, c := range u.calls {
				id := fmt.Sprint("c", n, i)
				h = h.append(Entry{Kind: EntryCall, Call: id, Name: "t", Text: c})
				h = h.append(Entry{Kind: EntryResult, Call: id, Name: "t", Text: u.results[i]})
			}
		}
		if got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A configuration that contradicts itself is refused with all that is wrong, and
// each sentence says what.
func TestContradictions(t *testing.T) {
	cfg := Config{Model: "m", Fallback: "m", Goal: " ", Hooks: []Hook{{Name: "x", On: "nowhere"}}, Limits: Limits{
		MaxTurns: -1, Idle: 10, Progress: 5, Window: 1000, CompactAt: 2000, BlockAt: 500, Preview: 60_000, TokenBudget: 10, Nudge: 20, LoopAfter: 1, Escalate: 5,
	}}
	err := cfg.Check()
	if err == nil {
		t.Fatal("it was accepted")
	}
	for _, want := range []string{
		"no provider", "no machine", "max_turns is -1", "progress", "compact_at (2000) is above the window", "block_at (500) is below", "preview",
		"nudge", "loop_after", "escalate (5)", "fallback is the model itself", "goal is blank", "hook 1", `is on "nowhere"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing is said of %q in:\n%v", want, err)
		}
	}
}

// The pipeline sees what the projection shows: after every edit both agree on
// what is hidden.
func TestShaperAgreesWithProjection(t *testing.T) {
	s := worked(12, 3000, 0)
	units := unitsOf(s.history)
	edit, ok := compact.SummaryEdit(units, 3, compact.SummaryText("it went well"))
	if !ok {
		t.Fatal("nothing to summarise")
	}
	s = Apply(s, &journal.Record{Seq: 900, Run: 1, Kind: journal.KindBoundary, Code: "summary", From: edit.From, To: edit.To, Text: edit.Text})
	after := unitsOf(s.history)
	if got, want := compact.Sum(after), edit.After; got != want {
		t.Errorf("the units after the edit are %+v, the edit said %+v", got, want)
	}
	msgs := Project(s.history, "m")
	shown := show(msgs)
	if !strings.Contains(shown, "it went well") || !strings.Contains(shown, "do it") {
		t.Errorf("the summary or the request is missing in %s", shown)
	}
	bytes := 0
	for _, m := range msgs {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			bytes += len(b.Text) + len(b.Input) + len(b.Name)
		}
	}
	if d := bytes - edit.After.Bytes; d < -64 || d > 64 {
		t.Errorf("the request has %d bytes, the pipeline counts %d", bytes, edit.After.Bytes)
	}
}
