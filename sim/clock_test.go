package sim

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

func TestNote(t *testing.T) {
	m, c := boot(0)
	clean(t, m.Run(func() {
		n := c.Note()
		n.Set()
		n.Set()
		if err := n.Wait(bg, "a set note"); err != nil {
			t.Errorf("a Set before the Wait was lost: %v", err)
		}
		ended, cancel := c.WithCancel(bg)
		cancel(errAbort)
		if err := n.Wait(ended, "a cleared note"); err != errAbort {
			t.Errorf("Wait = %v, want %v", err, errAbort)
		}
		n.Set()
		if err := n.Wait(ended, "both"); err != nil {
			t.Errorf("Wait = %v; a note that is set wins", err)
		}
		// also when both happen during the wait, in either order
		for _, first := range []string{"set", "cancel"} {
			ctx, cancel := c.WithCancel(bg)
			c.Go("other", func() {
				if first == "set" {
					n.Set()
				}
				cancel(errAbort)
				n.Set()
			})
			if err := n.Wait(ctx, "both, during the wait"); err != nil {
				t.Errorf("%s first: Wait = %v; a note that is set wins", first, err)
			}
		}
	}))
}

func TestNoteHasOneWaiter(t *testing.T) {
	m, c := boot(0)
	out := m.Run(func() {
		n := c.Note()
		c.Go("first", func() { n.Wait(bg, "it") })
		c.Sleep(bg, 1)
		n.Wait(bg, "it too")
	})
	if want := "main: sim: main waits for it too while first does; a note has one waiter"; out.Panic != want {
		t.Errorf("panic %q, want %q", out.Panic, want)
	}
}

// The semantics of timers and contexts, each as one small run; where says at
// what virtual time it ends.
func TestContexts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		f     func(c env.Clock) error
		want  error
		after time.Duration
	}{
		{"the timer runs out", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			timer.Reset(time.Minute)
			return c.Sleep(ctx, time.Hour)
		}, errIdle, time.Minute},
		{"it does not run before Reset", func(c env.Clock) error {
			ctx, _ := c.WithTimer(bg, errIdle)
			return c.Sleep(ctx, time.Hour)
		}, nil, time.Hour},
		{"Reset moves its end", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			for range 10 {
				timer.Reset(time.Minute)
				if err := c.Sleep(ctx, 59*time.Second); err != nil {
					return errors.New("too early")
				}
			}
			timer.Reset(time.Second) // to earlier, too
			return c.Sleep(ctx, time.Hour)
		}, errIdle, 591 * time.Second},
		{"Reset to no time at all", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			timer.Reset(-time.Second)
			return c.Sleep(ctx, time.Hour)
		}, errIdle, 0},
		{"Stop ends it without the timer's cause", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			timer.Reset(time.Minute)
			timer.Stop()
			timer.Reset(time.Second)
			return c.Sleep(ctx, time.Hour)
		}, context.Canceled, 0},
		{"a stopped timer moves no time", func(c env.Clock) error {
			_, timer := c.WithTimer(bg, errIdle)
			timer.Reset(time.Minute)
			timer.Stop()
			return c.Sleep(bg, time.Second)
		}, nil, time.Second},
		{"the parent's end is the child's", func(c env.Clock) error {
			parent, cancel := c.WithCancel(bg)
			ctx, timer := c.WithTimer(parent, errIdle)
			timer.Reset(time.Hour)
			c.Go("aborter", func() { c.Sleep(bg, time.Second); cancel(errAbort) })
			return c.Note().Wait(ctx, "nothing")
		}, errAbort, time.Second},
		{"the child's end is not the parent's", func(c env.Clock) error {
			parent, _ := c.WithCancel(bg)
			_, cancel := c.WithCancel(parent)
			cancel(errAbort)
			return parent.Err()
		}, nil, 0},
		{"an ended parent", func(c env.Clock) error {
			parent, cancel := c.WithCancel(bg)
			cancel(errAbort)
			ctx, _ := c.WithTimer(parent, errIdle)
			return c.Sleep(ctx, time.Hour)
		}, errAbort, 0},
		{"the first cause stays", func(c env.Clock) error {
			ctx, cancel := c.WithCancel(bg)
			cancel(errAbort)
			cancel(errIdle)
			return c.Sleep(ctx, 0)
		}, errAbort, 0},
		{"without a cause", func(c env.Clock) error {
			ctx, cancel := c.WithCancel(bg)
			cancel(nil)
			return c.Sleep(ctx, time.Hour)
		}, context.Canceled, 0},
		{"Sleep is interrupted", func(c env.Clock) error {
			ctx, cancel := c.WithCancel(bg)
			c.Go("aborter", func() { c.Sleep(bg, time.Minute); cancel(errAbort) })
			return c.Sleep(ctx, time.Hour)
		}, errAbort, time.Minute},
		{"at the same moment, the one armed first", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			timer.Reset(time.Minute)
			return c.Sleep(ctx, time.Minute)
		}, errIdle, time.Minute},
		{"at the same moment, armed last", func(c env.Clock) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			c.Go("late", func() { timer.Reset(time.Minute) })
			return c.Sleep(ctx, time.Minute)
		}, nil, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, c := boot(0)
			var err error
			out := clean(t, m.Run(func() { err = tt.f(c) }))
			if err != tt.want || out.Elapsed != tt.after {
				t.Errorf("%v after %v, want %v after %v", err, out.Elapsed, tt.want, tt.after)
			}
		})
	}
}

