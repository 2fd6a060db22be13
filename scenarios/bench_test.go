package scenarios

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
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

// cpuTime is what this process and the children it waited for have used.
func cpuTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			panic(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// bareEnv makes this test binary exit at once: a bare spawn.
const bareEnv = "BENCH_BARE_SPAWN"

// BenchmarkRealKill measures a scenario with one real kill and its resume, from
// its text to its verdict, and a bare spawn of the same program beside it. The
// target is a ratio of 1.25.
func BenchmarkRealKill(b *testing.B) {
	file := tempFile(b, "kill.txtar", says+"realkill\nprovider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\n"+oneCall)
	me, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	var cpu [2]time.Duration
	for b.Loop() {
		start := cpuTime()
		sum, err := Run(context.Background(), Options{Files: []string{file}, J: 1, Run: realOnly})
		if err != nil || sum.Passed != 1 || sum.Spawns != 1 {
			b.Fatal(sum, err)
		}
		mid := cpuTime()
		bare := exec.Command(me)
		bare.Env = append(os.Environ(), bareEnv+"=1", "GOMAXPROCS=1", "GOGC=off")
		if err := bare.Run(); err != nil {
			b.Fatal(err)
		}
		cpu[0] += mid - start
		cpu[1] += cpuTime() - mid
	}
	b.ReportMetric(float64(cpu[0].Microseconds())/float64(b.N), "us-cpu/kill")
	b.ReportMetric(float64(cpu[1].Microseconds())/float64(b.N), "us-cpu/spawn")
	b.ReportMetric(float64(cpu[0])/float64(cpu[1]), "x-spawn")
}

// BenchmarkCrash measures a simulated crash, its resume and the rest of the
// run, and the same run uncrashed beside it. The target is half its rate.
func BenchmarkCrash(b *testing.B) {
	file := tempFile(b, "three.txtar", threeTurns)
	sc, err := Load(file)
	if err != nil {
		b.Fatal(err)
	}
	live := func(crash bool) {
		e := newEngine(sc, 0, 0)
		ops := []op{{Line: 3, Name: "provider", Args: []string{"r"}}, {Name: "run", Args: []string{"append two lines"}}}
		if crash {
			ops = []op{ops[0], {Name: "at", Args: []string{"append.written", "transition", "kill"}}, ops[1], {Name: "resume"}}
		}
		for _, o := range ops {
			if _, err := e.obey(o); err != nil {
				b.Fatal(err)
			}
		}
		e.finish()
		if reason, _ := e.cur.terminal(e); reason != "completed" {
			b.Fatal(reason)
		}
	}
	var cpu [2]time.Duration
	for b.Loop() {
		start := cpuTime()
		live(true)
		mid := cpuTime()
		live(false)
		cpu[0] += mid - start
		cpu[1] += cpuTime() - mid
	}
	b.ReportMetric(float64(cpu[1])/float64(cpu[0]), "of-the-uncrashed-rate")
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
// empty testscript script beside it, in batches: both make and remove their
// work directories. The target is a ratio of 3. alike are scenarios whose
// replies are the same, as those of a sweep are; apart have each its own. The
// collector runs as often as in bench run.
func BenchmarkScenario(b *testing.B) {
	const batch = 64
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, kind := range []string{"alike", "apart"} {
		b.Run(kind, func(b *testing.B) {
			dir := b.TempDir()
			var ours, empty []string
			for i := range batch {
				three := threeTurns
				if kind == "apart" {
					three = strings.ReplaceAll(three, `"word "`, fmt.Sprintf(`"wd%02d "`, i))
				}
				for _, f := range []struct {
					name, text string
					list       *[]string
				}{{"three", three, &ours}, {"empty", "nothing\n", &empty}} {
					file := filepath.Join(dir, fmt.Sprintf("%s%d.txtar", f.name, i))
					if err := os.WriteFile(file, []byte(f.text), 0o666); err != nil {
						b.Fatal(err)
					}
					*f.list = append(*f.list, file)
				}
			}
			temp, err := tempRoot("")
			if err != nil {
				b.Fatal(err)
			}
			defer os.RemoveAll(temp)
			b.Setenv("GOTMPDIR", temp)
			var cpu [2]time.Duration
			var n int
			for b.Loop() {
				n += batch
				start := cpuTime()
				sum, err := Run(context.Background(), Options{Files: ours, J: 1})
				if err != nil || sum.Passed != batch {
					b.Fatal(sum, err)
				}
				mid := cpuTime()
				testscript.RunT(quietT{}, testscript.Params{Files: empty, Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"nothing": func(*testscript.TestScript, bool, []string) {},
				}})
				cpu[0] += mid - start
				cpu[1] += cpuTime() - mid
			}
			b.ReportMetric(float64(cpu[0].Microseconds())/float64(n), "us-cpu/scenario")
			b.ReportMetric(float64(cpu[1].Microseconds())/float64(n), "us-cpu/empty")
			b.ReportMetric(float64(cpu[0])/float64(cpu[1]), "x-empty")
		})
	}
}

// BenchmarkParts shows where a scenario's time goes.
func BenchmarkParts(b *testing.B) {
	file := tempFile(b, "three.txtar", threeTurns)
	sc, err := Load(file)
	if err != nil {
		b.Fatal(err)
	}
	live := func() *engine {
		e := newEngine(sc, 0, 0)
		for _, o := range []op{{Line: 3, Name: "provider", Args: []string{"r"}}, {Line: 4, Name: "run", Args: []string{"append two lines"}}} {
			if _, err := e.obey(o); err != nil {
				b.Fatal(err)
			}
		}
		e.finish()
		return e
	}
	e := live()
	for _, part := range []struct {
		name string
		f    func()
	}{
		{"check", func() { Load(file) }},
		{"live", func() { live() }},
		{"gather", func() { e.evidences(true) }},
		{"gather+rules", func() { e.judge(true, nil, nil, nil) }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				part.f()
			}
			b.ReportMetric(float64((cpuTime()-start).Microseconds())/float64(b.N), "us-cpu/op")
		})
	}
}
