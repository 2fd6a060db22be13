package fuzz

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/providers/protocol"
)

// Space is what scenarios are drawn from, beside the language itself.
type Space struct {
	Protocols []Protocol // wire protocols; none: no protocol line
	Faults    []Fault    // of which some are drawn
}

// Protocol is a wire protocol as it is drawn.
type Protocol struct {
	Name string
	// Says reports whether it can express a reply script, for answers that stream
	// or come whole.
	Says func(script string, stream bool) bool
}

// Fault is one fault of the catalogue as it is drawn.
type Fault struct {
	Line   string // behind `fault`
	Tool   string // that it breaks; "" for none
	Stream bool   // means nothing where answers come whole
	Counts bool   // takes nth, first and every
	// Fits reports whether it means something in a protocol.
	Fits func(protocol string) bool
}

// Everything is all that there is: every protocol and every fault.
func Everything() Space {
	var s Space
	for _, name := range protocol.Names() {
		s.Protocols = append(s.Protocols, Protocol{name, func(script string, stream bool) bool {
			parsed, err := fake.Parse("replies.script", []byte(script), fake.ParseOptions{})
			return err == nil && fake.Inexpressible(parsed, name, stream) == nil
		}})
	}
	for _, f := range faults.All() {
		words := exampleRE.FindStringSubmatch(f.Minimal())
		if words == nil || f.Name == "stop-twice" { // docs/fuzzing.md says why
			continue
		}
		l, err := faults.Parse(strings.Fields(words[1]))
		if err != nil {
			panic(fmt.Sprintf("the minimal scenario of fault %s cannot be read: %v", f.Name, err)) // its own test says so, too
		}
		_, err = faults.Parse(append(strings.Fields(words[1]), "every"))
		s.Faults = append(s.Faults, Fault{
			Line: words[1], Tool: l.Tool, Counts: err == nil,
			Stream: f.Layer == faults.Stream || f.Layer == faults.Time || f.Layer == faults.Content,
			// What a fault of the content makes of a reply, only the protocol that it
			// was written for is sure to express.
			Fits: func(p string) bool {
				return l.Unfit(p) == "" && (f.Layer != faults.Content || p == protocol.Anthropic)
			},
		})
	}
	return s
}

var exampleRE = regexp.MustCompile(`(?m)^fault (.*)$`)

// protocols draws the wire protocols that a scenario runs in: one that can say
// what its script says, sometimes two, which must come to the same.
func (d *drawing) protocols() []string {
	var can []string
	for _, p := range d.space.Protocols {
		if p.Says(d.script.String(), !d.whole) {
			can = append(can, p.Name)
		}
	}
	if len(can) == 0 {
		return nil
	}
	first := d.pick("protocol", can...)
	// Not where tokens or bytes decide: what a broken answer has cost is told in
	// some protocols before it breaks, and in others never; bodies, and signatures
	// of thoughts, differ in size.
	if len(can) > 1 && !d.counts && !strings.Contains(d.script.String(), "window body=") && d.rare("two protocols", 8) {
		if second := d.pick("second protocol", can...); second != first {
			return []string{first, second}
		}
	}
	return []string{first}
}

// fault draws a fault line that can break something in what was drawn so far; ""
// where none can. What breaks a stream breaks each protocol's in another place.
func (d *drawing) fault(protocols []string) string {
	fit := slices.DeleteFunc(slices.Clone(d.space.Faults), func(f Fault) bool {
		return f.Stream && (d.whole || len(protocols) > 1) || slices.ContainsFunc(protocols, func(p string) bool { return !f.Fits(p) })
	})
	if len(fit) == 0 {
		return ""
	}
	f := fit[d.n("fault", 0, len(fit)-1)]
	if f.Tool != "" {
		d.use(f.Tool)
	}
	line := "fault " + f.Line
	if f.Counts && !strings.Contains(line, "nth=") && !strings.Contains(line, "first=") && !strings.Contains(line, " every") {
		line += d.pick("counts", "", "", " nth=2", " first=3", " every")
	}
	return line
}
