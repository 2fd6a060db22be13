package invariants

import (
	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

// noForgery compares what is recorded of each call with what happened to it:
// by the tool's own word (trace), and by what it did (effect ledger).
func noForgery(c *Case) []Finding {
	var out []Finding
	for _, k := range c.calls {
		if c.isGiven(k) {
			continue
		}
		for j, i := range k.settled {
			if why := c.forged(k, j, i); why != "" {
				where, around := c.record(i)
				out = append(out, found(where, around, "%s of call %s is forged: %s", c.recs[i].Kind, k.id, why))
				break
			}
		}
		for j, i := range k.ended {
			if why := c.forgedEnd(k, j, i); why != "" {
				where, around := c.record(i)
				out = append(out, found(where, around, "the notice %s of call %s is forged: %s", c.recs[i].Code, k.id, why))
				break
			}
		}
	}
	return out
}

// forged says what is untrue about the j-th outcome of a call, record i; ""
// when nothing is known to be.
func (c *Case) forged(k *call, j, i int) string {
	r := &c.recs[i]
	state := r.State
	if r.Kind == journal.KindToolError && state == "" {
		state = journal.Failed
	}
	switch {
	case j > 0:
		return "record " + itoa(c.recs[k.settled[0]].Seq) + " had settled it as " + string(c.recs[k.settled[0]].State)
	case k.rec < 0:
		return "no such call was ever recorded"
	case r.Kind == journal.KindToolError && state != journal.Failed:
		return "a tool_error says that the tool failed, and this one says " + string(state)
	case r.Kind == journal.KindResult && state == journal.Failed:
		return "a failure of the tool is recorded as a tool_error, not as a result"
	}
	switch state {
	case journal.Done, journal.Failed:
		if r.Code == "background" {
			return c.forgedPlaceholder(k, i)
		}
		return c.neverRan(k, i, state)
	case journal.Never, journal.Refused:
		switch {
		case len(k.effects) > 0:
			return "it says that the tool did not run, but the tool had an effect (" + evidence.EffectsFile + " line " + itoa(int64(c.ev.EffectAt[k.effects[0]].Line)) + ")"
		case len(k.starts) > 0:
			return "it says that the tool did not run, but the tool was entered"
		}
	case journal.Unknown:
		switch {
		case len(k.started) == 0 || k.started[0] > i:
			return "it says that the outcome is unknown, but the call had not started"
		case !c.crashedBetween(k.started[0], i):
			return "it says that the outcome is unknown, but no crash came between its start and this record"
		}
	}
	return ""
}

// forgedPlaceholder judges the outcome that a background call has at once: it
// says nothing of what the tool did, so it asks for no effect and no end.
func (c *Case) forgedPlaceholder(k *call, i int) string {
	switch t := c.tools[k.name]; {
	case len(k.started) == 0 || k.started[0] > i:
		return "it says that the call runs in the background, but it was never started"
	case t != nil && !t.Background:
		return "it says that the call runs in the background, but " + k.named() + " is no tool that does"
	}
	return ""
}

// forgedEnd says what is untrue about the j-th notice that a background call
// has ended, record i.
func (c *Case) forgedEnd(k *call, j, i int) string {
	code := c.recs[i].Code
	switch {
	case j > 0:
		return "record " + itoa(c.recs[k.ended[0]].Seq) + " had told its end (" + c.recs[k.ended[0]].Code + ")"
	case !c.placeheld(k) || k.settled[0] > i:
		return "no placeholder says that such a call runs in the background"
	case code == "background_lost":
		// Or a part of ours broke off before it could start the tool.
		broke := c.fired("panic") && !c.untraced() && len(k.starts) == 0
		if l := c.lifeOfRecord(k.settled[0]); l > 0 && l == c.lifeOfRecord(i) && !broke {
			return "it says that the process ended before the tool did, but no process ended between the placeholder and this record"
		}
		return ""
	}
	said, ok := c.said(k, i)
	switch {
	case ok && code == "background_done" && said == evidence.ToolFailed:
		return "it says that the tool is done, but the tool had failed"
	case ok && code == "background_failed" && said == evidence.ToolDone:
		return "it says that the tool failed, but the tool had returned a success"
	case code == "background_done" && !c.untraced() && c.traced[k.name] && len(k.starts) == 0:
		return "it says that the tool is done, but the tool was never entered"
	}
	return ""
}

// neverRan judges an outcome that claims that the tool ran and said something.
func (c *Case) neverRan(k *call, i int, state journal.State) string {
	if len(k.started) == 0 {
		return "it says " + string(state) + ", but the call was never started"
	}
	if !c.untraced() && c.traced[k.name] && len(k.starts) == 0 {
		return "it says " + string(state) + ", but the tool was never entered"
	}
	if said, ok := c.said(k, i); ok {
		switch {
		case state == journal.Failed && said == evidence.ToolDone:
			return "it says that the tool failed, but the tool had returned a success"
		case state == journal.Done && said == evidence.ToolFailed:
			return "it says that the tool succeeded, but the tool had failed"
		}
	}
	t := c.tools[k.name]
	if state == journal.Done && t != nil && t.Ledger && !t.ReadOnly && len(k.effects) == 0 && len(c.ev.OddIn(evidence.EffectsFile)) == 0 {
		return "it says that the tool succeeded, but the tool had no effect"
	}
	return ""
}

// said is what the tool itself had said when the record was appended.
func (c *Case) said(k *call, rec int) (string, bool) {
	what := ""
	for _, e := range k.ends {
		if at := c.appended[rec]; at >= 0 && e > at {
			break
		}
		what = c.ev.Trace[e].What
	}
	return what, what != ""
}
