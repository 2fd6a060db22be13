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
	mu      sync.Mutex
	waiting map[*variant]int // those that will run and have not asked yet, by their first
	left    map[*variant][]*evidence.Evidence
}

// join counts a variant that will be run.
func (f *families) join(sc *Scenario, i int) {
	if first := sc.variants[sc.variants[i].first]; first != sc.variants[i] && sc.plans[i].unsaid == "" {
		if f.waiting == nil {
			f.waiting, f.left = map[*variant]int{}, map[*variant][]*evidence.Evidence{}
		}
		f.waiting[first]++
	}
}

// other is what the engine's variant left behind in the first protocol; nil
// where it is that one, or where what happens is not the same on purpose.
func (f *families) other(e *engine, whole bool) []*evidence.Evidence {
	first := e.sc.variants[e.v.first]
	if first == e.v {
		return nil
	}
	f.mu.Lock()
	left := f.left[first]
	if f.waiting[first]--; f.waiting[first] == 0 {
		delete(f.left, first)
	}
	f.mu.Unlock()
	switch {
	case e.wired() || e.guest != nil || !whole || e.plan.apart || e.sc.plans[e.v.first].unsaid != "":
		return nil
	case left != nil:
		return left
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
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting[e.v] > 0 && e.guest == nil {
		f.left[e.v] = all
	}
}
