package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
)

// What a deleted dependency means: nobody can say that it was done.
func TestTaskDependencyDeleted(t *testing.T) {
	d := simDesk(t)
	a := d.create(`{"subject":"a"}`)
	b := d.create(`{"subject":"b","blockedBy":["%s"]}`, a)
	if err := d.e.FS.Remove(d.file(a)); err != nil {
		t.Fatal(err)
	}
	d.want("task_blocked", a+" (missing)", "task_claim", `{"id":"%s","owner":"ann"}`, b)
	d.want("", "waits for "+a+" (missing)", "task_list", `{}`)
	d.want("", "waits for "+a+" (missing)", "task_get", `{"id":"%s"}`, b)
	d.want("not_found", "There is no task "+a, "task_get", `{"id":"%s"}`, a)
	d.want("", "Added 1", "task_depend", `{"id":"%s","blockedBy":["%s"]}`, d.create(`{"subject":"c"}`), b)
}

// A file that is torn or foreign gets one clear sentence, keeps what waits for
// it waiting, and is never written to.
func TestTaskDamaged(t *testing.T) {
	whole := func(id, change string) string {
		from, to, _ := strings.Cut(change, "=>")
		return strings.Replace(`{"id":"`+id+`","subject":"s","description":"","status":"pending","priority":5,"owner":"","blockedBy":[]}`, from, to, 1)
	}
	for _, c := range []struct{ content, why string }{
		{"", "is empty"},
		{"{\"id\":\"task_", "is not complete JSON: it ends after 12 bytes"},
		{"\x00\x00\x00", "is not valid JSON"},
		{"[]", "is an array, not a JSON object"},
		{whole("ID", "") + "{}", "is more than one JSON value"},
		{whole("ID", `"subject":"s"=>"subject":"s","subject":"t"`), "names the key \"subject\" twice"},
		{whole("ID", `"owner":""=>"owner":"","worktree":"w"`), "does not have the fields of a task (look at /worktree)"},
		{whole("ID", `"priority":5=>"priority":"5"`), "does not have the fields of a task (look at /priority)"},
		{whole("ID", `"priority":5=>"priority":11`), "its priority is not one of 0 to 10"},
		{whole("ID", `"status":"pending"=>"status":"done"`), "its status is not pending"},
		{whole("ID", `"status":"pending"=>"status":"in_progress"`), "its owner is not a name"},
		{whole("ID", `"owner":""=>"owner":"ann"`), "its owner is set while its status is pending"},
		{whole("ID", `"blockedBy":[]=>"blockedBy":["../x"]`), "its blockedBy names ../x, which is no id"},
		{whole("ID", `"blockedBy":[]=>"blockedBy":["ID"]`), "is the task itself"},
		{whole("ID", `"blockedBy":[]=>"blockedBy":["task_00000000","task_00000000"]`), "is named twice"},
		{whole("ID", `"subject":"s"=>"subject":" "`), "its subject is blank"},
		{whole("task_ffffffff", ""), "holds another task, task_ffffffff"},
		{strings.Repeat(" ", 1<<20) + whole("ID", ""), "larger than any task"},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := simDesk(t)
			a := d.create(`{"subject":"a"}`)
			b := d.create(`{"subject":"b","blockedBy":["%s"]}`, a)
			e := d.create(`{"subject":"e"}`)
			content := strings.ReplaceAll(c.content, "ID", a)
			d.put(d.file(a), content)
			why := strings.ReplaceAll(c.why, "ID", a)
			for tool, input := range map[string]string{
				"task_get":      `{"id":"` + a + `"}`,
				"task_claim":    `{"id":"` + a + `","owner":"ann"}`,
				"task_complete": `{"id":"` + a + `","owner":"ann"}`,
				"task_depend":   `{"id":"` + a + `","blockedBy":["` + e + `"]}`,
				"task_create":   `{"subject":"x","blockedBy":["` + a + `"]}`,
			} {
				d.want("task_damaged", why, tool, "%s", input)
				d.want("task_damaged", "It is left as it is", tool, "%s", input)
			}
			d.want("task_damaged", why, "task_depend", `{"id":"%s","blockedBy":["%s"]}`, e, b) // by way of b
			d.want("task_blocked", a+" (damaged)", "task_claim", `{"id":"%s","owner":"ann"}`, b)
			d.want("", why, "task_list", `{}`)
			d.want("", "", "task_claim", `{"id":"%s","owner":"ann"}`, e)
			d.want("", "1 file could not be read as tasks", "task_complete", `{"id":"%s","owner":"ann"}`, e)
			if got := d.read(d.file(a)); got != content {
				t.Errorf("the file was changed to %q", got)
			}
		})
	}
}

// Files that were written before tasks had a priority, or by hand, are tasks.
func TestTaskFewerFields(t *testing.T) {
	d := simDesk(t)
	d.create(`{"subject":"a"}`)
	d.put("tasks/task_00000001.json", `{"id":"task_00000001","subject":"by hand","status":"pending"}`)
	d.want("", "task_00000001  p5  pending, ready to be claimed: by hand", "task_list", `{}`)
	d.want("", "owned by ann", "task_claim", `{"id":"task_00000001","owner":"ann"}`)
}

