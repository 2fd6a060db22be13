package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// wrongCause says why a terminal cannot name the first cause; "" when it may.
// What an empty, cut or refused answer may be called is stop/no-empty-success.
func (c *Case) wrongCause(u *run, terminal int) string {
	reason := c.recs[terminal].Reason
	if reason == "token_budget" {
		if n := c.spentBefore(u, terminal); c.ev.Limits.TokenBudget > 0 && n <= c.ev.Limits.TokenBudget {
			return fmt.Sprintf("the run has used %d tokens of %d: as many as the budget are allowed", n, c.ev.Limits.TokenBudget)
		}
		return ""
	}
	a := u.lastBefore(terminal)
	if a == nil {
		return ""
	}
	v := c.verdicts(u, a, terminal)
	switch reason {
	case "stop_hook_prevented":
		if v.hook != "prevent" && v.hook != "block" {
			return "no stop hook has said anything against the answer " + a.id
		}
	case "hook_stopped":
		if v.hook != "halt" && v.tool != "halt" && v.tool != "prevent" {
			return "no hook has halted it behind the answer " + a.id
		}
	case "completion_gate_blocked":
		if v.completion != "fail" && v.judge != "not_done" {
			return "neither the completion gate nor the judge has sent the answer " + a.id + " back"
		}
	case "goal_impossible":
		if v.judge != "impossible" {
			return "no judge has said that of the goal"
		}
	case "judge_error":
		if v.judge != "error" {
			return "no judge has failed behind the answer " + a.id
		}
	case "loop_detected":
		return c.noLoop(u, a)
	case "model_error":
		if a.assistant >= 0 && a.assistant < terminal {
			return "the last answer was committed: no call of the provider failed behind it"
		}
	}
	if why := c.wrongFailure(reason, a); why != "" {
		return why
	}
	return c.wrongAnswer(reason, a, v)
}

// wrongFailure judges a terminal by how the last request failed.
func (c *Case) wrongFailure(reason string, a *attempt) string {
	err := a.failure()
	if err == nil {
		return ""
	}
	switch class := err.Class; reason {
	case "model_error":
		if class == providers.Overflow || class == providers.TooLarge {
			return "the provider refused the request's size (" + clip(err.Error(), 100) + "): prompt_too_long"
		}
	case "prompt_too_long":
		if !a.tooBig() {
			return "the provider did not refuse the request's size: " + clip(err.Error(), 100)
		}
	case "image_error":
		if class != providers.BadImage && class != providers.TooLarge {
			return "the provider did not refuse an image: " + clip(err.Error(), 100)
		}
	}
	return ""
}

// wrongAnswer judges a terminal by the answer that came last.
func (c *Case) wrongAnswer(reason string, a *attempt, v verdicts) string {
	t := a.turn()
	if t == nil || t.ending() != whole {
		return ""
	}
	calls, text := len(t.calls()), strings.TrimSpace(t.text()) != ""
	switch reason {
	case "completed":
		if calls == 0 && !t.over() && notWhole(t.stop) == "" {
			if t.stop == "" {
				return "the answer has no stop reason: nobody knows why it ended (unknown_stop)"
			}
			return "the stop reason " + quoted(t.stop) + " without a call says that something went wrong"
		}
	case "truncated":
		if !t.truncated() {
			return "no token limit cut the answer: its stop reason is " + quoted(t.stop)
		}
	case "refused":
		if t.stop != "refusal" {
			return "the model did not refuse: its stop reason is " + quoted(t.stop)
		}
	case "empty_response_failed":
		if text || calls > 0 {
			return "the answer is not empty"
		}
	case "unknown_stop":
		if t.over() || notWhole(t.stop) != "" {
			return "the stop reason " + quoted(t.stop) + " is a known one"
		}
	case "protocol_error":
		if t.over() && calls == 0 && text {
			return "the answer is a good one"
		}
	case "prompt_too_long":
		if t.stop != "model_context_window_exceeded" {
			return "the request was answered, with the stop reason " + quoted(t.stop)
		}
	case "max_turns":
		if calls == 0 && !v.sentBack() {
			return "the last answer made no call and nobody sent it back, so no further turn was needed: it is the answer"
		}
	}
	return ""
}

// verdicts are what the gates said of one answer.
type verdicts struct{ hook, tool, completion, judge string }

// sentBack: the answer would have been sent back, were a turn left.
func (v verdicts) sentBack() bool {
	return v.hook == "block" || v.completion == "fail" || v.judge == "not_done"
}

// verdicts collects what was said of the answer of a before record end.
func (c *Case) verdicts(u *run, a *attempt, end int) verdicts {
	var v verdicts
	if a.assistant < 0 {
		return v
	}
	from, _ := slices.BinarySearch(u.gates, a.assistant)
	for _, i := range u.gates[from:] {
		if i >= end {
			break
		}
		v = v.with(&c.recs[i])
	}
	return v
}

// with adds what a gate record says.
func (v verdicts) with(r *journal.Record) verdicts {
	switch r.Code {
	case "hook":
		v.hook = r.Reason
	case "tool_hook":
		v.tool = r.Reason
	case "completion":
		v.completion = r.Reason
	case "judge":
		v.judge = r.Reason
	}
	return v
}

// objection says which gate stands against the success that a terminal claims.
func (c *Case) objection(u *run, a *attempt, end int) string {
	v := c.verdicts(u, a, end)
	switch {
	case v.hook == "block" || v.hook == "prevent" || v.hook == "halt":
		return "a stop hook said " + v.hook + " of the answer " + a.id
	case v.completion == "fail":
		return "the completion gate sent the answer " + a.id + " back"
	case v.judge == "not_done" || v.judge == "impossible":
		return "the judge said " + v.judge + " of the goal"
	case v.judge == "error":
		return "the judge failed, so nobody knows whether the goal is met (judge_error)"
	case c.recs[end].Reason == "completed_unverified":
		return ""
	case v.hook == "failed":
		return "a stop hook failed, so the answer " + a.id + " is not verified (completed_unverified)"
	case v.completion == "unverified":
		return "the completion gate could not verify the answer " + a.id + " (completed_unverified)"
	case v.judge == "deferred":
		return "the goal was not judged, because background work was running (completed_unverified)"
	}
	return ""
}

// brokenHook finds a stop hook that crashed or hung when it was asked last, by
// its own word, behind a plain success.
func (c *Case) brokenHook(u *run, end int) string {
	if c.recs[end].Reason != "completed" || len(c.ev.Hooks) == 0 || c.appended[u.first] < 0 || c.appended[end] < 0 {
		return ""
	}
	from, to := c.ev.Trace[c.appended[u.first]].Seq, c.ev.Trace[c.appended[end]].Seq
	for i := len(c.ev.Hooks) - 1; i >= 0; i-- {
		h := &c.ev.Hooks[i]
		if h.Kind != evidence.HookStop || int64(h.Step) <= from || int64(h.Step) > to {
			continue
		}
		if h.Failed() {
			return "the stop hook that was asked last did not answer (" + quoted(h.Outcome) + "), so nothing is verified"
		}
		return ""
	}
	return ""
}

// spentBefore is what the run has used before a record, over all attempts of
// all lanes.
func (c *Case) spentBefore(u *run, end int) int {
	var sum providers.Usage
	for i := u.first; i < end; i++ {
		if r := &c.recs[i]; r.Run == u.n && (r.Kind == journal.KindAssistant || r.Kind == journal.KindDiscarded) {
			sum = sum.Plus(r.Usage)
		}
	}
	return sum.Total()
}
