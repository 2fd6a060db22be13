package harness

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// loop is one run being made. It belongs to one task; tools run in others and
// report to it.
type loop struct {
	cfg    Config
	env    env.Env
	limits Limits
	reg    *tools.Registry
	parts  Parts
	j      *journal.Journal
	sub    Subscriber
	notice *journal.Record   // to be recorded with the next commit
	due    []*journal.Record // of the last commit, and how many of them were shown
	shown  int
	lost   error // the first failure to record; nothing is recorded after it
	s      State
	proj   projector
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// run walks the state until a terminal. Each turn of the for is one answer:
// attempted, or taken up again after a crash. With a prompt, a new run begins.
func (l *loop) run(prompt string) (res Result, err error) {
	before := l.s.Run
	defer func() {
		if p := recover(); p != nil {
			if prompt != "" && l.s.Run == before && !l.s.Live() { // there is no run to close, and the last one's end is not this one's
				res, err = Result{}, fmt.Errorf("the run could not begin: a part of the loop panicked: %v", p)
				return
			}
			res, err = l.panicked(p)
		}
	}()
	if prompt != "" {
		if err := l.begin(prompt); err != nil {
			res, err := l.lostResult(err)
			res.Run = before + 1 // the run that was asked for; whether its prompt is on disk, the next open tells
			return res, err
		}
	}
	for {
		if l.ctx.Err() != nil {
			return l.aborted()
		}
		t, attempt, committed, err := l.next()
		if err != nil {
			return l.lostResult(err)
		}
		d := l.parts.Decide(l.s, t, l.limits)
		if l.ctx.Err() != nil && t.Ending != Complete {
			if err := l.discard(t, attempt, "aborted"); err != nil {
				return l.lostResult(err)
			}
			return l.aborted()
		}
		switch {
		case committed || d.Commit:
			err = l.answer(t, attempt, committed)
		default:
			err = l.discard(t, attempt, reasonOf(d))
		}
		if err == nil && d.Calls {
			err = l.runOpen()
		}
		if err != nil {
			return l.lostResult(err)
		}
		if l.ctx.Err() != nil {
			return l.abortedAfter(t)
		}
		if d.End != "" {
			return l.end(d.End, d.Detail)
		}
		if err := l.transition(d.Go, detailOf(t)); err != nil {
			return l.lostResult(err)
		}
		if d.Go == TransportRetry {
			if err := l.backoff(t, attempt); err != nil {
				return l.aborted()
			}
		}
	}
}

// begin records a user prompt. Calls that a crashed run left, and that never
// started, are run first: they belong in front of it.
func (l *loop) begin(prompt string) error {
	if l.s.Live() {
		if r := l.s.answer; r != nil {
			if err := l.answer(l.turnOf(r), r.Attempt, true); err != nil {
				return err
			}
		}
		if err := l.runOpen(); err != nil {
			return err
		}
	}
	return l.commit("the user asked", &journal.Record{Kind: journal.KindUser, Text: prompt})
}

// next is the next answer to decide on: one that a crash left without its
// transition, or that of a new attempt.
func (l *loop) next() (t *Turn, attempt string, committed bool, err error) {
	if r := l.s.answer; r != nil {
		t := l.turnOf(r)
		t.Said = l.s.said
		return t, r.Attempt, true, nil
	}
	if t, err = l.attempt(); err == nil {
		t.Said = l.s.paused && l.s.said && len(t.Blocks) > 0 // a continuation of nothing at all is no end
	}
	return t, l.s.Attempt, false, err
}

// turnOf is the turn that a committed answer was.
func (l *loop) turnOf(r *journal.Record) *Turn {
	t := &Turn{Blocks: r.Blocks, Stop: r.Stop, HasStop: r.Stop != "", Ending: Complete, Usage: r.Usage}
	t.parse()
	l.admit(t)
	return t
}

func (l *loop) admit(t *Turn) {
	for i, v := range l.parts.Admit(t, l.reg) {
		t.Calls[i].Verdict = v
	}
}

func reasonOf(d Decision) string {
	if d.Go != "" {
		return string(d.Go)
	}
	return string(d.End)
}

func detailOf(t *Turn) string {
	if t.Err != nil {
		return t.Err.Error()
	}
	return ""
}

// anomalies are the records of what was survived in an attempt's stream.
func (t *Turn) anomalies(attempt string) []*journal.Record {
	var recs []*journal.Record
	for _, a := range t.Anomalies {
		recs = append(recs, &journal.Record{Kind: journal.KindAnomaly, Attempt: attempt, Code: a.Code, Text: a.Text})
	}
	return recs
}

// discard records that an attempt's answer is not part of the history.
func (l *loop) discard(t *Turn, attempt, reason string) error {
	return l.commit("the attempt is discarded: "+reason, append(t.anomalies(attempt), &journal.Record{
		Kind: journal.KindDiscarded, Attempt: attempt, Reason: reason, Detail: detailOf(t),
		Text: t.Text, Stop: t.Stop, Ending: string(t.Ending), Usage: t.Usage,
	})...)
}

// backoff waits before a retry; an error means that the run was aborted meanwhile.
func (l *loop) backoff(t *Turn, attempt string) error {
	l.probe(env.Site{Point: env.Backoff, Lane: providers.LaneMain})
	d := Backoff(l.env.Seed, attempt, l.s.Counters.Retries-1, t.Err.RetryAfter, l.env.Clock.Now())
	return l.env.Clock.Sleep(l.ctx, d)
}

// aborted ends a run that was aborted while no call was open, or before an
// answer that a crash left was taken up again: then its calls are answered first.
func (l *loop) aborted() (Result, error) {
	if r := l.s.answer; r != nil {
		t := l.turnOf(r)
		if err := l.answer(t, r.Attempt, true); err != nil {
			return l.lostResult(err)
		}
		if err := l.never(abortedBefore); err != nil {
			return l.lostResult(err)
		}
		return l.abortedAfter(t)
	}
	if len(l.s.Open) > 0 {
		if err := l.never(abortedBefore); err != nil {
			return l.lostResult(err)
		}
		return l.end(AbortedTools, l.cause())
	}
	return l.end(AbortedStreaming, l.cause())
}

// abortedAfter ends a run that was aborted behind a committed answer: with
// calls their outcomes are all recorded by now.
func (l *loop) abortedAfter(t *Turn) (Result, error) {
	reason := AbortedStreaming
	if len(t.Calls) > 0 && t.Ending == Complete {
		reason = AbortedTools
	}
	return l.end(reason, l.cause())
}

func (l *loop) cause() string { return context.Cause(l.ctx).Error() }

// panicked closes a run in which a part of ours panicked: the open attempt is
// discarded, every open call has one outcome, the terminal is recorded. Should
// that panic too, nothing more is recorded: the next open settles what is left.
func (l *loop) panicked(p any) (res Result, err error) {
	defer func() {
		again := recover()
		switch {
		case again == nil:
		case l.s.Ended != "":
			res, err = l.result(l.s.Ended, ""), nil
		default:
			l.lost = &persistence{fmt.Errorf("a part of the loop panicked (%v), and again while the run was closed: %v", p, again)}
			res, err = l.lostResult(l.lost)
		}
	}()
	l.cancel(errors.New("a part of the loop panicked"))
	if l.lost != nil {
		return l.lostResult(l.lost)
	}
	detail := fmt.Sprint(p) + panickedAt()
	l.showDue()
	if l.s.Attempt != "" {
		if err := l.discard(&Turn{Ending: Failed}, l.s.Attempt, string(InternalError)); err != nil {
			return l.lostResult(err)
		}
	}
	if err := l.never("The loop failed before this call started; it was not run."); err != nil {
		return l.lostResult(err)
	}
	if l.s.Ended != "" { // the panic came after the terminal: it cannot be told twice
		return l.result(l.s.Ended, ""), nil
	}
	return l.end(InternalError, detail)
}

// panickedAt names the line that panicked, called from a deferred function that
// has recovered: "" where it cannot be told.
func panickedAt() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for panicking := false; ; {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			panicking = panicking || strings.Contains(strings.ToLower(f.Function), "panic")
		case panicking:
			return fmt.Sprintf(" (at %s:%d)", path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
