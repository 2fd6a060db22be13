package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

// good are the legitimate states: whatever a correct loop can leave behind. No
// rule may say anything about any of them.
var good = []struct {
	name string
	make func(t testing.TB) *builder
}{
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
}

func TestGood(t *testing.T) {
	for _, g := range good {
		t.Run(g.name, func(t *testing.T) {
			b := g.make(t)
			for _, f := range b.check() {
				t.Errorf("a correct loop is blamed:\n%s", f)
			}
			if t.Failed() {
				t.Logf("\n%s", evidence.Normalise(b.transcript))
			}
		})
	}
}

// A rule that cannot be judged says so, and is not counted as applied.
func TestMissingEvidence(t *testing.T) {
	b := good[0].make(t)
	ev := b.done()
	ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace}
	_, applied, skipped := invariants.Check(ev, invariants.Options{})
	if len(applied)+len(skipped) != len(invariants.All()) {
		t.Errorf("%d rules applied and %d skipped of %d", len(applied), len(skipped), len(invariants.All()))
	}
	for _, name := range applied {
		r, _ := invariants.Lookup(name)
		for _, k := range r.Needs {
			if !ev.Has(k) {
				t.Errorf("%s was applied without %s", name, k)
			}
		}
	}
	for _, k := range evidence.Kinds() {
		ev := b.done()
		ev.Missing = nil
		ev.Damaged = []evidence.Damage{{Kind: k, What: "damage x cut=1", Lost: true}}
		_, applied, _ := invariants.Check(ev, invariants.Options{})
		for _, name := range applied {
			r, _ := invariants.Lookup(name)
			for _, n := range r.Needs {
				if n == k {
					t.Errorf("%s was applied though the scenario damaged the %s", name, k)
				}
			}
		}
	}
}
