package main

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/mutants"
)

// item is one thing that has a name: a line of a list, a page of explain.
type item struct {
	name, summary string
	page          string // for explain; "" says no more than the summary
}

// group is one kind of things.
type group struct {
	kind  string // as list takes it
	one   string // one of them, as explain calls it
	items func() []item
}

// catalogue lists the kinds in the order in which explain looks.
func catalogue() []group {
	return []group{
		{"rules", "rule", rules},
		{"terminals", "terminal", terminals},
		{"transitions", "transition", transitions},
		{"rungs", "rung", transitions},
		{"points", "crash point", points},
		{"records", "record kind", recordKinds},
		{"mutants", "mutant", mutantItems},
	}
}

func kinds() []string {
	var ks []string
	for _, g := range catalogue() {
		ks = append(ks, g.kind)
	}
	return ks
}

// notBuilt are the kinds of parts that come later.
var notBuilt = []string{"faults", "stages", "cells"}

func rules() []item {
	var out []item
	for _, r := range invariants.All() {
		var b strings.Builder
		fmt.Fprintf(&b, "Strength: %s.\n\nWhy: %s\n\nBroken by: %s\n", r.Strength, r.Why, r.Example)
		if len(r.Reports) > 0 {
			fmt.Fprintf(&b, "\nPublic reports: %s.\n", strings.Join(r.Reports, ", "))
		}
		var by []string
		for _, m := range mutants.All() {
			for _, n := range m.Breaks {
				if n == r.Name {
					by = append(by, m.Name)
				}
			}
		}
		if len(by) > 0 {
			fmt.Fprintf(&b, "\nMutants that break it: %s.\n", strings.Join(by, ", "))
		}
		var needs []string
		for _, n := range r.Needs {
			needs = append(needs, string(n))
		}
		fmt.Fprintf(&b, "\nEvidence it needs: %s. Where that does not exist the rule is not applicable, never passed.\n", strings.Join(needs, ", "))
		out = append(out, item{r.Name, r.Summary, b.String()})
	}
	return append(out, replays()...)
}

// replays are what a recording can find; they are judged while it is played.
func replays() []item {
	const page = "Judged while a recording is played (`replay CASSETTE`); after the first finding no other is reported.\n\nPublic reports: %s."
	return []item{
		{cassettes.Differs, "A request is the recorded one, as JSON; the first difference is named by its path", fmt.Sprintf(page, "kevin1024/vcrpy#842, jackmpcollins/magentic#377")},
		{cassettes.Unexpected, "No request comes behind the recorded ones", fmt.Sprintf(page, "dnaeon/go-vcr#21")},
		{cassettes.Unused, "Every recorded interaction is played", fmt.Sprintf(page, "dnaeon/go-vcr#91, slackapi/steno#26")},
	}
}

func terminals() []item {
	var out []item
	for _, t := range harness.Terminals() {
		out = append(out, item{string(t.Reason), t.Summary, "To resume: " + t.Resume + "."})
	}
	return out
}

func transitions() []item {
	var out []item
	for i, r := range harness.Ladder() {
		kept := "discarded"
		if r.Commit {
			kept = "committed"
		}
		out = append(out, item{string(r.Name), r.Summary, fmt.Sprintf("Rung %d of the ladder. The answer is %s. Progress is %s. Source: %s.", i+1, kept, r.Progress, r.Source)})
	}
	return out
}

func points() []item {
	var out []item
	for _, p := range env.Points() {
		out = append(out, item{string(p), env.Describe(p), ""})
	}
	return out
}

func recordKinds() []item {
	var out []item
	for _, k := range journal.Kinds() {
		out = append(out, item{string(k), journal.Describe(k), ""})
	}
	return out
}

func mutantItems() []item {
	var out []item
	for _, m := range mutants.All() {
		out = append(out, item{m.Name, m.Summary, fmt.Sprintf("Breaks: %s.\n\nConvicted by: %s.", strings.Join(m.Breaks, ", "), strings.Join(m.Scenarios, ", "))})
	}
	return out
}
