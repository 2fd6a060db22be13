package tools_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

// behaviour is a tool's: what it does and what becomes of it when nobody stops it.
type behaviour struct {
	name  string
	takes time.Duration
	state journal.State
}

func (b behaviour) run(entered, returned func(at time.Time)) run {
	return func(ctx context.Context, c tools.Call) (out tools.Output, err error) {
		entered(c.Env.Clock.Now())
		defer func() { returned(c.Env.Clock.Now()) }()
		if b.name == "deaf" {
			ctx = context.Background()
		}
		if err := c.Env.Clock.Sleep(ctx, b.takes); err != nil {
			return tools.Output{Text: "so far"}, err
		}
		switch b.name {
		case "fails":
			return tools.Output{}, errors.New("no")
		case "panics":
			panic("boom")
		}
		return tools.Output{Text: c.ID}, nil
	}
}

var behaviours = rapid.Custom(func(t *rapid.T) behaviour {
	b := behaviour{takes: time.Duration(rapid.IntRange(0, 5).Draw(t, "takes")) * time.Second}
	b.name = rapid.SampledFrom([]string{"ok", "ok", "fails", "panics", "deaf"}).Draw(t, "does")
	b.state = journal.Done
	if b.name == "fails" || b.name == "panics" {
		b.state = journal.Failed
	}
	return b
})

const flightGrace = 2 * time.Second

// inSim runs main on a simulated machine. What is bad is reported to rapid from
// outside: a task of the machine cannot end its test.
func inSim(rt *rapid.T, main func(e env.Env, bad func(format string, args ...any))) {
	m := sim.NewWorld(rapid.Uint64Range(0, 1000).Draw(rt, "seed")).Boot(nil)
	var said []string
	out := m.Run(func() {
		main(m.Env("session"), func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
	})
	if out.Panic != "" || out.Deadlock != "" || out.Crashed || len(out.Left) > 0 {
		rt.Fatalf("the life ended badly: %+v", out)
	}
	if len(said) > 0 {
		rt.Fatal(strings.Join(said, "\n"))
	}
}

// Whatever an owner does with a flight, under any schedule: every launched
// call lands exactly once, in order of completion, with its own outcome; what
// was stopped lands within the grace.
func TestFlightProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "limit")
		plan := rapid.SliceOfN(behaviours, 0, 8).Draw(rt, "calls")
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{"launch", "launch", "landed", "wait", "sleep", "stop"}), 0, 30).Draw(rt, "steps")
		inSim(rt, func(e env.Env, bad func(string, ...any)) {
			f := tools.NewFlight(context.Background(), e, tools.Options{Timeout: -1, Grace: flightGrace}, limit)
			var stopped time.Time
			returned := map[int]time.Time{}
			got := map[int]tools.Outcome{}
			launched := 0
			var last time.Time
			take := func(list []tools.Landing) {
				for _, l := range list {
					if _, twice := got[l.K]; twice {
						bad("call %d landed twice", l.K)
					}
					got[l.K] = l.Outcome
					if l.Outcome.Left {
						if e.Clock.Now().Before(stopped.Add(flightGrace)) {
							bad("call %d was left before the grace was over", l.K)
						}
						continue
					}
					if at, entered := returned[l.K]; !entered {
						continue
					} else if at.Before(last) {
						bad("call %d completed at %v and landed behind one of %v", l.K, at, last)
					} else {
						last = at
					}
				}
				if f.Running() != launched-len(got) {
					bad("Running is %d, and %d of %d landed", f.Running(), len(got), launched)
				}
			}
			for _, s := range steps {
				switch s {
				case "launch":
					free := f.Free()
					if want := launched-len(got) < limit && stopped.IsZero(); free != want {
						bad("Free is %v with %d of %d running, stopped at %v", free, launched-len(got), limit, stopped)
					}
					if !free || launched == len(plan) {
						continue
					}
					k := launched
					launched++
					f.Launch(k, tools.Job{
						Tool: &tools.Tool{Name: plan[k].name, Run: plan[k].run(func(time.Time) {}, func(at time.Time) { returned[k] = at })},
						Call: call(fmt.Sprintf("c%d", k)),
					})
				case "landed":
					before := e.Clock.Now()
					take(f.Landed())
					if !e.Clock.Now().Equal(before) {
						bad("Landed waited")
					}
				case "wait":
					running := f.Running()
					list := f.Wait()
					if (len(list) == 0) != (running == 0) {
						bad("Wait returned %d landings with %d running", len(list), running)
					}
					take(list)
				case "sleep":
					e.Clock.Sleep(context.Background(), time.Second)
				case "stop":
					if stopped.IsZero() {
						stopped = e.Clock.Now()
					}
					f.Stop(errUser)
				}
			}
			if stopped.IsZero() {
				stopped = e.Clock.Now()
			}
			drained := e.Clock.Now()
			f.Stop(errUser)
			for list := f.Wait(); list != nil; list = f.Wait() {
				take(list)
			}
			if e.Clock.Now().Sub(drained) > flightGrace {
				bad("the calls took %v to land", e.Clock.Now().Sub(drained))
			}
			if len(got) != launched || f.Running() != 0 {
				bad("%d of %d calls landed", len(got), launched)
			}
			for k, o := range got {
				if o.State != plan[k].state && o.State != journal.Interrupted {
					bad("call %d (%+v) became %s", k, plan[k], o.State)
				}
				if o.State == journal.Done && o.Text != fmt.Sprintf("c%d", k) {
					bad("call %d has the result %q", k, o.Text)
				}
			}
			e.Clock.Sleep(context.Background(), time.Minute) // deaf ones end
		})
	})
}

