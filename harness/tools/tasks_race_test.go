package tools_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/sim"
)

// yielding lets the other tasks go first before every operation that matters,
// as the kernel may: then the seed of the machine chooses how calls interleave.
type yielding struct {
	env.FS
	clock env.Clock
}

func (y yielding) yield() { y.clock.Sleep(context.Background(), 0) }

func (y yielding) Lstat(name string) (fs.FileInfo, error) { y.yield(); return y.FS.Lstat(name) }
func (y yielding) MkdirAll(name string) error             { y.yield(); return y.FS.MkdirAll(name) }
func (y yielding) Rename(from, to string) error           { y.yield(); return y.FS.Rename(from, to) }
func (y yielding) SyncDir(name string) error              { y.yield(); return y.FS.SyncDir(name) }
func (y yielding) Lock(name string) (func() error, error) { y.yield(); return y.FS.Lock(name) }
func (y yielding) Create(name string) (env.File, error) {
	y.yield()
	f, err := y.FS.Create(name)
	return yieldingFile{f, y}, err
}

type yieldingFile struct {
	env.File
	y yielding
}

func (f yieldingFile) Write(b []byte) (int, error) { f.y.yield(); return f.File.Write(b) }
func (f yieldingFile) Sync() error                 { f.y.yield(); return f.File.Sync() }

// racers is a way to let calls of several processes go at once: each act gets a
// desk of its own at the same folder. A desk before and after looks alone.
type racers struct {
	name string
	run  func(t *testing.T, before func(d *desk), acts []func(d *desk), after func(d *desk))
}

func simulatedRacers(seed uint64) racers {
	return racers{fmt.Sprintf("sim%d", seed), func(t *testing.T, before func(d *desk), acts []func(d *desk), after func(d *desk)) {
		reg := taskRegistry(t)
		m := sim.NewWorld(seed).Boot(nil)
		out := m.Run(func() {
			at := func(yields bool) *desk {
				e := m.Env("session")
				if yields {
					e.FS = yielding{e.FS, e.Clock}
				}
				return &desk{t: t, reg: reg, e: e}
			}
			before(at(false))
			e := m.Env("session")
			var ends []env.Note
			for i, act := range acts {
				end := e.Clock.Note()
				ends = append(ends, end)
				e.Clock.Go(fmt.Sprint("racer ", i), func() {
					act(at(true))
					end.Set()
				})
			}
			for _, end := range ends {
				end.Wait(context.Background(), "the racers")
			}
			after(at(false))
		})
		if out.Panic != "" || out.Deadlock != "" || len(out.Left) > 0 {
			t.Errorf("%+v", out)
		}
	}}
}

var realRacers = racers{"real", func(t *testing.T, before func(d *desk), acts []func(d *desk), after func(d *desk)) {
	dir := filepath.Join(t.TempDir(), "session")
	before(realDesk(t, dir))
	var all sync.WaitGroup
	start := make(chan struct{})
	for _, act := range acts {
		d := realDesk(t, dir) // another root, so another lock: as in another process
		all.Go(func() {
			<-start
			act(d)
		})
	}
	close(start)
	all.Wait()
	after(realDesk(t, dir))
}}

// race runs a test under many schedules and on the real machine.
func race(t *testing.T, test func(t *testing.T, r racers)) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprintf("sim%d", seed), func(t *testing.T) { test(t, simulatedRacers(seed)) })
	}
	for n := range 10 {
		t.Run(fmt.Sprintf("real%d", n), func(t *testing.T) { test(t, realRacers) })
	}
}

// collected are the answers of racers.
type collected struct {
	mu      sync.Mutex
	answers []string
}

func (c *collected) add(code, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if code == "" {
		code = "done"
	}
	c.answers = append(c.answers, code+" "+text)
}

func (c *collected) with(prefix string) (n int) {
	for _, a := range c.answers {
		if strings.HasPrefix(a, prefix) {
			n++
		}
	}
	return n
}

// Of claimers of one task, whatever they call themselves, one wins; the others
// are told who.
func TestTaskClaimRace(t *testing.T) {
	race(t, func(t *testing.T, r racers) {
		var id string
		var got collected
		claim := func(owner string) func(d *desk) {
			return func(d *desk) { got.add(d.as("c2", "task_claim", fmt.Sprintf(`{"id":"%s","owner":"%s"}`, id, owner))) }
		}
		r.run(t, func(d *desk) { id = d.create(`{"subject":"a"}`) },
			[]func(d *desk){claim("ann"), claim("bob"), claim("bob")},
			func(d *desk) {
				owner := d.task(id).Owner
				if got.with("done "+id+" (a) is in progress now and owned by "+owner) != 1 || got.with("task_status") != 2 {
					t.Errorf("the file says %s, the answers %q", owner, got.answers)
				}
			})
	})
}

