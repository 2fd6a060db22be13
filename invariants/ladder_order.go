package invariants

import (
	"fmt"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// ladderOrder looks at each run's transitions, and at what they made of the
// next request. What was possible when the loop decided is not in any record, so
// only what can be seen is judged: a cheaper rung that comes behind a dearer one.
func ladderOrder(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		out = append(out, c.counters(u)...)
		out = append(out, c.rungs(u)...)
		out = append(out, c.limitsOnWire(u)...)
		out = append(out, c.gatesInOrder(u)...)
	}
	return append(out, c.hooksTold()...)
}

// climb is where a run stands on the ladder.
type climb struct {
	last       string // the transition before, if no answer was committed since
	summarised bool   // since the last committed answer
	continued  bool   // in this turn
	escalated  bool   // in this turn
	lowered    bool   // in this turn
	truncated  bool   // the last committed answer was cut at max_tokens
}

// stuck are the rungs that are of no use twice in a row: if the first one did not
// help, the second one is the same request again (D13).
var stuck = map[string]bool{
	"collapse_drain_retry": true, "reactive_compact_retry": true, "max_output_lower": true, "max_output_escalate": true, "model_fallback": true,
}

// rungs walks the transitions of a run.
func (c *Case) rungs(u *run) []Finding {
	var out []Finding
	var at climb
	for i := u.first; i <= u.last; i++ {
		r := &c.recs[i]
		if r.Run != u.n {
			continue
		}
		why := ""
		switch r.Kind {
		case journal.KindAssistant:
			at.last, at.summarised = "", false
			at.truncated = r.Stop == "max_tokens"
		case journal.KindTransition:
			why = c.wrongRung(u, i, &at)
		case journal.KindTerminal:
			if r.Reason == "truncated" {
				why = c.escalationLeft(&at)
			}
		}
		if why != "" && !c.given(i) {
			where, around := c.record(i)
			out = append(out, found(where, around, "%s", why))
		}
	}
	return out
}

// wrongRung judges one transition and steps over it.
func (c *Case) wrongRung(u *run, i int, at *climb) (why string) {
	r := &c.recs[i]
	switch r.Reason {
	case "next_turn":
		why = c.escalationLeft(at)
		*at = climb{}
		return why
	case "collapse_drain_retry":
		if a := u.lastBefore(i); at.summarised && (a == nil || a.class() != providers.BadImage) {
			why = "results were collapsed behind a summary, and no answer had come between: the cheaper rung comes first"
		}
	case "reactive_compact_retry":
		at.summarised = true
	case "max_output_lower":
		at.lowered = true
	case "max_output_escalate":
		if at.continued {
			why = "max_tokens was raised after a cut answer had been continued in this turn: the limit is raised first"
		}
		at.escalated = true
	case "max_output_recovery":
		why = c.escalationLeft(at)
		at.continued = true
	case "model_fallback":
		why = c.fewOverloads(u, i)
	}
	if why == "" && stuck[r.Reason] && at.last == r.Reason {
		why = r.Reason + " twice in a row, with no answer between: the same thing once more is no progress, so the next rung is due"
	}
	at.last = r.Reason
	return why
}

// escalationLeft says that a cut answer was kept though its limit could still
// have been raised; "" where it could not, or where nobody knows.
func (c *Case) escalationLeft(at *climb) string {
	if at.truncated && !at.escalated && !at.lowered && c.ev.Limits.Counters["escalations"] > 0 {
		return "an answer that was cut at max_tokens was kept, though the limit could still be raised in this turn: that comes first, and drops the cut answer"
	}
	return ""
}

// overloadsInRow is how many overloads a fallback takes (D8).
const overloadsInRow = 3

