package scenarios

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/invariants"
)

// Options say what Run runs, and how. The zero Options run nothing; Files
// alone is enough.
type Options struct {
	Files []string       // scenario files, in the order in which they are reported
	Run   *regexp.Regexp // only variants whose full name it matches
	// Protocols are the wire protocols of which variants are run; none: all that
	// the files name.
	Protocols []string
	J         int    // variants at once; 0: one for each processor
	Seed      uint64 // the schedule, and every other choice
	Shard     Shard  // only a part of the variants

	// Repeat runs each variant so often with the same seed; its evidence must
	// come out the same, byte for byte (run/deterministic). With 0 or 1, every
	// eighth variant, chosen by seed and name, is run twice.
	Repeat int
	// RealKill makes every kill a real SIGKILL of a child process, also in
	// variants that do not ask for it. A variant with a power cut stays simulated.
	RealKill bool
	// Update lets cmp rewrite the scenario files instead of failing. Variants
	// then run one after the other; when two of them want different texts, the
	// second fails.
	Update  bool
	Verbose bool // keep whole logs, also of what passed

	// TempDir holds the work directories while they are used. "": a tmpfs where
	// there is one (GOTMPDIR if set, else /dev/shm), else the system's.
	TempDir string
	// KeepDir is where the evidence of what did not pass is kept. "": a fresh
	// folder below the system's temporary one, made when it is needed.
	KeepDir string
	// NoKeep keeps no evidence at all: for who runs thousands, and runs again
	// what is worth a look.
	NoKeep bool
	// MostRequests ends a life that makes more of them and does not end by itself;
	// 0: 20,000, more than any limits allow that a scenario would set.
	MostRequests int
	// Command is how a reader runs the bench again; "": "bench run".
	Command string
	// Child is the command that a real kill starts; it must call LifeMain. "":
	// this executable, without arguments.
	Child []string
	// Report is given each result in order: files as listed, variants as
	// written. It is called from one goroutine.
	Report func(Result)
	// Evidence is given what each variant left behind, one for each of its
	// sessions, after it was judged. It is called from any goroutine, once for each.
	Evidence func(Result, []*evidence.Evidence)
	// Progress is told how many variants are done, of how many, at any time and
	// from any goroutine.
	Progress func(done, total int)
	// Agent is driven in place of the reference loop, in real time; see Test.
	Agent Agent
	// Seam lets a mutant of this module swap parts of the loop.
	Seam seam.Slot
}

// Shard is part I of N, from 1; the zero Shard is everything.
type Shard struct{ I, N int }

// ParseShard reads I/N.
func ParseShard(s string) (Shard, error) {
	var h Shard
	if _, err := fmt.Sscanf(s, "%d/%d", &h.I, &h.N); err != nil || fmt.Sprintf("%d/%d", h.I, h.N) != s || h.I < 1 || h.I > h.N {
		return Shard{}, fmt.Errorf("%q is not a shard: write I/N, with I from 1 to N", s)
	}
	return h, nil
}

// job is one variant to run, or one file that cannot be.
type job struct {
	sc     *Scenario
	i      int    // variant
	broken Result // when sc is nil
}

// Run runs scenarios. The error is for what no file is to blame for; what is
// wrong with a scenario is in its Result.
func Run(ctx context.Context, o Options) (Summary, error) {
	if os.Getenv(lifeEnv) != "" {
		return Summary{}, errors.New("this process was started to live one life, but its main did not call scenarios.LifeMain first")
	}
	start := time.Now()
	if len(o.Files) == 0 {
		return Summary{}, errors.New("no scenario files: name some, such as scenarios/*.txtar")
	}
	r := &runner{o: o, memo: invariants.NewMemo()}
	if r.o.J <= 0 {
		r.o.J = runtime.GOMAXPROCS(0)
	}
	if r.o.Update || r.o.Agent != nil {
		r.o.J = 1 // one file, one agent
	}
	if r.o.Command == "" {
		r.o.Command = "bench run"
	}
	var sum Summary
	jobs := r.jobs(&sum)
	if len(jobs) == 0 {
		return sum, errors.New(r.nothing())
	}
	temp, err := tempRoot(o.TempDir)
	if err != nil {
		return sum, err
	}
	defer os.RemoveAll(temp)
	r.temp = temp
	r.all(ctx, jobs, func(res Result) {
		sum.add(res)
		if o.Report != nil {
			o.Report(res)
		}
	})
	sum.Elapsed = time.Since(start)
	return sum, ctx.Err()
}

// runner is one call of Run.
type runner struct {
	o    Options
	temp string
	memo *invariants.Memo // of all variants: most requests and replies of a sweep are the same

	families families

	mu   sync.Mutex
	keep string // where evidence is kept, once there is some
}

