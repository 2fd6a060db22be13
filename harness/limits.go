package harness

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/gate"
)

// Limits bound a run. A zero field takes its default; "none" is written as a
// negative number where that is allowed.
type Limits struct {
	MaxTurns  int // model answers a run may use (default 50, A5)
	MaxTokens int // max_tokens of a request (default 8000, D4)

	// The ladder. Limits of one turn refill at next_turn and with a new prompt;
	// those of a run never do.
	Escalate  int // tokens to which max_tokens is raised once a turn after a cut answer (default 64000, D4); negative: never
	Continue  int // continuations of a cut answer, a turn (default 3, D5); negative: none
	Retries   int // transport retries of one request (default 10, D7); negative: none
	Empty     int // retries of an empty answer, a turn (default 1, D9); negative: none
	Protocol  int // retries of an answer that breaks its protocol, a turn (default 1, A2); negative: none
	Pauses    int // pauses continued, a turn (default 8); negative: none
	Nudge     int // output tokens that a run is to use before it may end (default none, D11)
	Nudges    int // nudges towards it, a run (default 10)
	LoopAfter int // the so manieth identical round of calls is not run (default 3, N1); negative: none

	// Budgets.
	TokenBudget int // tokens in and out of a run, over all attempts (default none, O1)

	// The context, in tokens unless it says bytes (package compact).
	Window         int           // of the model (default 200000, E1); negative: unknown
	CompactAt      int           // from here on the context is compacted (default Window-33000, or 80% of a window under 66000; E1, E6)
	BlockAt        int           // from here on nothing is sent (default Window-23000, or 95% of a window under 46000; E1)
	MessageBytes   int           // results of one message, in bytes (default 200000, E1)
	Preview        int           // what is left of a result that is too large, in bytes (default 2000, E1)
	SnipOver       int           // messages over which steps in the middle are left out (default 50, E2); negative: never
	MicroKeep      int           // newest results that micro-compaction keeps (default 5, E1)
	CollapseOver   int           // results over so many bytes are staged to be collapsed (default 2000, D1)
	SummaryKeep    int           // newest units that a summary keeps (default 5, E3)
	SummaryTokens  int           // max_tokens of a summary (default 4000); never derived from the history (google-gemini/gemini-cli#7784)
	SummaryTimeout time.Duration // for one summary (default 120 s, E6)
	SummaryFails   int           // failed summaries in a row after which none is tried in this session (default 3, D14)

	// Gates. The N-th block ends the run.
	HookBlocks   int           // blocks of stop hooks, a run (default 8, G6)
	HookTimeout  time.Duration // for one hook (default 60 s)
	GateBlocks   int           // blocks of the completion gate, a run (default 2, G1)
	JudgeBlocks  int           // blocks of the goal judge, a run (default 8, G6)
	JudgeTimeout time.Duration // for one judgement (default 60 s)

	// Tools.
	Concurrency    int           // calls without effects that run at once (default 4, C6)
	ToolTimeout    time.Duration // a tool that names no timeout of its own (default 120 s, C4)
	Grace          time.Duration // how long a stopped tool may take to settle (default 5 s)
	ResultBytes    int           // a result over so many bytes is kept in a file, or cut (default 50000, F)
	BreakerAfter   int           // failures in a row after which a tool is not run (default 3, C10); negative: never
	BreakerFor     time.Duration // for so long; then one call probes it (default 300 s, C10)
	ApproveTimeout time.Duration // for one approval (default 120 s); then it is a denial (C9)

	// Streams.
	Idle     time.Duration // no byte for so long ends an attempt (default 60 s)
	Progress time.Duration // no event for so long ends an attempt (default 5 min)

	fallback bool // there is a fallback model
}

// The limits that have no field: the rung applies once a turn, or a run.
const (
	drainsATurn    = 1 // D1: never twice in a row
	summariesATurn = 1 // D2: one shot
	lowersATurn    = 1 // D3
	fallbacksARun  = 1 // D8: one fallback model
	overloadsInRow = 3 // D8
)

// DefaultLimits returns the limits in force where Config leaves zeros. CompactAt
// and BlockAt follow from Window.
func DefaultLimits() Limits {
	return Limits{
		MaxTurns: 50, MaxTokens: 8000,
		Escalate: 64_000, Continue: 3, Retries: 10, Empty: 1, Protocol: 1, Pauses: 8, Nudges: 10, LoopAfter: 3,
		Window: 200_000, MessageBytes: 200_000, Preview: 2000, SnipOver: 50, MicroKeep: 5, CollapseOver: 2000,
		SummaryKeep: 5, SummaryTokens: 4000, SummaryTimeout: 120 * time.Second, SummaryFails: 3,
		HookBlocks: 8, HookTimeout: time.Minute, GateBlocks: 2, JudgeBlocks: 8, JudgeTimeout: time.Minute,
		Concurrency: 4, ToolTimeout: 120 * time.Second, Grace: 5 * time.Second, ResultBytes: 50_000,
		BreakerAfter: 3, BreakerFor: 300 * time.Second, ApproveTimeout: 120 * time.Second,
		Idle: time.Minute, Progress: 5 * time.Minute,
	}
}

