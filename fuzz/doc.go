// Package fuzz draws scenarios that nobody thought of, runs them, and makes what
// fails small enough to read.
//
//	sum, err := fuzz.Run(ctx, fuzz.Options{Seed: 1, Time: time.Minute, Out: "failures"})
//	for _, f := range sum.Found {
//		fmt.Println(f.Rule, f.File, f.Again) // a .txtar, and the command that runs it
//	}
//
// Space.Generator is the generator: whole scenario files, from rapid's choices,
// so that a property test draws from the same space. What is drawn is judged by
// the rules alone, since nobody has said what is to come of it; so everything
// that the rules cannot see is not found here.
//
// Scenario number i of a seed is the same in every run, whatever the number of
// workers and the time: a budget of time decides only how many there are. Of each
// rule the first scenario that breaks it is shrunk, on the same rule: first by
// rapid, which draws smaller scenarios, then line by line and word by word, which
// rapid cannot. What comes of it is run again as bench run would, from its file,
// before it is reported.
package fuzz
