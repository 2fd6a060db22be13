package invariants_test

import (
	"errors"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

var brokenResume = []brokenLoop{
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
	{rule: "ladder/no-rerun", name: "enters a read again in the next life", says: "only a tool declared idempotent may be", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "read")
		b.enters(c)
		b.killed()
		b.reopens("")
		b.enters(c)
		b.leaves(c, evidence.ToolDone)
		b.settle(b.resultRecord(c, "read", "ok"))
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/no-rerun", name: "runs an idempotent tool twice without need", says: "no crash", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "set", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.starts(c, "set")
		b.runs(c, "set")
		b.goesOn("next_turn")
		b.lastTurn()
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
	{rule: "resume/prefix", name: "another call than was recorded", says: "the call c1", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.killed()
		b.reopens("")
		b.msgs[1].Blocks[1].Input = `{"file":"other.txt"}`
		b.lastTurn()
		return b
	}},
	{rule: "resume/prefix", name: "another prompt than that of an earlier run", says: "the prompt", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.terminal("max_turns")
		b.user("and now?")
		b.killed()
		b.reopens("")
		b.msgs[0].Blocks[0].Text = "append goodbye"
		b.lastTurn()
		return b
	}},
	{rule: "resume/prefix", name: "drops signed thinking", says: "the thinking", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{think: "hmm", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.killed()
		b.reopens("")
		b.msgs[1].Blocks = b.msgs[1].Blocks[1:]
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
	{rule: "resume/completes", name: "cannot record any more", says: "no fault of the disk", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.reopens("")
		b.returns("persistence_failure")
		b.over()
		return b
	}},
	{rule: "resume/completes", name: "returns without an end", says: "did not end", make: func(t testing.TB) *builder {
		b, _ := firstTurn(t)
		b.killed()
		b.reopens("")
		b.returns("")
		b.over()
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
	{rule: "resume/replay", name: "a transcript that cannot be folded", says: "cannot be folded", make: one(answer{text: "Done."}, "completed"), opts: func(_ *builder, o *invariants.Options) {
		o.Fold = func([]journal.Record) (map[int64]string, error) { return nil, errors.New("record 3 makes no sense") }
	}},
	{rule: "resume/replay", name: "a fold that passes over a transition", says: "passes over", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		clear(b.digests)
		return b
	}},
}
