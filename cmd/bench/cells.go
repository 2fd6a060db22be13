package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/harnessbench/bench/cells"
	"github.com/harnessbench/bench/providers/fake"
)

// cellPrefix is what stands before a cell's name in explain; what has the shape
// of such a name needs none.
const cellPrefix = "cell/"

func cellNamed(asked string) (string, bool) {
	if name, ok := strings.CutPrefix(asked, cellPrefix); ok {
		return name, true
	}
	_, err := cells.Parse(asked)
	return asked, err == nil
}

// expressible asks the fake what a protocol can carry.
func expressible(script, protocol string) string {
	s, err := fake.Parse("replies.script", []byte(script), fake.ParseOptions{})
	if err != nil {
		return err.Error()
	}
	if no := fake.Inexpressible(s, protocol, true); no != nil {
		return no.Text
	}
	return ""
}

// listCells prints the matrix: each cell with the digest of its reply script
// and both verdicts, and behind them why the other combinations are none.
func listCells(out io.Writer) error {
	w := bufio.NewWriter(out)
	m := cells.Build(expressible)
	for _, c := range m.Cells {
		r := c.Expect()
		fmt.Fprintf(w, "%s  %s  %s  [%s]\n", c.Name(), c.Digest(), r.Verdicts(), r.Name)
	}
	fmt.Fprintf(w, "\n%d cells, decided by %d rows; %d combinations are none:\n", len(m.Cells), len(cells.Table()), len(m.Absent))
	for _, r := range m.Reasons() {
		fmt.Fprintf(w, "%6d  %s\n", r.N, r.Why)
	}
	return w.Flush()
}

// explainCell prints the cell's scenario and nothing else: it can be saved and run.
func explainCell(name string, out io.Writer) error {
	c, err := cells.Parse(name)
	if err != nil {
		return fmt.Errorf("%w; bench list cells prints what there is", err)
	}
	if why := c.Why(expressible); why != "" {
		return fmt.Errorf("%s is no cell: %s", name, why)
	}
	_, err = io.WriteString(out, c.Scenario())
	return err
}
