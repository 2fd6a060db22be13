package faults

import (
	"reflect"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// sameAnswer reports whether two replies say the same: the same blocks with the
// same bytes, in whatever pieces, under the same stop reason, written or not. A
// fault that leaves a reply like that has done nothing.
func sameAnswer(a, b []fake.Line) bool {
	return reflect.DeepEqual(canonical(a), canonical(b))
}

// canonical is a reply in one form: without what is about requests, inputs as
// bytes, texts in one piece, and with the stop reason that is implied.
func canonical(lines []fake.Line) []fake.Line {
	var out []fake.Line
	stopped := false
	for _, l := range lines {
		switch {
		case l.Op == fake.OpExpect, l.Op == fake.OpUsage, l.Op == fake.OpHeader:
			continue // wherever they stand
		case l.Op == fake.OpStop:
			stopped = true
		case isCall(l) || l.Op == fake.OpServerCall:
			l.Values, l.JSON = []string{input(l)}, ""
		case says(l) && l.Op != fake.OpServerResult:
			l.Values = []string{strings.Join(l.Values, "")}
		}
		l.Line = 0
		out = append(out, l)
	}
	if !stopped {
		at := slices.IndexFunc(out, func(l fake.Line) bool { return l.Op == fake.OpTail })
		if at < 0 {
			at = len(out)
		}
		out = slices.Insert(out, at, fake.Line{Op: fake.OpStop, Values: []string{stopOf(lines)}})
	}
	return out
}

// stopOf is the reason that the answer gives, written or implied: see the
// replies of package fake. An error and an ending imply none.
func stopOf(lines []fake.Line) string {
	reason := "end_turn"
	over := false
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i].Op == fake.OpStop {
			return strings.Join(lines[i].Values, "")
		}
	}
	for _, l := range lines {
		switch l.Op {
		case fake.OpRefusal:
			reason = "refusal"
		case fake.OpCall, fake.OpCutCall:
			if reason == "end_turn" {
				reason = "tool_use"
			}
		case fake.OpError, fake.OpEOF, fake.OpCut, fake.OpReset, fake.OpHang:
			over = true
		}
	}
	if over {
		return "none"
	}
	return reason
}

// knownStops are the stop reasons that a loop may know: those of replies, and
// the words of each protocol.
func knownStops() []string {
	return []string{
		"end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal", "context_window", "none", "null",
		"model_context_window_exceeded",
		"stop", "length", "tool_calls", "function_call", "content_filter",
		"completed", "incomplete", "failed", "max_output_tokens",
		"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "OTHER", "MALFORMED_FUNCTION_CALL",
		"UNEXPECTED_TOOL_CALL", "MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "FINISH_REASON_UNSPECIFIED",
	}
}
