package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Closed returns the input of a call whose block was closed: the raw bytes, or
// an empty object where there are none, because a call without arguments may
// be sent without any (anthropics/anthropic-sdk-java p295). Only whoever read
// the stream knows that the block was closed, so nothing else in this package
// reads empty bytes as {}: those of a cut call are no input at all.
func Closed(raw []byte) []byte {
	if len(bytes.TrimSpace(raw)) == 0 {
		return []byte("{}")
	}
	return raw
}

// Reasons of a Refusal with CodeInvalid.
const (
	ReasonEmpty     = "empty"      // no bytes
	ReasonNotJSON   = "not_json"   // not exactly one JSON value: syntax, duplicate keys, invalid UTF-8, trailing bytes
	ReasonNotObject = "not_object" // JSON, but not an object
	ReasonSchema    = "schema"     // an object that does not fit the schema
)

// A number longer than this, or with a larger exponent, is refused: exact
// arithmetic on it could take the process down.
const (
	maxNumber   = 1000
	maxExponent = 9999
)

// parse reads exactly one JSON object, strictly; numbers stay as they were
// written. why is a clause that continues "The input of X ...".
func parse(input []byte) (v map[string]any, reason, why string) {
	if len(bytes.TrimSpace(input)) == 0 {
		return nil, ReasonEmpty, "is empty"
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(input))
	x, err := value(d)
	if err == nil {
		_, err = d.ReadToken()
		switch {
		case err == io.EOF:
			err = nil
		case err == nil:
			return nil, ReasonNotJSON, fmt.Sprintf("is more than one JSON value: something follows the first, at byte %d", d.InputOffset())
		}
	}
	if err != nil {
		return nil, ReasonNotJSON, explain(err, input)
	}
	obj, ok := x.(map[string]any)
	if !ok {
		return nil, ReasonNotObject, "is " + article(x) + ", not a JSON object" + hint(x)
	}
	return obj, "", ""
}

// value reads one value from d. d refuses duplicate names, invalid UTF-8 and
// nesting that is absurdly deep.
func value(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case 'n':
		return nil, nil
	case 't', 'f':
		return t.Bool(), nil
	case '"':
		return t.String(), nil
	case '0':
		return number(t.String())
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			x, err := value(d)
			if err != nil {
				return nil, err
			}
			list = append(list, x)
		}
		_, err := d.ReadToken()
		return list, err
	}
	obj := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		if obj[key], err = value(d); err != nil {
			return nil, err
		}
	}
	_, err = d.ReadToken()
	return obj, err
}

type numberError string

func (e numberError) Error() string {
	return "has a number that is too large to handle: " + line(string(e), 40)
}

func number(lit string) (any, error) {
	if len(lit) > maxNumber {
		return nil, numberError(lit)
	}
	if i := strings.IndexAny(lit, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(lit[i+1:]); err != nil || exp > maxExponent || exp < -maxExponent {
			return nil, numberError(lit)
		}
	}
	return json.Number(lit), nil
}

// explain says what is wrong with input that is not JSON.
func explain(err error, input []byte) string {
	if n := numberError(""); errors.As(err, &n) {
		return n.Error()
	}
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) {
		return "is not valid JSON: " + line(err.Error(), 200)
	}
	switch {
	case errors.Is(syn.Err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("names the key %s twice", strconv.Quote(line(syn.JSONPointer.LastToken(), 60)))
	case errors.Is(syn.Err, io.ErrUnexpectedEOF), errors.Is(syn.Err, io.EOF):
		return fmt.Sprintf("is not complete JSON: it ends after %s in the middle of a value", count(len(input), "byte"))
	}
	at := min(max(int(syn.ByteOffset), 0), len(input))
	return fmt.Sprintf("is not valid JSON: %s at byte %d, near %q", line(syn.Err.Error(), 120), at, input[max(at-12, 0):min(at+12, len(input))])
}

// article names a JSON value's type with its article.
func article(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "a number"
		}
		return "an integer"
	case []any:
		return "an array"
	}
	return "an object"
}

// hint is what to do instead, for the mistakes that models make.
func hint(v any) string {
	switch v := v.(type) {
	case string:
		if _, reason, _ := parse([]byte(v)); reason == "" {
			return " (it is an object written into a string: send the object itself)"
		}
	case []any:
		if len(v) == 1 {
			if _, ok := v[0].(map[string]any); ok {
				return " (it is an array around one object: send the object itself)"
			}
		}
	}
	return ""
}
