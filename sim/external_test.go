package sim

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
)

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

// However fast the real world is, what can move moves first.
func TestExternalReturnsLast(t *testing.T) {
	for seed := range uint64(50) {
		m, c := boot(seed)
		turns := 0
		clean(t, m.Run(func() {
			back := c.Note()
			c.Go("bash", func() {
				c.External(func() {})
				if turns != 400 {
					t.Errorf("seed %d: back after %d of 400 turns", seed, turns)
				}
				back.Set()
			})
			for range 2 {
				c.Go("other", func() {
					for range 200 {
						c.Sleep(bg, 0)
						turns++
						runtime.Gosched() // let the outside world run
					}
				})
			}
			back.Wait(bg, "bash")
		}))
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
