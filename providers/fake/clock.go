package fake

import (
	"context"
	"time"
)

// Clock is the time of the plans. The clock of the simulated machine fits as
// it is.
type Clock interface {
	Now() time.Time
	// Sleep returns nil after d, or the cause of ctx's end if that comes first.
	Sleep(ctx context.Context, d time.Duration) error
}

// Note is a latch for one waiter: a Set before the Wait is not lost.
type Note interface {
	Set()
	// Wait returns nil once the note is set, or the cause of ctx's end. at says
	// in a report what was being waited for.
	Wait(ctx context.Context, at string) error
}

// realClock is the machine's clock.
type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// realNote is a note between goroutines.
type realNote chan struct{}

func newRealNote() Note { return make(realNote, 1) }

func (n realNote) Set() {
	select {
	case n <- struct{}{}:
	default:
	}
}

func (n realNote) Wait(ctx context.Context, _ string) error {
	select {
	case <-n:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
