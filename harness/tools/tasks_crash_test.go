package tools_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

// taskScript is a session's work on tasks; each step changes exactly one file.
// The ids of tasks derive from the calls, so they can stand here.
type taskStep struct{ tool, input string }

func taskScript(t testing.TB) []taskStep {
	d := simDesk(t)
	ids := []any{d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`), d.create(`{"subject":"c"}`)}
	step := func(tool, format string) taskStep {
		for i, name := range []string{"$A", "$B", "$C"} {
			format = strings.ReplaceAll(format, name, ids[i].(string))
		}
		return taskStep{tool, format}
	}
	return []taskStep{
		step("task_create", `{"subject":"a","description":"the first"}`),
		step("task_create", `{"subject":"b","priority":9,"blockedBy":["$A"]}`),
		step("task_create", `{"subject":"c"}`),
		step("task_depend", `{"id":"$C","blockedBy":["$B","$A"]}`),
		step("task_claim", `{"id":"$A","owner":"ann"}`),
		step("task_complete", `{"id":"$A","owner":"ann"}`),
		step("task_claim", `{"id":"$B","owner":"bob"}`),
		step("task_claim", `{"id":"$B","owner":"cid","takeover":true}`),
		step("task_complete", `{"id":"$B","owner":"cid"}`),
	}
}

// tasksOn returns the task files on a disk by name, as bytes.
func tasksOn(w *sim.World) map[string]string {
	files := map[string]string{}
	for name, data := range w.Disk.Image() {
		if base := path.Base(name); strings.HasPrefix(name, "session/tasks/") && !strings.HasPrefix(base, ".") {
			files[base] = string(data)
		}
	}
	return files
}

// taskSession is the script on one disk, over as many lives as it takes.
type taskSession struct {
	t     testing.TB
	reg   *tools.Registry
	w     *sim.World
	steps []taskStep
	after []map[string]string // the task files after so many steps; nil while it is found out
	done  int                 // steps that were answered as done, or found done
	told  int                 // steps that were answered as done: they can never be lost
}

func newTaskSession(t testing.TB) *taskSession {
	s := &taskSession{t: t, reg: taskRegistry(t), w: sim.NewWorld(1), steps: taskScript(t)}
	s.life(nil)
	if s.done != len(s.steps) {
		t.Fatalf("undisturbed, %d of %d steps are done", s.done, len(s.steps))
	}
	return s
}

// fresh is the same script on a disk of its own.
func (s *taskSession) fresh() *taskSession {
	return &taskSession{t: s.t, reg: s.reg, w: sim.NewWorld(1), steps: s.steps, after: s.after}
}

// life goes on with the script. on sees each operation of the disk. It returns
// the answer to the last step if that failed; the life ends there.
func (s *taskSession) life(on func(m *sim.Machine, o sim.Op) sim.Action) (failed string) {
	s.t.Helper()
	m := s.w.Boot(nil)
	if on != nil {
		m.OnOp(func(o sim.Op) sim.Action { return on(m, o) })
	}
	looking := s.after == nil
	if looking {
		s.after = []map[string]string{{}}
	}
	out := m.Run(func() {
		d := &desk{t: s.t, reg: s.reg, e: m.Env("session")}
		for s.done < len(s.steps) {
			step := s.steps[s.done]
			code, text := d.as(fmt.Sprintf("c%d", s.done+1), step.tool, step.input)
			if !m.Alive() {
				s.t.Errorf("after its death the life says %s", text)
				return
			}
			if code != "" {
				failed = code + ": " + text
				return
			}
			s.done++
			s.told = s.done
			if looking {
				s.after = append(s.after, tasksOn(s.w))
			}
		}
	})
	if out.Panic != "" || out.Deadlock != "" || len(out.Left) > 0 {
		s.t.Errorf("the life ended badly: %+v", out)
	}
	return failed
}

// settle holds the disk to what was answered: every step that was answered as
// done is there, the one after it wholly or not at all, and nothing else. What
// was found done after a kill and never answered for may be lost to a power cut.
func (s *taskSession) settle(what string) {
	s.t.Helper()
	got := tasksOn(s.w)
	for n := s.told; n <= min(s.done+1, len(s.steps)); n++ {
		if maps.Equal(got, s.after[n]) {
			s.done = n
			return
		}
	}
	s.t.Fatalf("%s, after %d steps, %d of them answered: the files are\n%q\nwant\n%q\nor one more step", what, s.done, s.told, got, s.after[s.told])
}

// A life is killed at every operation of the disk, before it, after it, and in
// every write at each byte; then the power is cut in every way, or not at all.
// Every file is whole, nothing that was answered is lost, and the next life
// goes on to the same end.
func TestTaskFilesSurviveEveryCrash(t *testing.T) {
	t.Parallel()
	first := newTaskSession(t)
	kills, states := 0, 0
	crash := func(what string, n int, act func(m *sim.Machine, o sim.Op) (sim.Action, bool), cut func(w *sim.World)) (reached bool) {
		s := first.fresh()
		failed := s.life(func(m *sim.Machine, o sim.Op) sim.Action {
			if o.N != n {
				return sim.Action{}
			}
			a, ok := act(m, o)
			if ok {
				reached = true
				what += fmt.Sprintf(" (%s %s)", o.Kind, o.File)
			}
			return a
		})
		if !reached {
			return false
		}
		if failed != "" {
			t.Errorf("%s: answered %s", what, failed)
		}
		states++
		cut(s.w)
		s.settle(what)
		if failed := s.life(nil); failed != "" {
			t.Fatalf("%s: the next life cannot go on: %s", what, failed)
		}
		s.settle(what + ", resumed")
		// A cut long after changes nothing.
		s.w.Disk.PowerCutSynced()
		s.settle(what + ", at the end")
		return true
	}
	cuts := func(what string, n int, act func(m *sim.Machine, o sim.Op) (sim.Action, bool)) (reached bool) {
		if !crash(what+", killed", n, act, func(*sim.World) {}) {
			return false
		}
		kills++
		every(func(choose func(int) int) string {
			var made []int
			crash(what+", power cut", n, act, func(w *sim.World) {
				w.Disk.PowerCutBy(func(n int) int {
					c := choose(n)
					made = append(made, c)
					return c
				})
			})
			return fmt.Sprint(made)
		})
		return true
	}
	for n, going := 0, true; going; n++ {
		die := func(m *sim.Machine) func() error {
			return func() error { m.Kill("here"); return nil }
		}
		going = cuts(fmt.Sprintf("before operation %d", n), n, func(m *sim.Machine, o sim.Op) (sim.Action, bool) {
			return sim.Action{Then: die(m)}, true
		})
		cuts(fmt.Sprintf("after operation %d", n), n, func(m *sim.Machine, o sim.Op) (sim.Action, bool) {
			// Then the lock is not the life's yet, and would outlive it.
			return sim.Action{Then: die(m), After: true}, o.Kind.Changes() && o.Kind != sim.OpLock
		})
		for keep, more := 1, true; more; keep += 90 {
			more = cuts(fmt.Sprintf("%d bytes into operation %d", keep, n), n, func(m *sim.Machine, o sim.Op) (sim.Action, bool) {
				if o.Kind != sim.OpWrite || keep >= o.Bytes {
					return sim.Action{}, false
				}
				return sim.Action{Then: die(m), Keep: keep}, true
			})
		}
	}
	t.Logf("%d kills, %d states", kills, states)
	if kills < 200 || states < 600 {
		t.Errorf("%d kills, %d states: the sweep proves too little", kills, states)
	}
}

// every calls f with all ways to choose; of a choice among many, which is how
// much of a file's content survives, the ends and the middle.
func every(f func(choose func(n int) int) string) {
	var at, of []int
	for {
		i := 0
		f(func(n int) int {
			few := []int{0, n / 2, n - 1}
			if n <= 3 {
				few = few[:0]
				for c := range n {
					few = append(few, c)
				}
			}
			if i == len(at) {
				at, of = append(at, 0), append(of, 0)
			}
			of[i] = len(few)
			i++
			return few[at[i-1]]
		})
		at, of = at[:i], of[:i]
		for i--; i >= 0 && at[i] == of[i]-1; i-- {
			at = at[:i]
		}
		if i < 0 {
			return
		}
		at[i]++
		of = of[:i+1]
	}
}

// Crash after crash, with whatever the cuts leave.
func TestTaskFilesSurviveManyCrashes(t *testing.T) {
	t.Parallel()
	first := newTaskSession(t)
	lives := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := first.fresh()
		for life := 1; s.done < len(s.steps); life++ {
			if life > 500 {
				t.Fatalf("seed %d: the session does not end", seed)
			}
			lives++
			n, after := rng.IntN(60), rng.IntN(2) == 0
			failed := s.life(func(m *sim.Machine, o sim.Op) sim.Action {
				if o.N != n {
					return sim.Action{}
				}
				a := sim.Action{Then: func() error { m.Kill("here"); return nil }, After: after && o.Kind != sim.OpLock}
				if o.Kind == sim.OpWrite && !after {
					a.Keep = rng.IntN(o.Bytes)
				}
				return a
			})
			what := fmt.Sprintf("seed %d, life %d", seed, life)
			if failed != "" {
				t.Fatalf("%s: %s", what, failed)
			}
			if rng.IntN(2) == 0 {
				s.w.Disk.PowerCut(rng)
			}
			s.settle(what)
		}
	}
	if lives < 600 {
		t.Errorf("%d lives: too few crashes", lives)
	}
}

// Every operation fails once. The answer says what is true: done is durable,
// "Nothing was changed" is so, and what may have happened is not denied. The
// next call finds the tasks in order.
func TestTaskFilesWithFailingDisk(t *testing.T) {
	t.Parallel()
	first := newTaskSession(t)
	answers := map[string]int{}
	for n, going := 0, true; going; n++ {
		going = false
		for _, how := range []struct {
			name string
			act  func(o sim.Op) (sim.Action, bool)
		}{
			{"fails", func(o sim.Op) (sim.Action, bool) { return sim.Fail(syscall.EIO), true }},
			{"is done and reported as failed", func(o sim.Op) (sim.Action, bool) {
				return sim.Action{Then: func() error { return syscall.EIO }, After: true}, o.Kind.Changes()
			}},
			{"is torn", func(o sim.Op) (sim.Action, bool) {
				return sim.Action{Then: func() error { return syscall.ENOSPC }, Keep: o.Bytes / 2}, o.Kind == sim.OpWrite
			}},
		} {
			s := first.fresh()
			what := ""
			failed := s.life(func(m *sim.Machine, o sim.Op) sim.Action {
				if o.N != n {
					return sim.Action{}
				}
				a, ok := how.act(o)
				if ok {
					what = fmt.Sprintf("operation %d (%s %s) %s", n, o.Kind, o.File, how.name)
				}
				return a
			})
			if what == "" {
				continue
			}
			going = true
			if failed == "" {
				// What can fail without harm: to remove what is in the way.
				s.settle(what)
				if s.done != len(s.steps) {
					t.Errorf("%s: no step failed, and %d are done", what, s.done)
				}
				answers["done all the same"]++
				continue
			}
			before := s.done
			s.settle(what + ": " + failed)
			switch {
			case strings.HasPrefix(failed, "execution_error: ") && strings.Contains(failed, "Nothing was changed"):
				answers["nothing was changed"]++
				if s.done != before {
					t.Errorf("%s: the task was changed, and the answer is %s", what, failed)
				}
				if _, left := s.w.Disk.Image()["session/tasks/.new"]; left && !strings.Contains(what, "create") {
					t.Errorf("%s: half a file is left and takes room", what) // that the disk may have run out of
				}
			case strings.HasPrefix(failed, "execution_error: ") && strings.Contains(failed, "may have been changed or not"):
				answers["unknown"]++
			default:
				t.Errorf("%s: the answer is %s", what, failed)
			}
			s.w.Disk.PowerCutSynced()
			s.settle(what + ", power cut")
			if failed := s.life(nil); failed != "" {
				t.Fatalf("%s: the next life cannot go on: %s", what, failed)
			}
			s.settle(what + ", resumed")
		}
	}
	t.Log(answers)
	if answers["nothing was changed"] < 80 || answers["unknown"] < 30 {
		t.Errorf("%v: too few failures", answers)
	}
}

// A change that a killed call made, and that is found in place when the call is
// made again, is durable once that is answered.
func TestTaskDependAgainIsDurable(t *testing.T) {
	w := sim.NewWorld(1)
	reg := taskRegistry(t)
	life := func(on func(m *sim.Machine, o sim.Op) sim.Action, main func(d *desk)) {
		m := w.Boot(nil)
		m.OnOp(func(o sim.Op) sim.Action { return on(m, o) })
		m.Run(func() { main(&desk{t: t, reg: reg, e: m.Env("session")}) })
	}
	quiet := func(*sim.Machine, sim.Op) sim.Action { return sim.Action{} }
	var a, b string
	life(quiet, func(d *desk) { a, b = d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`) })
	killed := false
	life(func(m *sim.Machine, o sim.Op) sim.Action {
		if o.Kind != sim.OpRename {
			return sim.Action{}
		}
		killed = true
		return sim.Action{Then: func() error { m.Kill("here"); return nil }, After: true}
	}, func(d *desk) { d.call("task_depend", `{"id":"%s","blockedBy":["%s"]}`, b, a) })
	life(quiet, func(d *desk) {
		d.want("", "had these dependencies already", "task_depend", `{"id":"%s","blockedBy":["%s"]}`, b, a)
	})
	w.Disk.PowerCutSynced()
	if got := tasksOn(w)[b+".json"]; !killed || !strings.Contains(got, a) {
		t.Errorf("killed is %v; after the power cut the task is %s", killed, got)
	}
}
