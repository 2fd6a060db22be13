package invariants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

var brokenProgress = []brokenLoop{
	// ladder/progress
	{rule: "ladder/progress", name: "drains nothing", says: "nothing was taken out", make: func(t testing.TB) *builder {
		b, _ := afterRead(t, 3000)
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.goesOn("collapse_drain_retry")
		b.msgs[0].Blocks = append(b.msgs[0].Blocks, providers.Block{Kind: providers.Text, Text: "Be short."})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "a summary that is no summary", says: "nothing was taken out", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLong), "reactive_compact_retry")
		b.commit("x", journal.Record{Kind: journal.KindNotice, Code: "compaction_failed", Reason: "overflow", Text: "no"})
		b.boundary(journal.Record{Code: "collapse", Reason: "overflow", Names: []string{c}}, 3000, 1000)
		b.shorten(c, "[]")
		b.goesOn("reactive_compact_retry")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "sheds text where bytes were refused", says: "bytes after", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLarge), "collapse_drain_retry")
		b.drain(c, "too_large")
		b.msgs[0].Blocks = append(b.msgs[0].Blocks, providers.Block{Kind: providers.Text, Text: strings.Repeat("y", 4000)})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "sheds text where an image was refused", says: "1 images after 1", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000, providers.ImageData{Type: "image/png", Data: "QUJD"})
		b.seen()
		b.discards(b.ask(badImage), "collapse_drain_retry")
		b.boundary(journal.Record{Code: "media", Reason: "image", Names: []string{c}}, 3000, 1000)
		image := b.msgs[2].Blocks[0].Images
		b.shorten(c, "[]")
		b.msgs[2].Blocks[0].Images = image
		b.goesOn("collapse_drain_retry")
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "sheds bytes where tokens were refused", says: "tokens after", make: func(t testing.TB) *builder {
		b, c := afterRead(t, 3000)
		b.seen()
		b.discards(b.ask(tooLong), "collapse_drain_retry")
		b.drain(c, "overflow")
		b.shorten(c, strings.Repeat("y", 3001))
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "continues nothing", says: "it holds no text", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		a := answer{think: "hmm", stop: "max_tokens"}
		b.answered(b.ask(a), a, nil)
		b.msgs = b.msgs[:1] // an answer may not end in thinking
		b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "continues what says the same again", says: "the same text", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		for range 2 {
			a := answer{text: "again", stop: "max_tokens"}
			b.answered(b.ask(a), a, nil)
			b.goes(journal.Record{Reason: "max_output_recovery", Text: "Go on."})
		}
		b.lastTurn()
		return b
	}},
	{rule: "ladder/progress", name: "nudges though enough is used", says: "5 of 5 output tokens", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.Nudge = 5
		b.user("go")
		b.final("one")
		b.goes(journal.Record{Reason: "token_budget_continuation", Text: "Go on."})
		b.final("Done.")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/progress", name: "nudges though nothing more comes", says: "does not help any more", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		ladderLimits(b)
		b.user("go")
		for i := range 4 {
			b.final(fmt.Sprintf("part %d", i))
			b.goes(journal.Record{Reason: "token_budget_continuation", Text: "Go on."})
		}
		b.final("Done.")
		b.ends("completed")
		return b
	}},
	{rule: "ladder/progress", name: "runs the third of three equal rounds", says: "the next time they are not run", make: func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.ev.Limits.LoopAfter = 3
		b.user("go")
		a := answer{calls: []tc{{id: "t1", name: "read", input: `{}`}}}
		for range 3 {
			b.reads(a)
			b.goesOn("next_turn")
		}
		b.lastTurn()
		return b
	}},
}
