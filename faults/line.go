package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/fake"
)

// Line is a fault with its arguments: what a scenario arms.
type Line struct {
	Fault *Fault
	Args  Args
	Tool  string // of a fault of a tool
	Nth   int    // the N-th from here; 0: see First and Every
	First int    // the first N
	Every bool
	Lane  string

	given []string // the parameters that were written, in the fault's order
}

// Parse reads NAME [KEY=VALUE]... [nth=N|first=N|every] [lane=L]. The error is
// a sentence that says what would be right.
func Parse(words []string) (*Line, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("fault needs a name; bench list faults prints them")
	}
	f := Named(words[0])
	if f == nil {
		return nil, fmt.Errorf("%s", unknownFault(words[0]))
	}
	l := &Line{Fault: f, Args: Args{}}
	seen := map[string]bool{}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if seen[key] {
			return nil, fmt.Errorf("fault %s: %s is there twice", f.Name, key)
		}
		seen[key] = true
		if !ok && key != "every" {
			return nil, fmt.Errorf("fault %s: %q is not KEY=VALUE", f.Name, w)
		}
		if err := l.take(key, value); err != nil {
			return nil, fmt.Errorf("fault %s: %w", f.Name, err)
		}
	}
	if err := l.complete(); err != nil {
		return nil, fmt.Errorf("fault %s: %w", f.Name, err)
	}
	return l, nil
}

// unknownFault names the fault that a typo most likely meant.
func unknownFault(name string) string {
	if same := ofAgentChaos(name); len(same) > 0 {
		return fmt.Sprintf("unknown fault %q: that is a name of AgentChaos; here it is %s", name, strings.Join(same, ", "))
	}
	if n := near.Word(strings.ReplaceAll(strings.ToLower(name), "_", "-"), Names()); n != "" {
		return fmt.Sprintf("unknown fault %q: did you mean %q?", name, n)
	}
	var some []string
	for _, n := range Names() {
		for _, part := range strings.Split(name, "-") {
			if len(part) > 2 && strings.Contains(n, part) && !slices.Contains(some, n) && len(some) < 6 {
				some = append(some, n)
			}
		}
	}
	if len(some) > 0 {
		return fmt.Sprintf("unknown fault %q: there is %s; bench list faults prints all", name, strings.Join(some, ", "))
	}
	return fmt.Sprintf("unknown fault %q; bench list faults prints them", name)
}

// ofAgentChaos are the faults that have that name in AgentChaos.
func ofAgentChaos(name string) []string {
	var out []string
	for _, f := range catalogue() {
		if slices.ContainsFunc(f.AgentChaos, func(n string) bool { return strings.EqualFold(n, name) }) {
			out = append(out, f.Name)
		}
	}
	return out
}

// take reads one word behind the name.
func (l *Line) take(key, value string) error {
	f := l.Fault
	if i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == key }); i >= 0 {
		if value == "" {
			return fmt.Errorf("%s= is empty: give it a value, or leave it out", key)
		}
		if err := f.Params[i].form.check(value); err != nil {
			return fmt.Errorf("%s=%s: %w", key, value, err)
		}
		l.Args[key] = value
		return nil
	}
	switch key {
	case "nth", "first", "every":
		if f.always {
			return fmt.Errorf("it looks at every request by itself: drop %s", key)
		}
	}
	switch key {
	case "nth":
		return l.count(&l.Nth, key, value)
	case "first":
		return l.count(&l.First, key, value)
	case "every":
		if value != "" {
			return fmt.Errorf("every takes no value; nth=N is one of them, first=N the first N")
		}
		l.Every = true
		return nil
	case "lane":
		switch {
		case f.Layer == Tool:
			return fmt.Errorf("a tool's calls have no lane: drop lane=%s", value)
		case !slices.Contains(fake.Lanes(), value):
			return fmt.Errorf("%s", near.Unknown("lane", value, fake.Lanes()))
		}
		l.Lane = value
		return nil
	case "tool":
		if f.Layer != Tool {
			return fmt.Errorf("it is a fault of the %s and changes no tool: drop tool=%s", layerWord(f.Layer), value)
		}
		l.Tool = value
		return nil
	}
	known := []string{"nth", "first", "every", "lane"}
	if f.Layer == Tool {
		known = []string{"tool", "nth", "first", "every"}
	}
	if f.always {
		known = []string{"lane"}
	}
	for _, p := range f.Params {
		known = append(known, p.Name)
	}
	return fmt.Errorf("%s", near.Unknown("parameter", key, known))
}