// ints and durations list the fields that have a default, with the names under
// which a configuration is refused. orNone: a negative value means none.
func (l *Limits) ints() []field[int] {
	return []field[int]{
		{"max_turns", &l.MaxTurns, false}, {"max_tokens", &l.MaxTokens, false},
		{"escalate", &l.Escalate, true}, {"continue", &l.Continue, true}, {"retries", &l.Retries, true},
		{"empty", &l.Empty, true}, {"protocol", &l.Protocol, true}, {"pauses", &l.Pauses, true},
		{"nudge", &l.Nudge, false}, {"nudges", &l.Nudges, false}, {"loop_after", &l.LoopAfter, true},
		{"token_budget", &l.TokenBudget, false},
		{"window", &l.Window, true}, {"compact_at", &l.CompactAt, false}, {"block_at", &l.BlockAt, false},
		{"message_bytes", &l.MessageBytes, false}, {"preview", &l.Preview, false}, {"snip_over", &l.SnipOver, true},
		{"micro_keep", &l.MicroKeep, true}, {"collapse_over", &l.CollapseOver, false},
		{"summary_keep", &l.SummaryKeep, true}, {"summary_tokens", &l.SummaryTokens, false}, {"summary_fails", &l.SummaryFails, false},
		{"hook_blocks", &l.HookBlocks, false}, {"gate_blocks", &l.GateBlocks, false}, {"judge_blocks", &l.JudgeBlocks, false},
		{"concurrency", &l.Concurrency, false}, {"result_bytes", &l.ResultBytes, false}, {"breaker", &l.BreakerAfter, true},
	}
}

func (l *Limits) durations() []field[time.Duration] {
	return []field[time.Duration]{
		{"summary_timeout", &l.SummaryTimeout, false}, {"hook_timeout", &l.HookTimeout, false}, {"judge_timeout", &l.JudgeTimeout, false},
		{"tool_timeout", &l.ToolTimeout, false}, {"grace", &l.Grace, false},
		{"breaker_for", &l.BreakerFor, false}, {"approve_timeout", &l.ApproveTimeout, false},
		{"idle", &l.Idle, false}, {"progress", &l.Progress, false},
	}
}

type field[T any] struct {
	name   string
	v      *T
	orNone bool
}

// Resolve fills in the defaults, and makes "none" 0.
func (l Limits) Resolve() Limits {
	d := DefaultLimits()
	fill(l.ints(), d.ints())
	fill(l.durations(), d.durations())
	if l.Window == 0 {
		l.CompactAt, l.BlockAt = 0, 0
		return l
	}
	if l.CompactAt == 0 {
		l.CompactAt = below(l.Window, 33_000, 80)
	}
	if l.BlockAt == 0 {
		l.BlockAt = max(below(l.Window, 23_000, 95), l.CompactAt)
	}
	return l
}

// below is a threshold under a window: a reserve where the window has room for
// it, else a share.
func below(window, reserve, percent int) int {
	if window >= 2*reserve {
		return window - reserve
	}
	return window * percent / 100
}

func fill[T int | time.Duration](fields, defaults []field[T]) {
	for i, f := range fields {
		switch {
		case *f.v == 0:
			*f.v = *defaults[i].v
		case *f.v < 0:
			*f.v = 0
		}
	}
}

// compact returns the limits of the pipeline. l must be resolved.
func (l Limits) compact() compact.Limits {
	c := compact.Defaults()
	c.MessageBytes, c.Preview, c.CompactAt, c.BlockAt = l.MessageBytes, l.Preview, l.CompactAt, l.BlockAt
	c.SnipOver, c.MicroKeep, c.CollapseOver, c.SummaryKeep = l.SnipOver, l.MicroKeep, l.CollapseOver, l.SummaryKeep
	return c
}

// Bounds are what the bound of ladder/bounded is computed from: the sum of the
// limits that refill at next_turn, the sum of those that do not within a run,
// and the number of fallback models.
func (c Config) Bounds() (perTurn, perRun, fallbacks int) {
	l := c.Limits.Resolve()
	perTurn = drainsATurn + summariesATurn + lowersATurn + l.Continue + l.Empty + l.Protocol + l.Pauses
	if l.Escalate > 0 {
		perTurn++
	}
	if len(c.Hooks) > 0 {
		perRun += l.HookBlocks
	}
	if c.Gate {
		perRun += l.GateBlocks
	}
	if c.Goal != "" {
		perRun += l.JudgeBlocks
	}
	if l.Nudge > 0 {
		perRun += l.Nudges
	}
	if c.Fallback != "" {
		fallbacks = fallbacksARun
	}
	return perTurn, perRun, fallbacks
}

