package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/sim"
)

// Code on package env runs in virtual time, dies where it is told to, and the
// next life finds what the disk kept.
func Example() {
	w := sim.NewWorld(1)
	work := func(m *sim.Machine) func() {
		return func() {
			e := m.Env("session")
			unlock, err := e.FS.Lock("lock")
			if err != nil {
				panic(err)
			}
			defer unlock()
			f, _ := e.FS.Append("transcript.jsonl")
			e.FS.SyncDir(".")
			for i := range 3 {
				fmt.Fprintf(f, "{\"seq\":%d}\n", i)
				e.Probe.Hit(env.Site{Point: env.AppendWritten})
				f.Sync()
				e.Clock.Sleep(context.Background(), time.Hour)
			}
		}
	}

	var m *sim.Machine
	visits := 0
	m = w.Boot(probe(func(s env.Site) error {
		if visits++; visits == 2 {
			m.Kill(string(s.Point))
		}
		return nil
	}))
	out := m.Run(work(m))
	fmt.Println("life 1 killed at", out.Point, "after", out.Elapsed)
	fmt.Printf("on the disk: %q\n", w.Disk.Image()["session/transcript.jsonl"])

	w.Disk.PowerCutSynced()
	fmt.Printf("after a power cut: %q\n", w.Disk.Image()["session/transcript.jsonl"])

	m = w.Boot(nil)
	out = m.Run(work(m))
	fmt.Println("life 2 crashed:", out.Crashed, "at", w.Now().Format(time.TimeOnly))
	// Output:
	// life 1 killed at append.written after 1h0m0s
	// on the disk: "{\"seq\":0}\n{\"seq\":1}\n"
	// after a power cut: "{\"seq\":0}\n"
	// life 2 crashed: false at 04:00:00
}

type probe func(env.Site) error

func (p probe) Hit(s env.Site) error { return p(s) }

// A torn write: 4 bytes of it reach the disk, which is full then.
func ExampleMachine_ArmTear() {
	w := sim.NewWorld(0)
	m := w.Boot(nil)
	m.Run(func() {
		f, _ := m.Env("session").FS.Append("transcript.jsonl")
		m.ArmTear(sim.TearSpec{Bytes: 4, Then: func() error { return errors.New("no space left on device") }})
		n, err := io.WriteString(f, "{\"seq\":1}\n")
		fmt.Println(n, err)
	})
	fmt.Printf("%s\n", w.Disk.Image()["session/transcript.jsonl"])
	// Output:
	// 4 write transcript.jsonl: no space left on device
	// {"se
}

// The sweep over every operation: die at the k-th, until there is none.
func ExampleMachine_OnOp() {
	for k := 0; ; k++ {
		w := sim.NewWorld(0)
		m := w.Boot(nil)
		m.OnOp(func(o sim.Op) sim.Action {
			if o.N != k {
				return sim.Action{}
			}
			return sim.Action{Keep: o.Bytes / 2, Then: func() error { m.Kill(string(o.Kind)); return nil }}
		})
		out := m.Run(func() {
			f, _ := m.Env(".").FS.Append("file")
			io.WriteString(f, "line\n")
			f.Sync()
		})
		if !out.Crashed {
			break
		}
		fmt.Printf("killed at %-6s %q\n", out.Point, w.Disk.Image())
	}
	// Output:
	// killed at append map[]
	// killed at write  map["file":"li"]
	// killed at sync   map["file":"line\n"]
}

// What was not synced may survive a power cut, or not, or a part of it.
func ExampleDisk_PowerCut() {
	seen := map[string]bool{}
	for seed := range uint64(100) {
		w := sim.NewWorld(0)
		m := w.Boot(nil)
		m.Run(func() {
			e := m.Env("session")
			f, _ := e.FS.Append("file")
			e.FS.SyncDir(".")
			io.WriteString(f, "A")
			f.Sync()
			io.WriteString(f, "BC")
		})
		w.Disk.PowerCut(rand.New(rand.NewPCG(seed, 0)))
		seen[string(w.Disk.Image()["session/file"])] = true
	}
	fmt.Println(seen)
	// Output: map[A:true AB:true ABC:true]
}

// A deadlock is a result, not a hang: it says who waits for what.
func ExampleMachine_Run() {
	m := sim.NewWorld(0).Boot(nil)
	out := m.Run(func() {
		c := m.Env(".").Clock
		c.Go("tool c1", func() { c.Note().Wait(context.Background(), "gate A") })
		c.Note().Wait(context.Background(), "the result of c1")
	})
	fmt.Println(out.Deadlock)
	// Output: main waits for the result of c1; tool c1 waits for gate A
}
