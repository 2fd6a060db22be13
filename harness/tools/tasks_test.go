package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

// desk is somebody who calls tools on one machine.
type desk struct {
	t   testing.TB
	reg *tools.Registry
	e   env.Env
	n   int
}

func newDesk(t testing.TB, e env.Env) *desk {
	return &desk{t: t, reg: taskRegistry(t), e: e}
}

func taskRegistry(t testing.TB) *tools.Registry {
	return registry(t, append(tools.Tasks(), tools.Todo())...)
}

// simDesk sits at a simulated disk, outside of any life.
func simDesk(t testing.TB) *desk {
	return newDesk(t, env.Env{Clock: env.RealClock(), FS: sim.NewWorld(1).Files("session"), Probe: env.NoProbe{}})
}

// as makes a call with the given id; code is "" when it is done.
func (d *desk) as(id, tool, input string) (code, text string) {
	d.t.Helper()
	if no := d.reg.Validate(tool, []byte(input)); no != nil {
		return no.Code, no.Sentence
	}
	tl, _ := d.reg.Lookup(tool)
	o := tools.Execute(context.Background(), d.e, tl, tools.Call{ID: id, Name: tool, Input: []byte(input)}, tools.Options{})
	if o.Stack != "" || o.Fault != nil {
		d.t.Fatalf("%s %s broke down: %s %v", tool, input, o.Stack, o.Fault)
	}
	if o.IsError && o.Code == "" {
		d.t.Errorf("%s %s failed without a code: %s", tool, input, o.Text)
	}
	return o.Code, o.Text
}

func (d *desk) call(tool, format string, args ...any) (code, text string) {
	d.t.Helper()
	d.n++
	return d.as(fmt.Sprintf("c%d", d.n), tool, fmt.Sprintf(format, args...))
}

// want makes a call and holds its code and text to what is wanted.
func (d *desk) want(code, piece, tool, format string, args ...any) {
	d.t.Helper()
	c, text := d.call(tool, format, args...)
	if c != code || !strings.Contains(text, piece) {
		d.t.Errorf("%s %s\n got %q: %s\nwant %q: ...%s...", tool, fmt.Sprintf(format, args...), c, text, code, piece)
	}
}

var taskID = regexp.MustCompile(`task_[0-9a-f]{8}`)

// create makes a task and returns its id.
func (d *desk) create(format string, args ...any) string {
	d.t.Helper()
	code, text := d.call("task_create", format, args...)
	if code != "" {
		d.t.Fatalf("task_create: %s", text)
	}
	return taskID.FindString(text)
}

func (d *desk) file(id string) string { return "tasks/" + id + ".json" }

func (d *desk) read(name string) string {
	d.t.Helper()
	f, err := d.e.FS.Open(name)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// put writes a file as somebody else would.
func (d *desk) put(name, content string) {
	d.t.Helper()
	f, err := d.e.FS.Create(name)
	if err == nil {
		_, err = f.Write([]byte(content))
	}
	if err != nil {
		d.t.Fatal(err)
	}
	f.Close()
}

// taskFileOf is a task's file, as anybody may read it.
type taskFileOf struct {
	ID, Subject, Description, Status, Owner string
	Priority                                int
	BlockedBy                               []string
}

func (d *desk) task(id string) (t taskFileOf) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(d.read(d.file(id))), &t); err != nil {
		d.t.Fatal(err)
	}
	return t
}

