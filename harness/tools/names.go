package tools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/internal/cut"
	"github.com/harnessbench/bench/internal/near"
)

// nearest returns the name that a misspelt or hallucinated one most likely
// means, or "". Ties go to the earlier name.
func nearest(name string, names []string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
	want := plain.Replace(strings.ToLower(cut.Head(name, 64)))
	if want == "" {
		return ""
	}
	best, cost := "", 0
	for _, n := range names {
		have := plain.Replace(strings.ToLower(n))
		c, most := near.Distance(want, have), max(1, max(len(want), len(have))/3)
		if len(want) >= 3 && len(have) >= 3 && (strings.Contains(have, want) || strings.Contains(want, have)) {
			c = min(c, most) // "Read" for read_file
		}
		if c > most || c >= min(len(want), len(have)) {
			continue
		}
		if best == "" || c < cost {
			best, cost = n, c
		}
	}
	return best
}

// unknown is the sentence for a tool that does not exist.
func unknown(name string, names []string) string {
	var b strings.Builder
	if name == "" {
		b.WriteString("The call names no tool.")
	} else {
		fmt.Fprintf(&b, "There is no tool %s.", strconv.Quote(line(name, 64)))
	}
	if n := nearest(name, names); n != "" {
		fmt.Fprintf(&b, " Did you mean %s?", n)
	}
	const most = 30
	switch {
	case len(names) == 0:
		b.WriteString(" No tools are available: answer in words.")
	case len(names) > most:
		fmt.Fprintf(&b, " The tools are %s and %d more.", strings.Join(names[:most], ", "), len(names)-most)
	default:
		fmt.Fprintf(&b, " The tools are: %s.", strings.Join(names, ", "))
	}
	return b.String()
}
