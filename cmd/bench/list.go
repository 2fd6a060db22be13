package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/harnessbench/bench/scenarios"
)

func list(_ context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench list", flag.ContinueOnError)
	about := fmt.Sprintf("usage: bench list KIND\n       bench list scenarios [FILES...]\n\nKIND is one of %s.\n"+
		"Of a scenario it prints the file, the number of variants, and what it proves.", strings.Join(kinds(), ", "))
	rest, err := flags(fs, about, args, out)
	switch {
	case err != nil:
		return err
	case len(rest) == 0:
		return fmt.Errorf("list what? say one of scenarios, %s", strings.Join(kinds(), ", "))
	case rest[0] == "scenarios":
		return listScenarios(rest[1:], out, errs)
	case rest[0] == "cells" && len(rest) == 1:
		return listCells(out)
	case len(rest) > 1:
		return fmt.Errorf("list takes one kind; %q is too many", rest[1])
	}
	for _, g := range catalogue() {
		if g.kind == rest[0] {
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, it := range g.items() {
				fmt.Fprintf(w, "%s\t%s\n", it.name, it.summary)
			}
			return w.Flush()
		}
	}
	return fmt.Errorf("there is no kind %q; say one of scenarios, %s", rest[0], strings.Join(kinds(), ", "))
}

func listScenarios(files []string, out, errs io.Writer) error {
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob("scenarios/*.txtar"); err != nil || len(files) == 0 {
			return errors.New("there is no scenarios/*.txtar here; name files")
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var bad []error
	for _, f := range files {
		sc, err := scenarios.Load(f)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", f, len(sc.Variants()), sc.Says[0])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, err := range bad {
		fmt.Fprintln(errs, err) // each line of it names its file
	}
	if bad != nil {
		return exit(2)
	}
	return nil
}

func explain(_ context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench explain", flag.ContinueOnError)
	var ones []string
	for _, g := range catalogue() {
		ones = append(ones, g.one+"/NAME")
	}
	ones = append(ones, cellPrefix+"NAME")
	about := fmt.Sprintf("usage: bench explain NAME\n\nNAME is anything that bench list prints: a name of %s.\n"+
		"Where several kinds have that name: %s.", strings.Join(kinds(), ", "), strings.Join(ones, ", "))
	rest, err := flags(fs, about, args, out)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return errors.New("explain takes one name; bench list prints what there is")
	}
	asked := rest[0]
	if name, ok := cellNamed(asked); ok {
		return explainCell(name, out)
	}
	only, name := "", asked
	if one, rest, ok := strings.Cut(asked, "/"); ok && slices.ContainsFunc(catalogue(), func(g group) bool { return g.one == one }) {
		only, name = one, rest
	}
	var all []string
	found := false
	for _, g := range catalogue() {
		if only != g.one && (only != "" || g.one == "rung") { // a rung is a transition, by another name
			continue
		}
		for _, it := range g.items() {
			all = append(all, it.name)
			if it.name != name {
				continue
			}
			if found {
				fmt.Fprintln(out)
			}
			found = true
			fmt.Fprintf(out, "%s (%s)\n\n%s.\n", it.name, g.what, capital(strings.TrimSuffix(it.summary, ".")))
			if it.page != "" {
				fmt.Fprintf(out, "\n%s\n", strings.TrimSpace(it.page))
			}
			if by := namedBy(g.part, name); by != "" {
				fmt.Fprintf(out, "\nScenarios that name it: %s.\n", by)
			}
		}
	}
	if !found {
		return fmt.Errorf("nothing is called %q%s; bench list prints what there is", asked, near(name, all))
	}
	return nil
}

// namedBy are the scenarios that lie here and name a thing in what they arm or
// expect; part is the part of their signatures to look at.
func namedBy(part, name string) string {
	if part == "" {
		return ""
	}
	const most = 8
	files, _ := filepath.Glob("scenarios/*.txtar") // the pattern is legal
	var by []string
	n := 0
	for _, f := range files {
		sc, err := scenarios.Load(f)
		if err != nil {
			continue // bench list scenarios says why
		}
		for _, field := range strings.Fields(sc.Signature()) {
			if list, ok := strings.CutPrefix(field, part+"="); ok && slices.Contains(strings.Split(list, ","), name) {
				if n++; n <= most {
					by = append(by, sc.Name)
				}
			}
		}
	}
	if n > most {
		by = append(by, fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(by, ", ")
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// near is a hint at the names that look like the one asked for.
func near(name string, all []string) string {
	var hits []string
	for _, n := range all {
		if strings.Contains(n, name) || strings.Contains(name, n) || misspelt(n, name) {
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

// misspelt reports whether a and b differ by no more than two letters put in,
// left out or changed.
func misspelt(a, b string) bool {
	if max(len(a), len(b)) < 5 {
		return false
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)] <= 2
}
