package sse

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// A reader that is used again reads as a new one, whatever it was left in: in
// the middle of a line, behind a CR, behind an error.
func TestReset(t *testing.T) {
	read := func(r *Reader) (got string) {
		for {
			ev, err := r.Next()
			if err != nil {
				return fmt.Sprintf("%s%v at line %d", got, err, r.Line())
			}
			got += fmt.Sprintf("%q %q %t\n", ev.Name, ev.Data, ev.Unterminated)
		}
	}
	const rest = "event: e\r\ndata: 1\rdata: 2\n\n\ndata: 3"
	for name, before := range map[string]string{
		"nothing":       "",
		"an open line":  "event: x\ndata: 1",
		"a CR":          "data: 1\r",
		"a longer line": "data: " + strings.Repeat("x", 3*firstBuffer),
		"many events":   strings.Repeat("data: 1\n\n", 10),
	} {
		for _, next := range []string{"\n" + rest, bom + rest} {
			want := read(NewReader(strings.NewReader(next), 0))
			ended := NewReader(strings.NewReader(before), 0)
			read(ended)
			failed := NewReader(&onceErr{b: before, err: errors.New("boom")}, 0)
			read(failed)
			left := NewReader(strings.NewReader(before), 0)
			left.Next()
			for how, r := range map[string]*Reader{"ended": ended, "failed": failed, "left": left} {
				r.Reset(strings.NewReader(next))
				if got := read(r); got != want {
					t.Errorf("behind %s, %s:\n%s\nwant\n%s", name, how, got, want)
				}
				r.Reset(iotest.OneByteReader(strings.NewReader(next)))
				if got := read(r); got != want {
					t.Errorf("behind %s and again, byte by byte:\n%s\nwant\n%s", name, got, want)
				}
			}
		}
	}
}
