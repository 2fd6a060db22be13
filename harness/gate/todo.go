package gate

import (
	"fmt"
	"strings"
)

// The states of a todo.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
)

// Limits of a todo list (K3).
const (
	TodosMost    = 100
	TodoTextMost = 500 // bytes
)

// Todo is an item of the list that a model keeps and overwrites as a whole.
type Todo struct {
	Text   string
	Status string
}

// CheckTodos says what is wrong with a list: nil, or one sentence (K3).
func CheckTodos(items []Todo) error {
	if len(items) > TodosMost {
		return fmt.Errorf("the list has %d todos: at most %d are kept", len(items), TodosMost)
	}
	active := 0 // the item in progress
	for i, it := range items {
		n := i + 1
		switch {
		case strings.TrimSpace(it.Text) == "":
			return fmt.Errorf("todo %d has no text: say what is to be done, or leave it out", n)
		case len(it.Text) > TodoTextMost:
			return fmt.Errorf("the text of todo %d has %d bytes: at most %d are kept", n, len(it.Text), TodoTextMost)
		case it.Status == Pending, it.Status == Completed:
		case it.Status != InProgress:
			return fmt.Errorf("the status of todo %d is %q: it must be %s, %s or %s", n, clip(it.Status, 40), Pending, InProgress, Completed)
		case active > 0:
			return fmt.Errorf("todos %d and %d are both %s: at most one can be", active, n, InProgress)
		default:
			active = n
		}
	}
	return nil
}
