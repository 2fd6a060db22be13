package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

type probeFunc func(env.Site) error

func (f probeFunc) Hit(s env.Site) error { return f(s) }

// A killed life ends by runtime.Goexit in every task. That is no result, no
// failure and no panic of a tool: nobody hears of it, wherever the kill comes.
func TestKilledLifeReportsNothing(t *testing.T) {
	kills := []string{"tool.running", "tool.ran", "inside", "beside", "start", "done"}
	for _, at := range kills {
		for _, limit := range []int{1, 3} {
			for seed := range uint64(8) {
				t.Run(fmt.Sprintf("%s/%d/%d", at, limit, seed), func(t *testing.T) {
					var m *sim.Machine
					m = sim.NewWorld(seed).Boot(probeFunc(func(s env.Site) error {
						if string(s.Point) == at && s.Call == "c1" {
							m.Kill(at)
						}
						return nil
					}))
					var after []string // what happened after the kill
					note := func(what string) {
						if !m.Alive() {
							after = append(after, what)
						}
					}
					work := func(ctx context.Context, c tools.Call) (tools.Output, error) {
						c.Env.Clock.Sleep(ctx, time.Second)
						if c.ID == "c1" && at == "inside" {
							defer func() {
								if recover() != nil {
									note("recovered")
								}
							}()
							m.Kill(at)
						}
						err := c.Env.Clock.Sleep(ctx, time.Second)
						note("the tool of " + c.ID)
						return tools.Output{Text: "effect"}, err
					}
					out := m.Run(func() {
						e := m.Env("session")
						if at == "beside" {
							e.Clock.Go("killer", func() {
								e.Clock.Sleep(context.Background(), 1500*time.Millisecond)
								m.Kill(at)
							})
						}
						_, err := tools.RunBatch(context.Background(), e, jobs(work, work, work), tools.Batch{
							Limit: limit,
							Start: func(i int) error {
								if i == 1 && at == "start" {
									m.Kill(at)
								}
								note(fmt.Sprintf("start %d", i))
								return nil
							},
							Done: func(i int, o tools.Outcome) error {
								if at == "done" {
									m.Kill(at)
								}
								note(fmt.Sprintf("done %d: %+v", i, o))
								return nil
							},
						})
						note(fmt.Sprintf("RunBatch returned %v", err))
						t.Errorf("RunBatch returned %v", err)
					})
					if !out.Crashed || out.Point != at || out.Panic != "" || out.Deadlock != "" {
						t.Errorf("the life ended as %+v", out)
					}
					if len(after) > 0 {
						t.Errorf("after the kill: %s", strings.Join(after, "; "))
					}
				})
			}
		}
	}
}

// The seed is the schedule: the same one gives the same order and the same
// times, another one another order.
func TestRunBatchIsDeterministic(t *testing.T) {
	trace := func(seed uint64) string {
		var l log
		m := simulated(seed)
		m.run(t, env.NoProbe{}, func(e env.Env) {
			var runs []run
			for i := range 8 {
				runs = append(runs, func(ctx context.Context, c tools.Call) (tools.Output, error) {
					l.events = append(l.events, "enter"+c.ID)
					return tools.Output{}, c.Env.Clock.Sleep(ctx, time.Duration(i%3)*time.Second)
				})
			}
			b := l.batch(t, 4, tools.Options{})
			done := b.Done
			b.Done = func(i int, o tools.Outcome) error {
				l.events = append(l.events, e.Clock.Now().Format("05"))
				return done(i, o)
			}
			if _, err := tools.RunBatch(context.Background(), e, jobs(runs...), b); err != nil {
				t.Error(err)
			}
		})
		return l.String()
	}
	different := map[string]bool{}
	for seed := range uint64(10) {
		first := trace(seed)
		different[first] = true
		for range 20 {
			if again := trace(seed); again != first {
				t.Fatalf("seed %d gave\n%s\nand\n%s", seed, first, again)
			}
		}
	}
	if len(different) < 5 {
		t.Errorf("ten seeds gave only %d schedules", len(different))
	}
}

// The grace is what an abort may cost, to the nanosecond of virtual time.
func TestGraceInVirtualTime(t *testing.T) {
	m := simulated(1)
	m.run(t, env.NoProbe{}, func(e env.Env) {
		deaf := func(_ context.Context, c tools.Call) (tools.Output, error) {
			return tools.Output{}, c.Env.Clock.Sleep(context.Background(), time.Hour)
		}
		began := e.Clock.Now()
		l := log{}
		opt := tools.Options{Timeout: 30 * time.Second, Grace: 5 * time.Second}
		if _, err := tools.RunBatch(context.Background(), e, jobs(deaf, deaf, deaf, deaf, quick("x")), l.batch(t, 4, opt)); err != nil {
			t.Error(err)
		}
		if got := e.Clock.Now().Sub(began); got != 35*time.Second {
			t.Errorf("the batch took %v, want 35s", got)
		}
		if n := len(l.events); n != 10 {
			t.Errorf("%d events: %v", n, &l)
		}
		e.Clock.Sleep(context.Background(), 2*time.Hour) // the deaf ones end, and nobody hears of it
		if len(l.events) != 10 {
			t.Errorf("a late result was accepted: %v", &l)
		}
	})
}

// Calls that complete while their caller records another are delivered in the
// order in which they did.
func TestRunBatchOrderOfCompletion(t *testing.T) {
	m := simulated(1)
	m.run(t, env.NoProbe{}, func(e env.Env) {
		after := func(s time.Duration) run {
			return func(ctx context.Context, c tools.Call) (tools.Output, error) {
				return tools.Output{}, c.Env.Clock.Sleep(ctx, s*time.Second)
			}
		}
		var l log
		b := l.batch(t, 4, tools.Options{})
		done := b.Done
		b.Done = func(i int, o tools.Outcome) error {
			if i == 0 {
				e.Clock.Sleep(context.Background(), time.Minute) // a slow disk
			}
			return done(i, o)
		}
		if _, err := tools.RunBatch(context.Background(), e, jobs(after(1), after(4), after(3), after(2)), b); err != nil {
			t.Error(err)
		}
		if got, want := l.String(), "start0 start1 start2 start3 done0 done3 done2 done1"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// Every timer is released, and the tool's context ends with its call.
func TestExecuteReleasesTimers(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			clock := &countingClock{Clock: e.Clock}
			e.Clock = clock
			var kept context.Context
			tool := &tools.Tool{Name: "work", Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
				kept = ctx
				return tools.Output{}, nil
			}}
			tools.Execute(context.Background(), e, tool, call("c1"), tools.Options{})
			if kept.Err() == nil {
				t.Error("the tool's context outlives its call")
			}
			tool.Run = untilStopped(tools.Output{}, nil, nil)
			tools.Execute(context.Background(), e, tool, call("c2"), tools.Options{Timeout: m.short, Grace: m.long})
			// The grace needs one only if the tool did not settle in the same step.
			if clock.made < 2 || clock.stopped != clock.made {
				t.Errorf("%d timers, %d released", clock.made, clock.stopped)
			}
		})
	})
}

type countingClock struct {
	env.Clock
	made, stopped int
}

type countingTimer struct {
	env.Timer
	c *countingClock
}

func (c *countingClock) WithTimer(parent context.Context, cause error) (context.Context, env.Timer) {
	c.made++
	ctx, t := c.Clock.WithTimer(parent, cause)
	return ctx, countingTimer{t, c}
}

func (t countingTimer) Stop() {
	t.c.stopped++
	t.Timer.Stop()
}
