package tools_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

func TestBatches(t *testing.T) {
	for calls, want := range map[string]string{
		"":       "[]",
		"R":      "[[0]]",
		"W":      "[[0]]",
		"RR":     "[[0 1]]",
		"WW":     "[[0] [1]]",
		"WR":     "[[0] [1]]", // a read after a write sees the write
		"RW":     "[[0] [1]]",
		"RRWR":   "[[0 1] [2] [3]]",
		"RWRRR":  "[[0] [1] [2 3 4]]",
		"WRRWWR": "[[0] [1 2] [3] [4] [5]]",
	} {
		if got := fmt.Sprint(tools.Batches(len(calls), func(i int) bool { return calls[i] == 'R' })); got != want {
			t.Errorf("%s: %s, want %s", calls, got, want)
		}
	}
}

// Batches loses, repeats and re-orders nothing; a write is alone; two reads
// next to each other are together.
func TestBatchesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ro := rapid.SliceOf(rapid.Bool()).Draw(t, "read-only")
		batches := tools.Batches(len(ro), func(i int) bool { return ro[i] })
		next, of := 0, map[int]int{}
		for b, batch := range batches {
			for _, i := range batch {
				if i != next {
					t.Fatalf("call %d where %d belongs", i, next)
				}
				next++
				of[i] = b
				if !ro[i] && len(batch) > 1 {
					t.Fatalf("call %d has effects and is not alone", i)
				}
			}
		}
		if next != len(ro) {
			t.Fatalf("%d of %d calls", next, len(ro))
		}
		for i := 1; i < len(ro); i++ {
			if together := of[i] == of[i-1]; together != (ro[i] && ro[i-1]) {
				t.Fatalf("calls %d and %d together: %v", i-1, i, together)
			}
		}
	})
}

// jobs makes one job of each run.
func jobs(runs ...run) []tools.Job {
	var out []tools.Job
	for i, r := range runs {
		out = append(out, tools.Job{Tool: &tools.Tool{Name: fmt.Sprintf("t%d", i), Run: r}, Call: call(fmt.Sprintf("c%d", i))})
	}
	return out
}

// log remembers what a batch told its caller, in order.
type log struct {
	events []string
	outs   map[int]tools.Outcome
}

func (l *log) batch(t *testing.T, limit int, opt tools.Options) tools.Batch {
	l.outs = map[int]tools.Outcome{}
	return tools.Batch{
		Options: opt, Limit: limit,
		Start: func(i int) error {
			l.events = append(l.events, fmt.Sprintf("start%d", i))
			return nil
		},
		Done: func(i int, o tools.Outcome) error {
			invariants(t, o)
			if _, twice := l.outs[i]; twice {
				t.Errorf("call %d was delivered twice", i)
			}
			l.outs[i] = o
			l.events = append(l.events, fmt.Sprintf("%s%d", o.State, i))
			return nil
		},
	}
}

func (l *log) String() string { return strings.Join(l.events, " ") }

// A call that stops its siblings may have failed before the batch was run:
// while its answer streamed, or in front of a crash.
func TestBatchStoppedBefore(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		for _, limit := range []int{1, 4} {
			m.run(t, env.NoProbe{}, func(e env.Env) {
				var l log
				b := l.batch(t, limit, tools.Options{})
				b.Stopper = &tools.Tool{Name: "sh", StopsSiblings: true}
				stopper, err := tools.RunBatch(context.Background(), e, jobs(quick("0"), quick("1")), b)
				if err != nil || stopper != b.Stopper || l.String() != "never0 never1" {
					t.Errorf("limit %d: %v, %v, %s", limit, stopper, err, l.String())
				}
				if o := l.outs[1]; o.Code != tools.CodeSibling || !strings.Contains(o.Text, "sh failed before") {
					t.Errorf("limit %d: %+v", limit, o)
				}
			})
		}
	})
}

func quick(text string) run {
	return func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: text}, nil }
}

// The calls complete in reverse, each waiting for the one after it; they are
// delivered as they complete, and each with its own result.
func TestRunBatchInReverse(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			const n = 4
			gates := make([]env.Note, n+1)
			for i := range gates {
				gates[i] = e.Clock.Note()
			}
			gates[n].Set()
			var runs []run
			for i := range n {
				runs = append(runs, func(ctx context.Context, c tools.Call) (tools.Output, error) {
					return tools.Output{Text: c.ID}, gates[i+1].Wait(ctx, "the next call")
				})
			}
			var l log
			b := l.batch(t, 4, tools.Options{Timeout: m.long})
			done := b.Done
			b.Done = func(i int, o tools.Outcome) error {
				err := done(i, o)
				gates[i].Set() // the call before it may end now that this one was delivered
				return err
			}
			if _, err := tools.RunBatch(context.Background(), e, jobs(runs...), b); err != nil {
				t.Error(err)
			}
			if got, want := l.String(), "start0 start1 start2 start3 done3 done2 done1 done0"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			for i, o := range l.outs {
				if o.Text != fmt.Sprintf("c%d", i) {
					t.Errorf("call %d got the result of %s", i, o.Text)
				}
			}
		})
	})
}

