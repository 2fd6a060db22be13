package cells_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/harnessbench/bench/cells"
)

// What judges the loop must share nothing with it.
func TestKnowsNoLoop(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	const module = "github.com/harnessbench/bench/"
	found := false
	for _, p := range strings.Fields(string(out)) {
		if p == module+"cells" {
			found = true
		} else if strings.HasPrefix(p, module) {
			t.Errorf("cells depends on %s", p)
		}
	}
	if !found {
		t.Errorf("go list does not name the package itself:\n%s", out)
	}
}

// Every combination of the axes is a cell or has a reason, and no two cells
// are one experiment.
func TestNothingIsSilent(t *testing.T) {
	want := 1
	for _, a := range cells.Axes() {
		want *= len(a.Values)
	}
	everything := func(string, string) string { return "" }
	m := cells.Build(everything)
	if got := len(m.Cells) + len(m.Absent); got != want {
		t.Errorf("%d cells and %d absent combinations: together %d of %d", len(m.Cells), len(m.Absent), got, want)
	}
	seen, sent := map[string]bool{}, map[string]string{}
	for _, c := range m.Cells {
		name := c.Name()
		if seen[name] {
			t.Errorf("cell %s is there twice", name)
		}
		seen[name] = true
		if back, err := cells.Parse(name); err != nil || back != c {
			t.Errorf("cell %s is read back as %v, %v", name, back, err)
		}
		play := c.Protocol + " " + c.Rungs + " " + c.Script()
		if other := sent[play]; other != "" {
			t.Errorf("cells %s and %s send the same answer", other, name)
		}
		sent[play] = name
	}
	n := 0
	for _, r := range m.Reasons() {
		if r.Why == "" || r.N == 0 {
			t.Errorf("reason %+v says nothing", r)
		}
		n += r.N
	}
	if n != len(m.Absent) {
		t.Errorf("the reasons count %d combinations, %d are absent", n, len(m.Absent))
	}
	for _, a := range m.Absent {
		if seen[a.Cell.Name()] {
			t.Errorf("%s is a cell and is absent", a.Cell.Name())
		}
	}
}

// A protocol that nobody speaks for has no cells, and one that cannot carry an
// answer names its reason.
func TestProtocolsAreAsked(t *testing.T) {
	for _, a := range cells.Build(nil).Absent {
		if a.Why == "" {
			t.Fatalf("%s is absent for no reason", a.Cell.Name())
		}
	}
	for _, c := range cells.Build(nil).Cells {
		if c.Protocol != "anthropic" {
			t.Fatalf("%s is a cell, though nobody says what its protocol can express", c.Name())
		}
	}
	asked := map[string]bool{}
	m := cells.Build(func(script, protocol string) string {
		asked[protocol] = true
		if !strings.HasPrefix(script, "reply\n") {
			t.Fatalf("asked about what is no reply script:\n%s", script)
		}
		if strings.Contains(script, "pause_turn") {
			return "no word for pause_turn"
		}
		return ""
	})
	if len(asked) != 3 || asked["anthropic"] {
		t.Errorf("asked about %v, want all protocols but anthropic", asked)
	}
	for _, c := range m.Cells {
		if c.Stop == "pause_turn" && c.Protocol != "anthropic" {
			t.Fatalf("%s is a cell, though its protocol has no word for it", c.Name())
		}
	}
}

// Every row decides some cell: a row
// that an earlier one hides would be dead text.
func TestEveryRowDecides(t *testing.T) {
	table := cells.Table()
	if len(table) > 40 {
		t.Errorf("the table has %d rows: it is meant to be read", len(table))
	}
	n := map[string]int{}
	for _, c := range cells.Build(nil).Cells {
		n[c.Expect().Name]++
	}
	names := map[string]bool{}
	for _, r := range table {
		if names[r.Name] {
			t.Errorf("two rows are called %s", r.Name)
		}
		names[r.Name] = true
		if n[r.Name] == 0 {
			t.Errorf("row %s decides no cell", r.Name)
		}
		if r.From == "" {
			t.Errorf("row %s does not say where it comes from", r.Name)
		}
	}
}

// The words of a row are values of the axes: a typo would fit nothing, or
// leave its cells to a later row.
func TestRowsUseTheAxes(t *testing.T) {
	values := map[string]map[string]bool{}
	for _, a := range cells.Axes() {
		values[a.Name] = map[string]bool{}
		for _, v := range a.Values {
			values[a.Name][v] = true
		}
	}
	for _, r := range cells.Table() {
		for axis, words := range map[string]string{
			"stop": r.When.Stop, "content": r.When.Content, "last": r.When.Last,
			"terminal": r.When.Terminal, "order": r.When.Order, "rungs": r.When.Rungs,
		} {
			for _, w := range strings.Fields(words) {
				if !values[axis][w] {
					t.Errorf("row %s asks for %s=%s, which no cell has", r.Name, axis, w)
				}
			}
		}
	}
}

// A name that is none says which word of it is wrong.
func TestBadNames(t *testing.T) {
	for _, b := range []struct{ name, want string }{
		{"", "it has 1 words and not 7, stop, content, last, terminal, order, protocol, rungs"},
		{"end_turn.text", "it has 2 words and not 7"},
		{"end_turn.text.closed.present.last.anthropic.ful", `word 7 is rungs, and "ful" is none of full, raised, spent`},
		{"end_tun.text.closed.present.last.anthropic.full", `word 1 is stop, and "end_tun" is none of end_turn, `},
	} {
		if _, err := cells.Parse(b.name); err == nil || !strings.Contains(err.Error(), b.want) {
			t.Errorf("Parse(%q): %v, want %q", b.name, err, b.want)
		}
	}
}
