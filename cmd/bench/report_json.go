package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/scenarios"
)

// jsonReport writes one object a line: each variant, then the summary.
type jsonReport struct {
	w     io.Writer
	cover *coverage // nil: nothing is said of it
	err   error     // the first failure of w
}

type jsonVariant struct {
	Type     string        `json:"type"` // "variant"
	Name     string        `json:"name"`
	File     string        `json:"file"`
	Status   string        `json:"status"` // ok, fail, broken, vacuous
	Seed     uint64        `json:"seed"`
	Seconds  float64       `json:"seconds"`
	Skipped  string        `json:"skipped,omitempty"`
	Problems []string      `json:"problems,omitempty"`
	Failure  string        `json:"failure,omitempty"`
	Findings []jsonFinding `json:"findings,omitempty"`
	Expected []jsonFinding `json:"expected,omitempty"`
	Evidence string        `json:"evidence,omitempty"`
	Again    string        `json:"again,omitempty"`
	scenarios.Counts
	Cover map[string][]string `json:"cover,omitempty"` // by the kind of list: what it has been through
}

type jsonFinding struct {
	Rule   string   `json:"rule"`
	What   string   `json:"what"`
	Where  string   `json:"where,omitempty"`
	Around []string `json:"around,omitempty"`
}

type jsonSummary struct {
	Type      string  `json:"type"` // "summary"
	Scenarios int     `json:"scenarios"`
	Variants  int     `json:"variants"`
	Passed    int     `json:"passed"`
	Failed    int     `json:"failed"`
	Broken    int     `json:"broken"`
	Vacuous   int     `json:"vacuous"`
	Exit      int     `json:"exit_status"`
	Seconds   float64 `json:"seconds"`
	scenarios.Counts
	Cover *jsonCover `json:"cover,omitempty"`
}

// jsonCover is what -cover tells.
type jsonCover struct {
	Part  []string            `json:"part,omitempty"` // the flags by which it is of a part of the variants
	Lists map[string]jsonList `json:"lists"`          // by kind, as bench list takes it
}

type jsonList struct {
	Seen  map[string]int `json:"seen"` // variants, by name
	Never []string       `json:"never"`
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
	v := jsonVariant{
		Type: "variant", Name: r.Name, File: r.File, Status: strings.ToLower(r.Status.String()), Seed: r.Seed,
		Seconds: r.Elapsed.Seconds(), Skipped: r.Skipped, Failure: r.Failure,
		Findings: jsonFindings(r.Findings), Expected: jsonFindings(r.Expected),
		Evidence: r.Kept, Again: r.Again, Counts: r.Counts,
	}
	for _, p := range r.Problems {
		v.Problems = append(v.Problems, p.String())
	}
	if j.cover != nil {
		v.Cover = j.cover.last
	}
	j.write(v)
}

func jsonFindings(fs []invariants.Finding) []jsonFinding {
	var out []jsonFinding
	for _, f := range fs {
		out = append(out, jsonFinding{f.Rule, f.What, f.Where.String(), f.Around})
	}
	return out
}

func (j *jsonReport) summary(s scenarios.Summary) error {
	sum := jsonSummary{
		Type: "summary", Scenarios: s.Scenarios, Variants: s.Variants,
		Passed: s.Passed, Failed: s.Failed, Broken: s.Broken, Vacuous: s.Vacuous,
		Exit: s.ExitStatus(), Seconds: s.Elapsed.Seconds(), Counts: s.Counts,
	}
	if j.cover != nil {
		sum.Cover = &jsonCover{j.cover.part, map[string]jsonList{}}
		for _, l := range j.cover.sections() {
			never := append([]string{}, l.never...) // [], not null
			sum.Cover.Lists[l.kind] = jsonList{l.n, never}
		}
	}
	j.write(sum)
	return j.err
}
