package invariants_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// compacted is a session with three steps, then a boundary, and the last answer.
// Its records: 4 to 8, 10 to 14 and 16 to 20 are the steps and their transitions.
func compacted(r journal.Record) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.seen()
		if r.Code == "summary" {
			b.aside("summary", answer{text: "It was read."})
		}
		b.boundary(r, 3000, 1000)
		b.lastTurn()
		return b
	}
}

// summarised is a session whose summary stands on this answer.
func summarised(a answer, text string) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.aside("summary", a)
		b.boundary(journal.Record{Code: "summary", Reason: "proactive", From: 2, To: 9, Text: text}, 3000, 1000)
		b.lastTurn()
		return b
	}
}

// sized is a session with a boundary of these sizes.
func sized(code string, before, after int) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		r := journal.Record{Code: code, Reason: "proactive", Names: []string{c}}
		if code == "summary" {
			b.aside("summary", answer{text: "It was read."})
			r = journal.Record{Code: code, Reason: "proactive", From: 2, To: 9, Text: "It was read."}
		}
		b.boundary(r, before, after)
		b.lastTurn()
		return b
	}
}

var brokenContext = []brokenLoop{
	// context/pairs
	{rule: "context/pairs", name: "keeps a result whose call is hidden", says: "two sides of the edge", make: compacted(journal.Record{Code: "snip", Reason: "proactive", From: 3, To: 7, Text: "x"})},
	{rule: "context/pairs", name: "keeps a call whose result is hidden", says: "two sides of the edge", make: compacted(journal.Record{Code: "snip", Reason: "proactive", From: 13, To: 16, Text: "x"})},
	{rule: "context/pairs", name: "hides an answer but not its call", says: "two sides of the edge", make: compacted(journal.Record{Code: "summary", Reason: "proactive", From: 2, To: 11, Text: "It was read."})},
	{rule: "context/pairs", name: "shortens a result of nothing", says: "there is no call c9", make: compacted(journal.Record{Code: "micro", Reason: "proactive", Names: []string{"c9"}})},
	{rule: "context/pairs", name: "does nothing at all", says: "neither records nor results", make: compacted(journal.Record{Code: "micro", Reason: "proactive"})},
	{rule: "context/pairs", name: "hides what is to come", says: "not records before it", make: compacted(journal.Record{Code: "snip", Reason: "proactive", From: 9, To: 900, Text: "x"})},
	{rule: "context/pairs", name: "hides half a paused answer", says: "only paused", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "one", stop: "pause_turn"}
		b.answered(b.ask(a), a, nil)
		b.goesOn("pause_continue")
		b.seen()
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 3, To: 6, Text: "x"}, 3000, 1000)
		b.lastTurn()
		return b
	}},
	{rule: "context/pairs", name: "a second range cuts into the first", says: "cuts into what record", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.seen()
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 3, To: 15, Text: "x"}, 3000, 1000)
		b.seen()
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 9, To: 21, Text: "x"}, 2000, 1000)
		b.lastTurn()
		return b
	}},
	{rule: "context/pairs", name: "shortens a result that has not come", says: "has no result yet", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.boundary(journal.Record{Code: "budget", Reason: "proactive", Names: []string{c}}, 3000, 1000)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},
	{rule: "context/pairs", name: "hides a call that runs", says: "has no outcome yet", make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 3, To: 6, Text: "x"}, 3000, 1000)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.lastTurn()
		return b
	}},

	// context/shrinks
	{rule: "context/shrinks", name: "takes nothing off", says: "takes nothing off", make: sized("micro", 1000, 1000)},
	{rule: "context/shrinks", name: "grows", says: "takes nothing off", make: sized("summary", 1000, 1100)},
	{rule: "context/shrinks", name: "a summary that takes off next to nothing", says: "less than a tenth", make: sized("summary", 734000, 707000)},
	{rule: "context/shrinks", name: "does not say how much", says: "does not say how large", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.commit("x", journal.Record{Kind: journal.KindBoundary, Code: "micro", Reason: "proactive", Names: []string{c}})
		b.lastTurn()
		return b
	}},
	{rule: "context/shrinks", name: "an empty summary", says: "the answer is empty", make: summarised(answer{}, "(empty summary)")},
	{rule: "context/shrinks", name: "a summary of white space", says: "the answer is empty", make: summarised(answer{text: " \n"}, " \n")},
	{rule: "context/shrinks", name: "a summary of thinking alone", says: "the answer is empty", make: summarised(answer{think: "hmm"}, "hmm")},
	{rule: "context/shrinks", name: "a call for a summary", says: "is a call", make: summarised(answer{text: "x", calls: []tc{{id: "t9", name: "read", input: `{}`}}}, "x")},
	{rule: "context/shrinks", name: "a summary that was cut", says: "a limit cut it", make: summarised(answer{text: "It was", stop: "max_tokens"}, "It was")},
	{rule: "context/shrinks", name: "a summary that broke off", says: "was cut", make: summarised(answer{text: "It was", ending: "reset"}, "It was")},
	{rule: "context/shrinks", name: "a refusal for a summary", says: "the model refused", make: summarised(answer{text: "No.", stop: "refusal"}, "No.")},
	{rule: "context/shrinks", name: "a failure for a summary", says: "the request for it failed", make: summarised(answer{status: 500}, "no")},
	{rule: "context/shrinks", name: "an older answer for a summary", says: "not what the model answered", make: summarised(answer{text: "It was read."}, "I read.")},
	{rule: "context/shrinks", name: "a summary that no model wrote", says: "no model was asked", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.boundary(journal.Record{Code: "summary", Reason: "proactive", From: 2, To: 9, Text: "So far."}, 3000, 1000)
		b.lastTurn()
		return b
	}},
	{rule: "context/shrinks", name: "a fourth summary behind three that failed", says: "after 3 none is tried", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 10)
		b.ev.Limits.SummaryFails = 3
		for range 4 {
			b.summaryFails(answer{})
			b.seen()
		}
		b.lastTurn()
		return b
	}},
	{rule: "context/shrinks", name: "a failed summary that nobody notes", says: "without recording what came of it", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 10)
		b.aside("summary", answer{})
		b.lastTurn()
		return b
	}},

	// context/keeps-request
	{rule: "context/keeps-request", name: "loses what was asked", says: "does not show what the user asked", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.summarises("proactive", 10)
		b.msgs[0].Blocks = b.msgs[0].Blocks[:1]
		b.lastTurn()
		return b
	}},
	{rule: "context/keeps-request", name: "puts it in other words", says: `"append hello"`, make: func(t testing.TB) *builder {
		b, c := firstTurn(t)
		b.runs(c, "append")
		b.goesOn("next_turn")
		b.msgs[0].Blocks[0].Text = "The user wants hello to be appended."
		b.lastTurn()
		return b
	}},
	{rule: "context/keeps-request", name: "lets the model say it", says: "does not show what the user asked", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "You said: go", calls: []tc{{id: "t1", name: "append", input: `{}`}}}
		b.runs(b.answered(b.ask(a), a, nil)[0], "append")
		b.goesOn("next_turn")
		b.msgs[0].Blocks[0].Text = "x"
		b.lastTurn()
		return b
	}},
	{rule: "context/keeps-request", name: "makes a stub of a result that nobody has seen", says: "has not seen the result of call c2", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.boundary(journal.Record{Code: "micro", Reason: "proactive", Names: []string{"c2"}}, 3000, 1000)
		b.shorten("c2", "[]")
		b.lastTurn()
		return b
	}},
	{rule: "context/keeps-request", name: "summarises a result that nobody has seen", says: "has not seen the result", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.summarises("proactive", 15)
		b.lastTurn()
		return b
	}},
	{rule: "context/keeps-request", name: "changes the history itself", says: "the history itself was changed", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 10)
		b.shorten(c, strings.Repeat("y", 3000)) // what the tool really said, and what was sent
		b.seen()
		b.boundary(journal.Record{Code: "micro", Reason: "proactive", Names: []string{c}}, 3000, 1000)
		b.shorten(c, strings.Repeat("x", 10))
		b.lastTurn()
		return b
	}},

	// context/order
	{rule: "context/order", name: "snips behind the stubs", says: "behind that of micro", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.seen()
		b.boundary(journal.Record{Code: "micro", Reason: "proactive", Names: []string{c}}, 3000, 1000)
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 10, To: 16, Text: "x"}, 1000, 900)
		b.lastTurn()
		return b
	}},
	{rule: "context/order", name: "drains before anything is refused", says: "no request was refused", make: sized("collapse", 3000, 1000)},
	{rule: "context/order", name: "compacts for an unrelated failure", says: "was not refused for its size", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(answer{status: 400, typ: "invalid_request_error", text: "the context of tool_choice is unrelated"}), "model_error")
		b.boundary(journal.Record{Code: "collapse", Reason: "overflow", Names: []string{c}}, 3000, 1000)
		b.ends("model_error")
		return b
	}},
	{rule: "context/order", name: "compacts for a refusal behind an answer", says: "was answered", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.boundary(journal.Record{Code: "media", Reason: "image", Names: []string{c}}, 3000, 1000)
		b.lastTurn()
		return b
	}},
	{rule: "context/order", name: "compacts for a refusal before any request", says: "no request of the run had been refused", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.final("Done.")
		b.terminal("completed")
		b.user("and now?")
		b.boundary(journal.Record{Code: "collapse", Reason: "overflow", Names: []string{c}}, 3000, 1000)
		b.lastTurn()
		return b
	}},
	{rule: "context/order", name: "takes bytes for tokens", says: "it says overflow", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLarge), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.lastTurn()
		return b
	}},
	{rule: "context/order", name: "sends what is over the blocking limit", says: "from 600 on nothing is to be sent", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.ev.Limits.BlockAt = 600
		b.lastTurn()
		return b
	}},
}

