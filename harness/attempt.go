package harness

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

var (
	errIdle     = errors.New("no byte came within the idle limit")
	errProgress = errors.New("no event came within the progress limit")
	errSide     = errors.New("the answer took longer than its limit")
)

// Hints stand in the next request and nowhere else: a later one does not repeat
// them (D9). Their names are the codes of the transitions that cause them.
const (
	hintEmpty    = "empty"
	hintTextCall = "text_call"
)

func hintText(code string) string {
	switch code {
	case hintEmpty:
		return reminder("Your last answer was empty. Answer the user, or call a tool.")
	case hintTextCall:
		return reminder("Your last answer wrote a tool call as text, so nothing was run. If you want to call the tool, call it; if you only meant to show what a call looks like, say so in words.")
	}
	return ""
}

// reminder marks what the loop says in the user's place.
func reminder(text string) string { return "<system-reminder>" + text + "</system-reminder>" }

// request builds the next main-lane request from the state alone.
func (l *loop) request() *providers.Request {
	model := l.model()
	msgs := l.parts.Project(l.proj.messages(l.s.history, model))
	// A paused answer goes back unchanged, and last: a hint behind it would part
	// it from its own continuation, and a server call from its result.
	if n := len(msgs); l.s.hint != "" && n > 0 && msgs[n-1].Role == providers.User {
		msgs = appendMessage(msgs, providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: hintText(l.s.hint)}}})
	}
	return &providers.Request{
		Lane: providers.LaneMain, Model: model, System: l.cfg.System, Messages: msgs,
		Tools: l.offered().list, MaxTokens: l.s.maxTokens(l.limits), Stream: !l.cfg.Whole,
	}
}

func (l *loop) model() string {
	if l.s.Model != "" {
		return l.s.Model
	}
	return l.cfg.Model
}

// attemptID names the n-th attempt of a session, from 1.
func attemptID(n int) string { return fmt.Sprintf("a%d", n) }

// attempt makes one provider call of the main lane and reads its answer to the
// end. Calls without effects may begin meanwhile (early.go). The error is a
// failure to record; every other failure is the turn's ending.
func (l *loop) attempt() (*Turn, error) {
	req := l.request()
	l.air = nil
	if l.early() {
		l.air = &air{}
	}
	t, err := l.ask(l.ctx, req)
	if err != nil {
		return nil, err
	}
	l.admit(t)
	return t, nil
}

// ask records an attempt, sends a request of any lane, and reads its answer.
func (l *loop) ask(ctx context.Context, req *providers.Request) (*Turn, error) {
	req.Attempt = attemptID(l.s.Attempts + 1)
	req = l.parts.Request(req)
	if err := l.commit("a request is due", &journal.Record{
		Kind: journal.KindAttempt, Attempt: req.Attempt, Lane: req.Lane, Model: req.Model, MaxTokens: req.MaxTokens,
	}); err != nil {
		return nil, err
	}
	if err := l.dump(req); err != nil {
		return nil, err
	}
	l.probe(env.Site{Point: env.RequestBefore, Lane: req.Lane})

	idleCtx, idle := l.env.Clock.WithTimer(ctx, errIdle)
	defer idle.Stop()
	ctx, progress := l.env.Clock.WithTimer(idleCtx, errProgress)
	defer progress.Stop()
	idle.Reset(l.limits.Idle)
	progress.Reset(l.limits.Progress)
	req.OnBytes = func(int) { idle.Reset(l.limits.Idle) }

	var a assembler
	ending, failure := l.read(ctx, req, &a, progress)
	if l.lost != nil { // an early call could not be recorded
		return nil, l.lost
	}
	l.probe(env.Site{Point: env.TurnAssembled, Lane: req.Lane})
	return a.finish(ending, failure), nil
}

// read folds the stream's events into a until it ends, and says how it ended.
func (l *loop) read(ctx context.Context, req *providers.Request, a *assembler, progress env.Timer) (Ending, *providers.Error) {
	st, err := l.cfg.Provider.Stream(ctx, req)
	if err != nil {
		return l.broken(ctx, err)
	}
	if st == nil {
		return l.broken(ctx, errors.New("the provider returned neither a stream nor an error"))
	}
	defer st.Close()
	main := req.Lane == providers.LaneMain
	site := env.Site{Point: env.StreamEvent, Lane: req.Lane}
	for {
		ev, err := st.Next()
		if err == io.EOF {
			return Complete, nil
		}
		if err != nil {
			return l.broken(ctx, err)
		}
		progress.Reset(l.limits.Progress)
		l.probe(site)
		if !l.parts.Chunk(ev) {
			continue
		}
		if e := a.add(&ev); e != nil {
			return Failed, e
		}
		if main {
			if ev.Kind == providers.TextDelta {
				l.publish(Event{Attempt: req.Attempt, Text: ev.Text})
			}
			if l.air != nil && l.flyEarly(a, req.Attempt, ev.Kind) != nil {
				return Failed, nil
			}
		}
		if a.ended {
			return Complete, nil
		}
	}
}

// broken turns an error of the provider into an ending. Whose context ended is
// asked first: our own abort is not the provider's failure.
func (l *loop) broken(ctx context.Context, err error) (Ending, *providers.Error) {
	if l.ctx.Err() != nil {
		return Aborted, &providers.Error{Class: providers.Canceled, Message: context.Cause(l.ctx).Error()}
	}
	switch cause := context.Cause(ctx); cause {
	case nil:
	case errIdle, errProgress, errSide:
		return Idle, &providers.Error{Class: providers.Idle, Message: cause.Error(), InStream: true}
	}
	var e *providers.Error
	if !errors.As(err, &e) {
		e = &providers.Error{Class: providers.Unknown, Message: err.Error(), Cause: err}
	}
	if e.Class == providers.Cut {
		return Cut, e
	}
	return Failed, e
}
