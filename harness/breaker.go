package harness

import (
	"maps"
	"math"
	"slices"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// The state counts each tool's failures in a row and knows when the last one
// was; when so many open the breaker, and for how long, is asked of the limits
// only when a call is due. So folding a transcript needs no limits (C10).

// learned steps over an outcome. What was refused or never ran tells nothing
// of the tool.
func (s State) learned(r *journal.Record) State {
	st := r.State
	if r.Kind == journal.KindToolError {
		st = journal.Failed
	}
	b, known := s.breakers[r.Name]
	if st == journal.Refused || st == journal.Never || !known && st != journal.Failed || r.Name == "" {
		return s
	}
	n := b.After(st, r.Code, r.Time, math.MaxInt)
	if n.Fails > b.Fails {
		n.Opened, n.Probing = max(r.Time, 1), false
	}
	return s.withBreaker(r.Name, n)
}

// probing notes that a call of a tool that failed is on its way.
func (s State) probing(name string) State {
	b, known := s.breakers[name]
	if !known || b.Probing {
		return s
	}
	return s.withBreaker(name, b.Probe())
}

func (s State) withBreaker(name string, b tools.Breaker) State {
	if s.breakers[name] == b {
		return s
	}
	m := make(map[string]tools.Breaker, len(s.breakers)+1)
	maps.Copy(m, s.breakers)
	if m[name] = b; b == (tools.Breaker{}) {
		delete(m, name)
	}
	s.breakers = m
	return s
}

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// breakers are the breakers while the calls of one answer are looked through,
// as they were when it was asked for: what becomes of its first calls changes
// nothing for the others, so that nothing depends on how fast they were. Of a
// tool that is half open, one call of the answer is the probe.
type breakers struct {
	by     map[string]tools.Breaker
	probes map[string]bool
	ran    func(name string) bool // whether a call of the answer has started
	limits Limits
	now    int64
}

func (l *loop) breakers() breakers {
	return breakers{by: l.s.known, ran: l.s.ran, limits: l.limits, now: l.env.Clock.Now().UnixMilli(), probes: map[string]bool{}}
}

// ran reports whether a call of that tool in the answer at hand has started.
func (s State) ran(name string) bool {
	waits := func(call string) bool { // or was answered without
		return slices.ContainsFunc(s.Open, func(c OpenCall) bool { return c.Call == call && !c.Started })
	}
	if s.Attempt != "" { // it still streams
		return slices.ContainsFunc(s.early, func(e Entry) bool { return e.Kind == EntryCall && e.Name == name && !waits(e.Call) })
	}
	not := map[string]bool{}
	for i := s.history.Len() - 1; i >= 0 && s.history.At(i).Kind != EntryAssistant; i-- {
		switch e := s.history.At(i); e.Kind {
		case EntryResult:
			not[e.Call] = e.State == journal.Refused || e.State == journal.Never
		case EntryCall:
			if e.Name == name && e.Code == "" && !not[e.Call] && !waits(e.Call) {
				return true
			}
		}
	}
	return false
}

// refuses says why a call of a tool may not run now; nil when it may.
func (b breakers) refuses(name string) *tools.Refusal {
	k, known := b.by[name]
	if !known || b.limits.BreakerAfter <= 0 || k.Fails < b.limits.BreakerAfter {
		return nil
	}
	k.Probing = k.Probing || b.probes[name] || b.ran(name)
	ok, probe := k.Admit(b.now, b.limits.BreakerFor)
	if !ok {
		return k.Refusal(name, b.now, b.limits.BreakerFor)
	}
	b.probes[name] = b.probes[name] || probe
	return nil
}
