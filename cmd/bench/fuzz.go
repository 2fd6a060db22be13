package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/fuzz"
	"github.com/harnessbench/bench/mutants"
)

const aboutFuzz = `usage: bench fuzz [flags]

Draws scenarios that nobody wrote, runs them, and makes what breaks a rule small
enough to read: a .txtar that fails in the same way under bench run. Scenario i of
a seed is always the same; -time only decides how many there are. Flags:`

func fuzzing(ctx context.Context, args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("bench fuzz", flag.ContinueOnError)
	var (
		seed   = fs.Uint64("seed", 1, "draw the scenarios of this seed `S`")
		limit  = fs.Duration("time", time.Minute, "begin no scenario behind so much time `D`; with -max, no limit unless given; 0: only -failures")
		most   = fs.Int("max", 0, "draw at most `N` scenarios; 0: as many as the time allows")
		j      = fs.Int("j", 0, "`N` scenarios at once (default: one for each processor)")
		outDir = fs.String("o", "", "write what is found to this `folder` (default: that of -failures, else a new temporary one)")
		past   = fs.String("failures", "", "run first what failed once: the .txtar files of this `folder`, or one file")
		mutant = fs.String("mutant", "", "fuzz the broken loop of this `name`, and end with the first failure; bench list mutants has the names")
	)
	rest, err := flags(fs, aboutFuzz, args, out)
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("fuzz takes no files, and %q is one; bench run runs it, and -failures runs it first", rest[0])
	case *j < 0 || *most < 0 || *limit < 0:
		return errors.New("-j, -max and -time take no negative number")
	}
	if timed := given(fs, "time"); *most > 0 && !timed {
		*limit = 0
	}
	o := fuzz.Options{Seed: *seed, Time: *limit, Max: *most, J: *j, Space: fuzz.Everything(), Again: againFuzz(*mutant)}
	if *mutant != "" {
		m, err := mutantNamed(*mutant)
		if err != nil {
			return err
		}
		o.Seam, o.First = m.Seam(), true
	}
	if o.Past, err = pastFailures(*past); err != nil {
		return fmt.Errorf("-failures: %w", err)
	}
	var drop func()
	if o.Out, drop, err = outFolder(*outDir, *past); err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	defer drop()

	l := &live{out: out}
	if terminal(out) != nil {
		l.screen = out
	}
	o.Report = func(f fuzz.Found) { l.print(foundText(f)) }
	o.Progress = func(p fuzz.Progress) { l.status(fuzzStatus(p, o.Time, o.Max)) }
	sum, err := fuzz.Run(ctx, o)
	l.status("")
	if err == nil || sum.Past+sum.Scenarios > 0 {
		fmt.Fprintln(out, fuzzSummary(sum, *seed))
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("cut short: %w", context.Cause(ctx))
	case err != nil:
		return err
	}
	if s := sum.ExitStatus(); s != 0 {
		if s == 3 {
			fmt.Fprintln(errs, "bench fuzz: no scenario was run, so nothing is proved: give it more -time, or a -max")
		}
		return exit(s)
	}
	return nil
}

// given reports whether a flag stands in the arguments.
func given(fs *flag.FlagSet, name string) bool {
	found := false
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func mutantNamed(name string) (mutants.Mutant, error) {
	var names []string
	for _, m := range mutants.All() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return mutants.Mutant{}, fmt.Errorf("there is no mutant %q%s; bench list mutants prints them", name, near(name, names))
}

// pastFailures are the files that failed once.
func pastFailures(name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) != ".txtar":
		return nil, nil // a folder that the first failure makes
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	case !info.IsDir():
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".txtar" {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// outFolder is where failures are written, and what removes it again if none was.
func outFolder(given, past string) (string, func(), error) {
	switch {
	case given != "":
	case past != "" && filepath.Ext(past) != ".txtar":
		given = past
	default:
		dir, err := os.MkdirTemp("", "bench-fuzz-")
		return dir, func() { os.Remove(dir) }, err // an empty one only
	}
	if info, err := os.Stat(given); err == nil && !info.IsDir() {
		return "", nil, fmt.Errorf("%s is a file; name a folder", given)
	}
	return given, func() {}, nil
}

// againFuzz is the command that runs a file again: bench run, but a mutant is
// only run by bench fuzz, which reads the seed from the file and runs it twice.
func againFuzz(mutant string) func(string, uint64, int) string {
	exe, _ := os.Executable()
	bench := program(exe, os.Args[0])
	return func(file string, seed uint64, repeat int) string {
		if mutant != "" {
			return fmt.Sprintf("%s fuzz -mutant %s -time 0 -failures %s", bench, mutant, file)
		}
		cmd := repeatCommand(repeat)
		if seed != 0 {
			cmd += fmt.Sprintf(" -seed %d", seed)
		}
		return cmd + " " + file
	}
}

// foundText is one failure, for people.
func foundText(f fuzz.Found) string {
	var b strings.Builder
	switch {
	case f.Past != "":
		fmt.Fprintf(&b, "FAIL    %s, again\n  %s\n", f.Rule, f.What)
	default:
		fmt.Fprintf(&b, "FAIL    %s, in scenario %d after %.1fs; shrunk to %d lines in %.1fs\n  %s\n", f.Rule, f.Number, f.Elapsed.Seconds(), f.Lines, f.Took.Seconds(), f.What)
	}
	if len(f.Also) > 0 {
		fmt.Fprintf(&b, "  also breaks: %s\n", strings.Join(f.Also, ", "))
	}
	if f.File != "" {
		fmt.Fprintf(&b, "  file:     %s\n  again:    %s\n", f.File, f.Again)
	}
	if f.Differs != "" {
		fmt.Fprintf(&b, "  It does not fail in the same way by itself: %s.\n", f.Differs)
	}
	if f.Past == "" {
		for line := range strings.Lines(f.Shrunk.Text) {
			if !strings.HasPrefix(line, "#") {
				b.WriteString("    " + line)
			}
		}
	}
	return printable(strings.TrimRight(b.String(), "\n")) + "\n"
}

func fuzzStatus(p fuzz.Progress, limit time.Duration, most int) string {
	s := fmt.Sprintf("%d scenarios, %.0f/s", p.Scenarios, float64(p.Scenarios)/max(p.Elapsed.Seconds(), 0.001))
	if most > 0 {
		s = fmt.Sprintf("%d of %d scenarios, %.0f/s", p.Scenarios, most, float64(p.Scenarios)/max(p.Elapsed.Seconds(), 0.001))
	}
	if limit > 0 {
		s += fmt.Sprintf(", %s left", max(limit-p.Elapsed, 0).Round(time.Second))
	}
	if p.Found > 0 {
		s += fmt.Sprintf(", %d found", p.Found)
	}
	if p.Shrinking != "" {
		s += ", shrinking " + p.Shrinking
	}
	return s
}

func fuzzSummary(s fuzz.Summary, seed uint64) string {
	text := fmt.Sprintf("%d scenarios of seed %d", s.Scenarios, seed)
	if s.Past > 0 {
		text = fmt.Sprintf("%d past failures, %s", s.Past, text)
	}
	found := "nothing found"
	if n := len(s.Found); n > 0 {
		found = fmt.Sprintf("%d failures", n)
		if n == 1 {
			found = "1 failure"
		}
	}
	return fmt.Sprintf("%s: %s in %.1fs (%.0f/s)", text, found, s.Elapsed.Seconds(), float64(s.Scenarios)/max(s.Elapsed.Seconds(), 0.001))
}
