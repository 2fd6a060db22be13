package invariants_test

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// counting is a run that goes on once, with these counters.
func counting(reason string, counters map[string]int) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(answer{}), reason)
		b.goes(journal.Record{Reason: reason, Counters: counters})
		b.lastTurn()
		return b
	}
}

// raised is a cut answer whose limit is raised to n.
func raised(t testing.TB, n int) *builder {
	b := newBuilder(t).start()
	ladderLimits(b)
	b.user("go")
	b.discards(b.ask(answer{text: "one ", stop: "max_tokens"}), "max_output_escalate")
	b.goes(journal.Record{Reason: "max_output_escalate", MaxTokens: n})
	b.max = n
	return b
}

var brokenLadder = []brokenLoop{
	// ladder/order: rungs
	{rule: "ladder/order", name: "collapses behind a summary", says: "the cheaper rung comes first", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLong), "reactive_compact_retry")
		b.aside("summary", answer{text: "So far."})
		b.boundary(journal.Record{Code: "summary", Reason: "overflow", From: 9, To: 15, Text: "So far."}, 4000, 3000)
		b.msgs = append(b.msgs[:3:3], b.msgs[5:]...)
		b.goesOn("reactive_compact_retry")
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "continues before it raises", says: "that comes first", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		a := answer{text: "one", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "gives up before it raises", says: "that comes first", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		a := answer{text: "one", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.ends("truncated")
		return b
	}},
	{rule: "ladder/order", name: "runs the calls of a cut answer before it raises", says: "that comes first", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		a := answer{stop: "max_tokens", calls: []tc{{id: "t1", name: "read", input: `{}`}, {id: "t2", name: "read", input: `{`, open: true}}}
		ids := b.answered(b.ask(a), a, map[string]string{"t2": "cut"})
		refused := b.msgs[len(b.msgs)-1].Blocks
		b.msgs = b.msgs[:len(b.msgs)-1]
		b.runs(ids[0], "read")
		b.say(providers.User, refused...)
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "raises behind a continuation", says: "the limit is raised first", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "one", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
		b.discards(b.ask(answer{text: "two", stop: "max_tokens"}), "max_output_escalate")
		b.goes(journal.Record{Reason: "max_output_escalate", MaxTokens: 800})
		b.max = 800
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "the same rung twice in a row", says: "twice in a row", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.ev.Limits.Counters = nil
		b.seen()
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.boundary(journal.Record{Code: "collapse", Reason: "overflow", Names: []string{c}}, 1000, 900)
		b.shorten(c, "[]")
		b.goesOn("collapse_drain_retry")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "another model after one overload", says: "after 1 overloads", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(overloaded), "model_fallback")
		b.goes(journal.Record{Reason: "model_fallback", Model: "n"})
		b.model = "n"
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "overloads with an answer between", says: "after 1 overloads", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for range 2 {
			b.discards(b.ask(overloaded), "transport_retry")
			b.goesOn("transport_retry")
		}
		b.seen()
		b.discards(b.ask(overloaded), "model_fallback")
		b.goes(journal.Record{Reason: "model_fallback", Model: "n"})
		b.model = "n"
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "another model that is the same", says: "but the very next request still asks m", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for range 2 {
			b.discards(b.ask(overloaded), "transport_retry")
			b.goesOn("transport_retry")
		}
		b.discards(b.ask(overloaded), "model_fallback")
		b.goesOn("model_fallback")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "another model for a server error", says: "did not fail for an overload", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(answer{status: 500}), "model_fallback")
		b.goes(journal.Record{Reason: "model_fallback", Model: "n"})
		b.model = "n"
		b.lastTurn()
		return b
	}},

	// ladder/order: what a transition changes
	{rule: "ladder/order", name: "the very next request asks the old model", says: "still asks m", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for i := range 3 {
			b.discards(b.ask(overloaded), "transport_retry")
			if i < 2 {
				b.goesOn("transport_retry")
			}
		}
		b.goes(journal.Record{Reason: "model_fallback", Model: "n"})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "raises nothing", says: "has 100 behind one with 100", make: func(t testing.TB) *builder {
		b := raised(t, 100)
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "forgets the raised limit at a hook", says: "stays until next_turn", make: func(t testing.TB) *builder {
		b := raised(t, 800)
		b.final("Done?")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "No."})
		b.max = 100
		b.final("Done.")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/order", name: "keeps the raised limit for ever", says: "it is 100 again", make: func(t testing.TB) *builder {
		b := raised(t, 800)
		b.seen()
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "lowers nothing", says: "was to be lowered", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.max = 64000
		b.discards(b.ask(noRoom), "max_output_lower")
		b.max = 64001
		b.goes(journal.Record{Reason: "max_output_lower", MaxTokens: b.max})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "lowers too little", says: "174167 of 200000 tokens are taken", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.max = 64000
		b.discards(b.ask(noRoom), "max_output_lower")
		b.max = 32000
		b.goes(journal.Record{Reason: "max_output_lower", MaxTokens: b.max})
		b.lastTurn()
		return b
	}},

	// ladder/order: counters
	{rule: "ladder/order", name: "does not count", says: "stayed at 0", make: counting("empty_retry", map[string]int{"pauses": 0})},
	{rule: "ladder/order", name: "counts by twos", says: "from 0 to 2", make: func(t testing.TB) *builder {
		b := counting("empty_retry", map[string]int{"empty": 2})(t)
		b.ev.Limits.Counters = nil
		return b
	}},
	{rule: "ladder/order", name: "over its limit", says: "its limit is 1", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for range 2 {
			b.discards(b.ask(answer{}), "empty_retry")
			b.goesOn("empty_retry")
		}
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "a hook that resets what a turn may use", says: "fell from 1 to 0", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(answer{}), "empty_retry")
		b.goesOn("empty_retry")
		b.final("Done?")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "No.", Counters: map[string]int{"hook_blocks": 1}})
		b.final("Done.")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/order", name: "a turn that begins with used counters", says: "begins anew here", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.discards(b.ask(answer{}), "empty_retry")
		b.goesOn("empty_retry")
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "append")
		b.goes(journal.Record{Reason: "next_turn", Counters: map[string]int{"empty": 1}})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "next_turn refills what counts for a run", says: "fell from 1 to 0: it begins anew with a new prompt", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.final("Done?")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "No."})
		a := answer{calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "append")
		b.goes(journal.Record{Reason: "next_turn", Counters: map[string]int{"empty": 0}})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/order", name: "counts a retry that was none", says: "though nothing was retried", make: counting("empty_retry", map[string]int{"empty": 1, "retries": 1})},
	{rule: "ladder/order", name: "counts a summary that nobody made", says: "summaries went from 0 to 1", make: counting("empty_retry", map[string]int{"empty": 1, "summaries": 1})},
	{rule: "ladder/order", name: "feedback that no gate gave", says: "neither gate_blocks nor judge_blocks", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done?")
		b.goes(journal.Record{Reason: "gate_feedback", Text: "No."})
		b.final("Done.")
		b.ends("completed")
		return b
	}},

	// ladder/order: gates and hooks
	{rule: "ladder/order", name: "asks a hook about a failed request", says: "no answer stands", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(overloaded), "model_error")
		b.gate("hook", "allow")
		b.ends("model_error")
		return b
	}},
	{rule: "ladder/order", name: "asks the judge about a cut answer", says: "no final one", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "half", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.gate("judge", "done")
		b.ends("truncated")
		return b
	}},
	{rule: "ladder/order", name: "asks the judge though the gate said no", says: "had decided", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done.")
		b.gate("completion", "fail")
		b.gate("judge", "done")
		b.ends("completion_gate_blocked")
		return b
	}},
	{rule: "ladder/order", name: "asks the hook last", says: "comes before what was asked already", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done.")
		b.gate("completion", "pass")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/order", name: "does not tell a hook that it blocked", says: "was not told", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done?")
		b.hooked(evidence.HookStop, false, "block")
		b.gate("hook", "block")
		b.goes(journal.Record{Reason: "stop_hook_blocking", Text: "No."})
		b.final("Done.")
		b.hooked(evidence.HookStop, false, "allow")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/order", name: "tells a hook what was in another run", says: "it was told so", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.final("Done.")
		b.hooked(evidence.HookStop, true, "allow")
		b.gate("hook", "allow")
		b.ends("completed")
		return b
	}},
}
