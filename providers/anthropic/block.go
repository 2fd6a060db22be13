package anthropic

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// block decodes one content block of an answer. Input is the raw JSON that
// stands there, {} too. Raw is kept where the neutral fields cannot say all
// that the block says and the API wants it back.
func (c *codec) block(what string, v []byte) (*providers.Block, error) {
	if !isKind(v, '{') {
		return nil, mistyped(what, v, "an object")
	}
	var typ, text, thinking, signature, id, name, input, answers []byte
	more := false
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "type":
			typ = m.value
		case "text":
			text = m.value
		case "thinking":
			thinking = m.value
		case "signature":
			signature = m.value
		case "id":
			id = m.value
		case "name":
			name = m.value
		case "input":
			input = m.value
		case "tool_use_id":
			answers = m.value
		case "caller":
			// Every call has one since 2025; the direct one says nothing.
			more = more || !isDirect(m.value)
		default:
			more = true
		}
	}
	kind, err := c.arena.text(what+".type", typ)
	if err != nil {
		return nil, err
	}
	b := &providers.Block{}
	read := func(field *string, name string, v []byte) {
		if err == nil {
			*field, err = c.arena.textOr(what+"."+name, v)
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
		if !absent(input) {
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
	if !isKind(v, '{') {
		return absent(v)
	}
	for m := members(v); m.next(); {
		if string(m.name) != "type" || string(m.value) != `"direct"` {
			return false
		}
	}
	return true
}