// At most limit calls run at once, and as many as that do.
func TestRunBatchLimit(t *testing.T) {
	for _, c := range []struct{ limit, n, most int }{{1, 5, 1}, {2, 5, 2}, {4, 9, 4}, {0, 9, 4}, {4, 3, 3}, {4, 1, 1}, {9, 0, 0}} {
		t.Run(fmt.Sprintf("%d of %d", c.limit, c.n), func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					var runs []run
					for range c.n {
						runs = append(runs, quick("x"))
					}
					var l log
					running, most := 0, 0
					b := l.batch(t, c.limit, tools.Options{})
					start, done := b.Start, b.Done
					b.Start = func(i int) error {
						running++
						most = max(most, running)
						return start(i)
					}
					b.Done = func(i int, o tools.Outcome) error {
						running--
						return done(i, o)
					}
					if _, err := tools.RunBatch(context.Background(), e, jobs(runs...), b); err != nil {
						t.Error(err)
					}
					if most != c.most || running != 0 || len(l.outs) != c.n {
						t.Errorf("at most %d at once, want %d; %d left; %d delivered of %d", most, c.most, running, len(l.outs), c.n)
					}
					var starts []string
					for _, ev := range l.events {
						if strings.HasPrefix(ev, "start") {
							starts = append(starts, ev)
						}
					}
					if !slices.IsSorted(starts) {
						t.Errorf("not started in call order: %v", starts)
					}
				})
			})
		})
	}
}

// openai/openai-agents-python p2584: one that fails, one that panics and one
// that hangs take nothing with them.
func TestRunBatchSiblings(t *testing.T) {
	for _, limit := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					hang := func(ctx context.Context, c tools.Call) (tools.Output, error) {
						return tools.Output{Text: "so far"}, c.Env.Clock.Note().Wait(ctx, "for ever")
					}
					js := jobs(
						quick("first"),
						func(context.Context, tools.Call) (tools.Output, error) { panic("boom") },
						hang,
						func(context.Context, tools.Call) (tools.Output, error) {
							return tools.Output{}, errors.New("no such file")
						},
						quick("last"),
					)
					js[2].Tool.Timeout = m.short
					var l log
					if _, err := tools.RunBatch(context.Background(), e, js, l.batch(t, limit, tools.Options{Timeout: m.long, Grace: m.long})); err != nil {
						t.Error(err)
					}
					got := make([]string, len(js))
					for i, o := range l.outs {
						got[i] = string(o.State) + "/" + o.Code
					}
					want := []string{"done/", "failed/internal_error", "failed/timeout", "failed/execution_error", "done/"}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("got %v, want %v", got, want)
					}
					if !strings.HasSuffix(l.outs[2].Text, "Its output until then:\nso far") || l.outs[4].Text != "last" {
						t.Errorf("texts %q and %q", l.outs[2].Text, l.outs[4].Text)
					}
				})
			})
		})
	}
}

// earendil-works/pi#7053: an abort loses no result that is there, and every
// call has an outcome: done, interrupted, left, never started.
func TestRunBatchAbort(t *testing.T) {
	for limit, want := range map[int]string{
		1: "start0 done0 start1 interrupted1 never2 never3 never4",
		2: "start0 start1 done0 start2 interrupted1 interrupted2 never3 never4",
		4: "start0 start1 start2 start3 done0 start4 interrupted1 interrupted2 interrupted3 interrupted4",
	} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					ctx, cancel := e.Clock.WithCancel(context.Background())
					defer cancel(nil)
					first := e.Clock.Note()
					began := make([]env.Note, 5)
					for i := range began {
						began[i] = e.Clock.Note()
					}
					hang := func(i int) run { return untilStopped(tools.Output{}, nil, began[i]) }
					js := jobs(func(ctx context.Context, c tools.Call) (tools.Output, error) {
						return tools.Output{Text: "real"}, first.Wait(ctx, "the siblings")
					}, hang(1), hang(2), hang(3), hang(4))
					last := min(limit, 4) // of the calls that start before the abort
					e.Clock.Go("user", func() {
						for i := 1; i < max(limit, 1); i++ {
							began[i].Wait(context.Background(), "a sibling")
						}
						first.Set() // its place is taken by one more
						began[last].Wait(context.Background(), "the last one")
						cancel(errUser)
					})
					var l log
					if _, err := tools.RunBatch(ctx, e, js, l.batch(t, limit, tools.Options{Timeout: m.long, Grace: m.long})); err != nil {
						t.Error(err)
					}
					// The interrupted ones complete in any order.
					tail := slices.Clone(l.events)
					slices.SortStableFunc(tail, func(a, b string) int {
						if strings.HasPrefix(a, "interrupted") && strings.HasPrefix(b, "interrupted") {
							return strings.Compare(a, b)
						}
						return 0
					})
					if got := strings.Join(tail, " "); got != want {
						t.Errorf("got  %s\nwant %s", got, want)
					}
					if l.outs[0].Text != "real" {
						t.Errorf("the real result became %q", l.outs[0].Text)
					}
					for i, o := range l.outs {
						if o.State == journal.Never && o.Text != fmt.Sprintf("never started: the run was stopped (stopped by the user) before the turn of t%d came. It did nothing.", i) {
							t.Errorf("call %d is told %q", i, o.Text)
						}
					}
				})
			})
		})
	}
}