func TestTaskLife(t *testing.T) {
	d := simDesk(t)
	d.want("", "(there are no tasks)", "task_list", `{}`)
	a := d.create(`{"subject":"Write the parser","description":"All of it."}`)
	b := d.create(`{"subject":"Test the parser","priority":9,"blockedBy":["%s"]}`, a)
	if got, want := d.read(d.file(b)), `{
  "id": "`+b+`",
  "subject": "Test the parser",
  "description": "",
  "status": "pending",
  "priority": 9,
  "owner": "",
  "blockedBy": [
    "`+a+`"
  ]
}
`; got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
	if got := d.task(a); got.Priority != 5 || got.Description != "All of it." || got.BlockedBy == nil {
		t.Errorf("the first task is %+v", got)
	}
	d.want("", b+"  p9  pending, waits for "+a+" (pending): Test the parser\n"+a+"  p5  pending, ready to be claimed: Write the parser\n", "task_list", `{}`)
	d.want("task_blocked", "it waits for "+a+" (pending)", "task_claim", `{"id":"%s","owner":"ann"}`, b)
	d.want("task_status", "Claim it first", "task_complete", `{"id":"%s","owner":"ann"}`, a)
	d.want("", "in progress now and owned by ann", "task_claim", `{"id":"%s","owner":"ann"}`, a)
	d.want("task_status", "owned by ann already", "task_claim", `{"id":"%s","owner":"bob"}`, a)
	d.want("task_status", "owned by ann already", "task_claim", `{"id":"%s","owner":"ann"}`, a)
	d.want("task_blocked", a+" (in_progress)", "task_claim", `{"id":"%s","owner":"bob"}`, b)
	d.want("task_owner", "owned by ann, and only its owner", "task_complete", `{"id":"%s","owner":"bob"}`, a)
	d.want("task_status", "only while it is pending", "task_depend", `{"id":"%s","blockedBy":["%s"]}`, a, b)
	d.want("", "Now ready to be claimed:\n"+b+" (Test the parser)", "task_complete", `{"id":"%s","owner":"ann"}`, a)
	d.want("task_status", "nothing left to do", "task_complete", `{"id":"%s","owner":"ann"}`, a)
	d.want("task_status", "nothing left to claim", "task_claim", `{"id":"%s","owner":"ann","takeover":true}`, a)
	d.want("", "pending, ready to be claimed", "task_get", `{"id":"%s"}`, b)
	d.want("", b, "task_list", `{"status":"ready"}`)
	d.want("", "(none of 2 tasks is in_progress)", "task_list", `{"status":"in_progress"}`)
	d.want("", "owned by bob", "task_claim", `{"id":"%s","owner":"bob"}`, b)
	if _, text := d.call("task_complete", `{"id":"%s","owner":"bob"}`, b); strings.Contains(text, "ready") {
		t.Errorf("nothing became ready, and this is said: %s", text)
	}
	if got := d.task(b); got.Owner != "bob" || got.Status != "completed" {
		t.Errorf("the second task is %+v", got)
	}
}

// A restart in the middle: the owner is dead, the task is not lost, and nobody
// gets it without saying so (K1).
func TestTaskTakeover(t *testing.T) {
	d := simDesk(t)
	a := d.create(`{"subject":"a"}`)
	d.want("", "owned by ann", "task_claim", `{"id":"%s","owner":"ann","takeover":true}`, a) // there is nobody to take it from
	d.want("task_status", "with takeover set to true", "task_claim", `{"id":"%s","owner":"bob"}`, a)
	d.want("task_status", "with takeover set to true", "task_claim", `{"id":"%s","owner":"bob","takeover":false}`, a)
	d.want("", "owned by bob. It was taken over from ann,", "task_claim", `{"id":"%s","owner":"bob","takeover":true}`, a)
	d.want("task_owner", "owned by bob", "task_complete", `{"id":"%s","owner":"ann"}`, a) // not so dead
	d.want("", "taken over from bob", "task_claim", `{"id":"%s","owner":"bob","takeover":true}`, a)
	d.want("", "Completed", "task_complete", `{"id":"%s","owner":"bob"}`, a)
}

