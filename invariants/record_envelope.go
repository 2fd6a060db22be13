package invariants

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
)

// envelope looks at each outcome by itself.
func envelope(c *Case) []Finding {
	var out []Finding
	for i := range c.recs {
		r := &c.recs[i]
		if r.Kind != journal.KindResult && r.Kind != journal.KindToolError || c.given(i) {
			continue
		}
		why := enveloped(r)
		if why == "" && r.File != "" {
			why = keptOutput(r)
		}
		if why != "" {
			where, around := c.record(i)
			out = append(out, found(where, around, "the outcome of call %s is not what it says: %s", r.Call, why))
		}
	}
	return out
}

// enveloped says how an outcome contradicts itself.
func enveloped(r *journal.Record) string {
	failed := r.Kind == journal.KindToolError || r.State != journal.Done
	switch {
	case failed && !r.IsError:
		return "the call is " + state(r) + ", but it is not marked as an error"
	case !failed && r.IsError:
		return "the call is done, but it is marked as an error"
	case failed && r.Code == "":
		return "it is an error, but no code says which"
	case !failed && r.Code != "" && r.Code != "background" && r.Code != "compact":
		return "the call is done, but it has the error code " + word(r.Code)
	case r.Text == "":
		return "it has no text, which no request may have"
	case r.Cut < 0 || r.Cut > 0 && !saysCut(r.Text):
		return fmt.Sprintf("%d bytes were left out, and the text does not say so", r.Cut)
	case ownWords(r) && trace.MatchString(r.Text):
		return "its text holds a stack trace"
	}
	return ""
}

func state(r *journal.Record) string {
	if r.State == "" {
		return "a " + string(r.Kind)
	}
	return string(r.State)
}

// saysCut reports whether a text tells that it is not all.
func saysCut(text string) bool {
	for _, w := range [...]string{"left out", "truncated", "omitted", "cut off", "not shown"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// ownWords reports whether the loop wrote the text, or should have: what a tool
// printed may hold anything, the panic of one is not the model's to read.
func ownWords(r *journal.Record) bool {
	switch r.State {
	case journal.Refused, journal.Never, journal.Unknown:
		return true
	}
	return r.Code == "internal_error"
}

// trace is how a stack trace of Go looks: its first line, or the place of a frame.
var trace = regexp.MustCompile(`(?m)^goroutine \d+ \[|^\t\S+\.go:\d+`)

// keptMost is how much of an output a file keeps (C11).
const keptMost = 4_000_000

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// keptOutput says what is wrong with where a whole output is kept. The file is
// named by our id of the call, since the provider's is data (C8).
func keptOutput(r *journal.Record) string {
	dir, base := path.Split(r.File)
	switch {
	case path.IsAbs(r.File) || path.Clean(r.File) != r.File || strings.HasPrefix(r.File, "../") || dir == "":
		return "its output is said to be in " + quoted(r.File) + ", which is no file in a folder of the session"
	case strings.TrimSuffix(base, path.Ext(base)) != r.Call:
		return "its output is said to be in " + quoted(r.File) + ", which is not named by the call"
	case !digest.MatchString(r.Digest):
		return "its output is kept in a file, without the digest of it"
	case r.Bytes <= 0 || r.Cut > r.Bytes && r.Bytes < keptMost: // a file holds no more than that
		return fmt.Sprintf("its output is kept in a file of %d bytes, of which %d are left out of the text", r.Bytes, r.Cut)
	}
	return ""
}
