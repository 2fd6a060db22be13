package invariants_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// answer is one reply of the model.
type answer struct {
	text   string
	think  string
	calls  []tc
	stop   string              // "": derived; "none": no stop reason
	ending string              // "": eof, whole; "cut": eof before the end; "reset"; "error"
	status int                 // of an HTTP error; its message is text
	typ    string              // and its type
	head   map[string][]string // of the answer
}

// tc is one call of an answer.
type tc struct {
	id, name, input string
	open            bool // its block is never closed
}

func (a answer) stopReason() string {
	switch {
	case a.stop != "":
		return a.stop
	case len(a.calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// sse renders the reply.
func (a answer) sse() []byte {
	var s strings.Builder
	ev := func(name string, v any) {
		j, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&s, "event: %s\ndata: %s\n\n", name, j)
	}
	type m = map[string]any
	ev("message_start", m{"type": "message_start", "message": m{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil,
		"usage": m{"input_tokens": 10, "output_tokens": 1}}})
	n := 0
	block := func(start m, open bool, deltas ...m) {
		ev("content_block_start", m{"type": "content_block_start", "index": n, "content_block": start})
		for _, d := range deltas {
			ev("content_block_delta", m{"type": "content_block_delta", "index": n, "delta": d})
		}
		if !open {
			ev("content_block_stop", m{"type": "content_block_stop", "index": n})
		}
		n++
	}
	if a.think != "" {
		block(m{"type": "thinking", "thinking": "", "signature": ""}, false, m{"type": "thinking_delta", "thinking": a.think}, m{"type": "signature_delta", "signature": "sig"})
	}
	if a.text != "" {
		half := len(a.text) / 2
		for half < len(a.text) && a.text[half]&0xC0 == 0x80 {
			half++
		}
		block(m{"type": "text", "text": ""}, false, m{"type": "text_delta", "text": a.text[:half]}, m{"type": "text_delta", "text": a.text[half:]})
	}
	for _, c := range a.calls {
		block(m{"type": "tool_use", "id": c.id, "name": c.name, "input": m{}}, c.open, m{"type": "input_json_delta", "partial_json": c.input})
	}
	if a.ending != "" {
		if a.ending == "error" {
			ev("error", m{"type": "error", "error": m{"type": "overloaded_error", "message": "Overloaded"}})
		}
		return []byte(s.String())
	}
	delta := m{"stop_reason": a.stopReason()}
	if a.stop == "none" {
		delta = m{}
	}
	ev("message_delta", m{"type": "message_delta", "delta": delta, "usage": m{"output_tokens": 5}})
	ev("message_stop", m{"type": "message_stop"})
	return []byte(s.String())
}

// blocks are the blocks that a loop commits.
func (a answer) blocks() []providers.Block {
	var list []providers.Block
	if a.think != "" {
		list = append(list, providers.Block{Kind: providers.Thinking, Text: a.think, Signature: "sig"})
	}
	if a.text != "" {
		list = append(list, providers.Block{Kind: providers.Text, Text: a.text})
	}
	for _, c := range a.calls {
		list = append(list, providers.Block{Kind: providers.ToolCall, ID: c.id, Name: c.name, Input: c.input, Open: c.open})
	}
	return list
}
