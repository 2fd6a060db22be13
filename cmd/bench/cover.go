package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/harnessbench/bench/scenarios"
)

// coverage counts, for each name of each closed list, the variants that have
// been through it, whatever became of them. It belongs to one goroutine.
type coverage struct {
	part     []string // why it is of a part of the variants only; none: it is of all
	variants int
	n        map[string]map[string]int // by the kind of list, by name
	last     map[string][]string       // of the variant added last, by the kind of list
	judged   judged                    // rules, by fault
}

// add takes what a variant has been through.
func (c *coverage) add(r scenarios.Result) {
	if c.n == nil {
		c.n, c.judged = map[string]map[string]int{}, judged{}
	}
	c.variants++
	c.judged.add(&r.Cover)
	c.last = map[string][]string{}
	for _, g := range catalogue() {
		if g.seen == nil {
			continue
		}
		if c.n[g.kind] == nil {
			c.n[g.kind] = map[string]int{}
		}
		c.last[g.kind] = g.seen(&r.Cover)
		for _, name := range c.last[g.kind] {
			c.n[g.kind][name]++
		}
	}
}

// section is one closed list and what became of it.
type section struct {
	kind         string
	n            map[string]int // variants, by name
	names, never []string       // in the list's order
	strays       []string       // exercised, and in no list
}

func (c *coverage) sections() []section {
	var out []section
	for _, g := range catalogue() {
		if g.seen == nil {
			continue
		}
		s := section{kind: g.kind, n: c.n[g.kind]}
		for _, it := range g.items() {
			s.names = append(s.names, it.name)
			if s.n[it.name] == 0 {
				s.never = append(s.never, it.name)
			}
		}
		for name := range s.n {
			if !slices.Contains(s.names, name) {
				s.strays = append(s.strays, name)
			}
		}
		slices.Sort(s.strays)
		out = append(out, s)
	}
	return out
}

// String is one line, and another for what was left out.
func (s section) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", len(s.names)-len(s.never), len(s.names))
	between := ": "
	for _, name := range s.names {
		if n := s.n[name]; n > 0 {
			fmt.Fprintf(&b, "%s%s %d", between, name, n)
			between = ", "
		}
	}
	if len(s.never) > 0 {
		b.WriteString("\n  never: " + strings.Join(s.never, ", "))
	}
	if len(s.strays) > 0 {
		b.WriteString("\n  in no list: " + strings.Join(s.strays, ", "))
	}
	return b.String()
}

// write prints the lists for people.
func (c *coverage) write(w io.Writer) error {
	of := fmt.Sprintf("%d variants", c.variants)
	if c.variants == 1 {
		of = "1 variant"
	}
	if len(c.part) > 0 {
		of += ", a part of them (" + strings.Join(c.part, ", ") + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nexercised by %s; each name with how many:\n", of)
	all := c.sections()
	for i, s := range all {
		b.WriteString(s.kind)
		if i+1 < len(all) && all[i+1].String() == s.String() {
			b.WriteString(", ") // transitions and rungs are one list: one line tells of both
			continue
		}
		fmt.Fprintf(&b, ": %s\n", s)
	}
	if _, err := io.WriteString(w, printable(b.String())); err != nil {
		return err
	}
	return c.judged.write(w)
}
