package mutants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
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

// limitMutants send another max_tokens than the ladder decided, and stageMutants
// show something else than a stage did.
func limitMutants() []Mutant {
	return []Mutant{
		{
			Name: "lowers-nothing", Summary: "asks for as many tokens as before, though they do not fit behind the input",
			Breaks: []string{"ladder/order"}, Also: []string{"wire/no-hopeless-retry"},
			Scenarios: []string{"output-lowered"},
			Parts: func() harness.Parts {
				most := 0
				return harness.Parts{Request: func(r *providers.Request) *providers.Request {
					if r.Lane == providers.LaneMain {
						most = max(most, r.MaxTokens)
						r.MaxTokens = most
					}
					return r
				}}
			},
		},
		{
			Name: "keeps-a-raised-limit", Summary: "asks with a raised max_tokens for the rest of the run",
			Breaks:    []string{"ladder/order"},
			Scenarios: []string{"output-escalated"},
			Parts: func() harness.Parts {
				most := 0
				return harness.Parts{Request: func(r *providers.Request) *providers.Request {
					if r.Lane == providers.LaneMain {
						if r.MaxTokens > 8000 {
							most = r.MaxTokens
						}
						r.MaxTokens = max(r.MaxTokens, most)
					}
					return r
				}}
			},
		},
	}
}

func stageMutants() []Mutant {
	return []Mutant{
		{
			Name: "has-no-budget-for-results", Summary: "sends all new results whole, however large they are together",
			Expects: true, Scenarios: []string{"context-budget"},
			Parts: edits(func(e *compact.Edit) bool { return e.Stage != compact.Budget }),
		},
		{
			Name: "snips-what-was-asked", Summary: "leaves out what the user said along with the steps in between",
			Breaks:    []string{"context/keeps-request"},
			Scenarios: []string{"context-snip"},
			Parts: func() harness.Parts {
				return harness.Parts{Project: blocks(func(bs []providers.Block) []providers.Block {
					for i := range bs {
						if bs[i].Kind == providers.Text && strings.Contains(bs[i].Text, "left out here to save room") {
							return slices.DeleteFunc(slices.Clone(bs), func(b providers.Block) bool { return b.Kind == providers.Text && b.Text != bs[i].Text })
						}
					}
					return bs
				})}
			},
		},
		{
			Name: "stubs-the-unread", Summary: "micro-compaction takes results that the model has not seen yet",
			Breaks:    []string{"context/keeps-request"},
			Scenarios: []string{"context-micro"},
			Parts: func() harness.Parts {
				last := ""
				return harness.Parts{
					Records: func(rs []*journal.Record) []*journal.Record {
						for _, r := range rs {
							if r.Kind == journal.KindResult {
								last = r.Call
							}
						}
						return rs
					},
					Edit: func(e compact.Edit) (compact.Edit, bool) {
						if e.Stage == compact.Micro && last != "" {
							e.Calls = append(e.Calls[:len(e.Calls):len(e.Calls)], last)
						}
						return e, true
					},
				}
			},
		},
	}
}
