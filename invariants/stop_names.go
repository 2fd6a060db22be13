package invariants

import (
	"slices"

	"github.com/harnessbench/bench/harness/journal"
)

// answered makes sure that, by the time of the decision at, each complete call
// of the answer was recorded and run, or answered for a reason that is true.
func (c *Case) answered(a *attempt, t *turn, complete []wireCall, at int) []Finding {
	var out []Finding
	taken := map[*call]bool{}
	all := t.calls()
	for _, w := range complete {
		if w.same >= 0 && sameInput(all[w.same].input, w.input) && all[w.same].name == w.name {
			continue // one call, sent twice
		}
		k := a.recordedCall(c, w, taken)
		if k == nil {
			where, around := c.record(at)
			out = append(out, found(where, around, "answer %s holds the complete call %s, but no call was recorded for it: it was dropped", a.id, name(w)))
			continue
		}
		taken[k] = true
		if len(k.started) > 0 {
			continue
		}
		if lie := c.lie(a, t, w, k, at); lie != "" {
			where, around := c.record(at)
			out = append(out, found(where, around, "answer %s holds the complete call %s, and the loop went on: %s", a.id, name(w), lie))
		}
	}
	return out
}

// lie says why the reason for which a complete call was not run is not true;
// "" when it may be.
func (c *Case) lie(a *attempt, t *turn, w wireCall, k *call, at int) string {
	code, state := c.recs[k.rec].Refused, journal.Refused
	if len(k.settled) > 0 {
		r := &c.recs[k.settled[0]]
		if state = r.State; code == "" {
			code = r.Code
		}
	} else if code == "" {
		return "it was neither run nor answered"
	}
	ends := c.recs[at].Kind == journal.KindTerminal
	switch code {
	case "cut":
		return "it was refused as cut, but its block was closed and no limit cut it"
	case "duplicate_id":
		if w.same < 0 {
			return "it was refused as a second call under one id, but the answer has no other call with that id"
		}
	case "unknown_tool":
		if c.tools[w.name] != nil {
			return "it was refused as a call of an unknown tool, but the tool is there"
		}
	case "refusal":
		return "it was refused as part of a refusal, but the stop reason is " + quoted(t.stop)
	case "token_budget", "loop":
		if want := map[string]string{"token_budget": "token_budget", "loop": "loop_detected"}[code]; !ends || c.recs[at].Reason != want {
			return "it was refused for " + code + ", but the run did not end with " + want
		}
	case "permission_denied":
		if !c.denied(k) {
			return "it was refused as denied, but no record says that anybody denied it"
		}
	case "circuit_open":
		if !c.failedBefore(k) {
			return "it was refused because its tool had failed too often, but it never had"
		}
	case "tool_deferred":
		if tool := c.tools[w.name]; tool != nil && !tool.Deferred {
			return "it was refused because the model had not been shown its tool, but that is no deferred one"
		}
		if c.revealedBefore(a, k) {
			return "it was refused because the model had not been shown its tool, but an earlier result had named it"
		}
	case "sibling_failed":
		if !c.siblingFailed(a, k) {
			return "it was not run because a call before it had failed, but none had whose tool stops the others"
		}
	case "", "aborted":
		if state == journal.Never && !ends && !c.resumedBetween(k.last(), at) {
			return "it is said never to have started, but nothing had kept it from running"
		}
	}
	return ""
}

// stillRan finds a call that was started behind a committed answer though the
// run ended with the decision that nothing of it runs. What began early has run
// by then, and keeps its result.
func (c *Case) stillRan(a *attempt, at int) []Finding {
	for _, k := range a.calls {
		for _, i := range k.started {
			if i > a.assistant && i < at {
				where, around := c.record(i)
				return []Finding{found(where, around, "%s was started for call %s, but the run ended with %s: the calls of that answer are answered, not run", k.named(), k.id, c.recs[at].Reason)}
			}
		}
	}
	return nil
}

func (c *Case) denied(k *call) bool {
	return slices.ContainsFunc(k.asked, func(i int) bool { return denies(c.recs[i].Code) })
}

func denies(code string) bool { return code == "deny" || code == "rejected" || code == "cancelled" }

// failedBefore reports whether the call's tool had ever failed before.
func (c *Case) failedBefore(k *call) bool {
	first, ok := c.told().failed[k.name]
	return ok && first < k.last()
}

// revealedBefore reports whether a result named the call's tool before its
// answer was asked for: the model had been shown it. A search that began early
// in the same answer shows it nothing.
func (c *Case) revealedBefore(a *attempt, k *call) bool {
	first, ok := c.told().revealed[k.name]
	return ok && first < a.rec
}

// siblingFailed reports whether another call of the answer had failed whose tool
// stops its siblings.
func (c *Case) siblingFailed(a *attempt, k *call) bool {
	return slices.ContainsFunc(a.calls, func(o *call) bool {
		tool := c.tools[o.name]
		return o != k && len(o.settled) > 0 && o.settled[0] < k.last() && c.recs[o.settled[0]].Kind == journal.KindToolError &&
			(tool == nil || tool.StopsSiblings)
	})
}

// last is the record that settled the call, or that of the call itself.
func (k *call) last() int {
	if len(k.settled) > 0 {
		return k.settled[0]
	}
	return k.rec
}

// toldOf is what the records say about tools, by name: the first failure of
// one, and the first result that made a deferred one available.
type toldOf struct{ failed, revealed map[string]int }

func (c *Case) told() *toldOf {
	if c.tooled != nil {
		return c.tooled
	}
	t := &toldOf{failed: map[string]int{}, revealed: map[string]int{}}
	first := func(m map[string]int, name string, i int) {
		if _, ok := m[name]; !ok {
			m[name] = i
		}
	}
	for i := range c.recs {
		switch r := &c.recs[i]; {
		case r.Kind == journal.KindToolError, r.Kind == journal.KindNotice && r.Code == "background_failed":
			name := r.Name
			if k := c.callBy[r.Call]; name == "" && k != nil {
				name = k.name
			}
			first(t.failed, name, i)
		case r.Kind == journal.KindResult:
			if k := c.callBy[r.Call]; k != nil && k.rec >= 0 {
				if a := c.attemptBy[c.recs[k.rec].Attempt]; a != nil && a.discarded >= 0 {
					break // the answer was not kept, and the model never saw the result
				}
			}
			for _, name := range r.Names {
				first(t.revealed, name, i)
			}
		}
	}
	c.tooled = t
	return t
}
