package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// threeTurns is the scenario of the speed target: 3 turns, 2 calls, about 70
// events, on the simulated disk.
var threeTurns = `# Three turns with two calls: what a scenario costs.
# Design: what it must reach.
provider r
run 'append two lines'
terminal completed
effects append=1 counter=1
-- r --
reply
    text ` + strings.Repeat(`"word " `, 18) + `
    call t1 append {"file":"notes.txt","line":"hello"}
reply
    text ` + strings.Repeat(`"word " `, 16) + `
    call t2 counter {}
reply
    text ` + strings.Repeat(`"word " `, 16) + `
`

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func tempFile(tb testing.TB, name, text string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
	return file
}

// BenchmarkScenario measures a scenario, from its text to its verdict, and an
// empty testscript script beside it. The target is a ratio of 3.
func BenchmarkScenario(b *testing.B) {
	file := tempFile(b, "three.txtar", threeTurns)
	empty := tempFile(b, "empty.txtar", "nothing\n")
	temp, err := tempRoot("")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(temp)
	b.Setenv("GOTMPDIR", temp)
	var ours, theirs time.Duration
	var n int
	for b.Loop() {
		n++
		start := cpuTime()
		sum, err := Run(context.Background(), Options{Files: []string{file}, J: 1, Report: func(r Result) {
			if r.Status != Pass {
				b.Fatal(r)
			}
		}})
		if err != nil || sum.Passed != 1 {
			b.Fatal(sum, err)
		}
		mid := cpuTime()
		testscript.RunT(quietT{}, testscript.Params{Files: []string{empty}, Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"nothing": func(*testscript.TestScript, bool, []string) {},
		}})
		ours += mid - start
		theirs += cpuTime() - mid
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(n), "us-cpu/scenario")
	b.ReportMetric(float64(theirs.Microseconds())/float64(n), "us-cpu/empty")
	b.ReportMetric(float64(ours)/float64(theirs), "x-empty")
}
