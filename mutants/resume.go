package mutants

import (
	"errors"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func resumeMutants() []Mutant {
	return []Mutant{
		{
			Name:      "reruns-unknown-calls",
			Summary:   "runs a call again whose outcome a crash left unknown",
			Breaks:    []string{"resume/effect-once", "ladder/no-rerun"},
			Scenarios: []string{"killed-after-effect", "crash-points-of-a-call/ran"},
			Parts:     func() harness.Parts { return harness.Parts{Rerun: func(*tools.Tool) bool { return true }} },
		},
		{
			Name:      "forgets-on-resume",
			Summary:   "asks the model without the first exchange that was durable before the crash",
			Breaks:    []string{"resume/prefix"},
			Also:      []string{"wire/legal", "context/keeps-request"},
			Scenarios: []string{"crash-between-prompts"},
			Parts: func() harness.Parts {
				resumed := false
				return harness.Parts{
					Resume: func() error { resumed = true; return nil },
					Project: func(ms []providers.Message) []providers.Message {
						if resumed && len(ms) > 2 {
							return ms[2:]
						}
						return ms
					},
				}
			},
		},
		{
			Name:      "refuses-every-resume",
			Summary:   "never runs nor shows anything wrong again, because it never goes on",
			Breaks:    []string{"resume/completes"},
			Scenarios: []string{"crash-points-of-a-call", "killed-after-effect"},
			Parts: func() harness.Parts {
				return harness.Parts{Resume: func() error { return errors.New("this session cannot be resumed") }}
			},
		},
		{
			Name:      "remembers-wrong",
			Summary:   "steps to a state that its records do not give: discarded attempts cost nothing",
			Breaks:    []string{"resume/replay"},
			Scenarios: []string{"stream-partial-text-once", "transport-backoff"},
			Parts: func() harness.Parts {
				return harness.Parts{Apply: func(s harness.State, r *journal.Record) harness.State {
					if r.Kind == journal.KindDiscarded {
						s.Attempts += 100
					}
					return harness.Apply(s, r)
				}}
			},
		},
		{
			Name:      "glues-to-a-torn-tail",
			Summary:   "does not cut a torn tail off before it appends",
			Breaks:    []string{"record/two-ledgers"},
			Also:      []string{"resume/completes", "record/before-publish", "stop/typed-end", "resume/replay", "resume/prefix", "record/preview-settles"},
			Scenarios: []string{"crash-torn-append"},
			Parts: func() harness.Parts {
				return harness.Parts{Env: func(e env.Env) env.Env {
					e.FS = &fs{FS: e.FS, truncate: func(string) bool { return false }}
					return e
				}}
			},
		},
	}
}
