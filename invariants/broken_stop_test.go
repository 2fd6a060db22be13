package invariants_test

import (
	"slices"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

var brokenStop = []brokenLoop{
	// stop/blocks-decide
	{rule: "stop/blocks-decide", name: "believes end_turn", says: "calls decide", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "end_turn", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.commit("the answer is whole", b.assistantRecord(b.ask(a), a))
		b.ends("completed")
		return b
	}},
	{rule: "stop/blocks-decide", name: "believes tool_use", says: "holds no call", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "calling", stop: "tool_use"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("next_turn")
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go on"})
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "asks again without a reason", says: "named transition", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "refuses a good call as cut", says: "refused as cut", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "cut"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "continues instead of answering", says: "instead of answering", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}, {id: "t2", name: "append", input: `{"a"`, open: true}}}
		ids := b.answered(b.ask(a), a, map[string]string{"t2": "cut"})
		b.runs(ids[0], "append")
		last := &b.msgs[len(b.msgs)-1].Blocks
		slices.Reverse(*last)
		b.goesOn("max_output_recovery")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "runs the calls of a refusal", says: "refusal", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "refusal", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.ends("refused")
		return b
	}},
	{rule: "stop/blocks-decide", name: "goes on after a refusal", says: "is a refusal", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{stop: "refusal", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "refusal"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "uses up its turns without running the last call", says: "neither run nor answered", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.ends("max_turns")
		return b
	}},
	{rule: "stop/blocks-decide", name: "drops one of two calls", says: "it was dropped", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "", name: "append", input: `{"a":1}`}}}
		id := b.ask(a)
		b.commit("x", append([]journal.Record{b.assistantRecord(id, a)}, b.callRecords(id, answer{calls: a.calls[:1]}, nil)...)...)
		b.say(providers.Assistant, a.blocks()[:1]...)
		b.runs("c1", "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/blocks-decide", name: "refuses a good call as a duplicate", says: "no other call with that id", make: refusing("duplicate_id")},
	{rule: "stop/blocks-decide", name: "refuses a good call as unknown", says: "the tool is there", make: refusing("unknown_tool")},
	{rule: "stop/blocks-decide", name: "refuses a good call as part of a refusal", says: "part of a refusal", make: refusing("refusal")},

	// stop/complete-only
	{rule: "stop/complete-only", name: "repairs what the limit cut", says: "no such call", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		sent := answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"path":"/a`, open: true}}}
		read := answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"path":"/a"}`}}}
		id := b.ask(sent)
		b.commit("x", b.assistantRecord(id, sent))
		b.say(providers.Assistant, read.blocks()...)
		b.commit("x", b.callRecords(id, read, nil)...)
		b.runs("c1", "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "runs the last call of a cut answer", says: "token limit", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"path":"/a"}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "runs what the provider calls malformed", says: "the provider itself says", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "MALFORMED_FUNCTION_CALL", calls: []tc{{id: "t1", name: "append", input: `{"path":"/a"}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "runs two keys of one name", says: "not one strict JSON object", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "append", input: `{"a":1,"a":2}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "runs a call of an answer that broke off", says: "broke off", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}, ending: "reset"}
		id := b.ask(a)
		b.commit("early", b.callRecords(id, a, nil)...)
		b.starts("c1", "append")
		b.enters("c1")
		b.effect("c1", "append", "")
		b.leaves("c1", evidence.ToolDone)
		b.commit("x", b.resultRecord("c1", "append", "ok"))
		b.discards(id, "transport_retry")
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "blames the model for a cut", says: "the model is blamed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{"a"`, open: true}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "invalid_arguments"})
		b.ends("truncated")
		return b
	}},
	{rule: "stop/complete-only", name: "runs a call whose block never closed", says: "never closed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{"a":1}`, open: true}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "stop/complete-only", name: "a foreign agent runs what was cut", says: "no answer holds that call complete", make: func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go"})
		b.send("", answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t1", name: "append", input: `{}`}}})
		b.send("", answer{status: 500})
		b.ledger = evidence.AppendEffect(b.ledger, 0, evidence.Effect{Tool: "append", ID: "t1"})
		b.ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindLives}
		return b
	}},

	// stop/typed-end
	{rule: "stop/typed-end", name: "loses the terminal", says: "no terminal is recorded", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.returns("completed")
		b.over()
		return b
	}},
	{rule: "stop/typed-end", name: "forgets what it spent", says: "usage is not the sum", make: untrue(func(r *journal.Record) { r.Usage.Out-- })},
	{rule: "stop/typed-end", name: "says nothing of what it spent", says: "usage is not the sum", make: untrue(func(r *journal.Record) { r.Usage = nil })},
	{rule: "stop/typed-end", name: "miscounts its turns", says: "it says turn 2, the records 1", make: untrue(func(r *journal.Record) { r.Turn++ })},
	{rule: "stop/typed-end", name: "ends with another text", says: "is not the last one that was committed", make: untrue(func(r *journal.Record) { r.Text = "x" })},
	{rule: "stop/typed-end", name: "tells its caller another text", says: "the caller was told", make: func(t testing.TB) *builder {
		b := untrue(nil)(t)
		b.ev.Runs[0].Text = "x"
		return b
	}},
	{rule: "stop/typed-end", name: "miscounts its calls", says: "made 1 calls, the records 0", make: untrue(func(r *journal.Record) { r.Calls++ })},
	{rule: "stop/typed-end", name: "ends twice", says: "2 terminals", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.commit("x", journal.Record{Kind: journal.KindTerminal, Reason: "completed"})
		b.ends("completed")
		return b
	}},
	{rule: "stop/typed-end", name: "goes on behind the terminal", says: "went on after its terminal", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.terminal("max_turns")
		b.runs(c, "append")
		b.over()
		return b
	}},
	{rule: "stop/typed-end", name: "returns something else", says: "its terminal says", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "half", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.commit("x", journal.Record{Kind: journal.KindTerminal, Reason: "truncated"})
		b.returns("completed")
		b.over()
		return b
	}},
	{rule: "stop/typed-end", name: "calls an unknown stop completed", says: "went wrong", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", stop: "zzz_new"}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}},
	{rule: "stop/typed-end", name: "calls a good answer max_turns", says: "it is the answer", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.ends("max_turns")
		return b
	}},
	{rule: "stop/typed-end", name: "stops without a word", says: "nothing died", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.over()
		return b
	}},
	{rule: "stop/typed-end", name: "calls a missing stop reason completed", says: "no stop reason", make: one(answer{text: "x", stop: "none"}, "completed")},
	{rule: "stop/typed-end", name: "calls tool_use without a call completed", says: "went wrong", make: one(answer{text: "x", stop: "tool_use"}, "completed")},
	{rule: "stop/typed-end", name: "calls a good answer truncated", says: "no token limit", make: one(answer{text: "x"}, "truncated")},
	{rule: "stop/typed-end", name: "calls a good answer refused", says: "did not refuse", make: one(answer{text: "x"}, "refused")},
	{rule: "stop/typed-end", name: "calls a good answer empty", says: "not empty", make: one(answer{text: "x"}, "empty_response_failed")},
	{rule: "stop/typed-end", name: "calls a committed answer a model error", says: "was committed", make: one(answer{text: "x"}, "model_error")},
	{rule: "stop/typed-end", name: "calls a known stop unknown", says: "a known one", make: one(answer{text: "x"}, "unknown_stop")},
	{rule: "stop/typed-end", name: "calls a good answer a protocol error", says: "a good one", make: one(answer{text: "x"}, "protocol_error")},

	// stop/no-empty-success
	{rule: "stop/no-empty-success", name: "empty", says: "says nothing", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{think: "hmm"}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "truncated", says: "a limit cut it", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "half", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "refused", says: "the model refused", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "I cannot", stop: "refusal"}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "nothing committed", says: "not committed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "ha", ending: "cut"}), "cut")
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "only a pause", says: "only paused", make: one(answer{text: "x", stop: "pause_turn"}, "completed")},
	{rule: "stop/no-empty-success", name: "white space", says: "says nothing", make: one(answer{text: " \n\t "}, "completed")},
	{rule: "stop/no-empty-success", name: "the model was never asked", says: "never asked", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.ends("completed")
		return b
	}},
	{rule: "stop/no-empty-success", name: "an earlier answer is not the last one", says: "says nothing", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		a := answer{think: "hmm"}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}},
}

// refusing answers a good call with a code that is not true of it.
func refusing(code string) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "x", calls: []tc{{id: "t1", name: "append", input: `{"a":1}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": code})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}
}

// untrue is a run whose terminal says what its records do not.
func untrue(change func(*journal.Record)) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.end = change
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.ends("completed")
		return b
	}
}
