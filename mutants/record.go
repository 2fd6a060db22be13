package mutants

import (
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

func recordMutants() []Mutant {
	return []Mutant{
		{
			Name:      "publishes-first",
			Summary:   "shows a record before it writes it",
			Breaks:    []string{"record/before-publish"},
			Scenarios: []string{"stop-before-call", "crash-shown-not-recorded"},
			Parts: func() harness.Parts {
				var sub harness.Subscriber
				var due []*journal.Record
				return harness.Parts{
					Records: func(rs []*journal.Record) []*journal.Record { due = rs; return rs },
					Subscriber: func(s harness.Subscriber) harness.Subscriber {
						sub = s
						return subscriber(func(e harness.Event) error {
							if e.Record != nil && e.Record.Kind != journal.KindSession {
								return nil // shown already
							}
							return s.Publish(e)
						})
					},
					Env: func(e env.Env) env.Env {
						e.Probe = probe{e.Probe, func(site env.Site) {
							if site.Point != env.AppendBefore || sub == nil {
								return
							}
							for _, r := range due {
								_ = sub.Publish(harness.Event{Record: r})
							}
							due = nil
						}}
						return e
					},
				}
			},
		},
		{
			Name:      "forgets-the-sync",
			Summary:   "writes the transcript and never syncs it",
			Breaks:    []string{"record/before-publish"},
			Also:      []string{"record/before-run", "record/two-ledgers", "resume/completes", "stop/typed-end", "record/preview-settles"},
			Scenarios: []string{"stop-before-call"},
			Parts: func() harness.Parts {
				return harness.Parts{Env: func(e env.Env) env.Env {
					e.FS = &fs{FS: e.FS, sync: func(name string) bool { return name != journal.TranscriptFile }}
					return e
				}}
			},
		},
		{
			Name:      "leaves-previews-open",
			Summary:   "does not show that an attempt was discarded: its words stand as if they were the answer",
			Breaks:    []string{"record/preview-settles"},
			Scenarios: []string{"stream-partial-text-once", "stream-cut/in-text"},
			Parts: func() harness.Parts {
				return harness.Parts{Subscriber: func(s harness.Subscriber) harness.Subscriber {
					return subscriber(func(e harness.Event) error {
						if e.Record != nil && e.Record.Kind == journal.KindDiscarded {
							return nil
						}
						return s.Publish(e)
					})
				}}
			},
		},
		{
			Name:      "records-after-it-runs",
			Summary:   "records that a call started when it is over",
			Breaks:    []string{"record/before-run", "resume/effect-once", "ladder/no-rerun"},
			Also:      []string{"record/no-forgery", "stop/blocks-decide"},
			Scenarios: []string{"stop-before-call", "crash-batch/second-ran"},
			Parts: func() harness.Parts {
				var late []func() error
				return harness.Parts{
					Start: func(record func() error) error { late = append(late, record); return nil },
					Outcome: func(o tools.Outcome) tools.Outcome {
						for _, record := range late {
							_ = record()
						}
						late = nil
						return o
					},
				}
			},
		},
		{
			Name:      "forges-an-error",
			Summary:   "turns a failed append into a failure of the tool that had succeeded",
			Breaks:    []string{"record/no-forgery"},
			Also:      []string{"stop/typed-end", "record/preview-settles"},
			Scenarios: []string{"append-fails/result/AT=append.before"},
			Parts: func() harness.Parts {
				return harness.Parts{Recorded: func(rec *journal.Record, err error, commit func(*journal.Record) error) error {
					forged := fresh(rec)
					forged.Kind, forged.State, forged.IsError = journal.KindToolError, journal.Failed, true
					forged.Code, forged.Text, forged.Cut = "execution_error", err.Error(), 0
					return commit(forged)
				}}
			},
		},
		{
			Name:      "forges-a-result",
			Summary:   "calls a call done that was told to stop",
			Breaks:    []string{"record/no-forgery"},
			Also:      []string{"cancel/settles"}, // it also hides that a tool was left running
			Scenarios: []string{"abort-in-batch"},
			Parts: func() harness.Parts {
				return harness.Parts{Outcome: func(o tools.Outcome) tools.Outcome {
					if o.State == journal.Interrupted || o.State == journal.Never {
						o = tools.Outcome{Text: "ok", State: journal.Done}
					}
					return o
				}}
			},
		},
		{
			Name:      "skips-the-audit",
			Summary:   "leaves every fourth write to the audit ledger out",
			Breaks:    []string{"record/two-ledgers"},
			Also:      []string{"record/before-publish", "resume/completes", "stop/typed-end"},
			Scenarios: []string{"stop-before-call"},
			Parts: func() harness.Parts {
				n := 0
				return harness.Parts{Env: func(e env.Env) env.Env {
					e.FS = &fs{FS: e.FS, write: func(name string) bool {
						if name != journal.AuditFile {
							return true
						}
						n++
						return n%4 != 0
					}}
					return e
				}}
			},
		},
	}
}
