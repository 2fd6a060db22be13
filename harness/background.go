package harness

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// CodeBackground is the code of the placeholder that answers a background call
// at once (C14). What becomes of the call is a notice, and a note in the next
// request: never a second result (A10).
const CodeBackground = "background"

// The notices that end a background call.
const (
	noticeBackgroundDone   = "background_done"
	noticeBackgroundFailed = "background_failed"
	noticeBackgroundLost   = "background_lost"
)

// works are the background calls of this life. They outlive the run that
// started them; an abort, or the end of the session, stops them.
type works struct {
	flight *tools.Flight
	calls  []OpenCall
}

// background starts a call that the loop does not wait for: its placeholder is
// recorded before its tool is entered.
func (l *loop) background(c OpenCall, t *tools.Tool) error {
	if err := l.started(&c); err != nil {
		return err
	}
	if err := l.commit("the call runs in the background", &journal.Record{
		Kind: journal.KindResult, Call: c.Call, ID: c.ID, Name: c.Name, State: journal.Done, Code: CodeBackground,
		Text: fmt.Sprintf("Running in the background as %s. You will be told when it ends; do not wait for it, and do not call it again for this.", c.Call),
	}); err != nil {
		return err
	}
	if l.bg == nil {
		o := l.toolOptions()
		o.Limit = l.limits.ResultBytes
		l.bg = &works{flight: tools.NewFlight(context.WithoutCancel(l.ctx), l.env, o, math.MaxInt)}
	}
	l.bg.calls = append(l.bg.calls, c)
	l.bg.flight.Launch(len(l.bg.calls)-1, tools.Job{Tool: t, Call: l.toolCall(c)})
	return nil
}

// gather records what became of background calls since the last time, and of
// those that a life before this one left.
func (l *loop) gather() error {
	for _, b := range l.s.Background {
		if l.bg != nil && l.bg.has(b.Call) {
			continue
		}
		if err := l.ended(b, noticeBackgroundLost, "its process ended before it did, or broke off before it began. It may or may not have taken effect, and was not run again. Check before you repeat it"); err != nil {
			return err
		}
	}
	if l.bg == nil {
		return nil
	}
	return l.landed(l.bg.flight.Landed())
}

func (w *works) has(call string) bool {
	for i := range w.calls {
		if w.calls[i].Call == call {
			return true
		}
	}
	return false
}

func (l *loop) landed(list []tools.Landing) error {
	for _, g := range list {
		c := l.bg.calls[g.K]
		o := l.parts.Outcome(g.Outcome)
		code, what := noticeBackgroundDone, "it is done:\n"+o.Text
		if o.State != journal.Done {
			code, what = noticeBackgroundFailed, "it failed: "+o.Text
		}
		if err := l.ended(Running{c.Call, c.ID, c.Name}, code, what); err != nil {
			return err
		}
	}
	return nil
}

// ended tells the end of a background call, once.
func (l *loop) ended(b Running, code, what string) error {
	return l.commit("a background call ended", &journal.Record{
		Kind: journal.KindNotice, Call: b.Call, ID: b.ID, Name: b.Name, Code: code,
		Text: reminder(fmt.Sprintf("Background call %s (%s): %s", b.Call, b.Name, what)),
	})
}

var errClosed = errors.New("the session was closed")

// halt stops the background calls and, while a run is open to record them,
// records what became of them.
func (l *loop) halt(why error, record bool) error {
	if l.bg == nil {
		return nil
	}
	l.bg.flight.Stop(why)
	var first error
	for {
		list := l.bg.flight.Wait()
		if list == nil {
			break
		}
		if record && first == nil {
			first = l.landed(list)
		}
	}
	l.bg = nil
	return first
}
