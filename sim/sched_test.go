package sim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

var (
	errIdle  = errors.New("idle")
	errSlow  = errors.New("tool timeout")
	errAbort = errors.New("abort")
	bg       = context.Background()
)

// boot returns a life of a new world, and its clock.
func boot(seed uint64) (*Machine, env.Clock) {
	m := NewWorld(seed).Boot(nil)
	return m, clock{m}
}

// clean fails the test unless the life ended well.
func clean(t testing.TB, o Outcome) Outcome {
	t.Helper()
	if o.Crashed || o.Deadlock != "" || o.Panic != "" || len(o.Left) > 0 {
		t.Fatalf("outcome %+v", o)
	}
	return o
}

// busy is the waits of an agent loop in small: retries with backoff, a stream
// that goes idle, four tools at once of which one hangs into its timeout. It
// returns the log and whatever the trace has.
func busy(m *Machine, c env.Clock) (string, Outcome) {
	var log strings.Builder
	say := func(f string, a ...any) { fmt.Fprintf(&log, "%6v "+f+"\n", append([]any{c.Now().Sub(epoch)}, a...)...) }
	e := m.Env("work")
	out := m.Run(func() {
		ctx, cancel := c.WithCancel(bg)
		defer cancel(nil)
		for try := range 3 {
			say("request %d", try)
			if try < 2 {
				c.Sleep(ctx, 500*time.Millisecond<<try)
			}
		}
		box, arrived, left := 0, c.Note(), c.Note()
		sctx, scancel := c.WithCancel(ctx)
		c.Go("provider", func() {
			defer left.Set()
			for i := range 5 {
				if c.Sleep(sctx, 30*time.Second) != nil {
					return
				}
				box = i
				arrived.Set()
			}
			say("provider: client gone: %v", c.Sleep(sctx, time.Hour))
		})
		tctx, timer := c.WithTimer(sctx, errIdle)
		for {
			timer.Reset(time.Minute)
			if err := arrived.Wait(tctx, "stream event"); err != nil {
				say("stream: %v", err)
				break
			}
			say("event %d", box)
		}
		timer.Stop()
		scancel(nil)
		left.Wait(ctx, "the provider's end")
		done, results, count := c.Note(), make([]string, 4), 0
		f, _ := e.FS.Append("log")
		for i := range 4 {
			c.Go(fmt.Sprint("tool ", i), func() {
				tctx, timer := c.WithTimer(ctx, errSlow)
				defer timer.Stop()
				timer.Reset(10 * time.Second)
				for k := range 3 {
					c.Sleep(tctx, 0)
					say("tool %d step %d", i, k)
					fmt.Fprintf(f, "%d.%d ", i, k)
				}
				d := time.Duration(4-i) * time.Second
				if i == 2 {
					d = time.Hour
				}
				results[i] = fmt.Sprint(c.Sleep(tctx, d))
				say("tool %d: %s", i, results[i])
				count++
				done.Set()
			})
		}
		for count < 4 {
			done.Wait(ctx, "a tool's result")
		}
		say("results %v", results)
	})
	for _, s := range m.w.Steps() {
		fmt.Fprintf(&log, "%+v\n", s)
	}
	return log.String() + string(m.w.Disk.Image()["work/log"]), out
}

// One seed is one schedule: the same bytes of log, trace and disk, run after
// run. Other seeds are other schedules.
func TestSeedIsTheSchedule(t *testing.T) {
	repeats := 20
	if testing.Short() {
		repeats = 3
	}
	logs := map[string]bool{}
	for seed := range uint64(200) {
		first := ""
		for i := range repeats {
			m, c := boot(seed)
			log, out := busy(m, c)
			clean(t, out)
			switch {
			case i == 0:
				first = log
				logs[log] = true
			case log != first:
				t.Fatalf("seed %d, repetition %d:\n%s\nat first:\n%s", seed, i, log, first)
			}
		}
	}
	if len(logs) < 150 {
		t.Errorf("200 seeds gave %d schedules", len(logs))
	}
	m, c := boot(0)
	log, out := busy(m, c)
	if want := 1500*time.Millisecond + 5*30*time.Second + time.Minute + 10*time.Second; out.Elapsed != want {
		t.Errorf("virtual time %v, want %v:\n%s", out.Elapsed, want, log)
	}
}

