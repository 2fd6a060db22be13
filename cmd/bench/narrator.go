package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// narrator prints what happens in a run, a line a step, and the model's words
// as they come.
type narrator struct {
	w        io.Writer
	previews bool
	open     bool // a preview's line is
}

// Publish is called by the loop's own task, in order.
func (n *narrator) Publish(e harness.Event) error {
	r := e.Record
	if r == nil {
		if !n.previews {
			return nil
		}
		s := printable(e.Text)
		n.open = !strings.HasSuffix(s, "\n") && (s != "" || n.open)
		_, err := io.WriteString(n.w, s)
		return err
	}
	line := ""
	switch r.Kind {
	case journal.KindCall:
		line = fmt.Sprintf("%s %s %s", r.Call, r.Name, clip(r.Input))
	case journal.KindResult, journal.KindToolError:
		line = fmt.Sprintf("%s %s: %s", r.Call, r.State, clip(r.Text))
	case journal.KindDiscarded:
		line = "discarded: " + r.Reason + " " + clip(r.Detail)
	case journal.KindTransition:
		if r.Reason != string(harness.NextTurn) {
			line = "again: " + r.Reason
		}
	case journal.KindAnomaly, journal.KindNotice, journal.KindQuarantine:
		line = r.Code + ": " + clip(r.Text)
	case journal.KindResume:
		line = "a crash was settled; going on"
	case journal.KindAssistant, journal.KindTerminal:
		// Nothing to say, but a preview's line is over.
	default:
		return nil
	}
	if n.open {
		n.open, line = false, "\n"+line
	}
	if line == "" {
		return nil
	}
	_, err := io.WriteString(n.w, strings.TrimSuffix(line, "\n")+"\n")
	return err
}

// clip makes one short line of a text.
func clip(s string) string {
	const most = 120
	r := []rune(strings.Join(strings.Fields(printable(s)), " "))
	if len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(r)
}
