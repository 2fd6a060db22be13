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
// torn tail that was quarantined, an attempt that was discarded, a call that
// began before its answer was whole, a record that could not be written, an
// abort, an audit suffix that was made again.
//
// A rule names the kinds of evidence it cannot do without. Where one of them
// does not exist (a foreign agent keeps no transcript), or where the scenario
// itself took something out of it, the rule is not applicable: that is said, and
// it is never counted as passed. Within a rule, what needs a limit that is not
// known (evidence.Limits), a time or an exchange that nobody saw, is not judged.
//
// The rules share nothing with the loop that they judge. What the model said,
// and why a request failed, they read again from the bytes on the wire, with the
// codec and with an assembler of their own (turn.go, asked.go); what is durable
// they take from the trace. What the loop could have done instead is in no
// evidence, so they do not judge its choices, only what a choice led to: a
// cheaper rung behind a dearer one, a retry that is no smaller, a counter that
// fell.
//
// The groups, each with its files; All lists them in the order in which they are
// checked and reported:
//
//	stop      when the loop goes on, what may run, how a run ends, what a success is
//	ladder    which recovery comes when, what it changed, how often it may come
//	record    what is durable before what, and whether it is true
//	resume    what a life after a crash knows and does
//	wire      what is asked, how often, and how soon again
//	tools     the order of calls and their results
//	context   what is taken out of a conversation that is too long
//	cancel    what an abort leaves
//	secrets, run, bench
package invariants
