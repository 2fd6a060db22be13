package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
)

func decodeResponsesRequest(body []byte) (*providers.Request, error) {
	v, err := requestObject(body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	d := responsesRequest{}
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "instructions":
			req.System, err = d.arena.textOr("instructions", m.value)
		case "input":
			err = d.items(req, m.value)
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
	case isKind(v, '"'):
		text, err := d.arena.text("input", v)
		req.Messages = []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: text}}}}
		return err
	case absent(v):
		return nil
	case !isKind(v, '['):
		return mistyped("input", v, "a string or an array")
	}
	i := 0
	for e := elements(v); e.next(); i++ {
		if err := d.item(e.value); err != nil {
			return within(fmt.Sprintf("input[%d]", i), err)
		}
	}
	req.Messages = d.sender.out
	return nil
}

// item decodes one item. Those of the model's that follow each other are one
// answer.
func (d *responsesRequest) item(v []byte) error {
	if !isKind(v, '{') {
		return mistyped("", v, "an object")
	}
	typ, err := d.arena.textOr("type", memberOf(v, "type"))
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
	role, err := d.arena.text("role", memberOf(v, "role"))
	if err != nil {
		return err
	}
	content := memberOf(v, "content")
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
	if isKind(v, '"') {
		text, err := d.arena.text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, true, err
	}
	if !isKind(v, '[') {
		return nil, false, mistyped("content", v, "a string or an array")
	}
	plain = true
	for e := elements(v); e.next(); {
		if !isKind(e.value, '{') {
			return nil, false, mistyped(fmt.Sprintf("content[%d]", len(out)), e.value, "an object")
		}
		b := providers.Block{Kind: providers.Text}
		plain = plain && string(memberOf(e.value, "type")) == `"output_text"` && hasOnly(e.value, "type", "text")
		if b.Text, err = d.arena.textOr("text", memberOf(e.value, "text")); err != nil {
			return nil, false, err
		}
		out = append(out, b)
	}
	return out, plain, nil
}

func (d *responsesRequest) parts(v []byte) (out []providers.Block, err error) {
	switch {
	case isKind(v, '"'):
		text, err := d.arena.text("content", v)
		return []providers.Block{{Kind: providers.Text, Text: text}}, err
	case !isKind(v, '['):
		return nil, mistyped("content", v, "a string or an array")
	}
	for e := elements(v); e.next(); {
		what := fmt.Sprintf("content[%d]", len(out))
		if !isKind(e.value, '{') {
			return nil, mistyped(what, e.value, "an object")
		}
		b := providers.Block{Kind: providers.Opaque, Raw: string(e.value)}
		typ, err := d.arena.text("type", memberOf(e.value, "type"))
		switch {
		case err != nil:
		case typ == "input_text":
			b.Kind = providers.Text
			if b.Text, err = d.arena.text("text", memberOf(e.value, "text")); hasOnly(e.value, "type", "text") {
				b.Raw = ""
			}
		case typ == "input_image":
			b.Kind = providers.Image
		}
		if err != nil {
			return nil, within(what, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// output decodes a result: a string, or a text and images in the order in which
// the encoder writes them; anything else keeps its own JSON.
func (d *responsesRequest) output(v []byte, typ string) (b providers.Block, err error) {
	b.Kind = providers.ToolResult
	if b.ID, err = d.arena.textOr("call_id", memberOf(v, "call_id")); err != nil {
		return b, err
	}
	content := memberOf(v, "output")
	t, err := d.texts("output", content)
	if err != nil {
		return b, err
	}
	readResult(&b, t.text)
	plain := t.plain
	if isKind(content, '[') {
		plain = true
		i := 0
		for e := elements(content); e.next(); i++ {
			switch string(memberOf(e.value, "type")) {
			case `"input_text"`:
				plain = plain && i == 0 && hasOnly(e.value, "type", "text") && !hollow(memberOf(e.value, "text"))
			case `"input_image"`:
				url, _ := d.arena.textOr("", memberOf(e.value, "image_url"))
				image, ok := readDataURL(url)
				if ok {
					b.Images = append(b.Images, image)
				}
				plain = plain && ok && hasOnly(e.value, "type", "image_url")
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
		for e := elements(arrayOf(memberOf(v, part))); e.next(); {
			s, err := d.arena.textOr(part, memberOf(e.value, "text"))
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
	if b.ID, err = d.arena.textOr("call_id", memberOf(v, "call_id")); err != nil {
		return b, err
	}
	if b.Name, err = d.arena.textOr("name", memberOf(v, "name")); err != nil {
		return b, err
	}
	in := memberOf(v, "arguments")
	if typ == typeCustom {
		in = memberOf(v, "input")
	}
	if b.Input, err = d.input(in); typ == typeCustom || !hasOnly(v, "type", "call_id", "name", "arguments", "input", "id", "status") {
		b.Raw = string(v)
	}
	return b, err
}
