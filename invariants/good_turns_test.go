package invariants_test

import (
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Runs that nothing killed.
var goodTurns = []goodLoop{
	{"one turn, one call", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"end_turn beside a call", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "end_turn", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"parallel reads, ended in the other order", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{"f":1}`}, {id: "t2", name: "read", input: ``}}}
		ids := b.answered(b.ask(a), a, nil)
		for _, c := range ids {
			b.starts(c, "read")
			b.enters(c)
		}
		one := b.resultRecord(ids[0], "read", "one")
		two := b.resultRecord(ids[1], "read", "two")
		b.leaves(ids[1], evidence.ToolDone)
		b.commit("the tool returned", two)
		b.leaves(ids[0], evidence.ToolDone)
		b.commit("the tool returned", one)
		b.tell(one)
		b.tell(two)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"refused calls of every kind", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "max_tokens", calls: []tc{
			{id: "t1", name: "append", input: `{"a":1}`}, {id: "t2", name: "nope", input: `{}`}, {id: "t3", name: "append", input: `[1]`},
			{id: "t4", name: "append", input: `{"a":1,"a":2}`}, {id: "t5", name: "append", input: `{"a":1}`},
		}}
		ids := b.answered(b.ask(a), a, map[string]string{"t2": "unknown_tool", "t3": "invalid_arguments", "t4": "invalid_arguments", "t5": "cut"})
		b.runs(ids[0], "append")
		// The result of the call that ran comes first.
		last := &b.msgs[len(b.msgs)-1].Blocks
		*last = append([]providers.Block{(*last)[len(*last)-1]}, (*last)[:len(*last)-1]...)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"one call sent twice", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}, {id: "t1", name: "append", input: `{ "a": 1 }`}}}
		id := b.ask(a)
		recs := append([]journal.Record{b.assistantRecord(id, a)}, b.callRecords(id, answer{calls: a.calls[:1]}, nil)...)
		b.commit("the answer is whole", recs...)
		b.say(providers.Assistant, a.blocks()[:1]...)
		b.runs("c1", "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"truncated at once", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "half an ans", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"fi`, open: true}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "cut"})
		b.ends("truncated")
		return b
	}},
	{"max turns", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.ends("max_turns")
		return b
	}},
	{"cut, discarded, sent again", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "hal", ending: "cut"}), "transport_retry")
		b.goesOn("transport_retry")
		b.discards(b.ask(answer{text: "half", ending: "reset"}), "transport_retry")
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{"errors until none is left", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		for range 2 {
			b.discards(b.ask(answer{status: 529}), "transport_retry")
			b.goesOn("transport_retry")
		}
		b.discards(b.ask(answer{text: "x", ending: "error"}), "model_error")
		b.ends("model_error")
		return b
	}},
	{"empty twice", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{}), "empty_retry")
		b.goesOn("empty_retry")
		b.discards(b.ask(answer{think: "hmm"}), "empty_response_failed")
		b.ends("empty_response_failed")
		return b
	}},
	{"tool_use without a call, twice", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "calling", stop: "tool_use"}), "protocol_retry")
		b.goesOn("protocol_retry")
		b.discards(b.ask(answer{text: "calling", stop: "tool_use"}), "protocol_error")
		b.ends("protocol_error")
		return b
	}},
	{"a pause, then the rest", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "first half", stop: "pause_turn"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("pause_continue")
		b.lastTurn()
		return b
	}},
	{"a refusal with a call", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "I cannot", stop: "refusal", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "refusal"})
		b.ends("refused")
		return b
	}},
	{"an unknown stop, and the next prompt", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "zzz_new"}
		b.answered(b.ask(a), a, nil)
		b.terminal("unknown_stop")
		b.user("and then?")
		b.lastTurn()
		return b
	}},
	{"aborted while two calls were open", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.starts(ids[0], "append")
		b.enters(ids[0])
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.leaves(ids[0], "cancelled")
		b.settle(journal.Record{Kind: journal.KindResult, Call: ids[0], State: journal.Interrupted, IsError: true, Text: "interrupted"})
		b.settle(journal.Record{Kind: journal.KindResult, Call: ids[1], State: journal.Never, IsError: true, Text: "never started"})
		b.ends("aborted_tools")
		return b
	}},
	{"aborted in the stream; then a deaf tool is left behind", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.discards(b.ask(answer{text: "x", ending: "cut"}), "aborted")
		b.terminal("aborted_streaming")
		b.user("again")
		a := answer{calls: []tc{{id: "t1", name: "deaf", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.starts(ids[0], "deaf")
		b.enters(ids[0])
		r := journal.Record{Kind: journal.KindResult, Call: ids[0], State: journal.Interrupted, IsError: true, Text: "interrupted: still running"}
		b.commit("the tool was told to stop", r, journal.Record{Kind: journal.KindNotice, Call: ids[0], Code: "left_running"})
		b.tell(r)
		b.runs(ids[1], "append") // beside the one that was left
		b.goesOn("next_turn")
		b.answered(b.ask(answer{text: "Done."}), answer{text: "Done."}, nil)
		b.terminal("completed")
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "ended", Left: []string{"tool deaf " + ids[0]}})
		return b
	}},
	{"a deaf tool is left behind; a call of it before that one was refused", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "deaf", input: `[`}, {id: "t2", name: "deaf", input: `{}`}}}
		c := b.answered(b.ask(a), a, map[string]string{"t1": "invalid_arguments"})[1]
		b.starts(c, "deaf")
		b.enters(c)
		r := journal.Record{Kind: journal.KindResult, Call: c, State: journal.Interrupted, IsError: true, Text: "interrupted: still running"}
		b.commit("the tool was told to stop", r, journal.Record{Kind: journal.KindNotice, Call: c, Code: "left_running"})
		b.tell(r)
		b.goesOn("next_turn")
		b.lastTurn()
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "ended", Left: []string{"tool deaf " + c}})
		return b
	}},
	{"a tool that fails after its effect", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolFailed)
		b.settle(journal.Record{Kind: journal.KindToolError, Call: c, Name: "append", State: journal.Failed, IsError: true, Code: "execution_error", Text: "then failed"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a continuation whose last piece is empty", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "all of it", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("max_output_recovery")
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "Go on where you were cut."})
		b.answered(b.ask(answer{}), answer{}, nil)
		b.ends("completed")
		return b
	}},
	{"turns used up by a hook", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "Not yet."})
		b.answered(b.ask(a), a, nil)
		b.gate("hook", "block")
		b.ends("max_turns")
		return b
	}},
	{"a stream that contradicts itself, discarded", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		for _, change := range []func(string) string{
			func(s string) string { return strings.ReplaceAll(s, `"index":0`, `"index":2`) },
			func(s string) string { return s[:strings.Index(s, "event: content")] + s },
			func(s string) string { return strings.Replace(s, "content_block_stop", "ping", 2) },
			func(s string) string { return strings.Replace(s, `"type":"text_delta"`, `"type":"text_delta",`, 1) },
		} {
			b.ev.Limits.Retries = 10
			id := b.ask(answer{text: "Done."})
			x := b.ev.Wire[len(b.ev.Wire)-1]
			x.Reply = []byte(change(string(x.Reply)))
			b.discards(id, "protocol_retry")
			b.goesOn("protocol_retry")
		}
		b.lastTurn()
		return b
	}},
	{"a whole message instead of a stream", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}}}
		id := b.ask(a)
		b.ev.Wire[0].Reply = []byte(`{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"x"},` +
			`{"type":"tool_use","id":"t1","name":"append","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`)
		b.runs(b.answered(id, a, nil)[0], "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"calls without ids", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{name: "append", input: `{"a":1}`}, {name: "append", input: `{"a":1}`}}}
		id := b.ask(a)
		recs := append([]journal.Record{b.assistantRecord(id, a)}, b.callRecords(id, a, nil)...)
		b.commit("the answer is whole", recs...)
		blocks := a.blocks()
		blocks[0].ID, blocks[1].ID = "c1", "c2"
		b.wireIDs["c1"], b.wireIDs["c2"] = "c1", "c2"
		b.say(providers.Assistant, blocks...)
		b.runs("c1", "append")
		b.runs("c2", "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"the subscriber's answer to an abort was seen by nobody", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		b.step(evidence.Step{Kind: evidence.StepAbort})
		b.answered(id, a, nil)
		b.ends("aborted_streaming")
		return b
	}},
	{"a side lane", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.commit("a title is due", journal.Record{Kind: journal.KindAttempt, Attempt: "a9", Lane: "title"})
		x := b.send("a9", answer{})
		x.Lane = "title"
		b.commit("x", journal.Record{Kind: journal.KindDiscarded, Attempt: "a9", Reason: "used"})
		b.lastTurn()
		return b
	}},
}
