package harness

import (
	"reflect"
	"time"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/gate"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers"
)

// Parts are the parts of the loop that a mutant swaps through Config.Seam, which
// then holds a func() Parts; a nil field is the correct part. They exist for package mutants: each proves
// that some rule can fail.
type Parts struct {
	// Env wraps the machine.
	Env func(env.Env) env.Env
	// Decide replaces the decision.
	Decide func(State, *Turn, Limits) Decision
	// Admit replaces the judgement of whether call i of a turn may run.
	Admit func(t *Turn, i int, reg *tools.Registry) Verdict
	// Commit orders recording and showing: record makes the records durable,
	// show publishes them.
	Commit func(record func() error, show func()) error
	// Start is given the recording of a call's start, right before its tool is entered.
	Start func(record func() error) error
	// Records may alter what is about to be committed.
	Records func([]*journal.Record) []*journal.Record
	// Subscriber wraps the subscriber.
	Subscriber func(Subscriber) Subscriber
	// Recorded is told that recording an outcome failed, and returns the error
	// that the loop sees. again opens the journal anew and commits a record.
	Recorded func(rec *journal.Record, err error, again func(*journal.Record) error) error
	// Rerun says whether a call of unknown outcome is run again on resume.
	Rerun func(t *tools.Tool) bool
	// Outcomes may alter what is recorded for a finished call.
	Outcome func(o tools.Outcome) tools.Outcome
	// Project may alter the messages of a request.
	Project func([]providers.Message) []providers.Message
	// Terminal may drop or alter the terminal record; nil drops it.
	Terminal func(*journal.Record) *journal.Record
	// Apply replaces the step from one state to the next.
	Apply func(State, *journal.Record) State
	// Execute wraps the execution of a tool.
	Execute func(*tools.Tool) *tools.Tool
	// Limits may alter the limits that the loop goes by.
	Limits func(Limits) Limits
	// Request may alter a request of any lane.
	Request func(*providers.Request) *providers.Request
	// Sure says whether a closed call that is not certain to be whole (false) may
	// begin early all the same.
	Sure func(whole bool) bool
	// Going may alter the record of a transition before it is due.
	Going func(*journal.Record) *journal.Record
	// Edit may alter or drop an edit of the context.
	Edit func(compact.Edit) (compact.Edit, bool)
	// Summary judges whether a summary may stand for what it summarises.
	Summary func(t *Turn, e compact.Edit) (ok bool, why string)
	// Gate may alter what a gate said.
	Gate func(*journal.Record) *journal.Record
	// Verdict may alter the completion gate's verdict.
	Verdict func(gate.Verdict) gate.Verdict
	// Backoff replaces the wait before a retry.
	Backoff func(seed uint64, attempt string, n int, retryAfter string, now time.Time) time.Duration
	// Resume may refuse a resume.
	Resume func() error
	// Chunk tells the reader how to treat a raw stream event; false drops it.
	Chunk func(providers.Event) bool
}

// partsOf fills in the correct parts.
func partsOf(slot seam.Slot) Parts {
	var p Parts
	if fresh := seam.Get[func() Parts](slot); fresh != nil {
		p = fresh() // parts may keep state of their own: one set for each session
	}
	or(&p.Env, func(e env.Env) env.Env { return e })
	or(&p.Decide, Decide)
	or(&p.Admit, Admit)
	or(&p.Commit, func(record func() error, show func()) error {
		err := record()
		if err == nil {
			show()
		}
		return err
	})
	or(&p.Start, func(record func() error) error { return record() })
	or(&p.Rerun, func(t *tools.Tool) bool { return t.Idempotent })
	or(&p.Outcome, func(o tools.Outcome) tools.Outcome { return o })
	or(&p.Project, func(m []providers.Message) []providers.Message { return m })
	or(&p.Terminal, func(r *journal.Record) *journal.Record { return r })
	or(&p.Apply, Apply)
	or(&p.Limits, func(l Limits) Limits { return l })
	or(&p.Request, func(r *providers.Request) *providers.Request { return r })
	or(&p.Sure, func(whole bool) bool { return whole })
	or(&p.Going, func(r *journal.Record) *journal.Record { return r })
	or(&p.Edit, func(e compact.Edit) (compact.Edit, bool) { return e, true })
	or(&p.Summary, checkSummary)
	or(&p.Gate, func(r *journal.Record) *journal.Record { return r })
	or(&p.Verdict, func(v gate.Verdict) gate.Verdict { return v })
	or(&p.Backoff, Backoff)
	or(&p.Execute, func(t *tools.Tool) *tools.Tool { return t })
	or(&p.Records, func(r []*journal.Record) []*journal.Record { return r })
	or(&p.Subscriber, func(s Subscriber) Subscriber { return s })
	or(&p.Chunk, func(providers.Event) bool { return true })
	return p
}

func or[F any](f *F, d F) {
	if reflect.ValueOf(*f).IsNil() {
		*f = d
	}
}
