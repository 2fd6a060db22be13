package tools_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

type run = func(ctx context.Context, c tools.Call) (tools.Output, error)

func call(id string) tools.Call {
	return tools.Call{ID: id, ProviderID: "toolu_" + id, Name: "work", Input: []byte("{}")}
}

// invariants hold for every outcome.
func invariants(t *testing.T, o tools.Outcome) {
	t.Helper()
	if o.IsError != (o.State != journal.Done) {
		t.Errorf("IsError is %v and the state %s", o.IsError, o.State)
	}
	if o.IsError != (o.Code != "") {
		t.Errorf("IsError is %v and the code %q", o.IsError, o.Code)
	}
	if strings.TrimSpace(o.Text) == "" {
		t.Error("no text")
	}
	if strings.Contains(o.Text, "goroutine ") || strings.Contains(o.Text, ".go:") {
		t.Errorf("a stack trace for the model: %q", o.Text)
	}
	if o.State == journal.Interrupted && !strings.Contains(o.Text, "interrupted") {
		t.Errorf("an interrupted call that does not say so: %q", o.Text)
	}
}

var errUser = errors.New("stopped by the user")

// What a tool returns by itself, without any end of its context.
func TestExecuteReturns(t *testing.T) {
	var nobody *tools.Tool
	for _, c := range []struct {
		name string
		run  run
		want tools.Outcome // Text may end in "..."
	}{
		{"done", func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: "hello\n"}, nil },
			tools.Outcome{Text: "hello\n", State: journal.Done}},
		{"no output", nothing,
			tools.Outcome{Text: "(no output)", State: journal.Done}},
		{"blank output", func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: " \n\t"}, nil },
			tools.Outcome{Text: "(no output)", State: journal.Done}},
		{"a code without an error is nothing", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: "x", Code: "odd"}, nil
		}, tools.Outcome{Text: "x", State: journal.Done}},
		{"not UTF-8", func(context.Context, tools.Call) (tools.Output, error) { return tools.Output{Text: "a\xff\xfeb"}, nil },
			tools.Outcome{Text: "a\uFFFDb", State: journal.Done}},
		{"error", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{}, errors.New("disk full")
		}, tools.Outcome{Text: "disk full", State: journal.Failed, Code: "execution_error", IsError: true}},
		{"error with a code", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Code: "odd"}, fmt.Errorf("edit: %w", &tools.Error{Code: "conflict", Text: "changed"})
		}, tools.Outcome{Text: "edit: changed", State: journal.Failed, Code: "conflict", IsError: true}},
		{"error with output", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: "3 of 5\n", Code: "odd"}, errors.New("disk full")
		}, tools.Outcome{Text: "disk full\nIts output until then:\n3 of 5\n", State: journal.Failed, Code: "odd", IsError: true}},
		{"error in the output", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: "no such file", IsError: true}, nil
		}, tools.Outcome{Text: "no such file", State: journal.Failed, Code: "execution_error", IsError: true}},
		{"error without a word", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{IsError: true}, nil
		}, tools.Outcome{Text: "work failed and did not say why.", State: journal.Failed, Code: "execution_error", IsError: true}},
		{"error with an empty message", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{}, errors.New("")
		}, tools.Outcome{Text: "work failed and did not say why.", State: journal.Failed, Code: "execution_error", IsError: true}},
		{"a context error of the tool's own", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{}, context.DeadlineExceeded
		}, tools.Outcome{Text: "context deadline exceeded", State: journal.Failed, Code: "execution_error", IsError: true}},
		{"panic", func(context.Context, tools.Call) (tools.Output, error) { panic("at the disco") },
			tools.Outcome{Text: "work broke down (an error inside the tool)....", State: journal.Failed, Code: "internal_error", IsError: true}},
		{"panic of the runtime", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: nobody.Name}, nil
		}, tools.Outcome{Text: "work broke down (an error inside the tool)....", State: journal.Failed, Code: "internal_error", IsError: true}},
		{"panic with nil", func(context.Context, tools.Call) (tools.Output, error) { panic(error(nil)) },
			tools.Outcome{Text: "work broke down (an error inside the tool)....", State: journal.Failed, Code: "internal_error", IsError: true}},
		{"too long", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{Text: strings.Repeat("a", 60) + strings.Repeat("z", 60)}, nil
		}, tools.Outcome{Text: strings.Repeat("a", 50) + "\n[... 20 bytes left out ...]\n" + strings.Repeat("z", 50), State: journal.Done, Cut: 20}},
		{"an error that is too long", func(context.Context, tools.Call) (tools.Output, error) {
			return tools.Output{}, errors.New(strings.Repeat("e", 101))
		}, tools.Outcome{Text: strings.Repeat("e", 50) + "\n[... 1 byte left out ...]\n" + strings.Repeat("e", 50), State: journal.Failed, Code: "execution_error", IsError: true, Cut: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				p := &probe{}
				m.run(t, p, func(e env.Env) {
					o := tools.Execute(context.Background(), e, &tools.Tool{Name: "work", Run: c.run}, call("c1"), tools.Options{Limit: 100})
					invariants(t, o)
					panicked := c.want.Code == tools.CodeInternal
					if panicked != strings.Contains(o.Stack, "execute_test.go") {
						t.Errorf("the stack for the log is %q", o.Stack)
					}
					if strings.Contains(o.Text, "disco") {
						t.Errorf("the panic's value is in the text: %q", o.Text)
					}
					o.Stack, o.Elapsed = "", 0
					text := o.Text
					o.Text = c.want.Text
					if !says(text, c.want.Text) || !reflect.DeepEqual(o, c.want) {
						t.Errorf("got  %q %+v\nwant %+v", text, o, c.want)
					}
				})
				site := env.Site{Call: "c1", ID: "toolu_c1"}
				running, ran := site, site
				running.Point, ran.Point = env.ToolRunning, env.ToolRan
				if want := []env.Site{running, ran}; !reflect.DeepEqual(p.visits, want) {
					t.Errorf("visits %+v\nwant   %+v", p.visits, want)
				}
			})
		})
	}
}

