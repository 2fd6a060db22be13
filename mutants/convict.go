package mutants

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/harnessbench/bench/scenarios"
)

// Expectation stands, among rules, for a scenario's own expectation that fails
// where no rule finds anything.
const Expectation = "(expectation)"

// Verdict is what scenarios say of a mutant.
type Verdict struct {
	// Found are the rules that found something, Expectation among them, each with
	// the variant in which it first did.
	Found map[string]string
	// Blind are the names of Mutant.Scenarios of which every variant passes.
	Blind    []string
	Variants int // that ran
	Red      int // that did not pass
	Problems scenarios.Problems
}

// Convict runs a mutant over the variants that it names, each twice, or over all
// if whole says so, and returns what convicts it. Options say in which files, and
// how; their Run, Seam, Repeat and Report are Convict's own.
//
// What a loop that goes another way does not come by (bench/not-vacuous, and a
// recording that is not followed) is no blame, unless the mutant is to break that.
func Convict(ctx context.Context, m Mutant, o scenarios.Options, whole bool) (Verdict, error) {
	v := Verdict{Found: map[string]string{}}
	o.Seam, o.Run, o.Repeat = m.Seam(), nil, 0
	if !whole {
		if err := m.named(&o); err != nil {
			return v, err
		}
		v.Blind = slices.Clone(m.Scenarios)
	}
	if o.Run != nil && !some(o) {
		return v, nil // blind, all of it
	}
	o.Report = func(r scenarios.Result) { v.add(m, r) }
	_, err := scenarios.Run(ctx, o)
	return v, err
}

// named leaves of the options only what the mutant names.
func (m Mutant) named(o *scenarios.Options) error {
	all := o.Files
	o.Files, o.Repeat = nil, 2
	var alt []string
	for _, n := range m.Scenarios {
		name, _, _ := strings.Cut(n, "/")
		i := slices.IndexFunc(all, func(f string) bool { return filepath.Base(f) == name+".txtar" })
		if i < 0 {
			return fmt.Errorf("the mutant %s is convicted by %s, and no %s.txtar is among the files", m.Name, n, name)
		}
		if !slices.Contains(o.Files, all[i]) {
			o.Files = append(o.Files, all[i])
		}
		alt = append(alt, regexp.QuoteMeta(n))
	}
	o.Run = regexp.MustCompile("^(" + strings.Join(alt, "|") + ")(/|$)")
	return nil
}

// some reports whether a variant of the files is meant; a file that cannot be
// read has its say when it is run.
func some(o scenarios.Options) bool {
	for _, f := range o.Files {
		sc, err := scenarios.Load(f)
		if err != nil || slices.ContainsFunc(sc.Variants(), o.Run.MatchString) {
			return true
		}
	}
	return false
}

func (v *Verdict) add(m Mutant, r scenarios.Result) {
	v.Problems = append(v.Problems, r.Problems...)
	if r.Skipped == "" {
		v.Variants++
	}
	if r.Status == scenarios.Pass {
		return
	}
	v.Red++
	v.Blind = slices.DeleteFunc(v.Blind, func(n string) bool { return r.Name == n || strings.HasPrefix(r.Name, n+"/") })
	if r.Status == scenarios.Fail && len(r.Findings) == 0 && v.Found[Expectation] == "" {
		v.Found[Expectation] = r.Name
	}
	for _, f := range r.Findings {
		if (f.Rule == "bench/not-vacuous" || strings.HasPrefix(f.Rule, "cassette/")) && !slices.Contains(m.Breaks, f.Rule) {
			continue
		}
		if v.Found[f.Rule] == "" {
			v.Found[f.Rule] = r.Name + ": " + f.What
		}
	}
}

// Rules are the rules that found something, without Expectation, in order.
func (v Verdict) Rules() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(v.Found)), func(r string) bool { return r == Expectation })
}

// Wrong says what is wrong with a verdict, a sentence each: a rule that the
// mutant breaks and nothing found, one that found something and that it does not
// break, a scenario that it names and that passes. With partial, of a verdict on
// a part of the variants, only what was found counts.
func (v Verdict) Wrong(m Mutant, partial bool) []string {
	var wrong []string
	for _, p := range v.Problems {
		wrong = append(wrong, p.String())
	}
	if !partial {
		for _, rule := range m.Breaks {
			if v.Found[rule] == "" {
				wrong = append(wrong, fmt.Sprintf("not convicted of %s by %s; found: %s", rule, strings.Join(m.Scenarios, ", "), strings.Join(v.Rules(), ", ")))
			}
		}
		if m.Expects && v.Found[Expectation] == "" {
			wrong = append(wrong, fmt.Sprintf("no expectation of %s fails", strings.Join(m.Scenarios, ", ")))
		}
		for _, n := range v.Blind {
			wrong = append(wrong, fmt.Sprintf("%s does not convict it: every variant of it passes, or there is none", n))
		}
	}
	for _, rule := range v.Rules() {
		if !m.MayBreak(rule) {
			wrong = append(wrong, fmt.Sprintf("blamed for %s, which it does not break: %s", rule, v.Found[rule]))
		}
	}
	return wrong
}

// MayBreak reports whether a rule is one that the mutant breaks, or may break
// besides.
func (m Mutant) MayBreak(rule string) bool {
	return slices.Contains(m.Breaks, rule) || slices.Contains(m.Also, rule)
}
