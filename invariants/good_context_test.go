package invariants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/journal"
)

func (b *builder) summaryFails(a answer) {
	b.aside("summary", a)
	b.commit("the summary changes nothing", journal.Record{Kind: journal.KindNotice, Code: "compaction_failed", Reason: "proactive", Text: "no"})
}

// Conversations that were compacted.
var goodContext = []goodLoop{
	{"all stages before a request, in order", func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.seen()
		b.boundary(journal.Record{Code: "budget", Reason: "proactive", Names: []string{"c3"}}, 6000, 5000)
		b.boundary(journal.Record{Code: "snip", Reason: "proactive", From: 10, To: 16, Text: "[1 step left out]"}, 5000, 4000)
		b.boundary(journal.Record{Code: "micro", Reason: "proactive", Names: []string{c}}, 4000, 1500)
		b.shorten(c, "[left out]")
		b.summarises("proactive", 16)
		b.lastTurn()
		return b
	}},
	{"a summary that the model asked for, behind its batch", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.summarises("requested", 10)
		b.seen()
		b.lastTurn()
		return b
	}},
	{"a wider summary takes the first one in", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.summarises("proactive", 10)
		b.seen()
		b.summarises("proactive", 14)
		b.lastTurn()
		return b
	}},
	{"three summaries fail in every way, and none is tried again", func(t testing.TB) *builder {
		b, _ := afterRead(t, 10)
		b.ev.Limits.SummaryFails = 3
		b.summaryFails(answer{})
		b.seen()
		b.summaryFails(answer{text: "x", calls: []tc{{id: "t9", name: "read", input: `{}`}}})
		b.seen()
		b.summaryFails(answer{status: 500})
		b.seen()
		b.lastTurn()
		return b
	}},
	{"an applied summary forgives the failed ones", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.ev.Limits.SummaryFails = 2
		b.seen()
		b.summaryFails(answer{text: "cut", stop: "max_tokens"})
		b.seen()
		b.summarises("proactive", 10)
		b.seen()
		b.summaryFails(answer{})
		b.seen()
		b.summaryFails(answer{})
		b.lastTurn()
		return b
	}},
	{"a prompt that is not UTF-8, and one that stands among others", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go \xff\xfe")
		b.answered(b.ask(answer{text: "Yes."}), answer{text: "Yes."}, nil)
		b.terminal("completed")
		b.user("on")
		n := len(b.msgs) - 1
		b.msgs[n].Blocks[0].Text = "<reminder>x</reminder>\non\n"
		b.lastTurn()
		return b
	}},
	{"killed behind a summary that nothing was made of", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.aside("summary", answer{text: "It was read."})
		b.killed()
		b.reopens("")
		b.summarises("proactive", 10)
		b.lastTurn()
		return b
	}},
	{"a request just under the blocking limit", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.ev.Limits.BlockAt = 710
		b.lastTurn()
		return b
	}},
}

// Requests that are sent again.
var goodRetry = []goodLoop{
	{"Retry-After in seconds, as a date, zero, garbage, absurd", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for _, x := range []struct {
			head string
			wait time.Duration
		}{
			{"7", 7 * time.Second}, {"0", time.Second}, {"soon", 2 * time.Second}, {"86400000", 4 * time.Second}, {"-3", 8 * time.Second},
			{b.now().Add(30 * time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT"), 9 * time.Second},
		} {
			a := answer{status: 429, typ: "rate_limit_error", head: map[string][]string{"Retry-After": {x.head}}}
			b.discards(b.ask(a), "transport_retry")
			at := b.at
			b.goesOn("transport_retry")
			b.at = at + x.wait
		}
		b.lastTurn()
		return b
	}},
	{"a retry that a summary came before", func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(overloaded), "transport_retry")
		b.goesOn("transport_retry")
		b.at += time.Minute
		b.summarises("proactive", 10)
		b.lastTurn()
		return b
	}},
	{"ten retries, the last of them at the cap", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.ev.Limits.Retries = 10
		b.user("go")
		for range 10 {
			b.discards(b.ask(answer{status: 503}), "transport_retry")
			b.goesOn("transport_retry")
			b.at += b.at / 1000 // some jitter
		}
		b.discards(b.ask(answer{status: 503}), "model_error")
		b.ends("model_error")
		return b
	}},
	{"killed while it waited; the next life does not", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(overloaded), "transport_retry")
		at := b.at
		b.goesOn("transport_retry")
		b.at = at
		b.killed()
		b.reopens("")
		b.lastTurn()
		return b
	}},
	{"what cannot succeed is changed, or given up", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.discards(b.ask(answer{status: 401, typ: "authentication_error"}), "model_error")
		b.terminal("model_error")
		b.user("go")
		b.discards(b.ask(answer{status: 400, typ: "invalid_request_error"}), "model_error")
		b.terminal("model_error")
		b.user("another")
		b.killed()
		b.reopens("")
		b.lastTurn()
		return b
	}},
	{"a side lane beside a request that a kill cut off", func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		id := b.attempt("main")
		x := b.send(id, answer{text: strings.Repeat("x", 3), ending: "cut"})
		b.ev.Trace = b.ev.Trace[:len(b.ev.Trace)-1] // its answer never ended
		x.Ending = "dropped"
		b.killed()
		b.reopens(id)
		b.lastTurn()
		return b
	}},
}
