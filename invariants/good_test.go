package invariants_test

import (
	"slices"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/invariants"
)

// goodLoop is one of them.
type goodLoop struct {
	name string
	make func(t testing.TB) *builder
}

// good are the legitimate states: whatever a correct loop can leave behind. No
// rule may say anything about any of them.
var good = slices.Concat(goodTurns, goodCrashes, goodCalls, goodLadder, goodContext, goodRetry)

func TestGood(t *testing.T) {
	for _, g := range good {
		t.Run(g.name, func(t *testing.T) {
			b := g.make(t)
			for _, f := range b.check() {
				t.Errorf("a correct loop is blamed:\n%s", f)
			}
			if t.Failed() {
				t.Logf("\n%s", evidence.Normalise(b.transcript))
			}
		})
	}
}

// A rule that cannot be judged says so, and is not counted as applied.
func TestMissingEvidence(t *testing.T) {
	b := good[0].make(t)
	ev := b.done()
	ev.Missing = []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace}
	_, applied, skipped := invariants.Check(ev, invariants.Options{})
	if len(applied)+len(skipped) != len(invariants.All()) {
		t.Errorf("%d rules applied and %d skipped of %d", len(applied), len(skipped), len(invariants.All()))
	}
	for _, name := range applied {
		r, _ := invariants.Lookup(name)
		for _, k := range r.Needs {
			if !ev.Has(k) {
				t.Errorf("%s was applied without %s", name, k)
			}
		}
	}
	for _, k := range evidence.Kinds() {
		ev := b.done()
		ev.Missing = nil
		ev.Damaged = []evidence.Damage{{Kind: k, What: "damage x cut=1", Lost: true}}
		_, applied, _ := invariants.Check(ev, invariants.Options{})
		for _, name := range applied {
			r, _ := invariants.Lookup(name)
			for _, n := range r.Needs {
				if n == k {
					t.Errorf("%s was applied though the scenario damaged the %s", name, k)
				}
			}
		}
	}
}
