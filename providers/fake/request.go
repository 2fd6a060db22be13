package fake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// request is a request as scripts speak of it: the neutral view, with the body
// and the headers beside it.
type request struct {
	neutral providers.Request
	body    []byte
	header  http.Header
	tokens  int // estimate of the prompt's length
	form    form
	// names maps a call's id on the wire to its id in the script, where the
	// two differ: a loop may send its own id in place of an illegal or a used
	// one, and some protocols have no ids.
	names map[string]string
}

// scriptID is the id a script knows a call by.
func (q *request) scriptID(wireID string) string {
	if id, ok := q.names[wireID]; ok {
		return id
	}
	return wireID
}

// results returns the script ids of the results after the last assistant
// message, in order.
func (q *request) results() []string {
	var out []string
	for _, m := range q.neutral.Messages {
		if m.Role == providers.Assistant {
			out = nil
		}
		for _, b := range m.Blocks {
			if b.Kind == providers.ToolResult {
				out = append(out, q.scriptID(b.ID))
			}
		}
	}
	return out
}

// result and call find the last block with the script id; ID#N is the N-th.
func (q *request) result(id string) *providers.Block { return q.find(providers.ToolResult, id) }
func (q *request) call(id string) *providers.Block   { return q.find(providers.ToolCall, id) }

func (q *request) find(kind providers.BlockKind, id string) *providers.Block {
	var found []*providers.Block
	nth := 0
	if base, n, ok := strings.Cut(id, "#"); ok {
		if nth, _ = strconv.Atoi(n); nth > 0 {
			id = base
		}
	}
	for i := range q.neutral.Messages {
		for j := range q.neutral.Messages[i].Blocks {
			if b := &q.neutral.Messages[i].Blocks[j]; b.Kind == kind && q.scriptID(b.ID) == id {
				found = append(found, b)
			}
		}
	}
	switch {
	case nth > len(found) || len(found) == 0:
		return nil
	case nth > 0:
		return found[nth-1]
	}
	return found[len(found)-1]
}

// keys returns the keys of a map in order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