// A life is a process of its own: its schedule is another, its time goes on.
func TestLivesGoOn(t *testing.T) {
	w := NewWorld(3)
	ids := map[string]bool{}
	for life := 1; life <= 3; life++ {
		m := w.Boot(nil)
		e := m.Env("session")
		clean(t, m.Run(func() {
			e.Clock.Sleep(bg, time.Hour)
			ids[e.IDs.Session()] = true
			ids[e.IDs.Session()] = true
		}))
		if m.Life() != life {
			t.Errorf("life %d, want %d", m.Life(), life)
		}
		if got := w.Now().Sub(epoch); got != time.Duration(life)*time.Hour {
			t.Errorf("after life %d it is %v", life, got)
		}
	}
	if len(ids) != 6 {
		t.Errorf("%d different session ids, want 6: %v", len(ids), ids)
	}
}

func TestTimersInOrder(t *testing.T) {
	for seed := range uint64(20) {
		m, c := boot(seed)
		var got []int
		clean(t, m.Run(func() {
			all, left := c.Note(), 50
			for i := range 50 {
				c.Go("sleeper", func() {
					c.Sleep(bg, time.Duration((i*37)%50)*time.Second+1)
					got = append(got, (i*37)%50)
					if left--; left == 0 {
						all.Set()
					}
				})
			}
			all.Wait(bg, "all")
		}))
		if !slices.IsSorted(got) || len(got) != 50 {
			t.Fatalf("seed %d: woken in the order %v", seed, got)
		}
	}
}

// Sleepers that are due at the same moment are all ready then: in the order of
// their Sleep with seed 0, in any order with others.
func TestSameMoment(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(50) {
		m, c := boot(seed)
		var got string
		clean(t, m.Run(func() {
			for i := range 4 {
				c.Go("sleeper", func() {
					c.Sleep(bg, time.Second)
					got += fmt.Sprint(i)
				})
			}
			c.Sleep(bg, 2*time.Second)
		}))
		if seed == 0 && got != "0123" {
			t.Errorf("seed 0: %s", got)
		}
		orders[got] = true
	}
	if len(orders) < 12 {
		t.Errorf("50 seeds gave the orders %v", orders)
	}
}

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

func TestDeadlock(t *testing.T) {
	m, c := boot(0)
	deferred := 0
	out := m.Run(func() {
		defer func() { deferred++ }()
		c.Go("tool c1", func() {
			defer func() { deferred++ }()
			c.Note().Wait(bg, "gate A")
		})
		c.Note().Wait(bg, "the result of c1")
		t.Error("main goes on")
	})
	if want := "main waits for the result of c1; tool c1 waits for gate A"; out.Deadlock != want {
		t.Errorf("deadlock %q, want %q", out.Deadlock, want)
	}
	if out.Crashed || deferred != 2 {
		t.Errorf("outcome %+v, %d deferred functions", out, deferred)
	}
}

// What still waits when main has returned is named; what only needs its turn
// gets it.
func TestLeft(t *testing.T) {
	for seed := range uint64(20) {
		m, c := boot(seed)
		finished := false
		out := m.Run(func() {
			result := c.Note()
			c.Go("tool c1", func() {
				result.Set()
				c.Sleep(bg, 0)
				finished = true
			})
			c.Go("tool c2", func() {
				c.Sleep(bg, time.Hour)
				t.Error("the task that was left goes on")
			})
			result.Wait(bg, "c1")
		})
		if want := []string{"tool c2 waits for the end of its sleep"}; !slices.Equal(out.Left, want) {
			t.Fatalf("left %q, want %q", out.Left, want)
		}
		if !finished {
			t.Fatal("a task that only needed its turn did not get it")
		}
		if out.Elapsed != 0 {
			t.Fatalf("time went on to %v after main had returned", out.Elapsed)
		}
	}
}

func TestPanic(t *testing.T) {
	m, c := boot(0)
	out := m.Run(func() {
		c.Go("tool c1", func() { panic("boom") })
		c.Sleep(bg, time.Hour)
		t.Error("main survived")
	})
	if out.Panic != "tool c1: boom" || !strings.Contains(out.Stack, "TestPanic.func1") || out.Crashed {
		t.Errorf("panic %q, stack:\n%s", out.Panic, out.Stack)
	}
}

