// Package strict reads JSON that must be exactly JSON, and walks it where it
// lies, without a copy:
//
//	if err := strict.Check(data); err != nil {
//		return fmt.Errorf("the data is %w", err)
//	}
//	for m := strict.Members(data); m.Next(); {
//		switch string(m.Name) { ... m.Value ... }
//	}
//
// A reader of a member takes what it is called, for the sentence about one of the
// wrong type, and its value as it stands.
//
// The walks look for brackets and quotes and for nothing else. That is right
// because Check has looked at every byte before, and only then.
package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Check returns nil if data is one JSON value and nothing else, strictly: names
// in an object are unique, strings are valid UTF-8 and valid surrogate pairs. Its
// error completes the sentence "the data is ..."; where the data ends too early,
// it is an io.ErrUnexpectedEOF.
func Check(data []byte) error {
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

// CheckObject is Check for data that must be an object, which it returns without
// the white space in front of it. what names the data in the error.
func CheckObject(what string, data []byte) ([]byte, error) {
	if err := Check(data); err != nil {
		return nil, fmt.Errorf("%s is %w", what, err)
	}
	if data = SkipSpace(data); data[0] != '{' {
		return nil, Mistyped(what, data, "an object")
	}
	return data, nil
}

// Object is a walk over the members of an object; see Members.
type Object struct {
	rest        []byte
	Name, Value []byte // the current member: its name unquoted, its value as it stands
}

// Members walks the members of an object that has passed Check. Their values are
// parts of v, and their capacity ends where that of v does.
func Members(v []byte) Object { return Object{rest: inside(v)} }

// Next goes to the next member; false means that there is none.
func (o *Object) Next() bool {
	o.rest = SkipSpace(o.rest)
	if len(o.rest) == 0 {
		return false
	}
	n := valueLen(o.rest)
	o.Name = o.rest[1 : n-1]
	if bytes.IndexByte(o.Name, '\\') >= 0 {
		o.Name, _ = jsontext.AppendUnquote(nil, o.rest[:n])
	}
	o.rest = SkipSpace(SkipSpace(o.rest[n:])[1:]) // the colon
	n = valueLen(o.rest)
	o.Value = o.rest[:n]
	o.rest = skipComma(o.rest[n:])
	return true
}

// Array is a walk over the elements of an array; see Elements.
type Array struct {
	rest  []byte
	Value []byte // the current element as it stands
}

// Elements walks the elements of an array that has passed Check.
func Elements(v []byte) Array { return Array{rest: inside(v)} }

// Next goes to the next element; false means that there is none.
func (a *Array) Next() bool {
	a.rest = SkipSpace(a.rest)
	if len(a.rest) == 0 {
		return false
	}
	n := valueLen(a.rest)
	a.Value = a.rest[:n]
	a.rest = skipComma(a.rest[n:])
	return true
}

// inside returns what stands between the brackets of an object or array.
func inside(v []byte) []byte {
	v = SkipSpace(v)
	n := len(v) - 1
	for v[n] != '}' && v[n] != ']' { // white space
		n--
	}
	return v[1:n]
}

// IsEmpty reports whether an object or array has nothing in it.
func IsEmpty(v []byte) bool { return len(SkipSpace(inside(v))) == 0 }

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

// SkipSpace returns v without the white space in front of it.
func SkipSpace(v []byte) []byte {
	for len(v) > 0 && (v[0] == ' ' || v[0] == '\t' || v[0] == '\r' || v[0] == '\n') {
		v = v[1:]
	}
	return v
}

func skipComma(v []byte) []byte {
	if v = SkipSpace(v); len(v) > 0 && v[0] == ',' {
		v = v[1:]
	}
	return v
}

// Absent reports whether a member is missing or null.
func Absent(v []byte) bool { return v == nil || string(v) == "null" }

// Mistyped is the sentence about a member of the wrong type.
func Mistyped(what string, v []byte, want string) error {
	if v == nil {
		return fmt.Errorf("%s is missing; want %s", what, want)
	}
	return fmt.Errorf("%s is %s; want %s", what, Snippet(v), want)
}

// Snippet shortens v for an error's sentence.
func Snippet(v []byte) string {
	const most = 60
	if len(v) <= most {
		return string(v)
	}
	return strings.ToValidUTF8(string(v[:most]), "") + "..."
}

// Whole returns a member that must be a whole number, not negative.
func Whole(what string, v []byte) (int, error) {
	n := 0
	for i, c := range v {
		if c < '0' || c > '9' || i > 9 {
			return 0, Mistyped(what, v, "a whole number")
		}
		n = n*10 + int(c-'0')
	}
	if len(v) == 0 {
		return 0, Mistyped(what, nil, "a whole number")
	}
	return n, nil
}

// Flag returns a member that must be true, false, null or absent.
func Flag(what string, v []byte) (bool, error) {
	switch {
	case Absent(v), string(v) == "false":
		return false, nil
	case string(v) == "true":
		return true, nil
	}
	return false, Mistyped(what, v, "true or false")
}

// IsKind reports whether v begins with c: '{', '[' or '"'.
func IsKind(v []byte, c byte) bool { return len(v) > 0 && v[0] == c }
