package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/scenarios"
)

func faultItems() []item {
	var out []item
	for _, f := range faults.All() {
		out = append(out, item{f.Name, fmt.Sprintf("%s: %s", f.Layer, f.Summary), faultPage(f)})
	}
	return out
}

func faultPage(f *faults.Fault) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Written: fault %s.\n", f.Usage())
	for _, p := range f.Params {
		def := ""
		if p.Default != "" {
			def = ", by default " + p.Default
		}
		fmt.Fprintf(&b, "    %s=  %s%s\n", p.Name, p.Says, def)
	}
	if len(f.Protocols) > 0 {
		fmt.Fprintf(&b, "\nOnly in: %s; it has no meaning in the other protocols.\n", strings.Join(f.Protocols, ", "))
	}
	fmt.Fprintf(&b, "\nJudged by: %s.\n\nPublic reports: %s.\n", strings.Join(f.Rules, ", "), strings.Join(f.Reports, ", "))
	if len(f.AgentChaos) > 0 {
		fmt.Fprintf(&b, "\nAgentChaos calls it: %s.\n", strings.Join(f.AgentChaos, ", "))
	}
	fmt.Fprintf(&b, "\nShipped: %s.\n\nA minimal scenario:\n\n", f.Scenario)
	for line := range strings.Lines(f.Minimal()) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// judged counts, for each fault, the variants in which it fired and a rule was
// judged.
type judged map[string]map[string]int

func (j judged) add(c *scenarios.Cover) {
	for _, pair := range c.Judged {
		f, rule, _ := strings.Cut(pair, " ")
		if j[f] == nil {
			j[f] = map[string]int{}
		}
		j[f][rule]++
	}
}

// write prints, for each fault that fired, the rules that were judged there:
// those that the catalogue names for it by name, the others by number.
func (j judged) write(w io.Writer) error {
	if len(j) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("faults x rules; each rule that can go red, with how many variants it was judged in:\n")
	for _, f := range faults.All() {
		rules := j[f.Name]
		if rules == nil {
			continue
		}
		var named []string
		for _, r := range f.Rules {
			named = append(named, fmt.Sprintf("%s %d", r, rules[r]))
		}
		others := 0
		for r := range rules {
			if !slices.Contains(f.Rules, r) {
				others++
			}
		}
		fmt.Fprintf(&b, "  %s: %s, and %d more\n", f.Name, strings.Join(named, ", "), others)
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}
