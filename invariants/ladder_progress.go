package invariants

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// ladderProgress asks of each recovery whether it changed what had failed, in
// the failure's own unit, and of each that repeats itself whether it is worth it.
func ladderProgress(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		for i := u.first; i <= u.last; i++ {
			r := &c.recs[i]
			if r.Run != u.n || r.Kind != journal.KindTransition || c.given(i) {
				continue
			}
			switch r.Reason {
			case "collapse_drain_retry", "reactive_compact_retry":
				out = append(out, c.smaller(u, i)...)
			case "max_output_recovery":
				out = append(out, c.newText(u, i)...)
			}
		}
		out = append(out, c.nudges(u)...)
		out = append(out, c.looped(u)...)
	}
	return out
}

// smaller judges a retry of a request that was refused for its size: something
// was taken out of it since, and the next request is smaller.
func (c *Case) smaller(u *run, i int) []Finding {
	n := u.before(i)
	if n == 0 {
		return nil
	}
	failed, next := u.attempts[n-1], (*attempt)(nil)
	until := i
	if n < len(u.attempts) {
		next = u.attempts[n]
		until = next.rec
	}
	edited, told := false, false
	for j := failed.rec; j < until; j++ {
		switch r := &c.recs[j]; r.Kind {
		case journal.KindBoundary:
			summary := r.Code == "summary"
			edited = edited || summary == (c.recs[i].Reason == "reactive_compact_retry")
		case journal.KindNotice:
			told = told || isBackground(r.Code) // the next request says more
		}
	}
	if !edited {
		where, around := c.record(i)
		return []Finding{found(where, around, "the loop went on with %s, but nothing was taken out of the context since the request of %s was refused: it is the same request again", c.recs[i].Reason, failed.id)}
	}
	if next == nil || told {
		return nil
	}
	x, y := failed.exchange(), next.exchange()
	if x == nil || y == nil {
		return nil
	}
	if why := notSmaller(failed, x, y); why != "" {
		where, around := request(y)
		return []Finding{found(where, around, "behind %s the request of %s is no smaller than that of %s: %s", c.recs[i].Reason, next.id, failed.id, why)}
	}
	return nil
}

// notSmaller compares two requests in the unit of the first one's failure. What a
// thought has cost, only its signature tells, and not how much: who counts it and
// who does not are both right.
func notSmaller(failed *attempt, x, y *exchange) string {
	if failed.class() == providers.TooLarge {
		if len(y.Body) >= len(x.Body) {
			return fmt.Sprintf("%d bytes after %d", len(y.Body), len(x.Body))
		}
		return ""
	}
	a, b := x.asked(), y.asked()
	switch {
	case !a.legible || !b.legible || !failed.tooBig():
	case failed.class() == providers.BadImage:
		if b.images >= a.images {
			return fmt.Sprintf("%d images after %d", b.images, a.images)
		}
	case b.text+b.images*4*1600 >= a.text+a.images*4*1600 && b.text+b.signed+b.images*4*1600 >= a.text+a.signed+a.images*4*1600:
		return fmt.Sprintf("about %d tokens after %d", b.tokens(), a.tokens())
	}
	return ""
}

// newText judges a continuation: the cut answer brought something that the part
// before it did not. A cut call is something: the model is told of it.
func (c *Case) newText(u *run, i int) []Finding {
	part, before := "", ""
	n := 0
	for k := u.before(i) - 1; k >= 0 && n < 2; k-- {
		a := u.attempts[k]
		if a.assistant < 0 || a.assistant > i {
			continue
		}
		blocks := c.recs[a.assistant].Blocks
		if n++; n == 2 {
			if c.continued(u, a) {
				before = strings.TrimSpace(providers.TextOf(blocks))
			}
			break
		}
		for j := range blocks {
			if blocks[j].Kind == providers.ToolCall {
				return nil
			}
		}
		part = strings.TrimSpace(providers.TextOf(blocks))
	}
	why := ""
	switch {
	case n == 0:
		return nil
	case part == "":
		why = "it holds no text"
	case part == before:
		why = "it holds the same text as the part before it, " + quoted(part)
	default:
		return nil
	}
	where, around := c.record(i)
	return []Finding{found(where, around, "a cut answer was continued, but %s: going on from there is no progress", why)}
}

// Nudges stop at so much of what is to be used, and when after so many of them
// two answers in a row brought fewer tokens than this (D11).
const (
	nudgePercent = 90
	nudgeLeast   = 500
	nudgesBefore = 3
)

// nudges judges each nudge of a run by the output tokens that the records count.
func (c *Case) nudges(u *run) []Finding {
	target := c.ev.Limits.Nudge
	out, mark, last, n := 0, 0, 0, 0 // tokens, those at the last nudge, what the answers before it brought, nudges
	for i := u.first; i <= u.last; i++ {
		r := &c.recs[i]
		switch {
		case r.Run != u.n:
		case r.Kind == journal.KindAssistant, r.Kind == journal.KindDiscarded:
			if r.Usage != nil {
				out += r.Usage.Out
			}
		case r.Kind == journal.KindTransition && r.Reason == "token_budget_continuation":
			why := ""
			switch {
			case target > 0 && out*100 >= target*nudgePercent:
				why = fmt.Sprintf("%d of %d output tokens are used: that is enough", out, target)
			case n >= nudgesBefore && out-mark < nudgeLeast && last < nudgeLeast:
				why = fmt.Sprintf("the last two answers brought %d and %d output tokens: nudging does not help any more", last, out-mark)
			}
			if why != "" && !c.given(i) {
				where, around := c.record(i)
				return []Finding{found(where, around, "the model was nudged to go on, but %s", why)}
			}
			mark, last = out, out-mark
			n++
		}
	}
	return nil
}
