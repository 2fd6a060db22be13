package sim

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// Machine is one life: one process's time with the world.
//
// Its tasks are coroutines (iter.Pull), not goroutines that hand each other a
// channel: a switch is 40-70 ns of CPU whatever else the computer does, where a
// channel wakes another thread and costs microseconds as soon as tasks work
// between switches. One goroutine, loop, resumes the task that holds the baton.
//
// Fields are guarded by the world's mutex. It is hardly ever contended: only
// External functions and Kill from outside run beside the baton.
type Machine struct {
	w     *World
	life  int
	probe env.Probe
	rng   *rand.Rand // nil: first come first served

	running bool
	dead    atomic.Bool // no task runs another statement of its own
	over    atomic.Bool // Run has returned
	out     Outcome
	began   time.Duration

	tasks   []*task
	ready   []*task
	watched []*task // parked with a context whose end wakes them
	timers  timers
	seq     uint64 // of timers
	spawned int
	ids     int // session ids made

	cur      *task // who holds the baton
	next     *task // who gets it when cur gives it up
	leaving  *task // cur is on its way into External
	trips    int   // External calls so far
	abroad   int   // tasks in External
	returned []*task
	resting  bool // nobody is ready and somebody is abroad: loop waits for kick
	kick     chan struct{}
	done     chan struct{}
	mainDone bool
	fallen   bool // main was ended by a Goexit that was not ours

	tops map[*topContext]struct{}

	// the file system's part
	ops  int
	hook func(Op) Action
	arms []arm
	open map[*handle]struct{}
	held []func() error // locks
}

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

// Outcome says how a life ended.
type Outcome struct {
	Crashed  bool   // Kill ended it
	Point    string // why, in Kill's words
	Deadlock string // every task waited for another; each with what it waited for
	Panic    string // the task that panicked and with what; the life died of it
	Stack    string // of that panic
	// Left names the tasks that were still waiting when main had returned and
	// nobody else could move, each with what it waited for. They were killed.
	Left     []string
	Elapsed  time.Duration // virtual
	Switches int           // how often a task got the baton
}

// Run runs main as the life's first task, and returns when every task is gone.
// A machine runs once. When main itself ends by runtime.Goexit, as it does in
// t.Fatal, Run ends its caller in the same way.
func (m *Machine) Run(main func()) Outcome {
	m.w.mu.Lock()
	if m.running || m.over.Load() {
		m.w.mu.Unlock()
		panic(fmt.Sprintf("sim: life %d has run; boot another", m.life))
	}
	m.running = true
	m.began = m.w.elapsed()
	t := m.spawn("main", main)
	t.main = true
	m.next = m.pick()
	m.w.mu.Unlock()

	go m.loop()
	<-m.done

	for h := range m.open { // a process's end closes its files and frees its locks
		h.base.Close()
	}
	for _, unlock := range m.held {
		unlock()
	}
	m.w.mu.Lock()
	m.running = false
	m.over.Store(true)
	m.out.Elapsed = m.w.elapsed() - m.began
	m.w.mu.Unlock()
	if m.fallen {
		runtime.Goexit()
	}
	return m.out
}

// Life returns the number of the life, from 1.
func (m *Machine) Life() int { return m.life }

// Alive reports whether the life goes on. What a dead life still does, in its
// deferred functions, did not happen: whoever writes evidence for it asks first.
func (m *Machine) Alive() bool { return !m.dead.Load() && !m.over.Load() }

// Kill ends the life here, as SIGKILL would: no task runs another statement of
// its own. Deferred functions run, because Go runs them, but the world ignores
// them; recover does not help, because nothing panics. Kill does not return:
// it ends the calling goroutine, which is a task's, or any other that shall die.
func (m *Machine) Kill(why string) {
	m.w.mu.Lock()
	if !m.dead.Load() && !m.over.Load() {
		m.out.Crashed, m.out.Point = true, why
		m.w.traceLocked(evidence.Step{Kind: evidence.StepKill})
		m.die()
		m.poke()
	}
	m.w.mu.Unlock()
	runtime.Goexit()
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

// die ends the life: every task that waits is woken to end. Lock held.
func (m *Machine) die() {
	m.dead.Store(true)
	m.ready = m.ready[:0]
	for _, t := range m.tasks {
		m.unwatch(t)
		t.parked = false
		if t != m.cur && t.trip == 0 {
			m.ready = append(m.ready, t)
		}
	}
	slices.SortFunc(m.ready, func(a, b *task) int { return a.id - b.id })
	for len(m.timers) > 0 {
		m.timers.remove(m.timers[len(m.timers)-1])
	}
	for c := range m.tops { // child processes and sockets hang on them
		c.cancel(errDead)
	}
	clear(m.tops)
}

// poke wakes a loop that rests, after something that may have made a task
// ready from outside. Lock held.
func (m *Machine) poke() {
	if m.resting {
		m.resting = false
		m.kick <- struct{}{}
	}
}

// where lists who waits for what, in order of their start. Lock held.
func (m *Machine) where() []string {
	tasks := slices.SortedFunc(slices.Values(m.tasks), func(a, b *task) int { return a.id - b.id })
	list := make([]string, 0, len(tasks))
	for _, t := range tasks {
		list = append(list, t.name+" waits for "+t.at)
	}
	return list
}

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

// fence ends the calling task when its life is dead. Lock held.
func (m *Machine) fence() {
	if m.dead.Load() {
		m.w.mu.Unlock()
		runtime.Goexit()
	}
}
