package invariants_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

var brokenRecord = []brokenLoop{
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
	{rule: "record/before-publish", name: "shows another kind", says: "is of kind", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.ev.Shown[0].Kind = "user"
		return b
	}},
	{rule: "record/before-publish", name: "shows what is no record", says: "has no record yet", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.ev.Shown = append(b.ev.Shown, evidence.Shown{Life: 1, Kind: "result", Text: "x"})
		return b
	}},
	{rule: "record/before-publish", name: "shows it of another call", says: "about something else", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.ends("max_turns")
		b.ev.Shown[len(b.ev.Shown)-2].Call = "c7"
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
	{rule: "record/preview-settles", name: "a preview that claims a record", says: "deltas are not recorded", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.ev.Shown[3].Record = 4
		return b
	}},
	{rule: "record/preview-settles", name: "commits an idle attempt", says: "it ended idle", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		r := b.assistantRecord(b.ask(a), a)
		r.Ending = "idle"
		b.commit("x", r)
		b.ends("aborted_streaming")
		return b
	}},
	{rule: "record/preview-settles", name: "commits and discards", says: "also discarded", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "Done."}
		id := b.ask(a)
		b.answered(id, a, nil)
		b.discards(id, "x")
		b.ends("completed")
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
	{rule: "record/before-run", name: "an effect without a start", says: "no started record", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.effect(c, "append", "")
		b.killed()
		return b
	}},
	{rule: "record/before-run", name: "a start without a call", says: "before any record of the call", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.starts("c7", "append")
		b.killed()
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
	{rule: "record/no-forgery", name: "a tool_error that says done", says: "this one says done", make: settledAs(journal.Record{Kind: journal.KindToolError, State: journal.Done})},
	{rule: "record/no-forgery", name: "a failure as a result", says: "not as a result", make: settledAs(journal.Record{Kind: journal.KindResult, State: journal.Failed})},
	{rule: "record/no-forgery", name: "refused, though it was entered", says: "the tool was entered", make: settledAs(journal.Record{Kind: journal.KindResult, State: journal.Refused})},
	{rule: "record/no-forgery", name: "a tool_error without a state is a failure", says: "returned a success", make: settledAs(journal.Record{Kind: journal.KindToolError})},
	{rule: "record/no-forgery", name: "a result of nothing", says: "no such call was ever recorded", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.commit("x", journal.Record{Kind: journal.KindResult, Call: "c7", State: journal.Done, Text: "ok"})
		b.killed()
		return b
	}},
	{rule: "record/no-forgery", name: "unknown, though it had not started", says: "had not started", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.killed()
		b.reopens("", c)
		b.ends("aborted_tools")
		return b
	}},
	{rule: "record/no-forgery", name: "done, though the tool was never entered", says: "never entered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}, {id: "t2", name: "read", input: `{}`}}}
		ids := b.answered(b.ask(a), a, nil)
		b.runs(ids[0], "read")
		b.starts(ids[1], "read")
		b.settle(b.resultRecord(ids[1], "read", "ok"))
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
	{rule: "record/two-ledgers", name: "a record of another session", says: "another session", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.rewrite(func(r *journal.Record) {
			if r.Seq == 3 {
				r.Session = "s1"
			}
		})
		return b
	}},
	{rule: "record/two-ledgers", name: "begins without a session", says: "not the session's", make: func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.user("go")
		b.lastTurn()
		return b
	}},
	{rule: "record/two-ledgers", name: "an entry for a record that is not there", says: "never before", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.seal("x", journal.Record{Seq: b.seq + 1, Kind: journal.KindNotice})
		return b
	}},
	{rule: "record/two-ledgers", name: "an entry left out", says: "where record 3 is due", make: entries(func(list []journal.Entry) []journal.Entry { return slices.Delete(list, 2, 3) })},
	{rule: "record/two-ledgers", name: "an entry of another kind", says: "is of kind user", make: entries(func(list []journal.Entry) []journal.Entry { list[1].Kind = journal.KindCall; return list })},
	{rule: "record/two-ledgers", name: "an entry without a reason", says: "does not say why", make: entries(func(list []journal.Entry) []journal.Entry { list[1].Why = " "; return list })},
	{rule: "record/two-ledgers", name: "an entry that follows another one", says: "chain is broken", make: entries(func(list []journal.Entry) []journal.Entry { list[2].Prev = list[0].Hash; return list })},
	{rule: "record/two-ledgers", name: "an entry that seals something else", says: "not that of its own line", make: entries(func(list []journal.Entry) []journal.Entry { list[4].Hash = strings.Repeat("c", 64); return list })},
	{rule: "record/two-ledgers", name: "a record anchored to an entry that is gone", says: "does not stand before it", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		good := b.hash
		b.hash = strings.Repeat("d", 64)
		recs := b.record(journal.Record{Kind: journal.KindNotice, Code: "x"})
		b.hash = good
		b.seal("x", recs...)
		b.show(recs...)
		b.lastTurn()
		return b
	}},
	{rule: "record/two-ledgers", name: "entries lost of two commits", says: "the last commit only", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.record(journal.Record{Kind: journal.KindNotice, Code: "x"})
		b.hash = strings.Repeat("e", 64)
		b.record(journal.Record{Kind: journal.KindNotice, Code: "y"})
		b.killed()
		return b
	}},
	{rule: "record/two-ledgers", name: "a torn tail that nobody quarantined", says: "without quarantining it", make: func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		b.transcript = append(b.transcript, `{"seq":`...)
		return b
	}},
}

// settledAs runs the first call, which succeeds, and settles it with r.
func settledAs(r journal.Record) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		r.Call = b.answered(b.ask(a), a, nil)[0]
		b.starts(r.Call, "read")
		b.enters(r.Call)
		b.leaves(r.Call, evidence.ToolDone)
		r.Text, r.IsError, r.Code = "x", true, "execution_error"
		b.settle(r)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}
}

// entries is a good run whose audit entries somebody changed.
func entries(change func([]journal.Entry) []journal.Entry) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := one(answer{text: "Done."}, "completed")(t)
		list := change(slices.Clone(b.done().Entries))
		b.audit = nil
		for i := range list {
			b.audit = append(journal.AppendEntry(b.audit, &list[i]), '\n')
		}
		return b
	}
}
