package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

func decodeResponsesRequest(body []byte) (*providers.Request, error) {
	v, err := strict.CheckObject("the request", body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	d := responsesRequest{}
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "instructions":
			req.System, err = d.arena.TextOr("instructions", m.Value)
		case "input":
			err = d.items(req, m.Value)
		default:
			err = d.head(req, m)
		}
		if err != nil {
			return nil, err
		}
	}
	return req, nil
}

type responsesRequest struct {
	codec
	sender
	answering bool // the last item was the model's
}

func (d *responsesRequest) items(req *providers.Request, v []byte) error {
	switch {
	case strict.IsKind(v, '"'):
		text, err := d.arena.Text("input", v)
		req.Messages = []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: text}}}}
		return err
	case strict.Absent(v):
		return nil
	case !strict.IsKind(v, '['):
		return strict.Mistyped("input", v, "a string or an array")
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if err := d.item(e.Value); err != nil {
			return strict.Within(fmt.Sprintf("input[%d]", i), err)
		}
	}
	req.Messages = d.sender.out
	return nil
}

// item decodes one item. Those of the model's that follow each other are one
// answer.
func (d *responsesRequest) item(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	typ, err := d.arena.TextOr("type", strict.Member(v, "type"))
	if err != nil {
		return err
	}
	if typ == "" || typ == typeMessage {
		return d.message(v)
	}
	b := providers.Block{Kind: providers.Opaque, Raw: string(v)}
	switch {
	case typ == "function_call_output", typ == "custom_tool_call_output":
		if b, err = d.output(v, typ); err == nil {
			d.result(b)
			d.answering = false
		}
		return err
	case strings.HasSuffix(typ, "_output"), typ == "mcp_approval_response", typ == "additional_tools":
		d.say(providers.User, d.results, b)
		d.answering = false
		return nil
	case typ == typeReasoning:
		b, err = d.thought(v)
	case typ == typeCall, typ == typeCustom:
		b, err = d.call(v, typ)
	}
	d.answer(b)
	return err
}

func (d *responsesRequest) answer(blocks ...providers.Block) {
	d.say(providers.Assistant, d.answering, blocks...)
	d.answering = true
}

func (d *responsesRequest) message(v []byte) error {
	role, err := d.arena.Text("role", strict.Member(v, "role"))
	if err != nil {
		return err
	}
	content := strict.Member(v, "content")
	if role != string(providers.Assistant) {
		blocks, err := d.parts(content)
		if err != nil {
			return err
		}
		d.say(providers.Role(role), d.results, blocks...)
		d.answering = false
		return nil
	}
	blocks, plain, err := d.said(content)
	if err != nil {
		return err
	}
	if !plain || !hasOnly(v, "type", "role", "content") {
		t, err := d.texts("content", content)
		if err != nil {
			return err
		}
		blocks = []providers.Block{{Kind: providers.Text, Text: t.text, Raw: string(v)}}
	}
	d.answer(blocks...)
	return nil
}

// said decodes the content of an answer's message; plain, if texts are all of it.
func (d *responsesRequest) said(v []byte) (out []providers.Block, plain bool, err error) {
	if strict.IsKind(v, '"') {
		text, err := d.arena.Text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, true, err
	}
	if !strict.IsKind(v, '[') {
		return nil, false, strict.Mistyped("content", v, "a string or an array")
	}
	plain = true
	for e := strict.Elements(v); e.Next(); {
		if !strict.IsKind(e.Value, '{') {
			return nil, false, strict.Mistyped(fmt.Sprintf("content[%d]", len(out)), e.Value, "an object")
		}
		b := providers.Block{Kind: providers.Text}
		plain = plain && string(strict.Member(e.Value, "type")) == `"output_text"` && hasOnly(e.Value, "type", "text")
		if b.Text, err = d.arena.TextOr("text", strict.Member(e.Value, "text")); err != nil {
			return nil, false, err
		}
		out = append(out, b)
	}
	return out, plain, nil
}

