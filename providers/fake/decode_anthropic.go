package fake

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
)

// msgRequest is a Messages request as it lies on the wire. Only what is
// checked, or shown to a script, is decoded; the real API knows more fields.
type msgRequest struct {
	Model     *string        `json:"model"`
	MaxTokens jsontext.Value `json:"max_tokens"`
	Stream    bool           `json:"stream"`
	System    jsontext.Value `json:"system"`
	Messages  []*msgMessage  `json:"messages"`
	Tools     []msgTool      `json:"tools"`
	Thinking  struct {
		Type string `json:"type"`
	} `json:"thinking"`
	// Version is in the body where a cloud's URL carries the model.
	Version string `json:"anthropic_version"`
}

type msgMessage struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content"`

	blocks []msgBlock
	plain  bool // Content is one string
}

type msgBlock struct {
	Type      string         `json:"type"`
	Text      *string        `json:"text"`
	ID        *string        `json:"id"`
	Name      *string        `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID *string        `json:"tool_use_id"`
	Content   jsontext.Value `json:"content"`
	IsError   bool           `json:"is_error"`
	Thinking  *string        `json:"thinking"`
	Signature *string        `json:"signature"`
	Source    jsontext.Value `json:"source"`

	raw   jsontext.Value
	media *mediaSource // the Source of an image or a document
	parts []msgBlock   // of a result whose Content is a list
}

type msgTool struct {
	Type        string         `json:"type"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema jsontext.Value `json:"input_schema"`
}

// lenient reads what the real API reads: it is not known to mind a repeated
// key.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decodeMessages reads a request's body.
func decodeMessages(body []byte) (*msgRequest, *Refusal) {
	q := &msgRequest{}
	if err := json.Unmarshal(body, q, lenient); err != nil {
		return nil, decodeRefusal("", err)
	}
	for i, m := range q.Messages {
		at := "messages." + strconv.Itoa(i)
		if m == nil {
			return nil, invalid("%s: Input should be a valid dictionary", at)
		}
		if r := m.decode(at); r != nil {
			return nil, r
		}
	}
	return q, nil
}

// decode reads a message's content: a string, or a list of blocks.
func (m *msgMessage) decode(at string) *Refusal {
	switch m.Content.Kind() {
	case '"':
		var text string
		if err := json.Unmarshal(m.Content, &text, lenient); err != nil {
			return decodeRefusal(at+".content", err)
		}
		m.plain = true
		if text != "" {
			m.blocks = []msgBlock{{Type: "text", Text: &text}}
		}
	case '[':
		var r *Refusal
		if m.blocks, r = decodeBlocks(m.Content, at+".content"); r != nil {
			return r
		}
		for i := range m.blocks {
			b := &m.blocks[i]
			if b.Type != "tool_result" || b.Content.Kind() != '[' {
				continue
			}
			if b.parts, r = decodeBlocks(b.Content, resultAt(at, i)+".content"); r != nil {
				return r
			}
		}
	case 0:
		return invalid("%s.content: Field required", at)
	default:
		return invalid("%s.content: Input should be a valid list", at)
	}
	return nil
}

func decodeBlocks(list jsontext.Value, at string) ([]msgBlock, *Refusal) {
	var raws []jsontext.Value
	if err := json.Unmarshal(list, &raws, lenient); err != nil {
		return nil, decodeRefusal(at, err)
	}
	blocks := make([]msgBlock, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &blocks[i], lenient); err != nil {
			return nil, decodeRefusal(fmt.Sprintf("%s.%d", at, i), err)
		}
		b := &blocks[i]
		b.raw = raw
		if b.Source.Kind() == '{' && (b.Type == "image" || b.Type == "document") {
			b.media = &mediaSource{}
			if err := json.Unmarshal(b.Source, b.media, lenient); err != nil {
				return nil, decodeRefusal(fmt.Sprintf("%s.%d.%s.source", at, i, b.Type), err)
			}
		}
	}
	return blocks, nil
}

