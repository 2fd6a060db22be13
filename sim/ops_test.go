package sim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// worlds runs a test on both kinds of disk: faults, fences and trace are the
// machine's, whatever lies below.
func worlds(t *testing.T, f func(t *testing.T, w *World)) {
	t.Run("disk", func(t *testing.T) { f(t, NewWorld(0)) })
	t.Run("real", func(t *testing.T) { f(t, NewWorld(0, OnRealDisk(t.TempDir()))) })
}

func image(t *testing.T, w *World) string {
	t.Helper()
	i, err := w.Image()
	if err != nil {
		t.Fatal(err)
	}
	return flat(i)
}

// A torn write keeps its first bytes, is traced as far as it went, and ends in
// death or in the error it was armed with.
func TestArmTear(t *testing.T) {
	for _, tt := range []struct {
		bytes int
		err   error // nil: Then returns nil
		n     int
		want  error
	}{
		{0, syscall.ENOSPC, 0, syscall.ENOSPC},
		{2, syscall.ENOSPC, 2, syscall.ENOSPC},
		{2, nil, 2, io.ErrShortWrite},
		{5, syscall.EIO, 5, syscall.EIO},
		{99, syscall.EIO, 5, syscall.EIO},
		{99, nil, 5, nil},
		{-1, syscall.EIO, 0, syscall.EIO},
	} {
		worlds(t, func(t *testing.T, w *World) {
			m := w.Boot(nil)
			clean(t, m.Run(func() {
				f, _ := m.Env("work").FS.Append("file")
				m.ArmTear(TearSpec{tt.bytes, func() error { return tt.err }})
				n, err := f.Write([]byte("hello"))
				if n != tt.n || !errors.Is(err, tt.want) {
					t.Errorf("%+v: wrote %d, %v", tt, n, err)
				}
				if err != nil && !strings.Contains(err.Error(), "write file: ") {
					t.Errorf("%v does not say what failed", err)
				}
				if n, err := f.Write([]byte("!")); n != 1 || err != nil {
					t.Errorf("the write after it: %d, %v", n, err)
				}
			}))
			if got, want := image(t, w), "work/file="+"hello"[:tt.n]+"! "; got != want {
				t.Errorf("%+v: disk %q, want %q", tt, got, want)
			}
		})
	}
	worlds(t, func(t *testing.T, w *World) {
		m := w.Boot(nil)
		out := m.Run(func() {
			f, _ := m.Env("work").FS.Append("file")
			m.ArmTear(TearSpec{3, func() error { m.Kill("append.torn"); return nil }})
			f.Write([]byte("hello"))
			t.Error("alive")
		})
		if !out.Crashed || image(t, w) != "work/file=hel " {
			t.Errorf("outcome %+v, disk %q", out, image(t, w))
		}
		steps := w.Steps()
		if last := steps[len(steps)-2]; last.Kind != evidence.StepAppend || last.Len != 3 {
			t.Errorf("the torn append is traced as %+v", last)
		}
	})
}

func TestArmErr(t *testing.T) {
	worlds(t, func(t *testing.T, w *World) {
		m := w.Boot(nil)
		clean(t, m.Run(func() {
			e := m.Env("work")
			f, _ := e.FS.Append("file")
			sync := m.ArmErr(OpSync, syscall.EIO)
			write := m.ArmErr(OpWrite, syscall.ENOSPC)
			never := m.ArmErr(OpRename, syscall.EIO)
			if n, err := f.Write([]byte("one")); n != 0 || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("Write: %d, %v", n, err)
			}
			if sync() || !write() {
				t.Error("fired in the wrong order")
			}
			f.Write([]byte("two"))
			if err := f.Sync(); !errors.Is(err, syscall.EIO) {
				t.Errorf("Sync: %v", err)
			}
			if w.Disk != nil && w.Disk.root.names["work"].names["file"].base != nil {
				t.Error("a sync that failed made something durable")
			}
			if err := f.Sync(); err != nil {
				t.Errorf("the sync after it: %v", err)
			}
			if !sync() || never() {
				t.Error("fired: a sync not, or a rename that never was")
			}
		}))
	})
}

