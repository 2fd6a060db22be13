package cells

import (
	"fmt"
	"slices"
	"strings"
)

// Axis is one property of an answer and its values, in the order of the matrix.
type Axis struct {
	Name   string
	Values []string
	Says   string // what is varied
}

// Axes returns the axes in the order in which a cell's name has their values.
func Axes() []Axis {
	return []Axis{
		{"stop", []string{"end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal", "context_window", missing, null, unknown},
			"the stop reason: missing is never sent, null is sent as null, unknown is a word that nobody knows"},
		{"content", []string{nothing, text, thinking, call, twoCalls, serverCall, serverResult, serverText, textCall},
			"the blocks of the answer; server-result is a call that the provider ran, with its result, and server-text has a text behind both"},
		{"last", []string{closed, open, cutParses, cutBroken},
			"the last block: whole, never closed, or closed behind an input that was cut short, which parses or does not"},
		{"terminal", []string{present, eof, reset, failed},
			"the protocol's terminal event: there, or in its place a clean end, a reset, an error event"},
		{"order", []string{first, middle, last},
			"where the stop reason stands: before the blocks, between them (of a single block: before its end), behind them"},
		{"protocol", []string{anthropic, "chat", "responses", "gemini"}, "the wire protocol"},
		{"rungs", []string{full, raised, spent},
			"what is left of the ladder: everything, everything but the escalation, nothing (and no further turn)"},
	}
}

// The values that code asks for.
const (
	missing = "missing"
	null    = "null"
	unknown = "unknown"

	nothing      = "nothing"
	text         = "text"
	thinking     = "thinking"
	call         = "call"
	twoCalls     = "two-calls"
	serverCall   = "server-call"
	serverResult = "server-result"
	serverText   = "server-text"
	textCall     = "text-call"

	closed    = "closed"
	open      = "open"
	cutParses = "cut-parses"
	cutBroken = "cut-broken"

	present = "present"
	eof     = "eof"
	reset   = "reset"
	failed  = "error"

	first  = "first"
	middle = "middle"
	last   = "last"

	anthropic = "anthropic"

	full   = "full"
	raised = "raised"
	spent  = "spent"
)

// Cell is one combination: a value of each axis.
type Cell struct {
	Stop, Content, Last, Terminal, Order, Protocol, Rungs string
}

func (c *Cell) fields() []*string {
	return []*string{&c.Stop, &c.Content, &c.Last, &c.Terminal, &c.Order, &c.Protocol, &c.Rungs}
}

// Name is the cell's values in the order of Axes, joined by dots.
func (c Cell) Name() string {
	var words []string
	for _, f := range c.fields() {
		words = append(words, *f)
	}
	return strings.Join(words, ".")
}

// Parse reads a name: one value of each axis, in order. The combination may be
// one that is no cell; Why says so.
func Parse(name string) (Cell, error) {
	var c Cell
	words, axes := strings.Split(name, "."), Axes()
	if len(words) != len(axes) {
		var names []string
		for _, a := range axes {
			names = append(names, a.Name)
		}
		return Cell{}, fmt.Errorf("%q is no name of a cell: it has %d words and not %d, %s, with dots between them", name, len(words), len(axes), strings.Join(names, ", "))
	}
	for i, f := range c.fields() {
		if !slices.Contains(axes[i].Values, words[i]) {
			return Cell{}, fmt.Errorf("%q is no name of a cell: word %d is %s, and %q is none of %s", name, i+1, axes[i].Name, words[i], strings.Join(axes[i].Values, ", "))
		}
		*f = words[i]
	}
	return c, nil
}

// single reports whether the answer has one block.
func (c Cell) single() bool {
	return c.Content == text || c.Content == thinking || c.Content == call || c.Content == serverCall
}

// calls are the script's ids of the client calls, in order.
func (c Cell) calls() []string {
	switch c.Content {
	case call, textCall:
		return []string{"a"}
	case twoCalls:
		return []string{"a", "b"}
	}
	return nil
}
