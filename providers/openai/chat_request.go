package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
)

func decodeChatRequest(body []byte) (*providers.Request, error) {
	v, err := requestObject(body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	d := chatRequest{}
	for m := members(v); m.next(); {
		if string(m.name) == "messages" {
			err = d.messages(req, m.value)
		} else {
			err = d.head(req, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return req, nil
}

// requestObject checks that a body is one strict JSON object.
func requestObject(body []byte) ([]byte, error) {
	if err := check(body); err != nil {
		return nil, fmt.Errorf("the request is %w", err)
	}
	v := skipSpace(body)
	if v[0] != '{' {
		return nil, mistyped("the request", v, "an object")
	}
	return v, nil
}

type chatRequest struct {
	codec
	sender
}

func (d *chatRequest) messages(req *providers.Request, v []byte) error {
	if !isKind(v, '[') {
		return mistyped("messages", v, "an array")
	}
	i := 0
	for e := elements(v); e.next(); i++ {
		if err := d.message(req, i == 0, e.value); err != nil {
			return within(fmt.Sprintf("messages[%d]", i), err)
		}
	}
	req.Messages = d.sender.out
	return nil
}

func (d *chatRequest) message(req *providers.Request, first bool, v []byte) error {
	if !isKind(v, '{') {
		return mistyped("", v, "an object")
	}
	role, err := d.arena.text("role", memberOf(v, "role"))
	if err != nil {
		return err
	}
	content := memberOf(v, "content")
	switch role {
	case "system", "developer":
		if first {
			t, err := d.texts("content", content)
			req.System = t.text
			return err
		}
	case "assistant":
		blocks, err := d.answer(v)
		d.say(providers.Assistant, false, blocks...)
		return err
	case "tool", "function": // function: before there were tools
		b := providers.Block{Kind: providers.ToolResult}
		t, err := d.texts("content", content)
		if err != nil {
			return err
		}
		if b.ID, err = d.arena.textOr("tool_call_id", memberOf(v, "tool_call_id")); err != nil {
			return err
		}
		if readResult(&b, t.text); !t.plain || role == "function" || !hasOnly(v, "role", "content", "tool_call_id") {
			b.Raw = string(v)
		}
		d.result(b)
		return nil
	}
	blocks, err := d.parts(content)
	if err != nil {
		return err
	}
	if d.results && d.takeImages(blocks) {
		return nil
	}
	d.say(providers.Role(role), d.results, blocks...)
	return nil
}

// parts decodes the content of a message: a string, or parts.
func (d *chatRequest) parts(v []byte) (out []providers.Block, err error) {
	switch {
	case isKind(v, '"'):
		text, err := d.arena.text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, err
	case !isKind(v, '['):
		return nil, mistyped("content", v, "a string or an array")
	}
	for e := elements(v); e.next(); {
		b, err := d.part(e.value)
		if err != nil {
			return nil, within(fmt.Sprintf("content[%d]", len(out)), err)
		}
		out = append(out, b)
	}
	return out, nil
}

func (d *chatRequest) part(v []byte) (b providers.Block, err error) {
	if !isKind(v, '{') {
		return b, mistyped("", v, "an object")
	}
	typ, err := d.arena.text("type", memberOf(v, "type"))
	if err != nil {
		return b, err
	}
	b.Kind, b.Raw = providers.Opaque, string(v)
	switch typ {
	case "text":
		b.Kind = providers.Text
		if b.Text, err = d.arena.text("text", memberOf(v, "text")); hasOnly(v, "type", "text") {
			b.Raw = ""
		}
	case "image_url":
		b.Kind = providers.Image
	}
	return b, err
}

// takeImages gives a message of images back to the results that they belong to,
// if it is one that chatImages wrote.
func (d *chatRequest) takeImages(blocks []providers.Block) bool {
	results := d.sender.out[len(d.sender.out)-1].Blocks
	found := map[string][]providers.ImageData{}
	id := ""
	for i, b := range blocks {
		if b.Kind == providers.Text {
			rest, head := strings.CutPrefix(b.Text, imagesHead)
			rest, tail := strings.CutSuffix(rest, imagesTail)
			if id = rest; !head || !tail || found[id] != nil || i+1 == len(blocks) {
				return false
			}
			found[id] = []providers.ImageData{}
			continue
		}
		v := objectOf(b.Raw)
		url, _ := d.arena.textOr("", memberOf(memberOf(v, "image_url"), "url"))
		image, ok := readDataURL(url)
		if i == 0 || !ok || b.Kind != providers.Image || !hasOnly(v, "type", "image_url") || !hasOnly(memberOf(v, "image_url"), "url") {
			return false
		}
		found[id] = append(found[id], image)
	}
	n := 0
	for i := range results {
		if b := &results[i]; found[b.ID] != nil && b.Kind == providers.ToolResult && b.Images == nil {
			n++
		}
	}
	if n != len(found) || n == 0 {
		return false
	}
	for i := range results {
		if b := &results[i]; found[b.ID] != nil {
			b.Images = found[b.ID]
		}
	}
	return true
}

// answer decodes a message of the model's.
func (d *chatRequest) answer(v []byte) (out []providers.Block, err error) {
	var said, refused, thought, details, calls, call []byte
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "content":
			said = m.value
		case "refusal":
			refused = m.value
		case "reasoning_content":
			thought = m.value
		case "reasoning":
			if hollow(thought) {
				thought = m.value
			}
		case "reasoning_details":
			details = m.value
		case "tool_calls":
			calls = m.value
		case "function_call":
			call = m.value
		}
	}
	if !hollow(thought) || !hollow(details) {
		b := providers.Block{Kind: providers.Thinking}
		if b.Text, err = d.arena.textOr("reasoning_content", thought); err != nil {
			return nil, err
		}
		if b.Text, b.Signature, err = d.details(b.Text, details); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if !hollow(said) { // content may be "" beside calls
		parts, err := d.parts(said)
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	if !hollow(refused) {
		if !isKind(refused, '"') {
			return nil, mistyped("refusal", refused, "a string")
		}
		out = append(out, providers.Block{Kind: providers.Opaque, Raw: `{"type":"refusal","refusal":` + string(refused) + `}`})
	}
	if !absent(calls) && !isKind(calls, '[') {
		return nil, mistyped("tool_calls", calls, "an array")
	}
	i := 0
	for e := elements(arrayOf(calls)); e.next(); i++ {
		b, err := d.call(e.value)
		if err != nil {
			return nil, within(fmt.Sprintf("tool_calls[%d]", i), err)
		}
		out = append(out, b)
	}
	if !absent(call) {
		b, err := d.called(call)
		if err != nil {
			return nil, within("function_call", err)
		}
		out = append(out, b)
	}
	return out, nil
}

// details joins the elements of reasoning_details as a stream would have brought
// them; their text counts where no other is.
func (d *chatRequest) details(text string, v []byte) (said, signature string, err error) {
	var sig, own strings.Builder
	for e := elements(arrayOf(v)); e.next(); {
		sig.Write(e.value)
		for _, name := range []string{"text", "summary"} {
			if t := memberOf(e.value, name); isKind(t, '"') {
				s, err := d.arena.text(name, t)
				if err != nil {
					return "", "", err
				}
				own.WriteString(s)
			}
		}
	}
	if text == "" {
		text = own.String()
	}
	return text, sig.String(), nil
}

func (d *chatRequest) call(v []byte) (b providers.Block, err error) {
	if !isKind(v, '{') {
		return b, mistyped("", v, "an object")
	}
	f, custom := memberOf(v, "function"), false
	if absent(f) {
		f = memberOf(v, "custom")
		custom = !absent(f)
	}
	if b, err = d.called(f); err != nil {
		return b, err
	}
	if b.ID, err = d.arena.textOr("id", memberOf(v, "id")); custom || !hasOnly(v, "index", "id", "type", "function", "custom") {
		b.Raw = string(v)
	}
	return b, err
}

// called decodes a name and an input, which is a string on the wire and so may
// hold anything.
func (d *chatRequest) called(f []byte) (b providers.Block, err error) {
	b.Kind = providers.ToolCall
	if !isKind(f, '{') {
		return b, mistyped("function", f, "an object")
	}
	if b.Name, err = d.arena.textOr("name", memberOf(f, "name")); err != nil {
		return b, err
	}
	in := memberOf(f, "arguments")
	if in == nil {
		in = memberOf(f, "input")
	}
	b.Input, err = d.input(in)
	return b, err
}
