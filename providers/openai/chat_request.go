package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

func decodeChatRequest(body []byte) (*providers.Request, error) {
	v, err := strict.CheckObject("the request", body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	d := chatRequest{}
	for m := strict.Members(v); m.Next(); {
		if string(m.Name) == "messages" {
			err = d.messages(req, m.Value)
		} else {
			err = d.head(req, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return req, nil
}

type chatRequest struct {
	codec
	sender
}

func (d *chatRequest) messages(req *providers.Request, v []byte) error {
	if !strict.IsKind(v, '[') {
		return strict.Mistyped("messages", v, "an array")
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if err := d.message(req, i == 0, e.Value); err != nil {
			return strict.Within(fmt.Sprintf("messages[%d]", i), err)
		}
	}
	req.Messages = d.sender.out
	return nil
}

func (d *chatRequest) message(req *providers.Request, first bool, v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	role, err := d.arena.Text("role", strict.Member(v, "role"))
	if err != nil {
		return err
	}
	content := strict.Member(v, "content")
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
		if b.ID, err = d.arena.TextOr("tool_call_id", strict.Member(v, "tool_call_id")); err != nil {
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
	case strict.IsKind(v, '"'):
		text, err := d.arena.Text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, err
	case !strict.IsKind(v, '['):
		return nil, strict.Mistyped("content", v, "a string or an array")
	}
	for e := strict.Elements(v); e.Next(); {
		b, err := d.part(e.Value)
		if err != nil {
			return nil, strict.Within(fmt.Sprintf("content[%d]", len(out)), err)
		}
		out = append(out, b)
	}
	return out, nil
}

func (d *chatRequest) part(v []byte) (b providers.Block, err error) {
	if !strict.IsKind(v, '{') {
		return b, strict.Mistyped("", v, "an object")
	}
	typ, err := d.arena.Text("type", strict.Member(v, "type"))
	if err != nil {
		return b, err
	}
	b.Kind, b.Raw = providers.Opaque, string(v)
	switch typ {
	case "text":
		b.Kind = providers.Text
		if b.Text, err = d.arena.Text("text", strict.Member(v, "text")); hasOnly(v, "type", "text") {
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
		url, _ := d.arena.TextOr("", strict.Member(strict.Member(v, "image_url"), "url"))
		image, ok := readDataURL(url)
		if i == 0 || !ok || b.Kind != providers.Image || !hasOnly(v, "type", "image_url") || !hasOnly(strict.Member(v, "image_url"), "url") {
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
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "content":
			said = m.Value
		case "refusal":
			refused = m.Value
		case "reasoning_content":
			thought = m.Value
		case "reasoning":
			if strict.Hollow(thought) {
				thought = m.Value
			}
		case "reasoning_details":
			details = m.Value
		case "tool_calls":
			calls = m.Value
		case "function_call":
			call = m.Value
		}
	}
	if !strict.Hollow(thought) || !strict.Hollow(details) {
		b := providers.Block{Kind: providers.Thinking}
		if b.Text, err = d.arena.TextOr("reasoning_content", thought); err != nil {
			return nil, err
		}
		if b.Text, b.Signature, err = d.details(b.Text, details); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if !strict.Hollow(said) { // content may be "" beside calls
		parts, err := d.parts(said)
		if err != nil {
			return nil, err
		}
		out = append(out, parts...)
	}
	if !strict.Hollow(refused) {
		if !strict.IsKind(refused, '"') {
			return nil, strict.Mistyped("refusal", refused, "a string")
		}
		out = append(out, providers.Block{Kind: providers.Opaque, Raw: `{"type":"refusal","refusal":` + string(refused) + `}`})
	}
	if !strict.Absent(calls) && !strict.IsKind(calls, '[') {
		return nil, strict.Mistyped("tool_calls", calls, "an array")
	}
	i := 0
	for e := strict.Elements(arrayOf(calls)); e.Next(); i++ {
		b, err := d.call(e.Value)
		if err != nil {
			return nil, strict.Within(fmt.Sprintf("tool_calls[%d]", i), err)
		}
		out = append(out, b)
	}
	if !strict.Absent(call) {
		b, err := d.called(call)
		if err != nil {
			return nil, strict.Within("function_call", err)
		}
		out = append(out, b)
	}
	return out, nil
}

// details joins the elements of reasoning_details as a stream would have brought
// them; their text counts where no other is.
func (d *chatRequest) details(text string, v []byte) (said, signature string, err error) {
	var sig, own strings.Builder
	for e := strict.Elements(arrayOf(v)); e.Next(); {
		sig.Write(e.Value)
		for _, name := range []string{"text", "summary"} {
			if t := strict.Member(e.Value, name); strict.IsKind(t, '"') {
				s, err := d.arena.Text(name, t)
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
	if !strict.IsKind(v, '{') {
		return b, strict.Mistyped("", v, "an object")
	}
	f, custom := strict.Member(v, "function"), false
	if strict.Absent(f) {
		f = strict.Member(v, "custom")
		custom = !strict.Absent(f)
	}
	if b, err = d.called(f); err != nil {
		return b, err
	}
	if b.ID, err = d.arena.TextOr("id", strict.Member(v, "id")); custom || !hasOnly(v, "index", "id", "type", "function", "custom") {
		b.Raw = string(v)
	}
	return b, err
}

// called decodes a name and an input, which is a string on the wire and so may
// hold anything.
func (d *chatRequest) called(f []byte) (b providers.Block, err error) {
	b.Kind = providers.ToolCall
	if !strict.IsKind(f, '{') {
		return b, strict.Mistyped("function", f, "an object")
	}
	if b.Name, err = d.arena.TextOr("name", strict.Member(f, "name")); err != nil {
		return b, err
	}
	in := strict.Member(f, "arguments")
	if in == nil {
		in = strict.Member(f, "input")
	}
	b.Input, err = d.input(in)
	return b, err
}
