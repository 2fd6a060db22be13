package mutants

// All returns every mutant.
func All() []Mutant { return nil }
