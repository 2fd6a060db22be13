package main

import (
	"fmt"
	"io"
	"os"
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
}

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
	if t.colour {
		status, code := r.Status.String(), "\x1b[31m"
		if r.Status == scenarios.Pass {
			code = "\x1b[32m"
		}
		s = code + status + "\x1b[0m" + strings.TrimPrefix(s, status)
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

func (t *text) summary(s scenarios.Summary) error {
	if t.quiet {
		return nil
	}
	_, err := fmt.Fprintf(t.w, "%s in %.1fs\n", s, s.Elapsed.Seconds())
	return err
}