func TestExecuteFillsTheCall(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		m.run(t, env.NoProbe{}, func(e env.Env) {
			c := call("c7")
			c.Input = []byte(`{"n":12345678901234567890123}`)
			tool := &tools.Tool{Name: "work", Run: func(ctx context.Context, got tools.Call) (tools.Output, error) {
				if got.ID != "c7" || got.ProviderID != "toolu_c7" || got.Name != "work" || string(got.Input) != string(c.Input) {
					t.Errorf("the tool got %+v", got)
				}
				if got.Env.Clock == nil || got.Limit != 123 || ctx.Err() != nil {
					t.Errorf("the tool got a machine %v, a limit of %d and a context that is %v", got.Env.Clock, got.Limit, ctx.Err())
				}
				return tools.Output{}, nil
			}}
			tools.Execute(context.Background(), e, tool, c, tools.Options{Limit: 123})
		})
	})
}

// untilStopped is a tool that waits until it is told to stop. It then returns
// out with err, or with the cause of the end, or, finished, without an error.
func untilStopped(out tools.Output, err error, began env.Note) run {
	return func(ctx context.Context, c tools.Call) (tools.Output, error) {
		if began != nil {
			began.Set()
		}
		why := c.Env.Clock.Note().Wait(ctx, "an end")
		if err == nil && !strings.HasPrefix(out.Text, "finished") {
			err = why
		}
		return out, err
	}
}

