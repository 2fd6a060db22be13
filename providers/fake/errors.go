package fake

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/internal/near"
)

// Error is one thing wrong with a script, as a sentence that says what would
// be right.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Errors is everything wrong with a script, in line order. Beyond maxErrors
// the rest is only counted.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

const maxErrors = 20

// collector gathers errors up to the bound.
type collector struct {
	file string
	errs Errors
	more int
}

func (c *collector) add(line int, format string, args ...any) {
	if len(c.errs) == maxErrors {
		c.more++
		return
	}
	c.errs = append(c.errs, &Error{c.file, line, fmt.Sprintf(format, args...)})
}

// err returns the Errors, or nil when there are none.
func (c *collector) err() error {
	if len(c.errs) == 0 {
		return nil
	}
	if c.more > 0 {
		last := c.errs[len(c.errs)-1]
		last.Text += fmt.Sprintf(" (and %d more after it)", c.more)
	}
	return c.errs
}

// unknown is the sentence for a word that is in no list: the nearest one, or
// all of them.
func unknown(what, word string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("unknown %s %q: there is none here", what, word)
	}
	if n := near.Word(word, known); n != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %q?", what, word, n)
	}
	return fmt.Sprintf("unknown %s %q; it is one of %s", what, word, strings.Join(known, ", "))
}
