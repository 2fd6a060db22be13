package mutants

import (
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// endMutants decide on another end than the answer's own, record and return it
// alike: only what came over the wire tells.
func endMutants() []Mutant {
	return []Mutant{
		{
			Name: "calls-a-refusal-completed", Summary: "takes a refusal for an answer",
			Breaks: []string{"stop/no-empty-success"}, Also: []string{"stop/typed-end"},
			Scenarios: []string{"stop-refusal"},
			Parts:     instead(harness.RefusedByModel, harness.Completed),
		},
		{
			Name: "calls-an-unknown-stop-completed", Summary: "takes a stop reason that nobody knows for the good end",
			Breaks: []string{"stop/typed-end"}, Also: []string{"stop/no-empty-success"},
			Scenarios: []string{"stop-unknown"},
			Parts:     instead(harness.UnknownStop, harness.Completed),
		},
		{
			Name: "blames-the-model-for-the-protocol", Summary: "calls an answer that breaks its protocol a failure of the provider",
			Expects:   true,
			Scenarios: []string{"stop-tool-use-without-call"},
			Parts:     instead(harness.ProtocolError, harness.ModelError),
		},
		{
			Name: "runs-out-of-turns-and-says-done", Summary: "calls a run completed whose turns were used up",
			Breaks: []string{"stop/blocks-decide"}, Also: []string{"stop/typed-end", "stop/no-empty-success"},
			Scenarios: []string{"stop-max-turns-off-by-one"},
			Parts:     instead(harness.MaxTurns, harness.Completed),
		},
		{
			Name: "calls-an-overflow-a-failure", Summary: "calls a request that is too long a failure of the provider",
			Breaks:    []string{"stop/typed-end"},
			Scenarios: []string{"overflow-at-once"},
			Parts:     instead(harness.PromptTooLong, harness.ModelError),
		},
		{
			Name: "calls-a-truncation-completed", Summary: "takes an answer that was cut at its limit for a whole one, once nothing is left to try",
			Breaks: []string{"stop/no-empty-success"}, Also: []string{"stop/typed-end"},
			Scenarios: []string{"output-continued/three-times"},
			Parts:     instead(harness.Truncated, harness.Completed),
		},
		{
			Name: "calls-an-abort-a-failure", Summary: "calls a run that the user aborted a failure of the model",
			Breaks:    []string{"stop/typed-end"},
			Also:      []string{"stop/blocks-decide"},
			Scenarios: []string{"abort-in-stream", "abort-in-batch"},
			Parts: ends(func(r *journal.Record) {
				if strings.HasPrefix(r.Reason, "aborted_") {
					r.Reason = string(harness.ModelError)
				}
			}),
		},
		{
			Name: "blames-the-model-for-a-panic", Summary: "calls a panic of its own part a failure of the model",
			Breaks:    []string{"stop/typed-end"},
			Also:      []string{"stop/blocks-decide"},
			Scenarios: []string{"panic-in-our-part"},
			Parts: ends(func(r *journal.Record) {
				if r.Reason == string(harness.InternalError) {
					r.Reason = string(harness.ModelError)
				}
			}),
		},
	}
}

func instead(end, other harness.Reason) func() harness.Parts {
	return func() harness.Parts {
		return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
			d := harness.Decide(s, t, l)
			if d.End == end {
				d.End = other
			}
			return d
		}}
	}
}
