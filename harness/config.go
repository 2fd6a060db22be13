package harness

import (
	"errors"
	"fmt"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers"
)

// Config is everything a session needs. Provider and Env are required.
type Config struct {
	Model    string // the model's name, sent as it is
	System   string // system prompt; "" sends none
	Provider providers.Provider
	Tools    *tools.Registry // nil: no tools
	Env      env.Env
	Limits   Limits // zero fields take the defaults of DefaultLimits
	// Whole asks for whole JSON answers instead of streams.
	Whole bool
	// Subscriber is shown every record once it is durable, and previews of
	// text that is not. nil shows nothing.
	Subscriber Subscriber
	// Seam lets a mutant of this module swap parts; leave it empty.
	Seam seam.Slot
}

// Limits bound a run. A zero field takes its default; "none" is written as a
// negative number where that is allowed.
type Limits struct {
	MaxTurns    int           // model answers a run may use (default 50, A5)
	MaxTokens   int           // max_tokens of a request (default 8000, D4)
	Retries     int           // transport retries of one request (default 10, D7); negative: none
	Empty       int           // retries of an empty answer, a turn (default 1, D9); negative: none
	Protocol    int           // retries of a tool_use stop without a call or a malformed stream, a turn (default 1, A2); negative: none
	Pauses      int           // pauses continued, a turn (default 8); negative: none
	Idle        time.Duration // no byte for so long ends an attempt (default 60 s)
	Progress    time.Duration // no event for so long ends an attempt (default 5 min)
	Concurrency int           // calls without effects that run at once (default 4, C6)
	ToolTimeout time.Duration // a tool that names no timeout of its own (default 120 s, C4)
	Grace       time.Duration // how long a stopped tool may take to settle (default 5 s)
	ResultBytes int           // a result's text is cut head and tail to so many bytes (default 50000, F)
}

// DefaultLimits returns the limits in force where Config leaves zeros.
func DefaultLimits() Limits {
	return Limits{
		MaxTurns: 50, MaxTokens: 8000, Retries: 10, Empty: 1, Protocol: 1, Pauses: 8,
		Idle: 60 * time.Second, Progress: 5 * time.Minute,
		Concurrency: 4, ToolTimeout: 120 * time.Second, Grace: 5 * time.Second, ResultBytes: 50_000,
	}
}

// PerTurn is the sum of the limits that refill at next_turn, for the bound of
// ladder/bounded. l must be resolved (Resolve).
func (l Limits) PerTurn() int { return l.Empty + l.Protocol + l.Pauses }

// PerRun is the sum of the limits that never refill within a run.
func (l Limits) PerRun() int { return 0 }

// Resolve fills in the defaults, and makes "none" 0.
func (l Limits) Resolve() Limits {
	d := DefaultLimits()
	def(&l.MaxTurns, d.MaxTurns)
	def(&l.MaxTokens, d.MaxTokens)
	def(&l.Retries, d.Retries)
	def(&l.Empty, d.Empty)
	def(&l.Protocol, d.Protocol)
	def(&l.Pauses, d.Pauses)
	def(&l.Idle, d.Idle)
	def(&l.Progress, d.Progress)
	def(&l.Concurrency, d.Concurrency)
	def(&l.ToolTimeout, d.ToolTimeout)
	def(&l.Grace, d.Grace)
	def(&l.ResultBytes, d.ResultBytes)
	l.Retries, l.Empty = max(l.Retries, 0), max(l.Empty, 0)
	l.Protocol, l.Pauses = max(l.Protocol, 0), max(l.Pauses, 0)
	return l
}

func def[T int | time.Duration](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// check names every contradiction at once, before anything is touched.
func (c Config) check() error {
	var errs []error
	bad := func(f string, a ...any) { errs = append(errs, fmt.Errorf(f, a...)) }
	if c.Provider == nil {
		bad("no provider: set Config.Provider, e.g. anthropic.New(...)")
	}
	if c.Env.Clock == nil || c.Env.FS == nil || c.Env.Probe == nil || c.Env.IDs == nil {
		bad("no machine: set Config.Env, e.g. from env.Real(dir)")
	}
	l := c.Limits
	if l.MaxTurns < 0 {
		bad("max_turns is %d: a run needs at least 1 turn", l.MaxTurns)
	}
	if l.MaxTokens < 0 {
		bad("max_tokens is %d: it must be at least 1", l.MaxTokens)
	}
	if l.Concurrency < 0 {
		bad("concurrency is %d: it must be at least 1", l.Concurrency)
	}
	for _, d := range []struct {
		name string
		d    time.Duration
	}{{"idle", l.Idle}, {"progress", l.Progress}, {"tool_timeout", l.ToolTimeout}, {"grace", l.Grace}} {
		if d.d < 0 {
			bad("%s is %v: a time limit cannot be negative", d.name, d.d)
		}
	}
	if r := l.Resolve(); r.Progress < r.Idle {
		bad("progress (%v) is shorter than idle (%v): the limit on events must be the longer one", r.Progress, r.Idle)
	}
	if l.ResultBytes < 0 {
		bad("result_bytes is %d: it must be at least 1", l.ResultBytes)
	}
	return errors.Join(errs...)
}

// Event is what a subscriber is shown: a record that is durable (Record), or a
// preview of text that is not recorded yet (Attempt, Text). A preview is
// settled by the assistant or discarded record of its attempt, or by the
// resume record that names the attempt.
type Event struct {
	Record  *journal.Record // not to be modified; nil for a preview
	Line    string          // sha256 of the record's transcript line, newline included, in hex
	Attempt string
	Text    string
}

// Subscriber is shown events, in order, by the loop's own task. An error
// detaches it; the run goes on.
type Subscriber interface {
	Publish(Event) error
}
