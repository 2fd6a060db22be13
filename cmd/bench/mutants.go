package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/fuzz"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/scenarios"
)

const aboutMutants = `usage: bench mutants [flags] FILES...

Runs every broken loop and says what convicts it. FILES are the shipped scenarios;
each mutant runs the variants that it names. A mutant that nothing catches, or that
is blamed for a rule it does not break, is red. Flags:`

func mutate(ctx context.Context, args []string, out, _ io.Writer) (err error) {
	fs := flag.NewFlagSet("bench mutants", flag.ContinueOnError)
	var (
		pattern  = fs.String("run", "", "only mutants whose name matches this `regexp`")
		all      = fs.Bool("all", false, "run every variant of FILES with each mutant, not only those that it names")
		budget   = fs.Duration("fuzz", 0, "also let the fuzzer alone look for each mutant, for at most so much time `D`")
		seed     = fs.Uint64("seed", 1, "the seed `S` of what the fuzzer draws")
		j        = fs.Int("j", 0, "`N` variants at once (default: one for each processor)")
		jsonFile = fs.String("json", "", "write one JSON object a line to this `file`; -: to standard output, instead of the text")
	)
	files, err := flags(fs, aboutMutants, args, out)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return errors.New("no scenario files: name those that shipped, scenarios/*.txtar")
	case *j < 0 || *budget < 0:
		return errors.New("-j and -fuzz take no negative number")
	}
	only, err := regexp.Compile(*pattern)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	list := slices.DeleteFunc(mutants.All(), func(m mutants.Mutant) bool { return !only.MatchString(m.Name) })
	if len(list) == 0 {
		return fmt.Errorf("no mutant's name matches -run %q; bench list mutants prints them", *pattern)
	}
	b := &trials{ctx: ctx, files: files, all: *all, budget: *budget, seed: *seed, j: *j, live: &live{out: out}}
	if terminal(out) != nil {
		b.live.screen = out
	}
	switch *jsonFile {
	case "":
	case "-":
		b.live, b.json = &live{out: io.Discard}, json.NewEncoder(out)
	default:
		f, err := openReport(*jsonFile)
		if err != nil {
			return err
		}
		defer f.drop()
		b.json = json.NewEncoder(f)
		b.keep = func() error {
			if err := f.keep(); err != nil {
				return fmt.Errorf("the report %s cannot be written: %w", f.name, reason(err))
			}
			return nil
		}
	}
	return b.run(list)
}

// trials is one call of bench mutants.
type trials struct {
	ctx    context.Context
	files  []string
	all    bool
	budget time.Duration
	seed   uint64
	j      int
	live   *live
	json   *json.Encoder // nil: none
	keep   func() error  // of the file it goes to
}

// jsonMutant is what became of one mutant.
type jsonMutant struct {
	Type     string            `json:"type"` // "mutant"
	Name     string            `json:"name"`
	Status   string            `json:"status"` // ok, fail
	Breaks   []string          `json:"breaks"`
	By       map[string]string `json:"convicted_by"` // rule: the first variant, and what was found
	Wrong    []string          `json:"wrong,omitempty"`
	Variants int               `json:"variants"`
	Red      int               `json:"red"`
	Fuzz     *jsonFuzz         `json:"fuzz,omitempty"`
}

// jsonFuzz is what the fuzzer alone made of it.
type jsonFuzz struct {
	Rule      string  `json:"rule,omitempty"` // "": nothing was found
	Seconds   float64 `json:"seconds"`        // until it was found, or given up
	Scenarios int     `json:"scenarios"`
	Lines     int     `json:"lines,omitempty"` // of the shrunk scenario
	Shrinking float64 `json:"shrinking_seconds,omitempty"`
	Text      string  `json:"text,omitempty"`
}

type jsonMutants struct {
	Type     string  `json:"type"` // "summary"
	Mutants  int     `json:"mutants"`
	Red      int     `json:"red"`
	Variants int     `json:"variants"`
	Fuzzed   int     `json:"fuzzed,omitempty"` // that the fuzzer convicted alone
	Median   int     `json:"median_lines,omitempty"`
	Seconds  float64 `json:"seconds"`
}

