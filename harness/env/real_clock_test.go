package env

import (
	"context"
	"errors"
	"testing"
	"time"
)

var (
	errIdle  = errors.New("idle")
	errAbort = errors.New("abort")
)

func TestNote(t *testing.T) {
	c := RealClock()
	n := c.Note()
	n.Set()
	n.Set() // a latch of one
	if err := n.Wait(t.Context(), "a set note"); err != nil {
		t.Fatalf("a Set before the Wait was lost: %v", err)
	}
	ended, cancel := c.WithCancel(t.Context())
	cancel(errAbort)
	if err := n.Wait(ended, "a note that Wait has cleared"); err != errAbort {
		t.Fatalf("Wait = %v, want the cause %v", err, errAbort)
	}
	for range 100 { // select would choose at random
		n.Set()
		if err := n.Wait(ended, "both"); err != nil {
			t.Fatalf("Wait = %v; a note that is set wins", err)
		}
	}
	c.Go("setter", n.Set)
	if err := n.Wait(t.Context(), "another task"); err != nil {
		t.Fatal(err)
	}
}

// Every way a context of ours ends gives context.Canceled and its cause, to
// itself, to a waiter in another task and to a child made by package context.
func TestContextEnds(t *testing.T) {
	c := RealClock()
	for _, tt := range []struct {
		name string
		end  func(parent context.Context) context.Context
		want error
	}{
		{"cancel with a cause", func(p context.Context) context.Context {
			ctx, cancel := c.WithCancel(p)
			c.Go("canceller", func() { cancel(errAbort) })
			return ctx
		}, errAbort},
		{"cancel without a cause", func(p context.Context) context.Context {
			ctx, cancel := c.WithCancel(p)
			c.Go("canceller", func() { cancel(nil) })
			return ctx
		}, context.Canceled},
		{"timer runs out", func(p context.Context) context.Context {
			ctx, timer := c.WithTimer(p, errIdle)
			timer.Reset(time.Hour)
			timer.Reset(time.Microsecond)
			return ctx
		}, errIdle},
		{"timer stopped", func(p context.Context) context.Context {
			ctx, timer := c.WithTimer(p, errIdle)
			timer.Reset(time.Hour)
			timer.Stop()
			timer.Reset(time.Nanosecond) // nothing is left to end
			return ctx
		}, context.Canceled},
		{"parent of a timer", func(p context.Context) context.Context {
			parent, cancel := c.WithCancel(p)
			ctx, timer := c.WithTimer(parent, errIdle)
			timer.Reset(time.Hour)
			cancel(errAbort)
			return ctx
		}, errAbort},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.end(t.Context())
			if err := c.Note().Wait(ctx, "the end"); err != tt.want {
				t.Errorf("Note.Wait = %v, want %v", err, tt.want)
			}
			if err := c.Sleep(ctx, time.Hour); err != tt.want {
				t.Errorf("Sleep = %v, want %v", err, tt.want)
			}
			if err := c.Sleep(ctx, 0); err != tt.want {
				t.Errorf("Sleep of 0 = %v, want %v", err, tt.want)
			}
			child, cancel := context.WithCancel(context.WithValue(ctx, errIdle, 1))
			defer cancel()
			if child.Err() != context.Canceled || context.Cause(child) != tt.want {
				t.Errorf("child: Err %v, Cause %v", child.Err(), context.Cause(child))
			}
		})
	}
}

func TestSleepInterrupted(t *testing.T) {
	c := RealClock()
	ctx, cancel := c.WithCancel(t.Context())
	asleep, awake := c.Note(), c.Note()
	var err error
	c.Go("sleeper", func() {
		asleep.Set()
		err = c.Sleep(ctx, time.Hour)
		awake.Set()
	})
	if err := asleep.Wait(t.Context(), "the sleeper"); err != nil {
		t.Fatal(err)
	}
	cancel(errAbort)
	if err := awake.Wait(t.Context(), "the sleeper's end"); err != nil {
		t.Fatal(err)
	}
	if err != errAbort {
		t.Fatalf("Sleep = %v, want %v", err, errAbort)
	}
}

func TestSleepTakesItsTime(t *testing.T) {
	c := RealClock()
	before := c.Now()
	if err := c.Sleep(t.Context(), time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if d := c.Now().Sub(before); d < time.Millisecond {
		t.Fatalf("a millisecond took %v", d)
	}
}

func TestExternal(t *testing.T) {
	c := RealClock()
	ran := false
	c.External(func() { ran = true })
	if !ran {
		t.Fatal("External returned before its function")
	}
}