// layerWord is the layer as a noun.
func layerWord(l Layer) string {
	switch l {
	case HTTP:
		return "HTTP answer"
	case Size:
		return "request's size"
	case Time:
		return "stream's timing"
	}
	return string(l)
}

const mostRequests = 100_000

func (l *Line) count(to *int, key, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostRequests {
		return fmt.Errorf("%s=%s is no number from 1 to %d", key, value, mostRequests)
	}
	*to = n
	return nil
}

// complete fills in what was not said, and refuses what contradicts itself.
func (l *Line) complete() error {
	f := l.Fault
	for _, p := range f.Params {
		switch {
		case l.Args.has(p.Name):
			l.given = append(l.given, p.Name)
		case p.Default == "" && !p.free:
			return fmt.Errorf("it needs %s=: %s", p.Name, p.Says)
		default:
			l.Args[p.Name] = p.Default
		}
	}
	if f.fits != nil {
		if err := f.fits(l.Args); err != nil {
			return err
		}
	}
	said := 0
	for _, is := range []bool{l.Nth > 0, l.First > 0, l.Every} {
		if is {
			said++
		}
	}
	switch {
	case said > 1:
		return fmt.Errorf("nth, first and every say different things: keep one")
	case f.always:
		l.Every = true
	case said == 0:
		l.Nth = 1
	}
	if f.Layer == Tool {
		if l.Tool == "" {
			return fmt.Errorf("it needs tool=NAME: whose calls it breaks")
		}
		return nil
	}
	if l.Lane == "" {
		l.Lane = providers.LaneMain
	}
	if l.Args.has("event") && l.Args.has("byte") && slices.Contains(l.given, "byte") {
		if slices.Contains(l.given, "event") {
			return fmt.Errorf("event= and byte= are two places: keep one")
		}
		l.Args["event"] = ""
	}
	return nil
}

// String is the line as Parse reads it, in one form.
func (l *Line) String() string {
	out := []string{l.Fault.Name}
	if l.Tool != "" {
		out = append(out, "tool="+l.Tool)
	}
	for _, k := range l.given {
		out = append(out, k+"="+l.Args[k])
	}
	switch {
	case l.Fault.always:
	case l.Every:
		out = append(out, "every")
	case l.First > 0:
		out = append(out, fmt.Sprintf("first=%d", l.First))
	case l.Nth > 1:
		out = append(out, fmt.Sprintf("nth=%d", l.Nth))
	}
	if l.Lane != "" && l.Lane != providers.LaneMain {
		out = append(out, "lane="+l.Lane)
	}
	return strings.Join(out, " ")
}

// hits reports whether the n-th from the line on, from 1, is meant.
func (l *Line) hits(n int) bool {
	return l.Every || n == l.Nth || n <= l.First
}

// Unfit says why the fault cannot be expressed in a protocol, or "".
func (l *Line) Unfit(protocol string) string {
	if p := l.Fault.Protocols; len(p) > 0 && !slices.Contains(p, protocol) {
		return fmt.Sprintf("fault %s has no meaning in protocol %s, only in %s", l.Fault.Name, protocol, strings.Join(p, ", "))
	}
	return ""
}

// Rewrite is what a fault of the content makes of a reply's lines; false: they
// say what they said before, or it is no such fault.
func (l *Line) Rewrite(lines []fake.Line) ([]fake.Line, bool) {
	if l.Fault.lines == nil {
		return lines, false
	}
	changed := l.Fault.lines(slices.Clone(lines), l.Args)
	for i := range changed {
		if changed[i].Line == 0 && len(lines) > 0 {
			changed[i].Line = lines[0].Line // for what a protocol has to say of it
		}
	}
	if sameAnswer(changed, lines) {
		return lines, false
	}
	return changed, true
}

// Slow reports whether the fault lets more time pass than that, so that it is
// not for a run on the real clock.
func (l *Line) Slow(than time.Duration) bool {
	if l.Fault.slow {
		return true
	}
	for _, p := range l.Fault.Params {
		if _, is := p.form.(durations); is && l.Args.duration(p.Name) > than {
			return true
		}
	}
	return false
}
