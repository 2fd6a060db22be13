package harness

import (
	"context"
	"testing"

	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func mustRegistry(t testing.TB, ts ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(ts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var noteTool = tools.Tool{Name: "note", Schema: `{"type":"object","properties":{"line":{"type":"string"}},"required":["line"],"additionalProperties":false}`,
	Run: func(ctx context.Context, c tools.Call) (tools.Output, error) { return tools.Output{Text: "noted"}, nil }}

func text(s string) providers.Block { return providers.Block{Kind: providers.Text, Text: s} }
func call(id, input string) providers.Block {
	return providers.Block{Kind: providers.ToolCall, ID: id, Name: "note", Input: input}
}
func open(b providers.Block) providers.Block { b.Open = true; return b }

func whole(stop string, blocks ...providers.Block) *Turn {
	t := &Turn{Blocks: blocks, Stop: stop, HasStop: stop != "", Ending: Complete}
	t.parse()
	return t
}

func failed(class providers.Class) *Turn {
	e := Failed
	switch class {
	case providers.Cut:
		e = Cut
	case providers.Idle:
		e = Idle
	}
	t := &Turn{Blocks: []providers.Block{text("half"), open(call("t1", `{"li`))}, Ending: e, Err: &providers.Error{Class: class}}
	t.parse()
	return t
}

// The decision table: what the loop does with an answer, in the words of A1 to
// A6, D7, D9 and the reports of group 1.
func TestDecide(t *testing.T) {
	ok := `{"line":"x"}`
	limits := Limits{MaxTurns: 3, Escalate: -1, Continue: -1}.Resolve() // the rungs for cut answers: TestLadder
	fresh := State{Run: 1}
	used := func(c Counters) State { return State{Run: 1, Counters: c} }
	last := State{Run: 1, Turn: 2}
	for _, tc := range []struct {
		name string
		s    State
		turn *Turn
		want Decision
	}{
		{"text ends the run", fresh, whole("end_turn", text("hi")), Decision{Commit: true, End: Completed}},
		{"a stop sequence ends it too", fresh, whole("stop_sequence", text("hi")), Decision{Commit: true, End: Completed}},
		{"a call decides against end_turn", fresh, whole("end_turn", call("t1", ok)), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"a call decides against an unknown stop", fresh, whole("zzz_new", call("t1", ok)), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"a call decides against no stop", fresh, whole("", text("a"), call("t1", ok)), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"a call decides against pause_turn", fresh, whole("pause_turn", call("t1", ok)), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"a bad call is answered, not dropped", fresh, whole("tool_use", call("t1", "{")), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"an open call of a whole answer is answered as cut", fresh, whole("tool_use", open(call("t1", `{"li`))), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"calls on the last turn run, then it ends", last, whole("tool_use", call("t1", ok)), Decision{Commit: true, Calls: true, End: MaxTurns}},
		{"an answer on the last turn is completed", last, whole("end_turn", text("hi")), Decision{Commit: true, End: Completed}},
		{"truncated text", fresh, whole("max_tokens", text("hi")), Decision{Commit: true, End: Truncated}},
		{"truncated call alone", fresh, whole("max_tokens", open(call("t1", `{"li`))), Decision{Commit: true, Calls: true, End: Truncated}},
		{"truncated call that parses", fresh, whole("max_tokens", call("t1", ok)), Decision{Commit: true, Calls: true, End: Truncated}},
		{"a whole call before the cut one", fresh, whole("max_tokens", call("t1", ok), call("t2", `{"li`)), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"a whole call before cut text", fresh, whole("max_tokens", call("t1", ok), open(text("and"))), Decision{Commit: true, Calls: true, Go: NextTurn}},
		{"truncated thinking is truncation, not emptiness", fresh, whole("max_tokens", providers.Block{Kind: providers.Thinking, Text: "hm"}), Decision{Commit: true, End: Truncated}},
		{"empty once", fresh, whole("end_turn"), Decision{Go: EmptyRetry}},
		{"white space is empty", fresh, whole("end_turn", text(" \n")), Decision{Go: EmptyRetry}},
		{"thinking alone is empty", fresh, whole("end_turn", providers.Block{Kind: providers.Thinking, Text: "hm"}), Decision{Go: EmptyRetry}},
		{"empty twice", used(Counters{Empty: 1}), whole("end_turn"), Decision{End: EmptyResponseFailed}},
		{"tool_use without a call once", fresh, whole("tool_use", text("I will call")), Decision{Go: ProtocolRetry}},
		{"tool_use without a call twice", used(Counters{Protocol: 1}), whole("tool_use"), Decision{End: ProtocolError, Detail: "the stop reason says tool_use, but the answer holds no call"}},
		{"pause", fresh, whole("pause_turn", text("a")), Decision{Commit: true, Go: PauseContinue}},
		{"a ninth pause", used(Counters{Pauses: 8}), whole("pause_turn", text("a")), Decision{End: ProtocolError, Detail: "the model paused too often"}},
		{"refusal", fresh, whole("refusal", text("no")), Decision{Commit: true, End: RefusedByModel}},
		{"empty refusal", fresh, whole("refusal"), Decision{Commit: true, End: RefusedByModel}},
		{"refusal with a call: answered, not run", fresh, whole("refusal", call("t1", ok)), Decision{Commit: true, Calls: true, End: RefusedByModel}},
		{"the window is full", fresh, whole("model_context_window_exceeded"), Decision{End: PromptTooLong, Detail: "the answer filled the model's window"}},
		{"unknown stop", fresh, whole("zzz_new", text("hi")), Decision{Commit: true, End: UnknownStop, Detail: `stop reason "zzz_new"`}},
		{"missing stop", fresh, whole("", text("hi")), Decision{Commit: true, End: UnknownStop, Detail: "the answer ended without a stop reason"}},
		{"cut is retried", fresh, failed(providers.Cut), Decision{Go: TransportRetry}},
		{"idle is retried", fresh, failed(providers.Idle), Decision{Go: TransportRetry}},
		{"overload in the stream is retried", fresh, failed(providers.Overloaded), Decision{Go: TransportRetry}},
		{"unknown errors are bounded", used(Counters{Retries: 10}), failed(providers.Unknown), Decision{End: ModelError, Detail: "unknown"}},
		{"the eleventh retry", used(Counters{Retries: 10}), failed(providers.Network), Decision{End: ModelError, Detail: "network"}},
		{"400 is not retried", fresh, failed(providers.Invalid), Decision{End: ModelError, Detail: "invalid"}},
		{"401 is not retried", fresh, failed(providers.Auth), Decision{End: ModelError, Detail: "auth"}},
		{"too long", fresh, failed(providers.Overflow), Decision{End: PromptTooLong, Detail: "overflow"}},
		{"413", fresh, failed(providers.TooLarge), Decision{End: PromptTooLong, Detail: "too_large"}},
		{"a malformed stream has its own small budget", fresh, failed(providers.Protocol), Decision{Go: ProtocolRetry}},
		{"malformed twice", used(Counters{Protocol: 1}), failed(providers.Protocol), Decision{End: ProtocolError, Detail: "protocol"}},
	} {
		if got := Decide(tc.s, tc.turn, limits); got != tc.want {
			t.Errorf("%s:\n got %+v\nwant %+v", tc.name, got, tc.want)
		}
	}
}

func TestDecideAtOneTurn(t *testing.T) {
	l := Limits{MaxTurns: 1}.Resolve()
	if d := Decide(State{Run: 1}, whole("tool_use", call("t1", `{"line":"x"}`)), l); d.End != MaxTurns || !d.Calls {
		t.Errorf("a call on the only turn: got %+v, want it run and max_turns", d)
	}
}

func TestAdmit(t *testing.T) {
	reg := mustRegistry(t, noteTool)
	ok := `{"line":"x"}`
	named := call("t1", ok)
	named.Name = "nope"
	for _, tc := range []struct {
		name string
		turn *Turn
		want []string
	}{
		{"whole", whole("tool_use", call("t1", ok)), []string{""}},
		{"no bytes mean {}, which this schema refuses", whole("tool_use", call("t1", "")), []string{"invalid_arguments"}},
		{"never closed", whole("tool_use", open(call("t1", ok))), []string{"cut"}},
		{"last of a truncated answer, though it parses", whole("max_tokens", call("t1", ok), call("t2", ok)), []string{"", "cut"}},
		{"truncation outranks a parse error", whole("max_tokens", call("t1", "{")), []string{"cut"}},
		{"not last of a truncated answer", whole("max_tokens", call("t1", ok), text("and")), []string{""}},
		{"not JSON", whole("tool_use", call("t1", "{a:1}")), []string{"invalid_arguments"}},
		{"not an object", whole("tool_use", call("t1", "[]")), []string{"invalid_arguments"}},
		{"a key twice", whole("tool_use", call("t1", `{"line":"a","line":"b"}`)), []string{"invalid_arguments"}},
		{"unknown tool", whole("tool_use", named), []string{"unknown_tool"}},
		{"one id, one input: one call", whole("tool_use", call("t1", ok), call("t1", `{ "line": "x" }`)), []string{"", Merged}},
		{"one id, two inputs", whole("tool_use", call("t1", ok), call("t1", `{"line":"y"}`)), []string{"", "duplicate_id"}},
		{"empty ids are no ids", whole("tool_use", call("", ok), call("", ok)), []string{"", ""}},
		{"refusal", whole("refusal", call("t1", ok)), []string{"refusal"}},
	} {
		for i := range tc.turn.Calls {
			v := Admit(tc.turn, i, reg)
			if v.Code != tc.want[i] {
				t.Errorf("%s: call %d is judged %q (%s), want %q", tc.name, i, v.Code, v.Text, tc.want[i])
			}
			if (v.Text == "") != (v.Code == "" || v.Code == Merged) {
				t.Errorf("%s: call %d: a refusal needs a sentence, and nothing else has one: %+v", tc.name, i, v)
			}
		}
	}
}
