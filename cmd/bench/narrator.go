package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// narrator prints what happens in a run, a line a step, and the model's words
// as they come.
type narrator struct {
	w       io.Writer
	verbose bool // previews, and every transition and permission
	open    bool // a preview's line is
}

// Publish is called by the loop's own task, in order.
func (n *narrator) Publish(e harness.Event) error {
	r := e.Record
	if r == nil {
		if !n.verbose {
			return nil
		}
		s := printable(e.Text)
		n.open = !strings.HasSuffix(s, "\n") && (s != "" || n.open)
		_, err := io.WriteString(n.w, s)
		return err
	}
	line, say := n.line(r)
	if !say {
		return nil
	}
	line = printable(line) // names, too, are what a model wrote
	if n.open {
		n.open, line = false, "\n"+line
	}
	if line == "" {
		return nil
	}
	_, err := io.WriteString(n.w, strings.TrimSuffix(line, "\n")+"\n")
	return err
}

// line is what a record has to say; "" where it only ends a preview's line.
func (n *narrator) line(r *journal.Record) (line string, say bool) {
	switch r.Kind {
	case journal.KindCall:
		return fmt.Sprintf("%s %s %s", r.Call, r.Name, clip(r.Input)), true
	case journal.KindResult, journal.KindToolError:
		return fmt.Sprintf("%s %s: %s", r.Call, r.State, clip(r.Text)), true
	case journal.KindPermission:
		if r.Code == string(tools.AskFirst) {
			return "", true // the question stands on a line of its own
		}
		return fmt.Sprintf("%s %s: %s (%s)", r.Call, r.Name, r.Code, r.Detail), n.verbose || r.Code != string(tools.Allow)
	case journal.KindDiscarded:
		if r.Reason == providers.LaneSummary || r.Reason == providers.LaneJudge {
			return "", false // a boundary, a gate or a notice tells what came of it
		}
		return "discarded: " + r.Reason + " " + clip(r.Detail), true
	case journal.KindTransition:
		line = "again: " + r.Reason
		if r.Model != "" {
			line += ", from now on " + r.Model
		}
		return line, n.verbose || r.Reason != string(harness.NextTurn)
	case journal.KindBoundary:
		return fmt.Sprintf("compacted: %s (%s), about %d tokens become %d", r.Code, r.Reason, r.Counters["tokens_before"], r.Counters["tokens_after"]), true
	case journal.KindGate:
		return strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", r.Code, r.Reason, clip(r.Text)), ": "), true
	case journal.KindAnomaly, journal.KindNotice, journal.KindQuarantine:
		return r.Code + ": " + clip(spoken(r.Text)), true
	case journal.KindResume:
		return "a crash was settled; going on", true
	case journal.KindAssistant, journal.KindTerminal:
		return "", true
	}
	return "", false
}

// spoken is a note without the marks that tell a model who speaks.
func spoken(s string) string {
	s, _ = strings.CutPrefix(s, "<system-reminder>")
	s, _ = strings.CutSuffix(s, "</system-reminder>")
	return s
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
