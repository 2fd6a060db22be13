// Package mutants holds broken loops. Each is the reference loop with one part
// swapped, says in advance which rules it breaks, and names shipped scenarios
// that convict it of exactly those: the proof that a rule can fail.
//
//	for _, m := range mutants.All() {
//		sum, err := scenarios.Run(ctx, scenarios.Options{Files: files(m), Seam: m.Seam()})
//		// every rule of m.Breaks must be among the findings, and no other
//	}
//
// A new rule begins with a new mutant: add it here, watch a scenario go red,
// and only then trust the rule (CONTRIBUTING.md).
package mutants

import (
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/internal/seam"
)

// Mutant is one broken loop.
type Mutant struct {
	Name    string
	Summary string
	// Breaks are the rules that it breaks, and no others.
	Breaks []string
	// Also are rules that it may break besides, where one defect cannot help
	// showing in two places; each is explained in Summary.
	Also []string
	// Expects says that no rule can see the defect, because the evidence is what
	// the part at fault would have to judge: expectations of scenarios convict it.
	Expects bool
	// Scenarios are variants that convict it, by name: file/case/...
	Scenarios []string
	// Parts makes the broken parts anew for each session, since some keep state.
	Parts func() harness.Parts
}

// Seam is what scenarios.Options takes.
func (m Mutant) Seam() seam.Slot { return seam.Of(m.Parts) }
