package invariants_test

import (
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

var brokenWire = []brokenLoop{
	// wire/legal
	{rule: "wire/legal", name: "an unanswered call", says: "illegal", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.commit("x", b.resultRecord(c, "append", "ok"))
		b.goesOn("next_turn")
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go on"})
		b.lastTurn()
		return b
	}},
	{rule: "wire/legal", name: "a result without its call", says: "illegal", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.say(providers.User, providers.Block{Kind: providers.ToolResult, ID: "t9", Text: "late"})
		b.lastTurn()
		return b
	}},

	// wire/split-blind
	{rule: "wire/split-blind", name: "half a character", says: "not what its bytes say", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "北京"}
		id := b.ask(a)
		b.answered(id, answer{text: "\uFFFD\uFFFD京"}, nil)
		b.ends("completed")
		return b
	}},
	{rule: "wire/split-blind", name: "a lost piece of a call", says: "call 1 is", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}}}
		id := b.ask(a)
		wrong := b.assistantRecord(id, a)
		wrong.Blocks = slices.Clone(wrong.Blocks)
		wrong.Blocks[1].Input = `{"a":`
		b.commit("x", append([]journal.Record{wrong}, b.callRecords(id, a, nil)...)...)
		b.say(providers.Assistant, a.blocks()...)
		b.runs("c1", "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "wire/split-blind", name: "a lost call", says: "1 calls are committed, the bytes hold 2", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}, {id: "t2", name: "append", input: `{"a":`, open: true}}}
		id := b.ask(a)
		less := answer{calls: a.calls[:1], stop: a.stop}
		c := b.answered(id, less, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// tools/order
	{rule: "tools/order", name: "results in the order of completion", says: "another order", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}, {id: "t2", name: "read", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.runs(ids[0], "read")
		b.runs(ids[1], "read")
		slices.Reverse(b.msgs[len(b.msgs)-1].Blocks)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "tools/order", name: "a read beside a write", says: "runs alone", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "read", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.starts(ids[0], "append")
		b.starts(ids[1], "read")
		b.enters(ids[0])
		b.enters(ids[1])
		b.effect(ids[0], "append", "")
		b.leaves(ids[0], evidence.ToolDone)
		b.leaves(ids[1], evidence.ToolDone)
		b.settle(b.resultRecord(ids[0], "append", "ok"))
		b.settle(b.resultRecord(ids[1], "read", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "tools/order", name: "a prompt that depends on timing", says: "other bytes", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		return b
	}, opts: func(b *builder, o *invariants.Options) {
		other := newBuilder(b.t).start()
		other.user("go")
		other.say(providers.User, providers.Block{Kind: providers.Text, Text: "it took 3 ms"})
		other.lastTurn()
		o.OtherSchedule = other.done()
	}},

	// cancel/settles
	{rule: "cancel/settles", name: "a call without an outcome", says: "no outcome", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.ends("aborted_tools")
		return b
	}},
	{rule: "cancel/settles", name: "a tool that still runs", says: "still running", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted"})
		b.terminal("aborted_tools")
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "ended", Left: []string{"tool append c1"}})
		return b
	}},
	{rule: "cancel/settles", name: "a deaf tool that nobody noted", says: "no notice", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "deaf", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "deaf")
		b.enters(c)
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted"})
		b.terminal("aborted_tools")
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "ended", Left: []string{"tool deaf c1"}})
		return b
	}},
	{rule: "cancel/settles", name: "a deaf tool that nobody noted, beside one of the same name that was", says: "no notice", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "deaf", input: `{}`}, {id: "t2", name: "deaf", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		for _, c := range ids {
			b.starts(c, "deaf")
			b.enters(c)
			b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted"})
		}
		b.commit("the first was told to stop", journal.Record{Kind: journal.KindNotice, Call: ids[0], Code: "left_running"})
		b.terminal("aborted_tools")
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "ended", Left: []string{"tool deaf " + ids[1]}})
		return b
	}},
	{rule: "cancel/settles", name: "asks on after the abort", says: "another request", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// secrets/none
	{rule: "secrets/none", name: "in a result", says: "canary 1 appears", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.ev.Secrets = []string{"sk-canary-0123456789"}
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "append", "KEY=sk-canary-0123456789"))
		b.ends("max_turns")
		return b
	}},
	{rule: "secrets/none", name: "only in what was shown", says: "canary 1 appears", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Secrets = []string{"sk-canary-0123456789"}
		b.user("go")
		b.lastTurn()
		b.ev.Shown[len(b.ev.Shown)-1].ID = "sk-canary-0123456789"
		return b
	}},
	{rule: "secrets/none", name: "in base64, in a header, in the log", says: "in base64", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Secrets = []string{"sk-canary-0123456789", "sk-other-0123456789"}
		b.user("go")
		b.lastTurn()
		b.ev.Log = "auth: " + base64.StdEncoding.EncodeToString([]byte("user:sk-canary-0123456789"))
		b.ev.Wire[0].Header = map[string][]string{"X-Api-Key": {"sk-other-0123456789"}}
		return b
	}},

	// run/deterministic
	{rule: "run/deterministic", name: "another time", says: "two runs with the same seed differ", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		return b
	}, opts: func(b *builder, o *invariants.Options) {
		other := newBuilder(b.t).start()
		other.at += time.Second
		other.user("go")
		other.lastTurn()
		o.Again = other.done()
	}},
	{rule: "run/deterministic", name: "goes on longer", says: "goes on in shown.jsonl", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		return b
	}, opts: func(b *builder, o *invariants.Options) {
		other := newBuilder(b.t).start()
		other.user("go")
		other.lastTurn()
		other.ev.Shown = append(other.ev.Shown, evidence.Shown{Kind: "preview", Attempt: "a1"})
		o.Again = other.done()
	}},

	// wire/protocol-blind
	{rule: "wire/protocol-blind", name: "another text", says: "record 4 is another one", make: one(answer{text: "Done."}, "completed"), opts: func(b *builder, o *invariants.Options) {
		o.OtherProtocol = one(answer{text: "Done!"}, "completed")(b.t).done()
	}},
	{rule: "wire/protocol-blind", name: "one request more", says: "request 2 is another one", make: one(answer{text: "Done."}, "completed"), opts: func(b *builder, o *invariants.Options) {
		other := one(answer{text: "Done."}, "completed")(b.t)
		again := *other.ev.Wire[0]
		again.N, again.Status = 2, 529
		other.ev.Wire = append(other.ev.Wire, &again)
		o.OtherProtocol = other.done()
	}},
	{rule: "wire/protocol-blind", name: "not shown", says: "shown event", make: one(answer{text: "Done."}, "completed"), opts: func(b *builder, o *invariants.Options) {
		other := one(answer{text: "Done."}, "completed")(b.t)
		other.ev.Shown = other.ev.Shown[:1]
		o.OtherProtocol = other.done()
	}},

	// bench/not-vacuous
	{rule: "bench/not-vacuous", name: "a kill that never came", says: "never happened", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.ev.Faults = []evidence.Armed{{What: "at tool.ran t1 kill", Place: "s.txtar:4", Near: "tool.ran was never reached; the model made no call."}}
		return b
	}},
	{rule: "bench/not-vacuous", name: "a kill that killed nobody", says: "ended by one: 0", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.ev.Faults = []evidence.Armed{{What: "at run.ended kill", Fired: 1}}
		return b
	}},
	{rule: "bench/not-vacuous", name: "a reply that nobody asked for", says: "never used", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.ev.Unused = []string{"replies.script:8: a reply of lane main was not consumed."}
		return b
	}},
	{rule: "bench/not-vacuous", name: "a power cut that cut nothing", says: "power cuts that fired: 1", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.ev.Faults = []evidence.Armed{{What: "at run.ended powercut", Fired: 1}, {What: "fault slow"}}
		return b
	}},
}
