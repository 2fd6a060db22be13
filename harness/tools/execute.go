package tools

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
)

// Execute runs one validated call and waits for what becomes of it. The tool
// runs in a task of its own, which is told to stop when ctx ends or its time is
// up, and is left behind when it has not stopped after the grace period: a
// tool that hangs delays an abort by the grace, and no more
// (sudoprivacy/sudocode p550). A result that comes later is not accepted.
//
// In the tool's task the probe is hit at env.ToolRunning right before Run and
// at env.ToolRan right after it, whether it returned or panicked.
//
// A call whose ctx has ended already is not entered; it counts as interrupted,
// not as never started, because its start is on record by then.
//
// A success stays a success, also when the tool returned it after it had been
// told to stop: what happened is never rewritten (C11). An error after that is
// an interruption, or a timeout, with the output that the tool returned so far.
//
// A task that ends by runtime.Goexit reports nothing, ever: that is how a task
// of a killed life ends, and the dead record nothing. A tool that does so
// itself is left behind like a deaf one.
func Execute(ctx context.Context, e env.Env, t *Tool, c Call, opt Options) Outcome {
	opt = opt.resolve()
	c.Env, c.Limit = e, opt.Limit
	if why := context.Cause(ctx); why != nil {
		return failure(journal.Interrupted, stopCode(why),
			fmt.Sprintf("interrupted before %s was entered (%s): it did nothing.", t.Name, line(why.Error(), 200)))
	}
	x := &execution{tool: t, opt: opt, limit: t.Timeout}
	if x.limit == 0 {
		x.limit = opt.Timeout
	}
	x.late = &timeUp{x.limit}
	toolCtx, timer := e.Clock.WithTimer(ctx, x.late)
	defer timer.Stop()
	if x.limit > 0 {
		timer.Reset(x.limit)
	}
	began := e.Clock.Now()
	why, left := env.Within(toolCtx, e.Clock, "tool "+t.Name+" "+c.ID, "tool "+t.Name, opt.Grace, func() { x.enter(toolCtx, e, c) })
	var o Outcome
	switch {
	case left: // from here on x belongs to the tool's task alone
		o = x.leave(why)
	case why == nil:
		o = x.outcome(context.Cause(toolCtx))
	default:
		o = x.outcome(why)
	}
	o.Elapsed = e.Clock.Now().Sub(began)
	return o
}

// timeUp is the cause of the end of one execution's context.
type timeUp struct{ d time.Duration }

func (t *timeUp) Error() string { return fmt.Sprintf("timed out after %v", t.d) }

// execution is one call on its way. The tool's task writes what Execute reads
// once the note is set.
type execution struct {
	tool  *Tool
	opt   Options
	limit time.Duration
	late  error // the cause with which the time limit ends the context

	out      Output
	err      error
	stack    string // of a panic
	panicked bool
	entered  bool
	stopped  bool  // the context had ended when Run returned
	fault    error // of the probe
}

// enter is the tool's task.
func (x *execution) enter(ctx context.Context, e env.Env, c Call) {
	site := env.Site{Point: env.ToolRunning, Call: c.ID, ID: c.ProviderID}
	if x.fault = hit(e, site); x.fault != nil {
		return
	}
	x.entered = true
	x.run(ctx, c)
	x.stopped = ctx.Err() != nil
	site.Point = env.ToolRan
	x.fault = hit(e, site)
}

// run calls the tool. recover sees a panic; it does not see a Goexit, which
// ends the task here.
func (x *execution) run(ctx context.Context, c Call) {
	defer func() {
		if v := recover(); v != nil {
			x.panicked, x.stack = true, fmt.Sprintf("%v\n\n%s", v, debug.Stack())
		}
	}()
	x.out, x.err = x.tool.Run(ctx, c)
}

// hit visits a point; a panic of the probe stands for a fault in our own part
// and must not look like one of the tool.
func hit(e env.Env, s env.Site) (fault error) {
	defer func() {
		if v := recover(); v != nil {
			fault = fmt.Errorf("panic at %s: %v", s.Point, v)
		}
	}()
	if err := e.Probe.Hit(s); err != nil {
		return fmt.Errorf("at %s: %w", s.Point, err)
	}
	return nil
}