// How a tool's return is read once it was told to stop (C4, C11).
func TestExecuteStopped(t *testing.T) {
	const aborted, late = "aborted", "late"
	const head = "interrupted: work was told to stop (stopped by the user) and stopped. What it did until then is not undone."
	for _, c := range []struct {
		name, why string
		out       tools.Output
		err       error
		state     journal.State
		code      string
		text      string
	}{
		{"aborted without output", aborted, tools.Output{}, nil, journal.Interrupted, "aborted", head + " It had no output until then."},
		{"aborted with output", aborted, tools.Output{Text: "half\n"}, nil, journal.Interrupted, "aborted", head + " Its output until then:\nhalf\n"},
		{"aborted with words", aborted, tools.Output{}, errors.New("2 of 3 files\nwritten"), journal.Interrupted, "aborted", head + " It said: 2 of 3 files written It had no output until then."},
		{"aborted, bare context error", aborted, tools.Output{}, context.Canceled, journal.Interrupted, "aborted", head + " It had no output until then."},
		{"aborted and finished all the same", aborted, tools.Output{Text: "finished"}, nil, journal.Done, "", "finished"},
		{"late without output", late, tools.Output{}, nil, journal.Failed, "timeout", "work timed out: it was stopped after LIMIT. What it did until then is not undone. It had no output until then."},
		{"late with output", late, tools.Output{Text: "half\n"}, nil, journal.Failed, "timeout", "work timed out: it was stopped after LIMIT. What it did until then is not undone. Its output until then:\nhalf\n"},
		{"late and finished all the same", late, tools.Output{Text: "finished"}, nil, journal.Done, "", "finished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				p := &probe{}
				m.run(t, p, func(e env.Env) {
					ctx, cancel := e.Clock.WithCancel(context.Background())
					defer cancel(nil)
					opt := tools.Options{Timeout: m.long, Grace: m.long}
					began := e.Clock.Note()
					if c.why == late {
						opt.Timeout = m.short
					} else {
						e.Clock.Go("user", func() {
							began.Wait(context.Background(), "the tool")
							cancel(errUser)
						})
					}
					o := tools.Execute(ctx, e, &tools.Tool{Name: "work", Run: untilStopped(c.out, c.err, began)}, call("c1"), opt)
					invariants(t, o)
					want := strings.ReplaceAll(c.text, "LIMIT", m.short.String())
					if o.State != c.state || o.Code != c.code || o.Text != want || o.Left {
						t.Errorf("got %+v\nwant %s %s %q", o, c.state, c.code, want)
					}
				})
				if got, want := fmt.Sprint(p.points()), "[tool.running tool.ran]"; got != want {
					t.Errorf("visits %s, want %s", got, want)
				}
			})
		})
	}
}

func TestExecuteTimeouts(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		for _, c := range []struct {
			name string
			tool tools.Tool
			opt  tools.Options
		}{
			{"the tool's own is shorter", tools.Tool{Timeout: m.short}, tools.Options{Timeout: m.long, Grace: m.long}},
			{"the tool names none", tools.Tool{}, tools.Options{Timeout: m.short, Grace: m.long}},
		} {
			m.run(t, env.NoProbe{}, func(e env.Env) {
				c.tool.Name, c.tool.Run = "work", untilStopped(tools.Output{}, nil, nil)
				if o := tools.Execute(context.Background(), e, &c.tool, call("c1"), c.opt); o.Code != tools.CodeTimeout {
					t.Errorf("%s: got %+v", c.name, o)
				}
			})
		}
		m.run(t, env.NoProbe{}, func(e env.Env) { // a negative one is none
			tool := &tools.Tool{Name: "work", Timeout: -1, Run: func(ctx context.Context, c tools.Call) (tools.Output, error) {
				return tools.Output{Text: "in time"}, c.Env.Clock.Sleep(ctx, m.short)
			}}
			if o := tools.Execute(context.Background(), e, tool, call("c1"), tools.Options{Timeout: 1}); o.Text != "in time" {
				t.Errorf("without a timeout: got %+v", o)
			}
		})
	})
}

// vellum-ai/vellum-assistant p42190: a tool that ignores that it was told to
// stop is reported as what it is, and what it returns later is not accepted.
func TestExecuteLeavesADeafToolBehind(t *testing.T) {
	for _, abort := range []bool{true, false} {
		t.Run(map[bool]string{true: "aborted", false: "late"}[abort], func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				m.run(t, env.NoProbe{}, func(e env.Env) {
					ctx, cancel := e.Clock.WithCancel(context.Background())
					defer cancel(nil)
					began, release, gone := e.Clock.Note(), e.Clock.Note(), e.Clock.Note()
					tool := &tools.Tool{Name: "deaf", Deaf: true, Run: func(_ context.Context, c tools.Call) (tools.Output, error) {
						defer gone.Set()
						began.Set()
						release.Wait(context.Background(), "the test")
						return tools.Output{Text: "a late result"}, nil
					}}
					opt := tools.Options{Timeout: m.short, Grace: m.short}
					if abort {
						opt.Timeout = m.long
						e.Clock.Go("user", func() {
							began.Wait(context.Background(), "the tool")
							cancel(errUser)
						})
					}
					o := tools.Execute(ctx, e, tool, call("c1"), opt)
					invariants(t, o)
					why := "timed out after " + m.short.String()
					if abort {
						why = errUser.Error()
					}
					want := fmt.Sprintf("interrupted: deaf was told to stop (%s) and had not stopped %v later. It may still be running: what it does may still happen, and its result will not be reported.", why, m.short)
					if !o.Left || o.State != journal.Interrupted || o.Code != tools.CodeLeft || o.Text != want {
						t.Errorf("got %+v\nwant %q", o, want)
					}
					for _, lie := range []string{"not executed", "did nothing", "did not run", "cancelled"} {
						if strings.Contains(o.Text, lie) {
							t.Errorf("the text claims %q", lie)
						}
					}
					release.Set()
					gone.Wait(context.Background(), "the tool to return")
				})
			})
		})
	}
}

