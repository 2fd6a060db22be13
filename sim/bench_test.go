package sim

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

func cpu() int64 {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

var sink int

// work is about a microsecond of what tasks do between switches.
func work() {
	for i := range 3000 {
		sink += i * i
	}
}

// Two tasks take turns, doing nothing or a little. The CPU of a switch is what
// counts; channel/* is the same exchange by goroutines and channels.
func BenchmarkSwitch(b *testing.B) {
	for _, w := range []struct {
		name string
		f    func()
	}{{"idle", func() {}}, {"working", work}} {
		report := func(b *testing.B, before int64, switches int) {
			b.ReportMetric(float64(cpu()-before)/float64(switches), "cpu-ns/switch")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(switches), "ns/switch")
		}
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			m, c := boot(0)
			m.Run(func() {
				stop := false
				c.Go("other", func() {
					for !stop {
						w.f()
						c.Sleep(bg, 0)
					}
				})
				before := cpu()
				for b.Loop() {
					w.f()
					c.Sleep(bg, 0)
				}
				report(b, before, 2*b.N)
				stop = true
			})
		})
		b.Run("channel/"+w.name, func(b *testing.B) {
			ping, pong := make(chan bool, 1), make(chan bool, 1)
			go func() {
				for range ping {
					w.f()
					pong <- true
				}
			}()
			before := cpu()
			for b.Loop() {
				ping <- true
				w.f()
				<-pong
			}
			report(b, before, 2*b.N)
			close(ping)
		})
	}
}

// A note passed between two tasks: two waits, two switches.
func BenchmarkNote(b *testing.B) {
	b.ReportAllocs()
	m, c := boot(0)
	m.Run(func() {
		ctx, cancel := c.WithCancel(bg)
		ping, pong := c.Note(), c.Note()
		c.Go("other", func() {
			for ping.Wait(ctx, "ping") == nil {
				pong.Set()
			}
		})
		for b.Loop() {
			ping.Set()
			pong.Wait(ctx, "pong")
		}
		cancel(nil)
	})
}

// One task alone sleeps: time jumps, nobody switches.
func BenchmarkSleep(b *testing.B) {
	b.ReportAllocs()
	m, c := boot(0)
	m.Run(func() {
		for b.Loop() {
			c.Sleep(bg, time.Minute)
		}
	})
}

// An idle timer that is moved with every event of a stream.
func BenchmarkTimerReset(b *testing.B) {
	b.ReportAllocs()
	m, c := boot(0)
	m.Run(func() {
		_, timer := c.WithTimer(bg, errIdle)
		for b.Loop() {
			timer.Reset(time.Minute)
		}
		timer.Stop()
	})
}

func BenchmarkWithTimer(b *testing.B) {
	b.ReportAllocs()
	m, c := boot(0)
	m.Run(func() {
		ctx, cancel := c.WithCancel(bg)
		defer cancel(nil)
		for b.Loop() {
			_, timer := c.WithTimer(ctx, errIdle)
			timer.Reset(time.Minute)
			timer.Stop()
		}
	})
}

func BenchmarkGo(b *testing.B) {
	b.ReportAllocs()
	m, c := boot(0)
	m.Run(func() {
		for b.Loop() {
			c.Go("task", func() {})
			c.Sleep(bg, 0)
		}
	})
}

// A whole world with one life that does nothing, and one that is killed with
// five tasks waiting.
func BenchmarkLife(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, _ := boot(0)
			m.Run(func() {})
		}
	})
	b.Run("killed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m, c := boot(0)
			m.Run(func() {
				for range 5 {
					c.Go("task", func() { c.Sleep(bg, time.Hour) })
				}
				c.Sleep(bg, time.Second)
				m.Kill("")
			})
		}
	})
	b.Run("busy", func(b *testing.B) {
		b.ReportAllocs()
		switches := 0
		for b.Loop() {
			m, c := boot(0)
			_, out := busy(m, c)
			switches += out.Switches
		}
		b.ReportMetric(float64(switches)/float64(b.N), "switches/op")
	})
}

// What the simulated disk costs over a bytes.Buffer: a session of 1,000 lines
// of 200 bytes, each appended and synced, first through a life's file, with
// fence, faults and trace, then on the bare disk.
func BenchmarkDisk(b *testing.B) {
	const lines = 1000
	line := []byte(strings.Repeat("x", 199) + "\n")
	for _, disk := range []struct {
		name string
		open func() (env.File, error)
	}{
		{"buffer", func() (env.File, error) { return &bufferFile{}, nil }},
		{"bare", func() (env.File, error) { return NewWorld(0).Files("s").Append("a") }},
		{"life", func() (env.File, error) { return NewWorld(0).Boot(nil).Env("s").FS.Append("a") }},
	} {
		b.Run(disk.name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpu()
			for b.Loop() {
				f, err := disk.open()
				if err != nil {
					b.Fatal(err)
				}
				for range lines {
					f.Write(line)
					f.Sync()
				}
			}
			b.ReportMetric(float64(cpu()-before)/float64(b.N)/lines, "cpu-ns/line")
		})
	}
}

type bufferFile struct{ bytes.Buffer }

func (*bufferFile) Sync() error  { return nil }
func (*bufferFile) Close() error { return nil }
