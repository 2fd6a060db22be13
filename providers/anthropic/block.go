package anthropic

import (
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// block decodes one content block of an answer. Input is the raw JSON that
// stands there, {} too. Raw is kept where the neutral fields cannot say all
// that the block says and the API wants it back.
func (c *codec) block(what string, v []byte) (*providers.Block, error) {
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped(what, v, "an object")
	}
	var typ, text, thinking, signature, id, name, input, answers []byte
	more := false
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "type":
			typ = m.Value
		case "text":
			text = m.Value
		case "thinking":
			thinking = m.Value
		case "signature":
			signature = m.Value
		case "id":
			id = m.Value
		case "name":
			name = m.Value
		case "input":
			input = m.Value
		case "tool_use_id":
			answers = m.Value
		case "caller":
			// Every call has one since 2025; the direct one says nothing.
			more = more || !isDirect(m.Value)
		default:
			more = true
		}
	}
	kind, err := c.arena.Text(what+".type", typ)
	if err != nil {
		return nil, err
	}
	b := &providers.Block{}
	read := func(field *string, name string, v []byte) {
		if err == nil {
			*field, err = c.arena.TextOr(what+"."+name, v)
		}
	}
	switch {
	case kind == "text":
		b.Kind = providers.Text
		read(&b.Text, "text", text)
	case kind == "thinking":
		b.Kind = providers.Thinking
		read(&b.Text, "thinking", thinking)
		read(&b.Signature, "signature", signature)
	case kind == "tool_use", kind == "server_tool_use", kind == "mcp_tool_use":
		b.Kind = providers.ServerCall
		if kind == "tool_use" {
			b.Kind = providers.ToolCall
		}
		read(&b.ID, "id", id)
		read(&b.Name, "name", name)
		if !strict.Absent(input) {
			b.Input = string(input)
		}
		if more || kind == "mcp_tool_use" {
			b.Raw = string(v)
		}
	case kind == "image":
		b.Kind, b.Raw = providers.Image, string(v)
	case strings.HasSuffix(kind, "_tool_result"):
		b.Kind, b.Raw = providers.ServerResult, string(v)
		read(&b.ID, "tool_use_id", answers)
	default: // redacted_thinking, compaction, fallback, and what comes next year
		b.Kind, b.Raw = providers.Opaque, string(v)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

func isDirect(v []byte) bool {
	if !strict.IsKind(v, '{') {
		return strict.Absent(v)
	}
	for m := strict.Members(v); m.Next(); {
		if string(m.Name) != "type" || string(m.Value) != `"direct"` {
			return false
		}
	}
	return true
}
