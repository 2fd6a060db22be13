package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/harnessbench/bench/scenarios"
)

// junitReport writes the XML that CI systems read: a test case for each
// variant. A broken scenario is an error; a finding, or a run that proved
// nothing, is a failure.
type junitReport struct {
	w     io.Writer
	cover *coverage // nil: nothing is said of it
	suite junitSuite
}

type junitSuite struct {
	XMLName    xml.Name         `xml:"testsuite"`
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Properties *junitProperties `xml:"properties"` // nil: none
	Cases      []junitCase      `xml:"testcase"`
}

type junitProperties struct {
	Property []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"` // the scenario
	Name    string        `xml:"name,attr"`      // the variant
	File    string        `xml:"file,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Error   *junitFailure `xml:"error"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"` // fail, vacuous, broken
	Text    string `xml:",cdata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

func (j *junitReport) result(r scenarios.Result) {
	class := strings.TrimSuffix(filepath.Base(r.File), ".txtar")
	c := junitCase{Class: clean(class), Name: clean(r.Name), File: clean(r.File), Time: seconds(r.Elapsed.Seconds())}
	f := &junitFailure{clean(headline(r)), strings.ToLower(r.Status.String()), clean(r.String() + "\n" + r.Log)}
	switch {
	case r.Skipped != "":
		c.Skipped = &junitSkipped{clean(r.Skipped)}
		j.suite.Skipped++
	case r.Status == scenarios.Broken:
		c.Error = f
		j.suite.Errors++
	case r.Status != scenarios.Pass:
		c.Failure = f
		j.suite.Failures++
	}
	j.suite.Cases = append(j.suite.Cases, c)
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

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

// clean replaces what XML 1.0 cannot hold, even escaped: evidence quotes bytes
// that were made to break readers.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// properties tell what was covered: cover/KIND/NAME is a number of variants, 0
// for never.
func properties(c *coverage) []junitProperty {
	var out []junitProperty
	for _, p := range c.part {
		out = append(out, junitProperty{"cover/part", clean(p)})
	}
	for _, s := range c.sections() {
		for _, name := range append(s.names, s.strays...) {
			out = append(out, junitProperty{"cover/" + s.kind + "/" + clean(name), fmt.Sprint(s.n[name])})
		}
	}
	return out
}

func (j *junitReport) summary(s scenarios.Summary) error {
	j.suite.Name, j.suite.Tests, j.suite.Time = "bench", s.Variants, seconds(s.Elapsed.Seconds())
	if j.cover != nil {
		j.suite.Properties = &junitProperties{properties(j.cover)}
	}
	b, err := xml.MarshalIndent(&j.suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(j.w, xml.Header+string(b)+"\n")
	return err
}
