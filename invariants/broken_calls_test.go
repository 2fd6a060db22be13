package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

// answeredWith is a session whose one good call was not run, for the reason code.
func answeredWith(name, code string, state journal.State) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: name, input: `{"a":1}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: state, IsError: true, Code: code, Text: "not run"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}
}

var brokenCalls = []brokenLoop{
	// stop/blocks-decide: exceptions by a name that is not true
	{rule: "stop/blocks-decide", name: "denies without a denial", says: "anybody denied it", make: answeredWith("append", "permission_denied", journal.Refused)},
	{rule: "stop/blocks-decide", name: "a breaker without a failure", says: "it never had", make: answeredWith("append", "circuit_open", journal.Refused)},
	{rule: "stop/blocks-decide", name: "defers what is not deferred", says: "no deferred one", make: answeredWith("append", "tool_deferred", journal.Refused)},
	{rule: "stop/blocks-decide", name: "a sibling that did not fail", says: "none had", make: answeredWith("append", "sibling_failed", journal.Never)},
	{rule: "stop/blocks-decide", name: "a budget that was not used up", says: "did not end with token_budget", make: answeredWith("append", "token_budget", journal.Refused)},
	{rule: "stop/blocks-decide", name: "a loop that is none", says: "did not end with loop_detected", make: answeredWith("append", "loop", journal.Refused)},
	{rule: "stop/blocks-decide", name: "never started, for no reason", says: "nothing had kept it", make: answeredWith("append", "aborted", journal.Never)},
	{rule: "stop/blocks-decide", name: "defers what was shown", says: "an earlier result had named it", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		r := b.resultRecord(c, "read", "there is rare")
		r.Names = []string{"rare"}
		b.settle(r)
		b.goesOn("next_turn")
		a = answer{calls: []tc{{id: "t2", name: "rare", input: `{}`}}}
		b.refuses(b.answered(b.ask(a), a, nil)[0], "tool_deferred")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "throws a whole answer away", says: "instead of answered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}}), "empty_retry")
		b.goesOn("empty_retry")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "raises the limit for an answer that nothing cut", says: "instead of answered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}}), "max_output_escalate")
		b.goesOn("max_output_escalate")
		b.max = 800
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "runs the calls of the answer that used up the budget", says: "are answered, not run", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.ev.Limits.TokenBudget = 14
		b.runs(c, "append")
		b.ends("token_budget")
		return b
	}},
	{rule: "stop/blocks-decide", name: "leaves the calls of a loop without an answer", says: "neither run nor answered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.LoopAfter = 2
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		b.reads(a)
		b.goesOn("next_turn")
		a.calls[0].id = "t9"
		b.answered(b.ask(a), a, nil)
		b.ends("loop_detected")
		return b
	}},
	{rule: "stop/blocks-decide", name: "a tool hook that ends the run before the tools", says: "neither run nor answered", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.gate("tool_hook", "halt")
		b.ends("hook_stopped")
		return b
	}},

	// stop/complete-only: calls that begin too early
	{rule: "stop/complete-only", name: "a write that does not wait for its answer", says: "not committed yet", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "read", input: `{}`}}}
		id, c := early(b, a)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		r := b.commit("the tool returned", b.resultRecord(c, "append", "ok"))[0]
		ids := rest(b, id, a, nil)
		b.tell(r)
		b.runs(ids[0], "read")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "a write of an answer that was dropped for a larger limit", says: "was discarded", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id, c := early(b, answer{stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{`, open: true}}})
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.commit("the tool returned", b.resultRecord(c, "append", "ok"))
		b.discards(id, "max_output_escalate")
		b.goesOn("max_output_escalate")
		b.max = 800
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "a read that began as soon as its block was closed", says: "a token limit might have cut it", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id, c := early(b, answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}, ending: "cut"})
		b.leaves(c, evidence.ToolDone)
		b.commit("the tool returned", b.resultRecord(c, "read", "ok"))
		b.discards(id, "transport_retry")
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "a write of an answer that a kill cut off", says: "never committed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		early(b, answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{}`}}})
		b.killed()
		return b
	}},

	// record/before-run: approvals
	{rule: "record/before-run", name: "asks before that is recorded", says: "asked before that was recorded", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.permission(c, "approved")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/before-run", name: "starts a read while somebody is asked", says: "while the approval", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.permission(ids[1], "ask")
		b.runs(ids[0], "read")
		b.permission(ids[1], "approved")
		b.runs(ids[1], "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/before-run", name: "does not wait for the answer", says: "without a yes: the last word on it is ask", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.permission(c, "ask")
		b.runs(c, "append")
		b.permission(c, "approved")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/before-run", name: "runs what was rejected", says: "without a yes: the last word on it is rejected", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.permission(c, "ask")
		b.permission(c, "rejected")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// record/no-forgery: background calls
	{rule: "record/no-forgery", name: "a second result of a background call", says: "had settled it", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.goesOn("next_turn")
		b.effect(c, "build", "")
		b.leaves(c, evidence.ToolDone)
		b.commit("x", b.resultRecord(c, "build", "ok"))
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "tells the end twice", says: "had told its end", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.goesOn("next_turn")
		b.notice(c, "background_failed")
		b.notice(c, "background_failed")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "calls a failure done", says: "but the tool had failed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.leaves(c, evidence.ToolFailed)
		b.goesOn("next_turn")
		b.notice(c, "background_done")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "calls a success a failure", says: "returned a success", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.leaves(c, evidence.ToolDone)
		b.goesOn("next_turn")
		b.notice(c, "background_failed")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "done, though the tool was never entered in the background", says: "never entered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "build", input: `{}`}, {id: "t2", name: "build", input: `{"a":1}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.background(ids[0])
		b.starts(ids[1], "build")
		b.settle(journal.Record{Kind: journal.KindResult, Call: ids[1], State: journal.Done, Code: "background", Text: "running"})
		b.goesOn("next_turn")
		b.notice(ids[1], "background_done")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "lost, though nothing died", says: "no process ended", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.goesOn("next_turn")
		b.notice(c, "background_lost")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "a placeholder for a tool that is waited for", says: "no tool that does", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, Name: "append", State: journal.Done, Code: "background", Text: "running"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "a placeholder for a call that did not start", says: "never started", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Done, Code: "background", Text: "running"})
		b.ends("max_turns")
		return b
	}},
	{rule: "record/no-forgery", name: "the end of a call that is waited for", says: "no placeholder", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.notice(c, "background_done")
		b.lastTurn()
		return b
	}},

	// cancel/settles
	{rule: "cancel/settles", name: "an early read without an outcome", says: "had begun early", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := twoReads
		a.ending = "reset"
		id, c := early(b, a)
		b.discards(id, "transport_retry")
		b.leaves(c, "cancelled")
		b.commit("too late", journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted"})
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{rule: "cancel/settles", name: "an abort that forgets the background", says: "in the background", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.goesOn("next_turn")
		id := b.ask(answer{text: "x", ending: "cut"})
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.discards(id, "aborted")
		b.ends("aborted_streaming")
		return b
	}},

	// wire/legal and resume/prefix
	{rule: "wire/legal", name: "sends what was discarded", says: "what was discarded is never sent", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := twoReads
		a.ending = "reset"
		id, c := early(b, a)
		b.leaves(c, evidence.ToolDone)
		b.commit("the tool returned", b.resultRecord(c, "read", "seen"))
		b.discards(id, "transport_retry")
		b.goesOn("transport_retry")
		b.say(providers.Assistant, a.blocks()[:2]...)
		b.say(providers.User, providers.Block{Kind: providers.ToolResult, ID: "t1", Text: "seen"})
		b.lastTurn()
		return b
	}},
	{rule: "wire/legal", name: "sends half an answer that was discarded", says: `"half an ans" as the model's words`, make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "half an ans", ending: "cut"}), "transport_retry")
		b.goesOn("transport_retry")
		b.say(providers.Assistant, providers.Block{Kind: providers.Text, Text: "half an ans"})
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go on"})
		b.lastTurn()
		return b
	}},
	{rule: "resume/prefix", name: "loses what a hook said", says: "the prompt", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done?")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "Not yet."})
		b.killed()
		b.reopens("")
		b.msgs[2].Blocks[0].Text = "Well?"
		b.lastTurn()
		return b
	}},

	// tools/order
	{rule: "tools/order", name: "a write beside a read, with a build in the background", says: "runs alone", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "build", input: `{}`}, {id: "t2", name: "read", input: `{}`}, {id: "t3", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.background(ids[0])
		for i, tool := range []string{"read", "append"} {
			b.starts(ids[i+1], tool)
			b.enters(ids[i+1])
		}
		b.effect(ids[2], "append", "")
		for i, tool := range []string{"read", "append"} {
			b.leaves(ids[i+1], evidence.ToolDone)
			b.settle(b.resultRecord(ids[i+1], tool, "ok"))
		}
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// ladder/bounded
	{rule: "ladder/bounded", name: "goes on over its budget", says: "had used 15 tokens of 14", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.ev.Limits.TokenBudget = 14
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.final("Done.")
		b.ends("token_budget")
		return b
	}},

	// secrets/none and run/deterministic
	{rule: "secrets/none", name: "in what a hook said", says: "canary 1 appears", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.ev.Secrets = []string{"sk-canary-0123456789"}
		b.ev.Hooks = []evidence.Hook{{Life: 1, Kind: evidence.HookStop, Outcome: "allow", Text: "sk-canary-0123456789"}}
		return b
	}},
	{rule: "run/deterministic", name: "a hook that is asked again", says: "hooks.jsonl", make: one(answer{text: "Done."}, "completed"), opts: func(b *builder, o *invariants.Options) {
		other := one(answer{text: "Done."}, "completed")(b.t)
		other.ev.Hooks = []evidence.Hook{{Life: 1, Kind: evidence.HookStop, Outcome: "allow"}}
		o.Again = other.done()
	}},
}
