package faults

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// isCall reports whether a line is a client's call.
func isCall(l fake.Line) bool { return l.Op == fake.OpCall || l.Op == fake.OpCutCall }

// calls are the places of a reply's calls.
func calls(lines []fake.Line) []int {
	var out []int
	for i := range lines {
		if isCall(lines[i]) {
			out = append(out, i)
		}
	}
	return out
}

// lastCall is the place of the last call, or -1.
func lastCall(lines []fake.Line) int {
	if c := calls(lines); len(c) > 0 {
		return c[len(c)-1]
	}
	return -1
}

// says reports whether a line is a part of what is answered, with a place in
// the message.
func says(l fake.Line) bool {
	switch l.Op {
	case fake.OpText, fake.OpThink, fake.OpCall, fake.OpCutText, fake.OpCutThink, fake.OpCutCall, fake.OpServerCall, fake.OpServerResult, fake.OpRefusal:
		return true
	}
	return false
}

// drop leaves out lines.
func drop(lines []fake.Line, which func(fake.Line) bool) []fake.Line {
	return slices.DeleteFunc(lines, which)
}

// behind puts lines behind the last one that is a part of the message.
func behind(lines []fake.Line, more ...fake.Line) []fake.Line {
	at := 0
	for i := range lines {
		if says(lines[i]) {
			at = i + 1
		}
	}
	return slices.Insert(lines, at, more...)
}

// stopWith gives the answer another stop reason, behind all it says. An answer
// that says so already stays as it is.
func stopWith(lines []fake.Line, reason string) []fake.Line {
	if stopOf(lines) == reason {
		return lines
	}
	lines = drop(lines, func(l fake.Line) bool { return l.Op == fake.OpStop })
	return behind(lines, fake.Line{Op: fake.OpStop, Values: []string{reason}})
}

// input is a call's input as text.
func input(l fake.Line) string {
	if l.JSON != "" {
		return l.JSON
	}
	return strings.Join(l.Values, "")
}

// withInput gives a call another input, as bytes that nobody checks. The same
// input comes in the same pieces.
func withInput(l fake.Line, in string) fake.Line {
	if in == input(l) {
		return l
	}
	l.JSON, l.Values = "", []string{in}
	return l
}

// textLine is a block of text.
func textLine(s string) fake.Line { return fake.Line{Op: fake.OpText, Values: []string{s}} }

// inCalls lets f give the last call another input.
func inCalls(f func(in string) string) func([]fake.Line, Args) []fake.Line {
	return func(lines []fake.Line, _ Args) []fake.Line {
		if i := lastCall(lines); i >= 0 {
			lines[i] = withInput(lines[i], f(input(lines[i])))
		}
		return lines
	}
}
