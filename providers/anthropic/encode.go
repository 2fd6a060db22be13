package anthropic

import (
	"strconv"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// EncodeRequest appends the body of a Messages request. It repairs nothing:
//
//   - blocks keep their order, a signature its bytes, Raw its spelling;
//   - a call's input is embedded as the JSON object that it is; no input at all
//     is {}; anything else is embedded as a JSON string, which the API refuses
//     by name, so it neither passes for an object nor breaks out of its place;
//   - a result with images is a list: its text, if there is any, then they;
//   - text that is not valid UTF-8, which JSON cannot carry, has each bad byte
//     replaced by U+FFFD.
//
// See Encoder for a conversation of many requests.
func EncodeRequest(dst []byte, req *providers.Request) []byte {
	dst = appendHead(dst, req)
	for i, m := range req.Messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendMessage(dst, m)
	}
	return append(dst, "]}"...)
}

// appendHead appends everything of a request up to its first message.
func appendHead(dst []byte, req *providers.Request) []byte {
	dst = strict.AppendString(append(dst, `{"model":`...), req.Model)
	dst = strconv.AppendInt(append(dst, `,"max_tokens":`...), int64(req.MaxTokens), 10)
	if req.Stream {
		dst = append(dst, `,"stream":true`...)
	}
	if req.System != "" {
		dst = strict.AppendString(append(dst, `,"system":`...), req.System)
	}
	if len(req.Tools) > 0 {
		dst = append(dst, `,"tools":[`...)
		for i, t := range req.Tools {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strict.AppendString(append(dst, `{"name":`...), t.Name)
			if t.Description != "" {
				dst = strict.AppendString(append(dst, `,"description":`...), t.Description)
			}
			dst = append(strict.AppendObject(append(dst, `,"input_schema":`...), t.Schema), '}')
		}
		dst = append(dst, ']')
	}
	return append(dst, `,"messages":[`...)
}

// AppendMessage appends one message as it stands in a request.
func AppendMessage(dst []byte, m providers.Message) []byte {
	dst = strict.AppendString(append(dst, `{"role":`...), string(m.Role))
	dst = append(dst, `,"content":[`...)
	for i := range m.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendBlock(dst, &m.Blocks[i])
	}
	return append(dst, "]}"...)
}

func appendBlock(dst []byte, b *providers.Block) []byte {
	isCall := b.Kind == providers.ToolCall || b.Kind == providers.ServerCall
	switch {
	case b.Raw != "" && isCall:
		return appendRawCall(dst, b)
	case b.Raw != "":
		return strict.AppendObject(dst, b.Raw)
	case isCall:
		typ := `{"type":"tool_use","id":`
		if b.Kind == providers.ServerCall {
			typ = `{"type":"server_tool_use","id":`
		}
		dst = strict.AppendString(append(dst, typ...), b.ID)
		dst = strict.AppendString(append(dst, `,"name":`...), b.Name)
		return append(appendInput(append(dst, `,"input":`...), b.Input), '}')
	}
	switch b.Kind {
	case providers.Text:
		dst = strict.AppendString(append(dst, `{"type":"text","text":`...), b.Text)
	case providers.Thinking:
		dst = strict.AppendString(append(dst, `{"type":"thinking","thinking":`...), b.Text)
		dst = strict.AppendString(append(dst, `,"signature":`...), b.Signature)
	case providers.ToolResult:
		dst = strict.AppendString(append(dst, `{"type":"tool_result","tool_use_id":`...), b.ID)
		dst = appendContent(append(dst, `,"content":`...), b)
		if b.IsError {
			dst = append(dst, `,"is_error":true`...)
		}
	default: // a kind that only Raw can spell, without it: the API names the type it does not know
		dst = strict.AppendString(append(dst, `{"type":`...), string(b.Kind))
	}
	return append(dst, '}')
}

// appendContent appends a result's text, or its text and images as parts. A part
// without text is left out: the API refuses an empty one.
func appendContent(dst []byte, b *providers.Block) []byte {
	if len(b.Images) == 0 {
		return strict.AppendString(dst, b.Text)
	}
	sep := byte('[')
	if b.Text != "" {
		dst = append(strict.AppendString(append(dst, `[{"type":"text","text":`...), b.Text), '}')
		sep = ','
	}
	for i := range b.Images {
		dst = append(append(dst, sep), `{"type":"image","source":{"type":"base64","media_type":`...)
		dst = strict.AppendString(dst, b.Images[i].Type)
		dst = strict.AppendString(append(dst, `,"data":`...), b.Images[i].Data)
		dst = append(dst, "}}"...)
		sep = ','
	}
	return append(dst, ']')
}

// appendRawCall appends a call whose own JSON says more than the neutral fields
// do (its caller, its server). Id and input are the block's: the loop may have
// given it another id, and the input arrived behind the JSON, in deltas.
func appendRawCall(dst []byte, b *providers.Block) []byte {
	raw := []byte(b.Raw)
	if !strict.IsObject(raw) {
		return strict.AppendObject(dst, b.Raw)
	}
	dst = append(dst, '{')
	sep := ""
	put := func(name string) {
		dst = append(append(dst, sep...), name...)
		sep = ","
	}
	put(`"id":`)
	dst = strict.AppendString(dst, b.ID)
	put(`"input":`)
	dst = appendInput(dst, b.Input)
	for m := strict.Members(raw); m.Next(); {
		if name := string(m.Name); name != "id" && name != "input" {
			put("")
			dst = append(append(strict.AppendString(dst, name), ':'), m.Value...)
		}
	}
	return append(dst, '}')
}

func appendInput(dst []byte, input string) []byte {
	if input == "" {
		return append(dst, "{}"...)
	}
	return strict.AppendObject(dst, input)
}
