package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/sim"
)

// taskModel is what K1 says, without a disk.
type taskModel map[string]*modelTask

type modelTask struct {
	status, owner string
	deps          []string
	damaged, gone bool
}

// missing is the code with which a task cannot be used at all, or "".
func (m taskModel) missing(id string) string {
	switch t := m[id]; {
	case t == nil || t.gone:
		return "not_found"
	case t.damaged:
		return "task_damaged"
	}
	return ""
}

func (m taskModel) ready(t *modelTask) bool {
	return t.status == "pending" && !slices.ContainsFunc(t.deps, func(id string) bool {
		return m.missing(id) != "" || m[id].status != "completed"
	})
}

// behind returns everything that a task waits for, directly or by way of others.
func (m taskModel) behind(id string, seen map[string]bool) map[string]bool {
	if t := m[id]; m.missing(id) == "" {
		for _, d := range t.deps {
			if !seen[d] {
				seen[d] = true
				m.behind(d, seen)
			}
		}
	}
	return seen
}

// depend returns the codes that adding dependencies may end with, "" alone when
// it must work.
func (m taskModel) depend(id string, had, deps []string) []string {
	var codes []string
	for _, d := range deps {
		if slices.Contains(had, d) {
			continue
		}
		if d == id {
			return []string{"task_cycle"}
		}
		if code := m.missing(d); code != "" {
			return []string{code}
		}
		behind := m.behind(d, map[string]bool{})
		if behind[id] {
			codes = append(codes, "task_cycle")
		}
		for b := range behind {
			if m.missing(b) == "task_damaged" {
				codes = append(codes, "task_damaged")
			}
		}
	}
	if codes == nil {
		codes = []string{""}
	}
	return codes
}

// state is a task as the model and as its file have it.
func (t *modelTask) state() string {
	return fmt.Sprintf("%s %q %q", t.status, t.owner, append([]string{}, t.deps...))
}