func (d *responsesRequest) parts(v []byte) (out []providers.Block, err error) {
	switch {
	case strict.IsKind(v, '"'):
		text, err := d.arena.Text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, err
	case !strict.IsKind(v, '['):
		return nil, strict.Mistyped("content", v, "a string or an array")
	}
	for e := strict.Elements(v); e.Next(); {
		what := fmt.Sprintf("content[%d]", len(out))
		if !strict.IsKind(e.Value, '{') {
			return nil, strict.Mistyped(what, e.Value, "an object")
		}
		b := providers.Block{Kind: providers.Opaque, Raw: string(e.Value)}
		typ, err := d.arena.Text("type", strict.Member(e.Value, "type"))
		switch {
		case err != nil:
		case typ == "input_text":
			b.Kind = providers.Text
			if b.Text, err = d.arena.Text("text", strict.Member(e.Value, "text")); hasOnly(e.Value, "type", "text") {
				b.Raw = ""
			}
		case typ == "input_image":
			b.Kind = providers.Image
		}
		if err != nil {
			return nil, strict.Within(what, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// output decodes a result: a string, or a text and images in the order in which
// the encoder writes them; anything else keeps its own JSON.
func (d *responsesRequest) output(v []byte, typ string) (b providers.Block, err error) {
	b.Kind = providers.ToolResult
	if b.ID, err = d.arena.TextOr("call_id", strict.Member(v, "call_id")); err != nil {
		return b, err
	}
	content := strict.Member(v, "output")
	t, err := d.texts("output", content)
	if err != nil {
		return b, err
	}
	readResult(&b, t.text)
	plain := t.plain
	if strict.IsKind(content, '[') {
		plain = true
		i := 0
		for e := strict.Elements(content); e.Next(); i++ {
			switch string(strict.Member(e.Value, "type")) {
			case `"input_text"`:
				plain = plain && i == 0 && hasOnly(e.Value, "type", "text") && !strict.Hollow(strict.Member(e.Value, "text"))
			case `"input_image"`:
				url, _ := d.arena.TextOr("", strict.Member(e.Value, "image_url"))
				image, ok := readDataURL(url)
				if ok {
					b.Images = append(b.Images, image)
				}
				plain = plain && ok && hasOnly(e.Value, "type", "image_url")
			default:
				plain = false
			}
		}
		plain = plain && len(b.Images) > 0
	}
	if !plain || typ != "function_call_output" || !hasOnly(v, "type", "call_id", "output") {
		b.Raw = string(v)
	}
	return b, nil
}

// thought decodes reasoning. The item is its own signature where it has what the
// model wants back.
func (d *responsesRequest) thought(v []byte) (b providers.Block, err error) {
	b.Kind = providers.Thinking
	var text strings.Builder
	for _, part := range []string{"summary", "content"} {
		for e := strict.Elements(arrayOf(strict.Member(v, part))); e.Next(); {
			s, err := d.arena.TextOr(part, strict.Member(e.Value, "text"))
			if err != nil {
				return b, err
			}
			text.WriteString(s)
		}
	}
	b.Text, b.Signature = text.String(), string(v)
	return b, nil
}

func (d *responsesRequest) call(v []byte, typ string) (b providers.Block, err error) {
	b.Kind = providers.ToolCall
	if b.ID, err = d.arena.TextOr("call_id", strict.Member(v, "call_id")); err != nil {
		return b, err
	}
	if b.Name, err = d.arena.TextOr("name", strict.Member(v, "name")); err != nil {
		return b, err
	}
	in := strict.Member(v, "arguments")
	if typ == typeCustom {
		in = strict.Member(v, "input")
	}
	if b.Input, err = d.input(in); typ == typeCustom || !hasOnly(v, "type", "call_id", "name", "arguments", "input", "id", "status") {
		b.Raw = string(v)
	}
	return b, err
}
