package tools

import (
	"fmt"
	"time"

	"github.com/harnessbench/bench/harness/journal"
)

// Breaker keeps a tool that fails again and again from being called for a
// while (C10). It is a value: whoever folds a session's records gets it anew.
// The zero Breaker is closed: calls are admitted.
//
// Once open it refuses every call until its time is over. Then it is half open:
// one call is admitted as a probe, the others are still refused, and what
// becomes of the probe closes it or opens it again.
type Breaker struct {
	Fails   int   // failures in a row
	Opened  int64 // in milliseconds; 0: closed
	Probing bool  // a probe is on its way
}

// Failed returns the breaker after a failure of the tool. It opens with the
// after-th in a row; with after <= 0 there is no breaker. A failure while it is open and no
// probe runs is of a call that started before, and does not prolong it.
func (b Breaker) Failed(now int64, after int) Breaker {
	if after <= 0 {
		return Breaker{}
	}
	b.Fails++
	if b.Probing || b.Opened == 0 && b.Fails >= after {
		b.Opened, b.Probing = max(now, 1), false
	}
	return b
}

// Succeeded returns the breaker after a success: closed, whatever it was.
func (b Breaker) Succeeded() Breaker { return Breaker{} }

// Probe returns the breaker with a probe on its way.
func (b Breaker) Probe() Breaker {
	b.Probing = b.Opened != 0
	return b
}

// Dropped returns the breaker after a probe that told nothing: it was
// interrupted, or never started. The next call may be one.
func (b Breaker) Dropped() Breaker {
	b.Probing = false
	return b
}

// Admit reports whether a call may run, and whether it is the probe. A clock
// that was set back must not lock a tool for ever: it half opens at once.
func (b Breaker) Admit(now int64, open time.Duration) (ok, probe bool) {
	switch {
	case b.Opened == 0:
		return true, false
	case b.left(now, open) > 0 || b.Probing:
		return false, false
	}
	return true, true
}

// left is how long the breaker is still open.
func (b Breaker) left(now int64, open time.Duration) time.Duration {
	now = max(now, 1) // as Failed has it
	if now < b.Opened {
		return 0
	}
	return open - time.Duration(now-b.Opened)*time.Millisecond
}

// After returns the breaker after an outcome of the tool. A failure that is
// about what was asked, not about the tool, is the answer of a tool that works
// (bad parameters must not open it). What was interrupted tells nothing.
func (b Breaker) After(s journal.State, code string, now int64, after int) Breaker {
	switch {
	case s == journal.Done, s == journal.Failed && !breaks(code):
		return b.Succeeded()
	case s == journal.Failed:
		return b.Failed(now, after)
	}
	return b.Dropped()
}

// breaks reports whether a failure counts against the tool itself.
func breaks(code string) bool {
	switch code {
	case CodeInvalid, CodeExit, CodeNotFound, CodeDenied, CodeIsDirectory, CodeNotRegular, CodeBinary, CodeConflict:
		return false
	}
	return true
}

// Refusal refuses a call of the named tool that was not admitted.
func (b Breaker) Refusal(name string, now int64, open time.Duration) *Refusal {
	when := "one call is trying it at this moment: wait for its result"
	if left := b.left(now, open); left > 0 {
		seconds := (left + time.Second - 1) / time.Second * time.Second
		when = fmt.Sprintf("it can be tried again in %v", seconds)
	}
	return &Refusal{Code: CodeCircuit, Sentence: fmt.Sprintf(
		"%s failed %s in a row and is switched off for a while; %s. Do it another way until then.", line(name, 64), count(b.Fails, "time"), when)}
}
