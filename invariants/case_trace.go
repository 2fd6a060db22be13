package invariants

import (
	"path"
	"strings"

	"github.com/harnessbench/bench/evidence"
)

// indexTrace finds for each record the step that appended it, and for each
// call the steps of its tool.
func (c *Case) indexTrace() {
	c.appended = make([]int, len(c.recs))
	for i := range c.appended {
		c.appended[i] = -1
	}
	next := 0 // first record that no append has covered yet
	var disk durable
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		disk.step(s)
		switch s.Kind {
		case evidence.StepAppend:
			if !isFile(s.File, evidence.TranscriptFile) {
				break
			}
			for next < len(c.recs) && c.at[next].End <= s.Len {
				c.appended[next] = i
				next++
			}
		case evidence.StepTruncate:
			if isFile(s.File, evidence.TranscriptFile) {
				next = c.uncover(next, s.Len)
			}
		case evidence.StepPower:
			// What was not synced may be gone, and other records may come to
			// stand in its place.
			next = c.uncover(next, disk.transcript)
		case evidence.StepToolStart:
			if s.Call != "" {
				k := c.call(s.Call)
				k.starts = append(k.starts, i)
				c.traced[k.name] = true
			}
		case evidence.StepToolEnd:
			if s.Call != "" {
				k := c.call(s.Call)
				k.ends = append(k.ends, i)
			}
		}
	}
}

// uncover takes back what was said of records that end behind size.
func (c *Case) uncover(next int, size int64) int {
	for next > 0 && c.at[next-1].End > size {
		next--
		c.appended[next] = -1
	}
	return next
}

// isFile reports whether a name of the trace is the session's file of that
// name, wherever the machine keeps it.
func isFile(name, file string) bool {
	return strings.HasSuffix(name, file) && path.Base(name) == file
}
