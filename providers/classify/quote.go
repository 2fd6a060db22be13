package classify

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unwrap takes an error out of the one that a proxy made of it: the server's own
// answer stands inside the proxy's message, as JSON or as Python prints it
// (LiteLLM, OpenRouter, the SDKs).
func unwrap(typ, code, message string) (t, c, m string) {
	for range 3 {
		if strings.Contains(message, "ContextWindowExceededError") && names[strings.ToLower(code)] == "" {
			code = "ContextWindowExceededError" // LiteLLM's own judgement
		}
		it, ic, im, ok := inner(message)
		if !ok {
			break
		}
		typ, code, message = or(it, typ), or(ic, code), im
	}
	return typ, code, message
}

// inner finds an error object inside a message.
func inner(message string) (typ, code, text string, ok bool) {
	from := 0
	for range 4 {
		i := strings.IndexByte(message[from:], '{')
		if i < 0 {
			break
		}
		from += i
		v, err := jsontext.NewDecoder(strings.NewReader(message[from:]), lenient).ReadValue()
		if err == nil {
			if typ, code, text, ok = readObject(v); ok && text != "" && text != message {
				return typ, code, text, true
			}
		}
		from++
	}
	if text = pythonValue(message, "message"); text != "" {
		return pythonValue(message, "type"), pythonValue(message, "code"), text, true
	}
	return "", "", "", false
}

// pythonValue returns the string behind 'name': in what Python prints.
func pythonValue(text, name string) string {
	_, rest, ok := strings.Cut(text, "'"+name+"': ")
	if !ok || rest == "" || rest[0] != '\'' && rest[0] != '"' {
		return ""
	}
	quote := rest[0]
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			return rest[1:i]
		}
	}
	return ""
}

// unquoted returns the text without what stands between quotation marks: that
// is somebody else's. Between backticks stands a name, unless it has a space.
func unquoted(text string) string {
	var b strings.Builder
	last := byte(' ')
	for text != "" {
		n := quotation(last, text)
		switch {
		case n == 0:
			n = 1
			b.WriteByte(text[0])
		case text[0] == '`' && !strings.Contains(text[:n], " "):
			b.WriteString(text[:n])
		default:
			b.WriteString("''")
		}
		last, text = text[n-1], text[n:]
	}
	return b.String()
}

// quotation returns the length of the quotation that text begins with, marks
// included; last is what stands before it. An apostrophe begins and ends none.
func quotation(last byte, text string) int {
	switch {
	case text[0] == '"':
		return through(text, 1, `"`)
	case text[0] == '`':
		return through(text, 1, "`")
	case text[0] == '\'' && !isWord(last):
		for n := 1; n > 0; {
			if n = through(text, n, "'"); n == len(text) || n > 0 && !isWord(text[n]) {
				return n
			}
		}
	case strings.HasPrefix(text, "“"):
		return through(text, 1, "”")
	}
	return 0
}

// through returns the length of text up to the next mark from position from,
// the mark included; 0 if there is none.
func through(text string, from int, mark string) int {
	i := strings.Index(text[from:], mark)
	if i < 0 {
		return 0
	}
	return from + i + len(mark)
}

func isWord(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}
