package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/providers/sse"
)

func cpu() int64 {
	var r syscall.Rusage
	syscall.Getrusage(1, &r) // RUSAGE_THREAD
	return r.Utime.Nano() + r.Stime.Nano()
}

func TestTmpCPU(t *testing.T) {
	runtime.LockOSThread()
	src := longStream(100000)
	m := func(name string, f func(r io.Reader) error) {
		a := cpu()
		for range 150 {
			f(bytes.NewReader(src))
		}
		best := (cpu() - a) / 150
		fmt.Printf("%-8s %6.1f ns/event %7.0f MB/s\n", name, float64(best)/1e5, float64(len(src))/float64(best)*1e3)
	}
	m("lines", func(r io.Reader) (err error) {
		for l := sse.NewLines(r, 0); err == nil; {
			_, err = l.Next()
		}
		return err
	})
	m("sse", func(r io.Reader) (err error) {
		for s := sse.NewReader(r, 0); err == nil; {
			_, err = s.Next()
		}
		return err
	})
	m("events", func(r io.Reader) (err error) {
		for d := NewDecoder(r); err == nil; {
			_, err = d.Next()
		}
		return err
	})
	m("strict", func(r io.Reader) (err error) {
		var c codec
		for s := sse.NewReader(r, 0); err == nil; {
			var ev sse.Event
			if ev, err = s.Next(); err == nil {
				c.out = c.out[:0]
				err = c.event(ev.Name, ev.Data)
			}
		}
		return err
	})
}
