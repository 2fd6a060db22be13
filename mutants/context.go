package mutants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// contextMutants break the context pipeline.
func contextMutants() []Mutant {
	return []Mutant{
		{
			Name:      "splits-a-pair",
			Summary:   "cuts one record too early, so that a call is hidden and its result is not, and less is saved than was to be",
			Breaks:    []string{"context/pairs"},
			Also:      []string{"wire/legal", "resume/prefix", "tools/order", "ladder/progress"},
			Scenarios: []string{"context-summary/two-prompts", "context-blocked/summary-helps"},
			Parts: edits(func(e *compact.Edit) bool {
				if e.To > e.From+1 {
					e.To -= 2
				}
				return true
			}),
		},
		{
			Name:      "keeps-an-empty-summary",
			Summary:   "puts whatever the summary lane said in the place of the history, also when it said nothing",
			Breaks:    []string{"context/shrinks"},
			Also:      []string{"ladder/progress"},
			Scenarios: []string{"overflow-summary-fails/empty"},
			Parts: func() harness.Parts {
				return harness.Parts{Summary: func(*harness.Turn, compact.Edit) (bool, string) { return true, "" }}
			},
		},
		{
			Name:      "summarises-to-more",
			Summary:   "stands a text in the place of a history that is longer than it",
			Breaks:    []string{"context/shrinks"},
			Also:      []string{"ladder/progress"},
			Scenarios: []string{"context-gain/enough"},
			Parts: edits(func(e *compact.Edit) bool {
				if e.Stage == compact.Summary {
					grow := e.Before.Bytes
					e.Text += strings.Repeat("and so on. ", grow/11+1)
					e.After.Bytes = e.Before.Bytes + grow
				}
				return true
			}),
		},
		{
			Name:      "never-gives-up-summarising",
			Summary:   "forgets that summaries failed, and asks for one before each request of the session; the fold of the records cannot agree",
			Breaks:    []string{"context/shrinks"},
			Scenarios: []string{"overflow-breaker/one-run"},
			Parts:     limits(func(l *harness.Limits) { l.SummaryFails = 1000 }),
		},
		{
			Name:      "summarises-the-request-away",
			Summary:   "a summary takes the user's request with it",
			Breaks:    []string{"context/keeps-request"},
			Also:      []string{"wire/no-hopeless-retry"},
			Scenarios: []string{"context-chained/steps"},
			Parts: func() harness.Parts {
				return harness.Parts{Project: blocks(func(bs []providers.Block) []providers.Block {
					for i := range bs {
						if strings.Contains(bs[i].Text, "<summary>") {
							out := append([]providers.Block(nil), bs[:i+1]...)
							for _, b := range bs[i+1:] {
								if b.Kind != providers.Text {
									out = append(out, b)
								}
							}
							return out
						}
					}
					return bs
				})}
			},
		},
		{
			Name:      "rewrites-history",
			Summary:   "shortens a result where it is recorded, not where it is shown",
			Expects:   true,
			Also:      []string{"record/envelope"},
			Scenarios: []string{"context-read-again/micro"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					for _, r := range rs {
						if r.Kind == journal.KindResult && r.State == journal.Done && r.File == "" && len(r.Text) > 3000 {
							r.Text = "[cut]"
						}
					}
					return rs
				}}
			},
		},
		{
			Name:      "sends-what-cannot-fit",
			Summary:   "sends a request that is over the blocking limit, because nobody stops it",
			Breaks:    []string{"context/order"},
			Scenarios: []string{"context-blocked/unread"},
			Parts:     limits(func(l *harness.Limits) { l.BlockAt = 0 }),
		},
		{
			Name:      "drains-before-it-is-refused",
			Summary:   "collapses results before any request was refused",
			Breaks:    []string{"context/order"},
			Scenarios: []string{"context-micro/as-many-as-needed"},
			Parts: edits(func(e *compact.Edit) bool {
				if e.Stage == compact.Micro {
					e.Stage = compact.Collapse
				}
				return true
			}),
		},
	}
}

// stageMutants show something else than a stage did.
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

// edits changes or drops each edit of the context.
func edits(f func(*compact.Edit) bool) func() harness.Parts {
	return func() harness.Parts {
		return harness.Parts{Edit: func(e compact.Edit) (compact.Edit, bool) {
			ok := f(&e)
			return e, ok
		}}
	}
}
