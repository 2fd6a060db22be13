package fuzz

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/internal/seam"
)

// Options say what Run draws, for how long, and where it leaves what it finds.
type Options struct {
	Seed uint64 // of all that is drawn
	// Time is when no further scenario is begun; Max is how many there are at
	// most, 0 for no limit. With neither, only Past is run.
	Time time.Duration
	Max  int
	J    int // scenarios at once; 0: one for each processor
	// First stops at the first failure.
	First bool

	// Space is what is drawn from; the zero one: Everything.
	Space Space
	// Past are scenario files that failed once, run before anything is drawn.
	Past []string
	// Out is the folder in which what fails is written down; "" for none: then
	// nothing is verified either.
	Out string
	// Again is how a reader runs a file again, with the seed of its schedule, and
	// so often; nil: bench run.
	Again func(file string, seed uint64, repeat int) string
	// Seam swaps parts of the loop, for a mutant.
	Seam seam.Slot

	// Report is given each failure when it is shrunk, in the order of the
	// scenarios. Progress is told now and then, from one goroutine.
	Report   func(Found)
	Progress func(Progress)
}

// Progress is how far a run has come.
type Progress struct {
	Scenarios, Found int
	Shrinking        string // the rule on which a failure is being shrunk, "" for none
	Elapsed          time.Duration
}

// Found is one failure.
type Found struct {
	Rule string // what was broken, or Refused, Unexpected, Bench, Broken
	What string // what the rule said
	Also []string
	Past string // the file that failed again; "" for a scenario that was drawn

	Number  int   // of the scenario, from 1
	Drawn   Drawn // as it was drawn
	Shrunk  Drawn // as small as it became
	Lines   int   // of Shrunk, blank ones not counted
	Tries   int   // of shrinking
	Elapsed time.Duration
	Took    time.Duration // the shrinking

	File  string // where Shrunk is; "" if Options.Out is
	Again string // the command that runs it
	// Differs says how the file, run by itself, does not fail in the same way;
	// "" when it does.
	Differs string
}

// Summary is what a run amounts to.
type Summary struct {
	Past      int // scenarios of Options.Past
	Scenarios int // that were drawn
	Found     []Found
	Elapsed   time.Duration
}

// ExitStatus is that of bench run: 2 if something could not be run, 1 if
// something failed, 3 if nothing was run, else 0.
func (s Summary) ExitStatus() int {
	status := 0
	for _, f := range s.Found {
		if f.Rule == Broken {
			return 2
		}
		status = 1
	}
	if status == 0 && s.Past+s.Scenarios == 0 {
		return 3
	}
	return status
}

// Run runs what failed before, then draws scenarios and runs them until the time
// or the number is used up. The error is for what no scenario is to blame for.
func Run(ctx context.Context, o Options) (Summary, error) {
	if o.J <= 0 {
		o.J = runtime.GOMAXPROCS(0)
	}
	if o.Space.Protocols == nil && o.Space.Faults == nil {
		o.Space = Everything()
	}
	if o.Again == nil {
		o.Again = again
	}
	dir, err := tempRoot()
	if err != nil {
		return Summary{}, err
	}
	defer os.RemoveAll(dir)
	r := &run{Options: o, ctx: ctx, dir: dir, start: time.Now(), gen: o.Space.Generator(), known: map[string]bool{}}
	if r.shrinks, err = newTrial(dir, o.Seam); err != nil {
		return Summary{}, err
	}
	if err = r.past(); err == nil && !r.done() {
		err = r.draw()
	}
	r.sum.Elapsed = time.Since(r.start)
	return r.sum, errors.Join(err, context.Cause(ctx))
}

// tempRoot is where scenarios lie while they run: in memory, where there is such
// a folder.
func tempRoot() (string, error) {
	if dir, err := os.MkdirTemp("/dev/shm", "bench-fuzz-"); err == nil {
		return dir, nil
	}
	return os.MkdirTemp("", "bench-fuzz-")
}

// run is one call of Run.
type run struct {
	Options
	ctx     context.Context
	dir     string
	start   time.Time
	gen     *rapid.Generator[Drawn]
	shrinks *trial
	known   map[string]bool // the rules that something was found for
	sum     Summary
}

