package faults

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/harnessbench/bench/providers/fake"
)

// Layer is where a fault works.
type Layer string

// The layers.
const (
	Stream  Layer = "stream"  // bytes, pieces and the ending of a stream
	Content Layer = "content" // what the model says
	HTTP    Layer = "http"    // status, headers and body of an answer
	Size    Layer = "size"    // what the model's window and the API's limit take
	Tool    Layer = "tool"    // what a tool does
	Time    Layer = "time"    // when bytes come
)

// Layers returns the closed list, in the order in which All has them.
func Layers() []Layer { return []Layer{Stream, Content, HTTP, Size, Tool, Time} }

// Fault is one way to break a run.
type Fault struct {
	Name    string
	Layer   Layer
	Summary string // one sentence: what it does
	Params  []Param
	// Reports are public reports, owner/repo#n, of runs that went wrong this way.
	Reports []string
	// Rules are those that a loop may break which cannot bear the fault.
	Rules []string
	// Scenario is a shipped variant in which it fires.
	Scenario string
	// AgentChaos are the names that the fault has there.
	AgentChaos []string
	// Protocols are those that can express it; none: all.
	Protocols []string

	always bool // looks at every request by itself: no nth, first, every
	slow   bool // time passes until somebody gives up
	ends   string
	with   []string // arguments of the minimal scenario
	// fits says what is wrong with arguments that are good one by one; nil: nothing.
	fits func(Args) error

	// What it does: one of them.
	events func(*stream, Args)
	answer func(*moment, *fake.Plan, Args) *fake.Plan
	ahead  func(*moment, Args) *fake.Plan
	lines  func([]fake.Line, Args) []fake.Line
	deed   func(*Deed, Args)
}

// All returns the catalogue, by layer.
func All() []*Fault { return catalogue() }

// Named returns the fault of that name, or nil.
func Named(name string) *Fault {
	all := catalogue()
	if i := slices.IndexFunc(all, func(f *Fault) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// Names lists the catalogue, for suggestions.
func Names() []string {
	var names []string
	for _, f := range catalogue() {
		names = append(names, f.Name)
	}
	return names
}

var catalogue = sync.OnceValue(func() []*Fault {
	var all []*Fault
	for _, part := range []struct {
		layer  Layer
		faults []Fault
	}{
		{Stream, orderFaults()}, {Stream, indexFaults()}, {Stream, endFaults()}, {Stream, byteFaults()}, {Stream, jsonFaults()},
		{Content, stopFaults()}, {Content, inputFaults()}, {Content, blockFaults()},
		{HTTP, statusFaults()}, {HTTP, answerFaults()}, {HTTP, quotaFaults()},
		{Size, sizeFaults()}, {Tool, toolFaults()}, {Time, timeFaults()},
	} {
		for i := range part.faults {
			f := &part.faults[i]
			f.Layer = part.layer
			if err := f.check(); err != nil {
				panic(fmt.Sprintf("faults: %v", err))
			}
			if slices.ContainsFunc(all, func(o *Fault) bool { return o.Name == f.Name }) {
				panic(fmt.Sprintf("faults: %s is there twice", f.Name))
			}
			all = append(all, f)
		}
	}
	return all
})

// check says what a fault lacks.
func (f *Fault) check() error {
	does := 0
	for _, is := range []bool{f.events != nil, f.answer != nil, f.ahead != nil, f.lines != nil, f.deed != nil} {
		if is {
			does++
		}
	}
	switch {
	case !name.MatchString(f.Name):
		return fmt.Errorf("%q is no name", f.Name)
	case !slices.Contains(Layers(), f.Layer):
		return fmt.Errorf("%s has no layer", f.Name)
	case f.Summary == "":
		return fmt.Errorf("%s has no summary", f.Name)
	case len(f.Rules) == 0:
		return fmt.Errorf("%s has no rule that can go red", f.Name)
	case f.Scenario == "":
		return fmt.Errorf("%s has no scenario", f.Name)
	case f.ends == "":
		return fmt.Errorf("%s does not say how its minimal scenario ends", f.Name)
	case does != 1:
		return fmt.Errorf("%s does %d things, not one", f.Name, does)
	}
	for _, p := range f.Params {
		if p.Says == "" || p.form == nil {
			return fmt.Errorf("%s: the parameter %s says nothing", f.Name, p.Name)
		}
		if p.Default != "" {
			if err := p.form.check(p.Default); err != nil {
				return fmt.Errorf("%s: the default of %s: %w", f.Name, p.Name, err)
			}
		}
	}
	return nil
}

// OnBytes reports whether the fault works on the bytes of a finished answer, so
// that what it breaks is another thing in each protocol.
func (f *Fault) OnBytes() bool { return f.events != nil || f.answer != nil }

// Usage is the form of a line with the fault: what must be given, and what may.
func (f *Fault) Usage() string {
	out := []string{f.Name}
	if f.Layer == Tool {
		out = append(out, "tool=NAME")
	}
	for _, p := range f.Params {
		w := p.Name + "="
		if p.Default != "" || p.free {
			w = "[" + w + "]"
		}
		out = append(out, w)
	}
	if !f.always {
		out = append(out, "[nth=N|first=N|every]")
	}
	if f.Layer != Tool {
		out = append(out, "[lane=L]")
	}
	return strings.Join(out, " ")
}
