package mutants

import (
	"context"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

func ladderMutants() []Mutant {
	return []Mutant{
		{
			Name:      "loops-on-empty-answers",
			Summary:   "asks again for ever when the model says nothing",
			Breaks:    []string{"ladder/bounded"},
			Also:      []string{"ladder/order"},
			Scenarios: []string{"ladder-bounded/empty"},
			Parts:     func() harness.Parts { return harness.Parts{Decide: forEver(harness.EmptyRetry)} },
		},
		{
			Name:      "loops-on-a-lying-stop",
			Summary:   "asks again for ever when the stop reason says tool_use and there is no call",
			Breaks:    []string{"ladder/bounded"},
			Also:      []string{"ladder/order"},
			Scenarios: []string{"ladder-bounded/lie"},
			Parts:     func() harness.Parts { return harness.Parts{Decide: forEver(harness.ProtocolRetry)} },
		},
		{
			Name:      "forgets-its-retries",
			Summary:   "refills the retries of a request with every try",
			Breaks:    []string{"ladder/bounded"},
			Also:      []string{"resume/replay", "ladder/order"},
			Scenarios: []string{"ladder-bounded/overload"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					s.Counters.Retries = 0
					return harness.Decide(s, t, l)
				}}
			},
		},
		{
			Name:      "retries-a-failed-tool",
			Summary:   "runs a tool again by itself when it failed",
			Breaks:    []string{"ladder/no-rerun"},
			Also:      []string{"resume/effect-once"},
			Scenarios: []string{"tool-fails"},
			Parts: func() harness.Parts {
				return harness.Parts{Execute: func(t *tools.Tool) *tools.Tool {
					c := *t
					c.Run = func(ctx context.Context, call tools.Call) (tools.Output, error) {
						out, err := t.Run(ctx, call)
						if err != nil || out.IsError {
							return t.Run(ctx, call)
						}
						return out, err
					}
					return &c
				}}
			},
		},
		{
			Name:      "retries-after-a-failed-append",
			Summary:   "runs the tool again when its outcome could not be recorded",
			Breaks:    []string{"ladder/no-rerun"},
			Also:      []string{"resume/effect-once", "record/no-forgery", "stop/typed-end"},
			Scenarios: []string{"append-fails/result/AT=append.before"},
			Parts: func() harness.Parts {
				var again func()
				return harness.Parts{
					Execute: func(t *tools.Tool) *tools.Tool {
						c := *t
						c.Run = func(ctx context.Context, call tools.Call) (tools.Output, error) {
							again = func() { _, _ = t.Run(ctx, call) }
							return t.Run(ctx, call)
						}
						return &c
					},
					Recorded: func(rec *journal.Record, err error, commit func(*journal.Record) error) error {
						again()
						return commit(fresh(rec))
					},
				}
			},
		},
	}
}

// forEver is Decide without the limit of one rung.
func forEver(rung harness.Transition) func(harness.State, *harness.Turn, harness.Limits) harness.Decision {
	return func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
		for _, r := range harness.Ladder() {
			if r.Name == rung && r.Applies(s, t, l) {
				return harness.Decision{Commit: r.Commit, Go: rung}
			}
		}
		return harness.Decide(s, t, l)
	}
}

// fresh is a record without its envelope, to be committed again.
func fresh(r *journal.Record) *journal.Record {
	c := *r
	c.Seq, c.Time, c.Session, c.Run, c.Audit = 0, 0, "", 0, ""
	return &c
}
