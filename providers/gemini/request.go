package gemini

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// DecodeRequest decodes the body of a request, as a server sees it; its model, and
// whether a stream is asked for, stand in the path (see ReadPath). It is strict
// about JSON and types and asks nothing else: whether the API would take the
// request is not judged here. Members that the neutral request has no place for
// (temperature, toolConfig, safetySettings ...) are left out. A member may have
// either of its names, systemInstruction or system_instruction.
//
// A block keeps its own JSON in Raw where the neutral fields do not say all of it
// (a result that is neither an output nor an error); they say what they can
// besides: the Text of such a result is its one string, or its JSON.
//
// Every call and its result have the same id. Where the wire has none, it is made
// (see IsMade): the first result with a call's name answers the first of the calls
// with that name that has no answer yet.
func DecodeRequest(body []byte) (*providers.Request, error) {
	v, err := strict.CheckObject("the request", body)
	if err != nil {
		return nil, err
	}
	req := &providers.Request{}
	var d requestDecoder
	for m := strict.Members(v); m.Next(); {
		switch string(camel(m.Name)) {
		case "systemInstruction":
			req.System, err = d.system(m.Value)
		case "tools":
			req.Tools, err = d.tools(m.Value)
		case "generationConfig":
			req.MaxTokens, err = d.maxTokens(m.Value)
		case "contents":
			req.Messages, err = d.contents(m.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	return req, nil
}

// listOf returns v, and an object as the list of one for which the API takes it.
func listOf(v []byte) []byte {
	if strict.IsKind(v, '{') {
		return append(append([]byte{'['}, v...), ']')
	}
	return v
}

type requestDecoder struct {
	codec
	pairs
}

// system reads a content, or a text alone.
func (d *requestDecoder) system(v []byte) (string, error) {
	const what = "systemInstruction"
	switch {
	case strict.Absent(v):
		return "", nil
	case strict.IsKind(v, '"'):
		return d.arena.Text(what, v)
	case !strict.IsKind(v, '{'):
		return "", strict.Mistyped(what, v, "an object")
	}
	var lines []string
	parts := listOf(strict.Member(v, "parts"))
	if !strict.IsKind(parts, '[') {
		if strict.Absent(parts) {
			return "", nil
		}
		return "", strict.Mistyped(what+".parts", parts, "an array")
	}
	i := 0
	for e := strict.Elements(parts); e.Next(); i++ {
		text, err := d.arena.TextOr("text", strict.Member(e.Value, "text"))
		if err != nil {
			return "", strict.Within(fmt.Sprintf("%s.parts[%d]", what, i), err)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n"), nil
}

func (d *requestDecoder) maxTokens(v []byte) (int, error) {
	n := member(v, "maxOutputTokens")
	if strict.Absent(n) {
		return 0, nil
	}
	return strict.Whole("generationConfig.maxOutputTokens", n)
}

// tools decodes the advertised tools. One that the provider runs itself has its
// member's name.
func (d *requestDecoder) tools(v []byte) (out []providers.Tool, err error) {
	if strict.Absent(v) {
		return nil, nil
	}
	v = listOf(v)
	if !strict.IsKind(v, '[') {
		return nil, strict.Mistyped("tools", v, "an array")
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		what := fmt.Sprintf("tools[%d]", i)
		if !strict.IsKind(e.Value, '{') {
			return nil, strict.Mistyped(what, e.Value, "an object")
		}
		for m := strict.Members(e.Value); m.Next(); {
			name := string(camel(m.Name))
			switch {
			case strict.Absent(m.Value):
			case name != "functionDeclarations":
				out = append(out, providers.Tool{Name: name})
			case !strict.IsKind(m.Value, '['):
				return nil, strict.Mistyped(what+"."+name, m.Value, "an array")
			default:
				k := 0
				for f := strict.Elements(m.Value); f.Next(); k++ {
					t, err := d.tool(f.Value)
					if err != nil {
						return nil, strict.Within(fmt.Sprintf("%s.%s[%d]", what, name, k), err)
					}
					out = append(out, t)
				}
			}
		}
	}
	return out, nil
}

func (d *requestDecoder) tool(v []byte) (t providers.Tool, err error) {
	if !strict.IsKind(v, '{') {
		return t, strict.Mistyped("", v, "an object")
	}
	for m := strict.Members(v); m.Next() && err == nil; {
		switch name := string(camel(m.Name)); name {
		case "name":
			t.Name, err = d.arena.TextOr(name, m.Value)
		case "description":
			t.Description, err = d.arena.TextOr(name, m.Value)
		case "parameters", "parametersJsonSchema":
			if strict.Absent(m.Value) {
				continue
			}
			if t.Schema = string(m.Value); !strict.IsKind(m.Value, '{') {
				err = strict.Mistyped(name, m.Value, "an object")
			}
		}
	}
	return t, err
}

func (d *requestDecoder) contents(v []byte) (out []providers.Message, err error) {
	v = listOf(v)
	if !strict.IsKind(v, '[') {
		return nil, strict.Mistyped("contents", v, "an array")
	}
	for e := strict.Elements(v); e.Next(); {
		m, err := d.content(e.Value)
		if err != nil {
			return nil, strict.Within(fmt.Sprintf("contents[%d]", len(out)), err)
		}
		out = append(out, m)
	}
	return out, nil
}

func (d *requestDecoder) content(v []byte) (m providers.Message, err error) {
	if !strict.IsKind(v, '{') {
		return m, strict.Mistyped("", v, "an object")
	}
	role, err := d.arena.TextOr("role", strict.Member(v, "role"))
	if err != nil {
		return m, err
	}
	switch m.Role = providers.Role(role); role {
	case "model":
		m.Role = providers.Assistant
	case "", "function": // nobody, and who answered calls at first
		m.Role = providers.User
	}
	parts := listOf(strict.Member(v, "parts"))
	if strict.Absent(parts) {
		return m, nil
	}
	if !strict.IsKind(parts, '[') {
		return m, strict.Mistyped("parts", parts, "an array")
	}
	d.turn(m.Role)
	for e := strict.Elements(parts); e.Next(); {
		b, err := d.block(e.Value)
		if err != nil {
			return m, strict.Within(fmt.Sprintf("parts[%d]", len(m.Blocks)), err)
		}
		m.Blocks = append(m.Blocks, b)
	}
	return m, nil
}

// block decodes a part that was sent.
func (d *requestDecoder) block(v []byte) (b providers.Block, err error) {
	p, err := readPart(v)
	if err != nil {
		return b, err
	}
	signature, err := d.arena.TextOr("thoughtSignature", p.signature)
	if err != nil {
		return b, err
	}
	switch p.kind {
	case partCall:
		b, err = d.call(&p)
	case partResult:
		return d.result(&p, signature)
	case "":
		if p.text == nil && !p.thought || signature != "" && !p.thought && string(p.text) == `""` {
			return providers.Block{Kind: providers.Opaque, Raw: string(v)}, nil // as one that is received
		}
		b.Kind = providers.Text
		if p.thought {
			b.Kind = providers.Thinking
		}
		if b.Text, err = d.arena.TextOr("text", p.text); p.incomplete {
			b.Raw = string(v)
		}
	default:
		if b, err = d.codec.block(&p); b.Kind == providers.ServerCall && !p.incomplete && hasOnly(p.data, "id", "toolType", "args") {
			b.Raw = ""
		}
	}
	if b.Raw == "" || b.Kind == providers.ToolCall {
		b.Signature = signature
	}
	return b, err
}

func (d *requestDecoder) call(p *part) (b providers.Block, err error) {
	b.Kind = providers.ToolCall
	if !strict.IsKind(p.data, '{') {
		return b, strict.Mistyped(p.kind, p.data, "an object")
	}
	if b.Name, err = d.arena.TextOr("name", member(p.data, "name")); err != nil {
		return b, strict.Within(p.kind, err)
	}
	id, err := d.arena.TextOr("id", member(p.data, "id"))
	if err != nil {
		return b, strict.Within(p.kind, err)
	}
	switch in := member(p.data, "args"); {
	case strict.Absent(in):
	case strict.IsKind(in, '"'): // how input is written that is no object
		b.Input, _ = d.arena.Text("args", in) // it is a string
	default:
		b.Input = d.arena.Copy(in)
	}
	if p.incomplete || !hasOnly(p.data, "id", "name", "args") {
		b.Raw = string(p.raw)
	}
	b.ID = d.called(id, b.Name)
	return b, nil
}

// result decodes a result: an output or an error that is a text, and images behind
// it; anything else keeps its own JSON.
func (d *requestDecoder) result(p *part, signature string) (b providers.Block, err error) {
	b.Kind = providers.ToolResult
	if !strict.IsKind(p.data, '{') {
		return b, strict.Mistyped(p.kind, p.data, "an object")
	}
	read := func(name string) (s string) {
		if err == nil {
			s, err = d.arena.TextOr(name, member(p.data, name))
		}
		return s
	}
	id, name, response := read("id"), read("name"), member(p.data, "response")
	if err == nil && !strict.Absent(response) && !strict.IsKind(response, '{') {
		err = strict.Mistyped("response", response, "an object")
	}
	if err != nil {
		return b, strict.Within(p.kind, err)
	}
	plain := d.response(&b, response) && !p.incomplete && hasOnly(p.data, "id", "name", "response", "parts")
	if parts := member(p.data, "parts"); strict.IsKind(parts, '[') {
		for e := strict.Elements(parts); e.Next(); {
			image, whole := d.image(e.Value)
			if image.Data != "" {
				b.Images = append(b.Images, image)
			}
			plain = plain && whole
		}
	}
	answered, called, same := d.answered(id, name)
	if b.ID = answered; name != called {
		b.Name = name
	}
	if b.Signature = signature; !plain || !same {
		b.Raw, b.Signature = string(p.raw), ""
	}
	return b, nil
}

// response reads what a tool answered, and reports whether that is all said in the
// block's Text and IsError.
func (d *requestDecoder) response(b *providers.Block, v []byte) bool {
	if !strict.IsKind(v, '{') {
		return false
	}
	n, known := 0, false
	for m := strict.Members(v); m.Next(); n++ {
		name := string(m.Name)
		b.IsError = b.IsError || name == "error"
		if strict.IsKind(m.Value, '"') {
			b.Text, _ = d.arena.Text("", m.Value) // it is a string
			known = name == "output" || name == "error"
		}
	}
	if n != 1 || b.Text == "" && !known {
		b.Text = d.arena.Copy(v)
	}
	return n == 1 && known
}

// image reads one that stands there; whole, that nothing else is said.
func (d *requestDecoder) image(v []byte) (image providers.ImageData, whole bool) {
	data := member(v, partInline)
	if !strict.IsKind(data, '{') {
		return image, false
	}
	image.Type, _ = d.arena.TextOr("", member(data, "mimeType"))
	image.Data, _ = d.arena.TextOr("", member(data, "data"))
	return image, image.Data != "" && hasOnly(v, partInline) && hasOnly(data, "mimeType", "data")
}
