package invariants_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/invariants"
)

func init() {
	invariants.Pool = func(t testing.TB) []*evidence.Evidence {
		var list []*evidence.Evidence
		for _, g := range good {
			list = append(list, g.make(t).done())
		}
		for _, b := range broken {
			list = append(list, b.make(t).done())
		}
		return list
	}
}

// session is a good session of that many turns with a call each. Requests show
// only the last few messages, so that the evidence grows with the turns and
// not with their square.
func session(t testing.TB, turns int) *builder {
	b := newBuilder(t).start()
	b.ev.Limits.MaxTurns = turns + 1
	b.user("go")
	for i := range turns {
		if len(b.msgs) > 5 {
			b.msgs = append(b.msgs[:1:1], b.msgs[len(b.msgs)-4:]...)
		}
		a := answer{text: "Turn after turn, line after line.", calls: []tc{{id: fmt.Sprintf("t%d", i), name: "append", input: `{"file":"notes.txt","line":"hello"}`}}}
		c := b.answered(b.ask(a), a, nil)[0]
		b.runs(c, "append")
		b.goesOn("next_turn")
	}
	b.lastTurn()
	return b
}

// Checking is linear: ten times the evidence takes about ten times as long.
// Counted in allocations, which no other process disturbs.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("builds long sessions")
	}
	per := func(turns int) float64 {
		b := session(t, turns)
		ev := b.done()
		if f, _, _ := invariants.Check(ev, b.options()); len(f) > 0 {
			t.Fatalf("a good session of %d turns is blamed:\n%s", turns, f[0])
		}
		return testing.AllocsPerRun(1, func() { invariants.Check(ev, b.options()) }) / float64(len(ev.Records))
	}
	short, long := per(60), per(600)
	if long > 1.3*short {
		t.Errorf("%.1f allocations a record in a long session, %.1f in a short one", long, short)
	}
}

// memo: what was proved of the same bytes before is remembered, as in a sweep.
func BenchmarkCheck(b *testing.B) {
	for _, x := range []struct {
		turns int
		memo  *invariants.Memo
	}{{3, nil}, {3, invariants.NewMemo()}, {1000, nil}, {10000, nil}} {
		b.Run(fmt.Sprintf("turns=%d/memo=%v", x.turns, x.memo != nil), func(b *testing.B) {
			s := session(b, x.turns)
			ev := s.done()
			o := s.options()
			o.Memo = x.memo
			b.ReportAllocs()
			for b.Loop() {
				if f, _, _ := invariants.Check(ev, o); len(f) > 0 {
					b.Fatal(f[0])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ev.Records)), "ns/record")
		})
	}
}

// Where the time of a check goes, by rule.
func BenchmarkRules(b *testing.B) {
	s := session(b, 1000)
	ev := s.done()
	all := invariants.All()
	for _, r := range all {
		if !slices.Contains(ruleNames(ev, s), r.Name) {
			continue
		}
		b.Run(r.Name, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				c := invariants.NewCase(ev, s.options())
				start := time.Now()
				r.Check(c)
				spent += time.Since(start)
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/float64(len(ev.Records)), "ns/record")
		})
	}
}

func ruleNames(ev *evidence.Evidence, s *builder) []string {
	_, applied, _ := invariants.Check(ev, s.options())
	return applied
}
