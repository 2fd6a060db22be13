package scenarios

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers/protocol"
)

// variant is one way to run a scenario: one case, one value for each sweep,
// one protocol, and kills that are simulated or real.
type variant struct {
	name     string // what follows the scenario's name: "/killed/N=3", or ""
	caseName string // "" where the file has no cases
	vars     []setting
	protocol string
	real     bool // each kill is a real SIGKILL
	first    int  // the place of the variant that is this one in the file's first protocol; its own, if it is that
}

// setting is one variable of a variant.
type setting struct{ name, value string }

// guardHolds evaluates the name of a guard for this variant. known is false
// for a condition that only the running script can answer ([exec:PROG]).
func (v *variant) guardHolds(name string) (holds, known bool) {
	switch {
	case name == "realkill":
		return v.real, true
	case name == v.caseName:
		return true, true
	case slices.Contains(protocol.Names(), name):
		return name == v.protocol, true
	case name == "unix":
		return runtime.GOOS != "windows", true
	case slices.Contains(hostConditions, name):
		return name == runtime.GOOS || name == runtime.GOARCH, true
	case strings.HasPrefix(name, "exec:"), name == "symlink", name == "link":
		return true, false
	}
	return false, true
}

// hostConditions are testscript's own conditions that a scenario may use. The
// others depend on how go test was called, or on the network.
var hostConditions = []string{"linux", "darwin", "amd64", "arm64"}

func isCondition(name string) bool {
	return name == "unix" || name == "symlink" || name == "link" || strings.HasPrefix(name, "exec:") ||
		slices.Contains(hostConditions, name)
}

// refusedConditions are testscript conditions whose answer is not the
// scenario's own.
var refusedConditions = []string{"short", "net", "gc", "gccgo"}

var (
	caseNameRE = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]*$`)
	varNameRE  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// allProtocols stands for every one of them, in `protocol all`.
const allProtocols = "all"

// maxVariants bounds what one file may unfold into.
const maxVariants = 20_000

// sweep is one `each` line.
type sweep struct {
	guards []guard
	name   string
	values []string
}

func parseSweep(args []string) (sweep, error) {
	s := sweep{}
	if len(args) < 2 {
		return s, fmt.Errorf("each needs a variable and its values: each VAR VALUE... or each VAR A..B")
	}
	s.name = args[0]
	if !varNameRE.MatchString(s.name) {
		return s, fmt.Errorf("%q is not a variable name: letters, digits and _, not a digit first", s.name)
	}
	for _, w := range args[1:] {
		lo, hi, ok := strings.Cut(w, "..")
		if !ok {
			s.values = append(s.values, w)
			continue
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || b < a {
			return s, fmt.Errorf("%q is not a range: write A..B with whole numbers, the smaller first", w)
		}
		if b-a >= maxVariants {
			return s, fmt.Errorf("%q has more than %d values: a sweep that long belongs to bench sweep", w, maxVariants)
		}
		for i := a; i <= b; i++ {
			s.values = append(s.values, strconv.Itoa(i))
		}
	}
	seen := map[string]bool{}
	for _, v := range s.values {
		if seen[v] {
			return s, fmt.Errorf("each %s has %q twice", s.name, v)
		}
		seen[v] = true
	}
	return s, nil
}

// caseDecl is one `case` line.
type caseDecl struct {
	line int
	name string
	vars []setting
}

func parseCase(args []string) (caseDecl, error) {
	var c caseDecl
	if len(args) == 0 {
		return c, fmt.Errorf("case needs a name: case NAME [VAR=VALUE]")
	}
	c.name = args[0]
	switch {
	case !caseNameRE.MatchString(c.name):
		return c, fmt.Errorf("%q is not a case name: a letter, then letters, digits, - . and _", c.name)
	case c.name == "realkill" || isCondition(c.name) || slices.Contains(refusedConditions, c.name) || slices.Contains(protocol.Names(), c.name):
		return c, fmt.Errorf("case %q would hide the condition [%s]: choose another name", c.name, c.name)
	}
	for _, w := range args[1:] {
		k, v, err := keyValue(w)
		if err != nil {
			return c, fmt.Errorf("after its name a case takes VAR=VALUE, not %q", w)
		}
		if !varNameRE.MatchString(k) {
			return c, fmt.Errorf("%q is not a variable name: letters, digits and _, not a digit first", k)
		}
		c.vars = append(c.vars, setting{k, v})
	}
	return c, nil
}

// declarations is what the first lines of a script declare.
type declarations struct {
	cases    []caseDecl
	sweeps   []sweep
	realkill bool
	realOnly []string // the cases that realkill names; none: all

	protocols []string // in order; none: all
	spoken    int      // the line that names them, 0 for none
}

// wires are the protocols in which each variant is run.
func (d *declarations) wires() []string {
	if len(d.protocols) == 0 || slices.Contains(d.protocols, allProtocols) {
		return protocol.Names()
	}
	return d.protocols
}

// unfold lists the variants: cases in order, for each the product of its
// sweeps; after a simulated variant its real one, which is the same in whatever
// protocol, and then the variant in each other protocol.
func (d *declarations) unfold() ([]*variant, error) {
	cases := d.cases
	if len(cases) == 0 {
		cases = []caseDecl{{}}
	}
	var out []*variant
	for _, c := range cases {
		v := &variant{caseName: c.name, vars: c.vars, protocol: d.wires()[0]}
		if c.name != "" {
			v.name = "/" + c.name
		}
		set := []*variant{v}
		for _, s := range d.sweeps {
			if !sweepHolds(s, v) {
				continue
			}
			var next []*variant
			for _, v := range set {
				for _, val := range s.values {
					w := *v
					w.vars = append(append([]setting(nil), v.vars...), setting{s.name, val})
					w.name = v.name + "/" + s.name + "=" + val
					next = append(next, &w)
				}
			}
			if set = next; len(set) > maxVariants {
				return nil, fmt.Errorf("the cases and sweeps unfold into more than %d variants", maxVariants)
			}
		}
		for _, v := range set {
			v.first = len(out)
			out = append(out, v)
			if d.realkill && (len(d.realOnly) == 0 || slices.Contains(d.realOnly, c.name)) {
				w := *v
				w.real, w.name, w.first = true, v.name+"/realkill", len(out)
				out = append(out, &w)
			}
			for _, p := range d.wires()[1:] {
				w := *v
				w.protocol, w.name = p, v.name+"/"+p
				out = append(out, &w)
			}
		}
	}
	if len(out) > maxVariants {
		return nil, fmt.Errorf("the cases and sweeps unfold into more than %d variants", maxVariants)
	}
	return out, nil
}

func sweepHolds(s sweep, v *variant) bool {
	for _, g := range s.guards {
		if holds, known := v.guardHolds(g.name); known && holds == g.not {
			return false
		}
	}
	return true
}
