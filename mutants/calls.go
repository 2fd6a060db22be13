package mutants

import (
	"slices"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// callMutants break what a call goes through before and after it runs.
func callMutants() []Mutant {
	return []Mutant{
		{
			Name:      "begins-before-it-is-sure",
			Summary:   "begins a call as soon as its block is closed, though max_tokens may still cut it; when a block is known to be closed is each protocol's own",
			Breaks:    []string{"stop/complete-only"},
			Also:      []string{"stop/blocks-decide", "wire/protocol-blind"},
			Scenarios: []string{"early-last-block/after"},
			Parts:     func() harness.Parts { return harness.Parts{Sure: func(bool) bool { return true }} },
		},
		{
			Name:      "runs-what-was-denied",
			Summary:   "runs a call that the policy, or who was asked, denied",
			Breaks:    []string{"record/before-run"},
			Also:      []string{"stop/blocks-decide"},
			Scenarios: []string{"permit-decisions/deny"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					return slices.DeleteFunc(rs, func(r *journal.Record) bool { return r.Kind == journal.KindResult && r.Code == "permission_denied" })
				}}
			},
		},
		{
			Name:      "runs-what-was-refused",
			Summary:   "forgets that a call is refused when its answer was torn off, and runs it",
			Breaks:    []string{"record/before-run"},
			Also:      []string{"resume/replay", "stop/blocks-decide", "stop/complete-only", "stop/typed-end", "record/no-forgery", "ladder/progress", "ladder/bounded"},
			Scenarios: []string{"budget-edge/over-call"},
			Parts: func() harness.Parts {
				return harness.Parts{
					Apply: func(s harness.State, r *journal.Record) harness.State {
						if r.Kind == journal.KindCall && (r.Refused == "token_budget" || r.Refused == "loop") {
							c := *r
							c.Refused = ""
							r = &c
						}
						return harness.Apply(s, r)
					},
					Records: func(rs []*journal.Record) []*journal.Record {
						return slices.DeleteFunc(rs, func(r *journal.Record) bool {
							return r.Kind == journal.KindResult && (r.Code == "token_budget" || r.Code == "loop")
						})
					},
				}
			},
		},
		{
			Name:      "answers-a-background-call-twice",
			Summary:   "tells the end of a background call as a second result of it",
			Breaks:    []string{"record/no-forgery"},
			Also:      []string{"cancel/settles", "wire/legal", "resume/prefix"},
			Scenarios: []string{"background-compaction/before"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					for _, r := range rs {
						if r.Kind == journal.KindNotice && (r.Code == "background_done" || r.Code == "background_failed") {
							r.Kind, r.State, r.Code = journal.KindResult, journal.Done, ""
						}
					}
					return rs
				}}
			},
		},
		{
			Name:      "shows-a-stack",
			Summary:   "tells the model of a panic with its stack",
			Breaks:    []string{"record/envelope"},
			Scenarios: []string{"batch-panic"},
			Parts: func() harness.Parts {
				return harness.Parts{Outcome: func(o tools.Outcome) tools.Outcome {
					if o.Stack != "" {
						o.Text += "\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:7 +0x1d" // the real one differs from run to run
					}
					return o
				}}
			},
		},
		{
			Name:      "fails-without-a-code",
			Summary:   "records a failure without saying of what kind",
			Breaks:    []string{"record/envelope"},
			Scenarios: []string{"tool-fails/before"},
			Parts: func() harness.Parts {
				return harness.Parts{Outcome: func(o tools.Outcome) tools.Outcome {
					if o.State == journal.Failed {
						o.Code = ""
					}
					return o
				}}
			},
		},
	}
}
