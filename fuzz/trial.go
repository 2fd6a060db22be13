package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/scenarios"
)

// What a scenario can be red for where no rule found anything, in place of the
// rule.
const (
	Refused    = "(refused)"            // a run or a resume was refused that should go on
	Unexpected = "(unexpected request)" // more than the script answers, and it answers hundreds
	Bench      = "(bench)"              // the bench's own failure: a panic, a life that ended in no way there is
	Broken     = "(broken scenario)"    // it cannot be run, which is the generator's fault
)

// IsRule reports whether what a scenario is red for is a rule.
func IsRule(name string) bool { return !strings.HasPrefix(name, "(") }

// mostRequests ends a loop that does not end: far more than any scenario that is
// drawn needs, and few enough to be judged a hundred times while it is shrunk.
const mostRequests = 300

const notVacuous = "bench/not-vacuous" // an armed line that nothing came by proves nothing, and is no failure

// failure is one thing that a scenario is red for.
type failure struct {
	rule string // or one of the names above
	what string
	lone bool // nothing else is wrong with the scenario: no request came unexpected
}

// trial runs scenario texts. It belongs to one goroutine.
type trial struct {
	seam seam.Slot
	file string // below a folder of its own
	ran  int
}

// newTrial makes a trial that works below dir.
func newTrial(dir string, s seam.Slot) (*trial, error) {
	own, err := os.MkdirTemp(dir, "trial-")
	return &trial{seam: s, file: filepath.Join(own, "drawn.txtar")}, err
}

// run runs one scenario and returns each thing it is red for, once. The error
// is of the machine, not of the scenario.
func (t *trial) run(ctx context.Context, d Drawn) ([]failure, error) {
	t.ran++
	if err := os.WriteFile(t.file, []byte(d.Text), 0o600); err != nil {
		return nil, err
	}
	var all []failure
	_, err := scenarios.Run(ctx, scenarios.Options{
		Files: []string{t.file}, Seed: d.Seed, J: 1, Seam: t.seam, NoKeep: true, TempDir: filepath.Dir(t.file), MostRequests: mostRequests,
		Report: func(r scenarios.Result) { all = append(all, failures(r)...) },
	})
	return unique(all), err
}

// failures are what a result is red for.
func failures(r scenarios.Result) []failure {
	switch r.Status {
	case scenarios.Pass, scenarios.Vacuous:
		return nil
	case scenarios.Broken:
		if strings.Contains(r.Failure, "run: the process is gone") {
			return nil // a run behind a kill: the script ends there, and is judged as far as it went
		}
		if r.Failure != "" {
			return []failure{{rule: Broken, what: r.Failure}}
		}
		return []failure{{rule: Broken, what: r.Problems.Error()}}
	}
	lone := r.Failure == "" || rightlyRefused(r.Failure)
	var out []failure
	for _, f := range r.Findings {
		if f.Rule != notVacuous {
			out = append(out, failure{f.Rule, f.What, lone})
		}
	}
	if len(out) == 0 && !lone {
		kind := Bench
		switch {
		case strings.Contains(r.Failure, " was refused: "):
			kind = Refused
		case strings.Contains(r.Failure, " was not expected: "):
			kind = Unexpected
		}
		out = []failure{{rule: kind, what: r.Failure, lone: true}}
	}
	return out
}

// rightlyRefused reports whether an open was refused because it could not write,
// or because a part of it panicked, as it was armed to: the script ends there.
func rightlyRefused(why string) bool {
	return strings.Contains(why, " was refused: ") && (strings.Contains(why, " failed: ") || strings.Contains(why, " panicked: "))
}

// unique keeps the first failure of each rule.
func unique(all []failure) []failure {
	var out []failure
	for _, f := range all {
		if !slices.ContainsFunc(out, func(g failure) bool { return g.rule == f.rule }) {
			out = append(out, f)
		}
	}
	return out
}

// of returns the failure of that rule.
func of(all []failure, rule string) (failure, bool) {
	i := slices.IndexFunc(all, func(f failure) bool { return f.rule == rule })
	if i < 0 {
		return failure{}, false
	}
	return all[i], true
}
