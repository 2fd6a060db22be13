package harness

import (
	"fmt"
	"strings"
)

// forced is the detail of an end. One that is forced upon the run says what was
// done until then (N2).
func (l *loop) forced(d Decision) string {
	switch d.End {
	case MaxTurns, LoopDetected, TokenBudget, GateBlocked, StopHookPrevented:
	default:
		return d.Detail
	}
	done := l.wasDone()
	if d.Detail == "" {
		return done
	}
	return d.Detail + "; " + done
}

// wasDone says which tools the run has called, in the order of their first call.
func (l *loop) wasDone() string {
	h := l.s.history
	i := h.Len() - 1
	for ; i > 0 && h.At(i).Kind != EntryUser; i-- {
	}
	var names []string
	done, failed := map[string]int{}, map[string]int{}
	for ; i >= 0 && i < h.Len(); i++ {
		e := h.At(i)
		if e.Kind != EntryResult {
			continue
		}
		if done[e.Name]+failed[e.Name] == 0 {
			names = append(names, e.Name)
		}
		if e.IsError {
			failed[e.Name]++
		} else {
			done[e.Name]++
		}
	}
	if len(names) == 0 {
		return "no call was made"
	}
	var said []string
	for _, n := range names {
		s := fmt.Sprintf("%s %d times", n, done[n])
		if done[n] == 1 {
			s = n + " once"
		}
		if k := failed[n]; k > 0 {
			s += fmt.Sprintf(" (and %d without success)", k)
		}
		said = append(said, s)
	}
	return "done until then: " + strings.Join(said, ", ")
}
