package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

// Approver decides about the calls that a policy asks about: a person at a
// terminal, a remote service. Approve returns soon after ctx ends, and waits
// only through the clock of ask.Call.Env.
type Approver interface {
	Approve(ctx context.Context, ask Ask) (bool, error)
}

// Ask is what an approver is asked.
type Ask struct {
	Call Call   // Call.Env is set by AskFor
	Rule string // the rule that asks
}

// Codes of an Answer. The words are those of records.
const (
	Approved  = "approved"
	Rejected  = "rejected"
	Cancelled = "cancelled" // there is no answer: a denial
)

// Answer is what came of asking.
type Answer struct {
	Code string
	Text string // for the model; "" when approved
	Left bool   // the approver was told to stop and did not
	// Stack is a panic's value and stack, for logs; the model never sees it.
	Stack string
}

// DefaultApproveTimeout is how long an approver may take.
const DefaultApproveTimeout = 120 * time.Second

// AskFor asks an approver, in a task of its own, and waits for the answer; a
// zero timeout takes DefaultApproveTimeout, a negative one is none, a grace
// that is not positive takes DefaultGrace. Only a plain yes approves: an error,
// a panic, no answer in time, the end of ctx and the absence of an approver
// are denials (C9). A yes that comes after its asker stopped waiting is none.
func AskFor(ctx context.Context, e env.Env, a Approver, ask Ask, timeout, grace time.Duration) Answer {
	if timeout == 0 {
		timeout = DefaultApproveTimeout
	}
	if grace <= 0 {
		grace = DefaultGrace
	}
	if why := context.Cause(ctx); why != nil {
		return noAnswer(ask, line(why.Error(), 200))
	}
	if a == nil {
		return noAnswer(ask, "there is nobody to ask")
	}
	ask.Call.Env = e
	asked, timer := e.Clock.WithTimer(ctx, &timeUp{timeout})
	defer timer.Stop()
	if timeout > 0 {
		timer.Reset(timeout)
	}
	q := &question{}
	why, left := env.Within(asked, e.Clock, "approver "+ask.Call.Name+" "+ask.Call.ID, "an approval of "+ask.Call.Name, grace, func() { q.ask(asked, a, ask) })
	if why == nil {
		return q.answer(ask)
	}
	no := noAnswer(ask, line(why.Error(), 200))
	no.Left = left
	return no
}

// question is one approval on its way: the approver's task writes what AskFor
// reads once that is done.
type question struct {
	yes   bool
	err   error
	late  error // the cause of the end of its context, if that came before it returned
	stack string
}

func (q *question) ask(ctx context.Context, a Approver, ask Ask) {
	defer func() {
		if v := recover(); v != nil {
			q.yes, q.err, q.stack = false, errBroken, fmt.Sprintf("%v\n\n%s", v, debug.Stack())
		}
	}()
	q.yes, q.err = a.Approve(ctx, ask)
	q.late = context.Cause(ctx)
}

var errBroken = errors.New("the approver broke down")

func (q *question) answer(ask Ask) Answer {
	switch {
	case q.late != nil:
		return noAnswer(ask, line(q.late.Error(), 200))
	case q.err != nil:
		no := noAnswer(ask, line(q.err.Error(), 200))
		no.Stack = q.stack
		return no
	case q.yes:
		return Answer{Code: Approved}
	}
	return Answer{Code: Rejected, Text: fmt.Sprintf(
		"%s was not run: the approval was refused. Do not call it again with the same input: do it another way, or ask what is wanted.", line(ask.Call.Name, 64))}
}

func noAnswer(ask Ask, why string) Answer {
	return Answer{Code: Cancelled, Text: fmt.Sprintf(
		"%s was not run: it needs an approval, and none was given (%s). Do it another way, or say what you would need.", line(ask.Call.Name, 64), why)}
}