func (b *trials) run(list []mutants.Mutant) error {
	begun := time.Now()
	sum := jsonMutants{Type: "summary", Mutants: len(list)}
	var lines []int
	for i, m := range list {
		b.live.status(fmt.Sprintf("%d of %d mutants: %s", i, len(list), m.Name))
		r, err := b.one(m)
		if err != nil {
			return err
		}
		sum.Variants += r.Variants
		if r.Status != "ok" {
			sum.Red++
		}
		if r.Fuzz != nil && r.Fuzz.Rule != "" {
			sum.Fuzzed++
			lines = append(lines, r.Fuzz.Lines)
		}
		b.live.print(mutantText(r))
		if b.json != nil {
			if err := b.json.Encode(r); err != nil {
				return err
			}
		}
	}
	b.live.status("")
	sum.Seconds = time.Since(begun).Seconds()
	if len(lines) > 0 {
		slices.Sort(lines)
		sum.Median = lines[len(lines)/2]
	}
	text := fmt.Sprintf("%d mutants, %d variants: %d convicted", sum.Mutants, sum.Variants, sum.Mutants-sum.Red)
	if sum.Red > 0 {
		text += fmt.Sprintf(", %d wrong", sum.Red)
	}
	if b.budget > 0 {
		text += fmt.Sprintf("; %d by the fuzzer alone, %d lines in the median", sum.Fuzzed, sum.Median)
	}
	b.live.print(fmt.Sprintf("%s in %.1fs\n", text, sum.Seconds))
	if b.json != nil {
		if err := b.json.Encode(sum); err != nil {
			return err
		}
	}
	if b.keep != nil {
		if err := b.keep(); err != nil {
			return err
		}
	}
	if sum.Red > 0 {
		return exit(1)
	}
	return nil
}

// one tries one mutant. An error is of the usage or of the machine.
func (b *trials) one(m mutants.Mutant) (jsonMutant, error) {
	r := jsonMutant{Type: "mutant", Name: m.Name, Status: "ok", Breaks: m.Breaks}
	v, err := mutants.Convict(b.ctx, m, scenarios.Options{Files: b.files, J: b.j, NoKeep: true}, b.all)
	if b.ctx.Err() != nil {
		return r, fmt.Errorf("cut short: %w; no report file was written", context.Cause(b.ctx))
	}
	if err != nil {
		return r, err
	}
	r.By, r.Variants, r.Red, r.Wrong = v.Found, v.Variants, v.Red, v.Wrong(m, false)
	if b.budget > 0 {
		sum, err := fuzz.Run(b.ctx, fuzz.Options{Seed: b.seed, Time: b.budget, J: b.j, First: true, Space: fuzz.Everything(), Seam: m.Seam()})
		if b.ctx.Err() != nil {
			return r, fmt.Errorf("cut short: %w; no report file was written", context.Cause(b.ctx))
		}
		if err != nil {
			return r, err
		}
		r.Fuzz = &jsonFuzz{Seconds: sum.Elapsed.Seconds(), Scenarios: sum.Scenarios}
		for _, f := range sum.Found {
			*r.Fuzz = jsonFuzz{f.Rule, f.Elapsed.Seconds(), sum.Scenarios, f.Lines, f.Took.Seconds(), f.Shrunk.Text}
			if fuzz.IsRule(f.Rule) && !m.MayBreak(f.Rule) {
				r.Wrong = append(r.Wrong, fmt.Sprintf("blamed by the fuzzer for %s, which it does not break: %s, in\n%s", f.Rule, f.What, f.Shrunk.Text))
			}
		}
	}
	if len(r.Wrong) > 0 {
		r.Status = "fail"
	}
	return r, nil
}

// mutantText is what became of one mutant, for people.
func mutantText(r jsonMutant) string {
	var b strings.Builder
	status := "ok"
	if r.Status != "ok" {
		status = "FAIL"
	}
	fmt.Fprintf(&b, "%-7s %s: %d of %d variants red\n", status, r.Name, r.Red, r.Variants)
	rules := make([]string, 0, len(r.By))
	for rule := range r.By {
		rules = append(rules, rule)
	}
	slices.Sort(rules)
	for _, rule := range rules {
		variant, _, _ := strings.Cut(r.By[rule], ": ")
		fmt.Fprintf(&b, "  %-26s by %s\n", rule, variant)
	}
	if f := r.Fuzz; f != nil {
		if f.Rule == "" {
			fmt.Fprintf(&b, "  the fuzzer alone found nothing in %d scenarios, %.1fs\n", f.Scenarios, f.Seconds)
		} else {
			fmt.Fprintf(&b, "  the fuzzer alone: %s in scenario %d, after %.1fs; shrunk to %d lines in %.1fs\n", f.Rule, f.Scenarios, f.Seconds, f.Lines, f.Shrinking)
		}
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(w, "\n", "\n    "))
	}
	return printable(b.String())
}
