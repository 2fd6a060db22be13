package invariants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/evidence"
)

func runRules() []Rule {
	return []Rule{{
		Name: "run/deterministic", Group: "run", Strength: Ours,
		Summary: "The same seed gives the same bytes of evidence, run after run: the same requests, records, events, effects and steps, at the same times.",
		Why:     "What cannot be repeated cannot be debugged, and a sweep over crash points that moves from run to run proves nothing (recovery determinism of arXiv:2608.03836; O4).",
		Reports: []string{"can1357/oh-my-pi#11179", "dnaeon/go-vcr#106", "kevin1024/vcrpy#516", "langchain-ai/langgraph#8039"},
		Example: "The loop walks a map to build its requests.",
		Applies: func(c *Case) string {
			if c.opts.Again == nil {
				return "the scenario was not run a second time with the same seed"
			}
			return ""
		},
		Check: func(c *Case) []Finding { return Compare(c.ev, c.opts.Again) },
	}}
}

// Compare names the first difference between two evidences that should be
// equal, in the order in which things happened as far as the trace tells it;
// nil when there is none.
//
// One difference causes the next, so there is one finding: it lists the files
// that differ and shows where the first of them begins to.
func Compare(a, b *evidence.Evidence) []Finding {
	var files []string
	var first *Finding
	for _, p := range parts(a, b) {
		i := p.differs()
		if i < 0 {
			continue
		}
		files = append(files, p.file)
		if first == nil {
			f := p.finding(a, b, i)
			first = &f
		}
	}
	if first == nil {
		return nil
	}
	first.Rule = "run/deterministic"
	if len(files) > 1 {
		first.What += "; these differ: " + strings.Join(files, ", ")
	}
	return []Finding{*first}
}

// part is one kind of evidence as two lists of lines.
type part struct {
	file string
	unit string // what an element is called
	a, b []string
	// show prints element i of one side for people; nil: as it is.
	show func(ev *evidence.Evidence, i int) string
}

// parts lists the evidence, causes first.
func parts(a, b *evidence.Evidence) []part {
	list := []part{
		{evidence.TraceFile, "step", each(a.Trace), each(b.Trace), func(ev *evidence.Evidence, i int) string { return describeStep(&ev.Trace[i]) }},
		{evidence.WireDir, "exchange", wires(a), wires(b), nil},
		{evidence.TranscriptFile, "line", split(a.Transcript), split(b.Transcript), nil},
		{evidence.AuditFile, "line", split(a.Audit), split(b.Audit), nil},
		{evidence.HeadFile, "line", split(a.Head), split(b.Head), nil},
		{evidence.ShownFile, "event", each(a.Shown), each(b.Shown), func(ev *evidence.Evidence, i int) string { return describeShown(&ev.Shown[i]) }},
		{evidence.HooksFile, "hook", each(a.Hooks), each(b.Hooks), nil},
		{evidence.EffectsFile, "line", split(a.Ledger), split(b.Ledger), nil},
		{evidence.LivesFile, "life", each(a.Lives), each(b.Lives), nil},
		{evidence.LivesFile + " (runs)", "result", each(a.Runs), each(b.Runs), nil},
		{evidence.LivesFile + " (faults)", "fault", each(a.Faults), each(b.Faults), nil},
		{evidence.LivesFile + " (unused)", "reply", slices.Clone(a.Unused), slices.Clone(b.Unused), nil},
		{"log", "line", split([]byte(a.Log)), split([]byte(b.Log)), nil},
	}
	return list
}

func each[T any](list []T) []string {
	out := make([]string, len(list))
	for i := range list {
		b, err := json.Marshal(list[i])
		if err != nil {
			b = []byte(err.Error())
		}
		out[i] = string(b)
	}
	return out
}

func split(b []byte) []string {
	var out []string
	for line := range bytes.Lines(b) {
		out = append(out, string(line))
	}
	return out
}

// wires prints each exchange as one string: what was asked, what was answered
// and when.
func wires(ev *evidence.Evidence) []string {
	out := make([]string, len(ev.Wire))
	for i, x := range ev.Wire {
		var b strings.Builder
		fmt.Fprintf(&b, "life %d, lane %s, %s, at %s, %s %s\n%s", x.Life, x.Lane, x.Attempt, x.At.UTC().Format(time.RFC3339Nano), x.Method, x.Path, headers(x.Header))
		b.Write(x.Body)
		fmt.Fprintf(&b, "\nstatus %d\n%s", x.Status, headers(x.Head))
		b.Write(x.Reply)
		fmt.Fprintf(&b, "\nended %s %s in pieces %v", x.Ending, x.Reason, x.Chunks)
		out[i] = b.String()
	}
	return out
}

// differs is the index of the first difference; -1 for none.
func (p part) differs() int {
	for i := range min(len(p.a), len(p.b)) {
		if p.a[i] != p.b[i] {
			return i
		}
	}
	if len(p.a) != len(p.b) {
		return min(len(p.a), len(p.b))
	}
	return -1
}

func (p part) finding(a, b *evidence.Evidence, i int) Finding {
	file, _, _ := strings.Cut(p.file, " ")
	where := Place{File: file, Line: i + 1}
	if p.file == evidence.WireDir {
		where = Place{File: evidence.WireDir, Exchange: i + 1}
	}
	show := p.show
	if i >= len(p.a) || i >= len(p.b) {
		longer, ev, n, which := p.a, a, len(p.b), "first"
		if len(p.b) > len(p.a) {
			longer, ev, n, which = p.b, b, len(p.a), "second"
		}
		line := clip(longer[i], 200)
		if show != nil {
			line = show(ev, i)
		}
		return found(where, []string{"> " + line}, "two runs with the same seed differ: the %s one goes on in %s after %s %d", which, p.file, p.unit, n)
	}
	if show != nil && show(a, i) != show(b, i) {
		return found(where, []string{"first:  " + show(a, i), "second: " + show(b, i)}, "two runs with the same seed differ, first in %s %d of %s", p.unit, i+1, p.file)
	}
	return found(where, []string{"first:  " + window(p.a[i], p.b[i]), "second: " + window(p.b[i], p.a[i])},
		"two runs with the same seed differ, first in %s %d of %s: %s", p.unit, i+1, p.file, firstDifference([]byte(p.a[i]), []byte(p.b[i])))
}

// window shows a around the first place where it differs from b.
func window(a, b string) string {
	i := differsAt([]byte(a), []byte(b))
	from := max(0, i-60)
	out := strconv.Quote(strings.ToValidUTF8(a[from:min(len(a), i+60)], "?"))
	if from > 0 {
		out = "..." + out
	}
	if i+60 < len(a) {
		out += "..."
	}
	return out
}

func differsAt(a, b []byte) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return i
}

// firstDifference says where two byte strings part; "" when they do not.
func firstDifference(a, b []byte) string {
	if bytes.Equal(a, b) {
		return ""
	}
	i := differsAt(a, b)
	show := func(s []byte) string {
		if i >= len(s) {
			return "the end"
		}
		return strconv.Quote(strings.ToValidUTF8(string(s[i:min(len(s), i+30)]), "?"))
	}
	return fmt.Sprintf("at byte %d, %s and %s", i, show(a), show(b))
}

// quotedJSON is a string as JSON writes it.
func quotedJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b)
}
