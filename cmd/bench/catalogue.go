package main

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/scenarios"
)

// item is one thing that has a name: a line of a list, a page of explain.
type item struct {
	name, summary string
	page          string // for explain; "" says no more than the summary
}

// group is one kind of things, a closed list.
type group struct {
	kind  string // as list takes it
	one   string // one of them: what stands before the slash in explain ONE/NAME
	what  string // one of them, in words
	items func() []item
	// seen are those of a list that a variant has been through; nil where a
	// variant goes through none. It is what -cover goes by.
	seen func(*scenarios.Cover) []string
	// part is the part of a scenario's signature that names them, "" for none.
	part string
}

// catalogue lists the kinds in the order in which explain looks and -cover
// prints. It is the one table: what is new in a list of a package is listed,
// explained and missed by -cover at once.
func catalogue() []group {
	return []group{
		{kind: "rules", one: "rule", what: "rule", items: rules},
		{kind: "terminals", one: "terminal", what: "terminal", items: terminals, part: "terminals",
			seen: func(c *scenarios.Cover) []string { return c.Terminals }},
		{kind: "transitions", one: "transition", what: "transition", items: rungs, part: "transitions",
			seen: func(c *scenarios.Cover) []string { return c.Transitions }},
		{kind: "rungs", one: "rung", what: "rung", items: rungs, part: "transitions",
			seen: func(c *scenarios.Cover) []string { return c.Transitions }},
		{kind: "stages", one: "stage", what: "stage of the context pipeline", items: stages,
			seen: func(c *scenarios.Cover) []string { return c.Stages }},
		{kind: "points", one: "point", what: "crash point", items: points, part: "points",
			seen: func(c *scenarios.Cover) []string { return c.Points }},
		{kind: "kinds", one: "kind", what: "record kind", items: recordKinds,
			seen: func(c *scenarios.Cover) []string { return c.Kinds }},
		{kind: "codes", one: "code", what: "refusal code", items: codes,
			seen: func(c *scenarios.Cover) []string { return c.Refusals }},
		{kind: "gates", one: "gate", what: "gate verdict", items: gates,
			seen: func(c *scenarios.Cover) []string { return c.Gates }},
		{kind: "faults", one: "fault", what: "fault", items: faultItems, part: "faults",
			seen: func(c *scenarios.Cover) []string { return c.Faults }},
		{kind: "mutants", one: "mutant", what: "mutant", items: mutantItems},
	}
}

func kinds() []string {
	var ks []string
	for _, g := range catalogue() {
		ks = append(ks, g.kind)
	}
	return append(ks, "cells") // too many to be items
}

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

// rungs are the transitions, too: each rung of the ladder goes on by the
// transition of its name, and the loop goes on in no other way.
func rungs() []item {
	var out []item
	for i, r := range harness.Ladder() {
		kept, turn := "discarded", "no turn"
		if r.Commit {
			kept = "committed"
		}
		if r.Turn {
			turn = "a turn"
		}
		out = append(out, item{string(r.Name), r.Summary, fmt.Sprintf(
			"Rung %d of the ladder.\n\nTrigger: %s.\n\nThe answer is %s; it uses %s.\n\nLimit: %s.\n\nProgress: %s.\n\nSource: %s.",
			i+1, r.Trigger, kept, turn, limitOf(r), r.Progress, r.Source)})
	}
	return out
}

func stages() []item {
	var out []item
	for _, s := range compact.Stages() {
		page := fmt.Sprintf("Trigger: %s.\n", s.Threshold)
		if d := defaultsIn(s.Summary + " " + s.Threshold); d != "" {
			page += fmt.Sprintf("\nDefaults: %s.\n", d)
		}
		out = append(out, item{string(s.Stage), s.Summary, page +
			"\nProgress: a smaller request; an edit that does not shrink it is not made.\n\nSource: " + s.Source + "."})
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

func codes() []item {
	var out []item
	for _, c := range harness.Refusals() {
		page := ""
		if c.Source != "" {
			page = "Source: " + c.Source + "."
		}
		out = append(out, item{c.Code, c.Summary, page})
	}
	return out
}

// gates are what gates say of an answer, each as GATE:VERDICT.
func gates() []item {
	var out []item
	for _, g := range harness.GateVerdicts() {
		out = append(out, item{g.Gate + ":" + g.Verdict, g.Summary, g.Leads})
	}
	return out
}

func mutantItems() []item {
	var out []item
	for _, m := range mutants.All() {
		page := fmt.Sprintf("Breaks: %s.\n", strings.Join(m.Breaks, ", "))
		if len(m.Also) > 0 {
			page += fmt.Sprintf("\nMay break besides: %s.\n", strings.Join(m.Also, ", "))
		}
		out = append(out, item{m.Name, m.Summary, page + fmt.Sprintf("\nConvicted by: %s.", strings.Join(m.Scenarios, ", "))})
	}
	return out
}
