package journal

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// CorruptError says that a file of a session is not what this package writes,
// and that nothing was changed. Line counts from 1; 0 means the file as a whole.
type CorruptError struct {
	File string
	Line int
	What string // what is wrong
	Want string // what would be right
}

func (e *CorruptError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.What)
	if e.Want != "" {
		b.WriteString("; want " + e.Want)
	}
	return b.String()
}

// explain finds the sentence for a line that the decoder refused at a place.
// It reads the line again, leniently, into v (a *Record or *Entry).
func explain(line []byte, place int, v any) error {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return &CorruptError{What: fmt.Sprintf("NUL byte at column %d", i+1), Want: "one JSON object; bytes of it are lost"}
	}
	if bytes.HasSuffix(line, []byte("\r")) {
		return &CorruptError{What: "the line ends in CR LF", Want: "LF alone: an editor or a transfer changed the file"}
	}
	var first struct {
		Kind    Kind `json:"kind"`
		Version int  `json:"version"`
	}
	if json.Unmarshal(line, &first) == nil && first.Kind == KindSession && first.Version > Version {
		return &CorruptError{What: fmt.Sprintf("format version %d", first.Version), Want: fmt.Sprintf("version %d, the only one that this program reads", Version)}
	}
	if err := json.Unmarshal(line, v, json.RejectUnknownMembers(true)); err != nil {
		return &CorruptError{What: jsonSentence(err)}
	}
	var kind Kind
	var missing string
	switch v := v.(type) {
	case *Record:
		kind = v.Kind
		missing = missingField(line, "seq", "time", "session", "run", "kind", "audit")
	case *Entry:
		kind = v.Kind
		missing = missingField(line, "seq", "kind", "line", "why", "prev", "hash")
	}
	if missing != "" {
		return &CorruptError{What: fmt.Sprintf("field %q is missing", missing)}
	}
	if _, ok := kindOf(string(kind)); !ok {
		return &CorruptError{What: fmt.Sprintf("unknown kind %q", clip(string(kind), 40)), Want: "one of the kinds of record"}
	}
	return &CorruptError{
		What: fmt.Sprintf("column %d, at %s, is not as this program writes it", place+1, quoteAt(line, place)),
		Want: "one spelling: fields in order, empty ones left out, no spaces, no needless escapes, whole numbers",
	}
}

func missingField(line []byte, names ...string) string {
	var have map[string]jsontext.Value
	if json.Unmarshal(line, &have) != nil {
		return ""
	}
	for _, n := range names {
		if _, ok := have[n]; !ok {
			return n
		}
	}
	return ""
}

// jsonSentence turns an error of the JSON package into words without Go types.
func jsonSentence(err error) string {
	var syn *jsontext.SyntacticError
	var sem *json.SemanticError
	switch {
	case errors.As(err, &syn) && errors.Is(syn, jsontext.ErrDuplicateName):
		return fmt.Sprintf("field %q stands twice", clip(syn.JSONPointer.LastToken(), 40))
	case errors.As(err, &syn):
		return fmt.Sprintf("not JSON at column %d: %v", syn.ByteOffset+1, syn.Err)
	case errors.As(err, &sem) && errors.Is(sem.Err, json.ErrUnknownName):
		return fmt.Sprintf("unknown field %q", clip(sem.JSONPointer.LastToken(), 40))
	case errors.As(err, &sem):
		where := "the line"
		if p := string(sem.JSONPointer); p != "" {
			where = fmt.Sprintf("field %q", clip(strings.TrimPrefix(p, "/"), 80))
		}
		return fmt.Sprintf("%s is %s; want %s", where, jsonWord(sem), goWord(sem.GoType))
	}
	return "not a record: " + err.Error()
}

func jsonWord(e *json.SemanticError) string {
	switch e.JSONKind.String() {
	case "{":
		return "an object"
	case "[":
		return "an array"
	case "string":
		return "a string"
	case "number":
		return strings.TrimSpace("the number " + clip(string(e.JSONValue), 40))
	}
	return e.JSONKind.String()
}

func goWord(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a whole number"
}

// quoteAt shows the bytes around a place.
func quoteAt(line []byte, place int) string {
	if place >= len(line) {
		return "its end"
	}
	return fmt.Sprintf("%q", clip(string(line[place:]), 24))
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "..."
}
