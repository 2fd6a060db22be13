// Package invariants judges what a run left behind: a closed list of rules,
// each a small function from evidence to findings.
//
//	findings, applied, skipped := invariants.Check(ev, invariants.Options{
//		Fold: func(recs []journal.Record) (map[int64]string, error) { return harness.Digests(recs), nil },
//	})
//	for _, f := range findings {
//		fmt.Println(f) // the rule, one sentence, the place, a few lines around it
//	}
//
// A rule says what must hold whatever the scenario was, so it runs after every
// scenario, also behind a failed assertion. It convicts the loop that breaks it
// and never blames one that is in a legitimate state: a life that was killed, a
// torn tail that was quarantined, an attempt that was discarded, a record that
// could not be written, an abort, an audit suffix that was made again.
//
// A rule names the kinds of evidence it cannot do without. Where one of them
// does not exist (a foreign agent keeps no transcript), or where the scenario
// itself took something out of it, the rule is not applicable: that is said, and
// it is never counted as passed.
//
// The rules share nothing with the loop that they judge. What the model said
// they read again from the bytes on the wire, with the codec and with an
// assembler of their own (turn.go); what is durable they take from the trace.
//
// Each group of rules has a file; All lists them, in the order in which they
// are checked and reported.
package invariants
