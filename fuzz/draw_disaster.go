package fuzz

import (
	"fmt"
	"strings"
)

// disaster is what an `at` line arms.
func (d *drawing) disaster() string {
	point := d.pick("point",
		"request.before", "stream.event", "turn.assembled", "append.before", "append.written", "append.synced",
		"audit.before", "audit.written", "audit.synced", "publish.before", "publish.after",
		"tool.before", "tool.running", "tool.ran", "backoff", "append.torn", "audit.torn",
		"hook", "compact.before", "compact.summarised", "resume.loaded", "resume.settled", "resume.recorded", "run.ended",
	)
	actions := []string{"kill", "kill", "powercut", "abort", "panic"}
	torn := strings.HasSuffix(point, ".torn")
	switch {
	case strings.HasPrefix(point, "append.") || strings.HasPrefix(point, "audit."):
		actions = append(actions[:4:4], "error EIO", "error ENOSPC")
	case point == "publish.before":
		actions = append(actions[:4:4], "error EIO")
	case point == "publish.after":
	default:
		return fmt.Sprintf("%s %d %s", point, d.n("n", 1, 4), d.pick("action", append(actions, "abort after=1s")...))
	}
	// The first commits make the session; without one there is nothing to resume.
	what := fmt.Sprint(d.n("commit", 3, 12))
	if d.rare("kind", 2) {
		what = d.pick("kind", "assistant", "result", "started", "transition", "terminal", "call", "attempt", "discarded", "tool_error", "notice", "boundary")
	}
	if torn {
		return fmt.Sprintf("%s %s %s bytes=%d", point, what, d.pick("torn action", "kill", "powercut", "error ENOSPC"), d.n("torn", 0, 120))
	}
	return fmt.Sprintf("%s %s %s", point, what, d.pick("action", actions...))
}
