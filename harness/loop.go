package harness

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync/atomic"

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
	ctxt   shaper
	wide   *tools.Registry // reg and read_result, once that is revealed
	air    *air            // of the answer that streams, or streamed last
	bg     *works
	asked  atomic.Bool                // the user asked for a compaction
	futile map[[sha256.Size]byte]bool // questions of a summary that can never be answered: none is asked again
	offer  offer
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
		if err := l.gather(); err != nil {
			return l.lostResult(err)
		}
		if l.s.answer == nil {
			end, why, err := l.shape()
			switch {
			case err != nil:
				return l.lostResult(err)
			case l.ctx.Err() != nil:
				return l.aborted()
			case end != "":
				return l.end(end, why)
			}
		}
		t, attempt, committed, err := l.next()
		if err != nil {
			return l.lostResult(err)
		}
		d := l.parts.Decide(l.s, t, l.limits)
		switch {
		case l.ctx.Err() != nil && t.Ending != Complete:
			d = Decision{}
			if err = l.discard(t, attempt, "aborted"); err == nil {
				return l.aborted()
			}
		case committed || d.Commit:
			d, err = l.take(t, attempt, committed, d)
		default:
			d, err = l.drop(t, attempt, d)
		}
		switch {
		case err != nil:
			return l.lostResult(err)
		case l.ctx.Err() != nil:
			return l.abortedAfter(t)
		case d.End != "":
			return l.end(d.End, l.forced(d))
		}
		if err := l.goOn(t, d); err != nil {
			return l.lostResult(err)
		}
		if d.Go == TransportRetry {
			if err := l.backoff(t, attempt); err != nil {
				return l.aborted()
			}
		}
	}
}

// take commits an answer, asks the gates about it if it would end the run, or
// runs its calls and asks the hooks behind them. It returns what is to be done
// by all that was said.
func (l *loop) take(t *Turn, attempt string, committed bool, d Decision) (Decision, error) {
	if err := l.answer(t, attempt, committed, d.Refuse); err != nil || l.ctx.Err() != nil && !d.Calls {
		return d, err
	}
	if t.Final() && (d.End == Completed || d.End == CompletedUnverified || d.Go == TokenBudgetContinuation) {
		if err := l.gates(t); err != nil {
			return d, err
		}
		return l.parts.Decide(l.s, t, l.limits), nil
	}
	if !d.Calls {
		return d, nil
	}
	if err := l.runOpen(); err != nil {
		return d, err
	}
	if d.Refuse != "" || !l.hooked(OnTool) {
		return d, nil
	}
	if err := l.toolHooks(t); err != nil {
		return d, err
	}
	return l.parts.Decide(l.s, t, l.limits), nil
}

// drop discards an answer, and makes the request smaller where that is what the
// ladder says. A summary that fails uses up its rung, and the ladder is asked
// again (D2).
func (l *loop) drop(t *Turn, attempt string, d Decision) (Decision, error) {
	if err := l.discard(t, attempt, reasonOf(d)); err != nil || l.ctx.Err() != nil {
		return d, err
	}
	switch d.Go {
	case CollapseDrainRetry:
		return d, l.drain(t)
	case ReactiveCompactRetry:
		done, err := l.summarise(trigger(t), reactiveKeep)
		if err != nil || done || l.ctx.Err() != nil {
			return d, err
		}
		return l.parts.Decide(l.s, t, l.limits), nil
	}
	return d, nil
}

// begin records a user prompt. Calls that a crashed run left, and that never
// started, are run first: they belong in front of it.
func (l *loop) begin(prompt string) error {
	if l.s.Live() {
		if r := l.s.answer; r != nil {
			t := l.turnOf(r) // what was decided of it holds: a refusal that a crash tore off is made again
			if err := l.answer(t, r.Attempt, true, l.parts.Decide(l.s, t, l.limits).Refuse); err != nil {
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
		if t.Final() {
			t.TextCall, _ = tools.TextCall(t.Text, l.registry())
		}
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
	for i := range t.Calls {
		t.Calls[i].Verdict = l.parts.Admit(t, i, l.registry())
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

// discard records that an attempt's answer is not part of the history. What
// began early in it is over by then.
func (l *loop) discard(t *Turn, attempt, reason string) error {
	if err := l.ground(fmt.Errorf("the answer is not kept: %s", reason)); err != nil {
		return err
	}
	return l.commit("the attempt is discarded: "+reason, append(t.anomalies(attempt), discardedOf(t, attempt, reason))...)
}

// backoff waits before a retry; an error means that the run was aborted meanwhile.
func (l *loop) backoff(t *Turn, attempt string) error {
	l.probe(env.Site{Point: env.Backoff, Lane: providers.LaneMain})
	d := l.parts.Backoff(l.env.Seed, attempt, l.s.Counters.Retries-1, t.Err.RetryAfter, l.env.Clock.Now())
	return l.env.Clock.Sleep(l.ctx, d)
}

// aborted ends a run that was aborted while no call was open, or before an
// answer that a crash left was taken up again: then its calls are answered first.
func (l *loop) aborted() (Result, error) {
	if r := l.s.answer; r != nil {
		t := l.turnOf(r)
		if err := l.answer(t, r.Attempt, true, l.parts.Decide(l.s, t, l.limits).Refuse); err != nil {
			return l.lostResult(err)
		}
		if err := l.never("", abortedBefore); err != nil {
			return l.lostResult(err)
		}
		return l.abortedAfter(t)
	}
	if len(l.s.Open) > 0 {
		if err := l.never("", abortedBefore); err != nil {
			return l.lostResult(err)
		}
		return l.endAborted(AbortedTools)
	}
	return l.endAborted(AbortedStreaming)
}

// endAborted ends an aborted run: nothing of it is left running.
func (l *loop) endAborted(reason Reason) (Result, error) {
	if err := l.halt(context.Cause(l.ctx), true); err != nil {
		return l.lostResult(err)
	}
	return l.end(reason, l.cause())
}

// abortedAfter ends a run that was aborted behind a committed answer: with
// calls their outcomes are all recorded by now.
func (l *loop) abortedAfter(t *Turn) (Result, error) {
	reason := AbortedStreaming
	if len(t.Calls) > 0 && t.Ending == Complete {
		reason = AbortedTools
	}
	return l.endAborted(reason)
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
	if err := errors.Join(l.ground(errors.New("a part of the loop panicked")), l.halt(errors.New("a part of the loop panicked"), l.s.Live())); err != nil {
		return l.lostResult(err)
	}
	// Before the discard: a call that began early, or was about to, belongs to the answer.
	if err := l.never(tools.CodeInternal, "The loop failed before this call started; it was not run."); err != nil {
		return l.lostResult(err)
	}
	if l.s.Attempt != "" {
		if err := l.discard(&Turn{Ending: Failed}, l.s.Attempt, string(InternalError)); err != nil {
			return l.lostResult(err)
		}
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
