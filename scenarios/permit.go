package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/near"
)

// permit is one TOOL=DECISION of a `permit` line: a rule of the session's policy,
// and what whoever is asked by it says.
type permit struct {
	text   string // as written
	tool   string // or *
	action tools.Action
	hard   bool
	answer string // with ask: yes, no, hang or crash
	takes  time.Duration
}

// decisions is the closed list.
var decisions = []string{"allow", "deny", "hard-deny", "ask:yes", "ask:no", "ask:hang", "ask:crash"}

// parsePermits reads TOOL=DECISION...
func parsePermits(args []string) ([]permit, error) {
	var out []permit
	for _, w := range args {
		p, err := parsePermit(w)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func parsePermit(w string) (permit, error) {
	p := permit{text: w}
	tool, what, err := keyValue(w)
	if err != nil {
		return p, fmt.Errorf("%q is not TOOL=DECISION: a decision is one of %s", w, strings.Join(decisions, ", "))
	}
	p.tool = tool
	what, takes, waits := strings.Cut(what, "@")
	if !slices.Contains(decisions, what) {
		return p, errors.New(near.Unknown("decision", what, decisions))
	}
	switch what {
	case "allow":
		p.action = tools.Allow
	case "deny":
		p.action = tools.Deny
	case "hard-deny":
		p.action, p.hard = tools.Deny, true
	default:
		p.action = tools.AskFirst
		p.answer = strings.TrimPrefix(what, "ask:")
	}
	if !waits {
		return p, nil
	}
	if p.answer == "" || p.answer == "hang" {
		return p, fmt.Errorf("%s takes no time: only ask:yes, ask:no and ask:crash may be written with @D", what)
	}
	p.takes, err = parseDuration(takes)
	return p, err
}

// never says why a rule behind others decides nothing, or "". Hard ones are
// asked before all others, wherever they stand.
func (p *permit) never(before []permit) string {
	for i := range before {
		b := &before[i]
		if b.hard == p.hard && (b.tool == "*" || b.tool == p.tool) {
			return fmt.Sprintf("permit %s decides nothing: %s stands before it", p.text, b.text)
		}
	}
	return ""
}

// permitName is the name of the rule that the i-th permit is.
func permitName(i int) string { return "permit." + strconv.Itoa(i+1) }

// policy makes a policy of a session's permits; nil where there are none.
func policy(ps []permit) *tools.Policy {
	if len(ps) == 0 {
		return nil
	}
	pol := &tools.Policy{}
	for i := range ps {
		p := &ps[i]
		pol.Rules = append(pol.Rules, tools.Rule{Name: permitName(i), Tool: p.tool, Action: p.action, Hard: p.hard})
	}
	return pol
}

// approver is whoever a session's policy asks.
type approver []permit

// Approve says what the permit that asks says.
func (a approver) Approve(ctx context.Context, ask tools.Ask) (bool, error) {
	clock := ask.Call.Env.Clock
	for i, p := range a {
		if permitName(i) != ask.Rule {
			continue
		}
		if p.answer == "hang" {
			return false, clock.Note().Wait(ctx, "an approval that never comes")
		}
		if err := clock.Sleep(ctx, p.takes); err != nil {
			return false, err
		}
		if p.answer == "crash" {
			return false, errors.New("the approver crashed, as the scenario says")
		}
		return p.answer == "yes", nil
	}
	return false, fmt.Errorf("no permit is called %q", ask.Rule)
}
