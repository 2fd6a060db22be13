package harness

import (
	"context"
	"slices"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// clear looks through the open calls that have not started, in call order, and
// answers those that may not run: no such tool in this life, a deferred tool
// that was not revealed, a tool whose breaker is open, and whatever the policy
// denies. Every approval is asked for before anything of the batch starts
// (C9). A resume passes here again: what was allowed once is asked anew.
func (l *loop) clear() error {
	breakers := l.breakers()
	for _, c := range append([]OpenCall(nil), l.s.Open...) {
		if c.Started {
			continue
		}
		if c.Refused != "" { // its result was torn off by a crash: it does not run for that
			if err := l.refuse(c, c.Refused, refusedText(c.Refused)); err != nil {
				return err
			}
			continue
		}
		t, ok := l.registry().Lookup(c.Name)
		no := (*tools.Refusal)(nil)
		switch {
		case !ok: // it was there when the call was admitted: another life had other tools
			no = l.registry().Validate(c.Name, tools.Closed([]byte(c.Input)))
		case l.unrevealed(t):
			no = tools.DeferredRefusal(c.Name)
		default:
			no = breakers.refuses(c.Name)
		}
		if no != nil {
			if err := l.refuse(c, no.Code, no.Sentence); err != nil {
				return err
			}
			continue
		}
		if err := l.permit(c); err != nil {
			return err
		}
	}
	return nil
}

// permit asks the policy, and whoever it says, about one call.
func (l *loop) permit(c OpenCall) error {
	p := l.cfg.Policy
	if p == nil || l.ctx.Err() != nil {
		return nil
	}
	call := l.toolCall(c)
	d := p.Decide(call)
	if d.Action != tools.AskFirst {
		if err := l.commit("the policy decides: "+d.Rule, permissionOf(c, string(d.Action), d.Rule, d.Text)); err != nil {
			return err
		}
	} else {
		if err := l.commit("the policy asks: "+d.Rule, permissionOf(c, string(tools.AskFirst), d.Rule, d.Text)); err != nil {
			return err
		}
		a := tools.AskFor(l.ctx, l.env, l.cfg.Approver, tools.Ask{Call: call, Rule: d.Rule}, l.limits.ApproveTimeout, l.limits.Grace)
		d = p.Settle(call, d.Rule, a)
		if err := l.commit("the approver answered", permissionOf(c, a.Code, d.Rule, d.Text)); err != nil {
			return err
		}
	}
	if d.Action == tools.Deny {
		return l.refuse(c, tools.CodePermission, d.Text)
	}
	return nil
}

func permissionOf(c OpenCall, code, rule, text string) *journal.Record {
	return &journal.Record{Kind: journal.KindPermission, Call: c.Call, ID: c.ID, Name: c.Name, Code: code, Detail: rule, Text: text}
}

// refuse answers a call that does not run.
func (l *loop) refuse(c OpenCall, code, text string) error {
	return l.commit("the call does not run: "+code, notRun(c, journal.Refused, code, text))
}

// readResult is the tool that reads a result again which is shown shortened. It
// is offered once there is one, so that it costs nothing before.
const readResult = "read_result"

// registry is what the answer at hand may call: what its request offered, not
// what an early call of it may have revealed since.
func (l *loop) registry() *tools.Registry { return l.registryWith(l.s.revealed[:l.s.offered]) }

func (l *loop) registryWith(revealed []string) *tools.Registry {
	if !slices.Contains(revealed, readResult) {
		return l.reg
	}
	if l.wide == nil {
		t := tools.ReadResult(l.resultText)
		t.Deferred = false // it is revealed by what it is for, not by a search
		run := t.Run
		t.Run = func(ctx context.Context, c tools.Call) (tools.Output, error) { // a piece that was shortened in its turn could never be read
			c.Limit = min(c.Limit, l.limits.ResultBytes, l.limits.MessageBytes)
			return run(ctx, c)
		}
		wide, err := l.reg.With(t)
		if err != nil {
			panic(err) // our own tool is legal, and a user's of that name stays
		}
		l.wide = wide
	}
	return l.wide
}

func (l *loop) unrevealed(t *tools.Tool) bool {
	return t.Deferred && !slices.Contains(l.s.revealed[:l.s.offered], t.Name)
}
