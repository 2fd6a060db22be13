package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
)

// life is a small agent's life: it takes its lock, appends to two ledgers from
// two tasks with waits in between, replaces a head file, and may be killed at
// any of its changes to the disk.
func life(m *Machine) {
	e := m.Env("session")
	unlock, err := e.FS.Lock("lock")
	if err != nil {
		panic(err)
	}
	defer unlock()
	left, done := 2, e.Clock.Note()
	for _, name := range []string{"transcript", "audit"} {
		e.Clock.Go(name, func() {
			f, err := e.FS.Append(name)
			if err != nil {
				panic(err)
			}
			for i := range 3 {
				fmt.Fprintf(f, "life %d line %d at %v\n", m.Life(), i, e.Clock.Now().Sub(epoch))
				f.Sync()
				e.Clock.Sleep(bg, time.Duration(i)*time.Second)
			}
			left--
			done.Set()
		})
	}
	for left > 0 {
		done.Wait(bg, "the ledgers")
	}
	e.FS.Truncate("audit", 10)
	f, _ := e.FS.Create("head.new")
	fmt.Fprint(f, e.IDs.Session())
	f.Sync()
	e.FS.Rename("head.new", "head")
	e.FS.SyncDir(".")
}

// killAt ends the life at its k-th operation: a write when half of it is done.
func killAt(m *Machine, k int, kill func()) {
	m.OnOp(func(o Op) Action {
		if o.N != k {
			return Action{}
		}
		return Action{Keep: o.Bytes / 2, Then: func() error { kill(); return nil }}
	})
}

// TestRealKill: for every operation of a life, a real SIGKILL of a child process
// on the real disk leaves the bytes and the trace that a simulated kill leaves
// on the simulated disk, and the next life, in the parent, goes on from there
// in the same way.
func TestRealKill(t *testing.T) {
	const seed = 7
	if at := os.Getenv("BENCH_TEST_KILL"); at != "" {
		var past Past
		if err := json.Unmarshal([]byte(os.Getenv("BENCH_TEST_PAST")), &past); err != nil {
			t.Fatal(err)
		}
		k, _ := strconv.Atoi(at)
		steps := json.NewEncoder(os.NewFile(3, "steps"))
		w := NewWorld(seed, OnRealDisk(os.Getenv("BENCH_TEST_DIR")), After(past),
			TraceTo(func(s evidence.Step) { steps.Encode(s) }))
		m := w.Boot(nil)
		killAt(m, k, func() {
			w.Trace(evidence.Step{Kind: evidence.StepKill})
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		})
		m.Run(func() { life(m) })
		return
	}
	ops := 0
	for k := 0; ; k++ {
		simulated := NewWorld(seed)
		real := NewWorld(seed, OnRealDisk(t.TempDir()))
		for _, w := range []*World{simulated, real} { // an earlier life
			m := w.Boot(nil)
			clean(t, m.Run(func() { life(m) }))
		}

		m := simulated.Boot(nil)
		killAt(m, k, func() { m.Kill("") })
		out := m.Run(func() { life(m) })
		if !out.Crashed {
			break
		}
		ops++

		past, _ := json.Marshal(real.Past())
		child := exec.Command(os.Args[0], "-test.run=^TestRealKill$")
		child.Env = append(os.Environ(), "BENCH_TEST_KILL="+strconv.Itoa(k), "BENCH_TEST_PAST="+string(past), "BENCH_TEST_DIR="+real.real)
		r, pipe, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		child.ExtraFiles = []*os.File{pipe}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		pipe.Close()
		var steps []evidence.Step
		for d := json.NewDecoder(r); ; {
			var s evidence.Step
			if d.Decode(&s) != nil {
				break
			}
			steps = append(steps, s)
		}
		child.Wait()
		r.Close()
		if status := child.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
			t.Fatalf("operation %d: the child ended with %v", k, child.ProcessState)
		}
		real.Adopt(steps)

		same := func(when string) {
			t.Helper()
			if a, b := image(t, simulated), image(t, real); a != b {
				t.Fatalf("operation %d, %s: the real disk has\n%s\nthe simulated one\n%s", k, when, b, a)
			}
			if a, b := simulated.Steps(), real.Steps(); !reflect.DeepEqual(a, b) {
				t.Fatalf("operation %d, %s: the real trace is\n%+v\nthe simulated one\n%+v", k, when, b, a)
			}
			if a, b := simulated.Past(), real.Past(); a != b {
				t.Fatalf("operation %d, %s: %+v and %+v", k, when, a, b)
			}
		}
		same("killed")
		for _, w := range []*World{simulated, real} {
			m := w.Boot(nil)
			clean(t, m.Run(func() { life(m) }))
		}
		same("and resumed")
	}
	if ops < 20 {
		t.Errorf("only %d operations were reached", ops)
	}
	t.Logf("%d operations, each killed for real", ops)
}
