package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// check returns nil if data is one JSON value and nothing else, strictly: names
// in an object are unique, strings are valid UTF-8 and valid surrogate pairs.
// Everything below members and elements relies on it having been called.
func check(data []byte) error {
	if jsontext.Value(data).IsValid() {
		return nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(data))
	_, err := d.ReadValue()
	if err == nil {
		return fmt.Errorf("more than one JSON value: something follows at byte %d", d.InputOffset())
	}
	if errors.Is(err, io.EOF) {
		return empty{}
	}
	return notJSON{err}
}

// The errors of check complete the sentence "the data is ...".

// empty is nothing where a value should be.
type empty struct{}

func (empty) Error() string { return "empty" }
func (empty) Unwrap() error { return io.ErrUnexpectedEOF }

// notJSON says where JSON breaks, in the parser's words.
type notJSON struct{ err error }

func (e notJSON) Error() string {
	return "not strict JSON: " + strings.TrimPrefix(strings.ReplaceAll(e.err.Error(), "unexpected EOF", "it ends too early"), "jsontext: ")
}
func (e notJSON) Unwrap() error { return e.err }

// walk goes over the members of an object; see members.
type walk struct {
	rest        []byte
	name, value []byte // the current member: its name unquoted, its value as it stands
}

// members walks the members of an object that has passed check:
//
//	for m := members(v); m.next(); {
//		switch string(m.name) { ... m.value ... }
//	}
func members(v []byte) walk { return walk{rest: inside(v)} }

func (o *walk) next() bool {
	o.rest = skipSpace(o.rest)
	if len(o.rest) == 0 {
		return false
	}
	n := valueLen(o.rest)
	o.name = o.rest[1 : n-1]
	if bytes.IndexByte(o.name, '\\') >= 0 {
		o.name, _ = jsontext.AppendUnquote(nil, o.rest[:n])
	}
	o.rest = skipSpace(skipSpace(o.rest[n:])[1:]) // the colon
	n = valueLen(o.rest)
	o.value = o.rest[:n]
	o.rest = skipComma(o.rest[n:])
	return true
}

// array is a walk over the elements of an array; see elements.
type array struct {
	rest  []byte
	value []byte
}

// elements walks the elements of an array that has passed check.
func elements(v []byte) array { return array{rest: inside(v)} }

func (a *array) next() bool {
	a.rest = skipSpace(a.rest)
	if len(a.rest) == 0 {
		return false
	}
	n := valueLen(a.rest)
	a.value = a.rest[:n]
	a.rest = skipComma(a.rest[n:])
	return true
}

// inside returns what stands between the brackets of an object or array.
func inside(v []byte) []byte {
	v = skipSpace(v)
	n := len(v) - 1
	for v[n] != '}' && v[n] != ']' { // white space
		n--
	}
	return v[1:n]
}

// valueLen returns the length of the valid value that v begins with.
func valueLen(v []byte) int {
	switch v[0] {
	case '"':
		return stringLen(v)
	case '{', '[':
		depth := 0
		for i := 0; ; {
			switch v[i] {
			case '"':
				i += stringLen(v[i:])
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	default:
		if i := bytes.IndexAny(v, ",}] \t\r\n"); i >= 0 {
			return i
		}
		return len(v)
	}
}

// stringLen returns the length of the valid string that v begins with, quotes included.
func stringLen(v []byte) int {
	i := 1
	for {
		i += bytes.IndexByte(v[i:], '"')
		n := 0
		for v[i-1-n] == '\\' {
			n++
		}
		i++
		if n%2 == 0 {
			return i
		}
	}
}

func skipSpace(v []byte) []byte {
	for len(v) > 0 && (v[0] == ' ' || v[0] == '\t' || v[0] == '\r' || v[0] == '\n') {
		v = v[1:]
	}
	return v
}

func skipComma(v []byte) []byte {
	if v = skipSpace(v); len(v) > 0 && v[0] == ',' {
		v = v[1:]
	}
	return v
}

// absent reports whether a member is missing or null.
func absent(v []byte) bool { return v == nil || string(v) == "null" }

// mistyped is the sentence about a member of the wrong type.
func mistyped(what string, v []byte, want string) error {
	if v == nil {
		return fmt.Errorf("%s is missing; want %s", what, want)
	}
	return fmt.Errorf("%s is %s; want %s", what, snippet(v), want)
}

// snippet shortens v for an error's sentence.
func snippet(v []byte) string {
	const most = 60
	if len(v) <= most {
		return string(v)
	}
	return strings.ToValidUTF8(string(v[:most]), "") + "..."
}

// whole returns a member that must be a whole number, not negative.
func whole(what string, v []byte) (int, error) {
	n := 0
	for i, c := range v {
		if c < '0' || c > '9' || i > 9 {
			return 0, mistyped(what, v, "a whole number")
		}
		n = n*10 + int(c-'0')
	}
	if len(v) == 0 {
		return 0, mistyped(what, nil, "a whole number")
	}
	return n, nil
}

// flag returns a member that must be true, false, null or absent.
func flag(what string, v []byte) (bool, error) {
	switch {
	case absent(v), string(v) == "false":
		return false, nil
	case string(v) == "true":
		return true, nil
	}
	return false, mistyped(what, v, "true or false")
}

// isKind reports whether v begins with c: '{', '[' or '"'.
func isKind(v []byte, c byte) bool { return len(v) > 0 && v[0] == c }
