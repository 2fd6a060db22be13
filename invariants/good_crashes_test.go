package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Runs that something killed, or kept from recording.
var goodCrashes = []goodLoop{
	{"killed, not resumed", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.killed()
		return b
	}},
	{"killed inside an append, not resumed", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		r := b.startRecord(c, "append")
		whole := b.line(nil, &r)
		b.transcript = append(b.transcript, whole[:20]...)
		b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
		b.killed()
		return b
	}},
	{"killed between the ledgers, not resumed", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.record(b.startRecord(c, "append"), journal.Record{Kind: journal.KindNotice, Code: "x"})
		b.killed()
		return b
	}},
	{"killed after the effect, resumed as unknown", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.killed()
		b.reopens("", c)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"killed before the start, run by the resume", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.killed()
		b.reopens("")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"killed after an idempotent effect, run again", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "set", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "set")
		b.enters(c)
		b.effect(c, "set", c)
		b.killed()
		b.reopens("")
		b.runs(c, "set")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"killed in the stream, twice", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a1 := b.ask(answer{text: "Done", ending: "cut"})
		b.killed()
		b.reopens(a1)
		a2 := b.ask(answer{text: "Done", ending: "cut"})
		b.killed()
		b.reopens(a2)
		b.lastTurn()
		return b
	}},
	{"the discard of a crash was recorded and never shown", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a1 := b.ask(answer{text: "Done", ending: "cut"})
		b.killed()
		b.quiet = true
		b.reopens(a1)
		b.killed()
		b.quiet = false
		b.begin() // settled already: nothing is appended
		b.lastTurn()
		return b
	}},
	{"a torn tail, quarantined", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		r := b.startRecord(c, "append")
		good := len(b.transcript)
		whole := b.line(nil, &r)
		b.seq--
		b.transcript = append(b.transcript, whole[:20]...)
		b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
		b.killed()
		b.begin()
		b.transcript = b.transcript[:good]
		b.step(evidence.Step{Kind: evidence.StepTruncate, File: "session/transcript.jsonl", Len: int64(good)})
		b.commit("quarantined at open", journal.Record{Kind: journal.KindQuarantine, Code: "transcript.jsonl", Text: string(whole[:20]), Bytes: 20})
		b.commit("a crash is settled", journal.Record{Kind: journal.KindResume, Life: 2})
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"an audit suffix, made again and marked", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		recs := b.record(b.startRecord(c, "append"))
		b.killed()
		b.begin()
		b.seal("remade at open", recs...)
		b.commit("a crash is settled",
			journal.Record{Kind: journal.KindResume, Life: 2},
			journal.Record{Kind: journal.KindResult, Call: c, State: journal.Unknown, IsError: true, Text: "The outcome is unknown."})
		b.tell(journal.Record{Call: c, IsError: true, Text: "The outcome is unknown."})
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a power cut takes what was not synced", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		r := b.startRecord(c, "append")
		good := len(b.transcript)
		b.transcript = b.line(b.transcript, &r)
		b.seq--
		b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
		b.step(evidence.Step{Kind: evidence.StepKill})
		b.step(evidence.Step{Kind: evidence.StepPower})
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "powercut"})
		b.transcript = b.transcript[:good]
		b.reopens("")
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a result that could not be recorded", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.effect(c, "append", "")
		b.leaves(c, evidence.ToolDone)
		b.ev.Faults = append(b.ev.Faults, evidence.Armed{What: "at append.before result error ENOSPC", Fired: 1})
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 1, Run: 1, Reason: "persistence_failure", Err: "no space left on device"})
		b.over()
		return b
	}},
	{"a terminal that is durable and reported failed", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.record(journal.Record{Kind: journal.KindTerminal, Reason: "completed"})
		b.ev.Faults = append(b.ev.Faults, evidence.Armed{What: "at audit.before terminal error EIO", Fired: 1})
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 1, Run: 1, Reason: "persistence_failure", Err: "input/output error"})
		b.over()
		return b
	}},
	{"a crashed run, and a new prompt behind it", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.killed()
		b.reopens("")
		b.runs(c, "append")
		b.user("go on")
		b.lastTurn()
		return b
	}},
	{"killed behind the terminal; the resume is refused, rightly", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		b.answered(b.ask(a), a, nil)
		b.commit("the run ends: completed", journal.Record{Kind: journal.KindTerminal, Reason: "completed"})
		b.killed()
		b.begin()
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 2, Err: "nothing to resume: run 1 ended with completed", Refuse: false})
		b.over()
		return b
	}},
	{"a subscriber that dies is detached", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.quiet = true
		b.runs(c, "append")
		b.goesOn("next_turn")
		a := answer{text: "Done."}
		id := b.ask(a)
		b.ev.Shown = b.ev.Shown[:len(b.ev.Shown)-2] // its previews are not shown either
		b.answered(id, a, nil)
		b.commit("the subscriber is lost", journal.Record{Kind: journal.KindNotice, Code: "subscriber_detached"})
		b.ends("completed")
		return b
	}},
	{"a history that the scenario wrote", func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.quiet = true
		b.commit("written", journal.Record{Kind: journal.KindSession, Version: journal.Version, Model: "m"})
		b.user("before")
		a := answer{text: "before", calls: []tc{{id: "t0", name: "append", input: "{}"}}}
		b.attempts++
		c := b.answered("a1", a, nil)[0]
		b.commit("written", b.startRecord(c, "append"))
		b.ev.Given = b.seq
		b.quiet = false
		b.reopens("", c)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a torn effect does not count", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.enters(c)
		b.ledger = append(b.ledger, `{"tool":"append","ca`...)
		b.killed()
		b.reopens("", c)
		b.goesOn("next_turn")
		a := answer{calls: []tc{{id: "t2", name: "append", input: "{}"}}}
		c2 := b.answered(b.ask(a), a, nil)[0]
		b.runs(c2, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"killed behind a pause; the request ends without white space", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "first half \n", stop: "pause_turn"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("pause_continue")
		b.killed()
		b.reopens("")
		b.msgs[1].Blocks[0].Text = "first half"
		b.lastTurn()
		return b
	}},
	{"killed behind a refusal, whose answer is never sent again", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "I cannot", stop: "refusal", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.answered(b.ask(a), a, map[string]string{"t1": "refusal"})
		b.terminal("refused")
		b.user("something else")
		b.killed()
		b.reopens("")
		b.lastTurn()
		return b
	}},
	{"killed behind thinking that nobody signed and a blank text", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{think: "hmm", text: " \n ", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		id := b.ask(a)
		r := b.assistantRecord(id, a)
		r.Blocks[0].Signature = ""
		b.commit("x", append([]journal.Record{r}, b.callRecords(id, a, nil)...)...)
		b.say(providers.Assistant, a.blocks()[2])
		b.runs("c1", "append")
		b.goesOn("next_turn")
		b.killed()
		b.reopens("")
		b.lastTurn()
		return b
	}},
	{"killed behind a compaction", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		a := answer{text: "And more.", calls: []tc{{id: "t2", name: "read", input: "{}"}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "read")
		b.goesOn("next_turn")
		b.aside("summary", answer{text: "It was appended."})
		b.boundary(journal.Record{Code: "summary", Reason: "proactive", From: 2, To: 9, Text: "<summary>It was appended.</summary>"}, 400, 100)
		b.killed()
		b.reopens("")
		b.msgs[0].Blocks = append([]providers.Block{{Kind: providers.Text, Text: "<summary>It was appended.</summary>"}}, b.msgs[0].Blocks...)
		b.msgs = append(b.msgs[:1], b.msgs[3:]...)
		b.lastTurn()
		return b
	}},
	{"a power cut leaves NUL bytes; not resumed", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		r := b.startRecord(c, "append")
		whole := b.line(nil, &r)
		b.transcript = append(append(b.transcript, make([]byte, 20)...), whole[20:]...)
		b.ev.Lives = append(b.ev.Lives, evidence.Life{N: 1, Outcome: "powercut"})
		return b
	}},
	{"the disk fails in the resume too", func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.begin()
		b.ev.Faults = append(b.ev.Faults, evidence.Armed{What: "at append.before resume error EIO", Fired: 1})
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 2, Err: "input/output error"})
		b.over()
		return b
	}},
	{"a resume that the scenario wants refused", func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.begin()
		b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: 2, Err: "held by another process", Refuse: true})
		b.over()
		return b
	}},
	{"a real kill, of which there is no trace", func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.starts(c, "append")
		b.effect(c, "append", "")
		b.killed()
		b.ev.Trace = nil
		b.ev.Lives[0].Real = true
		b.reopens("", c)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{"a foreign agent whose provider uses one id twice", func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go"})
		for range 2 {
			b.send("", answer{calls: []tc{{id: "call_0", name: "append", input: `{}`}}})
			b.ledger = evidence.AppendEffect(b.ledger, 0, evidence.Effect{Tool: "append", ID: "call_0"})
		}
		b.ev.Limits = evidence.Limits{}
		b.ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindLives}
		return b
	}},
}