// A task that ends by Goexit reports nothing: Execute does not take it for a
// result, a failure or a panic. It is left behind like a deaf one.
func TestExecuteGoexit(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		p := &probe{}
		m.run(t, p, func(e env.Env) {
			tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) {
				runtime.Goexit()
				return tools.Output{}, nil
			}}
			o := tools.Execute(context.Background(), e, tool, call("c1"), tools.Options{Timeout: m.short, Grace: m.short})
			invariants(t, o)
			if !o.Left || o.Stack != "" {
				t.Errorf("got %+v", o)
			}
		})
		if got, want := fmt.Sprint(p.points()), "[tool.running]"; got != want {
			t.Errorf("visits %s, want %s", got, want)
		}
	})
}

func TestExecuteAfterTheEnd(t *testing.T) {
	on(t, func(t *testing.T, m machine) {
		p := &probe{}
		m.run(t, p, func(e env.Env) {
			ctx, cancel := e.Clock.WithCancel(context.Background())
			cancel(errUser)
			tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) {
				t.Error("the tool was entered")
				return tools.Output{}, nil
			}}
			o := tools.Execute(ctx, e, tool, call("c1"), tools.Options{})
			invariants(t, o)
			if o.State != journal.Interrupted || o.Text != "interrupted before work was entered (stopped by the user): it did nothing." {
				t.Errorf("got %+v", o)
			}
		})
		if len(p.visits) != 0 {
			t.Errorf("visits %v", p.visits)
		}
	})
}

// An abort that comes when the tool has returned changes nothing any more.
func TestExecuteAbortAtRan(t *testing.T) {
	for _, fails := range []bool{false, true} {
		on(t, func(t *testing.T, m machine) {
			p := &probe{at: env.ToolRan}
			m.run(t, p, func(e env.Env) {
				ctx, cancel := e.Clock.WithCancel(context.Background())
				p.do = func() error { cancel(errUser); return nil }
				var err error
				if fails {
					err = errors.New("no such file")
				}
				tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) {
					return tools.Output{}, err
				}}
				o := tools.Execute(ctx, e, tool, call("c1"), tools.Options{Grace: m.long})
				invariants(t, o)
				if want := map[bool]journal.State{false: journal.Done, true: journal.Failed}[fails]; o.State != want {
					t.Errorf("got %+v, want %s", o, want)
				}
			})
		})
	}
}

// A fault of our own part is no failure of the tool (record/no-forgery).
func TestExecuteFault(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    env.Point
		do    func() error
		state journal.State
		fault string
	}{
		{"error at running", env.ToolRunning, func() error { return errors.New("boom") }, journal.Interrupted, "at tool.running: boom"},
		{"panic at running", env.ToolRunning, func() error { panic("boom") }, journal.Interrupted, "panic at tool.running: boom"},
		{"error at ran", env.ToolRan, func() error { return errors.New("boom") }, journal.Done, "at tool.ran: boom"},
		{"panic at ran", env.ToolRan, func() error { panic("boom") }, journal.Done, "panic at tool.ran: boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			on(t, func(t *testing.T, m machine) {
				entered := false
				m.run(t, &probe{at: c.at, do: c.do}, func(e env.Env) {
					tool := &tools.Tool{Name: "work", Run: func(context.Context, tools.Call) (tools.Output, error) {
						entered = true
						return tools.Output{Text: "effect"}, nil
					}}
					o := tools.Execute(context.Background(), e, tool, call("c1"), tools.Options{})
					invariants(t, o)
					if o.State != c.state || o.Fault == nil || o.Fault.Error() != c.fault {
						t.Errorf("got %+v, want %s and %q", o, c.state, c.fault)
					}
					if entered != (c.at == env.ToolRan) || entered != (o.Text == "effect") {
						t.Errorf("entered %v, and told: %q", entered, o.Text)
					}
				})
			})
		})
	}
}
