package sim

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

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
		"and a deferred function panics": func(m *Machine, c env.Clock) {
			c.Go("other", func() {
				defer func() { panic("what is this?") }()
				c.Sleep(bg, time.Hour)
			})
			c.Sleep(bg, 1)
			m.Kill("here")
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
