package tools

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/harnessbench/bench/harness/env"
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

// Batch says how a batch is run. Both functions are called on the task that
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
}

var errBatchEnded = errors.New("the batch was ended")

// RunBatch runs the calls of one batch, at most Limit at once. A call that
// fails, panics or hangs takes no other with it, and what is done is delivered
// at once, not when the slowest sibling is (earendil-works/pi#7053).
//
// When ctx ends, running calls are told to stop and settle within the grace
// period, those not yet entered are delivered last, as never started, in call
// order: every call has an outcome.
//
// When Start or Done returns an error, nothing could be recorded any more:
// neither is called again, nothing else starts, running calls are told to stop
// and waited for, and the error is returned. The same happens when one of them
// panics.
func RunBatch(ctx context.Context, e env.Env, jobs []Job, b Batch) error {
	limit := b.Limit
	if limit <= 0 {
		limit = DefaultConcurrency
	}
	start := b.Start
	if start == nil {
		start = func(int) error { return nil }
	}
	if limit == 1 || len(jobs) == 1 {
		return runSerial(ctx, e, jobs, b, start)
	}

	siblings, cancel := e.Clock.WithCancel(ctx)
	r := &runners{e: e, bell: e.Clock.Note(), slots: make([]slot, len(jobs))}
	defer func() { // after an error, and while a panic of Start or Done passes
		cancel(errBatchEnded)
		for r.running > 0 {
			r.wait()
		}
	}()

	next := 0
	for {
		for next < len(jobs) && r.running < limit && ctx.Err() == nil {
			i := next
			next++
			if err := start(i); err != nil {
				return err
			}
			r.launch(siblings, i, jobs[i], b.Options)
		}
		if r.running == 0 {
			break
		}
		for _, i := range r.wait() {
			if err := b.Done(i, r.slots[i].out); err != nil {
				return err
			}
		}
	}
	return neverFrom(ctx, jobs, next, b)
}

// runSerial needs no task beside the tool's own.
func runSerial(ctx context.Context, e env.Env, jobs []Job, b Batch, start func(int) error) error {
	next := 0
	for ; next < len(jobs) && ctx.Err() == nil; next++ {
		if err := start(next); err != nil {
			return err
		}
		if err := b.Done(next, Execute(ctx, e, jobs[next].Tool, jobs[next].Call, b.Options)); err != nil {
			return err
		}
	}
	return neverFrom(ctx, jobs, next, b)
}

// neverFrom delivers the calls whose turn did not come.
func neverFrom(ctx context.Context, jobs []Job, next int, b Batch) error {
	if next == len(jobs) {
		return nil
	}
	why := context.Cause(ctx)
	for i := next; i < len(jobs); i++ {
		if err := b.Done(i, neverStarted(jobs[i].Tool, why)); err != nil {
			return err
		}
	}
	return nil
}

// runners are the tasks of a batch. Each rings the bell when it is done; the
// bell is a latch of one, so the slots say how often it rang.
type runners struct {
	e       env.Env
	bell    env.Note
	order   atomic.Int64
	slots   []slot
	running int
}

type slot struct {
	out  Outcome
	seq  atomic.Int64 // the place in the order of completion; 0 while running
	seen bool
}

func (r *runners) launch(ctx context.Context, i int, j Job, opt Options) {
	r.running++
	r.e.Clock.Go("call "+j.Tool.Name+" "+j.Call.ID, func() {
		r.slots[i].out = Execute(ctx, r.e, j.Tool, j.Call, opt)
		r.slots[i].seq.Store(r.order.Add(1))
		r.bell.Set()
	})
}

// wait waits until at least one running call is done and returns those that
// are, in order of completion. It needs no context: every runner obeys its own
// and comes back within the grace period.
func (r *runners) wait() []int {
	for {
		var done []int
		for i := range r.slots {
			if s := &r.slots[i]; !s.seen && s.seq.Load() != 0 {
				s.seen = true
				done = append(done, i)
			}
		}
		if len(done) > 0 {
			slices.SortFunc(done, func(a, b int) int { return int(r.slots[a].seq.Load() - r.slots[b].seq.Load()) })
			r.running -= len(done)
			return done
		}
		// The background has no end; should the machine say otherwise, looking
		// again is right all the same.
		_ = r.bell.Wait(context.Background(), "a call of the batch")
	}
}
