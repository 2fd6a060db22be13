package fuzz

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// rapidFlags guards rapid's flags, the only way to tell it a seed, and global:
// whoever draws with an explicit seed reads them, who shrinks sets them.
var rapidFlags struct {
	sync.RWMutex
	shrinks sync.Mutex // one Check at a time
}

// example draws the scenario of a seed.
func example(g *rapid.Generator[Drawn], seed uint64) Drawn {
	rapidFlags.RLock()
	defer rapidFlags.RUnlock()
	return g.Example(int(seed))
}

// smaller lets rapid draw smaller and smaller scenarios that still fail, from
// the one of a seed, and returns the smallest. It stops after so many tries: a
// number, not a time, so that what comes of a seed is the same on every machine.
func smaller(g *rapid.Generator[Drawn], seed uint64, tries int, fails func(Drawn) bool) Drawn {
	var best Drawn
	known := map[Drawn]bool{} // rapid asks twice about each success
	check(seed, func(t *rapid.T) {
		d := g.Draw(t, "scenario")
		red, seen := known[d]
		if !seen {
			if tries <= 0 {
				return
			}
			tries--
			red = fails(d)
			known[d] = red
		}
		if !red {
			return
		}
		if best.Text == "" || size(d.Text).less(size(best.Text)) {
			best = d
		}
		t.Fatal("it fails")
	})
	return best
}

// check is rapid.Check outside of a test: one check, of one seed, and no file.
func check(seed uint64, prop func(*rapid.T)) {
	rapidFlags.shrinks.Lock()
	defer rapidFlags.shrinks.Unlock()
	old := setFlags(map[string]string{
		"rapid.seed": fmt.Sprint(seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": "1h",
		"test.short": "false", // which makes a fifth of a check of it, and so none
	})
	defer setFlags(old)
	done := make(chan struct{})
	go func() { // it ends with FailNow
		defer close(done)
		rapid.Check(&quiet{}, prop)
	}()
	<-done
}

// setFlags sets flags and returns what they were.
func setFlags(to map[string]string) map[string]string {
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	if flag.Lookup("test.short") == nil {
		testing.Init() // rapid asks testing.Short
	}
	if !flag.Parsed() {
		flag.CommandLine.Parse(nil)
	}
	was := map[string]string{}
	for name, v := range to {
		was[name] = flag.Lookup(name).Value.String()
		if err := flag.Set(name, v); err != nil {
			panic(err) // rapid has no such flag any more
		}
	}
	return was
}

// quiet is a rapid.TB that says nothing.
type quiet struct{ failed bool }

func (t *quiet) Helper()               {}
func (t *quiet) Name() string          { return "bench-fuzz" }
func (t *quiet) Logf(string, ...any)   {}
func (t *quiet) Log(...any)            {}
func (t *quiet) Skipf(string, ...any)  { runtime.Goexit() }
func (t *quiet) Skip(...any)           { runtime.Goexit() }
func (t *quiet) SkipNow()              { runtime.Goexit() }
func (t *quiet) Errorf(string, ...any) { t.failed = true }
func (t *quiet) Error(...any)          { t.failed = true }
func (t *quiet) Fatalf(string, ...any) { t.FailNow() }
func (t *quiet) Fatal(...any)          { t.FailNow() }
func (t *quiet) FailNow()              { t.failed = true; runtime.Goexit() }
func (t *quiet) Fail()                 { t.failed = true }
func (t *quiet) Failed() bool          { return t.failed }

// shrunk is how small a failure was made.
type shrunk struct {
	Drawn
	tries int
}

// The tries that each way of making smaller may use.
const (
	drawTries = 250
	editTries = 900
)

// rest answers what comes behind the script's own replies: a loop that is repaired
// asks for more than the broken one did, and is not to fail for that.
const rest = "reply times=0..200\n    text \"Done.\"\n"

// shrink makes the scenario of a seed small, on the same rule.
func shrink(ctx context.Context, g *rapid.Generator[Drawn], seed uint64, rule string, t *trial) (shrunk, error) {
	start := t.ran
	var broke error
	first := example(g, seed)
	if rule == Broken {
		return shrunk{Drawn: first}, nil // everything that is no scenario is broken like it
	}
	all, err := t.run(ctx, first)
	if err != nil {
		return shrunk{}, err
	}
	was, _ := of(all, rule)
	fails := func(d Drawn) bool {
		all, err := t.run(ctx, d)
		if err != nil {
			broke = err
			return false
		}
		now, ok := of(all, rule)
		return ok && (now.lone || !was.lone)
	}
	best := smaller(g, seed, drawTries, fails)
	if best.Text == "" {
		best = first
	}
	best = reduce(best, editTries, fails)
	if d := (Drawn{strings.TrimRight(best.Text, "\n") + "\n" + rest, best.Seed}); !strings.Contains(best.Text, rest) && fails(d) {
		best = d
	}
	return shrunk{best, t.ran - start}, broke
}
