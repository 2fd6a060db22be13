package gate

// The states of a todo.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Completed  = "completed"
)

// Todo is an item of the list that a model keeps and overwrites as a whole. A
// list was checked by the tool that took it (tools.TodoItems).
type Todo struct {
	Text   string
	Status string
}