func TestTaskIDs(t *testing.T) {
	d := simDesk(t)
	d.create(`{"subject":"a"}`)
	for _, id := range []string{"../x", "task_../../x", "task_0000000", "task_000000000", "task_0000000G", "task_0000000A", "TASK_00000000", "task_00000000.json", "", "/etc/passwd", "task_00000000\x00", "task_00000000\n"} {
		b, _ := json.Marshal(id)
		for _, tool := range tools.Tasks() {
			input := fmt.Sprintf(`{"id":%s,"owner":"ann","blockedBy":[%s]}`, b, b)
			if tool.Name == "task_list" || tool.Name == "task_create" {
				continue
			}
			// Without the check of the schema, too: the id becomes a file's name.
			_, err := tool.Run(context.Background(), tools.Call{ID: "c1", Name: tool.Name, Input: []byte(input), Env: d.e})
			if e, ok := err.(*tools.Error); !ok || e.Code != "invalid_arguments" || !strings.Contains(e.Text, "is not the id of a task") {
				t.Errorf("%s %q: %v", tool.Name, id, err)
			}
		}
		d.want("invalid_arguments", "must match the pattern", "task_get", `{"id":%s}`, b)
		d.want("invalid_arguments", "must match the pattern", "task_create", `{"subject":"x","blockedBy":[%s]}`, b)
	}
}

// A new task takes an id that nothing uses, derived from its call: the same
// calls make the same ids. A file is never overwritten, whatever it is.
func TestTaskIDIsFree(t *testing.T) {
	var ids []string
	for again := range 2 {
		d := simDesk(t)
		for n := range 100 {
			d.n = 0
			switch id := d.create(`{"subject":"a"}`); {
			case again == 0:
				ids = append(ids, id)
			case ids[n] != id:
				t.Fatalf("the same calls made %s and %s", ids[n], id)
			}
		}
	}
	d := simDesk(t)
	if err := d.e.FS.MkdirAll("tasks"); err != nil {
		t.Fatal(err)
	}
	for n, id := range ids[:98] {
		if n%2 == 0 {
			d.put(d.file(id), "foreign")
		} else if err := d.e.FS.MkdirAll(d.file(id)); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range ids[98:] {
		d.n = 0
		if got := d.create(`{"subject":"a"}`); got != want {
			t.Errorf("made %s, want %s", got, want)
		}
	}
	d.n = 0
	d.want("task_ids_used_up", "No free id was found for the task in 100 tries", "task_create", `{"subject":"x"}`)
	for n, id := range ids[:98] {
		if n%2 == 0 && d.read(d.file(id)) != "foreign" {
			t.Errorf("the file of %s was overwritten", id)
		}
	}
}

// realDesk sits at a real disk.
func realDesk(t testing.TB, dir string) *desk {
	e, err := env.Real(dir)
	if err != nil {
		t.Fatal(err)
	}
	return newDesk(t, e)
}

// Links, pipes and folders are refused where a task belongs, and what a link
// leads to is neither read nor written (H6).
func TestTaskLinks(t *testing.T) {
	dir := t.TempDir()
	d := realDesk(t, filepath.Join(dir, "s"))
	a := d.create(`{"subject":"a"}`)
	b := d.create(`{"subject":"b"}`)
	outside := filepath.Join(dir, "outside.json")
	secret := strings.ReplaceAll(d.read(d.file(a)), `"a"`, `"secret"`)
	if err := os.WriteFile(outside, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "s", "tasks", a+".json")
	for what, put := range map[string]func() error{
		"a symbolic link": func() error { return os.Symlink(outside, at) },
		"a folder":        func() error { return os.Mkdir(at, 0o700) },
	} {
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		d.want("not_regular", what, "task_get", `{"id":"%s"}`, a)
		d.want("not_regular", what, "task_claim", `{"id":"%s","owner":"ann"}`, a)
		d.want("not_regular", what, "task_depend", `{"id":"%s","blockedBy":["%s"]}`, b, a)
		if _, text := d.call("task_list", `{}`); !strings.Contains(text, what) || strings.Contains(text, "secret") {
			t.Errorf("the list says %s", text)
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != secret {
		t.Errorf("the file that the link leads to was changed to %q", got)
	}

	// The whole folder as a link, or as a file.
	folder := filepath.Join(dir, "s", "tasks")
	if err := os.Rename(folder, folder+".old"); err != nil {
		t.Fatal(err)
	}
	d.want("not_found", "There is no task", "task_claim", `{"id":"%s","owner":"ann"}`, b)
	d.want("not_found", "There is no task", "task_get", `{"id":"%s"}`, b)
	if _, err := os.Lstat(folder); err == nil {
		t.Error("a look at tasks made the folder")
	}
	for _, put := range []func() error{
		func() error { return os.Symlink("tasks.old", folder) },
		func() error { return os.WriteFile(folder, []byte("x"), 0o600) },
	} {
		if err := put(); err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]string{
			{"task_list", `{}`}, {"task_get", `{"id":"` + b + `"}`}, {"task_create", `{"subject":"x"}`}, {"task_claim", `{"id":"` + b + `","owner":"ann"}`},
		} {
			d.want("not_regular", "is not a folder", c[0], "%s", c[1])
		}
		if err := os.Remove(folder); err != nil {
			t.Fatal(err)
		}
	}
	// What the tools write to themselves.
	if err := os.Rename(folder+".old", folder); err != nil {
		t.Fatal(err)
	}
	for _, own := range []string{".new", ".lock"} {
		own := filepath.Join(folder, own)
		os.Remove(own)
		if err := os.Symlink(outside, own); err != nil {
			t.Fatal(err)
		}
		d.want("not_regular", "symbolic link", "task_claim", `{"id":"%s","owner":"ann"}`, b)
		if got, _ := os.ReadFile(outside); string(got) != secret {
			t.Errorf("the file that %s leads to was changed", own)
		}
		os.Remove(own)
	}
	d.want("", "owned by ann", "task_claim", `{"id":"%s","owner":"ann"}`, b)
}
