package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/tools"
)

func TestTodo(t *testing.T) {
	item := func(text, status string) string {
		b, _ := json.Marshal(tools.TodoItem{Text: text, Status: status})
		return string(b)
	}
	list := func(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }
	many := func(n int) string {
		return list(strings.Split(strings.Repeat(item("x", "pending")+"\n", n-1)+item("x", "pending"), "\n")...)
	}
	for _, c := range []struct{ name, input, code, text string }{
		{"empty", list(), "", "The list is empty."},
		{"all sorts", list(item("read", "completed"), item("write", "in_progress"), item("test\n it", "pending")), "",
			"1 of 3 items completed.\n[x] read\n[>] write\n[ ] test it"},
		{"one", list(item("read", "pending")), "", "0 of 1 item completed.\n[ ] read"},
		{"long text is shown short", list(item(strings.Repeat("x", 500), "pending")), "", "[ ] " + strings.Repeat("x", 100) + "..."},
		{"two in progress", list(item("a", "in_progress"), item("b", "pending"), item("c", "in_progress")), "invalid_arguments", "Items 1 and 3 are both in_progress"},
		{"501 bytes", list(item("a", "pending"), item(strings.Repeat("x", 501), "pending")), "invalid_arguments", "501"},
		{"501 bytes in fewer characters", list(item("a", "pending"), item(strings.Repeat("é", 250)+"x", "pending")), "invalid_arguments", "The text of item 2 has 501 bytes, and 500 is the most"},
		{"500 bytes", list(item(strings.Repeat("é", 250), "pending")), "", "[ ] éé"},
		{"100 items", many(100), "", "0 of 100 items"},
		{"101 items", many(101), "invalid_arguments", "at most 100 items"},
		{"blank", list(item(" ", "pending")), "invalid_arguments", "Item 1 has no text"},
		{"unknown status", list(item("x", "done")), "invalid_arguments", "must be one of"},
		{"no status", `{"items":[{"text":"x"}]}`, "invalid_arguments", "status is missing"},
		{"no items", `{}`, "invalid_arguments", "items is missing"},
		{"a list", `[]`, "invalid_arguments", "not a JSON object"},
		{"more keys", `{"items":[],"merge":true}`, "invalid_arguments", "merge is not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := simDesk(t)
			code, text := d.call("todo", "%s", c.input)
			if code != c.code || !strings.Contains(text, c.text) {
				t.Errorf("got %q %s\nwant %q %s", code, text, c.code, c.text)
			}
			if entries, err := d.e.FS.ReadDir("."); err != nil || len(entries) > 0 {
				t.Errorf("it keeps something: %v %v", entries, err)
			}
		})
	}
	// Without the check of the schema, too: whoever reads a transcript has none.
	if _, err := tools.TodoItems([]byte(many(101))); err == nil || !strings.Contains(err.Error(), "The list has 101 items, and 100 is the most") {
		t.Errorf("101 items: %v", err)
	}
	if tool := tools.Todo(); tool.ReadOnly || !tool.Idempotent {
		t.Errorf("ReadOnly %v, Idempotent %v", tool.ReadOnly, tool.Idempotent)
	}
}

// What the tool takes, TodoItems reads, and the other way round; whatever is in
// the list, the tool comes back with few bytes or with an Error.
func TestTodoItems(t *testing.T) {
	tool := tools.Todo()
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tools.TodoItem {
			return tools.TodoItem{
				Text:   strings.Repeat(rapid.StringN(0, 8, -1).Draw(t, "text"), rapid.SampledFrom([]int{1, 1, 1, 30, 70}).Draw(t, "times")),
				Status: rapid.SampledFrom([]string{"pending", "completed", "completed", "in_progress", "pending", "done"}).Draw(t, "status"),
			}
		}), 0, rapid.SampledFrom([]int{2, 5, 110}).Draw(t, "most")).Draw(t, "items")
		input, err := json.Marshal(map[string]any{"items": items})
		if err != nil {
			t.Fatal(err)
		}
		good, active := len(items) <= 100, 0
		for _, it := range items {
			if it.Status == "in_progress" {
				active++
			}
			good = good && strings.TrimSpace(it.Text) != "" && len(it.Text) <= 500 && it.Status != "done"
		}
		good = good && active <= 1
		got, err := tools.TodoItems(input)
		out, runErr := tool.Run(context.Background(), tools.Call{Name: "todo", Input: input})
		if (err == nil) != good || (runErr == nil) != good {
			t.Fatalf("good is %v; TodoItems: %v; Run: %v", good, err, runErr)
		}
		if !good {
			for _, err := range []error{err, runErr} {
				if e := (*tools.Error)(nil); !errors.As(err, &e) || e.Code != tools.CodeInvalid || !strings.HasSuffix(e.Text, ".") {
					t.Fatalf("%v", err)
				}
			}
			return
		}
		if fmt.Sprint(got) != fmt.Sprint(items) || len(out.Text) > 12_000 {
			t.Fatalf("read %v of %v; %d bytes", got, items, len(out.Text))
		}
	})
}

func ExampleTodo() {
	out, err := tools.Todo().Run(context.Background(), tools.Call{Name: "todo", Input: []byte(
		`{"items":[{"text":"Read the code","status":"completed"},{"text":"Fix the bug","status":"in_progress"},{"text":"Run the tests","status":"pending"}]}`)})
	fmt.Println(out.Text, err)
	// Output:
	// 1 of 3 items completed.
	// [x] Read the code
	// [>] Fix the bug
	// [ ] Run the tests <nil>
}
