package tools

import (
	"context"
	"sync"

	"github.com/harnessbench/bench/harness/env"
)

// Flight runs calls in tasks of their own beside its owner, so that a call may
// begin while the answer that asks for it still streams (B4), and so that no
// call of a batch waits for a slower sibling.
//
// It belongs to one task, its owner, who alone calls its methods; what a call
// became is handed to the owner, who may then commit it. Owners end a flight
// with Stop, also when nothing runs any more: that releases its context.
type Flight struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	e     env.Env
	opt   Options
	limit int
	bell  env.Note // a latch of one: landed says how often it rang
	out   int      // launched, and not handed to the owner

	mu     sync.Mutex
	landed []Landing // ended, and not handed to the owner
}

// Landing is the end of one call of a flight.
type Landing struct {
	K       int // the number that the call was launched under
	Outcome Outcome
}

// NewFlight makes a flight of at most limit calls at once (0 takes
// DefaultConcurrency). Its calls are told to stop when ctx ends.
func NewFlight(ctx context.Context, e env.Env, opt Options, limit int) *Flight {
	if limit <= 0 {
		limit = DefaultConcurrency
	}
	f := &Flight{e: e, opt: opt, limit: limit, bell: e.Clock.Note()}
	f.ctx, f.end = e.Clock.WithCancel(ctx)
	return f
}

// Free reports whether one more call may be launched: fewer than the limit are
// running, and nobody told the flight to stop.
func (f *Flight) Free() bool { return f.out < f.limit && f.ctx.Err() == nil }

// Running returns how many calls were launched and have not been handed over
// by Landed or Wait: to the owner they are running, whatever their tasks do.
func (f *Flight) Running() int { return f.out }

// Launch starts a call under the number k, which its landing carries. It never
// waits; whether there is room is the owner's to ask.
func (f *Flight) Launch(k int, j Job) {
	f.out++
	f.e.Clock.Go("call "+j.Tool.Name+" "+j.Call.ID, func() {
		o := Execute(f.ctx, f.e, j.Tool, j.Call, f.opt)
		f.mu.Lock()
		f.landed = append(f.landed, Landing{k, o})
		f.mu.Unlock()
		f.bell.Set()
	})
}

// Landed hands over the calls that ended since the last time, in order of
// completion, without waiting.
func (f *Flight) Landed() []Landing {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.landed
	f.landed = nil
	f.out -= len(l)
	return l
}

// Wait waits until at least one call has ended and hands over those that have;
// nil when none runs. It needs no context: every call obeys the flight's and
// comes back within the grace period.
func (f *Flight) Wait() []Landing {
	for f.out > 0 {
		if l := f.Landed(); len(l) > 0 {
			return l
		}
		// The background has no end; should the machine say otherwise, looking
		// again is right all the same.
		_ = f.bell.Wait(context.Background(), "a call in flight")
	}
	return nil
}

// Stop tells every running call to stop; each lands within the grace period.
// What is launched later is not entered. The first cause counts.
func (f *Flight) Stop(cause error) { f.end(cause) }
