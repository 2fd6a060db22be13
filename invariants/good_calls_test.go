package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// early begins a request whose answer a makes its first call; that begins, and
// is entered, before the answer is committed.
func early(b *builder, a answer) (attempt, call string) {
	attempt = b.ask(a)
	first := answer{text: a.text, calls: a.calls[:1]}
	recs := b.commit("a call without effects is whole before its answer is", b.callRecords(attempt, first, nil)...)
	call = recs[0].Call
	b.starts(call, a.calls[0].name)
	b.enters(call)
	return attempt, call
}

// rest commits an answer whose first call began early, and returns the calls behind it.
func rest(b *builder, attempt string, a answer, refused map[string]string) []string {
	recs := b.callRecords(attempt, answer{calls: a.calls[1:]}, refused)
	shift := len(a.blocks()) - len(a.calls) + 1
	for i := range recs {
		if recs[i].Kind == journal.KindCall {
			recs[i].Block += shift
		}
	}
	recs = b.commit("the answer is whole", append([]journal.Record{b.assistantRecord(attempt, a)}, recs...)...)
	b.say(providers.Assistant, a.blocks()...)
	var ids []string
	for _, r := range recs {
		if r.Kind == journal.KindCall {
			ids = append(ids, r.Call)
		}
	}
	return ids
}

func (b *builder) permission(call, code string) {
	b.commit("the policy decides", journal.Record{Kind: journal.KindPermission, Call: call, ID: b.wireIDs[call], Code: code})
}

// refuses answers a call that does not run.
func (b *builder) refuses(call, code string) {
	b.settle(journal.Record{Kind: journal.KindResult, Call: call, State: journal.Refused, IsError: true, Code: code, Text: "not run: " + code})
}

// background answers a call with a placeholder and enters its tool.
func (b *builder) background(call string) {
	b.starts(call, "build")
	b.settle(journal.Record{Kind: journal.KindResult, Call: call, State: journal.Done, Code: "background", Text: "running"})
	b.enters(call)
}

// notice tells the end of a background call.
func (b *builder) notice(call, code string) {
	b.commit("a background call ended", journal.Record{Kind: journal.KindNotice, Call: call, Code: code, Text: call + " " + code})
	b.say(providers.User, providers.Block{Kind: providers.Text, Text: call + " " + code})
}

var (
	twoReads = answer{text: "I look.", calls: []tc{{id: "t1", name: "read", input: `{"f":1}`}, {id: "t2", name: "append", input: `{"f":2}`}}}
	oneBuild = answer{text: "I build.", calls: []tc{{id: "t1", name: "build", input: `{}`}}}
)

