package mutants

// All returns every mutant, by the group of the rule that it breaks first.
func All() []Mutant {
	var all []Mutant
	for _, group := range [][]Mutant{stopMutants(), gateMutants(), ladderMutants(), rungMutants(), contextMutants(), callMutants(), endMutants(), limitMutants(), stageMutants(), recordMutants(), resumeMutants(), wireMutants(), otherMutants()} {
		all = append(all, group...)
	}
	return all
}
