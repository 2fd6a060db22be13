package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/scenarios"
)

// checkReports is the script command `reports JSON XML [TEXT]`: the reports of
// one run parse, and say the same.
func checkReports(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: reports JSON XML [TEXT]")
	}
	err := agree(ts.ReadFile(args[0]), ts.ReadFile(args[1]))
	ts.Check(err)
	if len(args) > 2 {
		ts.Check(inText(ts.ReadFile(args[0]), ts.ReadFile(args[2])))
	}
}

// object is a line of a JSON report, as a stranger reads it.
type object struct {
	Type, Name, File, Status, Failure string
	Problems                          []string
	Findings                          []struct{ Rule, What string }
	Variants, Passed, Failed          int
	Broken, Vacuous                   int
	Cover                             json.RawMessage // of a variant, or of the summary
}

func objects(report string) (variants []object, sum object, err error) {
	lines := strings.SplitAfter(report, "\n")
	if lines[len(lines)-1] != "" {
		return nil, sum, errors.New("the last line is not whole")
	}
	for i, l := range lines[:len(lines)-1] {
		var o object
		if err := json.Unmarshal([]byte(l), &o); err != nil {
			return nil, sum, fmt.Errorf("line %d: %w: %s", i+1, err, l)
		}
		switch {
		case o.Type == "summary" && i == len(lines)-2:
			return variants, o, nil
		case o.Type != "variant":
			return nil, sum, fmt.Errorf("line %d is a %q", i+1, o.Type)
		}
		variants = append(variants, o)
	}
	return nil, sum, errors.New("there is no summary")
}

// suite is a JUnit report, as a CI system reads it.
type suite struct {
	Tests    int     `xml:"tests,attr"`
	Failures int     `xml:"failures,attr"`
	Errors   int     `xml:"errors,attr"`
	Time     float64 `xml:"time,attr"`
	Cases    []struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    float64  `xml:"time,attr"`
		Failure *trouble `xml:"failure"`
		Error   *trouble `xml:"error"`
	} `xml:"testcase"`
}

type trouble struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// agree compares the two reports of one run.
func agree(js, xm string) error {
	variants, sum, err := objects(js)
	if err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	var su suite
	if err := xml.Unmarshal([]byte(xm), &su); err != nil {
		return fmt.Errorf("JUnit: %w", err)
	}
	if su.Tests != sum.Variants || su.Failures != sum.Failed+sum.Vacuous || su.Errors != sum.Broken || len(su.Cases) != su.Tests || len(variants) != su.Tests {
		return fmt.Errorf("JUnit counts %d tests (%d cases), %d failures, %d errors; the summary %+v; there are %d variants",
			su.Tests, len(su.Cases), su.Failures, su.Errors, sum, len(variants))
	}
	failures, errs := 0, 0
	for i, c := range su.Cases {
		v := variants[i]
		got := "ok"
		for _, t := range []*trouble{c.Failure, c.Error} {
			if t == nil {
				continue
			}
			if got = t.Type; t.Message == "" || !strings.Contains(t.Text, c.Name) {
				return fmt.Errorf("case %s says %q: %q", c.Name, t.Message, t.Text)
			}
		}
		if c.Failure != nil {
			failures++
		}
		if c.Error != nil {
			errs++
		}
		if c.Name != v.Name || got != v.Status || c.Class != strings.TrimSuffix(filepath.Base(v.File), ".txtar") || math.IsNaN(c.Time) {
			return fmt.Errorf("case %d is %s/%s %s, and %s %s in JSON", i, c.Class, c.Name, got, v.Name, v.Status)
		}
		if (v.Status == "ok") != (len(v.Problems) == 0 && v.Failure == "" && len(v.Findings) == 0) {
			return fmt.Errorf("%s is %s, but says %q %q %v", v.Name, v.Status, v.Problems, v.Failure, v.Findings)
		}
	}
	if failures != su.Failures || errs != su.Errors {
		return fmt.Errorf("JUnit says %d failures and %d errors, and has %d and %d", su.Failures, su.Errors, failures, errs)
	}
	return nil
}

// inText compares a JSON report with the text of the same run.
func inText(js, text string) error {
	variants, sum, err := objects(js)
	if err != nil {
		return err
	}
	for _, v := range variants {
		if l := fmt.Sprintf("%-7s %s\n", strings.ToUpper(v.Status), v.Name); v.Status != "ok" && !strings.Contains(text, l) {
			return fmt.Errorf("the text has no line %q", l)
		}
	}
	if w := strconv.Itoa(sum.Variants) + " variants: "; !strings.Contains(text, w) {
		return fmt.Errorf("the text has no summary with %q", w)
	}
	return nil
}

