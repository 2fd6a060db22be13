package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// operator is one way to compare.
type operator struct {
	alone   bool // takes no value
	negated bool // holds when the positive form holds for none
	numbers bool // compares numbers
	holds   func(e *Expect, got string) bool
}

// operators is the closed list; nobody changes it.
var operators = map[string]operator{
	"==":      {holds: equal},
	"!=":      {holds: equal, negated: true},
	"<":       {holds: less, numbers: true},
	"<=":      {holds: func(e *Expect, got string) bool { return less(e, got) || equal(e, got) }, numbers: true},
	">":       {holds: more, numbers: true},
	">=":      {holds: func(e *Expect, got string) bool { return more(e, got) || equal(e, got) }, numbers: true},
	"~":       {holds: matches},
	"!~":      {holds: matches, negated: true},
	"present": {holds: func(*Expect, string) bool { return true }, alone: true},
	"absent":  {holds: func(*Expect, string) bool { return true }, alone: true, negated: true},
}

func operatorNames() []string {
	return []string{"==", "!=", "<", "<=", ">", ">=", "~", "!~", "present", "absent"}
}

func equal(e *Expect, got string) bool {
	if got == e.Value {
		return true
	}
	a, b, ok := numbers(got, e.Value)
	return ok && a == b
}

func less(e *Expect, got string) bool { a, b, ok := numbers(got, e.Value); return ok && a < b }
func more(e *Expect, got string) bool { a, b, ok := numbers(got, e.Value); return ok && a > b }

func numbers(x, y string) (a, b float64, ok bool) {
	a, errA := strconv.ParseFloat(x, 64)
	b, errB := strconv.ParseFloat(y, 64)
	return a, b, errA == nil && errB == nil
}

func matches(e *Expect, got string) bool { return e.re != nil && e.re.MatchString(got) }

