package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

// Strength says where a rule comes from.
type Strength string

// The strengths.
const (
	Must Strength = "MUST of the protocol" // whoever breaks it gets an error from the real API
	Flow Strength = "documented flow"      // a vendor or a harness documents that it is so
	Ours Strength = "ours"                 // this project's claim about a good loop
)

// Rule is one invariant.
type Rule struct {
	Name     string // group/name, stable: it is what people write down
	Group    string
	Summary  string // what must hold, in a sentence or two
	Strength Strength
	Why      string          // what goes wrong without it, citing mechanisms (A1, H2) or papers
	Reports  []string        // public reports behind it, repository#issue
	Example  string          // a situation in which a broken loop breaks it
	Needs    []evidence.Kind // the rule cannot be judged without these
	// Applies returns "" when the rule can be judged, else why it cannot; nil
	// stands for always.
	Applies func(*Case) string
	// Check returns a finding for each place where the rule is broken.
	Check func(*Case) []Finding
}

// Finding is one place where a rule is broken.
type Finding struct {
	Rule   string
	What   string   // one sentence, in words a person understands
	Where  Place    // in the evidence
	Around []string // the evidence around the place, the place itself marked with ">"
}

// String prints the finding on several lines.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.Rule, f.What)
	if w := f.Where.String(); w != "" {
		fmt.Fprintf(&b, "\n  at %s", w)
	}
	for _, l := range f.Around {
		fmt.Fprintf(&b, "\n    %s", l)
	}
	return b.String()
}

// Place is a place in the evidence folder. Zero fields say nothing.
type Place struct {
	File     string // relative to the folder
	Line     int    // from 1
	Seq      int64  // of a transcript record
	Exchange int    // number of an exchange
	Life     int
}

func (p Place) String() string {
	s := p.File
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, p.Line)
	}
	var more []string
	if p.Seq > 0 {
		more = append(more, fmt.Sprintf("record %d", p.Seq))
	}
	if p.Exchange > 0 {
		more = append(more, fmt.Sprintf("exchange %d", p.Exchange))
	}
	if p.Life > 0 {
		more = append(more, fmt.Sprintf("life %d", p.Life))
	}
	if len(more) > 0 {
		s += " (" + strings.Join(more, ", ") + ")"
	}
	return strings.TrimSpace(s)
}

// Skip says that a rule was not applied, and why.
type Skip struct {
	Rule string
	Why  string // a clause: "there is no transcript"
}

func (s Skip) String() string { return s.Rule + ": not applicable: " + s.Why }

// Options bring what rules need beside the evidence. Rules that need something
// that is not given are not applicable.
type Options struct {
	// Fold returns the digest of the state after each transition, by seq
	// (resume/replay). The caller hands in the loop's own fold.
	Fold func([]journal.Record) (map[int64]string, error)
	// Again is what the same scenario left behind in a second run with the same
	// seed (run/deterministic).
	Again *evidence.Evidence
	// OtherSchedule is what it left behind with another seed (the part of
	// tools/order that says that prompts do not depend on timing).
	OtherSchedule *evidence.Evidence
	// OtherProtocol is what the same scenario left behind with the same seed in
	// another wire protocol (wire/protocol-blind).
	OtherProtocol *evidence.Evidence
	// Memo remembers what is proved over many checks; nil: nothing is.
	Memo *Memo
	// Most is how many findings of one rule are kept; the last one says how
	// many more there were. 0 stands for 20.
	Most int
}

// rules is the closed list, in the order of All.
var rules = list(
	stopRules,
	ladderRules,
	recordRules,
	resumeRules,
	wireRules,
	protocolRules,
	retryRules,
	toolRules,
	contextRules,
	cancelRules,
	secretRules,
	runRules,
	benchRules,
)

// list joins the groups and refuses a rule that lacks something: a rule without
// an example or a reason cannot be explained, and nobody believes it.
func list(groups ...func() []Rule) []Rule {
	var all []Rule
	for _, g := range groups {
		for _, r := range g() {
			if lack := r.lacks(); lack != "" {
				panic(fmt.Sprintf("invariants: rule %q lacks %s", r.Name, lack))
			}
			if slices.ContainsFunc(all, func(o Rule) bool { return o.Name == r.Name }) {
				panic(fmt.Sprintf("invariants: rule %q is there twice", r.Name))
			}
			all = append(all, r)
		}
	}
	return all
}

func (r Rule) lacks() string {
	known := evidence.Kinds()
	switch group, _, ok := strings.Cut(r.Name, "/"); {
	case !ok || group == "" || group != r.Group:
		return "a name that is GROUP/NAME"
	case r.Summary == "":
		return "a summary"
	case r.Strength != Must && r.Strength != Flow && r.Strength != Ours:
		return "a strength"
	case r.Why == "":
		return "a reason"
	case len(r.Reports) == 0:
		return "a public report"
	case r.Example == "":
		return "an example"
	case slices.ContainsFunc(r.Needs, func(k evidence.Kind) bool { return !slices.Contains(known, k) }):
		return "a known kind of evidence"
	case r.Check == nil:
		return "a check"
	}
	return ""
}

// All returns every rule.
func All() []Rule { return slices.Clone(rules) }

// Lookup returns the rule of that name.
func Lookup(name string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.Name == name })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// Check applies every rule to the evidence. The findings are in the order of
// All, and within a rule in the order of the evidence: the same evidence gives
// the same findings. applied names the rules that were judged, notApplicable
// those that were not.
//
// ev is not changed. Its files must have been decoded (evidence.Load); if they
// were not, Check does it on a copy.
func Check(ev *evidence.Evidence, o Options) (findings []Finding, applied []string, notApplicable []Skip) {
	c := newCase(ev, o)
	most := o.Most
	if most <= 0 {
		most = 20
	}
	for i := range rules {
		r := &rules[i]
		if why := c.inapplicable(r); why != "" {
			notApplicable = append(notApplicable, Skip{r.Name, why})
			continue
		}
		applied = append(applied, r.Name)
		found := r.Check(c)
		if n := len(found); n > most {
			found = found[:most]
			found[most-1].What += fmt.Sprintf(" (and %d more of this rule)", n-most)
		}
		for _, f := range found {
			f.Rule = r.Name
			findings = append(findings, c.mask(f))
		}
	}
	return findings, applied, notApplicable
}

func (c *Case) inapplicable(r *Rule) string {
	for _, k := range r.Needs {
		if !c.ev.Has(k) {
			return "there is no " + string(k) + " here"
		}
		for _, d := range c.ev.Damaged {
			if d.Kind == k && d.Lost {
				return "the scenario itself took something out of the " + string(k) + " (" + d.What + ")"
			}
		}
	}
	if r.Applies != nil {
		return r.Applies(c)
	}
	return ""
}

// mask keeps canaries out of findings: a finding is an artifact too.
func (c *Case) mask(f Finding) Finding {
	f.What = c.masked(f.What)
	for i := range f.Around {
		f.Around[i] = c.masked(f.Around[i])
	}
	return f
}

func (c *Case) masked(s string) string {
	for i, secret := range c.ev.Secrets {
		if secret != "" && strings.Contains(s, secret) {
			s = strings.ReplaceAll(s, secret, fmt.Sprintf("[canary %d]", i+1))
		}
	}
	return s
}

func found(where Place, around []string, format string, args ...any) Finding {
	return Finding{What: fmt.Sprintf(format, args...), Where: where, Around: around}
}
