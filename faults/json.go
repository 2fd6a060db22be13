package faults

import (
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is one value of a JSON text, and where it stands.
type value struct {
	path     string // a JSON pointer
	name     string // the member's name; "": it is no member
	kind     jsontext.Kind
	from, to int
	member   int // where the member begins, if it is one
}

// values lists all values of a JSON text, outer ones first; nil if it is none.
func values(data string) []value {
	d := jsontext.NewDecoder(strings.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []value
	var open []int // containers, as indexes into out
	member := 0
	for {
		tok, err := d.ReadToken()
		if err == io.EOF {
			return out
		}
		if err != nil {
			return nil
		}
		end := int(d.InputOffset())
		kind := tok.Kind()
		switch kind {
		case '}', ']':
			out[open[len(open)-1]].to = end
			open = open[:len(open)-1]
			continue
		}
		parent, n := d.StackIndex(d.StackDepth())
		opens := kind == '{' || kind == '['
		if opens {
			parent, n = d.StackIndex(d.StackDepth() - 1)
		}
		start := end - 1
		if !opens {
			start = begin(data, kind, end)
		}
		if parent == '{' && n%2 == 1 && !opens {
			member = start
			continue // a name
		}
		v := value{path: string(d.StackPointer()), kind: kind, from: start, to: end}
		if parent == '{' {
			v.name = unescape(v.path[strings.LastIndexByte(v.path, '/')+1:])
			v.member = member
		}
		out = append(out, v)
		if opens {
			open = append(open, len(out)-1)
		}
	}
}

func unescape(s string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
}

// begin finds where a scalar that ends at end begins.
func begin(data string, kind jsontext.Kind, end int) int {
	i := end - 1
	if kind != '"' {
		for i > 0 && !strings.ContainsRune(" \t\r\n,:[{", rune(data[i-1])) {
			i--
		}
		return i
	}
	for i--; i >= 0; i-- { // to a quote with an even number of backslashes before it
		if data[i] != '"' {
			continue
		}
		n := 0
		for i-n-1 >= 0 && data[i-n-1] == '\\' {
			n++
		}
		if n%2 == 0 {
			break
		}
	}
	return max(i, 0)
}

// at returns the value at a pointer.
func at(vs []value, path string) (value, bool) {
	if i := slices.IndexFunc(vs, func(v value) bool { return v.path == path }); i >= 0 {
		return vs[i], true
	}
	return value{}, false
}

// text is the string that a value is, without escapes; "" if it is none.
func (v value) text(data string) string {
	if v.kind != '"' {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, data[v.from:v.to])
	if err != nil {
		return ""
	}
	return string(b)
}

// set puts another value in the place of one.
func set(data string, v value, with string) string { return data[:v.from] + with + data[v.to:] }

// without takes a member out of its object.
func without(data string, v value) string {
	from, to := v.member, v.to
	if rest := strings.TrimLeft(data[to:], " \t\r\n"); strings.HasPrefix(rest, ",") {
		to = len(data) - len(rest) + 1
	} else if head := strings.TrimRight(data[:from], " \t\r\n"); strings.HasSuffix(head, ",") {
		from = len(head) - 1
	}
	return data[:from] + data[to:]
}

// quote is a string as JSON.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	}
	return string(b)
}

// edit gives the values for which want holds another text; "" takes the member
// out. Later values come first, so that places stay what they are.
func edit(data string, want func(vs []value, v value) bool, with func(v value) string) string {
	vs := values(data)
	for i := len(vs) - 1; i >= 0; i-- {
		v := vs[i]
		if !want(vs, v) {
			continue
		}
		if now := with(v); now != "" {
			data = set(data, v, now)
		} else if v.name != "" {
			data = without(data, v)
		}
	}
	return data
}
