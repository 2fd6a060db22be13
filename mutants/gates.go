package mutants

import (
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/gate"
	"github.com/harnessbench/bench/harness/journal"
)

// gateMutants break the gates, and the ends that they decide.
func gateMutants() []Mutant {
	return []Mutant{
		{
			Name:      "calls-a-broken-judge-done",
			Summary:   "takes a judge that failed for one that said yes, and the failure's own words, which each protocol has others for, for its reason",
			Expects:   true,
			Also:      []string{"wire/protocol-blind"},
			Scenarios: []string{"goal-judge-fails/prose"},
			Parts: says(func(r *journal.Record) {
				if r.Code == "judge" && r.Reason == "error" {
					r.Reason = "done"
				}
			}),
		},
		{
			Name:      "hides-a-broken-judge",
			Summary:   "calls a run completed whose goal could not be judged",
			Breaks:    []string{"stop/no-empty-success"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"goal-judge-fails/prose"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "judge_error" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "passes-a-broken-hook",
			Summary:   "takes a hook that crashed or hung for one that allowed, and the answer for verified",
			Breaks:    []string{"stop/no-empty-success"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"hook-ends/crash"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "completed_unverified" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "ends-on-a-failed-gate",
			Summary:   "calls an answer completed that the completion gate sent back",
			Breaks:    []string{"stop/no-empty-success"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"gate-blocked/one"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "completion_gate_blocked" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "blocks-without-end",
			Summary:   "drops the maximum of a stop hook's blocks",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/bounded"},
			Scenarios: []string{"hook-block-for-ever/one"},
			Parts:     limits(func(l *harness.Limits) { l.HookBlocks = 1000 }),
		},
		{
			Name:      "gate-without-end",
			Summary:   "drops the maximum of the completion gate's blocks",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/bounded"},
			Scenarios: []string{"gate-blocked/one"},
			Parts:     limits(func(l *harness.Limits) { l.GateBlocks = 1000 }),
		},
		{
			Name:      "judge-without-end",
			Summary:   "drops the maximum of the goal judge's blocks",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/bounded"},
			Scenarios: []string{"goal-judged/never"},
			Parts:     limits(func(l *harness.Limits) { l.JudgeBlocks = 1000 }),
		},
		{
			Name:      "believes-echo",
			Summary:   "passes every answer through the completion gate, whatever was shown",
			Expects:   true,
			Scenarios: []string{"gate-faked-evidence"},
			Parts: func() harness.Parts {
				return harness.Parts{Verdict: func(gate.Verdict) gate.Verdict { return gate.Verdict{Outcome: gate.Pass} }}
			},
		},
		{
			Name:      "forgets-the-token-budget",
			Summary:   "goes on when the tokens of the run are used up",
			Breaks:    []string{"ladder/bounded"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"budget-edge/over-call"},
			Parts:     limits(func(l *harness.Limits) { l.TokenBudget = 0 }),
		},
		{
			Name:      "one-token-more",
			Summary:   "takes a budget for what may be used up before it ends, and goes on at one token over it",
			Breaks:    []string{"ladder/bounded"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"budget-edge"},
			Parts: limits(func(l *harness.Limits) {
				if l.TokenBudget > 0 {
					l.TokenBudget++
				}
			}),
		},
		{
			Name:      "hides-the-budget",
			Summary:   "calls a run completed that ended because its tokens were used up",
			Breaks:    []string{"stop/typed-end"},
			Also:      []string{"stop/blocks-decide", "stop/no-empty-success"},
			Scenarios: []string{"budget-edge/over-text"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "token_budget" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "hides-a-loop",
			Summary:   "calls a run out of turns that ended because it went in circles",
			Breaks:    []string{"stop/typed-end"},
			Also:      []string{"stop/blocks-decide"},
			Scenarios: []string{"loop-identical/default"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "loop_detected" {
					r.Reason = "max_turns"
				}
			}),
		},
		{
			Name:      "hides-a-halt",
			Summary:   "calls a run completed that a hook halted",
			Breaks:    []string{"stop/typed-end"},
			Also:      []string{"stop/no-empty-success", "stop/blocks-decide"},
			Scenarios: []string{"hook-behind-tools/halt"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "hook_stopped" || r.Reason == "stop_hook_prevented" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "hides-an-impossible-goal",
			Summary:   "calls a run completed whose goal the judge called impossible",
			Breaks:    []string{"stop/no-empty-success"},
			Also:      []string{"stop/typed-end"},
			Scenarios: []string{"goal-judged/impossible"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == "goal_impossible" {
					r.Reason = "completed"
				}
			}),
		},
		{
			Name:      "names-another-failure",
			Summary:   "calls every run whose request did not fit a model error",
			Breaks:    []string{"stop/typed-end"},
			Scenarios: []string{"context-blocked/system-text"},
			Parts: ends(func(r *journal.Record) {
				switch r.Reason {
				case "prompt_too_long", "image_error", "blocking_limit":
					r.Reason = "model_error"
				}
			}),
		},
	}
}

// says changes what a gate said.
func says(f func(*journal.Record)) func() harness.Parts {
	return func() harness.Parts {
		return harness.Parts{Gate: func(r *journal.Record) *journal.Record { f(r); return r }}
	}
}

// ends changes a terminal.
func ends(f func(*journal.Record)) func() harness.Parts {
	return func() harness.Parts {
		return harness.Parts{Terminal: func(r *journal.Record) *journal.Record { f(r); return r }}
	}
}