// Check names everything that is wrong with a configuration, and every
// contradiction in it, at once. Create and Open refuse what it refuses, before
// anything is touched.
func (c Config) Check() error {
	var errs []error
	bad := func(f string, a ...any) { errs = append(errs, fmt.Errorf(f, a...)) }
	if c.Provider == nil {
		bad("no provider: set Config.Provider, e.g. anthropic.New(...)")
	}
	if c.Env.Clock == nil || c.Env.FS == nil || c.Env.Probe == nil || c.Env.IDs == nil {
		bad("no machine: set Config.Env, e.g. from env.Real(dir)")
	}
	l := c.Limits
	for _, f := range l.ints() {
		if *f.v < 0 && !f.orNone {
			bad("%s is %d: a limit cannot be below zero", f.name, *f.v)
		}
	}
	for _, f := range l.durations() {
		if *f.v < 0 {
			bad("%s is %v: a time limit cannot be negative", f.name, *f.v)
		}
	}
	errs = append(errs, l.contradictions()...)
	errs = append(errs, c.parts()...)
	return errors.Join(errs...)
}

// contradictions are limits that cannot hold together.
func (l Limits) contradictions() []error {
	r := l.Resolve()
	var errs []error
	bad := func(f string, a ...any) { errs = append(errs, fmt.Errorf(f, a...)) }
	if r.Progress < r.Idle {
		bad("progress (%v) is shorter than idle (%v): the limit on events must be the longer one", r.Progress, r.Idle)
	}
	if l.Escalate > 0 && r.Escalate <= r.MaxTokens {
		bad("escalate (%d) is not above max_tokens (%d): nothing would be raised", r.Escalate, r.MaxTokens)
	}
	if r.Window > 0 {
		for _, f := range []struct {
			name string
			n    int
		}{{"compact_at", r.CompactAt}, {"block_at", r.BlockAt}, {"summary_tokens", l.SummaryTokens}, {"max_tokens", l.MaxTokens}} {
			if f.n > r.Window {
				bad("%s (%d) is above the window (%d tokens)", f.name, f.n, r.Window)
			}
		}
		if r.BlockAt < r.CompactAt {
			bad("block_at (%d) is below compact_at (%d): the run would be blocked before it is compacted", r.BlockAt, r.CompactAt)
		}
	} else if l.CompactAt > 0 || l.BlockAt > 0 {
		bad("compact_at and block_at need a window: set window, or leave them out")
	}
	if r.Preview > r.ResultBytes {
		bad("preview (%d bytes) is above result_bytes (%d): a shortened result would be longer than a whole one", r.Preview, r.ResultBytes)
	}
	if r.TokenBudget > 0 && r.Nudge > r.TokenBudget {
		bad("nudge (%d tokens) is above token_budget (%d): the run would be driven into its own end", r.Nudge, r.TokenBudget)
	}
	if l.LoopAfter == 1 {
		bad("loop_after is 1: no call could ever run; it must be at least 2, or none")
	}
	return errs
}

// parts checks what is not a number.
func (c Config) parts() []error {
	var errs []error
	bad := func(f string, a ...any) { errs = append(errs, fmt.Errorf(f, a...)) }
	if c.Fallback != "" && c.Fallback == c.Model {
		bad("the fallback is the model itself (%q): name another one, or none", c.Model)
	}
	if r := c.Limits.Resolve(); c.Fallback != "" && r.Retries < overloadsInRow-1 {
		bad("retries (%d) leave no room for the fallback, which takes over after %d overloads in a row: allow at least %d retries", r.Retries, overloadsInRow, overloadsInRow-1)
	}
	if n := utf8.RuneCountInString(c.Goal); n > gate.GoalMost {
		bad("the goal has %d characters: at most %d are judged", n, gate.GoalMost)
	}
	if c.Goal != "" && strings.TrimSpace(c.Goal) == "" {
		bad("the goal is blank: say what is to be reached, or leave it out")
	}
	for i, h := range c.Hooks {
		if h.Run == nil {
			bad("hook %d (%q) has no Run function", i+1, h.Name)
		}
		if h.On != OnStop && h.On != OnTool {
			bad("hook %d (%q) is on %q: a hook is on %s or %s", i+1, h.Name, h.On, OnStop, OnTool)
		}
	}
	if c.Policy != nil {
		var names []string
		if c.Tools != nil {
			names = c.Tools.Names()
		}
		errs = append(errs, c.Policy.Check(names)...)
	}
	return errs
}