// fewOverloads counts the overloads since the last answer.
func (c *Case) fewOverloads(u *run, i int) string {
	n := u.before(i)
	if n == 0 {
		return ""
	}
	switch last := u.attempts[n-1]; {
	case len(last.exchanges) == 0:
		return "" // nobody saw what came back
	case last.class() != providers.Overloaded:
		return "the loop fell back to another model, but the last request did not fail for an overload"
	}
	overloads := 0
	for ; n > 0; n-- {
		a := u.attempts[n-1]
		if a.assistant >= 0 && a.assistant < i {
			break
		}
		if len(a.exchanges) == 0 || a.class() == providers.Overloaded {
			overloads++
		}
	}
	if overloads < overloadsInRow {
		return fmt.Sprintf("the loop fell back to another model after %d overloads in a row; it takes %d", overloads, overloadsInRow)
	}
	return ""
}

// limitsOnWire looks at the requests behind transitions that change one: the
// larger or smaller max_tokens, the other model.
func (c *Case) limitsOnWire(u *run) []Finding {
	var out []Finding
	var due *journal.Record // a transition whose request has not come yet
	base, now := 0, 0       // max_tokens as configured, and as it was changed to in this turn; 0: not known, not changed
	over := false           // a turn with a changed limit is over
	var before *asked       // the last request
	next := 0               // of u.attempts
	for i := u.first; i <= u.last; i++ {
		r := &c.recs[i]
		switch {
		case r.Run != u.n:
			continue
		case r.Kind == journal.KindTransition && !c.given(i):
			switch r.Reason {
			case "max_output_escalate", "max_output_lower", "model_fallback":
				due = r
			case "next_turn":
				over, now = over || now > 0, 0
			}
			continue
		case next >= len(u.attempts) || u.attempts[next].rec != i:
			continue
		}
		x := u.attempts[next].exchange()
		next++
		if x == nil || due == nil && now == 0 && !over && !c.changesLimits(u) {
			continue
		}
		q := x.asked()
		if !q.legible {
			continue
		}
		why := ""
		switch {
		case due != nil && before != nil:
			why = c.wrongRequest(u, due, before, q, next-2)
			if due.Reason != "model_fallback" {
				if now == 0 {
					base = before.maxTokens
				}
				now = q.maxTokens
			}
		case now > 0 && q.maxTokens != now:
			why = fmt.Sprintf("the request has max_tokens %d, but the limit was set to %d in this turn, and stays until next_turn", q.maxTokens, now)
		case over && base > 0 && q.maxTokens != base:
			why = fmt.Sprintf("the request has max_tokens %d, but the turn for which the limit was changed is over: it is %d again", q.maxTokens, base)
		}
		due, before, over = nil, q, over && now > 0
		if why != "" {
			where, around := request(x)
			return append(out, found(where, around, "%s", why))
		}
	}
	return out
}

// changesLimits reports whether the run has a transition that changes the next
// request: where it has none, no request has to be read.
func (c *Case) changesLimits(u *run) bool {
	if !u.looked {
		u.looked = true
		for i := u.first; i <= u.last && !u.changes; i++ {
			switch r := &c.recs[i]; r.Reason {
			case "max_output_escalate", "max_output_lower", "model_fallback":
				u.changes = r.Kind == journal.KindTransition && r.Run == u.n
			}
		}
	}
	return u.changes
}

// wrongRequest says what is wrong with the request q that a transition led to;
// failed is the number of the attempt before it.
func (c *Case) wrongRequest(u *run, t *journal.Record, before, q *asked, failed int) string {
	switch t.Reason {
	case "max_output_escalate":
		if q.maxTokens <= before.maxTokens {
			return fmt.Sprintf("max_tokens was to be raised, but the next request has %d behind one with %d", q.maxTokens, before.maxTokens)
		}
	case "max_output_lower":
		if q.maxTokens >= before.maxTokens {
			return fmt.Sprintf("max_tokens was to be lowered, but the next request has %d behind one with %d", q.maxTokens, before.maxTokens)
		}
		if failed < 0 {
			break
		}
		if err := u.attempts[failed].failure(); err != nil && err.Window > 0 && q.maxTokens > err.Window-err.Input {
			return fmt.Sprintf("max_tokens was lowered to %d, but the provider said that %d of %d tokens are taken by the input", q.maxTokens, err.Input, err.Window)
		}
	case "model_fallback":
		switch {
		case t.Model != "" && q.model != t.Model:
			return "the loop fell back to " + word(t.Model) + ", but the very next request still asks " + word(q.model)
		case q.model == before.model:
			return "the loop fell back to another model, but the very next request still asks " + word(q.model)
		}
	}
	return ""
}

