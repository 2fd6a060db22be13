package gate_test

import (
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/gate"
)

func TestCheckTodos(t *testing.T) {
	many := func(n int, status string) []gate.Todo {
		l := make([]gate.Todo, n)
		for i := range l {
			l[i] = gate.Todo{Text: "x", Status: status}
		}
		return l
	}
	for _, c := range []struct {
		todos []gate.Todo
		want  string // of the error; "" for none
	}{
		{nil, ""},
		{many(gate.TodosMost, gate.Pending), ""},
		{many(gate.TodosMost, gate.Completed), ""},
		{many(gate.TodosMost+1, gate.Pending), "has 101 todos: at most 100"},
		{many(1, gate.InProgress), ""},
		{many(2, gate.InProgress), "todos 1 and 2 are both in_progress"},
		{[]gate.Todo{{"a", gate.InProgress}, {"b", gate.Pending}, {"c", gate.InProgress}}, "todos 1 and 3 are both in_progress"},
		{many(2, "done"), `the status of todo 1 is "done"`},
		{many(1, ""), `the status of todo 1 is ""`},
		{[]gate.Todo{{"a", gate.Pending}, {" \n", gate.Pending}}, "todo 2 has no text"},
		{[]gate.Todo{{strings.Repeat("x", gate.TodoTextMost), gate.Pending}}, ""},
		{[]gate.Todo{{strings.Repeat("x", gate.TodoTextMost+1), gate.Pending}}, "todo 1 has 501 bytes"},
		{[]gate.Todo{{strings.Repeat("ä", 251), gate.Pending}}, "todo 1 has 502 bytes"},
	} {
		err := gate.CheckTodos(c.todos)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%.80v: %v", c.todos, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%.80v: %v, want %q", c.todos, err, c.want)
		}
	}
}
