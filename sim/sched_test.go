package sim

import (
	"context"
	"errors"
	"fmt"
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

// The next life is another process: its choices are not those of the one before.
func TestLivesHaveTheirOwnSchedule(t *testing.T) {
	w := NewWorld(3)
	orders := map[string]bool{}
	for range 20 {
		m := w.Boot(nil)
		c := clock{m}
		order := ""
		clean(t, m.Run(func() {
			for i := range 4 {
				c.Go("task", func() { order += fmt.Sprint(i) })
			}
		}))
		orders[order] = true
	}
	if len(orders) < 5 {
		t.Errorf("20 lives had only the orders %v", orders)
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
