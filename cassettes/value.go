package cassettes

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// value is one JSON value, with the order of an object's keys as written: the
// first difference is the first one that a reader of the recording meets.
type value struct {
	kind  jsontext.Kind // as in jsontext: '{', '[', '"', '0', 't', 'f', 'n'
	text  string        // a string's content, a number's or literal's text
	keys  []string
	items []value // of an array, or of an object in the order of keys
}

// parseJSON reads exactly one JSON value. Duplicate keys and invalid UTF-8 are errors.
func parseJSON(s string) (value, error) {
	d := jsontext.NewDecoder(bytes.NewBufferString(s))
	v, err := readValue(d)
	if err != nil {
		return value{}, err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		if err == nil {
			err = errTwoValues
		}
		return value{}, err
	}
	return v, nil
}

const errTwoValues = jsonError("there is more than one value")

type jsonError string

func (e jsonError) Error() string { return string(e) }

func readValue(d *jsontext.Decoder) (value, error) {
	t, err := d.ReadToken()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return value{}, err
	}
	v := value{kind: t.Kind()}
	switch v.kind {
	case '{':
		for d.PeekKind() != '}' {
			k, err := d.ReadToken()
			if err != nil {
				return value{}, err
			}
			key := k.String()
			e, err := readValue(d)
			if err != nil {
				return value{}, err
			}
			v.keys, v.items = append(v.keys, key), append(v.items, e)
		}
		_, err = d.ReadToken()
	case '[':
		for d.PeekKind() != ']' {
			e, err := readValue(d)
			if err != nil {
				return value{}, err
			}
			v.items = append(v.items, e)
		}
		_, err = d.ReadToken()
	default:
		v.text = t.String()
	}
	return v, err
}

// get returns an object's member.
func (v *value) get(key string) *value {
	for i, k := range v.keys {
		if k == key {
			return &v.items[i]
		}
	}
	return nil
}

// canon writes the value so that equal JSON gives equal bytes: keys sorted,
// numbers in one form, and what skip names left out. Content matching looks
// requests up by it.
func (v *value) canon(b *strings.Builder, at *place, skip []Path) {
	if at.in(skip) {
		return
	}
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for _, i := range sortedIndex(v.keys) {
			b.WriteString(quote(v.keys[i]) + ":")
			v.items[i].canon(b, at.key(v.keys[i]), skip)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			v.items[i].canon(b, at.index(i), skip)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(v.text))
	case '0':
		b.WriteString(number(v.text))
	default:
		b.WriteString(v.text)
	}
}

// String is the value as compact JSON, its keys in their order.
func (v *value) String() string {
	var b strings.Builder
	v.render(&b)
	return b.String()
}

func (v *value) render(b *strings.Builder) {
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quote(v.keys[i]) + ":")
			v.items[i].render(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			v.items[i].render(b)
		}
		b.WriteByte(']')
	case '"':
		b.WriteString(quote(v.text))
	default:
		b.WriteString(v.text)
	}
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8, replaced; parseJSON lets none through
		return string(b)
	}
	return string(b)
}

// number gives equal numbers equal text: 1, 1.0 and 10e-1 are one number, and
// large integers keep every digit.
func number(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	exp := 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var ok bool
		if exp, ok = exponent(s[i+1:]); !ok {
			return sign + s // beyond reason: equal only to itself
		}
		s = s[:i]
	}
	if i := strings.IndexByte(s, '.'); i >= 0 {
		exp -= len(s) - i - 1
		s = s[:i] + s[i+1:]
	}
	s = strings.TrimLeft(s, "0")
	if s == "" {
		return "0"
	}
	t := strings.TrimRight(s, "0")
	exp += len(s) - len(t)
	return sign + t + "e" + strconv.Itoa(exp)
}

func exponent(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "+"))
	return n, err == nil && n > -1_000_000 && n < 1_000_000
}

// sortedIndex returns the positions of keys in their sorted order.
func sortedIndex(keys []string) []int {
	idx := make([]int, len(keys))
	for i := range idx {
		idx[i] = i
	}
	slices.SortFunc(idx, func(i, j int) int { return strings.Compare(keys[i], keys[j]) })
	return idx
}
