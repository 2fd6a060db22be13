package cells

import "slices"

// Expressible says why a protocol cannot carry the first answer of a reply
// script, "" when it can. It is asked for every protocol but anthropic, in
// which the scripts are written.
type Expressible func(script, protocol string) string

// Matrix is every combination of the axes: those that are cells, and those
// that are not.
type Matrix struct {
	Cells  []Cell
	Absent []Absent
}

// Absent is a combination that is no cell, and why not.
type Absent struct {
	Cell Cell
	Why  string
}

// Build returns the matrix, in the order of the axes. Without can, only
// anthropic has cells.
func Build(can Expressible) Matrix {
	var m Matrix
	var c Cell
	fields, axes := c.fields(), Axes()
	var walk func(i int)
	walk = func(i int) {
		if i == len(axes) {
			if why := c.Why(can); why != "" {
				m.Absent = append(m.Absent, Absent{c, why})
			} else {
				m.Cells = append(m.Cells, c)
			}
			return
		}
		for _, v := range axes[i].Values {
			*fields[i] = v
			walk(i + 1)
		}
	}
	walk(0)
	return m
}

// Why says why a combination is no cell; "" when it is one.
func (c Cell) Why(can Expressible) string {
	for _, r := range impossible {
		if r.holds(c) {
			return r.why
		}
	}
	if c.Protocol == anthropic {
		return ""
	}
	if can == nil {
		return "nobody says what " + c.Protocol + " can express"
	}
	return can(c.Script(), c.Protocol)
}

// impossible are the reasons that lie in the answer itself.
var impossible = []struct {
	why   string
	holds func(Cell) bool
}{
	{"without a block there is none that is open or cut", func(c Cell) bool { return c.Content == nothing && c.Last != closed }},
	{"without a block, before and behind the blocks are one place", func(c Cell) bool { return c.Content == nothing && c.Order != last }},
	{"only the input of a call can be cut short", func(c Cell) bool {
		return (c.Last == cutParses || c.Last == cutBroken) && (c.Content == text || c.Content == thinking || c.Content == serverResult || c.Content == serverText)
	}},
	{"a server's result comes in one piece: it is never open", func(c Cell) bool { return c.Content == serverResult && c.Last == open }},
	{"a stop reason that is missing stands nowhere", func(c Cell) bool { return c.Stop == missing && c.Order != last }},
	{"a single block that never ends has no end for the stop reason to stand before", func(c Cell) bool {
		return c.Order == middle && c.single() && c.Last == open
	}},
	{"only max_tokens is answered with a raised limit", func(c Cell) bool { return c.Rungs == raised && c.Stop != "max_tokens" }},
	{"the end of a block behind the stop reason, and an open server call, are written as events of anthropic", func(c Cell) bool {
		return c.Protocol != anthropic && (c.Order == middle && c.single() || c.Content == serverCall && c.Last == open)
	}},
}

// Reason is why some combinations are no cells, and how many.
type Reason struct {
	Why string
	N   int
}

// Reasons counts the absent combinations by their reasons, in the order in
// which each first came.
func (m Matrix) Reasons() []Reason {
	var out []Reason
	for _, a := range m.Absent {
		i := slices.IndexFunc(out, func(r Reason) bool { return r.Why == a.Why })
		if i < 0 {
			i = len(out)
			out = append(out, Reason{Why: a.Why})
		}
		out[i].N++
	}
	return out
}