// resultAt is the place of a result in message at, partAt of a part in a result.
func resultAt(at string, i int) string { return fmt.Sprintf("%s.content.%d.tool_result", at, i) }
func partAt(at string, i int) string   { return fmt.Sprintf("%s.content.%d", at, i) }

// decodeRefusal tells JSON that is broken from JSON of the wrong type.
func decodeRefusal(at string, err error) *Refusal {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return invalid("The request body is not valid JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	path := strings.ReplaceAll(strings.Trim(string(wrong.JSONPointer), "/"), "/", ".")
	if at != "" && path != "" {
		at += "."
	}
	want := "dictionary"
	if wrong.GoType != nil {
		switch wrong.GoType.Kind().String() {
		case "string", "ptr":
			want = "string"
		case "bool":
			want = "boolean"
		case "slice":
			want = "list"
		}
	}
	if at+path == "" {
		return invalid("Input should be a valid %s", want)
	}
	return invalid("%s%s: Input should be a valid %s", at, path, want)
}

// view makes the neutral view of a request.
func (m *msgRequest) view(body []byte) *request {
	q := &request{body: body}
	n := &q.neutral
	if m.Model != nil {
		n.Model = *m.Model
	}
	n.MaxTokens, _ = strconv.Atoi(string(m.MaxTokens))
	n.Stream = m.Stream
	n.System = textOf(m.System)
	for _, t := range m.Tools {
		n.Tools = append(n.Tools, providers.Tool{Name: t.Name, Description: t.Description, Schema: string(t.InputSchema)})
	}
	for _, w := range m.Messages {
		one := providers.Message{Role: providers.Role(w.Role)}
		for i := range w.blocks {
			one.Blocks = append(one.Blocks, w.blocks[i].neutral())
		}
		n.Messages = append(n.Messages, one)
	}
	q.tokens = m.tokens()
	return q
}

// neutral is the block in neutral words.
func (b *msgBlock) neutral() providers.Block {
	out := providers.Block{ID: deref(b.ID), Name: deref(b.Name), Text: deref(b.Text)}
	switch {
	case b.Type == "text":
		out.Kind = providers.Text
	case b.Type == "thinking":
		out.Kind, out.Text, out.Signature = providers.Thinking, deref(b.Thinking), deref(b.Signature)
	case b.Type == "tool_use":
		out.Kind, out.Input = providers.ToolCall, string(b.Input)
	case b.Type == "server_tool_use":
		out.Kind, out.Input = providers.ServerCall, string(b.Input)
	case b.Type == "tool_result":
		out.Kind, out.ID, out.IsError = providers.ToolResult, deref(b.ToolUseID), b.IsError
		if out.Text, out.Images = textsOf(b.parts), b.images(); b.parts == nil {
			out.Text = textOf(b.Content)
		}
	case b.isServerResult():
		out.Kind, out.ID, out.Raw = providers.ServerResult, deref(b.ToolUseID), string(b.raw)
	case b.Type == "image":
		out.Kind, out.Raw = providers.Image, string(b.raw)
	default:
		out.Kind, out.Raw = providers.Opaque, string(b.raw)
	}
	return out
}

// isServerResult reports whether the block answers a server call.
func (b *msgBlock) isServerResult() bool { return strings.HasSuffix(b.Type, "_tool_result") }

// textOf returns the text of a string, or of the text blocks of a list.
func textOf(v jsontext.Value) string {
	var s string
	if json.Unmarshal(v, &s, lenient) == nil {
		return s
	}
	var blocks []msgBlock
	if json.Unmarshal(v, &blocks, lenient) != nil {
		return ""
	}
	return textsOf(blocks)
}

func textsOf(blocks []msgBlock) string {
	var texts []string
	for i := range blocks {
		if blocks[i].Type == "text" {
			texts = append(texts, deref(blocks[i].Text))
		}
	}
	return strings.Join(texts, "\n")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
