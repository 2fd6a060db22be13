package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/harnessbench/bench/harness/tools"
)

// approver is who decides about what the policy asks: whoever sits at the
// terminal, if in is one. The question goes to errs where that is a terminal,
// too, else to the process's own, so that it is seen. shut is called at the end.
func approver(in *os.File, errs io.Writer) (a tools.Approver, shut func()) {
	none := func() {}
	if !isTerminal(in) {
		return nobody{"standard input is no terminal"}, none
	}
	if f, ok := errs.(*os.File); ok && isTerminal(f) {
		return &person{in: in, out: f}, none
	}
	tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return nobody{"there is no terminal to ask at"}, none
	}
	return &person{in: in, out: tty}, func() { tty.Close() }
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// nobody denies, and says what would help: the model is told, and tells it on.
type nobody struct{ why string }

func (n nobody) Approve(context.Context, tools.Ask) (bool, error) {
	return false, errors.New(n.why + ", so nobody can be asked; bench agent -allow-bash lets bash run")
}

// person asks at a terminal, one line a question. Nothing but a y or yes, typed
// after the question stands there, is a yes; Ctrl-C and Ctrl-D are denials.
type person struct {
	in  *os.File
	out io.Writer
}

// pause is how long an answer lies unread. The terminal is looked at now and
// then, not read until something comes: nothing could end such a read, and the
// line that it takes in the end may be the answer to another question.
const pause = 20 * time.Millisecond

// Approve is called by a task of its own.
func (p *person) Approve(ctx context.Context, ask tools.Ask) (bool, error) {
	if err := forget(p.in); err != nil {
		return false, fmt.Errorf("the terminal cannot be read: %w", err)
	}
	fmt.Fprintf(p.out, "%s: %s -- run it? [y/N] ", ask.Call.Name, asked(ask.Call))
	for {
		switch there, err := hasLine(p.in); {
		case err != nil:
			return false, fmt.Errorf("the terminal cannot be read: %w", err)
		case there:
			return p.answer()
		}
		if err := ask.Call.Env.Clock.Sleep(ctx, pause); err != nil {
			fmt.Fprintln(p.out, "no")
			return false, err
		}
	}
}

// answer reads the line that is there. A terminal hands out whole lines.
func (p *person) answer() (bool, error) {
	var line [4096]byte
	n, err := p.in.Read(line[:])
	switch {
	case n > 0:
	case err == io.EOF: // Ctrl-D
		fmt.Fprintln(p.out, "no")
		return false, nil
	case err != nil:
		return false, fmt.Errorf("the terminal cannot be read: %w", err)
	}
	word := strings.ToLower(string(bytes.TrimSpace(line[:n])))
	return word == "y" || word == "yes", nil
}

// hasLine reports whether a read of f would return at once.
func hasLine(f *os.File) (bool, error) {
	fd := int(f.Fd())
	var set unix.FdSet
	set.Set(fd)
	n, err := unix.Select(fd+1, &set, nil, nil, &unix.Timeval{})
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

// asked is what a call would do, whole and on one line: what is hidden from
// whoever approves is not approved.
func asked(c tools.Call) string {
	var in struct {
		Command *string `json:"command"`
	}
	s := string(c.Input)
	if json.Unmarshal(c.Input, &in) == nil && in.Command != nil {
		s = *in.Command
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	return s
}
