package mutants_test

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain()
	m.Run()
}

// expectation stands for a scenario's own expectation that fails, where no rule
// finds anything.
const expectation = "(expectation)"

// convict runs a mutant over the variants whose name begins with one of names
// (none: over all) and returns each rule that found something, with the place
// where it first did.
func convict(t *testing.T, m mutants.Mutant, names []string, shard scenarios.Shard) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	o := scenarios.Options{Files: files, Shard: shard, Seam: m.Seam(), KeepDir: t.TempDir()}
	if len(names) > 0 {
		o.Repeat = 2
		var alt []string
		o.Files = nil
		for _, n := range names {
			file, _, _ := strings.Cut(n, "/")
			if f := filepath.Join("../scenarios", file+".txtar"); !slices.Contains(o.Files, f) {
				o.Files = append(o.Files, f)
			}
			alt = append(alt, regexp.QuoteMeta(n))
		}
		o.Run = regexp.MustCompile("^(" + strings.Join(alt, "|") + ")(/|$)")
	}
	found := map[string]string{}
	seen := map[string]bool{}
	o.Report = func(r scenarios.Result) {
		for _, p := range r.Problems {
			t.Errorf("%s", p)
		}
		for _, n := range names {
			if r.Name == n || strings.HasPrefix(r.Name, n+"/") {
				seen[n] = seen[n] || r.Status != scenarios.Pass
			}
		}
		if r.Status == scenarios.Fail && len(r.Findings) == 0 && found[expectation] == "" {
			found[expectation] = r.Name
		}
		for _, f := range r.Findings {
			if (f.Rule == "bench/not-vacuous" || strings.HasPrefix(f.Rule, "cassette/")) && !slices.Contains(m.Breaks, f.Rule) {
				continue // no blame: a loop that goes another way does not come by what was armed or recorded
			}
			if found[f.Rule] == "" {
				found[f.Rule] = r.Name + ": " + f.What
			}
		}
	}
	if _, err := scenarios.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !seen[n] {
			t.Errorf("%s does not convict %s: every variant of it passes, or there is none", n, m.Name)
		}
	}
	return found
}

// Each mutant is convicted of every rule it breaks by the scenarios that it
// names, and blamed for no other.
func TestConvicted(t *testing.T) {
	for _, m := range mutants.All() {
		t.Run(m.Name, func(t *testing.T) {
			found := convict(t, m, m.Scenarios, scenarios.Shard{})
			for _, rule := range m.Breaks {
				if found[rule] == "" {
					t.Errorf("not convicted of %s by %s; found %v", rule, strings.Join(m.Scenarios, ", "), keys(found))
				}
			}
			if m.Expects && found[expectation] == "" {
				t.Errorf("no expectation of %s fails", strings.Join(m.Scenarios, ", "))
			}
			for rule, where := range found {
				if rule != expectation && !slices.Contains(m.Breaks, rule) && !slices.Contains(m.Also, rule) {
					t.Errorf("blamed for %s, which it does not break: %s", rule, where)
				}
			}
		})
	}
}

// No mutant is blamed for a rule that it does not break: a rule that blames the
// innocent is worse than none. Each mutant runs a sixteenth of all
// shipped variants, the mutants together run all of them several times; BENCH_BLAME=all runs each over all.
func TestNobodyIsBlamedForAnother(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("runs the shipped scenarios once for each mutant")
	}
	for _, m := range mutants.All() {
		t.Run(m.Name, func(t *testing.T) {
			h := fnv.New32a()
			h.Write([]byte(m.Name)) // another mutant changes nobody's share
			shard := scenarios.Shard{I: int(h.Sum32()%16) + 1, N: 16}
			if os.Getenv("BENCH_BLAME") == "all" {
				shard = scenarios.Shard{}
			}
			for rule, where := range convict(t, m, nil, shard) {
				if rule != expectation && !slices.Contains(m.Breaks, rule) && !slices.Contains(m.Also, rule) {
					t.Errorf("blamed for %s, which it does not break: %s", rule, where)
				}
			}
		})
	}
}

// Every rule has a mutant that breaks it, and every mutant breaks a rule that exists.
func TestEveryRuleHasAMutant(t *testing.T) {
	broken := map[string]bool{}
	for _, m := range mutants.All() {
		if m.Name == "" || m.Summary == "" || (len(m.Breaks) == 0) != m.Expects || len(m.Scenarios) == 0 || m.Parts == nil {
			t.Errorf("mutant %q lacks a field", m.Name)
		}
		for _, r := range slices.Concat(m.Breaks, m.Also) {
			if !slices.ContainsFunc(invariants.All(), func(x invariants.Rule) bool { return x.Name == r }) {
				t.Errorf("mutant %s names the rule %s, which does not exist", m.Name, r)
			}
		}
		for _, r := range m.Breaks {
			broken[r] = true
		}
	}
	for _, r := range invariants.All() {
		if !broken[r.Name] {
			t.Errorf("no mutant breaks %s: nobody has seen it fail", r.Name)
		}
	}
}

func keys(m map[string]string) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}