func TestRunBatchAbortBefore(t *testing.T) {
	for _, limit := range []int{1, 4} {
		on(t, func(t *testing.T, m machine) {
			m.run(t, env.NoProbe{}, func(e env.Env) {
				ctx, cancel := e.Clock.WithCancel(context.Background())
				cancel(errUser)
				var l log
				if _, err := tools.RunBatch(ctx, e, jobs(quick("a"), quick("b"), quick("c")), l.batch(t, limit, tools.Options{})); err != nil {
					t.Error(err)
				}
				if got, want := l.String(), "never0 never1 never2"; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		})
	}
}

// A deaf sibling delays an abort by the grace, once, and keeps nobody's result
// back.
func TestRunBatchDeafSibling(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			ctx, cancel := e.Clock.WithCancel(context.Background())
			defer cancel(nil)
			began, release, gone := e.Clock.Note(), e.Clock.Note(), e.Clock.Note()
			js := jobs(func(context.Context, tools.Call) (tools.Output, error) {
				defer gone.Set()
				began.Set()
				release.Wait(context.Background(), "the test")
				return tools.Output{Text: "late"}, nil
			}, quick("real"))
			e.Clock.Go("user", func() {
				began.Wait(context.Background(), "the tool")
				cancel(errUser)
			})
			var l log
			if _, err := tools.RunBatch(ctx, e, js, l.batch(t, 4, tools.Options{Timeout: m.long, Grace: m.short})); err != nil {
				t.Error(err)
			}
			if o := l.outs[0]; !o.Left || o.State != journal.Interrupted {
				t.Errorf("the deaf one: %+v", o)
			}
			release.Set()
			gone.Wait(context.Background(), "the tool to return")
		})
	})
}

// When nothing can be recorded any more, nothing else starts, what runs is
// stopped and waited for, and nobody is called again.
func TestRunBatchCallbackFails(t *testing.T) {
	errDisk := errors.New("disk full")
	for _, c := range []struct {
		name, at string
		limit    int
		want     string
		entered  []int // the hanging calls that run when it fails
	}{
		{"start of the first", "start0", 3, "start0", nil},
		{"start of the third", "start2", 3, "start0 start1 start2", []int{1}},
		{"done", "done0", 3, "start0 start1 start2 done0", []int{1, 2}},
		{"start, serial", "start1", 1, "start0 done0 start1", nil},
		{"done, serial", "done0", 1, "start0 done0", nil},
	} {
		for _, panics := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/panics=%v", c.name, panics), func(t *testing.T) {
				on(t, func(t *testing.T, m machine) {
					m.run(t, env.NoProbe{}, func(e env.Env) {
						var running atomic.Int32
						began := []env.Note{nil, e.Clock.Note(), e.Clock.Note(), nil}
						hang := func(i int) run {
							return func(ctx context.Context, c tools.Call) (tools.Output, error) {
								running.Add(1)
								defer running.Add(-1)
								return untilStopped(tools.Output{}, nil, began[i])(ctx, c)
							}
						}
						js := jobs(quick("a"), hang(1), hang(2), quick("d"))
						var l log
						b := l.batch(t, c.limit, tools.Options{Timeout: m.long, Grace: m.long})
						start, done := b.Start, b.Done
						fail := func(err error) error {
							if err != nil || l.events[len(l.events)-1] != c.at {
								return err
							}
							for _, i := range c.entered {
								began[i].Wait(context.Background(), "a sibling")
							}
							if panics {
								panic(errDisk)
							}
							return errDisk
						}
						b.Start = func(i int) error { return fail(start(i)) }
						b.Done = func(i int, o tools.Outcome) error { return fail(done(i, o)) }
						err := func() (err error) {
							defer func() {
								if v := recover(); v != nil {
									err = v.(error)
								}
							}()
							_, err = tools.RunBatch(context.Background(), e, js, b)
							return err
						}()
						if err != errDisk {
							t.Errorf("the error is %v", err)
						}
						if got := l.String(); got != c.want {
							t.Errorf("got  %s\nwant %s", got, c.want)
						}
						if n := running.Load(); n != 0 {
							t.Errorf("%d calls still run", n)
						}
					})
				})
			})
		}
	}
}

func TestRunBatchWithoutStart(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			n := 0
			_, err := tools.RunBatch(context.Background(), e, jobs(quick("a"), quick("b")), tools.Batch{
				Done: func(int, tools.Outcome) error { n++; return nil },
			})
			if err != nil || n != 2 {
				t.Errorf("%d delivered, %v", n, err)
			}
		})
	})
}
