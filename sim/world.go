package sim

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// epoch is the moment at which every simulated world begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// World is what outlives a process: the disk, the time, the trace, and the
// count of lives so far. One life runs at a time.
type World struct {
	// Disk is the simulated disk; nil with OnRealDisk.
	Disk *Disk

	seed uint64
	real string // with OnRealDisk: its folder
	sink func(evidence.Step)

	now atomic.Int64 // time.Duration since the epoch; written under mu

	mu    sync.Mutex // guards what follows and every field of the running Machine
	life  int
	m     *Machine // of the life that began last
	seq   int64
	steps [][]evidence.Step // in blocks, which are not copied as the trace grows
}

// Option changes what NewWorld returns.
type Option func(*World)

// OnRealDisk puts the files below dir, on the real disk, instead of on a Disk.
// Scheduler, clock, faults and trace stay as they are, so a child process can
// run under virtual time and be killed for real. Power cannot be cut there.
func OnRealDisk(dir string) Option { return func(w *World) { w.real = dir } }

// TraceTo hands each step of the trace to sink as it happens: a process that
// will be killed has no later. sink must not call back into the world.
func TraceTo(sink func(evidence.Step)) Option { return func(w *World) { w.sink = sink } }

// Past is how far a world has come. It is data, so that a parent can hand it to
// the child process that lives the next life: its lives, times and step numbers
// then go on from there.
type Past struct {
	Lives   int           `json:"lives"`
	Elapsed time.Duration `json:"elapsed"`
	Steps   int64         `json:"steps"`
}

// After makes a world that goes on where another one, in another process, stands.
func After(p Past) Option {
	return func(w *World) {
		w.life, w.seq = p.Lives, p.Steps
		w.now.Store(int64(p.Elapsed))
	}
}

// NewWorld returns a world in which nothing has happened yet. The seed is the
// schedule: 0 runs tasks first come first served, any other chooses among those
// that are ready; the same seed always chooses the same.
func NewWorld(seed uint64, opts ...Option) *World {
	w := &World{seed: seed}
	for _, o := range opts {
		o(w)
	}
	if w.real == "" {
		w.Disk = newDisk(w)
	}
	return w
}

// Boot begins a new life. Its probe, which may be nil, is told of every visit of
// a crash point. The life before it must be over.
func (w *World) Boot(probe env.Probe) *Machine {
	w.mu.Lock()
	if w.m != nil && w.m.running {
		w.mu.Unlock()
		panic(fmt.Sprintf("sim: life %d still runs; boot the next one after its Run has returned", w.life))
	}
	if w.m != nil {
		w.m.over.Store(true)
	}
	w.life++
	m := &Machine{
		w: w, life: w.life, probe: probe,
		kick: make(chan struct{}, 1),
		done: make(chan struct{}),
		open: map[*handle]struct{}{},
		tops: map[*topContext]struct{}{},
	}
	if w.seed != 0 {
		m.rng = rand.New(rand.NewPCG(w.seed, uint64(w.life)))
	}
	w.m = m
	w.mu.Unlock()
	w.Trace(evidence.Step{Kind: evidence.StepLife})
	return m
}

// Now returns the virtual time.
func (w *World) Now() time.Time { return epoch.Add(w.elapsed()) }

func (w *World) elapsed() time.Duration { return time.Duration(w.now.Load()) }

// Trace adds a step to the one order of everything that happened, and returns
// its number; it fills in Seq, Life and At. What a dead life still tries to say
// did not happen: then the number is 0.
func (w *World) Trace(s evidence.Step) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.m != nil && w.m.running && w.m.dead.Load() {
		return 0
	}
	return w.traceLocked(s)
}

func (w *World) traceLocked(s evidence.Step) int64 {
	w.seq++
	s.Seq, s.Life, s.At = w.seq, w.life, w.elapsed()
	w.keep(s)
	if w.sink != nil {
		w.sink(s)
	}
	return s.Seq
}

// keep stores a step. Lock held.
func (w *World) keep(s evidence.Step) {
	n := len(w.steps)
	if n == 0 || len(w.steps[n-1]) == cap(w.steps[n-1]) {
		w.steps = append(w.steps, make([]evidence.Step, 0, 8<<min(n, 7)))
		n++
	}
	w.steps[n-1] = append(w.steps[n-1], s)
}

// Steps returns the trace so far.
func (w *World) Steps() []evidence.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Concat(w.steps...)
}

// Past returns how far the world has come.
func (w *World) Past() Past {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Past{Lives: w.life, Elapsed: w.elapsed(), Steps: w.seq}
}

// Adopt takes over what a child process traced (TraceTo) in a life that it lived
// After this world's Past. Time and numbers go on behind its last step.
func (w *World) Adopt(steps []evidence.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range steps {
		w.keep(s)
		w.seq = max(w.seq, s.Seq)
		w.life = max(w.life, s.Life)
		w.now.Store(max(w.now.Load(), int64(s.At)))
	}
}

// Files returns the files below dir (made when absent) as they are seen from
// outside of any life: no fence, no faults, no trace. It is for preparing a
// disk and for looking at it between lives. On a simulated disk what is written
// through it needs a sync, or Settle, like everything else.
func (w *World) Files(dir string) env.FS {
	if w.real == "" {
		w.Disk.makeRoot(dir)
		return &diskFS{w.Disk, dir}
	}
	e, err := env.Real(w.realDir(dir))
	if err != nil {
		panic("sim: " + err.Error())
	}
	return e.FS
}

// Image returns the bytes of every file by name, on either kind of disk.
func (w *World) Image() (map[string][]byte, error) {
	if w.real == "" {
		return w.Disk.Image(), nil
	}
	image := map[string][]byte{}
	err := filepath.WalkDir(w.real, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.real, p)
		image[filepath.ToSlash(name)] = b
		return err
	})
	return image, err
}