// jobs loads the files and lists what is to run.
func (r *runner) jobs(sum *Summary) []job {
	var jobs []job
	n := 0
	for _, f := range r.names() {
		sc, err := Load(f.file)
		if err != nil {
			sum.Scenarios++
			res := Result{Name: f.name, File: f.file, Status: Broken, Seed: r.o.Seed}
			if !errors.As(err, &res.Problems) {
				res.Problems = Problems{{File: f.file, Text: reason(err)}}
			}
			jobs = append(jobs, job{broken: res})
			continue
		}
		sc.Name = f.name
		some := false
		for i, name := range sc.Variants() {
			if r.o.Run != nil && !r.o.Run.MatchString(name) || len(r.o.Protocols) > 0 && !slices.Contains(r.o.Protocols, sc.variants[i].protocol) {
				continue
			}
			if n++; r.o.Shard.N > 0 && (n-1)%r.o.Shard.N != r.o.Shard.I-1 {
				continue
			}
			some = true
			jobs = append(jobs, job{sc: sc, i: i})
			r.families.join(sc, i)
		}
		if some {
			sum.Scenarios++
		}
	}
	return jobs
}

func (r *runner) nothing() string {
	switch {
	case len(r.o.Protocols) > 0:
		return fmt.Sprintf("no variant's name matches, in the protocol %s", strings.Join(r.o.Protocols, " or "))
	case r.o.Run != nil:
		return fmt.Sprintf("no variant's name matches -run %q", r.o.Run)
	case r.o.Shard.N > 0:
		return fmt.Sprintf("shard %d/%d is empty: there are fewer variants", r.o.Shard.I, r.o.Shard.N)
	}
	return "the files have no variants"
}

type namedFile struct{ name, file string }

// names gives each file a name of its own: its base name, or its path where
// two files share that.
func (r *runner) names() []namedFile {
	count := map[string]int{}
	for _, f := range r.o.Files {
		count[scenarioName(f)]++
	}
	var out []namedFile
	for _, f := range r.o.Files {
		n := scenarioName(f)
		if count[n] > 1 {
			n = filepath.ToSlash(filepath.Join(filepath.Dir(f), n))
		}
		out = append(out, namedFile{n, f})
	}
	return out
}

// reason is what an error of the file system says, without the path that the
// reader sees anyway.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return "cannot be read: " + pe.Err.Error()
	}
	return err.Error()
}

// all runs the jobs, J at a time, and reports them in order.
func (r *runner) all(ctx context.Context, jobs []job, report func(Result)) {
	results := make([]chan Result, len(jobs))
	for i := range results {
		results[i] = make(chan Result, 1)
	}
	var (
		mu   sync.Mutex
		next int
		done int
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(jobs) || ctx.Err() != nil {
			return -1
		}
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range min(r.o.J, len(jobs)) {
		workers.Go(func() {
			for i := take(); i >= 0; i = take() {
				res := r.job(ctx, jobs[i], i)
				if res.cut {
					return
				}
				results[i] <- res
				mu.Lock()
				done++
				n := done
				mu.Unlock()
				if r.o.Progress != nil {
					r.o.Progress(n, len(jobs))
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { workers.Wait(); close(over) }()
	for i := range results {
		select {
		case res := <-results[i]:
			report(res)
			continue
		case <-over:
		}
		select {
		case res := <-results[i]:
			report(res)
		default:
			return // cut short by ctx
		}
	}
	<-over
}

func (r *runner) job(ctx context.Context, j job, n int) Result {
	if j.sc == nil {
		return j.broken
	}
	start := time.Now()
	res := r.variant(ctx, j.sc, j.i, filepath.Join(r.temp, fmt.Sprint(n)))
	res.Elapsed = time.Since(start)
	return res
}

// tempRoot makes the folder below which all work directories lie.
func tempRoot(dir string) (string, error) {
	if dir == "" {
		if dir = os.Getenv("GOTMPDIR"); dir == "" {
			if fi, err := os.Stat("/dev/shm"); err == nil && fi.IsDir() {
				if t, err := os.MkdirTemp("/dev/shm", "bench-"); err == nil {
					return t, nil
				}
			}
		}
	}
	return os.MkdirTemp(dir, "bench-")
}

// sampled chooses every eighth variant for a second run, by seed and name: the
// choice does not depend on what else is run.
func sampled(seed uint64, name string) bool {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", seed, name)
	return h.Sum64()%8 == 0
}

// keepAs returns the folder for the evidence of one variant.
func (r *runner) keepAs(name string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keep == "" {
		r.keep = r.o.KeepDir
		if r.keep == "" {
			var err error
			if r.keep, err = os.MkdirTemp("", "bench-evidence-"); err != nil {
				return "", err
			}
		}
	}
	return filepath.Join(r.keep, strings.NewReplacer("/", "-", "=", "-", " ", "-").Replace(name)), nil
}

// again is the command that repeats one variant.
func (r *runner) again(sc *Scenario, name string) string {
	cmd := r.o.Command
	if r.o.Seed != 0 {
		cmd += fmt.Sprintf(" -seed %d", r.o.Seed)
	}
	if r.o.RealKill {
		cmd += " -realkill"
	}
	if len(sc.variants) > 1 {
		name = scenarioName(sc.File) + strings.TrimPrefix(name, sc.Name) // alone, the file needs no folder in its name
		cmd += " -run " + shellWord("^"+regexp.QuoteMeta(name)+"$")
	}
	return cmd + " " + shellWord(sc.File)
}

// shellWord quotes a word where a shell would not take it as it is.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
