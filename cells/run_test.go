package cells_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/cells"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain()
	m.Run()
}

// play runs scenario texts, by name, and returns what came of each.
func play(t *testing.T, slot seam.Slot, texts map[string]string) map[string]scenarios.Result {
	t.Helper()
	dir := t.TempDir()
	o := scenarios.Options{Seam: slot, NoKeep: true}
	for name, text := range texts {
		file := filepath.Join(dir, name+".txtar")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Files = append(o.Files, file)
	}
	slices.Sort(o.Files)
	out := map[string]scenarios.Result{}
	o.Report = func(r scenarios.Result) { out[r.Name] = r }
	if _, err := scenarios.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if len(out) != len(texts) {
		t.Fatalf("%d results of %d scenarios", len(out), len(texts))
	}
	return out
}

// The loop agrees with the table in every cell, and breaks no rule in any.
func TestTheLoopAgrees(t *testing.T) {
	all := matrix(t).Cells
	if testing.Short() || raceEnabled {
		all = every(all, 16)
	}
	texts := map[string]string{}
	for _, c := range all {
		texts[c.Name()] = c.Scenario()
	}
	bad := 0
	for _, r := range sorted(play(t, seam.Slot{}, texts)) {
		if r.Status == scenarios.Pass {
			continue
		}
		if bad++; bad <= 10 {
			c, _ := cells.Parse(r.Name)
			t.Errorf("row %s disagrees (bench explain cell/%s):\n%s\n%s", c.Expect().Name, r.Name, r, r.Log)
		}
	}
	if bad > 0 {
		t.Errorf("%d of %d cells disagree", bad, len(all))
	}
}

// Each verdict of each row is looked at: with any one of them wrong, a cell
// that the row decides is red.
func TestAWrongRowIsRed(t *testing.T) {
	texts, of := map[string]string{}, map[string]string{}
	decided := map[string][]cells.Cell{}
	for _, c := range cells.Build(nil).Cells {
		r := c.Expect()
		decided[r.Name] = append(decided[r.Name], c)
	}
	for _, r := range cells.Table() {
		looked := 0
		for field, flips := range r.Flips() {
			for i, wrong := range flips {
				for _, c := range decided[r.Name] {
					text := c.ScenarioBy(wrong)
					if text == c.Scenario() {
						continue // without calls it is all one which of them ran
					}
					name := r.Name + "-" + field + string(rune('0'+i))
					texts[name], of[name] = text, r.Name+" with "+field+" as in: "+wrong.Verdicts()
					looked++
					break
				}
			}
		}
		if looked < 6 {
			t.Errorf("row %s: only %d wrong verdicts make another scenario", r.Name, looked)
		}
	}
	for _, r := range sorted(play(t, seam.Slot{}, texts)) {
		if r.Status != scenarios.Fail || !strings.Contains(r.Failure, r.Name+".txtar:") {
			t.Errorf("%s: %s, want a failed assertion\n%s", of[r.Name], r.Status, r)
		}
	}
}

// A row that is taken out leaves its cells to a later one, and some cell then
// disagrees: no row repeats what follows without it.
func TestNoRowIsIdle(t *testing.T) {
	table := cells.Table()
	all := cells.Build(nil).Cells
	for i, r := range table[:len(table)-1] { // the last takes what is left
		without := slices.Delete(slices.Clone(table), i, i+1)
		if !slices.ContainsFunc(all, func(c cells.Cell) bool {
			return c.Expect().Name == r.Name && c.ScenarioBy(c.ExpectBy(without)) != c.ScenarioBy(withName(r, c.ExpectBy(without)))
		}) {
			t.Errorf("row %s could be left out: later rows say the same of its cells", r.Name)
		}
	}
}

// withName is r under the name and origin of other, so that only verdicts differ.
func withName(r, other cells.Row) cells.Row {
	r.Name, r.From = other.Name, other.From
	return r
}

// The matrix convicts loops that are broken in what it is about.
func TestBrokenLoopsAreRed(t *testing.T) {
	for _, b := range []struct{ mutant, cell string }{
		{"trusts-the-stop-reason", "end_turn.call.closed.present.last.anthropic.full"},
		{"runs-refused-calls", "refusal.call.closed.present.last.anthropic.full"},
		{"runs-cut-input", "max_tokens.call.cut-parses.present.last.anthropic.raised"},
		{"runs-invalid-input", "tool_use.call.cut-broken.present.last.anthropic.full"},
		{"swallows-truncation", "max_tokens.text.closed.present.last.anthropic.spent"},
		{"takes-nothing-for-an-answer", "end_turn.nothing.closed.present.last.anthropic.full"},
		{"takes-a-cut-for-the-end", "end_turn.text.closed.eof.first.anthropic.full"},
		{"loops-on-a-lying-stop", "tool_use.text.closed.present.last.anthropic.spent"},
		{"pauses-without-end", "pause_turn.text.closed.present.last.anthropic.spent"},
		{"continues-before-it-escalates", "max_tokens.text.closed.present.last.anthropic.full"},
		{"continues-without-end", "max_tokens.call.closed.present.last.anthropic.spent"},
		{"calls-a-refusal-completed", "refusal.text.closed.present.last.anthropic.full"},
		{"calls-an-unknown-stop-completed", "unknown.text.closed.present.last.anthropic.full"},
		{"calls-an-overflow-a-failure", "context_window.text.closed.present.last.anthropic.full"},
		{"runs-out-of-turns-and-says-done", "tool_use.call.closed.present.last.anthropic.spent"},
		{"blames-the-model-for-the-protocol", "tool_use.nothing.closed.present.last.anthropic.spent"},
	} {
		i := slices.IndexFunc(mutants.All(), func(m mutants.Mutant) bool { return m.Name == b.mutant })
		c, err := cells.Parse(b.cell)
		if i < 0 || err != nil {
			t.Errorf("%s, %s: no such mutant or cell (%v)", b.mutant, b.cell, err)
			continue
		}
		for _, r := range play(t, mutants.All()[i].Seam(), map[string]string{b.cell: c.Scenario()}) {
			if r.Status != scenarios.Fail || r.Failure == "" {
				t.Errorf("%s agrees with the table in cell %s: %s", b.mutant, b.cell, r)
			}
		}
	}
}

// every is about each n-th cell; the step is odd, so that no value of an axis is always skipped.
func every(all []cells.Cell, n int) []cells.Cell {
	var out []cells.Cell
	for i := 0; i < len(all); i += n + 1 - n%2 {
		out = append(out, all[i])
	}
	return out
}

func sorted(m map[string]scenarios.Result) []scenarios.Result {
	var out []scenarios.Result
	for _, r := range m {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b scenarios.Result) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// matrix is every cell of every protocol.
func matrix(t *testing.T) cells.Matrix {
	t.Helper()
	return cells.Build(func(script, protocol string) string {
		s, err := fake.Parse("replies.script", []byte(script), fake.ParseOptions{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, script)
		}
		if no := fake.Inexpressible(s, protocol, true); no != nil {
			return no.Text
		}
		return ""
	})
}
