package anthropic

import (
	"bytes"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/providers/sse"
)

// BenchmarkRatio decodes a stream and splits it into lines, in turn, and
// reports how fast the decoder is in terms of the splitter, by processor time
// (target 0.3), and its allocations for an event (target 0.01).
func BenchmarkRatio(b *testing.B) {
	const events = 20_000
	src := longStream(events)
	cpu := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	decode := func() {
		d := NewDecoder(bytes.NewReader(src))
		for {
			if _, err := d.Next(); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	split := func() {
		l := sse.NewLines(bytes.NewReader(src), 0)
		for {
			if _, err := l.Next(); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	allocs := testing.AllocsPerRun(1, decode) / events
	var used [2]time.Duration
	for b.Loop() {
		for i, f := range []func(){decode, split} {
			begin := cpu()
			for range 10 {
				f()
			}
			used[i] += cpu() - begin
		}
	}
	b.ReportMetric(float64(used[0].Nanoseconds())/float64(b.N)/10/events, "cpu-ns/event")
	b.ReportMetric(float64(used[1])/float64(used[0]), "x-lines")
	b.ReportMetric(allocs, "allocs/event")
}
