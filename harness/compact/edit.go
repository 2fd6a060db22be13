package compact

import "slices"

// Edit is what a stage does to a conversation: it reduces results, or it hides
// a range and puts a text in its place. Recorded, it is all that a request
// needs to be built the same way again.
type Edit struct {
	Stage    Stage
	From, To int64    // the hidden records, [From, To); 0, 0: none
	Calls    []string // the calls whose results are reduced, in call order
	Preview  int      // budget: how many bytes of each result stay
	Text     string   // what stands in the place of the hidden range, complete
	// Kept names the prompts inside the range that survive behind Text, by
	// their From, in order. Apply works them out itself where an edit that was
	// read back has none, by the same rule from the same units.
	Kept          []int64
	Before, After Size // of all units
}

// Saved is the estimate of what the edit takes off a request, in tokens.
func (e Edit) Saved() int { return e.Before.Tokens() - e.After.Tokens() }

// Apply returns the units as they stand after the edit. It copies what it
// changes and never changes its input; units that the edit leaves alone share
// their results with it.
func Apply(units []Unit, e Edit) []Unit {
	units = reduce(units, e)
	i, j := within(units, e.From, e.To)
	if i == j {
		return units
	}
	out := make([]Unit, 0, len(units)-(j-i)+1)
	out = append(out, units[:i]...)
	out = append(out, stand(units, i, j, e))
	return append(out, units[j:]...)
}

// within finds the units that lie in [from, to) whole. One that is only
// touched stays: half a unit would be a call without its result.
func within(units []Unit, from, to int64) (i, j int) {
	if from >= to {
		return 0, 0
	}
	for i < len(units) && units[i].From < from {
		i++
	}
	for j = i; j < len(units) && units[j].To <= to; {
		j++
	}
	return i, j
}

// stand is the unit that takes the place of units[i:j].
func stand(units []Unit, i, j int, e Edit) Unit {
	u := Unit{Kind: Note, From: units[i].From, To: units[j-1].To, Bytes: len(e.Text)}
	if e.Stage == Summary {
		u.Kind = Summary
	}
	for k := i; k < j; k++ {
		u.Steps += units[k].steps()
	}
	kept := e.Kept
	if kept == nil {
		kept = survivors(units, i, j, e.Stage)
	}
	prompts(units[i:j], func(p *Unit) {
		for len(kept) > 0 && kept[0] < p.From {
			kept = kept[1:]
		}
		if len(kept) > 0 && kept[0] == p.From {
			u.Kept = append(u.Kept, *p)
			u.Bytes += p.Bytes
			u.Images += p.Images
		}
	})
	return u
}

func survivors(units []Unit, i, j int, stage Stage) []int64 {
	var inside []int64
	prompts(units[i:j], func(p *Unit) { inside = append(inside, p.From) })
	behind := false
	prompts(units[j:], func(*Unit) { behind = true })
	return Survivors(stage, inside, behind)
}

// Survivors is the rule for the prompts inside a hidden range, which are given
// by their records, in order (context/keeps-request). A snip says nothing about
// what it hides, so all that the user said stays. A summary tells what was
// asked; only the last prompt of all, the request in hand, stays in the user's
// own words: the last one inside, if none stands behind the range.
func Survivors(stage Stage, inside []int64, behind bool) []int64 {
	switch {
	case stage != Summary || len(inside) == 0:
		return inside
	case behind:
		return nil
	}
	return inside[len(inside)-1:]
}

// reduce shows the results of e.Calls smaller.
func reduce(units []Unit, e Edit) []Unit {
	if len(e.Calls) == 0 {
		return units
	}
	calls := make(map[string]struct{}, len(e.Calls))
	for _, c := range e.Calls {
		calls[c] = struct{}{}
	}
	var out []Unit
	var copies []Result // of all units that change, so that there are few allocations
	for i := range units {
		u, begin := units[i], len(copies)
		for k, r := range units[i].Results {
			if _, ok := calls[r.Call]; !ok {
				continue
			}
			n := r.after(e.Stage, e.Preview)
			if n == r {
				continue
			}
			if len(copies) == begin {
				copies = append(copies, units[i].Results...)
				u.Results = copies[begin:len(copies):len(copies)]
			}
			u.Results[k] = n
			u.Bytes += n.Bytes - r.Bytes
			u.Images += n.Images - r.Images
		}
		if len(copies) == begin {
			continue
		}
		if out == nil {
			out = slices.Clone(units)
		}
		out[i] = u
	}
	if out == nil {
		return units
	}
	return out
}

// after is the result as it stands once a stage has reduced it. A preview keeps
// its images; a stub stands for all of the result.
func (r Result) after(stage Stage, preview int) Result {
	switch {
	case stage == Budget && !r.Short:
		r.Bytes, r.Short = previewBytes(r, preview), true
	case (stage == Micro || stage == Collapse) && !r.Short:
		r.Bytes, r.Images, r.Short = stubBytes(r), 0, true
	case stage == Media && r.Images > 0:
		r.Bytes, r.Images, r.Bare = r.Bytes+len(MediaStub(r.Images)), 0, true
	}
	return r
}

// Reduced reports whether the edit makes the request smaller: fewer bytes, or
// fewer images where the line in their place adds a few. The data of an image
// is in neither number, and always weighs more than that line.
func Reduced(e Edit) bool {
	return e.After.Images <= e.Before.Images && (e.After.Bytes < e.Before.Bytes || e.After.Tokens() < e.Before.Tokens())
}

// Gain reports whether a reduction is progress: a tenth of the tokens, which is
// what an overflow is measured in, or a tenth of the bytes, which is what a 413
// is. "Compressed" from 734k to 707k is less than what the next answer adds, so
// the next request compacts again, and again (google-gemini/gemini-cli#15225,
// NousResearch/hermes-agent#53008). A tenth of the default limit is two answers
// of 8,000 tokens.
func Gain(before, after Size) bool {
	tenth := func(b, a int) bool { return a < b && a*10 <= b*9 }
	return tenth(before.Tokens(), after.Tokens()) || tenth(before.Bytes, after.Bytes)
}
