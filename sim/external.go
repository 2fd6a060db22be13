package sim

import "runtime"

// External runs f beside the baton, see env.Clock.
func (m *Machine) external(f func()) {
	m.w.mu.Lock()
	m.fence()
	t := m.cur
	if t == nil { // not a task: nothing to give away
		m.w.mu.Unlock()
		f()
		return
	}
	m.trips++
	m.abroad++
	t.trip, t.at = m.trips, "the outside world"
	m.leaving = t
	m.cur = nil
	m.next = m.pick()
	m.w.mu.Unlock()
	t.yield(struct{}{}) // loop lets accompany resume it
	// Also when f panics or ends its goroutine: what comes after, a deferred
	// function that recovers for example, needs the baton.
	defer func() {
		t.yield(struct{}{}) // back to accompany, then, some time, to loop
		if m.dead.Load() {
			runtime.Goexit()
		}
	}()
	f()
}

// accompany runs a task's External function on the task's own stack, beside loop.
func (m *Machine) accompany(t *task) {
	defer func() {
		m.w.mu.Lock()
		m.abroad--
		m.returned = append(m.returned, t)
		m.poke()
		m.w.mu.Unlock()
	}()
	t.resume()
}
