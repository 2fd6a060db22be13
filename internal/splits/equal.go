package splits

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
)

// equal compares what two events say. The error of a Failure is compared by all
// that it tells, not by the Go error below it.
func equal(a, b *providers.Event) bool {
	if a.Kind != b.Kind || a.Index != b.Index || a.Text != b.Text || a.ID != b.ID || a.Model != b.Model {
		return false
	}
	if (a.Block == nil) != (b.Block == nil) || (a.Usage == nil) != (b.Usage == nil) || (a.Err == nil) != (b.Err == nil) {
		return false
	}
	if a.Block != nil && !a.Block.Equal(b.Block) || a.Usage != nil && *a.Usage != *b.Usage {
		return false
	}
	if a.Err == nil {
		return true
	}
	x, y := *a.Err, *b.Err
	x.Cause, y.Cause = nil, nil
	return x == y
}

// describe is an event for a person.
func describe(ev *providers.Event) string {
	s := fmt.Sprintf("kind %d of block %d, text %.80q", ev.Kind, ev.Index, ev.Text)
	if ev.ID != "" || ev.Model != "" {
		s += fmt.Sprintf(", id %q, model %q", ev.ID, ev.Model)
	}
	if ev.Block != nil {
		s += fmt.Sprintf(", block %.200s", fmt.Sprintf("%+v", *ev.Block))
	}
	if ev.Usage != nil {
		s += fmt.Sprintf(", usage %+v", *ev.Usage)
	}
	if ev.Err != nil {
		s += ", error " + ev.Err.Error()
	}
	return s
}