// What was stopped lands within the grace, and nothing is entered afterwards.
func TestFlightStop(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			f := tools.NewFlight(context.Background(), e, tools.Options{Timeout: m.long, Grace: m.short}, 3)
			began, second, release, gone := e.Clock.Note(), e.Clock.Note(), e.Clock.Note(), e.Clock.Note()
			js := jobs(untilStopped(tools.Output{}, nil, began), func(context.Context, tools.Call) (tools.Output, error) {
				defer gone.Set()
				second.Set()
				release.Wait(context.Background(), "the test")
				return tools.Output{Text: "late"}, nil
			}, func(context.Context, tools.Call) (tools.Output, error) {
				t.Error("entered after the stop")
				return tools.Output{}, nil
			})
			f.Launch(0, js[0])
			f.Launch(1, js[1])
			began.Wait(context.Background(), "the first")
			second.Wait(context.Background(), "the second")
			f.Stop(errUser)
			f.Stop(errors.New("another cause"))
			if f.Free() {
				t.Error("a flight that was stopped is free")
			}
			f.Launch(2, js[2])
			got := map[int]string{}
			for list := f.Wait(); list != nil; list = f.Wait() {
				for _, l := range list {
					invariants(t, l.Outcome)
					got[l.K] = l.Outcome.Code
					if !strings.Contains(l.Outcome.Text, errUser.Error()) {
						t.Errorf("call %d is told %q", l.K, l.Outcome.Text)
					}
				}
			}
			if got[0] != tools.CodeAborted || got[1] != tools.CodeLeft || got[2] != tools.CodeAborted {
				t.Errorf("codes %v", got)
			}
			release.Set()
			gone.Wait(context.Background(), "the deaf one")
		})
	})
}

