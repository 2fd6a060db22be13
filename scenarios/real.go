package scenarios

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/sim"
)

// A real kill. The scenario is lived in the simulated world, as always. Each
// life is then lived again on a real folder: the one that a kill ended, by a
// child process that kills itself with SIGKILL where the simulated one was
// killed; the others in this process. Whoever lives it again first obeys
// everything that came before in a simulated world of its own, so that clock,
// provider and armed kills stand where they stood; nothing has to be handed
// over but the operations. Afterwards the two must agree: every byte on disk,
// everything shown, every request, every step. So the evidence that the rules
// judge is that of the real processes, and each real kill also proves that the
// simulated one is true.

// lifeEnv says to a process that it was started to live one life.
const lifeEnv = "BENCH_LIFE"

// childLimit is how long a child may take, by the wall clock.
const childLimit = 60 * time.Second

// twin is the real side of an engine.
type twin struct {
	dir    string // the real disk
	child  []string
	spawns int
}

func (r *runner) newTwin(e *engine, dir string) *twin {
	if e.plan.powers || !e.plan.kills || !reflect.ValueOf(r.o.Seam).IsZero() {
		return nil // a power cut is never real, and a swapped part is in this process only
	}
	return &twin{dir: dir, child: r.o.Child}
}

// alone is what an engine is that lives one life again.
type alone struct {
	life  int
	dir   string
	shown func(evidence.Shown)
	hook  func(evidence.Hook)
	step  func(evidence.Step)
	die   func(*life) // ends the process; nil: the life ends by itself
}

// enter moves the engine from the simulated world to the real folder.
func (a *alone) enter(e *engine) {
	e.world = sim.NewWorld(e.seed, sim.OnRealDisk(a.dir), sim.After(e.world.Past()), sim.TraceTo(a.step))
}

// record is what one life shows to the outside.
type record struct {
	Shown []evidence.Shown     `json:"shown"`
	Hooks []evidence.Hook      `json:"hooks"`
	Steps []evidence.Step      `json:"steps"`
	Wire  []*evidence.Exchange `json:"wire"`
}

// recordOf collects what life n has shown.
func recordOf(s *session, w *sim.World, n int) record {
	var r record
	ev := s.log.Evidence()
	for _, sh := range ev.Shown {
		if sh.Life == n {
			r.Shown = append(r.Shown, sh)
		}
	}
	for _, h := range ev.Hooks {
		if h.Life == n {
			r.Hooks = append(r.Hooks, h)
		}
	}
	for _, st := range w.Steps() {
		if st.Life == n {
			r.Steps = append(r.Steps, st)
		}
	}
	r.Wire = wireOf(s, n)
	return r
}

// wireOf returns the exchanges of life n.
func wireOf(s *session, n int) []*evidence.Exchange {
	var wire []*evidence.Exchange
	for _, x := range s.exchanges() {
		if x.Life == n {
			wire = append(wire, x)
		}
	}
	return wire
}

// spec is what a child is told.
type spec struct {
	File    string `json:"file"`
	Sum     string `json:"sum"` // of the file's bytes
	Variant int    `json:"variant"`
	Seed    uint64 `json:"seed"`
	Life    int    `json:"life"`
	Dir     string `json:"dir"`
	Ops     []op   `json:"ops"`
}