// Kill at every step of every task, from main and from tasks: everybody stops,
// recover catches nothing, and no goroutine is left over 1,000 deaths.
func TestKill(t *testing.T) {
	before := runtime.NumGoroutine()
	crashes := 0
	for seed := uint64(0); crashes < 1000; seed++ {
		for k := 1; ; k++ {
			m, c := boot(seed)
			e := m.Env("work")
			steps, dead := 0, false
			step := func() {
				if dead {
					t.Fatal("a statement after the kill")
				}
				if steps++; steps == k {
					dead = true
					m.Kill("step " + fmt.Sprint(k))
				}
			}
			var undone []string
			body := func(f func()) func() {
				return func() {
					defer func() {
						if v := recover(); v != nil {
							t.Errorf("recovered %v", v)
						}
					}()
					defer func() { // a naive clean-up: it runs, and does nothing
						if !dead {
							return
						}
						if m.Alive() {
							t.Error("alive")
						}
						undone = append(undone, "tried")
						e.FS.Append("late")
						t.Error("an operation of a dead life returned")
					}()
					f()
				}
			}
			out := m.Run(body(func() {
				n, left := c.Note(), 3
				for range 3 {
					c.Go("tool", body(func() {
						for range 3 {
							step()
							c.Sleep(bg, time.Second)
						}
						left--
						n.Set()
					}))
				}
				step()
				for left > 0 {
					n.Wait(bg, "tools")
					step()
				}
			}))
			if !out.Crashed {
				if steps >= k {
					t.Fatalf("step %d did not kill", k)
				}
				break
			}
			crashes++
			if out.Point != fmt.Sprint("step ", k) || out.Deadlock != "" || out.Panic != "" || out.Left != nil {
				t.Fatalf("outcome %+v", out)
			}
			if len(undone) == 0 || len(m.w.Disk.Image()) != 0 {
				t.Fatalf("%d clean-ups tried, disk %v", len(undone), m.w.Disk.Image())
			}
		}
	}
	settle(t, before)
}

// settle waits until the goroutines that are on their way out are gone.
func settle(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	buf := make([]byte, 1<<16)
	t.Fatalf("%d goroutines were left\n%s", runtime.NumGoroutine()-before, buf[:runtime.Stack(buf, true)])
}

// Killed in a deferred function, while panicking, before a first turn, or from
// outside: dead all the same.
func TestKillAnywhere(t *testing.T) {
	for name, f := range map[string]func(m *Machine, c env.Clock){
		"in a deferred function": func(m *Machine, c env.Clock) {
			defer func() { m.Kill("here") }()
		},
		"while panicking": func(m *Machine, c env.Clock) {
			defer func() { m.Kill("here") }()
			panic("something else")
		},
		"others had no turn yet": func(m *Machine, c env.Clock) {
			c.Go("never", func() { t.Error("it had one") })
			m.Kill("here")
		},
		"from a goroutine, tasks waiting for the world": func(m *Machine, c env.Clock) {
			ctx, _ := c.WithCancel(bg)
			c.External(func() {
				go m.Kill("here")
				<-ctx.Done() // the death ends it
			})
			t.Error("alive after External")
		},
		"in External": func(m *Machine, c env.Clock) {
			c.External(func() { m.Kill("here") })
			t.Error("alive after External")
		},
		"while another is in External": func(m *Machine, c env.Clock) {
			ctx, _ := c.WithCancel(bg)
			c.Go("bash", func() {
				defer func() { recover() }()
				c.External(func() { <-ctx.Done() })
				t.Error("alive after External")
			})
			c.Sleep(bg, 0)
			m.Kill("here")
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			m, c := boot(0)
			out := m.Run(func() { f(m, c) })
			if !out.Crashed || out.Point != "here" || out.Panic != "" {
				t.Errorf("outcome %+v", out)
			}
			settle(t, before)
		})
	}
}

// t.Fatal in main ends the test, not only the task.
func TestGoexitOfMain(t *testing.T) {
	m, c := boot(0)
	done := make(chan bool)
	go func() {
		defer close(done)
		m.Run(func() {
			c.Go("other", func() { c.Sleep(bg, time.Hour) })
			runtime.Goexit() // as t.FailNow does
		})
		t.Error("Run returned")
	}()
	<-done
}

func TestExternal(t *testing.T) {
	for seed := range uint64(10) {
		m, c := boot(seed)
		var order []string
		out := clean(t, m.Run(func() {
			n := c.Note()
			c.Go("bash", func() {
				c.External(func() { exec.Command("true").Run() })
				order = append(order, fmt.Sprint("bash at ", c.Now().Sub(epoch)))
				n.Set()
			})
			c.Go("other", func() {
				for range 3 {
					c.Sleep(bg, 0)
				}
				order = append(order, "other")
				c.Sleep(bg, time.Millisecond)
				order = append(order, "timer")
			})
			n.Wait(bg, "bash")
			c.Sleep(bg, time.Second)
		}))
		// what can move moves first, time rests until the child is back
		if want := []string{"other", "bash at 0s", "timer"}; !slices.Equal(order, want) {
			t.Fatalf("seed %d: %q, want %q", seed, order, want)
		}
		if out.Elapsed != time.Second {
			t.Fatalf("took %v", out.Elapsed)
		}
	}
}