// After any calls, with files torn, restored and deleted in between, every
// answer and every file is what the model says.
func TestTasksAgainstModel(t *testing.T) {
	reg := taskRegistry(t)
	reached := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		d := &desk{t: t, reg: reg, e: env.Env{Clock: env.RealClock(), FS: sim.NewWorld(1).Files("session"), Probe: env.NoProbe{}}}
		model := taskModel{}
		whole := map[string]string{} // what damaged files were
		var ids []string
		draw := func(what string) string {
			if len(ids) == 0 || rapid.IntRange(0, 19).Draw(rt, "unknown") == 13 { // small numbers are drawn more often
				return "task_00000000"
			}
			return rapid.SampledFrom(ids).Draw(rt, what)
		}
		owner := func() string { return rapid.SampledFrom([]string{"ann", "bob"}).Draw(rt, "owner") }
		some := func() (deps []string) {
			for range rapid.IntRange(0, 3).Draw(rt, "dependencies") {
				deps = append(deps, draw("dependency"))
			}
			return deps
		}
		quoted := func(v any) string { b, _ := json.Marshal(v); return string(b) }
		merge := func(had, deps []string) []string {
			all := slices.Clone(had)
			for _, d := range deps {
				if !slices.Contains(all, d) {
					all = append(all, d)
				}
			}
			return all
		}
		hold := func(what, code, text string, want ...string) bool {
			reached[what+" "+code]++
			if !slices.Contains(want, code) {
				rt.Fatalf("%s: got %q (%s), want one of %q", what, code, text, want)
			}
			return code == ""
		}
		usable := func(id string, want func(t *modelTask) []string) (codes []string) {
			if code := model.missing(id); code != "" {
				return []string{code}
			}
			return want(model[id])
		}
		for range 4 {
			ids = append(ids, d.create(`{"subject":"s"}`))
			model[ids[len(ids)-1]] = &modelTask{status: "pending"}
		}
		claim := func(id, who string, takeover bool) {
			code, text := d.call("task_claim", `{"id":"%s","owner":"%s","takeover":%v}`, id, who, takeover)
			if hold("claim", code, text, usable(id, func(t *modelTask) []string {
				switch {
				case t.status == "completed", t.status == "in_progress" && !takeover:
					return []string{"task_status"}
				case !model.ready(&modelTask{status: "pending", deps: t.deps}):
					return []string{"task_blocked"}
				}
				return []string{""}
			})...) {
				if took := model[id].status == "in_progress"; strings.Contains(text, "taken over from "+model[id].owner) != took {
					rt.Fatalf("from %q: %s", model[id].owner, text)
				}
				model[id].status, model[id].owner = "in_progress", who
			}
		}
		complete := func(id, who string) {
			var before []string
			for id, t := range model {
				if model.missing(id) == "" && model.ready(t) {
					before = append(before, id)
				}
			}
			code, text := d.call("task_complete", `{"id":"%s","owner":"%s"}`, id, who)
			if hold("complete", code, text, usable(id, func(t *modelTask) []string {
				switch {
				case t.status != "in_progress":
					return []string{"task_status"}
				case t.owner != who:
					return []string{"task_owner"}
				}
				return []string{""}
			})...) {
				model[id].status = "completed"
				var now []string
				for id, t := range model {
					if model.missing(id) == "" && model.ready(t) && !slices.Contains(before, id) {
						now = append(now, id)
					}
				}
				slices.Sort(now)
				_, told, _ := strings.Cut(text, "claimed:")
				if len(now) > 0 {
					reached["unblocked"]++
				}
				if got := taskID.FindAllString(told, -1); !slices.Equal(got, now) {
					rt.Fatalf("newly unblocked are %q: %s", now, text)
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create": func(rt *rapid.T) {
				deps := some()
				code, text := d.call("task_create", `{"subject":"s","blockedBy":%s}`, quoted(append([]string{}, deps...)))
				if hold("create", code, text, model.depend("", nil, deps)...) {
					id := taskID.FindString(text)
					ids = append(ids, id)
					model[id] = &modelTask{status: "pending", deps: merge(nil, deps)}
				}
			},
			"depend": func(rt *rapid.T) {
				id, deps := draw("task"), some()
				code, text := d.call("task_depend", `{"id":"%s","blockedBy":%s}`, id, quoted(append([]string{}, deps...)))
				if hold("depend", code, text, usable(id, func(t *modelTask) []string {
					if t.status != "pending" && len(merge(t.deps, deps)) > len(t.deps) {
						return []string{"task_status"}
					}
					return model.depend(id, t.deps, deps)
				})...) {
					model[id].deps = merge(model[id].deps, deps)
				}
			},
			"claim": func(rt *rapid.T) {
				claim(draw("task"), owner(), rapid.IntRange(0, 3).Draw(rt, "takeover") == 3)
			},
			"complete": func(rt *rapid.T) { complete(draw("task"), owner()) },
			"work": func(rt *rapid.T) { // as an orderly agent does, so that tasks get done
				id := draw("task")
				claim(id, "ann", false)
				if t := model[id]; t != nil && t.owner != "" {
					complete(id, t.owner)
				}
			},
			"list": func(rt *rapid.T) {
				code, text := d.call("task_list", `{"status":"ready"}`)
				hold("list", code, text, "")
				got := map[string]bool{}
				for l := range strings.Lines(text) {
					if id, _, ok := strings.Cut(l, "  p5  pending, ready"); ok {
						got[id] = true
					}
				}
				for id, t := range model {
					if is := model.missing(id) == "" && model.ready(t); is != got[id] {
						rt.Fatalf("%s: ready is %v in\n%s", id, is, text)
					}
				}
			},
			"get": func(rt *rapid.T) {
				id := draw("task")
				code, text := d.call("task_get", `{"id":"%s"}`, id)
				if hold("get", code, text, usable(id, func(*modelTask) []string { return []string{""} })...) &&
					strings.Contains(text, "ready to be claimed") != model.ready(model[id]) {
					rt.Fatalf("ready is %v: %s", model.ready(model[id]), text)
				}
			},
			"tear or restore": func(rt *rapid.T) {
				id := draw("task")
				switch t := model[id]; {
				case t == nil || t.gone:
				case t.damaged:
					d.put(d.file(id), whole[id])
					t.damaged = false
				case rapid.IntRange(0, 2).Draw(rt, "tear") == 2:
					whole[id] = d.read(d.file(id))
					t.damaged = true
					d.put(d.file(id), whole[id][:rapid.IntRange(0, len(whole[id])-3).Draw(rt, "kept")])
				}
			},
			"delete": func(rt *rapid.T) {
				id := draw("task")
				if t := model[id]; t != nil && !t.gone && rapid.IntRange(0, 3).Draw(rt, "delete") == 3 {
					if err := d.e.FS.Remove(d.file(id)); err != nil {
						rt.Fatal(err)
					}
					t.gone = true
				}
			},
			"": func(rt *rapid.T) { // after each
				for _, id := range slices.Sorted(maps.Keys(model)) {
					t := model[id]
					if t.gone {
						if _, err := d.e.FS.Lstat(d.file(id)); err == nil {
							rt.Fatalf("%s was deleted and is there", id)
						}
						continue
					}
					text := d.read(d.file(id))
					if t.damaged {
						if !strings.HasPrefix(whole[id], text) || len(text) >= len(whole[id]) {
							rt.Fatalf("%s was torn and then changed to %q", id, text)
						}
						continue
					}
					f := d.task(id)
					if got := (&modelTask{status: f.Status, owner: f.Owner, deps: f.BlockedBy}).state(); got != t.state() || f.ID != id {
						rt.Fatalf("%s is %s, want %s", id, got, t.state())
					}
				}
			},
		})
	})
	t.Log(reached)
	for _, what := range []string{"depend task_cycle", "depend task_damaged", "claim task_blocked", "claim task_status", "complete task_owner", "complete ", "unblocked", "create not_found"} {
		if reached[what] == 0 {
			t.Errorf("nothing reached %q", what)
		}
	}
}