// Calls that begin early, need an approval, are denied, or work in the background.
var goodCalls = []goodLoop{
	{"a read that began early", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id, c := early(b, twoReads)
		b.leaves(c, evidence.ToolDone)
		r := b.commit("the tool returned", b.resultRecord(c, "read", "seen"))[0]
		ids := rest(b, id, twoReads, nil)
		b.tell(r)
		b.runs(ids[0], "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a read that began early in an answer that broke off, and was made again", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := twoReads
		a.ending = "reset"
		id, c := early(b, a)
		b.leaves(c, "cancelled")
		b.commit("the tool was told to stop", journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted"})
		b.discards(id, "transport_retry")
		b.goesOn("transport_retry")
		ids := b.answered(b.ask(twoReads), twoReads, nil)
		b.runs(ids[0], "read")
		b.runs(ids[1], "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a call without a name goes back under one, behind a discarded answer", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "half", ending: "cut"}), "transport_retry")
		b.goesOn("transport_retry")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "", input: `{"a":1}`}, {id: "t2", name: "append", input: `[1]`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "unknown_tool", "t2": "invalid_arguments"})
		b.msgs[1].Blocks[1].Name = "unnamed"
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a read that began early, and a kill", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := twoReads
		a.ending = "cut"
		id, c := early(b, a)
		b.killed()
		b.begin()
		b.commit("a crash is settled",
			journal.Record{Kind: journal.KindResult, Call: c, State: journal.Unknown, IsError: true, Text: "unknown"},
			journal.Record{Kind: journal.KindDiscarded, Attempt: id, Reason: "crash"},
			journal.Record{Kind: journal.KindResume, Life: 2, Attempt: id})
		b.lastTurn()
		return b
	}},
	{"a budget that is used up while a read runs", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.TokenBudget = 14
		b.user("go")
		id, c := early(b, twoReads)
		rest(b, id, twoReads, map[string]string{"t2": "token_budget"})
		b.leaves(c, evidence.ToolDone)
		b.commit("the tool returned", b.resultRecord(c, "read", "seen"))
		b.ends("token_budget")
		return b
	}},
	{"asked, approved, rejected, denied, allowed", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{
			{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{"a":1}`}, {id: "t3", name: "append", input: `{"a":2}`}, {id: "t4", name: "read", input: `{}`},
		}}
		ids := b.answered(b.ask(a), a, nil)
		b.permission(ids[0], "ask")
		b.permission(ids[0], "approved")
		b.permission(ids[1], "ask")
		b.permission(ids[1], "rejected")
		no1 := b.commit("x", journal.Record{Kind: journal.KindResult, Call: ids[1], State: journal.Refused, IsError: true, Code: "permission_denied", Text: "rejected"})[0]
		b.permission(ids[2], "deny")
		no2 := b.commit("x", journal.Record{Kind: journal.KindResult, Call: ids[2], State: journal.Refused, IsError: true, Code: "permission_denied", Text: "denied"})[0]
		b.permission(ids[3], "allow")
		b.runs(ids[0], "append")
		b.tell(no1)
		b.tell(no2)
		b.runs(ids[3], "read")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"killed while somebody was asked, and asked again", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.permission(c, "ask")
		b.killed()
		b.reopens("")
		b.permission(c, "ask")
		b.permission(c, "approved")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a breaker that opened, and a sibling that failed", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "bash", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.starts(ids[0], "bash")
		b.enters(ids[0])
		b.leaves(ids[0], evidence.ToolFailed)
		b.settle(journal.Record{Kind: journal.KindToolError, Call: ids[0], Name: "bash", State: journal.Failed, IsError: true, Text: "no"})
		b.settle(journal.Record{Kind: journal.KindResult, Call: ids[1], State: journal.Never, IsError: true, Code: "sibling_failed", Text: "never started"})
		b.goesOn("next_turn")
		a = answer{calls: []tc{{id: "t3", name: "bash", input: `{}`}}}
		b.refuses(b.answered(b.ask(a), a, nil)[0], "circuit_open")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a deferred tool, found and then called", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "rare", input: `{}`}, {id: "t2", name: "read", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.refuses(ids[0], "tool_deferred")
		b.starts(ids[1], "read")
		b.enters(ids[1])
		b.leaves(ids[1], evidence.ToolDone)
		r := b.resultRecord(ids[1], "read", "there is rare")
		r.Names = []string{"rare"}
		b.settle(r)
		b.goesOn("next_turn")
		a = answer{calls: []tc{{id: "t3", name: "rare", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "rare")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a background call beside another, told when it ended", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "build", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.background(ids[0])
		b.starts(ids[1], "append")
		b.enters(ids[1])
		b.effect(ids[0], "build", "")
		b.leaves(ids[0], evidence.ToolDone)
		b.effect(ids[1], "append", "")
		b.leaves(ids[1], evidence.ToolDone)
		b.settle(b.resultRecord(ids[1], "append", "ok"))
		b.goesOn("next_turn")
		b.notice(ids[0], "background_done")
		b.lastTurn()
		return b
	}},
	{"a background call that fails, and one that a kill takes", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "build", input: `{}`}, {id: "t2", name: "build", input: `{"a":1}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.background(ids[0])
		b.background(ids[1])
		b.leaves(ids[0], evidence.ToolFailed)
		b.goesOn("next_turn")
		b.notice(ids[0], "background_failed")
		b.killed()
		b.reopens("")
		b.notice(ids[1], "background_lost")
		b.lastTurn()
		return b
	}},
	{"an abort stops what works in the background", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		c := b.answered(b.ask(oneBuild), oneBuild, nil)[0]
		b.background(c)
		b.goesOn("next_turn")
		id := b.ask(answer{text: "x", ending: "cut"})
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.discards(id, "aborted")
		b.leaves(c, "cancelled")
		b.notice(c, "background_failed")
		b.ends("aborted_streaming")
		return b
	}},
	{"an output that is kept in a file", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		r := b.resultRecord(c, "read", "begins [70 bytes left out here]")
		r.File, r.Bytes, r.Cut, r.Digest = "results/"+c+".txt", 76, 70, lineHash(&journal.Record{})
		b.settle(r)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a loop that was noticed", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.LoopAfter = 3
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{"a":1,"b":2}`}}}
		for range 2 {
			b.reads(a)
			b.goesOn("next_turn")
		}
		a.calls[0].input = `{"b":2,"a":1}`
		b.answered(b.ask(a), a, map[string]string{"t1": "loop"})
		b.ends("loop_detected")
		return b
	}},
	{"polling, whose results change", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.LoopAfter = 3
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		for i := range 3 {
			c := b.answered(b.ask(a), a, nil)[0]
			b.starts(c, "read")
			b.enters(c)
			b.leaves(c, evidence.ToolDone)
			b.settle(b.resultRecord(c, "read", string(rune('a'+i))))
			b.goesOn("next_turn")
			a.calls = []tc{{id: "u" + string(rune('a'+i)), name: "read", input: `{}`}}
		}
		b.lastTurn()
		return b
	}},
}

// reads runs the one read of an answer, which says the same each time. Its id on
// the wire is a new one each time.
func (b *builder) reads(a answer) string {
	a.calls = []tc{a.calls[0]}
	a.calls[0].id += string(rune('a' + b.calls))
	c := b.answered(b.ask(a), a, nil)[0]
	b.starts(c, "read")
	b.enters(c)
	b.leaves(c, evidence.ToolDone)
	b.settle(b.resultRecord(c, "read", "the same"))
	return c
}