// Every operation passes the hook with its name and number, and obeys it:
// refused, it has not happened; failed afterwards, it has.
func TestOnOp(t *testing.T) {
	script := []struct {
		op   Op
		do   func(f env.FS, h env.File) error
		done func(w *World, f env.FS) bool // from outside: did it happen?
	}{
		{Op{Kind: OpAppend, File: "work/new"}, func(f env.FS, h env.File) error { _, err := f.Append("new"); return err },
			func(w *World, f env.FS) bool { _, err := f.Lstat("new"); return err == nil }},
		{Op{Kind: OpCreate, File: "work/file"}, func(f env.FS, h env.File) error { _, err := f.Create("file"); return err },
			func(w *World, f env.FS) bool { i, _ := f.Lstat("file"); return i.Size() == 0 }},
		{Op{Kind: OpWrite, File: "work/file", Bytes: 3}, func(f env.FS, h env.File) error { _, err := h.Write([]byte("abc")); return err },
			func(w *World, f env.FS) bool { i, _ := f.Lstat("file"); return i.Size() == 8 }},
		{Op{Kind: OpSync, File: "work/file"}, func(f env.FS, h env.File) error { return h.Sync() },
			func(w *World, f env.FS) bool {
				w.Disk.PowerCutSynced()
				i, _ := f.Lstat("file")
				return i.Size() == 6
			}},
		{Op{Kind: OpTruncate, File: "work/file", Bytes: 2}, func(f env.FS, h env.File) error { return f.Truncate("file", 2) },
			func(w *World, f env.FS) bool { i, _ := f.Lstat("file"); return i.Size() == 2 }},
		{Op{Kind: OpRename, File: "work/file", To: "work/to"}, func(f env.FS, h env.File) error { return f.Rename("file", "to") },
			func(w *World, f env.FS) bool { _, err := f.Lstat("to"); return err == nil }},
		{Op{Kind: OpRemove, File: "work/file"}, func(f env.FS, h env.File) error { return f.Remove("file") },
			func(w *World, f env.FS) bool { _, err := f.Lstat("file"); return err != nil }},
		{Op{Kind: OpMkdir, File: "work/d/e"}, func(f env.FS, h env.File) error { return f.MkdirAll("d/e") },
			func(w *World, f env.FS) bool { _, err := f.Lstat("d/e"); return err == nil }},
		{Op{Kind: OpSyncDir, File: "work"}, func(f env.FS, h env.File) error { return f.SyncDir(".") },
			func(w *World, f env.FS) bool {
				w.Disk.PowerCutSynced()
				_, err := f.Lstat("unsynced")
				return err == nil
			}},
		{Op{Kind: OpLock, File: "work/lock"}, func(f env.FS, h env.File) error { _, err := f.Lock("lock"); return err },
			func(w *World, f env.FS) bool { _, err := f.Lstat("lock"); return err == nil }},
		{Op{Kind: OpOpen, File: "work/file"}, func(f env.FS, h env.File) error { _, err := f.Open("file"); return err }, nil},
		{Op{Kind: OpRead, File: "work/file", Bytes: 4}, func(f env.FS, h env.File) error {
			r, err := f.Open("file")
			if err == nil {
				_, err = r.Read(make([]byte, 4))
			}
			return err
		}, nil},
		{Op{Kind: OpReadDir, File: "work"}, func(f env.FS, h env.File) error { _, err := f.ReadDir("."); return err }, nil},
		{Op{Kind: OpLstat, File: "work/file"}, func(f env.FS, h env.File) error { _, err := f.Lstat("file"); return err }, nil},
	}
	seen := map[OpKind]bool{}
	for _, tt := range script {
		seen[tt.op.Kind] = true
		if tt.op.Kind.Changes() != (tt.done != nil) {
			t.Errorf("%s: Changes = %v", tt.op.Kind, tt.op.Kind.Changes())
		}
		for _, mode := range []string{"happens", "fails", "fails afterwards", "kills", "kills afterwards"} {
			w := NewWorld(0)
			outside := w.Files("work")
			h, _ := outside.Append("file")
			h.Write([]byte("hello"))
			w.Disk.Settle()
			if tt.op.Kind == OpSync {
				h.Write([]byte("!")) // what the sync is to make durable
			}
			outside.Append("unsynced")
			m := w.Boot(nil)
			var ops []Op
			m.OnOp(func(o Op) Action {
				if o.N != len(ops) {
					t.Errorf("operation %d has number %d", len(ops), o.N)
				}
				ops = append(ops, o)
				o.N = 0
				if o != tt.op {
					return Action{}
				}
				after := strings.HasSuffix(mode, "afterwards")
				switch {
				case mode == "fails":
					return Fail(syscall.EIO)
				case mode == "happens":
					return Action{}
				case strings.HasPrefix(mode, "fails"):
					return Action{After: after, Then: func() error { return syscall.EIO }}
				}
				return Action{After: after, Then: func() error { m.Kill(mode); return nil }}
			})
			out := m.Run(func() {
				f := m.Env("work").FS
				h, _ := f.Append("file")
				err := tt.do(f, h)
				if want := strings.HasPrefix(mode, "fails"); want != errors.Is(err, syscall.EIO) || !want && err != nil {
					t.Errorf("%s %s: %v", tt.op.Kind, mode, err)
				}
			})
			if out.Crashed != strings.HasPrefix(mode, "kills") || out.Panic != "" {
				t.Errorf("%s %s: outcome %+v", tt.op.Kind, mode, out)
			}
			if want := mode == "happens" || strings.HasSuffix(mode, "afterwards"); tt.done != nil && tt.done(w, outside) != want {
				t.Errorf("%s %s: whether it happened: %v", tt.op.Kind, mode, !want)
			}
			if last := ops[len(ops)-1]; last.Kind != tt.op.Kind || last.File != tt.op.File || last.To != tt.op.To {
				t.Errorf("%s: the hook saw %+v", tt.op.Kind, last)
			}
		}
	}
	for _, k := range OpKinds() {
		if !seen[k] {
			t.Errorf("no test for %s", k)
		}
	}
}

