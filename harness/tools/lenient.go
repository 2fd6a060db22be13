package tools

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// maxSuggested bounds the input that is read leniently and what is suggested.
const maxSuggested = 4000

// suggest returns a sentence with the strict JSON that input most likely
// means, when exactly one object can be meant and fits the schema; else "".
// It is a suggestion to the model and nothing else: no call ever runs from a
// lenient reading, and input that was cut is never completed (N3).
func (s *schema) suggest(input []byte) string {
	strict, ok := lenient(string(input))
	if !ok {
		return ""
	}
	v, reason, _ := parse([]byte(strict)) // duplicate keys, numbers that are too large
	if reason != "" || s.check(v) != "" {
		return ""
	}
	return fmt.Sprintf(" As strict JSON it would be: %s. If that is what you mean, make the call again with it.", strict)
}

// lenient reads one JSON object with what models add to it: prose or a code
// fence around it, single quotes, unquoted keys, a comma behind the last item.
// Nothing is guessed: two objects, or one without an end, are none.
func lenient(text string) (strict string, ok bool) {
	if len(text) > maxSuggested {
		return "", false
	}
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return "", false
	}
	p := &lenientParser{s: text, at: at}
	if !p.value(0) || strings.ContainsAny(text[:at]+text[p.at:], "{}[]") {
		return "", false
	}
	v := jsontext.Value(p.out.String())
	if err := v.Compact(); err != nil { // a word, a number or an escape that JSON does not have
		return "", false
	}
	return string(v), true
}

type lenientParser struct {
	s   string
	at  int
	out strings.Builder
}

const maxLenientDepth = 50

// value reads one value and writes it strictly.
func (p *lenientParser) value(depth int) bool {
	p.space()
	if depth > maxLenientDepth || p.at >= len(p.s) {
		return false
	}
	switch c := p.s[p.at]; c {
	case '{':
		return p.items('}', func() bool {
			if !p.key() {
				return false
			}
			p.space()
			if !p.take(':') {
				return false
			}
			p.out.WriteByte(':')
			return p.value(depth + 1)
		})
	case '[':
		return p.items(']', func() bool { return p.value(depth + 1) })
	case '"', '\'':
		return p.text(c)
	}
	p.out.WriteString(p.word()) // true, false, null or a number, or nothing that passes for JSON
	return true
}

// items reads what stands between brackets, with or without a last comma.
func (p *lenientParser) items(end byte, item func() bool) bool {
	p.out.WriteByte(p.s[p.at])
	p.at++
	for n := 0; ; n++ {
		p.space()
		if p.take(end) {
			p.out.WriteByte(end)
			return true
		}
		if n > 0 {
			p.out.WriteByte(',')
		}
		if !item() {
			return false
		}
		p.space()
		if !p.take(',') {
			if !p.take(end) {
				return false
			}
			p.out.WriteByte(end)
			return true
		}
	}
}

func (p *lenientParser) key() bool {
	if p.at < len(p.s) && (p.s[p.at] == '"' || p.s[p.at] == '\'') {
		return p.text(p.s[p.at])
	}
	word := p.word()
	if word == "" {
		return false
	}
	p.out.WriteString(`"` + word + `"`)
	return true
}

// text reads a string in either kind of quotes.
func (p *lenientParser) text(quote byte) bool {
	var b strings.Builder
	b.WriteByte('"')
	for p.at++; p.at < len(p.s); p.at++ {
		switch c := p.s[p.at]; {
		case c == quote:
			p.at++
			p.out.WriteString(b.String() + `"`)
			return true
		case c == '\\' && p.at+1 < len(p.s):
			p.at++
			if p.s[p.at] != '\'' {
				b.WriteByte(c)
			}
			b.WriteByte(p.s[p.at])
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	return false
}

// word reads up to the next sign of JSON.
func (p *lenientParser) word() string {
	n := strings.IndexAny(p.s[p.at:], ",:{}[]\"' \t\r\n")
	if n < 0 {
		n = len(p.s) - p.at
	}
	w := p.s[p.at : p.at+n]
	p.at += n
	return w
}

func (p *lenientParser) space() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *lenientParser) take(c byte) bool {
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

// TextCall reports whether an answer is a call that was written as text: all
// of it, perhaps in one code fence, is one JSON object that names a known tool
// and its input. Nothing runs from it either; the loop may ask for a real call.
// An example in a sentence, a quotation, two objects or another tool's name is
// an answer like any other (N3).
func TextCall(text string, reg *Registry) (name string, ok bool) {
	obj, reason, _ := parse([]byte(unfenced(untagged(unfenced(text)))))
	if reason != "" {
		return "", false
	}
	if f, is := obj["function"].(map[string]any); is {
		obj = f
	}
	if name, is := obj["name"].(string); is && has(reg, name) && hasInput(obj) {
		return name, true
	}
	if name, is := obj["tool"].(string); is && has(reg, name) {
		if hasInput(obj) {
			return name, true
		}
		rest := make(map[string]any, len(obj)) // the input's own keys may stand beside the name
		for k, v := range obj {
			if k != "tool" {
				rest[k] = v
			}
		}
		if reg.entries[name].schema.check(rest) == "" {
			return name, true
		}
	}
	return "", false
}

func has(reg *Registry, name string) bool { return reg != nil && reg.entries[name] != nil }

// hasInput reports whether an object holds a call's input: an object, or, as
// one protocol sends it, an object written into a string.
func hasInput(obj map[string]any) bool {
	for _, k := range []string{"arguments", "input", "parameters"} {
		switch v := obj[k].(type) {
		case map[string]any:
			return true
		case string:
			_, reason, _ := parse([]byte(v))
			return reason == ""
		}
	}
	return false
}

// untagged removes the tags with which some models mark a call: <tool_call> and
// the like.
func untagged(text string) string {
	text = strings.TrimSpace(text)
	name, body, ok := strings.Cut(strings.TrimPrefix(text, "<"), ">")
	if !ok || !strings.HasPrefix(text, "<") || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-|") != "" {
		return text
	}
	if inner, ok := strings.CutSuffix(body, "</"+name+">"); ok {
		return inner
	}
	return text
}

// unfenced removes white space and one code fence around a text.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	body, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	body, ok = strings.CutSuffix(body, "```")
	if !ok {
		return text
	}
	body = strings.TrimLeftFunc(body, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) // json
	return strings.TrimSpace(body)
}
