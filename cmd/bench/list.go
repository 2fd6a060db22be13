package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/harnessbench/bench/harness"
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

// catalogue lists the kinds of things in the order in which explain looks.
func catalogue() []struct {
	kind  string
	items func() []item
} {
	return []struct {
		kind  string
		items func() []item
	}{
		{"rules", rules},
		{"terminals", terminals},
		{"transitions", transitions},
		{"rungs", transitions},
		{"points", points},
		{"mutants", mutantItems},
		{"records", recordKinds},
	}
}

var notBuilt = []string{"faults", "stages", "cells"}

func list(_ context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench list", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintf(errs, "usage: bench list KIND\n\nKIND is scenarios [FILES...], %s.\n", strings.Join(kinds(), ", "))
	}
	rest, err := flags(fs, args, errs)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		fs.Usage()
		return exit(2)
	}
	if rest[0] == "scenarios" {
		return listScenarios(rest[1:], out)
	}
	if len(rest) > 1 {
		return usagef("list takes one kind; %q is too many", rest[1])
	}
	for _, c := range catalogue() {
		if c.kind == rest[0] {
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, it := range c.items() {
				fmt.Fprintf(w, "%s\t%s\n", it.name, it.summary)
			}
			return w.Flush()
		}
	}
	for _, n := range notBuilt {
		if n == rest[0] {
			return usagef("%s are not built yet", n)
		}
	}
	return usagef("there is no kind %q; say one of scenarios, %s", rest[0], strings.Join(kinds(), ", "))
}

func kinds() []string {
	var ks []string
	for _, c := range catalogue() {
		ks = append(ks, c.kind)
	}
	return ks
}

func listScenarios(files []string, out io.Writer) error {
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob("scenarios/*.txtar"); err != nil || len(files) == 0 {
			return usagef("no scenario files here; name some, such as scenarios/*.txtar")
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	bad := 0
	for _, f := range files {
		sc, err := scenarios.Load(f)
		if err != nil {
			w.Flush()
			fmt.Fprintln(out, err)
			bad++
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", f, len(sc.Variants()), sc.Says[0])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return exit(2)
	}
	return nil
}

func explain(_ context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench explain", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintf(errs, "usage: bench explain NAME\n\nNAME is the name of anything that bench list prints: %s.\n", strings.Join(kinds(), ", "))
	}
	rest, err := flags(fs, args, errs)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		fs.Usage()
		return exit(2)
	}
	name := rest[0]
	var all []string
	for _, c := range catalogue() {
		for _, it := range c.items() {
			if it.name == name {
				fmt.Fprintf(out, "%s (%s)\n\n%s.\n", it.name, strings.TrimSuffix(c.kind, "s"), strings.TrimSuffix(it.summary, "."))
				if it.page != "" {
					fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(it.page))
				}
				return nil
			}
			all = append(all, it.name)
		}
	}
	return usagef("nothing is called %q%s; bench list prints what there is", name, near(name, all))
}

// near is a hint at the names that look like the one asked for.
func near(name string, all []string) string {
	var hits []string
	for _, n := range all {
		if strings.Contains(n, name) || strings.Contains(name, n) || strings.HasSuffix(n, name) {
			hits = append(hits, n)
		}
	}
	if len(hits) == 0 {
		return ""
	}
	sort.Strings(hits)
	if len(hits) > 5 {
		hits = hits[:5]
	}
	return " (near: " + strings.Join(hits, ", ") + ")"
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
	return out
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
