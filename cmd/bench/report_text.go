package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/sys/unix"

	"github.com/harnessbench/bench/scenarios"
)

// look is how the text looks.
type look struct {
	verbose  bool
	quiet    bool     // progress only
	colour   bool     // on a terminal
	terminal *os.File // shows progress; nil: none
	force    bool     // for tests: the writer counts as a terminal
}

// terminal returns w if it is a terminal that a person may watch.
func terminal(w io.Writer) *os.File {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err != nil {
		return nil
	}
	return f
}

// text is for people: a line for each variant, all there is to know where one
// did not pass, a summary. On a terminal it shows progress below the lines.
type text struct {
	look
	w    io.Writer
	bars *mpb.Progress // nil: no progress is shown
	bar  *mpb.Bar

	cover *coverage      // nil: nothing is said of it
	wrong []string       // a line for each variant that did not pass
	rules map[string]int // variants by the rule that found something there
}

// atLength is how many failures are told at length. One broken line of a loop
// turns hundreds of variants red for one reason.
const atLength = 20

func newText(w io.Writer, l look) *text {
	t := &text{look: l, w: w}
	o := []mpb.ContainerOption{mpb.WithWidth(40)}
	switch {
	case l.force:
		o = append(o, mpb.WithOutput(w), mpb.ForceTTY(), mpb.WithAutoRefresh())
	case l.terminal != nil:
		o = append(o, mpb.WithOutput(l.terminal))
	default:
		t.colour = false
		return t
	}
	t.bars = mpb.New(o...)
	t.bar = t.bars.AddBar(0, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d variants ")),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	return t
}

// progress may be called from any goroutine, until stop.
func (t *text) progress(done, total int) {
	if t.bar != nil {
		t.bar.SetTotal(int64(total), false)
		t.bar.SetCurrent(int64(done))
	}
}

// stop takes the bar away, once everything above it is written.
func (t *text) stop() {
	if t.bars != nil {
		t.bar.Abort(true)
		t.bars.Wait()
		t.bars, t.bar = nil, nil
	}
}

func (t *text) result(r scenarios.Result) {
	if t.quiet {
		return
	}
	s := printable(r.String())
	if r.Status != scenarios.Pass {
		t.note(r)
		if len(t.wrong) > atLength && r.Status != scenarios.Broken { // each broken file has a reason of its own
			s, _, _ = strings.Cut(s, "\n")
			s += "\n  again:    " + printable(r.Again)
			r.Log = ""
		}
	}
	if t.colour {
		status, rest, _ := strings.Cut(s, " ")
		code := "\x1b[31m"
		switch {
		case r.Skipped != "":
			code = "\x1b[33m"
		case r.Status == scenarios.Pass:
			code = "\x1b[32m"
		}
		s = code + status + "\x1b[0m " + rest
	}
	if r.Log != "" && (t.verbose || r.Status != scenarios.Pass) {
		s += "\n    " + strings.ReplaceAll(strings.TrimRight(printable(r.Log), "\n"), "\n", "\n    ")
	}
	s += "\n"
	if t.bars != nil {
		io.WriteString(t.bars, s) // in one piece, above the bar
		return
	}
	io.WriteString(t.w, s) // a failure is the watcher's
}

// note keeps what the summary repeats of a variant that did not pass.
func (t *text) note(r scenarios.Result) {
	var rules []string
	for _, f := range r.Findings {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	if t.rules == nil {
		t.rules = map[string]int{}
	}
	for _, rule := range rules {
		t.rules[rule]++
	}
	line := fmt.Sprintf("%-7s %s", r.Status, r.Name)
	if len(rules) > 0 {
		line += " (" + strings.Join(rules, ", ") + ")"
	}
	t.wrong = append(t.wrong, printable(line))
}

// recap says again what did not pass, where it is lost between other lines.
func (t *text) recap(s scenarios.Summary) string {
	if len(t.wrong) == 0 || s.Variants <= len(t.wrong) && len(t.wrong) == 1 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\ndid not pass:\n")
	for i, line := range t.wrong {
		if i == atLength {
			fmt.Fprintf(&b, "  and %d more\n", len(t.wrong)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if len(t.wrong) > atLength {
		for _, rule := range slices.Sorted(maps.Keys(t.rules)) {
			fmt.Fprintf(&b, "  %5d variants: %s\n", t.rules[rule], rule)
		}
	}
	return b.String()
}

func (t *text) summary(s scenarios.Summary) error {
	if t.quiet {
		return nil
	}
	if _, err := io.WriteString(t.w, t.recap(s)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(t.w, "%s in %.1fs\n", s, s.Elapsed.Seconds()); err != nil || t.cover == nil {
		return err
	}
	return t.cover.write(t.w)
}
