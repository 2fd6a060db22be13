package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/sys/unix"

	"github.com/harnessbench/bench/scenarios"
)

// A reporter writes results down, in order, and the summary at the end.
type reporter interface {
	result(scenarios.Result)
	summary(scenarios.Summary) error
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// newFile opens a report that replaces the file of that name only when it is
// whole.
func newFile(name string) (*renameio.PendingFile, error) {
	f, err := renameio.NewPendingFile(name, renameio.WithTempDir(filepath.Dir(name)), renameio.WithPermissions(0o644))
	if err != nil {
		return nil, usagef("the report cannot be written: %v", err)
	}
	return f, nil
}

// text is for people: a line for each variant, all there is to know where one
// did not pass, a summary. On a terminal it shows progress and colours.
type text struct {
	w       io.Writer
	verbose bool
	quiet   bool
	colour  bool
	bars    *mpb.Progress
	bar     *mpb.Bar
}

func newText(w io.Writer, verbose bool) *text {
	t := &text{w: w, verbose: verbose}
	if terminal(w) {
		t.colour = os.Getenv("NO_COLOR") == ""
		t.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(40))
		t.bar = t.bars.AddBar(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d variants ")),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
	}
	return t
}

func (t *text) progress(done, total int) {
	if t.bar != nil {
		t.bar.SetTotal(int64(total), false)
		t.bar.SetCurrent(int64(done))
	}
}

// stop takes the bar away.
func (t *text) stop() {
	if t.bar != nil {
		t.bar.Abort(true)
		t.bars.Wait()
		t.bar = nil
	}
}

func (t *text) out() io.Writer {
	if t.bar != nil {
		return t.bars
	}
	return t.w
}

func (t *text) result(r scenarios.Result) {
	if t.quiet {
		return
	}
	s := r.String()
	if t.colour {
		status := r.Status.String()
		code := "\x1b[31m"
		if r.Status == scenarios.Pass {
			code = "\x1b[32m"
		}
		s = code + status + "\x1b[0m" + strings.TrimPrefix(s, status)
	}
	if r.Log != "" && (t.verbose || r.Status != scenarios.Pass) {
		s += "\n    " + strings.ReplaceAll(strings.TrimRight(r.Log, "\n"), "\n", "\n    ")
	}
	fmt.Fprintln(t.out(), s)
}

func (t *text) summary(s scenarios.Summary) error {
	if t.quiet {
		return nil
	}
	_, err := fmt.Fprintf(t.w, "%s in %.1fs\n", s, s.Elapsed.Seconds())
	return err
}

// jsonReport writes one object a line: each variant, then the summary.
type jsonReport struct {
	w    io.Writer
	done func() error
	err  error
}

type jsonFinding struct {
	Rule   string   `json:"rule"`
	What   string   `json:"what"`
	Where  string   `json:"where,omitempty"`
	Around []string `json:"around,omitempty"`
}

func (j *jsonReport) write(v any) {
	if j.err != nil {
		return
	}
	e := json.NewEncoder(j.w)
	e.SetEscapeHTML(false)
	j.err = e.Encode(v)
}

func (j *jsonReport) result(r scenarios.Result) {
	o := struct {
		Type     string        `json:"type"`
		Name     string        `json:"name"`
		File     string        `json:"file"`
		Status   string        `json:"status"`
		Seed     uint64        `json:"seed"`
		Seconds  float64       `json:"seconds"`
		Problems []string      `json:"problems,omitempty"`
		Failure  string        `json:"failure,omitempty"`
		Findings []jsonFinding `json:"findings,omitempty"`
		Expected []jsonFinding `json:"expected,omitempty"`
		Evidence string        `json:"evidence,omitempty"`
		Again    string        `json:"again,omitempty"`
		scenarios.Counts
	}{
		Type: "variant", Name: r.Name, File: r.File, Status: strings.ToLower(r.Status.String()), Seed: r.Seed,
		Seconds: r.Elapsed.Seconds(), Failure: r.Failure, Evidence: r.Kept, Again: r.Again, Counts: r.Counts,
	}
	for _, p := range r.Problems {
		o.Problems = append(o.Problems, p.String())
	}
	for _, f := range r.Findings {
		o.Findings = append(o.Findings, jsonFinding{f.Rule, f.What, f.Where.String(), f.Around})
	}
	for _, f := range r.Expected {
		o.Expected = append(o.Expected, jsonFinding{f.Rule, f.What, f.Where.String(), f.Around})
	}
	j.write(o)
}

func (j *jsonReport) summary(s scenarios.Summary) error {
	j.write(struct {
		Type      string  `json:"type"`
		Scenarios int     `json:"scenarios"`
		Variants  int     `json:"variants"`
		Passed    int     `json:"passed"`
		Failed    int     `json:"failed"`
		Broken    int     `json:"broken"`
		Vacuous   int     `json:"vacuous"`
		Status    int     `json:"status"`
		Seconds   float64 `json:"seconds"`
		scenarios.Counts
	}{"summary", s.Scenarios, s.Variants, s.Passed, s.Failed, s.Broken, s.Vacuous, s.ExitStatus(), s.Elapsed.Seconds(), s.Counts})
	if j.err == nil && j.done != nil {
		j.err = j.done()
	}
	return j.err
}

// junitReport writes the XML that CI systems read.
type junitReport struct {
	w     io.Writer
	done  func() error
	cases []junitCase
}

type junitCase struct {
	XMLName xml.Name      `xml:"testcase"`
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

type junitSuite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Time     string   `xml:"time,attr"`
	Cases    []junitCase
}

func (j *junitReport) result(r scenarios.Result) {
	class, _, _ := strings.Cut(r.Name, "/")
	c := junitCase{Class: class, Name: r.Name, Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds())}
	if r.Status != scenarios.Pass {
		all := clean(r.String() + "\n" + r.Log)
		head := clean(headline(r))
		f := &junitFailure{Message: head, Type: strings.ToLower(r.Status.String()), Text: all}
		if r.Status == scenarios.Broken {
			c.Error = f
		} else {
			c.Failure = f
		}
	}
	j.cases = append(j.cases, c)
}

// headline is the one sentence that says why a variant did not pass.
func headline(r scenarios.Result) string {
	switch {
	case len(r.Problems) > 0:
		return r.Problems[0].String()
	case r.Failure != "":
		first, _, _ := strings.Cut(r.Failure, "\n")
		return first
	case len(r.Findings) > 0:
		return r.Findings[0].Rule + ": " + r.Findings[0].What
	}
	return r.Status.String()
}

// clean drops what XML cannot hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func (j *junitReport) summary(s scenarios.Summary) error {
	_, err := io.WriteString(j.w, xml.Header)
	if err == nil {
		e := xml.NewEncoder(j.w)
		e.Indent("", "  ")
		err = e.Encode(junitSuite{
			Name: "bench", Tests: s.Variants, Failures: s.Failed + s.Vacuous, Errors: s.Broken,
			Time: fmt.Sprintf("%.3f", s.Elapsed.Seconds()), Cases: j.cases,
		})
	}
	if err == nil {
		_, err = io.WriteString(j.w, "\n")
	}
	if err == nil && j.done != nil {
		err = j.done()
	}
	return err
}
