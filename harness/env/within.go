package env

import (
	"context"
	"errors"
	"time"
)

var errGrace = errors.New("the grace period is over")

// Within runs f in a task of its own and waits for it. Once ctx has ended it
// waits no longer than the grace period: why is then the cause of that end,
// and left says that f has not come back; what f uses is its task's alone from
// then on. task and what say in reports which task it is, and what is waited for.
func Within(ctx context.Context, c Clock, task, what string, grace time.Duration, f func()) (why error, left bool) {
	settled := c.Note()
	c.Go(task, func() {
		f()
		settled.Set()
	})
	if why = settled.Wait(ctx, what); why == nil {
		return nil, false
	}
	// Not a child of ctx, which has ended already.
	last, timer := c.WithTimer(context.Background(), errGrace)
	defer timer.Stop()
	timer.Reset(grace)
	return why, settled.Wait(last, what+" to stop") != nil
}