// A batch takes over what its owner launched while the answer still streamed:
// every call runs once and is delivered once, whatever has landed by then.
func TestRunBatchOfAFlight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(rt, "limit")
		plan := rapid.SliceOfN(behaviours, 1, 6).Draw(rt, "calls")
		early := rapid.SliceOfN(rapid.Bool(), len(plan), len(plan)).Draw(rt, "early")
		wait := time.Duration(rapid.IntRange(0, 3).Draw(rt, "stream")) * time.Second
		abort := rapid.Bool().Draw(rt, "abort")
		once := rapid.Bool().Draw(rt, "launched does not include delivered")
		inSim(rt, func(e env.Env, bad func(string, ...any)) {
			ctx, cancel := e.Clock.WithCancel(context.Background())
			f := tools.NewFlight(ctx, e, tools.Options{Timeout: -1, Grace: flightGrace}, limit)
			entered := make([]int, len(plan))
			var js []tools.Job
			for i, b := range plan {
				js = append(js, tools.Job{
					Tool: &tools.Tool{Name: b.name, Run: b.run(func(time.Time) { entered[i]++ }, func(time.Time) {})},
					Call: call(fmt.Sprintf("c%d", i)),
				})
			}
			launched, delivered := map[int]bool{}, map[int]bool{}
			var outs = map[int]tools.Outcome{}
			var started []int
			for i := range js { // while the answer streams
				if early[i] && f.Free() {
					launched[i] = true
					f.Launch(i, js[i])
				}
				if i == len(js)/2 {
					e.Clock.Sleep(context.Background(), wait)
					for _, l := range f.Landed() {
						delivered[l.K], outs[l.K] = true, l.Outcome
					}
				}
			}
			if abort {
				e.Clock.Go("user", func() {
					e.Clock.Sleep(context.Background(), 2*time.Second)
					cancel(errUser)
				})
			}
			stopper, err := tools.RunBatch(ctx, e, js, tools.Batch{
				Flight:    f,
				Launched:  func(i int) bool { return launched[i] && !(once && delivered[i]) },
				Delivered: func(i int) bool { return delivered[i] },
				Start:     func(i int) error { started = append(started, i); return nil },
				Done: func(i int, o tools.Outcome) error {
					if _, twice := outs[i]; twice {
						bad("call %d was delivered twice", i)
					}
					outs[i] = o
					return nil
				},
			})
			if err != nil || stopper != nil {
				bad("stopper %v, error %v", stopper, err)
			}
			if !slices.IsSorted(started) {
				bad("not started in call order: %v", started)
			}
			for i := range js {
				o, ok := outs[i]
				if !ok {
					bad("call %d has no outcome", i)
				}
				if launched[i] == slices.Contains(started, i) && o.State != journal.Never {
					bad("call %d: launched early %v, started %v", i, launched[i], started)
				}
				if entered[i] > 1 || o.State == journal.Done && entered[i] != 1 || o.State == journal.Never && entered[i] != 0 {
					bad("call %d was entered %d times and is %s", i, entered[i], o.State)
				}
				if !abort && o.State != plan[i].state {
					bad("call %d is %s, want %s", i, o.State, plan[i].state)
				}
			}
			if !abort && !f.Free() { // it stays usable
				bad("the flight is not free after a good end")
			}
			f.Stop(nil)
			cancel(nil)
			e.Clock.Sleep(context.Background(), time.Minute)
		})
	})
}

// A flight that holds another batch's call is a mistake of ours, and what runs
// is stopped before it is reported.
func TestRunBatchOfAStrangeFlight(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			f := tools.NewFlight(context.Background(), e, tools.Options{Timeout: m.long, Grace: m.long}, 4)
			js := jobs(untilStopped(tools.Output{}, nil, nil), quick("stray"))
			f.Launch(7, js[1])
			defer func() {
				if v := recover(); v == nil || !strings.HasPrefix(fmt.Sprint(v), "call 7 landed in a batch that does not wait for it") {
					t.Errorf("recovered %v", v)
				}
				if f.Running() != 0 || f.Free() {
					t.Errorf("%d calls run, free %v", f.Running(), f.Free())
				}
			}()
			tools.RunBatch(context.Background(), e, js[:1], tools.Batch{Flight: f, Done: func(int, tools.Outcome) error { return nil }})
			t.Error("no panic")
		})
	})
}

// When nothing can be recorded any more, the calls of a given flight are
// stopped and waited for, too.
func TestRunBatchOfAFlightFails(t *testing.T) {
	errDisk := errors.New("disk full")
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			f := tools.NewFlight(context.Background(), e, tools.Options{Timeout: m.long, Grace: m.long}, 4)
			js := jobs(untilStopped(tools.Output{}, nil, nil), quick("x"))
			f.Launch(0, js[0])
			_, err := tools.RunBatch(context.Background(), e, js, tools.Batch{
				Flight:   f,
				Launched: func(i int) bool { return i == 0 },
				Start:    func(int) error { return errDisk },
				Done:     func(int, tools.Outcome) error { t.Error("delivered"); return nil },
			})
			if err != errDisk || f.Running() != 0 || f.Free() {
				t.Errorf("%v, %d calls run, free %v", err, f.Running(), f.Free())
			}
		})
	})
}

