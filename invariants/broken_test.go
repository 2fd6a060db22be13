package invariants_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/invariants"
)

// brokenLoop is what a broken loop leaves behind: it breaks exactly one rule.
type brokenLoop struct {
	rule, name string
	make       func(t testing.TB) *builder
	says       string                                  // part of the finding's sentence
	opts       func(b *builder, o *invariants.Options) // nil: the builder's
}

var broken = slices.Concat(brokenStop, brokenRecord, brokenResume, brokenWire, brokenCalls, brokenOutcomes, brokenLadder, brokenProgress, brokenContext, brokenRetry)

// one is a session with one answer, committed as it came, and its terminal.
func one(a answer, reason string) func(t testing.TB) *builder {
	return func(t testing.TB) *builder {
		b := newBuilder(t).start()
		b.user("go")
		b.answered(b.ask(a), a, nil)
		b.ends(reason)
		return b
	}
}

func TestBroken(t *testing.T) {
	per := map[string]int{}
	memo := invariants.NewMemo() // remembers what is good, and hides nothing that is not
	for _, x := range broken {
		per[x.rule]++
		t.Run(x.rule+"/"+x.name, func(t *testing.T) {
			b := x.make(t)
			o := b.options()
			if x.opts != nil {
				x.opts(b, &o)
			}
			ev := b.done()
			findings, applied, _ := invariants.Check(ev, o)
			o.Memo = memo
			for range 2 {
				if again, _, _ := invariants.Check(ev, o); !reflect.DeepEqual(again, findings) {
					t.Errorf("with a memo the findings are others: %v", again)
				}
			}
			hit := false
			for _, f := range findings {
				if f.Rule != x.rule {
					t.Errorf("another rule is blamed:\n%s", f)
				}
				hit = hit || strings.Contains(f.What, x.says)
			}
			if !hit {
				t.Errorf("nothing says %q; applied: %v; findings:", x.says, applied)
			}
			for _, f := range findings {
				t.Logf("%s", f)
				for _, s := range ev.Secrets {
					if strings.Contains(f.String(), s) {
						t.Errorf("the finding holds the canary %q", s)
					}
				}
			}
			if t.Failed() {
				t.Logf("\n%s", evidence.Normalise(b.transcript))
			}
		})
	}
	for _, r := range invariants.All() {
		if per[r.Name] < 2 {
			t.Errorf("%s has %d broken examples; want at least two", r.Name, per[r.Name])
		}
	}
}