// Makers of tasks with the same call id, in sessions that share a folder from
// the first moment, each get an id of their own.
func TestTaskCreateRace(t *testing.T) {
	race(t, func(t *testing.T, r racers) {
		var got collected
		create := func(name string) func(d *desk) {
			return func(d *desk) { got.add(d.as("c1", "task_create", `{"subject":"`+name+`"}`)) }
		}
		r.run(t, func(*desk) {}, []func(d *desk){create("a"), create("b"), create("c")}, func(d *desk) {
			var ids []string
			for _, a := range got.answers {
				id := taskID.FindString(a)
				if !strings.Contains(a, "Created "+id+" ("+d.task(id).Subject+")") {
					t.Errorf("%s holds %+v; the answers are %q", id, d.task(id), got.answers)
				}
				ids = append(ids, id)
			}
			slices.Sort(ids)
			if len(slices.Compact(ids)) != 3 {
				t.Errorf("%q", got.answers)
			}
		})
	})
}

// a is made to wait for b while b is made to wait for a: one of them is a cycle.
// Changes of different fields of one task are not lost.
func TestTaskDependRace(t *testing.T) {
	race(t, func(t *testing.T, r racers) {
		var a, b, c string
		var got collected
		depend := func(id, on *string) func(d *desk) {
			return func(d *desk) {
				got.add(d.as("c4", "task_depend", fmt.Sprintf(`{"id":"%s","blockedBy":["%s"]}`, *id, *on)))
			}
		}
		r.run(t, func(d *desk) {
			a, b, c = d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`), d.create(`{"subject":"c"}`)
		}, []func(d *desk){depend(&a, &b), depend(&b, &a), depend(&a, &c), depend(&b, &c)}, func(d *desk) {
			if got.with("done") != 3 || got.with("task_cycle") != 1 || len(d.task(a).BlockedBy)+len(d.task(b).BlockedBy) != 3 {
				t.Errorf("%+v %+v %q", d.task(a), d.task(b), got.answers)
			}
		})
	})
}

// A task is claimed, or gets one more thing to wait for, but never both. Two
// completions at once: what waits for both is reported by exactly one, the
// later. Lists taken meanwhile show whole tasks only.
func TestTaskCompleteRace(t *testing.T) {
	race(t, func(t *testing.T, r racers) {
		var a, b, both, free string
		var got, lists collected
		r.run(t, func(d *desk) {
			a, b = d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`)
			both, free = d.create(`{"subject":"both","blockedBy":["%s","%s"]}`, a, b), d.create(`{"subject":"free"}`)
			for _, id := range []string{a, b} {
				d.want("", "", "task_claim", `{"id":"%s","owner":"ann"}`, id)
			}
		}, []func(d *desk){
			func(d *desk) { got.add(d.as("c8", "task_complete", `{"id":"`+a+`","owner":"ann"}`)) },
			func(d *desk) { got.add(d.as("c8", "task_complete", `{"id":"`+b+`","owner":"ann"}`)) },
			func(d *desk) { got.add(d.as("c8", "task_claim", `{"id":"`+free+`","owner":"bob"}`)) },
			func(d *desk) { got.add(d.as("c8", "task_depend", `{"id":"`+free+`","blockedBy":["`+both+`"]}`)) },
			func(d *desk) { lists.add(d.as("c9", "task_list", `{}`)) },
		}, func(d *desk) {
			unblocked := 0
			for _, s := range got.answers {
				if strings.Contains(s, "Now ready to be claimed:\n"+both) {
					unblocked++
				}
			}
			f := d.task(free)
			claimed := f.Status == "in_progress"
			if got.with("done") != 3 || unblocked != 1 || claimed == (len(f.BlockedBy) > 0) ||
				got.with("task_status") != map[bool]int{true: 1}[claimed] || got.with("task_blocked") != map[bool]int{false: 1}[claimed] {
				t.Errorf("%+v %q", f, got.answers)
			}
			if l := lists.answers[0]; !strings.HasPrefix(l, "done ") || strings.Count(l, "\n") != 4 || strings.Contains(l, "file") {
				t.Errorf("a list meanwhile: %s", l)
			}
		})
	})
}