// Only what became ready by this completion is reported.
func TestTaskNewlyUnblocked(t *testing.T) {
	d := simDesk(t)
	a, b := d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`)
	was := d.create(`{"subject":"was ready"}`)
	one := d.create(`{"subject":"one","blockedBy":["%s"]}`, a)
	both := d.create(`{"subject":"both","blockedBy":["%s","%s"]}`, a, b)
	next := d.create(`{"subject":"next","blockedBy":["%s"]}`, one)
	for _, id := range []string{a, b} {
		d.want("", "", "task_claim", `{"id":"%s","owner":"ann"}`, id)
	}
	unblocked := func(id, owner string) string {
		t.Helper()
		code, text := d.call("task_complete", `{"id":"%s","owner":"%s"}`, id, owner)
		if code != "" {
			t.Fatal(text)
		}
		_, after, _ := strings.Cut(text, "claimed:")
		return strings.Join(taskID.FindAllString(after, -1), " ")
	}
	if got := unblocked(a, "ann"); got != one {
		t.Errorf("a unblocks %q, want %s alone (not %s, %s, %s)", got, one, both, next, was)
	}
	d.want("", "", "task_claim", `{"id":"%s","owner":"ann"}`, one)
	if got := unblocked(b, "ann"); got != both {
		t.Errorf("b unblocks %q, want %s alone", got, both)
	}
}

// Dependencies are added all or none.
func TestTaskDepend(t *testing.T) {
	d := simDesk(t)
	a, b, c := d.create(`{"subject":"a"}`), d.create(`{"subject":"b"}`), d.create(`{"subject":"c"}`)
	e := d.create(`{"subject":"e"}`)
	unchanged := func(id, code, piece, deps string) {
		t.Helper()
		before := d.read(d.file(id))
		d.want(code, piece, "task_depend", `{"id":"%s","blockedBy":[%s]}`, id, deps)
		if d.read(d.file(id)) != before {
			t.Errorf("a refused dependency changed the task")
		}
	}
	q := func(ids ...string) string { return `"` + strings.Join(ids, `","`) + `"` }
	d.want("", "Added 1 dependency", "task_depend", `{"id":"%s","blockedBy":[%s]}`, a, q(b, b))
	d.want("", "Added 1 dependency", "task_depend", `{"id":"%s","blockedBy":[%s]}`, b, q(c))
	unchanged(a, "", "had these dependencies already", q(b))
	unchanged(a, "", "had these dependencies already", "")
	unchanged(a, "task_cycle", "cannot wait for itself", q(e, a))
	unchanged(c, "task_cycle", a+" > "+b+" > "+c, q(e, a))
	unchanged(b, "task_cycle", a+" > "+b, q(a))
	unchanged(e, "not_found", "no task task_00000000 to wait for", q(a, "task_00000000"))
	if code, text := d.call("task_create", `{"subject":"x","blockedBy":["%s","task_00000000"]}`, a); code != "not_found" {
		t.Errorf("%s: %s", code, text)
	}
	if entries, _ := d.e.FS.ReadDir("tasks"); len(entries) != 4+1 { // and .lock
		t.Errorf("a refused creation left something: %v", entries)
	}
	// Of a task whose owner works on it already the dependencies stand.
	d.want("", "", "task_claim", `{"id":"%s","owner":"ann"}`, e)
	unchanged(e, "task_status", "only while it is pending", q(a))
	unchanged(e, "", "had these dependencies already", "")
	if got := strings.Join(d.task(a).BlockedBy, " "); got != b {
		t.Errorf("a waits for %s, want %s", got, b)
	}
}

func TestTaskDependencyLimit(t *testing.T) {
	d := simDesk(t)
	var ids []string
	for range 101 {
		ids = append(ids, d.create(`{"subject":"x"}`))
	}
	j := func(ids []string) string { b, _ := json.Marshal(ids); return string(b) }
	a := d.create(`{"subject":"a","blockedBy":%s}`, j(ids[:100]))
	d.want("invalid_arguments", "would wait for 101 tasks", "task_depend", `{"id":"%s","blockedBy":%s}`, a, j(ids[100:]))
	d.want("invalid_arguments", "at most 100 items", "task_create", `{"subject":"a","blockedBy":%s}`, j(ids))
}

// Whoever holds the lock is waited for, but not for ever.
func TestTaskBusy(t *testing.T) {
	for _, c := range []struct {
		name  string
		until int // the holder's pauses
		code  string
		piece string
	}{{"a moment", 3, "", "Created"}, {"for ever", 1 << 20, "task_busy", "has not finished after 5s. Nothing was changed."}} {
		t.Run(c.name, func(t *testing.T) {
			m := sim.NewWorld(1).Boot(nil)
			out := m.Run(func() {
				d := newDesk(t, m.Env("session"))
				d.create(`{"subject":"a"}`)
				unlock, err := m.Env("session").FS.Lock("tasks/.lock")
				if err != nil {
					t.Fatal(err)
				}
				d.e.FS = &countedLocks{FS: d.e.FS, do: func(n int) {
					if n == c.until {
						unlock()
					}
				}}
				d.want(c.code, c.piece, "task_create", `{"subject":"b"}`)
				d.want("", "", "task_list", `{}`) // needs none
			})
			if out.Panic != "" || out.Deadlock != "" || len(out.Left) > 0 {
				t.Errorf("%+v", out)
			}
		})
	}
	t.Run("aborted", func(t *testing.T) {
		d := simDesk(t)
		d.create(`{"subject":"a"}`)
		unlock, err := d.e.FS.Lock("tasks/.lock")
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
		ctx, cancel := context.WithCancel(context.Background())
		d.e.FS = &countedLocks{FS: d.e.FS, do: func(n int) { cancel() }}
		tool, _ := d.reg.Lookup("task_create")
		o := tools.Execute(ctx, d.e, tool, tools.Call{ID: "c9", Name: "task_create", Input: []byte(`{"subject":"b"}`)}, tools.Options{})
		if o.State != "interrupted" || o.Left {
			t.Errorf("%+v", o)
		}
	})
}

type countedLocks struct {
	env.FS
	n  int
	do func(n int)
}

func (l *countedLocks) Lock(name string) (func() error, error) {
	l.n++
	l.do(l.n)
	return l.FS.Lock(name)
}

// A long list is cut by whole lines and says so.
func TestTaskListIsBounded(t *testing.T) {
	d := simDesk(t)
	for range 60 {
		d.create(`{"subject":"%s"}`, strings.Repeat("x", 150))
	}
	d.put("tasks/notes.txt", "mine")
	tool, _ := d.reg.Lookup("task_list")
	out, err := tool.Run(context.Background(), tools.Call{Name: "task_list", Input: []byte(`{}`), Env: d.e, Limit: 4000})
	if err != nil || len(out.Text) > 4200 || !strings.Contains(out.Text, " tasks more: ask for one status only)\nThe file tasks/notes.txt is not named like a task") {
		t.Errorf("%v, %d bytes: %s", err, len(out.Text), out.Text)
	}
}

func TestTaskArguments(t *testing.T) {
	d := simDesk(t)
	a := d.create(`{"subject":"a","priority":10.0}`)
	if got := d.task(a).Priority; got != 10 {
		t.Errorf("priority 10.0 became %d", got)
	}
	if got := d.task(d.create(`{"subject":"a","priority":0}`)).Priority; got != 0 {
		t.Errorf("priority 0 became %d", got)
	}
	// The largest task can be read again.
	big := d.create(`{"subject":"%s","description":"%s"}`, strings.Repeat("\U0001F600", 200), strings.Repeat(`\u0001`, 10000))
	d.want("", big, "task_get", `{"id":"%s"}`, big)
	for _, c := range []struct{ tool, input, piece string }{
		{"task_create", `{}`, "subject is missing"},
		{"task_create", `{"subject":""}`, "at least 1 character"},
		{"task_create", `{"subject":" \n"}`, "its subject is blank"},
		{"task_create", `{"subject":"` + strings.Repeat("x", 201) + `"}`, "at most 200 characters"},
		{"task_create", `{"subject":"x","description":"` + strings.Repeat("x", 10001) + `"}`, "at most 10000 characters"},
		{"task_create", `{"subject":"x","priority":11}`, "at most 10"},
		{"task_create", `{"subject":"x","priority":1.5}`, "must be an integer"},
		{"task_create", `{"subject":"x","status":"completed"}`, "status is not allowed"},
		{"task_claim", `{"id":"` + a + `"}`, "owner is missing"},
		{"task_claim", `{"id":"` + a + `","owner":" ann"}`, "its owner is not a name"},
		{"task_claim", `{"id":"` + a + `","owner":"a\nb"}`, "its owner is not a name"},
		{"task_list", `{"status":"done"}`, "must be one of"},
	} {
		d.want("invalid_arguments", c.piece, c.tool, "%s", c.input)
	}
	if got := d.task(a); got.Status != "pending" || got.Owner != "" {
		t.Errorf("a refused claim changed the task to %+v", got)
	}
}

// The flags decide what runs beside what and what is run again.
func TestTaskFlags(t *testing.T) {
	for _, tool := range tools.Tasks() {
		look := tool.Name == "task_list" || tool.Name == "task_get"
		if tool.ReadOnly != look || tool.Idempotent != (look || tool.Name == "task_depend") {
			t.Errorf("%s: ReadOnly %v, Idempotent %v", tool.Name, tool.ReadOnly, tool.Idempotent)
		}
	}
}

func ExampleTasks() {
	machine := env.Env{Clock: env.RealClock(), FS: sim.NewWorld(1).Files("session"), Probe: env.NoProbe{}}
	reg, err := tools.NewRegistry(tools.Tasks()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range [][2]string{
		{"task_create", `{"subject":"Write the parser"}`},
		{"task_create", `{"subject":"Test the parser","priority":9,"blockedBy":["task_94bf5b05"]}`},
		{"task_claim", `{"id":"task_25296861","owner":"ann"}`},
		{"task_claim", `{"id":"task_94bf5b05","owner":"ann"}`},
		{"task_complete", `{"id":"task_94bf5b05","owner":"ann"}`},
		{"task_list", `{}`},
	} {
		tool, _ := reg.Lookup(c[0])
		out := tools.Execute(context.Background(), machine, tool,
			tools.Call{ID: fmt.Sprintf("c%d", i+1), Name: c[0], Input: []byte(c[1])}, tools.Options{})
		fmt.Println(strings.TrimSpace(out.Code + " " + out.Text))
	}
	// Output:
	// Created task_94bf5b05 (Write the parser). It is pending, with priority 5.
	// Created task_25296861 (Test the parser). It is pending, with priority 9. It can be claimed when these are completed: task_94bf5b05.
	// task_blocked task_25296861 (Test the parser) cannot be claimed: it waits for task_94bf5b05 (pending). Complete that first, or use task_list with the status ready to find another.
	// task_94bf5b05 (Write the parser) is in progress now and owned by ann.
	// Completed task_94bf5b05 (Write the parser). Now ready to be claimed:
	// task_25296861 (Test the parser)
	// task_25296861  p9  pending, ready to be claimed: Test the parser
	// task_94bf5b05  p5  completed, owned by ann: Write the parser
}