// nasty holds what a report may have to quote.
const nasty = "nul \x00 bell \a esc \x1b[31m del \x7f c1 \u009b bad \xff\xfe cr \r ]]> <x a='b'> & \" \uffff \ufffe \u2028 \U0001F600"

func results() []scenarios.Result {
	f := invariants.Finding{Rule: "stop/typed-end", What: nasty, Around: []string{nasty}}
	return []scenarios.Result{
		{Name: "a/one", File: "x/a.txtar", Status: scenarios.Pass, Elapsed: time.Second, Log: nasty},
		{Name: "a/" + "two", File: "x/a.txtar", Status: scenarios.Fail, Failure: nasty + "\nsecond line", Log: nasty},
		{Name: "b", File: "b.txtar", Status: scenarios.Fail, Findings: []invariants.Finding{f, f}, Expected: []invariants.Finding{f}},
		{Name: "c", File: "c.txtar", Status: scenarios.Broken, Problems: scenarios.Problems{{File: "c.txtar", Line: 3, Text: nasty}}},
		{Name: "d", File: "d.txtar", Status: scenarios.Vacuous, Findings: []invariants.Finding{{Rule: "bench/not-vacuous", What: "nothing"}}},
	}
}

var results5 = scenarios.Summary{Scenarios: 4, Variants: 5, Passed: 1, Failed: 2, Broken: 1, Vacuous: 1, Elapsed: 1500 * time.Millisecond}

func TestReportsHoldAnything(t *testing.T) {
	var js, xm, tx bytes.Buffer
	reports := []reporter{&jsonReport{w: &js}, &junitReport{w: &xm}, newText(&tx, look{colour: true, verbose: true})}
	for _, rep := range reports {
		for _, r := range results() {
			rep.result(r)
		}
		if err := rep.summary(results5); err != nil {
			t.Fatal(err)
		}
	}
	if err := agree(js.String(), xm.String()); err != nil {
		t.Error(err)
	}
	if err := inText(js.String(), tx.String()); err != nil {
		t.Error(err)
	}
	if i := strings.IndexFunc(tx.String(), obeyed); i >= 0 {
		t.Errorf("the text holds a control character: %q", tx.String()[max(0, i-20):])
	}
	if !strings.Contains(tx.String(), `esc \x1b[31m del \x7f c1 \x9b`) {
		t.Errorf("control characters are not shown as such:\n%s", tx.String())
	}
}

// A report takes its name only when it is whole.
func TestReportFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report.json")
	write := func(s string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	f, err := openReport(name)
	if err != nil {
		t.Fatal(err)
	}
	rep := &filed{reporter: &jsonReport{w: f}, f: f}
	rep.result(results()[0])
	if got, _ := os.ReadFile(name); string(got) != "old" {
		t.Fatalf("in the middle of the run the report is %q", got)
	}
	if err := rep.summary(results5); err != nil {
		t.Fatal(err)
	}
	if _, sum, err := objects(read(t, name)); err != nil || sum.Variants != 5 {
		t.Fatalf("%v, %+v", err, sum)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
		t.Errorf("the report's mode became %v", info.Mode())
	}
	f.drop() // as the end of run does: nothing is left to drop
	write("old")
	f, err = openReport(name)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "half")
	f.drop()
	if got := read(t, name); got != "old" {
		t.Errorf("a report that was dropped is %q", got)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// A device or pipe is written, not replaced. (A pipe of the test's own: as root
// a broken openReport would replace the system's devices.)
func TestReportIntoAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	pipe := fifo(t, name)
	f, err := openReport(name)
	if err != nil {
		t.Fatal(err)
	}
	rep := &filed{reporter: &jsonReport{w: f}, f: f}
	if err := rep.summary(results5); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Fatalf("the pipe was replaced: %v %v", info, err)
	}
	if !ready(t, pipe) {
		t.Error("nothing came out of the pipe")
	}
}

// The disk is full under a report: one sentence, and the old one stays.
func TestReportOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, rep := range []reporter{&jsonReport{w: full}, &junitReport{w: full}} {
		kept := false
		f := &reportFile{name: "report.json", keep: func() error { kept = true; return nil }}
		rep.result(results()[0])
		err := (&filed{reporter: rep, f: f}).summary(results5)
		if want := "the report report.json cannot be written: no space left on device"; err == nil || err.Error() != want || kept {
			t.Errorf("%T: %v, want %s; kept: %v", rep, err, want, kept)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
