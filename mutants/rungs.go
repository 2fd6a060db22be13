package mutants

import (
	"time"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// rungMutants break one rung of the ladder each: its limit, its order, its
// action, or what counts as its progress.
func rungMutants() []Mutant {
	return []Mutant{
		{
			Name:      "drains-again-and-again",
			Summary:   "answers every overflow with another drain, whether anything is staged or not",
			Breaks:    []string{"ladder/order", "ladder/progress"},
			Also:      []string{"wire/no-hopeless-retry", "ladder/bounded"},
			Scenarios: []string{"ladder-bounded/overflow"},
			Parts:     decides(func(d *harness.Decision) { d.Go, d.End = harness.CollapseDrainRetry, "" }, overflowed),
		},
		{
			Name:      "retries-an-overflow",
			Summary:   "takes a request that is too large for one that failed on its way",
			Breaks:    []string{"wire/no-hopeless-retry"},
			Also:      []string{"ladder/order"},
			Scenarios: []string{"ladder-bounded/overflow"},
			Parts: decides(func(d *harness.Decision) { d.Go, d.End = harness.ProtocolRetry, "" }, func(s harness.State, t *harness.Turn) bool {
				return s.Counters.Protocol < 3 && overflowed(s, t)
			}),
		},
		{
			Name:      "counts-tokens-for-bytes",
			Summary:   "leaves images in a request that was refused for its bytes, because they cost few tokens",
			Breaks:    []string{"ladder/progress"},
			Also:      []string{"wire/no-hopeless-retry", "ladder/order"},
			Scenarios: []string{"ladder-bounded/image"},
			Parts: func() harness.Parts {
				return harness.Parts{Edit: func(e compact.Edit) (compact.Edit, bool) { return e, e.Stage != compact.Media }}
			},
		},
		{
			Name:      "summarises-before-it-drains",
			Summary:   "asks for a summary while results could still be collapsed, and drains after it",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/progress", "wire/no-hopeless-retry", "ladder/bounded"},
			Scenarios: []string{"ladder-bounded/overflow"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					d := harness.Decide(s, t, l)
					switch {
					case d.Go == harness.CollapseDrainRetry && s.Counters.Summaries == 0:
						d.Go = harness.ReactiveCompactRetry
					case d.Go == "" && d.End == harness.PromptTooLong && s.Counters.Drains == 0 && s.Counters.Summaries > 0:
						d = harness.Decision{Go: harness.CollapseDrainRetry}
					}
					return d
				}}
			},
		},
		{
			Name:      "continues-before-it-escalates",
			Summary:   "keeps a cut answer while its limit could still be raised",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/progress"},
			Scenarios: []string{"ladder-bounded/cut"},
			Parts: decides(func(d *harness.Decision) { *d = harness.Decision{Commit: true, Go: harness.MaxOutputRecovery} }, func(s harness.State, t *harness.Turn) bool {
				return t.Ending == harness.Complete && t.Stop == "max_tokens" && len(t.Calls) == 0 && s.Counters.Escalations == 0 && s.Counters.Continuations < 3
			}),
		},
		{
			Name:      "escalates-without-raising",
			Summary:   "asks again after a cut answer with the limit that cut it",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"wire/no-hopeless-retry"},
			Scenarios: []string{"ladder-bounded/cut"},
			Parts: func() harness.Parts {
				return harness.Parts{Request: func(r *providers.Request) *providers.Request {
					if r.MaxTokens > 8000 {
						r.MaxTokens = 8000
					}
					return r
				}}
			},
		},
		{
			Name:      "continues-nothing-new",
			Summary:   "continues a cut answer that brought nothing, even behind the end of a budget",
			Breaks:    []string{"ladder/progress"},
			Also:      []string{"ladder/order", "ladder/bounded"},
			Scenarios: []string{"output-no-progress/same-words"},
			Parts: decides(func(d *harness.Decision) { *d = harness.Decision{Commit: true, Go: harness.MaxOutputRecovery} }, func(s harness.State, t *harness.Turn) bool {
				return t.Ending == harness.Complete && t.Stop == "max_tokens" && len(t.Calls) == 0 && s.Counters.Escalations > 0 && s.Counters.Continuations < 3
			}),
		},
		{
			Name:      "continues-without-end",
			Summary:   "drops the limit of continuations",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/bounded"},
			Scenarios: []string{"output-continued/three-times"},
			Parts:     limits(func(l *harness.Limits) { l.Continue = 1000 }),
		},
		{
			Name:      "pauses-without-end",
			Summary:   "drops the limit of pauses",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"ladder/bounded"},
			Scenarios: []string{"stop-pause-for-ever"},
			Parts:     limits(func(l *harness.Limits) { l.Pauses = 1000 }),
		},
		{
			Name:      "ignores-retry-after",
			Summary:   "waits as long as it likes, whatever the server asks for",
			Breaks:    []string{"wire/retry-after"},
			Scenarios: []string{"transport-retry-after/seconds"},
			Parts: waits(func(seed uint64, attempt string, n int, _ string, now time.Time) time.Duration {
				return harness.Backoff(seed, attempt, n, "", now)
			}),
		},
		{
			Name:      "never-slows-down",
			Summary:   "waits half a second before each retry, the tenth one, too",
			Breaks:    []string{"wire/backoff"},
			Scenarios: []string{"transport-exhausted/fails"},
			Parts: waits(func(seed uint64, attempt string, n int, after string, now time.Time) time.Duration {
				return harness.Backoff(seed, attempt, 0, after, now)
			}),
		},
		{
			Name:      "obeys-a-zero",
			Summary:   "comes back at once where a server asks for a wait of nothing",
			Breaks:    []string{"wire/backoff"},
			Also:      []string{"wire/no-storm"},
			Scenarios: []string{"fault-http-storm", "fault-http-wait/retry-after-zero"},
			Parts: waits(func(seed uint64, attempt string, n int, after string, now time.Time) time.Duration {
				if after == "0" {
					return 0
				}
				return harness.Backoff(seed, attempt, n, after, now)
			}),
		},
		{
			Name:      "does-not-wait",
			Summary:   "sends the next request at once, ten times in a row, which is a storm and no backoff",
			Breaks:    []string{"wire/no-storm", "wire/backoff"},
			Also:      []string{"wire/retry-after"},
			Scenarios: []string{"transport-exhausted/fails"},
			Parts:     waits(func(uint64, string, int, string, time.Time) time.Duration { return 0 }),
		},
		{
			Name:      "falls-back-to-the-same-model",
			Summary:   "switches the model in its books and asks the old one",
			Breaks:    []string{"ladder/order"},
			Scenarios: []string{"ladder-every-rung/every-rung"},
			Parts: func() harness.Parts {
				first := ""
				return harness.Parts{Request: func(r *providers.Request) *providers.Request {
					if first == "" {
						first = r.Model
					}
					r.Model = first
					return r
				}}
			},
		},
		{
			Name:      "falls-back-at-once",
			Summary:   "takes one overload for three in a row",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"wire/retry-after", "ladder/bounded"},
			Scenarios: []string{"ladder-bounded/overload"},
			Parts: decides(func(d *harness.Decision) { d.Go = harness.ModelFallback }, func(s harness.State, t *harness.Turn) bool {
				return t.Err != nil && t.Err.Class == providers.Overloaded && s.Counters.Fallbacks == 0
			}),
		},
		{
			Name:      "refills-from-a-hook",
			Summary:   "a hook's block refills the limits of the turn, so a summary that does not help is asked for again and again; the fold of the records cannot agree",
			Breaks:    []string{"ladder/order"},
			Also:      []string{"resume/replay", "ladder/bounded"},
			Scenarios: []string{"overflow-hook-spiral/no-work"},
			Parts: func() harness.Parts {
				return harness.Parts{
					Apply: func(s harness.State, r *journal.Record) harness.State {
						s = harness.Apply(s, r)
						if r.Kind == journal.KindTransition && r.Reason == string(harness.StopHookBlocking) {
							s.Counters.Drains, s.Counters.Summaries = 0, 0
						}
						return s
					},
				}
			},
		},
		{
			Name:      "nudges-on-and-on",
			Summary:   "nudges as long as anything is left, however little comes of it",
			Breaks:    []string{"ladder/progress"},
			Also:      []string{"ladder/order", "ladder/bounded"},
			Scenarios: []string{"nudge-diminishing/small"},
			Parts: decides(func(d *harness.Decision) { *d = harness.Decision{Commit: true, Go: harness.TokenBudgetContinuation} }, func(s harness.State, t *harness.Turn) bool {
				return t.Final() && s.Counters.Nudges > 0 && s.Counters.Nudges < 9
			}),
		},
		{
			Name:      "does-not-see-loops",
			Summary:   "runs the same calls a third time, though nothing changed",
			Breaks:    []string{"ladder/progress"},
			Scenarios: []string{"loop-identical/default"},
			Parts:     limits(func(l *harness.Limits) { l.LoopAfter = 0 }),
		},
	}
}

// limitMutants send another max_tokens than the ladder decided.
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

// overflowed: the request was refused for its size.
func overflowed(_ harness.State, t *harness.Turn) bool {
	return t.Ending != harness.Complete && t.Err != nil && (t.Err.Class == providers.Overflow || t.Err.Class == providers.TooLarge)
}

// decides is Decide, with the decision changed where a condition holds.
func decides(change func(*harness.Decision), when func(harness.State, *harness.Turn) bool) func() harness.Parts {
	return func() harness.Parts {
		n := 0
		return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
			d := harness.Decide(s, t, l)
			if when(s, t) && n < 30 { // a loop that never ends proves no more than one that goes around often
				n++
				change(&d)
			}
			return d
		}}
	}
}

func limits(change func(*harness.Limits)) func() harness.Parts {
	return func() harness.Parts {
		return harness.Parts{Limits: func(l harness.Limits) harness.Limits { change(&l); return l }}
	}
}

func waits(f func(uint64, string, int, string, time.Time) time.Duration) func() harness.Parts {
	return func() harness.Parts { return harness.Parts{Backoff: f} }
}