// gatesInOrder looks at what was asked about which answer: stop hooks, the
// completion gate and the judge, in this order, about a final answer that stands
// committed, and nobody after one that is against it. Behind a failure of the
// provider they would send back what nobody said (the death spiral of D10).
func (c *Case) gatesInOrder(u *run) []Finding {
	var out []Finding
	rank := map[string]int{"hook": 1, "completion": 2, "judge": 3}
	answer, last, against := -1, 0, ""
	for i := u.first; i <= u.last; i++ {
		r := &c.recs[i]
		if r.Run != u.n {
			continue
		}
		switch r.Kind {
		case journal.KindAssistant:
			answer, last, against = i, 0, ""
		case journal.KindUser, journal.KindTransition:
			answer = -1
		case journal.KindGate:
			why := ""
			switch n := rank[r.Code]; {
			case answer < 0:
				why = "no answer stands that it could be asked about"
			case n == 0: // behind tools
			case !over(c.recs[answer].Stop, c.recs[answer].Blocks):
				why = "the answer is no final one: its stop reason is " + quoted(c.recs[answer].Stop)
			case against != "":
				why = against + " had decided about this answer"
			case n < last:
				why = "it comes before what was asked already"
			default:
				last = n
				if v := (verdicts{}); r.Reason == "prevent" || r.Reason == "halt" || r.Reason == "impossible" || v.with(r).sentBack() {
					against = "the " + r.Code + " (" + r.Reason + ")"
				}
			}
			if why != "" && !c.given(i) {
				where, around := c.record(i)
				out = append(out, found(where, around, "the %s was asked, but %s", r.Code, why))
			}
		}
	}
	return out
}

// hooksTold compares what hooks were told with what the run had been through:
// a hook that is not told that it sent the run back blocks for ever
// (openai/codex-plugin-cc p414).
func (c *Case) hooksTold() []Finding {
	if len(c.ev.Hooks) == 0 || c.untraced() {
		return nil
	}
	var out []Finding
	blocked, next := false, 0
	for i := range c.ev.Hooks {
		h := &c.ev.Hooks[i]
		for ; next < len(c.recs) && c.appended[next] >= 0 && c.ev.Trace[c.appended[next]].Seq < int64(h.Step); next++ {
			switch r := &c.recs[next]; {
			case r.Kind == journal.KindUser:
				blocked = false
			case r.Kind == journal.KindTransition && r.Reason == "stop_hook_blocking":
				blocked = true
			}
		}
		if h.Step > 0 && h.Active != blocked {
			told := "no hook had sent this run back, but it was told so"
			if blocked {
				told = "a hook had sent this run back before, and it was not told"
			}
			where, around := c.hook(i)
			return append(out, found(where, around, "a %s hook was asked: %s", word(h.Kind), told))
		}
	}
	return out
}

// hook is the place of a hook that was asked.
func (c *Case) hook(i int) (Place, []string) {
	return Place{File: evidence.HooksFile, Line: i + 1, Life: c.ev.Hooks[i].Life},
		excerpt(len(c.ev.Hooks), i, func(j int) string {
			h := &c.ev.Hooks[j]
			out := fmt.Sprintf("life %d  %s hook, active %v: %s", h.Life, word(h.Kind), h.Active, word(h.Outcome))
			if h.Text != "" {
				out += " " + quoted(h.Text)
			}
			return out
		})
}
