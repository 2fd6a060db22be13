package cells_test

import (
	"os"
	"strings"
	"testing"

	"github.com/harnessbench/bench/cells"
)

// The page shows the axes and the table as they are.
func TestPageShowsTheTable(t *testing.T) {
	page, err := os.ReadFile("../docs/cells.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, a := range cells.Axes() {
		want = append(want, row(a.Name, strings.Join(a.Values, ", "), a.Says))
	}
	for _, r := range cells.Table() {
		want = append(want, row(r.Name, r.When.String(), r.Did.String(), r.Said.String(), r.From))
	}
	var got []string
	for line := range strings.Lines(string(page)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| axis |") && !strings.HasPrefix(line, "| row |") {
			got = append(got, line)
		}
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("docs/cells.md has other rows than the package; they are to be\n%s", w)
	}
}

func row(columns ...string) string { return "| " + strings.Join(columns, " | ") + " |" }