// A journal in small, and the sweep that OnOp is made for: end the life before,
// after and inside the k-th change, for all k, with and without a power cut, and
// look at what the next life finds. A journal that forgets a sync is convicted.
func TestSweep(t *testing.T) {
	journal := func(f env.FS, forget bool, acknowledged *int) {
		j, _ := f.Append("journal")
		f.SyncDir(".")
		for i := range 3 {
			fmt.Fprintf(j, "line %d\n", i)
			if !forget {
				j.Sync()
			}
			*acknowledged++
		}
	}
	sweep := func(forget bool) (points int, lost []string) {
		for _, how := range []Action{{}, {Keep: 3}, {After: true}} {
			for _, power := range []bool{false, true} {
				for k, reached := 0, true; reached; k++ {
					w := NewWorld(0)
					m := w.Boot(nil)
					m.OnOp(func(o Op) Action {
						if o.N != k {
							return Action{}
						}
						a := how
						a.Then = func() error { m.Kill("sweep"); return nil }
						return a
					})
					acknowledged := 0
					reached = m.Run(func() { journal(m.Env("work").FS, forget, &acknowledged) }).Crashed
					if power {
						w.Disk.PowerCutSynced()
					}
					points++
					got := string(w.Disk.Image()["work/journal"])
					if strings.Count(got, "\n") < acknowledged {
						lost = append(lost, fmt.Sprintf("%+v at %d, power %v: %q", how, k, power, got))
					}
				}
			}
		}
		return points, lost
	}
	points, lost := sweep(false)
	if len(lost) > 0 || points < 6*9 {
		t.Errorf("%d points; an acknowledged line was lost: %q", points, lost)
	}
	if _, lost := sweep(true); len(lost) == 0 {
		t.Error("a journal that forgets its syncs is not convicted")
	}
}

// The trace is one sequence over everything that touches the disk, in the words
// of package evidence.
func TestTrace(t *testing.T) {
	worlds(t, func(t *testing.T, w *World) {
		m := w.Boot(nil)
		clean(t, m.Run(func() {
			e := m.Env("s")
			e.FS.MkdirAll("d")
			f, _ := e.FS.Append("a")
			g, _ := e.FS.Append("a")
			f.Write([]byte("one"))
			e.Clock.Sleep(bg, time.Second)
			g.Write([]byte("two"))
			w.Trace(evidence.Step{Kind: evidence.StepPublish, Record: 7})
			f.Sync()
			e.FS.Truncate("a", 4)
			e.FS.Rename("a", "d/b")
			e.FS.SyncDir("d")
			e.FS.Create("d/b")
			e.FS.Create("d/b")
			e.FS.Remove("d/b")
			e.FS.Remove("d/b") // fails: no step
			e.FS.Lstat(".")
		}))
		m = w.Boot(nil)
		m.Run(func() {
			defer func() {
				if w.Trace(evidence.Step{Kind: evidence.StepPublish}) != 0 {
					t.Error("a dead life publishes")
				}
			}()
			m.Kill("here")
		})
		want := []evidence.Step{
			{Kind: evidence.StepLife},
			{Kind: evidence.StepAppend, File: "s/a", Len: 3},
			{Kind: evidence.StepAppend, File: "s/a", Len: 6, At: time.Second},
			{Kind: evidence.StepPublish, Record: 7, At: time.Second},
			{Kind: evidence.StepSync, File: "s/a", Len: 6, At: time.Second},
			{Kind: evidence.StepTruncate, File: "s/a", Len: 4, At: time.Second},
			{Kind: evidence.StepRename, From: "s/a", File: "s/d/b", At: time.Second},
			{Kind: evidence.StepSyncDir, File: "s/d", At: time.Second},
			{Kind: evidence.StepTruncate, File: "s/d/b", At: time.Second},
			{Kind: evidence.StepRemove, File: "s/d/b", At: time.Second},
			{Kind: evidence.StepLife, Life: 2, At: time.Second},
			{Kind: evidence.StepKill, Life: 2, At: time.Second},
		}
		for i := range want {
			want[i].Seq = int64(i + 1)
			want[i].Life = max(want[i].Life, 1)
		}
		if got := w.Steps(); !reflect.DeepEqual(got, want) {
			for i := range max(len(got), len(want)) {
				t.Errorf("%d: got %+v, want %+v", i, at(got, i), at(want, i))
			}
		}
	})
}

