package gemini

import (
	"bytes"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// part is one part of a content: a text, a call or something else, and what is
// said of it. Members are known under both of their names: the API writes
// functionCall and takes function_call as well.
type part struct {
	raw        []byte
	text       []byte
	thought    bool
	signature  []byte
	kind       string // the name of the member that is neither; "" if there is none
	data       []byte // its value
	incomplete bool   // it says more than that
}

// Kinds of parts.
const (
	partCall      = "functionCall"
	partResult    = "functionResponse"
	partInline    = "inlineData"
	partFile      = "fileData"
	partToolCall  = "toolCall"     // one that the provider runs itself
	partToolReply = "toolResponse" // its answer
)

func readPart(v []byte) (p part, err error) {
	if !strict.IsKind(v, '{') {
		return p, strict.Mistyped("", v, "an object")
	}
	p.raw = v
	for m := strict.Members(v); m.Next(); {
		switch string(camel(m.Name)) {
		case "text":
			p.text = m.Value
		case "thought":
			if p.thought, err = strict.Flag("thought", m.Value); err != nil {
				return p, err
			}
		case "thoughtSignature":
			p.signature = m.Value
		case "videoMetadata", "mediaResolution", "partMetadata":
			p.incomplete = p.incomplete || !strict.Absent(m.Value)
		default:
			if strict.Absent(m.Value) {
				continue
			}
			p.incomplete = p.incomplete || p.kind != ""
			p.kind, p.data = string(camel(m.Name)), m.Value
		}
	}
	p.incomplete = p.incomplete || p.kind != "" && !strict.Absent(p.text)
	return p, nil
}

// camel is a member's name as the API writes it.
func camel(name []byte) []byte {
	if bytes.IndexByte(name, '_') < 0 {
		return name
	}
	var out []byte
	for i := 0; i < len(name); i++ {
		if name[i] == '_' && len(out) > 0 && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' {
			i++
			out = append(out, name[i]-'a'+'A')
		} else {
			out = append(out, name[i])
		}
	}
	return out
}

// part decodes one part of an answer. A part that comes first in its chunk may go
// on with what the last chunk ended with; one behind another is a new one.
func (c *codec) part(v []byte, first bool) error {
	p, err := readPart(v)
	if err != nil {
		return err
	}
	signature, err := c.arena.TextOr("thoughtSignature", p.signature)
	if err != nil {
		return err
	}
	switch p.kind {
	case "":
		return c.text(&p, signature, first)
	case partCall:
		return c.call(&p, signature)
	}
	b, err := c.block(&p)
	if err != nil {
		return err
	}
	input := b.Input
	b.Input = ""
	c.begin(nothing, &b)
	c.delta(providers.InputDelta, input)
	c.end()
	return nil
}

// text decodes words: of the answer, or thought. A signature is the last that is
// said of its part, and may come behind the words, with none of its own. The
// words that follow are another part, which must not go back as one with it.
func (c *codec) text(p *part, signature string, first bool) error {
	text, err := c.arena.TextOr("text", p.text)
	if err != nil || text == "" && signature == "" {
		return err
	}
	s, kind, delta := answer, providers.Text, providers.TextDelta
	if p.thought {
		s, kind, delta = thought, providers.Thinking, providers.ThinkingDelta
	}
	if text == "" && !p.thought && (c.open != answer || !first) {
		// A signature of nothing, behind a call or a thought: it goes back as it came.
		c.begin(nothing, &providers.Block{Kind: providers.Opaque, Raw: string(p.raw)})
		c.end()
		return nil
	}
	if c.open != s || !first {
		c.begin(s, &providers.Block{Kind: kind})
	}
	c.delta(delta, text)
	c.seen.text = p.text
	if signature != "" {
		c.delta(providers.SignatureDelta, signature)
		c.end()
	}
	return nil
}

// block is what a part says that is neither words nor one of our calls.
func (c *codec) block(p *part) (b providers.Block, err error) {
	b.Kind, b.Raw = providers.Opaque, string(p.raw)
	if !strict.IsKind(p.data, '{') {
		return b, nil
	}
	read := func(what, name string) (s string) {
		if err == nil {
			s, err = c.arena.TextOr(what+"."+name, member(p.data, name))
		}
		return s
	}
	switch p.kind {
	case partToolCall:
		b.Kind = providers.ServerCall
		b.ID, b.Name = read(p.kind, "id"), read(p.kind, "toolType")
		if in := member(p.data, "args"); !strict.Absent(in) {
			b.Input = c.arena.Copy(in)
		}
	case partToolReply:
		b.Kind = providers.ServerResult
		b.ID = read(p.kind, "id")
	case partInline, partFile:
		if strings.HasPrefix(read(p.kind, "mimeType"), "image/") {
			b.Kind = providers.Image
		}
	}
	return b, err
}

// member returns a member under either of its names.
func member(v []byte, name string) []byte {
	if !strict.IsKind(v, '{') {
		return nil
	}
	for m := strict.Members(v); m.Next(); {
		if string(camel(m.Name)) == name {
			return m.Value
		}
	}
	return nil
}

// hasOnly reports whether an object says nothing but in these members.
func hasOnly(v []byte, names ...string) bool {
next:
	for m := strict.Members(v); m.Next(); {
		for _, name := range names {
			if string(camel(m.Name)) == name {
				continue next
			}
		}
		if !strict.Hollow(m.Value) {
			return false
		}
	}
	return true
}
