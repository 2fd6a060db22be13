package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

// withOutcome is a session with one read and this outcome of it.
func withOutcome(r journal.Record) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.codeless = true
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		r.Call = b.answered(b.ask(a), a, nil)[0]
		b.starts(r.Call, "read")
		b.enters(r.Call)
		b.leaves(r.Call, "")
		b.settle(r)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}
}

const zeros64 = "0000000000000000000000000000000000000000000000000000000000000000"

var brokenOutcomes = []brokenLoop{
	// record/envelope
	{rule: "record/envelope", name: "a failure that is no error", says: "not marked as an error", make: withOutcome(journal.Record{Kind: journal.KindToolError, State: journal.Failed, Code: "x", Text: "no"})},
	{rule: "record/envelope", name: "a success that is an error", says: "but it is marked as an error", make: withOutcome(journal.Record{Kind: journal.KindResult, State: journal.Done, IsError: true, Text: "ok"})},
	{rule: "record/envelope", name: "an error without a code", says: "no code says which", make: withOutcome(journal.Record{Kind: journal.KindToolError, State: journal.Failed, IsError: true, Text: "no"})},
	{rule: "record/envelope", name: "a success with a code", says: "it has the error code timeout", make: withOutcome(journal.Record{Kind: journal.KindResult, State: journal.Done, Code: "timeout", Text: "ok"})},
	{rule: "record/envelope", name: "an empty text", says: "it has no text", make: withOutcome(journal.Record{Kind: journal.KindResult, State: journal.Done})},
	{rule: "record/envelope", name: "a cut that nobody is told of", says: "the text does not say so", make: withOutcome(journal.Record{Kind: journal.KindResult, State: journal.Done, Text: "half", Cut: 7})},
	{rule: "record/envelope", name: "a stack trace", says: "stack trace", make: withOutcome(journal.Record{
		Kind: journal.KindToolError, State: journal.Failed, IsError: true, Code: "internal_error", Text: "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1d",
	})},
	{rule: "record/envelope", name: "a file named by the model", says: "not named by the call", make: withOutcome(journal.Record{
		Kind: journal.KindResult, State: journal.Done, Text: "x", File: "results/t1.txt", Bytes: 1, Digest: zeros64,
	})},
	{rule: "record/envelope", name: "a file outside", says: "no file in a folder of the session", make: withOutcome(journal.Record{
		Kind: journal.KindResult, State: journal.Done, Text: "x", File: "../c1.txt", Bytes: 1, Digest: zeros64,
	})},
	{rule: "record/envelope", name: "a file without a digest", says: "without the digest", make: withOutcome(journal.Record{
		Kind: journal.KindResult, State: journal.Done, Text: "x", File: "results/c1.txt", Bytes: 1,
	})},
	{rule: "record/envelope", name: "a file smaller than what was left out of it", says: "a file of 3 bytes", make: withOutcome(journal.Record{
		Kind: journal.KindResult, State: journal.Done, Text: "9 bytes left out", Cut: 9, File: "results/c1.txt", Bytes: 3, Digest: zeros64,
	})},

	// stop/typed-end and stop/no-empty-success: budgets, loops, gates
	{rule: "stop/typed-end", name: "stops at the budget itself", says: "as many as the budget are allowed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.TokenBudget = 15
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "token_budget"})
		b.ends("token_budget")
		return b
	}},
	{rule: "stop/typed-end", name: "calls two rounds a loop of three", says: "a loop takes 2", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.LoopAfter = 3
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		b.reads(a)
		b.goesOn("next_turn")
		b.answered(b.ask(a), a, map[string]string{"t1": "loop"})
		b.ends("loop_detected")
		return b
	}},
	{rule: "stop/typed-end", name: "a loop in an answer that was discarded", says: "it made no calls", make: failing(answer{text: "x", ending: "cut"}, "loop_detected")},
	{rule: "stop/typed-end", name: "a loop without a call", says: "makes no call", make: one(answer{text: "x"}, "loop_detected")},
	{rule: "stop/typed-end", name: "a hook that prevented nothing", says: "no stop hook has said", make: one(answer{text: "x"}, "stop_hook_prevented")},
	{rule: "stop/typed-end", name: "a hook that halted nothing", says: "no hook has halted", make: one(answer{text: "x"}, "hook_stopped")},
	{rule: "stop/typed-end", name: "a gate that blocked nothing", says: "has sent the answer", make: one(answer{text: "x"}, "completion_gate_blocked")},
	{rule: "stop/typed-end", name: "a goal that nobody called impossible", says: "no judge has said", make: one(answer{text: "x"}, "goal_impossible")},
	{rule: "stop/typed-end", name: "a judge that did not fail", says: "no judge has failed", make: one(answer{text: "x"}, "judge_error")},
	{rule: "stop/typed-end", name: "calls an answer too long a prompt", says: "was answered", make: one(answer{text: "x"}, "prompt_too_long")},
	{rule: "stop/typed-end", name: "calls a refused size a model error", says: "prompt_too_long", make: failing(tooLong, "model_error")},
	{rule: "stop/typed-end", name: "calls a server error a long prompt", says: "did not refuse the request's size", make: failing(answer{status: 500}, "prompt_too_long")},
	{rule: "stop/typed-end", name: "calls a server error a bad image", says: "did not refuse an image", make: failing(answer{status: 500}, "image_error")},
	{rule: "stop/typed-end", name: "counts a hook's turn for nothing", says: "it says turn 1, the records 2", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.end = func(r *journal.Record) { r.Turn-- }
		b.user("go")
		b.final("Done?")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "No."})
		b.final("Done.")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
	{rule: "stop/typed-end", name: "ends with half of an answer in two parts", says: "the first halfthe second half", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.end = func(r *journal.Record) { r.Text, b.sum.Text = "the second half", "the second half" }
		b.user("go")
		a := answer{text: "the first half", stop: "pause_turn"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("pause_continue")
		b.final("the second half")
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "a hook that failed", says: "a stop hook failed", make: judged("hook", "failed", "completed")},
	{rule: "stop/no-empty-success", name: "a hook that blocked", says: "said block", make: judged("hook", "block", "completed")},
	{rule: "stop/no-empty-success", name: "the gate could not tell", says: "could not verify", make: judged("completion", "unverified", "completed")},
	{rule: "stop/no-empty-success", name: "the gate said no", says: "sent the answer", make: judged("completion", "fail", "completed_unverified")},
	{rule: "stop/no-empty-success", name: "the judge failed", says: "judge_error", make: judged("judge", "error", "completed_unverified")},
	{rule: "stop/no-empty-success", name: "the judge said no", says: "said not_done", make: judged("judge", "not_done", "completed")},
	{rule: "stop/no-empty-success", name: "nobody judged", says: "background work", make: judged("judge", "deferred", "completed")},
	{rule: "stop/no-empty-success", name: "a hook that hung, and nobody says so", says: "asked last did not answer", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done.")
		b.hooked(evidence.HookStop, false, "hang")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
}

// failing is a run whose one request fails like that.
func failing(a answer, reason string) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(a), reason)
		b.ends(reason)
		return b
	}
}

// judged is a run whose answer a gate has judged, and its end.
func judged(gate, verdict, reason string) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done.")
		b.gate(gate, verdict)
		b.ends(reason)
		return b
	}
}