func TestTraceIsWhole(t *testing.T) {
	w := NewWorld(0)
	const n = 5000
	for i := range int64(n) {
		if got := w.Trace(evidence.Step{Kind: evidence.StepPublish, Record: i}); got != i+1 {
			t.Fatalf("step %d got the number %d", i+1, got)
		}
	}
	steps := w.Steps()
	if len(steps) != n {
		t.Fatalf("%d steps, want %d", len(steps), n)
	}
	for i, s := range steps {
		if s.Seq != int64(i+1) || s.Record != int64(i) {
			t.Fatalf("step %d is %+v", i+1, s)
		}
	}
}

func at(s []evidence.Step, i int) any {
	if i < len(s) {
		return s[i]
	}
	return nil
}

// A lock ends with its life however that ends, and excludes while it lives.
func TestLocksByLife(t *testing.T) {
	worlds(t, func(t *testing.T, w *World) {
		for _, end := range []func(m *Machine){
			func(m *Machine) {},
			func(m *Machine) { m.Kill("") },
			func(m *Machine) { panic("") },
			func(m *Machine) { clock{m}.Note().Wait(bg, "nothing") },
		} {
			m := w.Boot(nil)
			m.Run(func() {
				f := m.Env("session").FS
				unlock, err := f.Lock("lock")
				if err != nil {
					t.Fatalf("life %d: %v", m.Life(), err)
				}
				defer unlock()
				if _, err := m.Env("session").FS.Lock("lock"); !errors.Is(err, env.ErrLocked) {
					t.Errorf("life %d: the second lock: %v", m.Life(), err)
				}
				end(m)
			})
		}
	})
}

// Between lives, and from goroutines beside one, the disk is safe to look at.
func TestLookFromOutside(t *testing.T) {
	w := NewWorld(5)
	m := w.Boot(nil)
	quit, gone := make(chan bool), make(chan bool)
	go func() {
		defer close(gone)
		rng := rand.New(rand.NewPCG(1, 1))
		for {
			select {
			case <-quit:
				return
			default:
			}
			w.Disk.Image()
			w.Steps()
			w.Now()
			w.Past()
			w.Files("work").ReadDir(".")
			w.Disk.PowerCut(rng)
			m.Alive()
		}
	}()
	clean(t, m.Run(func() {
		e := m.Env("work")
		for range 200 {
			f, _ := e.FS.Append("a")
			f.Write([]byte("x"))
			f.Sync()
			f.Close()
			e.Clock.Sleep(bg, time.Second)
		}
	}))
	close(quit)
	<-gone
}

// A world on the real disk refuses what it cannot do.
func TestOnRealDisk(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := NewWorld(0, OnRealDisk(dir))
	if w.Disk != nil {
		t.Error("there is a simulated disk as well")
	}
	if got := image(t, w); got != "file=x " {
		t.Errorf("image %q", got)
	}
	if _, err := NewWorld(0, OnRealDisk(filepath.Join(dir, "nowhere"))).Image(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("image of nothing: %v", err)
	}
	defer func() {
		if s, ok := recover().(string); !ok || !strings.Contains(s, "folder") {
			t.Errorf("recovered %q", s)
		}
	}()
	w.Files("file")
}