func sumOf(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// relive lives a life of e again on the real disk, and says how it differs from
// the simulated one; "" when it does not.
func (t *twin) relive(e *engine, l *life) string {
	var got record
	var err error
	if l.out.Crashed {
		t.spawns++
		got, err = t.kill(spec{
			File: e.sc.File, Sum: sumOf(e.sc.src.data), Variant: e.i, Seed: e.seed, Life: l.n, Dir: t.dir, Ops: e.done[:l.until()],
		})
	} else {
		got, err = t.here(e, l)
	}
	if err != nil {
		return fmt.Sprintf("life %d: %v", l.n, err)
	}
	if d := diffRecords(recordOf(l.s, e.world, l.n), got); d != "" {
		return fmt.Sprintf("life %d: %s", l.n, d)
	}
	image, err := e.world.Image()
	if err != nil {
		return err.Error()
	}
	real, err := imageOf(t.dir)
	if err != nil {
		return err.Error()
	}
	if d := diffImages(image, real); d != "" {
		return fmt.Sprintf("after life %d: %s", l.n, d)
	}
	return ""
}

// until is the number of operations obeyed before the life was over: an
// operation that ends it by itself (resume) is not its own.
func (l *life) until() int { return l.last }

// here lives a life again in this process.
func (t *twin) here(e *engine, l *life) (record, error) {
	n := newEngine(e.sc, e.i, e.seed)
	n.alone = &alone{life: l.n, dir: t.dir, shown: func(evidence.Shown) {}, step: func(evidence.Step) {}}
	for _, o := range e.done[:l.until()] {
		if _, err := n.obey(o); err != nil {
			return record{}, err
		}
	}
	s := n.cur
	n.finish()
	return recordOf(s, n.world, l.n), nil
}

// kill starts a child that lives the life and kills itself.
func (t *twin) kill(sp spec) (record, error) {
	var got record
	in, err := json.Marshal(sp)
	if err != nil {
		return got, err
	}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return got, err
	}
	argv := t.child
	if len(argv) == 0 {
		me, err := os.Executable()
		if err != nil {
			return got, err
		}
		argv = []string{me}
		if testing.Testing() {
			argv = append(argv, "-test.run=^$") // should its TestMain not call LifeMain, it must not run tests
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), childLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), lifeEnv+"=1", "GOMAXPROCS=1", "GOGC=off")
	cmd.Stdin = bytes.NewReader(in)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	out, w, err := os.Pipe()
	if err != nil {
		return got, err
	}
	defer out.Close()
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		w.Close()
		return got, err
	}
	w.Close()
	got, hello, readErr := readLife(out)
	err = cmd.Wait()
	ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case !hello:
		return got, fmt.Errorf("the child process never said hello: its main, or TestMain, must call scenarios.LifeMain first%s", quoted(&said))
	case ws.Signaled() && ws.Signal() == syscall.SIGKILL && ctx.Err() == nil:
		return got, readErr
	case ctx.Err() != nil:
		return got, fmt.Errorf("the child process took longer than %s%s", childLimit, quoted(&said))
	case err == nil:
		return got, errors.New("the child process came to the end of its life and was not killed")
	}
	return got, fmt.Errorf("the child process ended with %v%s", err, quoted(&said))
}

func quoted(b *bytes.Buffer) string {
	if b.Len() == 0 {
		return ""
	}
	return ": " + clipLine(b.String(), 2000)
}

// write changes a file on the real disk, as the scenario did on the simulated one.
func (t *twin) write(name string, b []byte) error {
	e, err := env.Real(t.dir)
	if err != nil {
		return err
	}
	return writeFile(e.FS, name, b)
}

// imageOf returns the bytes of every file below dir.
func imageOf(dir string) (map[string][]byte, error) {
	image := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		image[filepath.ToSlash(name)] = b
		return err
	})
	return image, err
}

// diffImages names the first difference between the simulated disk and the
// real one.
func diffImages(sim, real map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(sim)) {
		r, ok := real[name]
		if !ok {
			return fmt.Sprintf("%s is on the simulated disk (%d bytes) and not on the real one", name, len(sim[name]))
		}
		if !bytes.Equal(sim[name], r) {
			return fmt.Sprintf("%s differs at byte %d (%d bytes simulated, %d real)", name, firstDiff(sim[name], r), len(sim[name]), len(r))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(real)) {
		if _, ok := sim[name]; !ok {
			return fmt.Sprintf("%s is on the real disk (%d bytes) and not on the simulated one", name, len(real[name]))
		}
	}
	return ""
}

func firstDiff(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// diffRecords names the first difference between what a life showed in the
// simulation and in reality.
func diffRecords(sim, real record) string {
	if d := diffLists("shown event", sim.Shown, real.Shown); d != "" {
		return d
	}
	if d := diffLists("asking of a hook", sim.Hooks, real.Hooks); d != "" {
		return d
	}
	if d := diffLists("step", sim.Steps, real.Steps); d != "" {
		return d
	}
	return diffLists("exchange", sim.Wire, real.Wire)
}

func diffLists[T any](what string, sim, real []T) string {
	for i := range max(len(sim), len(real)) {
		s, r := "nothing", "nothing"
		if i < len(sim) {
			s = jsonLine(sim[i])
		}
		if i < len(real) {
			r = jsonLine(real[i])
		}
		if s != r {
			return fmt.Sprintf("%s %d is %s simulated and %s real", what, i+1, clipLine(s, 300), clipLine(r, 300))
		}
	}
	return ""
}
