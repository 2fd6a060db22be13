package mutants

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

func stopMutants() []Mutant {
	return []Mutant{
		{
			Name:      "runs-malformed-calls",
			Summary:   "runs a call that parses though the provider says that it is malformed",
			Breaks:    []string{"stop/complete-only"},
			Also:      []string{"stop/no-empty-success", "stop/typed-end"},
			Scenarios: []string{"stop-call-disowned/with-a-call", "stop-call-disowned/recovers"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					if t.Disowned() {
						c := *t
						c.Stop = "tool_use"
						t = &c
					}
					return harness.Decide(s, t, l)
				}}
			},
		},
		{
			Name:      "trusts-the-stop-reason",
			Summary:   "goes on only when the stop reason says tool_use, whatever the answer holds; Gemini never says it, and what began early there is left",
			Breaks:    []string{"stop/blocks-decide"},
			Also:      []string{"wire/protocol-blind", "cancel/settles"},
			Scenarios: []string{"stop-calls-decide", "stop-before-call"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					if t.Ending == harness.Complete && t.Stop != "tool_use" && len(t.Calls) > 0 && !t.Truncated() && t.Stop != "refusal" {
						return harness.Decision{Commit: true, End: harness.Completed}
					}
					return harness.Decide(s, t, l)
				}}
			},
		},
		{
			Name:      "runs-refused-calls",
			Summary:   "runs the call that stands in a refusal",
			Breaks:    []string{"stop/blocks-decide"},
			Scenarios: []string{"stop-refusal/call"},
			Parts: func() harness.Parts {
				return harness.Parts{Admit: func(t *harness.Turn, i int, reg *tools.Registry) harness.Verdict {
					v := harness.Admit(t, i, reg)
					if v.Code == "refusal" {
						return harness.Verdict{}
					}
					return v
				}}
			},
		},
		{
			Name:      "runs-cut-input",
			Summary:   "runs a call whose input was cut off, if what came happens to parse",
			Breaks:    []string{"stop/complete-only"},
			Scenarios: []string{"call-truncated"},
			Parts: func() harness.Parts {
				return harness.Parts{Admit: func(t *harness.Turn, i int, reg *tools.Registry) harness.Verdict {
					v := harness.Admit(t, i, reg)
					if v.Code == "cut" && jsontext.Value(t.Calls[i].Input).IsValid() {
						return harness.Verdict{}
					}
					return v
				}}
			},
		},
		{
			Name:      "runs-invalid-input",
			Summary:   "runs a call whose input is no strict JSON object, or breaks the schema",
			Breaks:    []string{"stop/complete-only"},
			Scenarios: []string{"call-bad-input"},
			Parts: func() harness.Parts {
				return harness.Parts{Admit: func(t *harness.Turn, i int, reg *tools.Registry) harness.Verdict {
					v := harness.Admit(t, i, reg)
					if v.Code == tools.CodeInvalid {
						return harness.Verdict{}
					}
					return v
				}}
			},
		},
		{
			Name:      "swallows-truncation",
			Summary:   "takes an answer that was cut at max_tokens for a whole one",
			Breaks:    []string{"stop/no-empty-success"},
			Scenarios: []string{"stop-three-endings/cut", "call-truncated-alone"},
			Parts:     func() harness.Parts { return harness.Parts{Decide: ending(harness.Truncated, harness.Completed)} },
		},
		{
			Name:      "takes-nothing-for-an-answer",
			Summary:   "ends as completed when the model said nothing",
			Breaks:    []string{"stop/no-empty-success"},
			Scenarios: []string{"stop-empty"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					if t.Ending == harness.Complete && t.Empty() && t.Stop == "end_turn" {
						return harness.Decision{Commit: true, End: harness.Completed}
					}
					return harness.Decide(s, t, l)
				}}
			},
		},
		{
			Name:      "takes-a-cut-for-the-end",
			Summary:   "takes the end of the bytes for the end of the answer",
			Breaks:    []string{"stop/no-empty-success", "record/preview-settles"},
			Scenarios: []string{"stream-cut/in-text", "stream-partial-text-once"},
			Parts: func() harness.Parts {
				return harness.Parts{Decide: func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
					if t.Ending == harness.Cut && t.Text != "" && len(t.Calls) == 0 {
						return harness.Decision{Commit: true, End: harness.Completed}
					}
					return harness.Decide(s, t, l)
				}}
			},
		},
		{
			Name:      "loses-the-terminal",
			Summary:   "returns without recording why it ended",
			Breaks:    []string{"stop/typed-end"},
			Scenarios: []string{"stop-before-call", "tool-fails"},
			Parts: func() harness.Parts {
				return harness.Parts{Terminal: func(*journal.Record) *journal.Record { return nil }}
			},
		},
		terminalMutant("forgets-what-it-spent", "leaves discarded attempts out of the usage of the run", "stream-partial-text-once", func(r *journal.Record) {
			r.Usage = &providers.Usage{In: 100, Out: 10}
		}),
		terminalMutant("miscounts-its-turns", "counts one turn too many", "stop-before-call", func(r *journal.Record) { r.Turn++ }),
		terminalMutant("miscounts-its-calls", "says that the model made no call", "stop-before-call", func(r *journal.Record) { r.Calls = 0 }),
		terminalMutant("forgets-its-answer", "ends without the text that was committed", "stop-before-call", func(r *journal.Record) { r.Text = "" }),
		{
			Name:      "ends-twice",
			Summary:   "records the terminal of a run a second time",
			Breaks:    []string{"stop/typed-end"},
			Scenarios: []string{"stop-before-call", "stop-three-endings"},
			Parts: func() harness.Parts {
				return harness.Parts{Records: func(rs []*journal.Record) []*journal.Record {
					if last := rs[len(rs)-1]; last.Kind == journal.KindTerminal {
						again := *last
						rs = append(rs, &again)
					}
					return rs
				}}
			},
		},
		{
			Name:      "names-the-wrong-cause",
			Summary:   "calls a run that used its turns completed",
			Breaks:    []string{"stop/blocks-decide"},
			Also:      []string{"stop/no-empty-success"},
			Scenarios: []string{"stop-max-turns-off-by-one/call-on-the-last"},
			Parts:     func() harness.Parts { return harness.Parts{Decide: ending(harness.MaxTurns, harness.Completed)} },
		},
	}
}

// terminalMutant records a terminal that is not true.
func terminalMutant(name, summary, scenario string, change func(*journal.Record)) Mutant {
	return Mutant{
		Name: name, Summary: summary, Breaks: []string{"stop/typed-end"}, Scenarios: []string{scenario},
		Parts: func() harness.Parts {
			return harness.Parts{Terminal: func(r *journal.Record) *journal.Record { change(r); return r }}
		},
	}
}

// ending is Decide with one terminal taken for another.
func ending(from, to harness.Reason) func(harness.State, *harness.Turn, harness.Limits) harness.Decision {
	return func(s harness.State, t *harness.Turn, l harness.Limits) harness.Decision {
		d := harness.Decide(s, t, l)
		if d.End == from {
			d.End = to
		}
		return d
	}
}
