package mutants_test

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/providers/protocol"
	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain()
	m.Run()
}

// options are for the shipped scenarios.
func options(t *testing.T) scenarios.Options {
	t.Helper()
	files, err := filepath.Glob("../scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return scenarios.Options{Files: files, KeepDir: t.TempDir()}
}

// Each mutant is convicted of every rule it breaks by the scenarios that it
// names, and blamed for no other.
func TestConvicted(t *testing.T) {
	for _, m := range mutants.All() {
		t.Run(m.Name, func(t *testing.T) {
			v, err := mutants.Convict(t.Context(), m, options(t), false)
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range v.Wrong(m, false) {
				t.Error(wrong)
			}
		})
	}
}

// No mutant is blamed for a rule that it does not break: a rule that blames the
// innocent is worse than none. Each mutant runs a part of the shipped
// variants in one protocol, so that the mutants together run about as many as
// there are; BENCH_BLAME=all runs each over all.
func TestNobodyIsBlamedForAnother(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("runs the shipped scenarios once for each mutant")
	}
	for _, m := range mutants.All() {
		t.Run(m.Name, func(t *testing.T) {
			h := fnv.New32a()
			h.Write([]byte(m.Name)) // another mutant changes nobody's share
			o := options(t)
			o.Shard = scenarios.Shard{I: int(h.Sum32()%24) + 1, N: 24}
			o.Protocols = protocol.Names()[h.Sum32()/24%4:][:1]
			if os.Getenv("BENCH_BLAME") == "all" {
				o.Shard, o.Protocols = scenarios.Shard{}, nil
			}
			v, err := mutants.Convict(t.Context(), m, o, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, wrong := range v.Wrong(m, true) {
				t.Error(wrong)
			}
		})
	}
}

// A verdict says what is wrong with it: of a loop that breaks nothing, of one
// that breaks more than it says, of one that breaks something else, and of a
// scenario that does not look.
func TestVerdictsGoRed(t *testing.T) {
	i := slices.IndexFunc(mutants.All(), func(m mutants.Mutant) bool { return m.Name == "runs-cut-input" })
	right := mutants.All()[i]
	for name, c := range map[string]struct {
		damage func(*mutants.Mutant)
		says   []string
	}{
		"right":            {func(*mutants.Mutant) {}, nil},
		"breaks nothing":   {func(m *mutants.Mutant) { m.Parts = func() harness.Parts { return harness.Parts{} } }, []string{"not convicted of stop/complete-only", "does not convict it"}},
		"breaks more":      {func(m *mutants.Mutant) { m.Breaks = []string{"wire/backoff"}; m.Also = nil }, []string{"not convicted of wire/backoff", "blamed for stop/complete-only"}},
		"expects":          {func(m *mutants.Mutant) { m.Expects = true; m.Parts = func() harness.Parts { return harness.Parts{} } }, []string{"no expectation of", "not convicted", "does not convict it"}},
		"no such variant":  {func(m *mutants.Mutant) { m.Scenarios = []string{"batch-order/nonesuch"} }, []string{"not convicted", "batch-order/nonesuch does not convict it"}},
		"a blind scenario": {func(m *mutants.Mutant) { m.Scenarios = append(slices.Clone(m.Scenarios), "batch-order") }, []string{"batch-order does not convict it"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := right
			c.damage(&m)
			v, err := mutants.Convict(t.Context(), m, options(t), false)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(v.Wrong(m, false), "\n")
			for _, say := range c.says {
				if !strings.Contains(got, say) {
					t.Errorf("does not say %q:\n%s", say, got)
				}
			}
			if (got == "") != (c.says == nil) {
				t.Errorf("says %q", got)
			}
		})
	}
	if _, err := mutants.Convict(t.Context(), right, scenarios.Options{Files: []string{"batch-order.txtar"}}, false); err == nil || !strings.Contains(err.Error(), "is among the files") {
		t.Errorf("a file that is not there: %v", err)
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
