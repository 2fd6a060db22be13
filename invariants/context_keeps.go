package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// keepsRequest looks for the run's prompt in each of its main requests, and at
// what boundaries did to results.
func keepsRequest(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		if u.prompt < 0 || blank(c.recs[u.prompt].Text) {
			continue
		}
		text := c.recs[u.prompt].Text
		for _, a := range u.attempts {
			x := a.exchange()
			if x == nil || a.rec < u.prompt || x.wire == nil {
				continue
			}
			proof := c.opts.Memo.proof("prompt "+text, x.Body)
			if proof.known() {
				continue
			}
			if !x.shows(text) {
				where, around := request(x)
				out = append(out, found(where, around, "the request of %s does not show what the user asked in run %d, %s", a.id, u.n, quoted(text)))
				break // the later ones lack it too
			}
			proof.keep()
		}
	}
	return append(out, c.unread()...)
}

// unread looks at results that a boundary hides or shortens: the model has seen
// them, and the transcript has them as they were sent. Only their number in one
// message is a reason to shorten new ones (budget), their images one to leave
// those out (media); a summary for a refusal may have to replace all there is.
func (c *Case) unread() []Finding {
	if hasBoundaries(c) != "" {
		return nil
	}
	var out []Finding
	steps := c.steps()
	reduced := map[string]bool{}
	var gone []*journal.Record // boundaries that hide something
	for _, i := range c.boundaries {
		r := &c.recs[i]
		why := ""
		if r.Code != "budget" && r.Code != "media" && !reactive(r) {
			why = c.hidesUnread(steps, i, gone)
		}
		if why == "" {
			why = c.notAsSent(i, reduced)
		}
		for _, name := range r.Names {
			reduced[name] = true
		}
		if r.From < r.To {
			gone = append(gone, r)
		}
		if why != "" && !c.given(i) {
			where, around := c.record(i)
			out = append(out, found(where, around, "the boundary of %s hides %s, but %s", word(r.Code), hides(r), why))
		}
	}
	return out
}

// hidesUnread names a result that the boundary takes away before an answer has
// come behind it. Those are results of the last step alone, and none that a
// boundary before it has taken away already.
func (c *Case) hidesUnread(steps []step, i int, gone []*journal.Record) string {
	n, _ := slices.BinarySearchFunc(steps, i, func(s step, i int) int { return s.answer - i })
	if n == 0 {
		return ""
	}
	r := &c.recs[i]
	last := &steps[n-1]
	for _, at := range last.parts {
		p := &c.recs[at]
		if at > i || p.Kind == journal.KindCall || slices.ContainsFunc(gone, func(o *journal.Record) bool { return o.From <= p.Seq && p.Seq < o.To }) {
			continue
		}
		if p.Seq >= r.From && p.Seq < r.To && r.To <= r.Seq || slices.Contains(r.Names, p.Call) {
			return fmt.Sprintf("the model has not seen the result of call %s yet (record %d)", p.Call, p.Seq)
		}
	}
	return ""
}

// notAsSent compares the results that a boundary shortens for the first time with
// the last request before it, which showed them whole.
func (c *Case) notAsSent(i int, reduced map[string]bool) string {
	r := &c.recs[i]
	u := c.runBy[r.Run]
	if u == nil || len(r.Names) == 0 || r.Code == "budget" {
		return ""
	}
	a := u.lastBefore(i)
	if a == nil || a.exchange() == nil {
		return ""
	}
	shown := a.exchange().results()
	if shown == nil {
		return ""
	}
	for _, name := range r.Names {
		k := c.callBy[name]
		if k == nil || len(k.settled) == 0 || k.settled[0] > a.rec || reduced[name] {
			continue
		}
		if text := c.recs[k.settled[0]].Text; !slices.ContainsFunc(shown, func(s string) bool { return strings.Contains(s, onWire(text)) }) {
			return fmt.Sprintf("the transcript does not hold the result of call %s as the request of %s showed it: the history itself was changed", name, a.id)
		}
	}
	return ""
}

// results are the texts of the results in a request; nil where it has none.
func (x *exchange) results() []string {
	req := x.question()
	if req == nil {
		return nil
	}
	var list []string
	for _, m := range req.Messages {
		for i := range m.Blocks {
			if m.Blocks[i].Kind == providers.ToolResult {
				list = append(list, m.Blocks[i].Text)
			}
		}
	}
	return list
}
