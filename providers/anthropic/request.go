package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// DecodeRequest decodes the body of a Messages request, as a server sees it. It
// is strict about JSON and types and asks nothing else: whether the API would
// take the request is not judged here. Members that the neutral request has no
// place for (temperature, tool_choice, metadata ...) are left out.
//
// A block keeps its own JSON in Raw where the neutral fields do not say all of
// it (cache_control, a result made of other parts than a text and its images);
// they say what they can besides: the Text of such a result is the text of its
// parts, one a line, and its Images are those whose data it has.
func DecodeRequest(body []byte) (*providers.Request, error) {
	body, err := strict.CheckObject("the request", body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	var c codec
	for m := strict.Members(body); m.Next(); {
		var err error
		switch v := m.Value; string(m.Name) {
		case "model":
			req.Model, err = c.arena.Text("model", v)
		case "max_tokens":
			req.MaxTokens, err = strict.Whole("max_tokens", v)
		case "stream":
			req.Stream, err = strict.Flag("stream", v)
		case "system":
			var p parts
			p, err = c.parts("system", v)
			req.System = p.text
		case "tools":
			req.Tools, err = c.tools(v)
		case "messages":
			req.Messages, err = c.messages(v)
		}
		if err != nil {
			return nil, err
		}
	}
	return req, nil
}

func (c *codec) messages(v []byte) (out []providers.Message, err error) {
	if !strict.IsKind(v, '[') {
		return nil, strict.Mistyped("messages", v, "an array")
	}
	for e := strict.Elements(v); e.Next(); {
		m, err := c.requestMessage(fmt.Sprintf("messages[%d]", len(out)), e.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func (c *codec) requestMessage(what string, v []byte) (msg providers.Message, err error) {
	if !strict.IsKind(v, '{') {
		return msg, strict.Mistyped(what, v, "an object")
	}
	var role, content []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "role":
			role = m.Value
		case "content":
			content = m.Value
		}
	}
	who, err := c.arena.Text(what+".role", role)
	if err != nil {
		return msg, err
	}
	msg.Role = providers.Role(who) // the API takes system, too, from some
	switch {
	case strict.IsKind(content, '"'):
		text, err := c.arena.Text(what+".content", content)
		msg.Blocks = []providers.Block{{Kind: providers.Text, Text: text}}
		return msg, err
	case !strict.IsKind(content, '['):
		return msg, strict.Mistyped(what+".content", content, "a string or an array")
	}
	for e := strict.Elements(content); e.Next(); {
		b, err := c.requestBlock(fmt.Sprintf("%s.content[%d]", what, len(msg.Blocks)), e.Value)
		if err != nil {
			return msg, err
		}
		msg.Blocks = append(msg.Blocks, *b)
	}
	return msg, nil
}

// requestBlock decodes a block that was sent. It differs from one that was
// received in the results of our own tools, and in what must be kept.
func (c *codec) requestBlock(what string, v []byte) (*providers.Block, error) {
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped(what, v, "an object")
	}
	var typ, content, answers, failed []byte
	plain := true // the neutral fields say all
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "type":
			typ = m.Value
		case "content":
			content = m.Value
		case "tool_use_id":
			answers = m.Value
		case "is_error":
			failed = m.Value
		case "text", "thinking", "signature", "id", "name", "input":
		default:
			plain = false
		}
	}
	if string(typ) != `"tool_result"` {
		b, err := c.block(what, v)
		if err == nil && !plain {
			b.Raw = string(v)
		}
		return b, err
	}
	b := &providers.Block{Kind: providers.ToolResult}
	var err error
	if b.ID, err = c.arena.Text(what+".tool_use_id", answers); err != nil {
		return nil, err
	}
	if b.IsError, err = strict.Flag(what+".is_error", failed); err != nil {
		return nil, err
	}
	p, err := c.parts(what+".content", content)
	if err != nil {
		return nil, err
	}
	if b.Text, b.Images = p.text, p.images; !plain || !p.plain {
		b.Raw = string(v)
	}
	return b, nil
}

// parts is what may be a string or a list of blocks.
type parts struct {
	text   string // a line for each text
	images []providers.ImageData
	plain  bool // text and images say all, in the order in which the encoder writes them
}

func (c *codec) parts(what string, v []byte) (p parts, err error) {
	switch {
	case strict.Absent(v):
		return p, nil
	case strict.IsKind(v, '"'):
		p.plain = true
		p.text, err = c.arena.Text(what, v)
		return p, err
	case !strict.IsKind(v, '['):
		return p, strict.Mistyped(what, v, "a string or an array")
	}
	var lines []string
	i, plain := 0, true
	for e := strict.Elements(v); e.Next(); i++ {
		b, err := c.block(fmt.Sprintf("%s[%d]", what, i), e.Value)
		if err != nil {
			return p, err
		}
		switch b.Kind {
		case providers.Text:
			lines = append(lines, b.Text)
			plain = plain && i == 0 && b.Text != "" && has(e.Value, "type", "text")
		case providers.Image:
			image, whole := c.image(e.Value)
			if image.Data != "" {
				p.images = append(p.images, image)
			}
			plain = plain && whole
		default:
			plain = false
		}
	}
	p.text, p.plain = strings.Join(lines, "\n"), plain && len(p.images) > 0
	return p, nil
}

// image reads an image that stands there in base64; whole, that it says nothing
// else.
func (c *codec) image(v []byte) (image providers.ImageData, whole bool) {
	for m := strict.Members(v); m.Next(); {
		if string(m.Name) != "source" || !strict.IsKind(m.Value, '{') {
			continue
		}
		var typ string
		for f := strict.Members(m.Value); f.Next(); {
			switch string(f.Name) {
			case "type":
				typ, _ = c.arena.Text("", f.Value)
			case "media_type":
				image.Type, _ = c.arena.Text("", f.Value)
			case "data":
				image.Data, _ = c.arena.Text("", f.Value)
			}
		}
		if typ != "base64" {
			return providers.ImageData{}, false
		}
		whole = image.Data != "" && has(m.Value, "type", "media_type", "data") && has(v, "type", "source")
	}
	return image, whole
}

// has reports whether an object has these members and no other.
func has(v []byte, names ...string) bool {
	n := 0
	for m := strict.Members(v); m.Next(); n++ {
		if !slices.Contains(names, string(m.Name)) {
			return false
		}
	}
	return n == len(names)
}

// tools decodes the advertised tools. One that the provider runs itself has no
// schema of its own.
func (c *codec) tools(v []byte) (out []providers.Tool, err error) {
	if strict.Absent(v) {
		return nil, nil
	}
	if !strict.IsKind(v, '[') {
		return nil, strict.Mistyped("tools", v, "an array")
	}
	for e := strict.Elements(v); e.Next(); {
		what := fmt.Sprintf("tools[%d]", len(out))
		if !strict.IsKind(e.Value, '{') {
			return nil, strict.Mistyped(what, e.Value, "an object")
		}
		var t providers.Tool
		for m := strict.Members(e.Value); m.Next() && err == nil; {
			switch string(m.Name) {
			case "name":
				t.Name, err = c.arena.Text(what+".name", m.Value)
			case "description":
				t.Description, err = c.arena.TextOr(what+".description", m.Value)
			case "input_schema":
				if t.Schema = string(m.Value); !strict.IsKind(m.Value, '{') {
					err = strict.Mistyped(what+".input_schema", m.Value, "an object")
				}
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
