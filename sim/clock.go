package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

var (
	errDead = errors.New("the life is dead")
	errOver = errors.New("the life is over")
)

// clock is env.Clock on a machine.
type clock struct{ m *Machine }

func (c clock) Now() time.Time { return c.m.w.Now() }

func (c clock) Go(name string, f func()) {
	m := c.m
	m.w.mu.Lock()
	m.fence()
	if !m.over.Load() {
		m.spawn(name, f)
		m.poke()
	}
	m.w.mu.Unlock()
}

func (c clock) External(f func()) { c.m.external(f) }

// task returns who holds the baton. A wait by anybody else would suspend the
// wrong one. Lock held.
func (m *Machine) task(at string) *task {
	m.fence()
	if m.cur == nil {
		m.w.mu.Unlock()
		panic(fmt.Sprintf("sim: a wait for %s outside of Run and of every task; start a task with Clock.Go", at))
	}
	return m.cur
}

func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	const at = "the end of its sleep"
	m := c.m
	m.w.mu.Lock()
	t := m.task(at)
	if ctx.Err() != nil {
		m.w.mu.Unlock()
		return context.Cause(ctx)
	}
	if d <= 0 {
		if m.scan(); len(m.ready) == 0 {
			m.w.mu.Unlock()
			return nil
		}
		t.at = "its next turn"
		m.ready = append(m.ready, t)
		m.hand(t)
		return context.Cause(ctx)
	}
	m.arm(&t.timer, d)
	t.rested = false
	m.park(ctx, at)
	if t.rested {
		return nil
	}
	m.w.mu.Lock()
	if t.timer.pos != 0 {
		m.timers.remove(&t.timer)
	}
	m.w.mu.Unlock()
	return context.Cause(ctx)
}

// arm sets a timer, or moves it. Lock held.
func (m *Machine) arm(t *timer, d time.Duration) {
	if t.pos != 0 {
		m.timers.remove(t)
	}
	m.seq++
	t.when, t.seq = m.w.elapsed()+max(d, 0), m.seq
	m.timers.push(t)
}

func (c clock) Note() env.Note { return &note{m: c.m} }

type note struct {
	m   *Machine
	set bool
	w   *task
}

func (n *note) Set() {
	m := n.m
	m.w.mu.Lock()
	n.set = true
	if n.w != nil && !m.dead.Load() {
		m.wake(n.w)
		m.poke()
	}
	m.w.mu.Unlock()
}

func (n *note) Wait(ctx context.Context, at string) error {
	m := n.m
	m.w.mu.Lock()
	t := m.task(at)
	switch {
	case n.set:
		n.set = false
		m.w.mu.Unlock()
		return nil
	case ctx.Err() != nil:
		m.w.mu.Unlock()
		return context.Cause(ctx)
	case n.w != nil:
		other := n.w.name
		m.w.mu.Unlock()
		panic(fmt.Sprintf("sim: %s waits for %s while %s does; a note has one waiter", t.name, at, other))
	}
	n.w = t
	m.park(ctx, at)
	m.w.mu.Lock() // a Set may come from outside
	set := n.set
	n.w, n.set = nil, false
	m.w.mu.Unlock()
	if set {
		return nil
	}
	return context.Cause(ctx)
}

// Contexts are those of package context: Done is a real channel, Cause works,
// and whatever the standard library derives from one ends in the same step. The
// machine only has to look at the watched ones whenever the baton moves (scan).
//
// topContext marks a context as derived from this machine. Only the topmost of
// a tree is one; they are kept, to be ended with the life: a child process that
// was started with one dies with it instead of keeping Run waiting.
type topContext struct {
	context.Context
	m      *Machine
	cancel context.CancelCauseFunc
}

type machineKey struct{}

func (c *topContext) Value(key any) any {
	if key == (machineKey{}) {
		return c.m
	}
	return c.Context.Value(key)
}

func (m *Machine) derive(parent context.Context) (context.Context, context.CancelCauseFunc, *topContext) {
	ctx, cancel := context.WithCancelCause(parent)
	if parent.Value(machineKey{}) == any(m) {
		return ctx, cancel, nil
	}
	top := &topContext{ctx, m, cancel}
	m.w.mu.Lock()
	if m.dead.Load() {
		cancel(errDead)
	} else {
		m.tops[top] = struct{}{}
	}
	m.w.mu.Unlock()
	return top, cancel, top
}

func (c clock) WithCancel(parent context.Context) (context.Context, context.CancelCauseFunc) {
	m := c.m
	ctx, cancel, top := m.derive(parent)
	return ctx, func(cause error) {
		cancel(cause)
		m.w.mu.Lock()
		delete(m.tops, top)
		m.poke()
		m.w.mu.Unlock()
	}
}

func (c clock) WithTimer(parent context.Context, cause error) (context.Context, env.Timer) {
	ctx, cancel, top := c.m.derive(parent)
	t := &timedContext{m: c.m, cancel: cancel, cause: cause, top: top}
	t.timer.ctx = t
	return ctx, t
}

// timedContext is the timer of a context.
type timedContext struct {
	m       *Machine
	cancel  context.CancelCauseFunc
	cause   error
	top     *topContext
	stopped bool
	timer   timer
}

func (t *timedContext) Reset(d time.Duration) {
	m := t.m
	m.w.mu.Lock()
	if !t.stopped && !m.dead.Load() {
		m.arm(&t.timer, d)
	}
	m.w.mu.Unlock()
}

func (t *timedContext) Stop() {
	t.cancel(nil)
	m := t.m
	m.w.mu.Lock()
	t.stopped = true
	if t.timer.pos != 0 {
		m.timers.remove(&t.timer)
	}
	delete(m.tops, t.top)
	m.poke()
	m.w.mu.Unlock()
}

// expire ends the context because the timer ran out. Lock held.
func (t *timedContext) expire() {
	t.stopped = true
	delete(t.m.tops, t.top)
	t.cancel(t.cause)
}
