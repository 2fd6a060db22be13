package fake

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// isStrict reports whether an input is JSON that can stand inside a chunk: strict,
// in one line, and nothing around it.
func isStrict(input string) bool {
	return jsontext.Value(input).IsValid() && strings.Trim(input, " \t") == input && !strings.ContainsAny(input, "\r\n")
}

// partialArgs returns the beginning of an input, which was cut, as the pieces that
// Vertex streams: a path and a value for each member. ok is false where they would
// not say these very bytes: inside a name, an escape, an object or an array.
func partialArgs(input string) (pieces string, ok bool) {
	var b builder
	rest, ok := strings.CutPrefix(input, "{")
	for more := ok; more; {
		var name string
		var closed bool
		if name, rest, closed = cutString(rest); !closed || name == "" || strings.ContainsAny(name, `.[\`) {
			return "", false
		}
		if rest, ok = strings.CutPrefix(rest, ":"); !ok {
			return "", false
		}
		if len(b.buf) > 0 {
			b.put(",")
		}
		b.put(`{"jsonPath": `)
		b.quote("$." + name)
		if strings.HasPrefix(rest, `"`) {
			var text string
			text, rest, closed = cutString(rest)
			plain, err := jsontext.AppendUnquote(nil, `"`+text+`"`)
			if err != nil || string(appendQuote(nil, string(plain))) != `"`+text+`"` {
				return "", false
			}
			b.put(`,"stringValue": "`, text, `"`)
			if !closed {
				b.put(`,"willContinue": true`)
			}
		} else {
			n := strings.IndexByte(rest, ',')
			if n < 0 {
				n = len(rest)
			}
			value := jsontext.Value(rest[:n])
			rest, closed = rest[n:], true
			switch {
			case !value.IsValid():
				return "", false
			case value.Kind() == '0':
				b.put(`,"numberValue": `, string(value))
			case value.Kind() == 't' || value.Kind() == 'f':
				b.put(`,"boolValue": `, string(value))
			default: // null is an enum's word, and an object is told by its members
				return "", false
			}
		}
		b.put("}")
		if rest, more = strings.CutPrefix(rest, ","); !more && rest != "" || more && rest == "" {
			return "", false
		}
	}
	return string(b.buf), ok && len(b.buf) > 0
}

// cutString takes a JSON string off the front, without its quotes. closed is false
// where it does not end.
func cutString(s string) (text, rest string, closed bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[1:i], s[i+1:], true
		}
	}
	return s[1:], "", false
}
