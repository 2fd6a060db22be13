package tools

import (
	"context"
	"errors"
	"fmt"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
)

// Batches splits the n calls of a turn, in their order, into what may run
// together: contiguous calls without effects form one batch, every other call
// is a batch of its own. So a read after a write sees the write, and reads
// wait for nobody but the writes before them (C6).
func Batches(n int, readOnly func(i int) bool) [][]int {
	var out [][]int
	open := false // the last batch may still grow
	for i := range n {
		ro := readOnly(i)
		if ro && open {
			last := len(out) - 1
			out[last] = append(out[last], i)
		} else {
			out = append(out, []int{i})
		}
		open = ro
	}
	return out
}

// Job is one call of a batch and its tool.
type Job struct {
	Tool *Tool
	Call Call
}

// Batch says how a batch is run. Start and Done are called on the task that
// called RunBatch, one at a time, so they may commit.
type Batch struct {
	Options
	Limit int // calls running at once; 0 takes DefaultConcurrency
	// Start is called right before call i is entered, in call order; it may be
	// nil. An error ends the batch.
	Start func(i int) error
	// Done is called as soon as the outcome of call i is known: in the order of
	// completion, each call exactly once. An error ends the batch.
	Done func(i int, o Outcome) error

	// Stopper is a tool that StopsSiblings and of which a call failed already:
	// nothing starts, and what runs is told to stop.
	Stopper *Tool

	// Flight, where calls of the batch may be running already, each under its
	// number in the batch; nil is one of the batch's own. A given flight is
	// made under RunBatch's ctx, its options and limit count instead of those
	// here, and it holds no calls but the batch's. It stays usable after a
	// good end.
	Flight *Flight
	// Launched says that call i is in Flight, or was: it is not started again.
	Launched func(i int) bool
	// Delivered says that the owner took the outcome of call i from Flight
	// already: Done is not called for it.
	Delivered func(i int) bool
}

var errBatchEnded = errors.New("the batch was ended")

// siblingFailed is the cause with which a failing tool stops the others.
type siblingFailed struct{ tool string }

func (e *siblingFailed) Error() string { return e.tool + " failed" }

// RunBatch runs the calls of one batch, at most Limit at once. A call that
// fails, panics or hangs takes no other with it, and what is done is delivered
// at once, not when the slowest sibling is (earendil-works/pi#7053).
//
// The exception is a tool that StopsSiblings (C7): once a call of it has failed,
// running calls are told to stop, those not yet entered are delivered as never
// started with CodeSibling, and the tool is returned, so that the caller can
// keep the batches behind this one from starting.
//
// When ctx ends, running calls are told to stop and settle within the grace
// period, those not yet entered are delivered last, as never started, in call
// order: every call has an outcome.
//
// When Start or Done returns an error, nothing could be recorded any more:
// neither is called again, nothing else starts, running calls are told to stop
// and waited for, and the error is returned. The same happens when one of them
// panics.
func RunBatch(ctx context.Context, e env.Env, jobs []Job, b Batch) (stopper *Tool, err error) {
	r := &batchRun{ctx: ctx, e: e, jobs: jobs, b: b, f: b.Flight, stopper: b.Stopper}
	if r.f == nil {
		if b.Limit == 1 || len(jobs) == 1 {
			err = r.serial()
			return r.stopper, err
		}
		r.f = NewFlight(ctx, e, b.Options, b.Limit)
	}
	ended := false
	defer func() { // after an error, and while a panic of Start or Done passes
		if ended && r.f == b.Flight {
			return
		}
		r.f.Stop(errBatchEnded)
		for r.f.Wait() != nil {
		}
	}()
	err = r.parallel()
	ended = err == nil
	return r.stopper, err
}

// batchRun is one batch on its way.
type batchRun struct {
	ctx     context.Context
	e       env.Env
	jobs    []Job
	b       Batch
	f       *Flight
	next    int   // the first call that was not looked at
	stopper *Tool // whose failure stopped the batch
}

// starts reports whether another call may start.
func (r *batchRun) starts() bool { return r.ctx.Err() == nil && r.stopper == nil }

func (r *batchRun) start(i int) error {
	if r.b.Start == nil {
		return nil
	}
	return r.b.Start(i)
}

// done delivers an outcome. An abort goes before a failure that comes after it.
func (r *batchRun) done(i int, o Outcome) error {
	if err := r.b.Done(i, o); err != nil {
		return err
	}
	if t := r.jobs[i].Tool; t.StopsSiblings && o.State == journal.Failed && r.starts() {
		r.stopper = t
		if r.f != nil {
			r.f.Stop(&siblingFailed{t.Name})
		}
	}
	return nil
}

// serial needs no task beside the tool's own.
func (r *batchRun) serial() error {
	for ; r.next < len(r.jobs) && r.starts(); r.next++ {
		i := r.next
		if err := r.start(i); err != nil {
			return err
		}
		if err := r.done(i, Execute(r.ctx, r.e, r.jobs[i].Tool, r.jobs[i].Call, r.b.Options)); err != nil {
			r.next++
			return err
		}
	}
	return r.never()
}

// parallel launches while there is room and delivers what lands.
func (r *batchRun) parallel() error {
	if r.stopper != nil {
		r.f.Stop(&siblingFailed{r.stopper.Name})
	}
	landed := make([]bool, len(r.jobs)) // delivered, here or before
	for i := range r.jobs {
		landed[i] = r.is(r.b.Delivered, i)
	}
	for {
		for ; r.next < len(r.jobs); r.next++ {
			i := r.next
			if landed[i] || r.is(r.b.Launched, i) {
				continue
			}
			if !r.starts() || !r.f.Free() {
				break
			}
			if err := r.start(i); err != nil {
				return err
			}
			r.f.Launch(i, r.jobs[i])
		}
		list := r.f.Wait()
		if list == nil {
			break
		}
		for _, l := range list {
			if l.K < 0 || l.K >= len(landed) || landed[l.K] {
				panic(fmt.Sprintf("call %d landed in a batch that does not wait for it: a flight holds the calls of one batch, under their numbers in it", l.K))
			}
			landed[l.K] = true
			if err := r.done(l.K, l.Outcome); err != nil {
				return err
			}
		}
	}
	return r.never()
}

func (r *batchRun) is(what func(int) bool, i int) bool { return what != nil && what(i) }

// never delivers the calls whose turn did not come.
func (r *batchRun) never() error {
	for i := r.next; i < len(r.jobs); i++ {
		if r.is(r.b.Launched, i) || r.is(r.b.Delivered, i) {
			continue
		}
		o := SiblingFailed(r.stopper, r.jobs[i].Tool)
		if r.stopper == nil {
			o = neverStarted(r.jobs[i].Tool, r.cause())
		}
		if err := r.b.Done(i, o); err != nil {
			return err
		}
	}
	return nil
}

// cause says why nothing starts any more.
func (r *batchRun) cause() error {
	if why := context.Cause(r.ctx); why != nil {
		return why
	}
	return context.Cause(r.f.ctx)
}
