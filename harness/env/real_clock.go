package env

import (
	"context"
	"runtime"
	"time"
)

// RealClock returns real time: tasks are goroutines, waits are real.
func RealClock() Clock { return realClock{} }

type realClock struct{}

func (realClock) Now() time.Time           { return time.Now() }
func (realClock) Go(name string, f func()) { go f() }
func (realClock) External(f func())        { f() }

func (realClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		runtime.Gosched()
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (realClock) WithCancel(parent context.Context) (context.Context, context.CancelCauseFunc) {
	return context.WithCancelCause(parent)
}

func (realClock) WithTimer(parent context.Context, cause error) (context.Context, Timer) {
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &realTimer{cancel: cancel, cause: cause}
}

type realTimer struct {
	cancel context.CancelCauseFunc
	cause  error
	t      *time.Timer // nil until the first Reset
}

func (t *realTimer) Reset(d time.Duration) {
	if t.t == nil {
		t.t = time.AfterFunc(d, func() { t.cancel(t.cause) })
		return
	}
	t.t.Reset(d)
}

func (t *realTimer) Stop() {
	if t.t != nil {
		t.t.Stop()
	}
	t.cancel(nil) // whatever a Reset does after this, the context has ended
}

func (realClock) Note() Note { return realNote{make(chan struct{}, 1)} }

type realNote struct{ set chan struct{} }

func (n realNote) Set() {
	select {
	case n.set <- struct{}{}:
	default: // set already
	}
}

func (n realNote) Wait(ctx context.Context, at string) error {
	select {
	case <-n.set:
		return nil
	case <-ctx.Done():
	}
	select { // select chooses at random when both hold
	case <-n.set:
		return nil
	default:
		return context.Cause(ctx)
	}
}
