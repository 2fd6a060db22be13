package scenarios

import (
	"sync"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// families holds what variants left behind in the first protocol of their file,
// for those that are the same in another one to be compared with. Who comes
// before the first is done, or alone, runs it again: the outcome is the same.
type families struct {
	mu   sync.Mutex
	left map[*variant]*family
}

type family struct {
	evidence []*evidence.Evidence
	waiting  int // members that have not asked yet
}

// other is what the engine's variant left behind in the first protocol; nil
// where it is that one, or where what happens is not the same on purpose.
func (f *families) other(e *engine, whole bool) []*evidence.Evidence {
	if e.wired() || e.v.real || e.guest != nil || e.sc.variants[e.v.first] == e.v || !whole || e.plan.apart || e.sc.plans[e.v.first].unsaid != "" {
		return nil
	}
	f.mu.Lock()
	k := e.sc.variants[e.v.first]
	one := f.left[k]
	if one != nil {
		if one.waiting--; one.waiting == 0 {
			delete(f.left, k)
		}
	}
	f.mu.Unlock()
	if one != nil {
		return one.evidence
	}
	return e.rerun(e.v.first, e.seed, whole)
}

// wired reports whether something that happened to the run was counted in events
// or bytes of the wire, which are others in another protocol.
func (e *engine) wired() bool {
	for _, a := range e.armed {
		if a.fired > 0 && (a.point == "*" || a.at == env.StreamEvent || a.what == "" && (a.at == env.PublishBefore || a.at == env.PublishAfter)) {
			return true
		}
	}
	return e.onBytes()
}

// leave keeps the evidence of a variant in its file's first protocol, as long as
// others may ask for it.
func (f *families) leave(e *engine, all []*evidence.Evidence) {
	n := 0
	for j := e.i + 1; j < len(e.sc.variants) && (e.sc.variants[j].real || e.sc.variants[j].first == e.i); j++ {
		if v := e.sc.variants[j]; !v.real && e.sc.plans[j].unsaid == "" {
			n++
		}
	}
	if n == 0 || e.v.real || e.guest != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left == nil {
		f.left = map[*variant]*family{}
	}
	f.left[e.v] = &family{all, n}
}
