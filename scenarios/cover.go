package scenarios

import (
	"slices"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// Cover is what of the loop a variant has been through, each list sorted and
// without repetitions. What a scenario wrote itself (history) is not in it.
type Cover struct {
	Terminals   []string `json:"terminals,omitempty"` // crashed where a run was cut short
	Transitions []string `json:"transitions,omitempty"`
	Stages      []string `json:"stages,omitempty"` // of the context pipeline
	Points      []string `json:"points,omitempty"` // crash points at which an `at` line fired
	Kinds       []string `json:"kinds,omitempty"`  // of records
	Gates       []string `json:"gates,omitempty"`  // GATE:VERDICT
	Permissions []string `json:"permissions,omitempty"`
	Notices     []string `json:"notices,omitempty"`
	Refusals    []string `json:"refusals,omitempty"` // codes of calls that were answered and not run
	States      []string `json:"states,omitempty"`   // of calls
	Faults      []string `json:"faults,omitempty"`   // that fired
	// Judged are the rules that were judged beside each of Faults, as FAULT RULE.
	Judged []string `json:"judged,omitempty"`
}

// Lists returns the lists with their names, in order.
func (c Cover) Lists() []CoverList {
	var out []CoverList
	for _, l := range c.lists() {
		out = append(out, CoverList{l.name, *l.list})
	}
	return out
}

// CoverList is one list of a Cover.
type CoverList struct {
	Name string
	Seen []string
}

type namedList struct {
	name string
	list *[]string
}

func (c *Cover) lists() []namedList {
	return []namedList{
		{"terminals", &c.Terminals}, {"transitions", &c.Transitions}, {"stages", &c.Stages}, {"points", &c.Points}, {"kinds", &c.Kinds},
		{"gates", &c.Gates}, {"permissions", &c.Permissions}, {"notices", &c.Notices}, {"refusals", &c.Refusals}, {"states", &c.States},
		{"faults", &c.Faults},
	}
}

// Add puts what another variant has been through beside it.
func (c *Cover) Add(d Cover) {
	more := d.lists()
	for i, l := range c.lists() {
		for _, s := range *more[i].list {
			see(l.list, s)
		}
	}
	for _, s := range d.Judged {
		see(&c.Judged, s)
	}
}

// judged notes which rules were judged where faults fired.
func (c *Cover) judged(rules []string) {
	for _, f := range c.Faults {
		for _, r := range rules {
			see(&c.Judged, f+" "+r)
		}
	}
}

// see puts a name in its place, once.
func see(list *[]string, s string) {
	if i, found := slices.BinarySearch(*list, s); !found && s != "" {
		*list = slices.Insert(*list, i, s)
	}
}

// cover reads what a session has left behind.
func (e *engine) cover(s *session, ev *evidence.Evidence) Cover {
	var c Cover
	open := false // a run
	for i := range ev.Records {
		r := &ev.Records[i]
		given := r.Seq <= ev.Given
		switch r.Kind {
		case journal.KindUser:
			open = true
		case journal.KindTerminal:
			open = false
		case journal.KindResume:
			see(&c.Terminals, string(harness.Crashed))
		}
		if !given {
			c.record(r)
		}
	}
	for _, r := range ev.Runs { // an end that could not be recorded was returned
		see(&c.Terminals, r.Reason)
	}
	if open && s.given == 0 {
		see(&c.Terminals, string(harness.Crashed))
	}
	for _, a := range e.armed {
		if a.s == s && a.fired > 0 {
			see(&c.Points, string(a.at))
		}
	}
	for _, a := range e.faults {
		if a.s == s && a.Fired() > 0 {
			see(&c.Faults, a.Line.Fault.Name)
		}
	}
	return c
}

func (c *Cover) record(r *journal.Record) {
	see(&c.Kinds, string(r.Kind))
	switch r.Kind {
	case journal.KindTerminal:
		see(&c.Terminals, r.Reason)
	case journal.KindTransition:
		see(&c.Transitions, r.Reason)
	case journal.KindBoundary:
		see(&c.Stages, r.Code)
	case journal.KindGate:
		see(&c.Gates, r.Code+":"+r.Reason)
	case journal.KindPermission:
		see(&c.Permissions, r.Code)
	case journal.KindNotice:
		see(&c.Notices, r.Code)
	case journal.KindToolError:
		see(&c.States, string(journal.Failed))
	case journal.KindResult:
		see(&c.States, string(r.State))
		if r.State == journal.Refused {
			see(&c.Refusals, r.Code)
		}
	}
}