// C7: the failure of a tool that stops its siblings, and of no other, stops
// what runs and keeps the rest from starting.
func TestRunBatchSiblingFails(t *testing.T) {
	for _, c := range []struct {
		name     string
		limit    int
		stops    bool
		fails    error
		isError  bool
		timesOut bool
		want     string // states of the five calls; the first is the failing one, the second hangs
		stopper  bool
	}{
		{name: "all at once", limit: 5, stops: true, fails: errors.New("no"), want: "failed interrupted done done done", stopper: true},
		{name: "two at once", limit: 2, stops: true, fails: errors.New("no"), want: "failed interrupted never never never", stopper: true},
		{name: "one by one", limit: 1, stops: true, fails: errors.New("no"), want: "failed never never never never", stopper: true},
		{name: "an error in its output", limit: 2, stops: true, isError: true, want: "failed interrupted never never never", stopper: true},
		{name: "a timeout", limit: 2, stops: true, timesOut: true, want: "failed interrupted never never never", stopper: true},
		{name: "another tool", limit: 2, fails: errors.New("no"), want: "failed failed done done done"},
		{name: "a success", limit: 2, stops: true, want: "done failed done done done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					began := e.Clock.Note()
					rest := e.Clock.Note()
					js := jobs(func(ctx context.Context, call tools.Call) (tools.Output, error) {
						if c.limit > 1 {
							began.Wait(ctx, "the sibling")
						}
						if c.limit == 5 {
							rest.Wait(ctx, "the others")
						}
						if c.timesOut {
							return tools.Output{}, e.Clock.Note().Wait(ctx, "the end of its time")
						}
						return tools.Output{IsError: c.isError, Text: "x"}, c.fails
					}, untilStopped(tools.Output{}, nil, began), quick("c"), quick("d"), func(context.Context, tools.Call) (tools.Output, error) {
						return tools.Output{Text: "e"}, nil
					})
					js[0].Tool.StopsSiblings = c.stops
					if c.timesOut {
						js[0].Tool.Timeout = m.short
					}
					if !c.stopper {
						js[1].Tool.Timeout = m.short
					}
					var l log
					b := l.batch(t, c.limit, tools.Options{Timeout: m.long, Grace: m.long})
					done := b.Done
					b.Done = func(i int, o tools.Outcome) error {
						if n := len(l.outs); c.limit == 5 && n == 2 { // the third of the quick ones
							rest.Set()
						}
						return done(i, o)
					}
					stopper, err := tools.RunBatch(context.Background(), e, js, b)
					if err != nil {
						t.Error(err)
					}
					if (stopper == js[0].Tool) != c.stopper {
						t.Errorf("the stopper is %v", stopper)
					}
					var got []string
					for i := range js {
						got = append(got, string(l.outs[i].State))
					}
					if s := strings.Join(got, " "); s != c.want {
						t.Errorf("got  %s\nwant %s", s, c.want)
					}
					for i, o := range l.outs {
						if o.State == journal.Never && !reflect.DeepEqual(o, tools.SiblingFailed(js[0].Tool, js[i].Tool)) {
							t.Errorf("call %d: %+v", i, o)
						}
						if o.State == journal.Interrupted && (o.Code != tools.CodeSibling || !strings.Contains(o.Text, "told to stop (t0 failed)")) {
							t.Errorf("call %d: %+v", i, o)
						}
					}
				})
			})
		})
	}
}

// A failure that comes of an abort is the abort's: the rest was aborted.
func TestRunBatchSiblingFailsAfterTheAbort(t *testing.T) {
	for _, limit := range []int{1, 2} {
		on(t, func(t *testing.T, m machine) {
			m.run(t, env.NoProbe{}, func(e env.Env) {
				ctx, cancel := e.Clock.WithCancel(context.Background())
				js := jobs(func(context.Context, tools.Call) (tools.Output, error) {
					cancel(errUser)
					return tools.Output{IsError: true, Text: "x"}, nil
				}, untilStopped(tools.Output{}, nil, nil), quick("c"))
				js[0].Tool.StopsSiblings = true
				var l log
				stopper, err := tools.RunBatch(ctx, e, js, l.batch(t, limit, tools.Options{Timeout: m.long, Grace: m.long}))
				if stopper != nil || err != nil || l.outs[2].Code != tools.CodeAborted {
					t.Errorf("stopper %v, error %v, the last: %+v", stopper, err, l.outs[2])
				}
			})
		})
	}
}

// The contexts of a batch's own flight are released with it.
func TestRunBatchReleasesItsFlight(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			clock := &keepingClock{Clock: e.Clock}
			e.Clock = clock
			if _, err := tools.RunBatch(context.Background(), e, jobs(quick("a"), quick("b")), tools.Batch{Done: func(int, tools.Outcome) error { return nil }}); err != nil {
				t.Error(err)
			}
			if len(clock.made) != 1 || clock.made[0].Err() == nil {
				t.Errorf("%d contexts, and not all ended", len(clock.made))
			}
		})
	})
}

type keepingClock struct {
	env.Clock
	made []context.Context
}

func (c *keepingClock) WithCancel(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := c.Clock.WithCancel(parent)
	c.made = append(c.made, ctx)
	return ctx, cancel
}