// compile checks the value against the operator.
func (e *Expect) compile() error {
	op := operators[e.Cmp]
	value := strings.ReplaceAll(e.Value, repetition, "1")
	switch {
	case op.numbers:
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return fmt.Errorf("%s compares numbers, and %q is none", e.Cmp, clip(e.Value))
		}
	case e.Cmp == "~" || e.Cmp == "!~":
		re, err := regexp.Compile(value)
		if err != nil {
			return fmt.Errorf("%q is no regular expression: %s", clip(e.Value), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		e.re = re
	}
	return nil
}

// Paths, by their first word.
var pathWords = []string{"model", "max_tokens", "bytes", "body", "tools", "messages", "results", "result", "call", "wire", "header"}

// checkPath refuses a path that no request can have.
func checkPath(path string) error {
	word, rest, dotted := strings.Cut(path, ".")
	switch word {
	case "model", "max_tokens", "bytes", "body", "tools", "results":
		if dotted {
			return fmt.Errorf("the path %s ends with %q: %s has no parts (wire.%s does)", path, "."+rest, word, path)
		}
	case "messages":
		n, part, _ := strings.Cut(rest, ".")
		if _, err := strconv.Atoi(n); err != nil && n != "*" || part != "role" && part != "text" {
			return fmt.Errorf("%s is no path; write messages.N.role, messages.-1.text or messages.*.text", path)
		}
	case "result":
		if strings.TrimSuffix(rest, ".error") == "" {
			return errors.New("result wants a call's id: write result.ID, or result.ID.error")
		}
	case "call":
		id, _, ok := cutInput(rest)
		if !ok || id == "" {
			return fmt.Errorf("%s is no path; write call.ID.input, or call.ID.input.P", path)
		}
	case "wire", "header":
		if rest == "" {
			return fmt.Errorf("%s wants a path behind it, as in wire.system or header.anthropic-version", word)
		}
	default:
		return errors.New(unknown("path", word, pathWords))
	}
	return nil
}

// cutInput splits ID.input.P.
func cutInput(rest string) (id, path string, ok bool) {
	id, path, ok = strings.Cut(rest, ".input")
	if !ok || path != "" && path[0] != '.' {
		return "", "", false
	}
	return id, strings.TrimPrefix(path, "."), true
}

// judge says whether the request is as expected; if not, sentence says what it
// is instead.
func (e *Expect) judge(q *request) (ok bool, sentence string) {
	got := q.values(e.Path)
	op := operators[e.Cmp]
	holds := slices.ContainsFunc(got, func(v string) bool { return op.holds(e, v) })
	if holds != op.negated {
		return true, ""
	}
	want := "expect " + e.Path + " " + e.Cmp
	if !op.alone {
		want += " " + clip(e.Value)
	}
	switch len(got) {
	case 0:
		return false, want + ": the request has no such thing"
	case 1:
		return false, want + ": got " + strconv.Quote(clip(got[0]))
	}
	shown := make([]string, 0, 4)
	for _, v := range got[:min(len(got), 3)] {
		shown = append(shown, strconv.Quote(clip(v)))
	}
	if len(got) > 3 {
		shown = append(shown, fmt.Sprintf("and %d more", len(got)-3))
	}
	return false, want + ": got " + strings.Join(shown, ", ")
}

// values returns what the path leads to: nothing, one value, or with * any
// number of them.
func (q *request) values(path string) []string {
	word, rest, _ := strings.Cut(path, ".")
	switch word {
	case "model":
		return []string{q.neutral.Model}
	case "max_tokens":
		return []string{strconv.Itoa(q.neutral.MaxTokens)}
	case "bytes":
		return []string{strconv.Itoa(len(q.body))}
	case "body":
		return []string{string(q.body)}
	case "tools":
		var names []string
		for _, t := range q.neutral.Tools {
			names = append(names, t.Name)
		}
		return []string{strings.Join(names, " ")}
	case "messages":
		return q.messageValues(rest)
	case "results":
		return []string{strings.Join(q.results(), " ")}
	case "result":
		id, failed := strings.CutSuffix(rest, ".error")
		b := q.result(id)
		if b == nil {
			return nil
		}
		if failed {
			return []string{strconv.FormatBool(b.IsError)}
		}
		return []string{b.Text}
	case "call":
		id, p, _ := cutInput(rest)
		if b := q.call(id); b != nil {
			return jsonValues([]byte(b.Input), p)
		}
	case "wire":
		return jsonValues(q.body, rest)
	case "header":
		return q.header[http.CanonicalHeaderKey(rest)]
	}
	return nil
}

func (q *request) messageValues(rest string) []string {
	which, part, _ := strings.Cut(rest, ".")
	all := q.neutral.Messages
	if which != "*" {
		n, _ := strconv.Atoi(which)
		if n < 0 {
			n += len(all)
		}
		if n < 0 || n >= len(all) {
			return nil
		}
		all = all[n : n+1]
	}
	var out []string
	for _, m := range all {
		if part == "role" {
			out = append(out, string(m.Role))
			continue
		}
		var texts []string
		for _, b := range m.Blocks {
			if b.Kind == providers.Text {
				texts = append(texts, b.Text)
			}
		}
		out = append(out, strings.Join(texts, "\n"))
	}
	return out
}

// jsonValues follows a path into JSON: names, places (a negative one counts
// from the end) and *. A string gives its text, anything else its JSON.
func jsonValues(doc []byte, path string) []string {
	here := []json.RawMessage{doc}
	for path != "" {
		var step string
		step, path, _ = strings.Cut(path, ".")
		var below []json.RawMessage
		for _, h := range here {
			below = append(below, jsonStep(h, step)...)
		}
		here = below
	}
	var out []string
	for _, h := range here {
		var s string
		if json.Unmarshal(h, &s) == nil && len(h) > 0 && h[0] == '"' {
			out = append(out, s)
		} else if len(h) > 0 {
			out = append(out, string(h))
		}
	}
	return out
}

func jsonStep(doc json.RawMessage, step string) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(doc, &list) == nil {
		if step == "*" {
			return list
		}
		n, err := strconv.Atoi(step)
		if n < 0 {
			n += len(list)
		}
		if err != nil || n < 0 || n >= len(list) {
			return nil
		}
		return list[n : n+1]
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(doc, &object) != nil {
		return nil
	}
	if step == "*" {
		var all []json.RawMessage
		for _, k := range keys(object) {
			all = append(all, object[k])
		}
		return all
	}
	if v, ok := object[step]; ok {
		return []json.RawMessage{v}
	}
	return nil
}
