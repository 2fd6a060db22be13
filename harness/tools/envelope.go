package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/harness/journal"
)

// Envelope is a result in the neutral form in which tool protocols exchange
// them (O5). What goes to the model is the outcome's text; the envelope is for
// whoever judges, exports or compares results.
type Envelope struct {
	Status  string // success, partial or error
	Text    string
	Cut     int            // bytes left out of Text; more than 0 exactly with partial, or with an error
	Error   *EnvelopeError // exactly with error
	Millis  int64
	Context EnvelopeContext
}

// EnvelopeError says what went wrong.
type EnvelopeError struct {
	Code    string `json:"code"` // one of EnvelopeCodes
	Message string `json:"message"`
}

// EnvelopeContext says what was asked.
type EnvelopeContext struct {
	Tool  string
	Call  string // our call id
	Input string // as the model wrote it
}

// Statuses of an Envelope.
const (
	StatusSuccess = "success"
	StatusPartial = "partial" // done, and a part of the output is left out
	StatusError   = "error"
)

// EnvelopeCodes returns the closed list of an envelope's error codes.
func EnvelopeCodes() []string {
	return []string{
		"NOT_FOUND", "ACCESS_DENIED", "PERMISSION_DENIED", "INVALID_PARAM", "TIMEOUT", "INTERNAL_ERROR",
		"EXECUTION_ERROR", "IS_DIRECTORY", "BINARY_FILE", "CONFLICT", "CIRCUIT_OPEN",
	}
}

// envelopeCode maps our codes. What has no word of its own there is an
// execution that did not succeed.
func envelopeCode(code string) string {
	switch code {
	case CodeNotFound, CodeUnknownTool, CodeDeferred:
		return "NOT_FOUND"
	case CodeDenied, CodeNotRegular:
		return "ACCESS_DENIED"
	case CodePermission, "refusal", "loop", "token_budget":
		return "PERMISSION_DENIED"
	case CodeInvalid, "cut", "duplicate_id":
		return "INVALID_PARAM"
	case CodeTimeout:
		return "TIMEOUT"
	case CodeInternal:
		return "INTERNAL_ERROR"
	case CodeIsDirectory:
		return "IS_DIRECTORY"
	case CodeBinary:
		return "BINARY_FILE"
	case CodeConflict:
		return "CONFLICT"
	case CodeCircuit:
		return "CIRCUIT_OPEN"
	}
	return "EXECUTION_ERROR"
}

// EnvelopeOf returns what became of a call as an envelope.
func EnvelopeOf(c Call, o Outcome) Envelope {
	e := Envelope{
		Status: StatusSuccess, Text: o.Text, Cut: o.Cut, Millis: int64(o.Elapsed / time.Millisecond),
		Context: EnvelopeContext{c.Name, c.ID, string(c.Input)},
	}
	switch {
	case o.State != journal.Done:
		e.Status = StatusError
		e.Error = &EnvelopeError{envelopeCode(o.Code), sentenceOf(o)}
	case o.Cut > 0:
		e.Status = StatusPartial
	}
	return e
}

// sentenceOf is one line of a failure's text: the sentence that it begins with,
// but of a command, whose output comes first, the one that it ends with.
func sentenceOf(o Outcome) string {
	lines := strings.Split(strings.TrimSpace(o.Text), "\n")
	if o.Code == CodeExit {
		return line(lines[len(lines)-1], 300)
	}
	return line(lines[0], 300)
}

// stackTrace is what no message for a model or a user holds (C2).
var stackTrace = regexp.MustCompile(`goroutine \d+ \[|\.go:\d+ \+0x|^Traceback \(most recent call last\)|runtime/debug\.Stack`)

// Check returns what is wrong with an envelope, everything in one error, or nil.
func (e Envelope) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	switch e.Status {
	case StatusSuccess, StatusPartial, StatusError:
	default:
		bad("the status is %q: it must be success, partial or error", e.Status)
	}
	if strings.TrimSpace(e.Text) == "" {
		bad("the text is empty")
	}
	if (e.Error != nil) != (e.Status == StatusError) {
		bad("the status is %s and there is an error: %t; an error and the status error go together", e.Status, e.Error != nil)
	}
	if e.Cut < 0 || e.Status != StatusError && (e.Cut > 0) != (e.Status == StatusPartial) {
		bad("the status is %s and %s are left out: output that is cut and the status partial go together", e.Status, count(e.Cut, "byte"))
	}
	if e.Error != nil {
		if !slices.Contains(EnvelopeCodes(), e.Error.Code) {
			bad("the error's code %q is none of %s", e.Error.Code, strings.Join(EnvelopeCodes(), ", "))
		}
		switch m := e.Error.Message; {
		case strings.TrimSpace(m) == "":
			bad("the error's message is empty")
		case stackTrace.MatchString(m) || strings.Contains(m, "\n"):
			bad("the error's message is more than a sentence: %q", line(m, 80))
		}
	}
	if e.Millis < 0 {
		bad("it took %d ms", e.Millis)
	}
	if e.Context.Tool == "" || e.Context.Call == "" {
		bad("the context names no tool, or no call")
	}
	return errors.Join(errs...)
}

// JSON returns the envelope with the keys of O5 and no others: status, text,
// data, error, stats, context. Input that is not a JSON object stands as a string.
func (e Envelope) JSON() []byte {
	type object = map[string]any
	input := any(e.Context.Input)
	if _, reason, _ := parse([]byte(e.Context.Input)); reason == "" {
		input = jsontext.Value(e.Context.Input)
	}
	out := object{
		"status": e.Status, "text": e.Text,
		"data":    object{"truncated": e.Cut > 0, "cut_bytes": e.Cut},
		"stats":   object{"time_ms": e.Millis},
		"context": object{"tool": e.Context.Tool, "call": e.Context.Call, "params_input": input},
	}
	if e.Error != nil {
		out["error"] = e.Error
	}
	b, err := jsonv2.Marshal(out, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil { // nothing in it can fail to be written
		b, _ = json.Marshal(object{"status": StatusError, "text": "the envelope could not be written"})
	}
	return b
}