// retried is a run whose request is answered with a, and sent again after wait.
func retried(a answer, wait time.Duration) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(a), "transport_retry")
		at := b.at
		b.goesOn("transport_retry")
		b.at = at + wait
		b.lastTurn()
		return b
	}
}

// foreign is an agent that keeps no transcript and sends one body again and again.
func foreign(n int, gap time.Duration, a answer) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t)
		b.begin()
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "go"})
		for range n {
			b.send("", a)
			b.at += gap
		}
		b.ev.Limits = evidence.Limits{}
		b.ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindLives}
		return b
	}
}

var slowDown = map[string][]string{"Retry-After": {"30"}}

var brokenRetry = []brokenLoop{
	// wire/retry-after
	{rule: "wire/retry-after", name: "its own wait", says: "sent again as exchange 2 after 50", make: retried(answer{status: 429, head: slowDown}, 500*time.Millisecond)},
	{rule: "wire/retry-after", name: "before the date", says: "Retry-After", make: retried(answer{status: 503, head: map[string][]string{"Retry-After": {"Thu, 01 Jan 2026 00:00:20 GMT"}}}, 19*time.Second)},
	{rule: "wire/retry-after", name: "a foreign agent", says: "after 10s", make: foreign(2, 10*time.Second-2*time.Millisecond, answer{status: 529, head: slowDown})},

	// wire/backoff
	{rule: "wire/backoff", name: "no wait", says: "500ms at least", make: retried(overloaded, 0)},
	{rule: "wire/backoff", name: "waits for ever", says: "625ms at most", make: retried(overloaded, time.Minute)},
	{rule: "wire/backoff", name: "obeys a zero", says: "at least", make: retried(answer{status: 429, head: map[string][]string{"Retry-After": {"0"}}}, 0)},
	{rule: "wire/backoff", name: "obeys a date that is over", says: "at least", make: retried(answer{status: 503, head: map[string][]string{"Retry-After": {"Thu, 01 Jan 2015 00:00:20 GMT"}}}, 0)},
	{rule: "wire/backoff", name: "obeys what is no time", says: "at least", make: retried(answer{status: 429, head: map[string][]string{"Retry-After": {"soon"}}}, 100*time.Millisecond)},
	{rule: "wire/backoff", name: "each wait is the first one", says: "1s at least", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		for range 3 {
			b.discards(b.ask(overloaded), "transport_retry")
			at := b.at
			b.goesOn("transport_retry")
			b.at = at + 500*time.Millisecond
		}
		b.lastTurn()
		return b
	}},
	{rule: "wire/backoff", name: "no cap", says: "40s at most", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		b.ev.Limits.Retries = 10
		for i := range 8 {
			b.discards(b.ask(answer{status: 500}), "transport_retry")
			at := b.at
			b.goesOn("transport_retry")
			b.at = at + 500*time.Millisecond<<i
		}
		b.lastTurn()
		return b
	}},

	// wire/no-storm
	{rule: "wire/no-storm", name: "a foreign agent asks and asks", says: "exchange 6 is the 6th", make: foreign(6, 100*time.Millisecond, answer{status: 500})},
	{rule: "wire/no-storm", name: "another request while one is in flight", says: "while request 1 was in flight", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{text: "x", ending: "cut"}), "transport_retry")
		for i := range b.ev.Trace {
			if s := &b.ev.Trace[i]; s.Kind == evidence.StepReply {
				s.Kind = "other"
			}
		}
		b.goesOn("transport_retry")
		b.lastTurn()
		return b
	}},

	// wire/no-hopeless-retry
	{rule: "wire/no-hopeless-retry", name: "retries what is too large", says: "cannot succeed", make: retried(tooLarge, 500*time.Millisecond)},
	{rule: "wire/no-hopeless-retry", name: "retries a key that is refused", says: "cannot succeed", make: retried(answer{status: 401, typ: "authentication_error"}, 500*time.Millisecond)},
	{rule: "wire/no-hopeless-retry", name: "retries what the server says not to", says: "cannot succeed", make: retried(answer{status: 503, head: map[string][]string{"X-Should-Retry": {"false"}}}, 500*time.Millisecond)},
	{rule: "wire/no-hopeless-retry", name: "a foreign agent, some requests later", says: "exchange 3 sends the body of exchange 1 again", make: func(t testing.TB) *builder {
		b := foreign(1, 0, answer{status: 404, typ: "not_found_error"})(t)
		msgs := slices.Clone(b.msgs)
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: "hint"})
		b.send("", answer{status: 404, typ: "not_found_error"})
		b.msgs = msgs
		b.send("", answer{text: "Done."})
		return b
	}},
	{rule: "wire/no-hopeless-retry", name: "argues with a refusal", says: "nothing is asked again", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{text: "I cannot", stop: "refusal"}
		b.answered(b.ask(a), a, nil)
		b.goes(journal.Record{Reason: "token_budget_continuation", Text: "Please."})
		b.lastTurn()
		return b
	}},
}