// A timer that nobody waits for any more moves no time: a deadlock right after
// it is found at once.
func TestTimersLeaveNothing(t *testing.T) {
	for name, f := range map[string]func(c env.Clock){
		"stopped": func(c env.Clock) {
			_, timer := c.WithTimer(bg, errIdle)
			timer.Reset(time.Minute)
			timer.Stop()
		},
		"reset after its stop": func(c env.Clock) {
			_, timer := c.WithTimer(bg, errIdle)
			timer.Stop()
			timer.Reset(time.Minute)
		},
		"an interrupted sleep": func(c env.Clock) {
			ctx, cancel := c.WithCancel(bg)
			c.Go("aborter", func() { cancel(errAbort) })
			c.Sleep(ctx, time.Hour)
		},
		"a sleep that could not begin": func(c env.Clock) {
			ctx, cancel := c.WithCancel(bg)
			cancel(errAbort)
			c.Sleep(ctx, time.Hour)
		},
	} {
		m, c := boot(0)
		out := m.Run(func() {
			f(c)
			c.Note().Wait(bg, "nothing")
		})
		if out.Deadlock == "" || out.Elapsed != 0 {
			t.Errorf("%s: the deadlock was found after %v", name, out.Elapsed)
		}
	}
}

// What package context derives from our contexts ends in the same step, through
// values, and its own end wakes a waiter: net/http does all of it.
func TestStandardChildren(t *testing.T) {
	type key struct{}
	m, c := boot(0)
	clean(t, m.Run(func() {
		top, cancel := c.WithCancel(bg)
		timed, timer := c.WithTimer(context.WithValue(top, key{}, 1), errIdle)
		child, stop := context.WithCancel(context.WithValue(timed, key{}, 2))
		defer stop()
		if child.Value(key{}) != 2 || timed.Value(key{}) != 1 {
			t.Error("values are lost")
		}
		timer.Reset(time.Second)
		select {
		case <-child.Done():
			t.Error("ended before its time")
		default:
		}
		if err := c.Sleep(child, time.Hour); err != errIdle {
			t.Errorf("Sleep on the child = %v, want %v", err, errIdle)
		}
		<-child.Done() // a real channel, closed by now
		if timed.Err() != context.Canceled || context.Cause(child) != errIdle || top.Err() != nil {
			t.Errorf("timed %v, child %v, top %v", timed.Err(), context.Cause(child), top.Err())
		}

		child, stop = context.WithCancel(top)
		c.Go("stopper", func() { c.Sleep(bg, time.Minute); stop() })
		if err := c.Note().Wait(child, "nothing"); err != context.Canceled {
			t.Errorf("Wait on a child with its own end = %v", err)
		}

		child, stop = context.WithCancel(context.WithValue(top, key{}, 3))
		defer stop()
		cancel(errAbort)
		if context.Cause(child) != errAbort {
			t.Errorf("cause of the child = %v", context.Cause(child))
		}
	}))
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A client in a task, with a transport that waits in virtual time, sees its own
// timer and its own abort.
func TestHTTPClient(t *testing.T) {
	m, c := boot(1)
	out := clean(t, m.Run(func() {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if err := c.Sleep(r.Context(), 10*time.Second); err != nil {
				return nil, err
			}
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
		})}
		get := func(d time.Duration) error {
			ctx, timer := c.WithTimer(bg, errIdle)
			defer timer.Stop()
			timer.Reset(d)
			r, _ := http.NewRequestWithContext(ctx, "GET", "http://model/", nil)
			_, err := client.Do(r)
			return err
		}
		if err := get(time.Minute); err != nil {
			t.Errorf("in time: %v", err)
		}
		if err := get(time.Second); !errors.Is(err, errIdle) {
			t.Errorf("too slow: %v, want %v", err, errIdle)
		}
	}))
	if out.Elapsed != 11*time.Second {
		t.Errorf("took %v", out.Elapsed)
	}
}
