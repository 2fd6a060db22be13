package scenarios

import (
	"fmt"
	"strings"
	"time"

	"github.com/harnessbench/bench/invariants"
)

// Status is how a variant ended. The numbers are the command's exit statuses.
type Status int

// The statuses.
const (
	Pass    Status = 0
	Fail    Status = 1 // an assertion failed, or a rule found something
	Broken  Status = 2 // the scenario itself is wrong; nothing, or not all of it, ran
	Vacuous Status = 3 // nothing was proved: what was armed never happened
)

func (s Status) String() string {
	switch s {
	case Pass:
		return "ok"
	case Fail:
		return "FAIL"
	case Broken:
		return "BROKEN"
	case Vacuous:
		return "VACUOUS"
	}
	return fmt.Sprintf("status %d", int(s))
}

// Counts is what a run amounts to.
type Counts struct {
	Lives    int `json:"lives"`
	Rules    int `json:"rules"` // rules that were judged
	Effects  int `json:"effects"`
	Requests int `json:"requests"`
	Records  int `json:"records"`
	Spawns   int `json:"spawns"` // real processes killed
}

func (c *Counts) add(d Counts) {
	c.Lives += d.Lives
	c.Rules += d.Rules
	c.Effects += d.Effects
	c.Requests += d.Requests
	c.Records += d.Records
	c.Spawns += d.Spawns
}

// Result is what became of one variant, or of a file that could not be run.
type Result struct {
	Name     string // scenario/case/VAR=VALUE/realkill
	File     string
	Seed     uint64
	Status   Status
	Problems Problems             // of a broken file
	Skipped  string               // why it was not run: its protocol, or a foreign agent, cannot; Status is Pass
	Failure  string               // the assertion that failed, with file and line; "" for none
	Findings []invariants.Finding // that nobody expected
	Expected []invariants.Finding // that `finding` lines expected
	Log      string               // of the script; whole with Options.Verbose, else from the phase that failed
	Kept     string               // folder with the evidence, where it was kept
	Again    string               // the command that repeats it
	Counts   Counts
	Cover    Cover // what of the loop it has been through
	Elapsed  time.Duration

	cut bool // nobody waited for it any more, and it was cut short: it says nothing
}

// String is the result for a reader: one line when it passed, all there is to
// know when it did not.
func (r Result) String() string {
	var b strings.Builder
	if r.Skipped != "" {
		return fmt.Sprintf("%-7s %s: %s", "skip", r.Name, r.Skipped)
	}
	fmt.Fprintf(&b, "%-7s %s", r.Status, r.Name)
	if r.Status == Pass {
		return b.String()
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "\n  %s", p)
	}
	if r.Failure != "" {
		fmt.Fprintf(&b, "\n  %s", indent(r.Failure))
	}
	const most = 2 // of one rule: one cause has many consequences
	n := map[string]int{}
	for _, f := range r.Findings {
		if n[f.Rule]++; n[f.Rule] <= most {
			fmt.Fprintf(&b, "\n  %s", indent(f.String()))
		}
	}
	for _, f := range r.Findings { // in the order of the findings, each rule once
		if more := n[f.Rule] - most; more > 0 {
			fmt.Fprintf(&b, "\n  %s: and %d more findings of this rule; the evidence has them", f.Rule, more)
			n[f.Rule] = 0
		}
	}
	if r.Kept != "" {
		fmt.Fprintf(&b, "\n  evidence: %s", r.Kept)
	}
	if r.Again != "" {
		fmt.Fprintf(&b, "\n  again:    %s", r.Again)
	}
	return b.String()
}

func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }

// Summary is what a whole run amounts to.
type Summary struct {
	Scenarios int // files
	Variants  int
	Passed    int
	Failed    int
	Broken    int
	Vacuous   int
	Skipped   int // not run, for a reason that their results name
	Counts
	Elapsed time.Duration
}

func (s *Summary) add(r Result) {
	s.Variants++
	switch r.Status {
	case Pass:
		if r.Skipped != "" {
			s.Skipped++
			break
		}
		s.Passed++
	case Fail:
		s.Failed++
	case Broken:
		s.Broken++
	case Vacuous:
		s.Vacuous++
	}
	s.Counts.add(r.Counts)
}

// ExitStatus is the first of 2, 1, 3, 0 that occurs.
func (s Summary) ExitStatus() int {
	switch {
	case s.Broken > 0:
		return int(Broken)
	case s.Failed > 0:
		return int(Fail)
	case s.Vacuous > 0:
		return int(Vacuous)
	}
	return int(Pass)
}

// String is the summary in one line.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %d passed", counted(s.Scenarios, "scenario"), counted(s.Variants, "variant"), s.Passed)
	for _, n := range []struct {
		n    int
		what string
	}{{s.Failed, "failed"}, {s.Broken, "broken"}, {s.Vacuous, "vacuous"}, {s.Skipped, "skipped"}} {
		if n.n > 0 {
			fmt.Fprintf(&b, ", %d %s", n.n, n.what)
		}
	}
	fmt.Fprintf(&b, "; %s", counted(s.Lives, "life"))
	if s.Spawns > 0 {
		fmt.Fprintf(&b, " (%d killed for real)", s.Spawns)
	}
	fmt.Fprintf(&b, ", %s checked, %s", counted(s.Rules, "rule"), counted(s.Effects, "effect"))
	return b.String()
}

// counted is a number and its noun.
func counted(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "life":
		noun = "lives"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
