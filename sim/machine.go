package sim

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// Machine is one life: one process's time with the world.
//
// Its tasks are coroutines (iter.Pull), not goroutines that hand each other a
// channel: a switch is about 0.1 us of CPU whatever else the computer does,
// where a channel wakes another thread and costs ten times that as soon as tasks
// work between switches and a processor is idle (BenchmarkSwitch). One goroutine,
// loop, resumes the task that holds the baton.
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

// fence ends the calling task when its life is dead. Lock held.
func (m *Machine) fence() {
	if m.dead.Load() {
		m.w.mu.Unlock()
		runtime.Goexit()
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
