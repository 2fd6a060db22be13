package invariants

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/harnessbench/bench/harness/journal"
)

// step is a committed answer and what belongs to it: what may be hidden only
// whole.
type step struct {
	answer int   // index of its record
	parts  []int // of its calls and their outcomes
	joined bool  // its answer goes on in the next step: it only paused
}

// steps are the steps of the session, in order of their answers.
func (c *Case) steps() []step {
	var list []step
	for _, a := range c.attempts {
		if a.assistant < 0 {
			continue
		}
		s := step{answer: a.assistant, joined: c.goesOn(a)}
		for _, k := range a.calls {
			s.parts = append(s.parts, k.rec)
			if len(k.settled) > 0 {
				s.parts = append(s.parts, k.settled[0])
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b step) int { return cmp.Compare(a.answer, b.answer) })
	return list
}

// goesOn reports whether the answer of an attempt only paused: it calls nothing,
// and no prompt came before the next answer.
func (c *Case) goesOn(a *attempt) bool {
	r := &c.recs[a.assistant]
	if r.Stop != "pause_turn" || len(a.calls) > 0 {
		return false
	}
	for i := a.assistant + 1; i < len(c.recs); i++ {
		switch c.recs[i].Kind {
		case journal.KindUser:
			return false
		case journal.KindAssistant:
			return true
		}
	}
	return true
}

// contextPairs looks at each boundary's range and names.
func contextPairs(c *Case) []Finding {
	var out []Finding
	steps := c.steps()
	open := c.hiddenOpen()
	var ranges []int // boundaries whose ranges stand, none inside another
	for _, i := range c.boundaries {
		r := &c.recs[i]
		why := c.badNames(i)
		if why == "" && r.From < r.To {
			why = cmp.Or(c.splits(steps, i), open[i])
			for j := 0; j < len(ranges) && why == ""; j++ {
				if o := &c.recs[ranges[j]]; r.From < o.To && o.From < r.To && !(r.From <= o.From && o.To <= r.To) {
					why = fmt.Sprintf("it cuts into what record %d hides already (%d to %d): a later range takes an earlier one in whole, or leaves it alone", o.Seq, o.From, o.To-1)
				}
			}
			ranges = slices.DeleteFunc(ranges, func(j int) bool { return r.From <= c.recs[j].From && c.recs[j].To <= r.To })
			ranges = append(ranges, i)
		}
		if why != "" && !c.given(i) {
			where, around := c.record(i)
			out = append(out, found(where, around, "the boundary of %s hides %s: %s", word(r.Code), hides(r), why))
		}
	}
	return out
}

// hiddenOpen finds calls that were hidden before they had an outcome, by the
// boundary that hid them: their results come behind it, without a call
// (G-Research/bobbit p845).
func (c *Case) hiddenOpen() map[int]string {
	m := map[int]string{}
	for _, k := range c.calls {
		if k.rec < 0 {
			continue
		}
		from, _ := slices.BinarySearch(c.boundaries, k.rec)
		for _, i := range c.boundaries[from:] {
			if len(k.settled) > 0 && k.settled[0] < i {
				break
			}
			if seq := c.recs[k.rec].Seq; m[i] == "" && seq >= c.recs[i].From && seq < c.recs[i].To && c.committed(k, i) {
				m[i] = "call " + k.id + " in it has no outcome yet"
			}
		}
	}
	return m
}

// hides is what a boundary hides, as a sentence says it.
func hides(r *journal.Record) string {
	if r.From < r.To {
		return fmt.Sprintf("records %d to %d", r.From, r.To-1)
	}
	return fmt.Sprintf("parts of %d results", len(r.Names))
}

// badNames says which shortened result is none.
func (c *Case) badNames(i int) string {
	r := &c.recs[i]
	if r.From >= r.To && len(r.Names) == 0 {
		return "nothing: it names neither records nor results"
	}
	for _, name := range r.Names {
		switch k := c.callBy[name]; {
		case k == nil || k.rec < 0 || k.rec > i:
			return "there is no call " + word(name) + " before it"
		case len(k.settled) == 0 || k.settled[0] > i:
			return "call " + name + " has no result yet"
		case !c.committed(k, i):
			return "the answer that made call " + name + " is not part of the history"
		}
	}
	return ""
}

// committed reports whether the call's answer was part of the history at record i.
func (c *Case) committed(k *call, i int) bool {
	a := c.attemptBy[c.recs[k.rec].Attempt]
	return a != nil && a.assistant >= 0 && a.assistant < i
}

// splits says which step a range parts.
func (c *Case) splits(steps []step, i int) string {
	r := &c.recs[i]
	if r.From < 1 || r.To > r.Seq {
		return "these are not records before it"
	}
	in := func(at int) bool { return c.recs[at].Seq >= r.From && c.recs[at].Seq < r.To }
	// Only the steps at the two edges can be parted: those whose answer is the
	// last before an edge, or the first behind it (its calls may have begun early).
	for _, edge := range [...]int64{r.From, r.To} {
		n, _ := slices.BinarySearchFunc(steps, edge, func(s step, seq int64) int { return cmp.Compare(c.recs[s.answer].Seq, seq) })
		for k := max(n-2, 0); k < min(n+1, len(steps)); k++ {
			s := &steps[k]
			if s.answer > i {
				continue
			}
			for _, at := range s.parts {
				if at < i && in(at) != in(s.answer) {
					return fmt.Sprintf("record %d (%s of call %s) and its answer, record %d, lie on two sides of the edge", c.recs[at].Seq, c.recs[at].Kind, c.recs[at].Call, c.recs[s.answer].Seq)
				}
			}
			if s.joined && k+1 < len(steps) && steps[k+1].answer < i && in(s.answer) != in(steps[k+1].answer) {
				return fmt.Sprintf("the answer of record %d only paused, and goes on in record %d on the other side of the edge", c.recs[s.answer].Seq, c.recs[steps[k+1].answer].Seq)
			}
		}
	}
	return ""
}
