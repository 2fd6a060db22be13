package cells

// ScenarioBy is the cell's scenario as if row r decided it.
func (c Cell) ScenarioBy(r Row) string { return c.scenario(r) }

// ExpectBy is the row of another table that decides the cell.
func (c Cell) ExpectBy(table []Row) Row { return c.expect(table) }

// Flips are the row's verdicts with one of them wrong: each value of each field
// that it does not have.
func (r Row) Flips() map[string][]Row {
	out := map[string][]Row{}
	for _, f := range []struct {
		name string
		at   func(*Row) *string
		all  []string
	}{
		{"ran", func(r *Row) *string { return &r.Did.Ran }, []string{noCall, everyCall, butTheLast}},
		{"then", func(r *Row) *string { return &r.Did.Then }, []string{"", "next_turn", "transport_retry", "empty_retry"}},
		{"end", func(r *Row) *string { return &r.Said.End }, []string{"completed", "model_error", "max_turns", "refused"}},
		{"answer", func(r *Row) *string { return &r.Said.Answer }, []string{kept, discarded}},
		{"text", func(r *Row) *string { return &r.Said.Text }, []string{own, after, both, none}},
		{"calls", func(r *Row) *string { return &r.Said.Calls }, []string{unrecorded, done, lastCut, lastInvalid, refused}},
	} {
		for _, v := range f.all {
			if g := r; *f.at(&g) != v {
				*f.at(&g) = v
				out[f.name] = append(out[f.name], g)
			}
		}
	}
	return out
}
