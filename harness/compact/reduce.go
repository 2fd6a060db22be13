package compact

import (
	"cmp"
	"slices"
)

// begin starts an edit that reduces results.
func begin(stage Stage, units []Unit) Edit {
	s := Sum(units)
	return Edit{Stage: stage, Before: s, After: s}
}

// take adds a result to the edit.
func (e *Edit) take(r *Result) {
	n := r.after(e.Stage, e.Preview)
	e.Calls = append(e.Calls, r.Call)
	e.After = e.After.plus(n.Bytes-r.Bytes, n.Images-r.Images)
}

// done is what a stage returns: an edit that does something, or nothing.
func (e Edit) done() (Edit, bool) {
	if len(e.Calls) == 0 {
		return Edit{}, false
	}
	return e, true
}

// BudgetEdit bounds the newest results before the model sees them first: where
// those of the last step have more than MessageBytes together, the largest are
// shown by a preview, largest first, until they fit (E1, E2). Only this stage
// reduces a result that was not read; it leaves enough of it to go on from.
func BudgetEdit(units []Unit, l Limits) (Edit, bool) {
	last := len(units) - 1
	for last >= 0 && units[last].Kind != Step {
		last--
	}
	if l.MessageBytes <= 0 || last < 0 {
		return Edit{}, false
	}
	results := units[last].Results
	total := 0
	for i := range results {
		if !results[i].Read {
			total += results[i].Bytes
		}
	}
	if total <= l.MessageBytes {
		return Edit{}, false
	}
	order := make([]int, 0, len(results))
	for i := range results {
		if r := &results[i]; !r.Read && !r.Short && previewBytes(*r, l.Preview) < r.Bytes {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(results[b].Bytes, results[a].Bytes) })
	n := 0
	for ; n < len(order) && total > l.MessageBytes; n++ {
		r := results[order[n]]
		total -= r.Bytes - previewBytes(r, l.Preview)
	}
	order = order[:n]
	slices.Sort(order)
	e := begin(Budget, units)
	e.Preview = l.Preview
	for _, i := range order {
		e.take(&results[i])
	}
	return e.done()
}

// MicroEdit makes stubs of old results, the oldest first, while a request of so
// many tokens is over four fifths of CompactAt (E2). The newest MicroKeep
// results stay whole, and any result that was not read. CompactAt <= 0 takes
// all it can.
func MicroEdit(units []Unit, tokens int, l Limits) (Edit, bool) {
	old := -l.MicroKeep
	for i := range units {
		old += len(units[i].Results)
	}
	if old <= 0 {
		return Edit{}, false
	}
	e := begin(Micro, units)
	for i := range units {
		for k := range units[i].Results {
			if old == 0 || l.CompactAt > 0 && (tokens-e.Saved())*5 <= l.CompactAt*4 {
				return e.done()
			}
			old--
			if r := &units[i].Results[k]; stubs(r, l.MicroOver) {
				e.take(r)
			}
		}
	}
	return e.done()
}

// stubs reports whether a stub may stand for r and is smaller.
func stubs(r *Result, over int) bool {
	return r.Read && !r.Short && r.Bytes > over && stubBytes(*r) < r.Bytes
}

// CollapseEdit is the drain after an overflow: every result that was read and
// has more than CollapseOver bytes becomes a stub, however new it is (D1).
func CollapseEdit(units []Unit, l Limits) (Edit, bool) {
	return drain(Collapse, units, func(r *Result) bool { return stubs(r, l.CollapseOver) })
}

// MediaEdit takes the images out of all results, read or not: they are bytes
// for a 413 and next to nothing for the window, so a session can be refused at
// an eighth of it (earendil-works/pi#4642, can1357/oh-my-pi#271).
func MediaEdit(units []Unit) (Edit, bool) {
	return drain(Media, units, func(r *Result) bool { return r.Images > 0 && !r.Bare })
}

func drain(stage Stage, units []Unit, takes func(*Result) bool) (Edit, bool) {
	e := begin(stage, units)
	for i := range units {
		for k := range units[i].Results {
			if r := &units[i].Results[k]; takes(r) {
				e.take(r)
			}
		}
	}
	return e.done()
}
