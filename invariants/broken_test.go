package invariants_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

// broken is what broken loops leave behind: each breaks exactly one rule.
// says is part of the finding's sentence.
var broken = []struct {
	rule, name string
	make       func(t testing.TB) *builder
	says       string
	opts       func(b *builder, o *invariants.Options)
}{
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

	// ladder/bounded
	{rule: "ladder/bounded", name: "the empty hint for ever", says: "in one turn", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		for range 10 { // (1 + 2 per turn) * (1 + 2 retries) are allowed
			b.discards(b.ask(answer{}), "empty_retry")
			b.goesOn("empty_retry")
		}
		b.lastTurn()
		return b
	}},
	{rule: "ladder/bounded", name: "turns for ever", says: "all that 4 turns", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits = evidence.Limits{MaxTurns: 4}
		b.user("go")
		for range 4 {
			a := answer{calls: []tc{{id: "t", name: "append", input: `{}`}}}
			a.calls[0].id = "t" + string(rune('a'+b.calls))
			c := b.answered(b.ask(a), a, nil)[0]
			b.runs(c, "append")
			b.goesOn("next_turn")
		}
		b.lastTurn()
		return b
	}},
	{rule: "ladder/bounded", name: "requests that nobody recorded", says: "request 2 arrived", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits = evidence.Limits{MaxTurns: 1}
		b.user("go")
		b.send("", answer{status: 529})
		b.lastTurn()
		return b
	}},

	// ladder/no-rerun
	{rule: "ladder/no-rerun", name: "starts a read again", says: "started again", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.runs(c, "read")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/no-rerun", name: "enters the tool again after a failed append", says: "in the same life", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "read", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/no-rerun", name: "gives an id twice", says: "given to a second call", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.calls--
		a := answer{text: "x", stop: "max_tokens", calls: []tc{{id: "t2", name: "append", input: `{"a`, open: true}}}
		id := b.ask(a)
		b.commit("x", b.assistantRecord(id, a), journal.Record{Kind: journal.KindCall, Call: c, ID: "t2", Name: "append", Input: `{"a`, Attempt: id, Block: 1, Refused: "cut"})
		b.ends("truncated")
		return b
	}},

	// record/before-publish
	{rule: "record/before-publish", name: "shows, then appends", says: "not durable", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		r := b.assistantRecord(id, a)
		line := b.line(nil, &r)
		b.show(r)
		b.transcript = append(b.transcript, line...)
		b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
		b.syncTranscript()
		b.seal("x", r)
		b.ends("completed")
		return b
	}},
	{rule: "record/before-publish", name: "shows, and is killed", says: "no such record", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		r := b.assistantRecord(id, a)
		b.line(nil, &r)
		b.show(r)
		b.killed()
		return b
	}},
	{rule: "record/before-publish", name: "shows, and is killed for real", says: "no record", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		r := b.assistantRecord(id, a)
		b.line(nil, &r)
		b.show(r)
		b.killed()
		b.ev.Trace = nil
		b.ev.Missing = []evidence.Kind{evidence.KindTrace}
		return b
	}},
	{rule: "record/before-publish", name: "forgets the sync", says: "not durable", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		b.noSync = true
		b.answered(id, a, nil)
		b.noSync = false
		b.ends("completed")
		return b
	}},
	{rule: "record/before-publish", name: "shows before the audit entry", says: "audit ledger", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		recs := b.record(b.assistantRecord(b.ask(a), a))
		b.show(recs...)
		b.seal("x", recs...)
		b.ends("completed")
		return b
	}},
	{rule: "record/before-publish", name: "shows another line", says: "another one on disk", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.ev.Shown[len(b.ev.Shown)-2].Line = strings.Repeat("a", 64)
		return b
	}},

	// record/preview-settles
	{rule: "record/preview-settles", name: "no discard is shown", says: "passed over", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id := b.ask(answer{text: "half", ending: "cut"})
		b.quiet = true
		b.discards(id, "transport_retry")
		b.quiet = false
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{rule: "record/preview-settles", name: "no discard at all", says: "went on (transition)", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.ask(answer{text: "half", ending: "cut"})
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},
	{rule: "record/preview-settles", name: "commits what was cut", says: "it was cut", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "half", ending: "cut", stop: "end_turn"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("transport_retry")
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go on"})
		b.lastTurn()
		return b
	}},
	{rule: "record/preview-settles", name: "a preview without an attempt", says: "names no attempt", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.preview("", "Hel")
		b.lastTurn()
		return b
	}},
	{rule: "record/preview-settles", name: "a preview behind its discard", says: "it was over", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id := b.ask(answer{text: "half", ending: "cut"})
		b.discards(id, "transport_retry")
		b.preview(id, "more")
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},

	// record/before-run
	{rule: "record/before-run", name: "runs, then records the start", says: "started record", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.starts(c, "append")
		b.settle(b.resultRecord(c, "append", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/before-run", name: "runs from the stream and is killed", says: "no call record", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.ask(answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}})
		b.ledger = evidence.AppendEffect(b.ledger, 0, evidence.Effect{Tool: "append", Call: "c1", ID: "t1", Life: 1})
		b.killed()
		return b
	}},
	{rule: "record/before-run", name: "starts before the sync", says: "not durable", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.noSync = true
		recs := b.record(b.startRecord(c, "append"))
		b.noSync = false
		b.enters(c)
		b.syncTranscript()
		b.seal("x", recs...)
		b.show(recs...)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "append", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/before-run", name: "starts a sibling while somebody is asked", says: "approval", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}, {id: "t2", name: "append", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.runs(ids[0], "append")
		b.commit("the user said yes", journal.Record{Kind: journal.KindPermission, Call: ids[1], Code: "approved"})
		b.runs(ids[1], "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// record/no-forgery
	{rule: "record/no-forgery", name: "an error over a success", says: "returned a success", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.settle(journal.Record{Kind: journal.KindToolError, Call: c, Name: "append", State: journal.Failed, IsError: true, Text: "no space left on device"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "a success over an error", says: "the tool had failed", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.enters(c)
		b.leaves(c, evidence.ToolFailed)
		b.settle(b.resultRecord(c, "read", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "a result without a run", says: "never started", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.settle(b.resultRecord(c, "read", "ok"))
		b.ends("max_turns")
		return b
	}},
	{rule: "record/no-forgery", name: "a success without its effect", says: "no effect", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "append", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "never started, though it had an effect", says: "had an effect", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.killed()
		b.reopens("")
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Never, IsError: true, Text: "never started"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "unknown without a crash", says: "no crash", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.settle(journal.Record{Kind: journal.KindResult, Call: c, State: journal.Unknown, IsError: true, Text: "unknown"})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/no-forgery", name: "two outcomes", says: "had settled it", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.commit("x", b.resultRecord(c, "append", "ok again"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// record/two-ledgers
	{rule: "record/two-ledgers", name: "glues to a torn tail", says: "glued", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		r := b.startRecord(c, "append")
		b.transcript = append(b.transcript, b.line(nil, &r)[:20]...)
		b.seq--
		b.killed()
		b.reopens("")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/two-ledgers", name: "an altered record", says: "altered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.transcript = bytes.Replace(b.transcript, []byte(`"max_tokens":100`), []byte(`"max_tokens":200`), 1)
		for i := range b.ev.Shown {
			b.ev.Shown[i].Line = ""
		}
		return b
	}},
	{rule: "record/two-ledgers", name: "a gap", says: "not whole", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.seq++
		b.lastTurn()
		return b
	}},
	{rule: "record/two-ledgers", name: "entries that nobody made again", says: "without making them again", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.record(journal.Record{Kind: journal.KindTerminal, Reason: "completed"})
		b.returns("completed")
		b.over()
		return b
	}},
	{rule: "record/two-ledgers", name: "a suffix made again without a mark", says: "made again", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		recs := b.record(b.startRecord(c, "append"))
		b.killed()
		b.begin()
		b.seal("the call may run", recs...)
		r := journal.Record{Kind: journal.KindResult, Call: c, State: journal.Unknown, IsError: true, Text: "The outcome is unknown."}
		b.commit("a crash is settled", journal.Record{Kind: journal.KindResume, Life: 2}, r)
		b.tell(r)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "record/two-ledgers", name: "the end was cut off", says: "do not verify", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.lastTurn()
		b.seq++
		b.ev.Head = []byte("x") // replaced in done
		b.hash = strings.Repeat("b", 64)
		return b
	}},

	// resume/prefix
	{rule: "resume/prefix", name: "begins anew", says: "is gone or changed", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.killed()
		b.reopens("")
		b.msgs = b.msgs[:1]
		b.lastTurn()
		return b
	}},
	{rule: "resume/prefix", name: "another result than was recorded", says: "the result of call", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.killed()
		b.reopens("")
		b.msgs[2].Blocks[0].Text = "something else"
		b.lastTurn()
		return b
	}},
	{rule: "resume/prefix", name: "cuts durable bytes", says: "were durable", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.step(evidence.Step{Kind: evidence.StepTruncate, File: "session/transcript.jsonl", Len: 10})
		b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
		b.syncTranscript()
		b.lastTurn()
		return b
	}},

	// resume/effect-once
	{rule: "resume/effect-once", name: "a tool that doubles what it does", says: "a second effect", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "append", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "resume/effect-once", name: "another key in the next life", says: "different keys", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "set", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "set")
		b.enters(c)
		b.effect(c, "set", "k1")
		b.killed()
		b.reopens("")
		b.runs(c, "set")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "resume/effect-once", name: "a foreign agent does it twice", says: "had effect 2", make: func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go"})
		b.send("", answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}})
		for range 2 {
			b.ledger = evidence.AppendEffect(b.ledger, 0, evidence.Effect{Tool: "append", ID: "t1"})
		}
		b.ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindLives}
		return b
	}},

	// resume/completes
	{rule: "resume/completes", name: "refuses every resume", says: "was refused", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.reopens("")
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 2, Run: 1, Err: "the session is damaged"})
		b.over()
		return b
	}},
	{rule: "resume/completes", name: "hangs in the resume", says: "did not come to an end", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.reopens("")
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 2, Outcome: "deadlock: 1 task waits for nothing"})
		return b
	}},

	// resume/replay
	{rule: "resume/replay", name: "state that is in no record", says: "another state", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		for k := range b.digests {
			b.digests[k] = "x"
		}
		return b
	}},
	{rule: "resume/replay", name: "no digest", says: "carries no digest", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.commit("next_turn", journal.Record{Kind: journal.KindTransition, Reason: "next_turn"})
		b.lastTurn()
		return b
	}},

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
}

func TestBroken(t *testing.T) {
	per := map[string]int{}
	for _, x := range broken {
		per[x.rule]++
		t.Run(x.rule+"/"+x.name, func(t *testing.T) {
			b := x.make(t)
			o := b.options()
			if x.opts != nil {
				x.opts(b, &o)
			}
			ev := b.done()
			findings, applied, _ := invariants.Check(ev, o)
			hit := false
			for _, f := range findings {
				if f.Rule != x.rule {
					t.Errorf("another rule is blamed:\n%s", f)
				}
				hit = hit || strings.Contains(f.What, x.says)
			}
			if !hit {
				t.Errorf("nothing says %q; applied: %v; findings:", x.says, applied)
			}
			for _, f := range findings {
				t.Logf("%s", f)
				for _, s := range ev.Secrets {
					if strings.Contains(f.String(), s) {
						t.Errorf("the finding holds the canary %q", s)
					}
				}
			}
			if t.Failed() {
				t.Logf("\n%s", evidence.Normalise(b.transcript))
			}
		})
	}
	for _, r := range invariants.All() {
		if per[r.Name] < 2 {
			t.Errorf("%s has %d broken examples; want at least two", r.Name, per[r.Name])
		}
	}
}
