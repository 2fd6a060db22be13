package openai

import (
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// responsesHead appends everything of a request up to its first item. Nothing is
// stored: every request tells the whole conversation. A tool says strict false,
// or the API would change its schema.
func (e *Encoder) responsesHead(dst []byte, req *providers.Request) []byte {
	dst = strict.AppendString(append(dst, `{"model":`...), req.Model)
	if req.System != "" {
		dst = strict.AppendString(append(dst, `,"instructions":`...), req.System)
	}
	if req.MaxTokens != 0 {
		dst = strconv.AppendInt(append(dst, `,"max_output_tokens":`...), int64(req.MaxTokens), 10)
	}
	if req.Stream {
		dst = append(dst, `,"stream":true`...)
	}
	dst = append(dst, `,"store":false`...)
	if e.Options.Encrypted {
		dst = append(dst, `,"include":["reasoning.encrypted_content"]`...)
	}
	if len(req.Tools) > 0 {
		dst = append(dst, `,"tools":[`...)
		for i := range req.Tools {
			t := &req.Tools[i]
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strict.AppendString(append(dst, `{"type":"function","name":`...), t.Name)
			if t.Description != "" {
				dst = strict.AppendString(append(dst, `,"description":`...), t.Description)
			}
			dst = append(dst, `,"parameters":`...)
			if t.Schema == "" {
				dst = append(dst, "null"...)
			} else {
				dst = strict.AppendObject(dst, t.Schema)
			}
			dst = append(dst, `,"strict":false}`...)
		}
		dst = append(dst, ']')
	}
	return append(dst, `,"input":[`...)
}

// responsesMessage appends one message as the items that say it in Responses, in
// the order of its blocks: texts that follow each other are one message, a call,
// a result, what was thought, and whatever has its own JSON are items of their
// own. A result with images is a list of parts. What was thought goes back as
// the item that it was; without one it is a summary.
func responsesMessage(dst []byte, m *providers.Message) []byte {
	from := len(dst)
	open := false // a message is
	item := func(inMessage bool) {
		if open && !inMessage {
			dst = append(dst, "]}"...)
		}
		if len(dst) > from {
			dst = append(dst, ',')
		}
		if inMessage && !open {
			dst = append(dst, '{')
			if m.Role == providers.Assistant {
				dst = append(dst, `"type":"message",`...)
			}
			dst = append(strict.AppendString(append(dst, `"role":`...), string(m.Role)), `,"content":[`...)
		}
		open = inMessage
	}
	answer := m.Role == providers.Assistant
	for i := range m.Blocks {
		b := &m.Blocks[i]
		switch {
		case b.Kind == providers.ToolCall:
			item(false)
			dst = responsesCall(dst, b)
		case b.Kind == providers.Thinking:
			item(false)
			dst = responsesThought(dst, b)
		case b.Raw != "":
			item(!answer && isPart(b))
			dst = appendRaw(dst, b)
		case b.Kind == providers.ToolResult:
			item(false)
			dst = responsesResult(dst, b)
		case b.Kind == providers.Text:
			item(true)
			dst = responsesText(dst, b.Text, answer)
		default:
			item(false)
			dst = appendRaw(dst, b)
		}
	}
	if len(m.Blocks) == 0 {
		item(true)
	}
	if open {
		dst = append(dst, "]}"...)
	}
	return dst
}

// isPart reports whether a block's own JSON is part of a message, not an item.
func isPart(b *providers.Block) bool {
	typ := strict.Member(strict.SkipSpace(objectOf(b.Raw)), "type")
	return strings.HasPrefix(string(typ), `"input_`)
}

func objectOf(raw string) []byte {
	if v := []byte(raw); strict.IsObject(v) {
		return v
	}
	return []byte("{}")
}

func responsesText(dst []byte, text string, answer bool) []byte {
	typ := `{"type":"input_text","text":`
	if answer {
		typ = `{"type":"output_text","text":`
	}
	return append(strict.AppendString(append(dst, typ...), text), '}')
}

func responsesCall(dst []byte, b *providers.Block) []byte {
	raw := strict.SkipSpace(objectOf(b.Raw))
	typ, field, in := typeCall, "arguments", input(b)
	if string(strict.Member(raw, "type")) == `"`+typeCustom+`"` {
		typ, field, in = typeCustom, "input", b.Input
	}
	dst = append(append(append(dst, `{"type":"`...), typ...), `","call_id":`...)
	dst = strict.AppendString(dst, b.ID)
	dst = strict.AppendString(append(dst, `,"name":`...), b.Name)
	dst = append(append(append(dst, `,"`...), field...), `":`...)
	dst = strict.AppendString(dst, in)
	for o := strict.Members(raw); o.Next(); {
		switch string(o.Name) {
		// The item's id goes with what the API stored, which is nothing, and its
		// status with the answer.
		case "type", "call_id", "name", "arguments", "input", "id", "status":
		default:
			dst = strict.AppendString(append(dst, ','), string(o.Name))
			dst = append(append(dst, ':'), o.Value...)
		}
	}
	return append(dst, '}')
}

func responsesThought(dst []byte, b *providers.Block) []byte {
	if v := objectOf(b.Signature); string(strict.Member(strict.SkipSpace(v), "type")) == `"`+typeReasoning+`"` {
		return append(dst, v...)
	}
	dst = append(dst, `{"type":"reasoning","summary":[`...)
	if b.Text != "" {
		dst = append(strict.AppendString(append(dst, `{"type":"summary_text","text":`...), b.Text), '}')
	}
	dst = append(dst, ']')
	if b.Signature != "" {
		dst = strict.AppendString(append(dst, `,"encrypted_content":`...), b.Signature)
	}
	return append(dst, '}')
}

func responsesResult(dst []byte, b *providers.Block) []byte {
	dst = strict.AppendString(append(dst, `{"type":"function_call_output","call_id":`...), b.ID)
	dst = append(dst, `,"output":`...)
	if len(b.Images) == 0 {
		return append(strict.AppendString(dst, resultText(b)), '}')
	}
	sep := byte('[')
	if text := resultText(b); text != "" {
		dst = responsesText(append(dst, sep), text, false)
		sep = ','
	}
	for i := range b.Images {
		dst = appendDataURL(append(append(dst, sep), `{"type":"input_image","image_url":`...), &b.Images[i])
		dst = append(dst, '}')
		sep = ','
	}
	return append(dst, "]}"...)
}