// A Set or a cancel from inside an External function is seen while everything rests.
func TestExternalCallsBack(t *testing.T) {
	m, c := boot(0)
	clean(t, m.Run(func() {
		line, gone := c.Note(), c.Note()
		ctx, cancel := c.WithCancel(bg)
		told := make(chan bool)
		c.Go("bash", func() {
			c.External(func() {
				line.Set()
				<-told
				cancel(errAbort)
				<-told
			})
			gone.Set()
		})
		if err := line.Wait(bg, "a line of output"); err != nil {
			t.Error(err)
		}
		told <- true
		if err := line.Wait(ctx, "another line"); err != errAbort {
			t.Errorf("Wait = %v", err)
		}
		told <- true
		gone.Wait(bg, "the end of bash")
	}))
}

// A panic in an External function is its task's, recovered with the baton held.
func TestExternalPanics(t *testing.T) {
	m, c := boot(0)
	clean(t, m.Run(func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v", v)
			}
			if err := c.Sleep(bg, time.Second); err != nil {
				t.Error(err)
			}
		}()
		c.External(func() { panic("boom") })
	}))
}

func TestExternalLeft(t *testing.T) {
	m, c := boot(0)
	out := m.Run(func() {
		ctx, _ := c.WithCancel(bg)
		c.Go("bash", func() {
			c.External(func() { exec.CommandContext(ctx, "sleep", "1000").Run() })
			t.Error("bash goes on")
		})
		c.Sleep(bg, 0)
	})
	if want := []string{"bash waits for the outside world"}; !slices.Equal(out.Left, want) {
		t.Errorf("left %q, want %q", out.Left, want)
	}
}

// Mistakes of whoever uses the machine end in a sentence.
func TestMisuse(t *testing.T) {
	for name, f := range map[string]func(){
		"a wait outside of Run": func() {
			_, c := boot(0)
			c.Sleep(bg, time.Second)
		},
		"Run twice": func() {
			m, _ := boot(0)
			m.Run(func() {})
			m.Run(func() {})
		},
		"Boot beside a life": func() {
			w := NewWorld(0)
			m := w.Boot(nil)
			if out := m.Run(func() { w.Boot(nil) }); out.Panic != "" {
				panic(strings.TrimPrefix(out.Panic, "main: "))
			}
		},
		"a folder outside": func() {
			m, _ := boot(0)
			m.Env("../x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "sim: ") {
					t.Errorf("recovered %q", s)
				}
			}()
			f()
		})
	}
}

// What somebody still holds of a life that is over does nothing, and does not
// end the goroutine of who holds it.
func TestOver(t *testing.T) {
	probed := 0
	w := NewWorld(0)
	m := w.Boot(probeFunc(func(env.Site) error { probed++; return nil }))
	e := m.Env("session")
	var f env.File
	var unlock func() error
	clean(t, m.Run(func() {
		f, _ = e.FS.Append("file")
		unlock, _ = e.FS.Lock("lock")
		e.Probe.Hit(env.Site{})
	}))
	if _, err := f.Write([]byte("late")); !errors.Is(err, errOver) {
		t.Errorf("Write: %v", err)
	}
	if err := e.FS.Remove("file"); !errors.Is(err, errOver) {
		t.Errorf("Remove: %v", err)
	}
	if err := e.Probe.Hit(env.Site{}); err != errOver || probed != 1 {
		t.Errorf("Hit: %v after %d visits", err, probed)
	}
	e.Clock.Go("late", func() { t.Error("a task of a life that is over") })
	e.Clock.Note().Set()

	m = w.Boot(nil)
	if _, err := m.Env("session").FS.Lock("lock"); err != nil {
		t.Errorf("the lock outlived its life: %v", err)
	}
	unlock() // of the first life
	if _, err := m.Env("session").FS.Lock("lock"); !errors.Is(err, env.ErrLocked) {
		t.Errorf("a dead life's unlock freed a living one's lock: %v", err)
	}
	if got := w.Disk.Image(); len(got["session/file"]) != 0 {
		t.Errorf("disk %q", got)
	}
}

type probeFunc func(env.Site) error

func (f probeFunc) Hit(s env.Site) error { return f(s) }
