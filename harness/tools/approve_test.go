package tools_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
)

type approver func(ctx context.Context, ask tools.Ask) (bool, error)

func (a approver) Approve(ctx context.Context, ask tools.Ask) (bool, error) { return a(ctx, ask) }

func TestAskFor(t *testing.T) {
	const none = "work was not run: it needs an approval, and none was given (WHY). Do it another way, or say what you would need."
	hang := func(ctx context.Context, ask tools.Ask) error {
		return ask.Call.Env.Clock.Note().Wait(ctx, "for ever")
	}
	for _, c := range []struct {
		name string
		a    tools.Approver
		code string
		text string
		slow bool // it does not answer by itself
	}{
		{"yes", approver(func(context.Context, tools.Ask) (bool, error) { return true, nil }), tools.Approved, "", false},
		{"no", approver(func(context.Context, tools.Ask) (bool, error) { return false, nil }), tools.Rejected,
			"work was not run: the approval was refused. Do not call it again with the same input: do it another way, or ask what is wanted.", false},
		{"an error", approver(func(context.Context, tools.Ask) (bool, error) { return false, errors.New("no\nterminal") }), tools.Cancelled, "no terminal", false},
		{"yes and an error", approver(func(context.Context, tools.Ask) (bool, error) { return true, errors.New("no terminal") }), tools.Cancelled, "no terminal", false},
		{"a panic", approver(func(context.Context, tools.Ask) (bool, error) { panic("boom") }), tools.Cancelled, "the approver broke down", false},
		{"nobody", nil, tools.Cancelled, "there is nobody to ask", false},
		{"hangs", approver(func(ctx context.Context, ask tools.Ask) (bool, error) { return false, hang(ctx, ask) }), tools.Cancelled, "timed out after LIMIT", true},
		{"yes, but too late", approver(func(ctx context.Context, ask tools.Ask) (bool, error) { hang(ctx, ask); return true, nil }), tools.Cancelled, "timed out after LIMIT", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					timeout := m.long
					if c.slow {
						timeout = m.short
					}
					got := tools.AskFor(context.Background(), e, c.a, tools.Ask{Call: call("c1"), Rule: "r"}, timeout, m.long)
					want := c.text
					if c.code == tools.Cancelled {
						want = strings.Replace(none, "WHY", strings.Replace(c.text, "LIMIT", m.short.String(), 1), 1)
					}
					if got.Code != c.code || got.Text != want || got.Left {
						t.Errorf("got  %+v\nwant %s %q", got, c.code, want)
					}
					if (got.Stack != "") != (c.name == "a panic") || strings.Contains(got.Text, "boom") {
						t.Errorf("the stack is %q, the text %q", got.Stack, got.Text)
					}
				})
			})
		})
	}
}

func TestAskForAsks(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			asked := 0
			a := approver(func(ctx context.Context, ask tools.Ask) (bool, error) {
				asked++
				if ask.Rule != "r" || ask.Call.ID != "c1" || string(ask.Call.Input) != "{}" || ask.Call.Env.Clock == nil || ctx.Err() != nil {
					t.Errorf("asked about %+v", ask)
				}
				return true, nil
			})
			for _, timeout := range []time.Duration{0, -1, m.long} {
				if got := tools.AskFor(context.Background(), e, a, tools.Ask{Call: call("c1"), Rule: "r"}, timeout, 0); got != (tools.Answer{Code: tools.Approved}) {
					t.Errorf("timeout %v: %+v", timeout, got)
				}
			}
			if asked != 3 {
				t.Errorf("asked %d times", asked)
			}
		})
	})
}

// An abort is a denial, before the question and while it is open.
func TestAskForAborted(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			ctx, cancel := e.Clock.WithCancel(context.Background())
			began := e.Clock.Note()
			asked := 0
			a := approver(func(ctx context.Context, ask tools.Ask) (bool, error) {
				asked++
				began.Set()
				ask.Call.Env.Clock.Note().Wait(ctx, "the user")
				return true, nil // a yes that nobody waits for
			})
			e.Clock.Go("user", func() {
				began.Wait(context.Background(), "the question")
				cancel(errUser)
			})
			for range 2 {
				got := tools.AskFor(ctx, e, a, tools.Ask{Call: call("c1")}, m.long, m.long)
				if got.Code != tools.Cancelled || got.Left || !strings.Contains(got.Text, "none was given (stopped by the user)") {
					t.Errorf("got %+v", got)
				}
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	})
}

// An approver that does not stop is left after the grace, and one that ends its
// task like a dead one has not answered.
func TestAskForLeavesADeafApprover(t *testing.T) {
	for _, exits := range []bool{false, true} {
		on(t, func(t *testing.T, m machine) {
			m.run(t, env.NoProbe{}, func(e env.Env) {
				release, gone := e.Clock.Note(), e.Clock.Note()
				a := approver(func(context.Context, tools.Ask) (bool, error) {
					defer gone.Set()
					if exits {
						runtime.Goexit()
					}
					release.Wait(context.Background(), "the test")
					return true, nil
				})
				began := e.Clock.Now()
				got := tools.AskFor(context.Background(), e, a, tools.Ask{Call: call("c1")}, m.short, 2*m.short)
				if got.Code != tools.Cancelled || !got.Left {
					t.Errorf("got %+v", got)
				}
				if took := e.Clock.Now().Sub(began); m.name != "real" && took != 3*m.short {
					t.Errorf("it took %v", took)
				}
				release.Set()
				gone.Wait(context.Background(), "the approver")
			})
		})
	}
}
