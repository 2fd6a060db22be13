package invariants

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// contextShrinks looks at the sizes of each boundary, at the answer behind each
// summary, and at what was done about summaries that failed.
func contextShrinks(c *Case) []Finding {
	var out []Finding
	blame := func(i int, format string, args ...any) {
		if !c.given(i) {
			where, around := c.record(i)
			out = append(out, found(where, around, format, args...))
		}
	}
	fails := 0 // summaries in a row that changed nothing
	pending := -1
	for i := range c.recs {
		r := &c.recs[i]
		switch r.Kind {
		case journal.KindAttempt:
			switch {
			case r.Lane == providers.LaneSummary:
				if most := c.ev.Limits.SummaryFails; most > 0 && fails >= most {
					blame(i, "another summary was asked for, though the last %d in a row had failed: after %d none is tried any more in this session", fails, most)
				}
				pending = i
			case r.Lane == "" || r.Lane == providers.LaneMain:
				if pending >= 0 && c.recs[pending].Run == r.Run && !c.otherLife(pending, i) {
					blame(pending, "a summary was asked for, and the loop went on to its next request without recording what came of it: neither a boundary nor a notice that it failed")
				}
				pending = -1
			}
		case journal.KindNotice:
			if r.Code == "compaction_failed" {
				fails++
				pending = -1
			}
		case journal.KindBoundary:
			if why := shrinks(r); why != "" {
				blame(i, "the boundary of %s %s", word(r.Code), why)
			}
			if r.Code != "summary" {
				break
			}
			if why := c.badSummary(pending, i); why != "" {
				blame(i, "a summary took the place of records %d to %d, but %s", r.From, r.To-1, why)
			}
			fails, pending = 0, -1
		}
	}
	return out
}

// shrinks says why an edit is none.
func shrinks(r *journal.Record) string {
	var size [4]int
	for i, name := range [...]string{"bytes_before", "bytes_after", "tokens_before", "tokens_after"} {
		n, ok := r.Counters[name]
		if !ok && !strings.HasSuffix(name, "_after") {
			return "does not say how large the request was before and after it"
		}
		size[i] = n
	}
	bytes, tokens := size[1]-size[0], size[3]-size[2]
	switch {
	case bytes >= 0 && tokens >= 0:
		return fmt.Sprintf("takes nothing off: %d bytes and %d tokens before, %d and %d after", size[0], size[2], size[1], size[3])
	case r.Code == "summary" && !tenth(size[0], size[1]) && !tenth(size[2], size[3]):
		return fmt.Sprintf("takes off less than a tenth: %d bytes and %d tokens before, %d and %d after", size[0], size[2], size[1], size[3])
	}
	return ""
}

// tenth reports whether a size shrank by at least a tenth.
func tenth(before, after int) bool { return after < before && after*10 <= before*9 }

// badSummary says why what a model answered, in the attempt of record asked, may
// not stand in the place of a conversation, as record i says it does.
func (c *Case) badSummary(asked, i int) string {
	if asked < 0 {
		return "no model was asked for it"
	}
	a := c.attemptBy[c.recs[asked].Attempt]
	if err := a.failure(); err != nil {
		return "the request for it failed: " + clip(err.Error(), 100)
	}
	t := a.turn()
	if t == nil {
		return ""
	}
	text := strings.TrimSpace(t.text())
	switch {
	case t.ending() == broken:
		return "the answer was cut: " + brokenWhy(t)
	case len(t.calls()) > 0:
		return "the answer is a call, which nobody asked for"
	case t.ending() == whole && notWhole(t.stop) != "":
		return "the answer is no whole one: " + notWhole(t.stop)
	case text == "":
		return "the answer is empty"
	case !strings.Contains(text, "<") && !strings.Contains(c.recs[i].Text, text):
		return "what stands there is not what the model answered, " + quoted(text)
	}
	return ""
}
