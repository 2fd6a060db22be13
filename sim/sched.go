package sim

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

type task struct {
	id     int
	name   string
	at     string // what it waits for
	main   bool
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	idx    int // in Machine.tasks
	parked bool
	trip   int // in External: the number of the trip; else 0
	watch  int // in Machine.watched, from 1; else 0
	ctx    context.Context
	timer  timer // of its Sleep
	rested bool  // it was the timer that woke it
}

// loop resumes whoever holds the baton. A task that dies by Goexit takes the
// goroutine that resumed it along (so iter.Pull has it); another then goes on.
func (m *Machine) loop() {
	finished := false
	defer func() {
		if !finished {
			go m.loop()
		}
	}()
	for {
		t, leaving := m.next, m.leaving
		m.next, m.leaving = nil, nil
		if leaving != nil {
			go m.accompany(leaving)
		}
		if t != nil {
			t.resume()
			continue
		}
		m.w.mu.Lock()
		finished = len(m.tasks) == 0
		m.w.mu.Unlock()
		if finished {
			close(m.done)
			return
		}
		<-m.kick
		m.w.mu.Lock()
		m.next = m.pick()
		m.w.mu.Unlock()
	}
}

// spawn adds a task. Lock held.
func (m *Machine) spawn(name string, f func()) *task {
	m.spawned++
	t := &task{id: m.spawned, name: name, at: "its first turn", idx: len(m.tasks)}
	t.timer.sleep = t
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		m.live(t, f)
	})
	m.tasks = append(m.tasks, t)
	m.ready = append(m.ready, t)
	return t
}

// live is a task's whole life.
func (m *Machine) live(t *task, f func()) {
	returned := false
	defer func() { m.gone(t, returned) }()
	if m.dead.Load() {
		runtime.Goexit()
	}
	defer func() {
		if v := recover(); v != nil {
			m.panicked(t, v)
		}
	}()
	f()
	returned = true
}

func (m *Machine) panicked(t *task, v any) {
	stack := string(debug.Stack())
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	if m.dead.Load() {
		return // a deferred function of a dying task; it did not happen
	}
	m.out.Panic = fmt.Sprintf("%s: %v", t.name, v)
	m.out.Stack = stack
	m.die()
}

func (m *Machine) gone(t *task, returned bool) {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	last := len(m.tasks) - 1
	m.tasks[t.idx] = m.tasks[last]
	m.tasks[t.idx].idx = t.idx
	m.tasks[last] = nil
	m.tasks = m.tasks[:last]
	if t.main {
		m.mainDone = true
		m.fallen = !returned && !m.dead.Load()
	}
	m.cur = nil
	m.next = m.pick()
}

// pick chooses who gets the baton, which nobody holds; nil: nobody is left, or
// all are abroad. Lock held.
func (m *Machine) pick() *task {
	for {
		m.scan()
		if len(m.ready) > 0 {
			break
		}
		switch {
		case len(m.returned) > 0:
			// Only now, when nothing else can move: a return from the real
			// world happens at no moment that a seed could repeat.
			t := slices.MinFunc(m.returned, func(a, b *task) int { return a.trip - b.trip })
			m.returned = slices.DeleteFunc(m.returned, func(r *task) bool { return r == t })
			t.trip = 0
			m.ready = append(m.ready, t)
		case len(m.tasks) == 0:
			return nil
		case m.mainDone && !m.dead.Load():
			m.out.Left = m.where()
			m.die()
		case m.abroad > 0:
			m.resting = true
			return nil
		case len(m.timers) > 0:
			m.advance()
		default:
			m.out.Deadlock = strings.Join(m.where(), "; ")
			m.die()
		}
	}
	i := 0
	if m.rng != nil && len(m.ready) > 1 {
		i = m.rng.IntN(len(m.ready))
	}
	t := m.ready[i]
	m.ready = slices.Delete(m.ready, i, i+1)
	m.cur = t
	m.out.Switches++
	return t
}

// advance moves time to the next timer and fires all that are due. Lock held.
func (m *Machine) advance() {
	now := m.timers[0].when
	m.w.now.Store(int64(now))
	for len(m.timers) > 0 && m.timers[0].when <= now {
		t := m.timers[0]
		m.timers.remove(t)
		if t.sleep != nil {
			t.sleep.rested = t.sleep.parked // else its context was first
			m.wake(t.sleep)
			continue
		}
		t.ctx.expire()
		m.scan()
	}
}

// scan wakes the tasks whose context has ended. Contexts are those of package
// context, so one that somebody derived is seen too. Lock held.
func (m *Machine) scan() {
	for i := 0; i < len(m.watched); {
		if t := m.watched[i]; t.ctx.Err() != nil {
			m.wake(t) // puts another in its place
		} else {
			i++
		}
	}
}

// wake makes a parked task ready. Lock held.
func (m *Machine) wake(t *task) {
	if !t.parked {
		return
	}
	t.parked = false
	m.unwatch(t)
	m.ready = append(m.ready, t)
}

func (m *Machine) unwatch(t *task) {
	if t.watch == 0 {
		return
	}
	last := len(m.watched)
	moved := m.watched[last-1]
	m.watched[t.watch-1] = moved
	moved.watch = t.watch
	m.watched[last-1] = nil
	m.watched = m.watched[:last-1]
	t.watch, t.ctx = 0, nil
}

// park gives the baton away until somebody wakes the task, or ctx ends. It is
// called with the lock held and returns without it.
func (m *Machine) park(ctx context.Context, at string) {
	t := m.cur
	t.at, t.parked = at, true
	if ctx != context.Background() {
		t.ctx = ctx
		m.watched = append(m.watched, t)
		t.watch = len(m.watched)
	}
	m.hand(t)
}

// hand gives the baton to whoever is picked. Lock held; returns without it.
func (m *Machine) hand(t *task) {
	m.cur = nil
	n := m.pick()
	if n != t {
		m.next = n
		m.w.mu.Unlock()
		t.yield(struct{}{})
	} else {
		m.w.mu.Unlock()
	}
	if m.dead.Load() {
		runtime.Goexit()
	}
}

// poke wakes a loop that rests, after something that may have made a task
// ready from outside. Lock held.
func (m *Machine) poke() {
	if m.resting {
		m.resting = false
		m.kick <- struct{}{}
	}
}
