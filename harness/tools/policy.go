package tools

import (
	"errors"
	"fmt"
	"slices"
)

// Action is what a policy says about a call. The words are those of records.
type Action string

// The actions.
const (
	Allow    Action = "allow"
	AskFirst Action = "ask" // an Approver decides
	Deny     Action = "deny"
)

// DefaultDeny is the rule that applies where no rule matches.
const DefaultDeny = "default.deny"

// Rule says what becomes of some calls.
type Rule struct {
	Name string // e.g. bash.requires_approval
	Tool string // a tool's name, or "*"
	// Match narrows the rule to some calls; nil is all of them. It decides by
	// looking and changes nothing: it is asked more than once.
	Match  func(Call) bool
	Action Action
	// Hard makes a denial final: it wins over every other rule, wherever it
	// stands, and over every approval.
	Hard bool
}

// Policy decides which calls may run. The first rule that matches decides, but
// for the hard ones, which come before all others; what no rule matches is
// denied (C9). A Policy is not changed once it is in use.
type Policy struct {
	Rules []Rule
}

// Decision is what a policy says about one call.
type Decision struct {
	Action Action
	Rule   string
	Text   string // for the model, or for the approver; "" with Allow
}

// Decide says what becomes of a call. A rule that breaks down denies: whether
// it would have matched is unknown.
func (p *Policy) Decide(c Call) Decision {
	if d, hard := p.Hard(c); hard {
		return d
	}
	if p != nil {
		for i := range p.Rules {
			r := &p.Rules[i]
			if r.Hard {
				continue // asked already
			}
			switch matches, broken := r.matches(c); {
			case broken:
				return brokenRule(r, c)
			case matches:
				return r.decision(c)
			}
		}
	}
	return Decision{Deny, DefaultDeny, fmt.Sprintf(
		"%s was not run: no rule permits this call. Do it another way, or say what you would need.", line(c.Name, 64))}
}

// Hard returns the decision of the first hard rule that matches, if one does.
func (p *Policy) Hard(c Call) (d Decision, hard bool) {
	if p == nil {
		return Decision{}, false
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.Hard {
			continue
		}
		switch matches, broken := r.matches(c); {
		case broken:
			return brokenRule(r, c), true
		case matches:
			return r.decision(c), true
		}
	}
	return Decision{}, false
}

// Settle says what becomes of a call once its approver has answered. Hard rules
// are asked again, because the call was out of sight for as long as the answer
// took: no approval gets past them.
func (p *Policy) Settle(c Call, rule string, a Answer) Decision {
	if a.Code != Approved {
		return Decision{Deny, rule, a.Text}
	}
	if d, hard := p.Hard(c); hard {
		return d
	}
	return Decision{Action: Allow, Rule: rule}
}

// matches asks a rule about a call.
func (r *Rule) matches(c Call) (matches, broken bool) {
	if r.Tool != "*" && r.Tool != c.Name {
		return false, false
	}
	if r.Match == nil {
		return true, false
	}
	defer func() {
		if recover() != nil {
			matches, broken = false, true
		}
	}()
	return r.Match(c), false
}

func (r *Rule) decision(c Call) Decision {
	name := line(c.Name, 64)
	switch {
	case r.Hard:
		return Decision{Deny, r.Name, fmt.Sprintf("%s was not run: it is forbidden (%s), and no approval changes that. Do it another way.", name, r.Name)}
	case r.Action == Allow:
		return Decision{Action: Allow, Rule: r.Name}
	case r.Action == AskFirst:
		return Decision{AskFirst, r.Name, fmt.Sprintf("%s needs an approval (%s).", name, r.Name)}
	}
	return Decision{Deny, r.Name, fmt.Sprintf("%s was not run: it is not permitted (%s). Do it another way.", name, r.Name)}
}

func brokenRule(r *Rule, c Call) Decision {
	return Decision{Deny, r.Name, fmt.Sprintf("%s was not run: whether it is permitted could not be decided (%s broke down). Do it another way.", line(c.Name, 64), r.Name)}
}

// Check returns everything that is wrong with a policy for tools of the given
// names, all at once: a rule for a tool that does not exist guards nothing, and
// nobody would notice.
func (p *Policy) Check(names []string) []error {
	if p == nil {
		return nil
	}
	var errs []error
	used := map[string]bool{}
	for i := range p.Rules {
		r := &p.Rules[i]
		who := fmt.Sprintf("rule %d (%s)", i+1, r.Name)
		if r.Name == "" {
			who = fmt.Sprintf("rule %d", i+1)
			errs = append(errs, errors.New(who+" has no name: records name the rule that decided"))
		} else if used[r.Name] {
			errs = append(errs, errors.New(who+" has the name of another rule: give one of them another name"))
		}
		used[r.Name] = true
		if r.Tool != "*" && !slices.Contains(names, r.Tool) {
			s := fmt.Sprintf(`%s is for a tool that does not exist, %q: use a tool's name, or "*" for all`, who, line(r.Tool, 64))
			if n := nearest(r.Tool, names); n != "" {
				s += fmt.Sprintf(" (did you mean %s?)", n)
			}
			errs = append(errs, errors.New(s))
		}
		switch {
		case !slices.Contains([]Action{Allow, AskFirst, Deny}, r.Action):
			errs = append(errs, fmt.Errorf("%s has the action %q: use allow, ask or deny", who, string(r.Action)))
		case r.Hard && r.Action != Deny:
			errs = append(errs, fmt.Errorf("%s is hard and its action is %s: only a denial is final", who, r.Action))
		}
	}
	return errs
}
