package fuzz

import (
	"os"
	"testing"
	"time"
)

// The fuzzer alone, without a scenario that somebody wrote, convicts a broken
// loop of each kind within the time that BENCH_FUZZ gives it (10s); without
// that, nothing is run, since what a time allows depends on the machine.
// docs/fuzzing.md has all mutants, measured once.
func TestConvictsAlone(t *testing.T) {
	limit, err := time.ParseDuration(os.Getenv("BENCH_FUZZ"))
	if err != nil {
		t.Skip("BENCH_FUZZ=10s fuzzes five mutants for 10 s each")
	}
	for _, name := range []string{"trusts-the-stop-reason", "forgets-its-retries", "splits-a-pair", "reruns-unknown-calls", "leaves-calls-open"} {
		t.Run(name, func(t *testing.T) {
			m := mutant(t, name)
			sum, err := Run(t.Context(), Options{Seed: 1, Time: limit, First: true, Out: t.TempDir(), Seam: m.Seam()})
			if err != nil {
				t.Fatal(err)
			}
			if len(sum.Found) == 0 {
				t.Fatalf("not found in %d scenarios, %v", sum.Scenarios, sum.Elapsed)
			}
			f := sum.Found[0]
			t.Logf("%s in scenario %d after %v, shrunk to %d lines in %v", f.Rule, f.Number, f.Elapsed.Round(time.Millisecond), f.Lines, f.Took.Round(time.Millisecond))
			if IsRule(f.Rule) && !m.MayBreak(f.Rule) {
				t.Errorf("blamed for %s, which it does not break: %s\n%s", f.Rule, f.What, f.Shrunk.Text)
			}
			if f.Lines >= 25 || f.Differs != "" {
				t.Errorf("%d lines; %s\n%s", f.Lines, f.Differs, f.Shrunk.Text)
			}
		})
	}
}
