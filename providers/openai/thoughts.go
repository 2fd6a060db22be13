package openai

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// thought decodes what was thought. Servers send it under two names, and some
// under both: then it is the same text twice. The details of OpenRouter are what
// the model wants back: they are the block's signature, as they came.
func (c *chat) thought(a, b, details []byte) error {
	told := true
	switch {
	case !strict.Hollow(a):
		if err := c.pieceOf(reasoning, "reasoning_content", a); err != nil {
			return err
		}
	case !strict.Hollow(b):
		if err := c.pieceOf(reasoning, "reasoning", b); err != nil {
			return err
		}
	default:
		told = false
	}
	if strict.Hollow(details) {
		return nil
	}
	if !strict.IsKind(details, '[') {
		return strict.Mistyped("reasoning_details", details, "an array")
	}
	i := 0
	for e := strict.Elements(details); e.Next(); i++ {
		err := error(nil)
		switch {
		case !strict.IsKind(e.Value, '{'):
			err = strict.Mistyped("", e.Value, "an object")
		case !told:
			if err = c.pieceOf(reasoning, "text", strict.Member(e.Value, "text")); err == nil {
				err = c.pieceOf(reasoning, "summary", strict.Member(e.Value, "summary"))
			}
		}
		if err != nil {
			return strict.Within(fmt.Sprintf("reasoning_details[%d]", i), err)
		}
		c.ensure(reasoning)
		c.add(providers.Event{Kind: providers.SignatureDelta, Index: c.at, Text: c.arena.Copy(e.Value)})
	}
	return nil
}

// thoughts is what an answer thought, as Chat takes it back: in reasoning_content,
// or, where a signature is there, as the details that it consists of
// (OpenRouter). A stream brings a detail in pieces; whole it is one.
type thoughts struct {
	text    strings.Builder
	details []detail
}

// detail is one element of reasoning_details.
type detail struct {
	kind, index string
	names       []string
	values      map[string]string // as JSON, but for the text
	field       string            // which of them is the text: text or summary
	text        []byte
}

func (t *thoughts) add(b *providers.Block) {
	if b.Signature == "" || !t.addDetails(b.Signature) {
		t.text.WriteString(b.Text)
	}
}

// addDetails reads a signature, and reports whether it is one of ours: objects,
// one behind the other.
func (t *thoughts) addDetails(signature string) bool {
	var found []jsontext.Value
	for d := jsontext.NewDecoder(strings.NewReader(signature)); ; {
		if d.PeekKind() != '{' {
			break
		}
		v, err := d.ReadValue()
		if err != nil {
			return false
		}
		found = append(found, v.Clone())
	}
	n := 0
	for _, v := range found {
		n += len(v)
	}
	if len(found) == 0 || n != len(signature) {
		return false
	}
	for _, v := range found {
		t.addDetail(v)
	}
	return true
}

func (t *thoughts) addDetail(v []byte) {
	d := detail{kind: string(strict.Member(v, "type")), index: string(strict.Member(v, "index")), values: map[string]string{}}
	switch d.kind {
	case `"reasoning.text"`:
		d.field = "text"
	case `"reasoning.summary"`:
		d.field = "summary"
	}
	to := &d
	if n := len(t.details); n > 0 && d.field != "" && t.details[n-1].kind == d.kind && t.details[n-1].index == d.index {
		to = &t.details[n-1] // one more piece of the last one
	}
	for m := strict.Members(v); m.Next(); {
		name := string(m.Name)
		if name == to.field && to.field != "" && strict.IsKind(m.Value, '"') {
			to.text, _ = jsontext.AppendUnquote(to.text, m.Value)
			to.set(name, "")
		} else if to == &d || !strict.Absent(m.Value) {
			to.set(name, string(m.Value))
		}
	}
	if to == &d {
		t.details = append(t.details, d)
	}
}

func (d *detail) set(name, value string) {
	if _, ok := d.values[name]; !ok {
		d.names = append(d.names, name)
	}
	d.values[name] = value
}

func (t *thoughts) append(dst []byte) []byte {
	if t.text.Len() > 0 {
		dst = strict.AppendString(append(dst, `,"reasoning_content":`...), t.text.String())
	}
	for i, d := range t.details {
		if i == 0 {
			dst = append(dst, `,"reasoning_details":[`...)
		} else {
			dst = append(dst, ',')
		}
		for k, name := range d.names {
			sep := byte(',')
			if k == 0 {
				sep = '{'
			}
			dst = append(strict.AppendString(append(dst, sep), name), ':')
			if name == d.field && d.values[name] == "" {
				dst = strict.AppendString(dst, string(d.text))
			} else {
				dst = append(dst, d.values[name]...)
			}
		}
		if len(d.names) == 0 {
			dst = append(dst, '{')
		}
		dst = append(dst, '}')
	}
	if len(t.details) > 0 {
		dst = append(dst, ']')
	}
	return dst
}