func (r *run) done() bool {
	return r.ctx.Err() != nil || r.First && len(r.sum.Found) > 0
}

// over reports whether scenario i, from 0, is not to begin.
func (r *run) over(i int) bool {
	return r.Max > 0 && i >= r.Max || r.Time > 0 && time.Since(r.start) >= r.Time || r.Max <= 0 && r.Time <= 0
}

// seedOf is the seed from which scenario i is drawn: those of neighbouring
// seeds do not meet.
func seedOf(seed uint64, i int) uint64 {
	x := seed*0x9e3779b97f4a7c15 + uint64(i+1)*0xd1342543de82ef95
	x ^= x >> 31
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 29
	return x>>1 | 1 // an int, and never rapid's 0, which is chance
}

// tried is one scenario that was run.
type tried struct {
	i     int
	red   []failure
	drawn Drawn
	err   error
}

// draw runs scenarios on J workers and looks at what came of them in order.
func (r *run) draw() error {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	var (
		mu   sync.Mutex
		next int
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil || r.over(next) {
			return -1
		}
		next++
		return next - 1
	}
	results := make(chan tried, r.J)
	var workers sync.WaitGroup
	for range r.J {
		t, err := newTrial(r.dir, r.Seam)
		if err != nil {
			return err
		}
		workers.Go(func() {
			for i := take(); i >= 0; i = take() {
				d := example(r.gen, seedOf(r.Seed, i))
				red, err := t.run(ctx, d)
				results <- tried{i, red, d, err}
			}
		})
	}
	go func() { workers.Wait(); close(results) }()

	early := map[int]tried{} // those before which another is still running
	var err error
	for res := range results {
		early[res.i] = res
		for {
			res, ok := early[r.sum.Scenarios]
			if !ok {
				break
			}
			delete(early, res.i)
			if err != nil || r.done() {
				break // what was begun ends, and counts no more
			}
			if err = res.err; err == nil {
				err = r.look(res)
			}
			if err != nil || r.done() {
				cancel()
			}
		}
	}
	if r.ctx.Err() != nil {
		return nil // Run says so
	}
	return err
}

// look counts a scenario and shrinks it if it is the first that breaks a rule.
func (r *run) look(res tried) error {
	r.sum.Scenarios++
	r.progress("")
	for _, f := range res.red {
		if r.known[f.rule] {
			continue
		}
		r.progress(f.rule)
		found, err := r.shrink(res, f)
		if err != nil {
			return err
		}
		r.add(found)
		if r.done() {
			return nil
		}
	}
	return nil
}

func (r *run) add(f Found) {
	r.known[f.Rule] = true
	for _, also := range f.Also {
		r.known[also] = true // one cause
	}
	r.sum.Found = append(r.sum.Found, f)
	if r.Report != nil {
		r.Report(f)
	}
}

func (r *run) progress(shrinking string) {
	if r.Progress != nil {
		r.Progress(Progress{r.sum.Scenarios, len(r.sum.Found), shrinking, time.Since(r.start)})
	}
}

// shrink makes a failure small, writes it down and runs what it wrote.
func (r *run) shrink(res tried, f failure) (Found, error) {
	found := Found{Rule: f.rule, What: f.what, Number: res.i + 1, Drawn: res.drawn, Elapsed: time.Since(r.start)}
	begun := time.Now()
	small, err := shrink(r.ctx, r.gen, seedOf(r.Seed, res.i), f.rule, r.shrinks)
	if err != nil {
		return found, err
	}
	all, err := r.shrinks.run(r.ctx, small.Drawn)
	if err != nil {
		return found, err
	}
	for _, g := range all {
		if g.rule == f.rule {
			found.What = g.what
		} else {
			found.Also = append(found.Also, g.rule)
		}
	}
	found.Shrunk, found.Tries, found.Took = small.Drawn, small.tries, time.Since(begun)
	found.Lines = lines(small.Text)
	if r.Out != "" {
		err = r.write(&found)
	}
	return found, err
}
