package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// ErrBusy is returned when a session is asked to run while it runs (A9).
var ErrBusy = errors.New("the session is already running; wait for its run to end, or abort it")

// Session is a conversation with a folder of its own. One process at a time
// holds it.
type Session struct {
	l     *loop
	busy  atomic.Bool
	abort atomic.Pointer[context.CancelCauseFunc]
}

// Create makes a new session in cfg.Env's folder. It refuses a folder that
// already holds one.
func Create(ctx context.Context, cfg Config) (_ *Session, err error) {
	l, err := newLoop(cfg)
	if err != nil {
		return nil, err
	}
	first := journal.Record{
		Kind: journal.KindSession, Model: cfg.Model,
		Prints: map[string]string{"tools": l.reg.Fingerprint(), "prompt": fingerprint(cfg.System)},
	}
	j, rec, err := journal.Create(l.env, l.env.IDs.Session(), first)
	if err != nil {
		return nil, err
	}
	l.j = j
	defer l.fallen(&err)
	l.s = l.parts.Apply(l.s, &rec)
	l.show([]*journal.Record{&rec})
	return &Session{l: l}, nil
}

// Open takes over the session in cfg.Env's folder, and settles once what a
// crash left (J2): an open attempt is discarded, a call that had started is
// answered as unknown. Opening again appends nothing. Nothing runs until Run
// or Resume.
func Open(ctx context.Context, cfg Config) (_ *Session, err error) {
	l, err := newLoop(cfg)
	if err != nil {
		return nil, err
	}
	j, loaded, err := journal.Open(l.env)
	if err != nil {
		return nil, err
	}
	l.j = j
	defer l.fallen(&err)
	l.load(loaded.Records)
	l.probe(env.Site{Point: env.ResumeLoaded})
	if err := l.settle(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return &Session{l: l}, nil
}

// load steps the state over what a journal held.
func (l *loop) load(records []journal.Record) {
	for i := range records {
		l.s = l.parts.Apply(l.s, &records[i])
	}
}

// fallen turns a panic of our own part, before there is a session that could
// record it, into an error, and lets the session's folder go.
func (l *loop) fallen(err *error) {
	if p := recover(); p != nil {
		*err = errors.Join(fmt.Errorf("a part of the loop panicked: %v%s", p, panickedAt()), l.j.Close())
	}
}

func newLoop(cfg Config) (*loop, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	reg := cfg.Tools
	if reg == nil {
		var err error
		if reg, err = tools.NewRegistry(); err != nil {
			return nil, err
		}
	}
	l := &loop{cfg: cfg, env: cfg.Env, limits: cfg.Limits.Resolve(), reg: reg, sub: cfg.Subscriber, parts: partsOf(cfg.Seam)}
	l.limits.fallback = cfg.Fallback != ""
	l.limits = l.parts.Limits(l.limits)
	l.env = l.parts.Env(l.env)
	if l.sub != nil {
		l.sub = l.parts.Subscriber(l.sub)
	}
	return l, nil
}

// State returns the session's state. It must not be called while a run is
// under way in another task.
func (s *Session) State() State { return s.l.s }

// Run adds a user prompt and runs until a terminal. If the last run was cut
// short by a crash, the calls that never started are run first. The error is
// nil unless the run could not record (then Result.Reason is
// persistence_failure, and the error wraps what the journal said) or could not
// begin.
func (s *Session) Run(ctx context.Context, prompt string) (Result, error) {
	if strings.TrimSpace(prompt) == "" {
		return Result{}, errEmptyPrompt
	}
	return s.start(ctx, prompt)
}

// errEmptyPrompt: white space alone is nothing said, and no request could carry it.
var errEmptyPrompt = errors.New("the prompt is empty: say what is to be done")

// Resume goes on with a run that a crash cut short; with a prompt, it begins a
// new run behind it. Without a prompt and without such a run it is refused.
func (s *Session) Resume(ctx context.Context, prompt string) (Result, error) {
	if prompt != "" && strings.TrimSpace(prompt) == "" {
		return Result{}, errEmptyPrompt
	}
	return s.start(ctx, prompt)
}

// start runs the loop, once at a time; without a prompt it goes on.
func (s *Session) start(ctx context.Context, prompt string) (Result, error) {
	if !s.busy.CompareAndSwap(false, true) {
		return Result{}, ErrBusy
	}
	defer s.busy.Store(false)
	l := s.l
	if st := &l.s; prompt == "" && !st.Live() {
		if st.Run == 0 {
			return Result{}, errors.New("nothing to resume: the session has no run yet; give a prompt")
		}
		return Result{}, fmt.Errorf("nothing to resume: run %d ended with %s; give a prompt to go on", st.Run, st.Ended)
	}
	if l.lost != nil {
		return l.lostResult(l.lost)
	}
	if l.parts.Resume != nil && l.s.Life > 1 {
		if err := l.parts.Resume(); err != nil {
			return Result{}, err
		}
	}
	var cancel context.CancelCauseFunc
	l.ctx, cancel = l.env.Clock.WithCancel(ctx)
	l.cancel = cancel
	defer cancel(nil)
	s.abort.Store(&cancel)
	defer s.abort.Store(nil)
	return l.run(prompt)
}

// Abort ends the run under way, if any, for the given cause: calls that run
// are told to stop, each open call gets one outcome. It may be called from any
// task, more than once; the first cause counts.
func (s *Session) Abort(cause error) {
	if cause == nil {
		cause = errors.New("aborted by the user")
	}
	if f := s.abort.Load(); f != nil {
		(*f)(cause)
	}
}

// Compact asks for the history to be summarised before the next request, if
// there is anything to summarise (E3).
func (s *Session) Compact() { s.l.asked.Store(true) }

// Close releases the session, and stops its background calls. It must not be
// called while a run is under way.
func (s *Session) Close() error {
	_ = s.l.halt(errClosed, false) // nothing is recorded between runs: the next open tells that they were lost
	return s.l.j.Close()
}
