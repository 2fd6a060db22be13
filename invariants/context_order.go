package invariants

import (
	"fmt"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// stageRank is the order of the stages before a request (E1). Collapse and media
// drain what they spare, once a request was refused.
var stageRank = map[string]int{"budget": 1, "snip": 2, "micro": 3, "summary": 4}

// contextOrder looks at what triggered each boundary, at their order, and at
// requests that are too large to be sent.
func contextOrder(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		stage := "" // the last one of those before a request
		for i := u.first; i <= u.last; i++ {
			r := &c.recs[i]
			if r.Run != u.n {
				continue
			}
			switch r.Kind {
			case journal.KindResume:
				stage = ""
			case journal.KindAttempt:
				if r.Lane == "" || r.Lane == providers.LaneMain {
					stage = ""
				}
			case journal.KindBoundary:
				why := ""
				if r.Reason == "proactive" {
					if stageRank[r.Code] == 0 {
						why = "it drains what the stages before a request spare, and no request was refused"
					} else if stageRank[r.Code] < stageRank[stage] {
						why = "it comes behind that of " + stage + ", before the same request"
					}
					stage = r.Code
				} else if r.Reason != "requested" {
					why = c.notRefused(u, i)
				}
				if why != "" && !c.given(i) {
					where, around := c.record(i)
					out = append(out, found(where, around, "the boundary of %s is out of place: %s", word(r.Code), why))
				}
			}
		}
	}
	return append(out, c.oversized()...)
}

// notRefused says why a boundary that was made for a refusal has none.
func (c *Case) notRefused(u *run, i int) string {
	a := u.lastBefore(i)
	if a == nil {
		return "no request of the run had been refused"
	}
	if a.assistant >= 0 && a.assistant < i {
		return "the last request, of " + a.id + ", was answered"
	}
	x := a.exchange()
	if x == nil || x.Status == 0 {
		return "" // nobody saw what came back
	}
	if !a.tooBig() {
		return "the last request, of " + a.id + ", was not refused for its size"
	}
	class := a.class()
	for reason, is := range map[string]bool{
		"too_large": class == providers.TooLarge, "image": class == providers.BadImage,
		"overflow": class != providers.TooLarge && class != providers.BadImage,
	} {
		if c.recs[i].Reason == reason && !is {
			return fmt.Sprintf("it says %s, but the request of %s failed for %s", reason, a.id, class)
		}
	}
	return ""
}

// blockGrace is how many tokens over the blocking limit are let pass: what only
// the request holds, a hint, is not in the loop's estimate of the conversation.
const blockGrace = 64

// oversized finds a request that should not have been sent.
func (c *Case) oversized() []Finding {
	most := c.ev.Limits.BlockAt
	if most <= 0 {
		return nil
	}
	for _, x := range c.exchanges {
		if !x.main() || x.Attempt == "" || c.attemptBy[x.Attempt] == nil || len(x.Body)/4 < most+blockGrace && !hasImages(x) {
			continue
		}
		if q := x.asked(); q.legible && q.tokens() >= most+blockGrace {
			where, around := request(x)
			return []Finding{found(where, around, "the request of %s has about %d tokens, and from %d on nothing is to be sent", x.Attempt, q.tokens(), most)}
		}
	}
	return nil
}
