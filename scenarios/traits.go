package scenarios

import (
	"slices"
	"strings"
)

// traits is what a variant is made of, as far as its text shows: what a
// scenario may differ in from all others.
type traits struct {
	faults      []string // actions of its `at` lines
	points      []string
	transitions []string
	terminals   []string
	rules       []string // of expected findings
	states      []string // of calls
	sessions    []string
	gates       []string // of its scripts; not part of the signature
	script      []string // what its reply scripts are made of
	stage       []string // tool behaviours, config keys, damage, sessions, prompts
}

// Signature names what a scenario is made of: faults, crash points, what its
// scripts and its stage hold, transitions, terminals, call states and rules,
// over all its variants. Two scenarios with one signature test the same thing unless
// somebody says what differs.
func (s *Scenario) Signature() string {
	var t traits
	for _, p := range s.plans {
		t.faults = append(t.faults, p.traits.faults...)
		t.points = append(t.points, p.traits.points...)
		t.transitions = append(t.transitions, p.traits.transitions...)
		t.terminals = append(t.terminals, p.traits.terminals...)
		t.rules = append(t.rules, p.traits.rules...)
		t.states = append(t.states, p.traits.states...)
		t.script = append(t.script, p.traits.script...)
		t.stage = append(t.stage, p.traits.stage...)
	}
	var b strings.Builder
	for _, part := range []struct {
		name string
		list []string
	}{
		{"faults", t.faults}, {"points", t.points}, {"stage", t.stage}, {"script", t.script}, {"transitions", t.transitions},
		{"terminals", t.terminals}, {"calls", t.states}, {"rules", t.rules},
	} {
		if part.list = unique(part.list); len(part.list) > 0 {
			b.WriteString(part.name + "=" + strings.Join(part.list, ",") + " ")
		}
	}
	return strings.TrimSpace(b.String())
}

// SameSignature groups scenarios that share a signature: each group has at
// least two names, in order.
func SameSignature(all []*Scenario) [][]string {
	by := map[string][]string{}
	var order []string
	for _, s := range all {
		sig := s.Signature()
		if by[sig] == nil {
			order = append(order, sig)
		}
		by[sig] = append(by[sig], s.Name)
	}
	var groups [][]string
	for _, sig := range order {
		if len(by[sig]) > 1 {
			slices.Sort(by[sig])
			groups = append(groups, by[sig])
		}
	}
	return groups
}
