package mutants

import (
	"slices"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func wireMutants() []Mutant {
	return []Mutant{
		{
			Name:      "drops-results",
			Summary:   "sends calls without their results, so that a request is smaller than what stands for it",
			Breaks:    []string{"wire/legal"},
			Also:      []string{"resume/prefix", "tools/order", "ladder/progress"},
			Scenarios: []string{"stop-before-call", "batch-order"},
			Parts: func() harness.Parts {
				return harness.Parts{Project: blocks(func(bs []providers.Block) []providers.Block {
					return slices.DeleteFunc(slices.Clone(bs), func(b providers.Block) bool { return b.Kind == providers.ToolResult })
				})}
			},
		},
		{
			Name:      "sends-an-unpaired-result",
			Summary:   "answers a call that nobody made; the request it is refused for may be one that was too long to be sent at all",
			Breaks:    []string{"wire/legal"},
			Also:      []string{"resume/prefix", "tools/order", "context/order"},
			Scenarios: []string{"stop-before-call"},
			Parts: func() harness.Parts {
				return harness.Parts{Project: blocks(func(bs []providers.Block) []providers.Block {
					for i, b := range bs {
						if b.Kind == providers.ToolResult {
							b.ID = "nobody"
							return slices.Insert(slices.Clone(bs), i, b)
						}
					}
					return bs
				})}
			},
		},
		{
			Name:      "loses-a-piece",
			Summary:   "drops every fifth piece of a text, so that the turn depends on how it was cut",
			Breaks:    []string{"wire/split-blind"},
			Also:      []string{"stop/typed-end", "context/shrinks"},
			Scenarios: []string{"stream-chunks", "abort-in-stream/whole"},
			Parts: func() harness.Parts {
				n := 0
				return harness.Parts{Chunk: func(e providers.Event) bool {
					if e.Kind == providers.TextDelta {
						n++
						return n%3 != 0
					}
					return true
				}}
			},
		},
		{
			Name:      "counts-in-one-protocol",
			Summary:   "reads usage only where the Messages API tells it, beside the stop reason, and not from an event of its own",
			Breaks:    []string{"wire/protocol-blind"},
			Scenarios: []string{"stop-before-call/tool-use/chat"},
			Parts: func() harness.Parts {
				return harness.Parts{Chunk: func(e providers.Event) bool { return e.Kind != providers.UsageEvent }}
			},
		},
		{
			Name:      "answers-out-of-order",
			Summary:   "sends results in the reverse order of their calls",
			Breaks:    []string{"tools/order"},
			Also:      []string{"resume/prefix"},
			Scenarios: []string{"batch-order", "batch-panic"},
			Parts: func() harness.Parts {
				return harness.Parts{Project: blocks(func(bs []providers.Block) []providers.Block {
					n := 0
					for n < len(bs) && bs[n].Kind == providers.ToolResult {
						n++
					}
					bs = slices.Clone(bs)
					slices.Reverse(bs[:n])
					return bs
				})}
			},
		},
		{
			Name:      "overlaps-effects",
			Summary:   "runs writes beside each other, as if they were reads",
			Breaks:    []string{"tools/order"},
			Scenarios: []string{"batch-write-then-read/four", "abort-in-batch"},
			Parts: func() harness.Parts {
				return harness.Parts{Execute: func(t *tools.Tool) *tools.Tool {
					c := *t
					c.ReadOnly = true
					return &c
				}}
			},
		},
	}
}

// blocks is a Project that alters the blocks of each user message.
func blocks(f func([]providers.Block) []providers.Block) func([]providers.Message) []providers.Message {
	return func(ms []providers.Message) []providers.Message {
		ms = slices.Clone(ms)
		for i := range ms {
			if ms[i].Role == providers.User {
				ms[i].Blocks = f(ms[i].Blocks)
			}
		}
		return ms
	}
}
