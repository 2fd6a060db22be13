package mutants

import (
	"math/rand/v2"
	"strconv"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/seam"
)

func otherMutants() []Mutant {
	return []Mutant{
		{
			Name:      "leaves-calls-open",
			Summary:   "records nothing for calls that an abort kept from starting",
			Breaks:    []string{"cancel/settles"},
			Also:      []string{"stop/blocks-decide"},
			Scenarios: []string{"abort-in-batch"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					var out []*journal.Record
					for _, r := range rs {
						if r.State != journal.Never {
							out = append(out, r)
						}
					}
					return out
				}}
			},
		},
		{
			Name:      "leaks-the-key",
			Summary:   "writes the API key into a notice",
			Breaks:    []string{"secrets/none"},
			Scenarios: []string{"stop-before-call"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					if rs[0].Kind == journal.KindUser {
						rs = append(rs, &journal.Record{Kind: journal.KindNotice, Code: "debug", Text: "connected with " + seam.Canary})
					}
					return rs
				}}
			},
		},
		{
			Name:      "rolls-dice",
			Summary:   "lets chance into what it records",
			Breaks:    []string{"run/deterministic"},
			Scenarios: []string{"stop-before-call"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					if rs[0].Kind == journal.KindUser {
						rs = append(rs, &journal.Record{Kind: journal.KindNotice, Code: "dice", Text: strconv.FormatUint(rand.Uint64(), 16)})
					}
					return rs
				}}
			},
		},
		{
			Name:      "hides-its-points",
			Summary:   "never comes by a crash point, so that nothing that is armed can fire",
			Breaks:    []string{"bench/not-vacuous"},
			Also:      []string{"resume/completes", "cancel/settles"},
			Scenarios: []string{"killed-after-effect", "crash-in-backoff"},
			Parts: func() harness.Parts {
				return harness.Parts{Env: func(e env.Env) env.Env {
					e.Probe = env.NoProbe{}
					return e
				}}
			},
		},
	}
}
