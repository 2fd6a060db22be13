package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers"
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
	if err := check(body); err != nil {
		return nil, fmt.Errorf("the request is %w", err)
	}
	body = skipSpace(body)
	if body[0] != '{' {
		return nil, mistyped("the request", body, "an object")
	}
	req := &providers.Request{}
	var c codec
	for m := members(body); m.next(); {
		var err error
		switch v := m.value; string(m.name) {
		case "model":
			req.Model, err = c.arena.text("model", v)
		case "max_tokens":
			req.MaxTokens, err = whole("max_tokens", v)
		case "stream":
			req.Stream, err = flag("stream", v)
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
	if !isKind(v, '[') {
		return nil, mistyped("messages", v, "an array")
	}
	for e := elements(v); e.next(); {
		m, err := c.requestMessage(fmt.Sprintf("messages[%d]", len(out)), e.value)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func (c *codec) requestMessage(what string, v []byte) (msg providers.Message, err error) {
	if !isKind(v, '{') {
		return msg, mistyped(what, v, "an object")
	}
	var role, content []byte
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "role":
			role = m.value
		case "content":
			content = m.value
		}
	}
	who, err := c.arena.text(what+".role", role)
	if err != nil {
		return msg, err
	}
	msg.Role = providers.Role(who) // the API takes system, too, from some
	switch {
	case isKind(content, '"'):
		text, err := c.arena.text(what+".content", content)
		msg.Blocks = []providers.Block{{Kind: providers.Text, Text: text}}
		return msg, err
	case !isKind(content, '['):
		return msg, mistyped(what+".content", content, "a string or an array")
	}
	for e := elements(content); e.next(); {
		b, err := c.requestBlock(fmt.Sprintf("%s.content[%d]", what, len(msg.Blocks)), e.value)
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
	if !isKind(v, '{') {
		return nil, mistyped(what, v, "an object")
	}
	var typ, content, answers, failed []byte
	plain := true // the neutral fields say all
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "type":
			typ = m.value
		case "content":
			content = m.value
		case "tool_use_id":
			answers = m.value
		case "is_error":
			failed = m.value
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
	if b.ID, err = c.arena.text(what+".tool_use_id", answers); err != nil {
		return nil, err
	}
	if b.IsError, err = flag(what+".is_error", failed); err != nil {
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
	case absent(v):
		return p, nil
	case isKind(v, '"'):
		p.plain = true
		p.text, err = c.arena.text(what, v)
		return p, err
	case !isKind(v, '['):
		return p, mistyped(what, v, "a string or an array")
	}
	var lines []string
	i, plain := 0, true
	for e := elements(v); e.next(); i++ {
		b, err := c.block(fmt.Sprintf("%s[%d]", what, i), e.value)
		if err != nil {
			return p, err
		}
		switch b.Kind {
		case providers.Text:
			lines = append(lines, b.Text)
			plain = plain && i == 0 && b.Text != "" && has(e.value, "type", "text")
		case providers.Image:
			image, whole := c.image(e.value)
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
	for m := members(v); m.next(); {
		if string(m.name) != "source" || !isKind(m.value, '{') {
			continue
		}
		var typ string
		for f := members(m.value); f.next(); {
			switch string(f.name) {
			case "type":
				typ, _ = c.arena.text("", f.value)
			case "media_type":
				image.Type, _ = c.arena.text("", f.value)
			case "data":
				image.Data, _ = c.arena.text("", f.value)
			}
		}
		if typ != "base64" {
			return providers.ImageData{}, false
		}
		whole = image.Data != "" && has(m.value, "type", "media_type", "data") && has(v, "type", "source")
	}
	return image, whole
}

// has reports whether an object has these members and no other.
func has(v []byte, names ...string) bool {
	n := 0
	for m := members(v); m.next(); n++ {
		if !slices.Contains(names, string(m.name)) {
			return false
		}
	}
	return n == len(names)
}

// tools decodes the advertised tools. One that the provider runs itself has no
// schema of its own.
func (c *codec) tools(v []byte) (out []providers.Tool, err error) {
	if absent(v) {
		return nil, nil
	}
	if !isKind(v, '[') {
		return nil, mistyped("tools", v, "an array")
	}
	for e := elements(v); e.next(); {
		what := fmt.Sprintf("tools[%d]", len(out))
		if !isKind(e.value, '{') {
			return nil, mistyped(what, e.value, "an object")
		}
		var t providers.Tool
		for m := members(e.value); m.next() && err == nil; {
			switch string(m.name) {
			case "name":
				t.Name, err = c.arena.text(what+".name", m.value)
			case "description":
				t.Description, err = c.arena.textOr(what+".description", m.value)
			case "input_schema":
				if t.Schema = string(m.value); !isKind(m.value, '{') {
					err = mistyped(what+".input_schema", m.value, "an object")
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
