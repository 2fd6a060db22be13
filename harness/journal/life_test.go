package journal

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

type fixedClock struct{ env.Clock }

func (fixedClock) Now() time.Time { return time.UnixMilli(1_700_000_000_000) }

func (d *disk) env() env.Env { return env.Env{Clock: fixedClock{}, FS: d, Probe: env.NoProbe{}} }

// life runs f on the disk until it ends or the disk kills it.
func (d *disk) life(f func(env.Env)) (died bool) {
	defer func() {
		d.killAt, d.failAt, d.dead, d.locked = 0, 0, false, false
		if v := recover(); v != nil {
			if _, ok := v.(killed); !ok {
				panic(v)
			}
			died = true
		}
	}()
	f(d.env())
	return false
}

// crashes runs f on a fresh disk again and again, and kills it at every operation
// and after every step-th byte of every write; then it cuts the power there, with
// every stride-th byte of what was not synced (see powerCuts). found gets every
// disk that may be left; after a kill it is the same disk, and what was not synced
// can still be lost. BENCH_EXHAUSTIVE=1 makes step and stride 1, except in sweeps
// inside a sweep, whose steps are beyond 100.
func crashes(t testing.TB, step, stride int, fresh func() *disk, f func(env.Env), found func(what string, d *disk)) {
	t.Helper()
	if os.Getenv("BENCH_EXHAUSTIVE") != "" && step < 100 {
		step, stride = 1, 1
	} else {
		step, stride = step*stepSweeps, stride*stepSweeps
	}
	for op := 1; ; op++ {
		for tear := 0; ; tear += step {
			d := fresh()
			d.ops, d.log = 0, nil
			d.killAt, d.tear = op, tear
			if !d.life(f) {
				if tear == 0 {
					return
				}
				break
			}
			what := d.log[op-1]
			found("kill at "+what, d.clone())
			if !strings.HasPrefix(what, "write") {
				d.powerCuts(stride, func(files map[string]string) { found("power cut before "+what, diskOf(files)) })
				break
			}
			if tear >= d.size {
				break // the whole write
			}
		}
	}
}

// sample is a session of 12 records over two runs: commits of one and of
// several records, every kind of content, bytes that are not text.
func sample(t testing.TB, e env.Env) {
	t.Helper()
	j, _, err := Create(e, "s0123456789abcdef", Record{Model: "m-1", Prints: map[string]string{"tools": "t", "prompt": "p"}})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	sampleRun(t, j, "a1", "c1")
	if err := j.Anchor(); err != nil {
		t.Fatal(err)
	}
	sampleRun(t, j, "a2", "c2")
}

func sampleRun(t testing.TB, j *Journal, attempt, call string) {
	t.Helper()
	for _, group := range sampleGroups(attempt, call) {
		if err := j.Commit("sample", group...); err != nil {
			t.Fatal(err)
		}
	}
}

func openAll(t testing.TB, e env.Env) (*Journal, *Loaded) {
	t.Helper()
	j, l, err := Open(e)
	if err != nil {
		t.Fatal(err)
	}
	return j, l
}
