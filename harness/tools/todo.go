package tools

import (
	"context"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// TodoItem is one item of a todo list.
type TodoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress or completed
}

// Limits of a todo list (K3).
const (
	maxTodos    = 100
	maxTodoText = 500 // bytes
)

// Todo returns the tool todo, by which a model keeps a list of what it is
// about: each call gives the whole list and replaces the one before. Nothing is
// kept here: the input of the last call that is done, in the transcript, is the
// list, and TodoItems reads it.
//
// It is not ReadOnly, though it touches nothing: of two lists in one turn the
// second must be the one that counts, and a list of an answer that is
// discarded none (C6).
func Todo() Tool {
	return Tool{
		Name: "todo",
		Description: "Writes your list of what is to be done. Give the whole list each time: it replaces the one before. " +
			"At most one item is in_progress; mark an item completed as soon as it is.",
		Schema: `{"type":"object","properties":{
			"items":{"type":"array","maxItems":100,"items":{"type":"object","properties":{
				"text":{"type":"string","minLength":1,"maxLength":500,"description":"at most 500 bytes"},
				"status":{"enum":["pending","in_progress","completed"]}},
				"required":["text","status"],"additionalProperties":false}}},
			"required":["items"],"additionalProperties":false}`,
		Idempotent: true,
		Aside:      true,
		Run: func(ctx context.Context, c Call) (Output, error) {
			items, err := TodoItems(c.Input)
			if err != nil {
				return Output{}, err
			}
			return Output{Text: renderTodos(items)}, nil
		},
	}
}

// TodoItems reads the input of a call of todo. The error is an *Error and says
// what is wrong with the list.
func TodoItems(input []byte) ([]TodoItem, error) {
	var in struct {
		Items []TodoItem `json:"items"`
	}
	if err := jsonv2.Unmarshal(input, &in, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, failf(CodeInvalid, `The list could not be read. Send {"items":[{"text":"...","status":"pending"}]}.`)
	}
	if len(in.Items) > maxTodos {
		return nil, failf(CodeInvalid, "The list has %d items, and %d is the most. Leave out what is completed, or put small steps together.", len(in.Items), maxTodos)
	}
	active := 0 // the item in progress
	for i, it := range in.Items {
		n := i + 1
		switch {
		case strings.TrimSpace(it.Text) == "":
			return nil, failf(CodeInvalid, "Item %d has no text. Say what is to be done, or leave it out.", n)
		case len(it.Text) > maxTodoText:
			return nil, failf(CodeInvalid, "The text of item %d has %d bytes, and %d is the most. Shorten it.", n, len(it.Text), maxTodoText)
		case it.Status != taskPending && it.Status != taskInProgress && it.Status != taskCompleted:
			return nil, failf(CodeInvalid, "The status of item %d is %s. Use pending, in_progress or completed.", n, show(it.Status))
		case it.Status == taskInProgress && active > 0:
			return nil, failf(CodeInvalid, "Items %d and %d are both in_progress, and at most one can be. Let the other be pending or completed.", active, n)
		case it.Status == taskInProgress:
			active = n
		}
	}
	return in.Items, nil
}

// renderTodos shows the list as it counts now, each item in a short line.
func renderTodos(items []TodoItem) string {
	if len(items) == 0 {
		return "The list is empty."
	}
	var b strings.Builder
	done := 0
	for _, it := range items {
		mark := " "
		switch it.Status {
		case taskInProgress:
			mark = ">"
		case taskCompleted:
			mark = "x"
			done++
		}
		fmt.Fprintf(&b, "\n[%s] %s", mark, line(it.Text, 100))
	}
	return fmt.Sprintf("%d of %s completed.", done, count(len(items), "item")) + b.String()
}
