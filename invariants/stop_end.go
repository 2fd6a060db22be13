package invariants

import (
	"cmp"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// typedEnd looks at the end of each run.
func typedEnd(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		if len(u.terminals) == 0 {
			out = append(out, c.endless(u)...)
			continue
		}
		first := u.terminals[0]
		if c.given(first) {
			continue
		}
		if len(u.terminals) > 1 {
			where, around := c.record(u.terminals[1])
			out = append(out, found(where, around, "run %d has %d terminals: %s, then %s; a run ends once", u.n, len(u.terminals), c.recs[first].Reason, c.recs[u.terminals[1]].Reason))
		} else if i := c.behind(u, first); i >= 0 {
			where, around := c.record(i)
			out = append(out, found(where, around, "run %d went on after its terminal (%s): a %s record follows", u.n, c.recs[first].Reason, c.recs[i].Kind))
		}
		if r, ok := c.otherReason(u, c.recs[first].Reason); ok {
			where, around := c.record(first)
			out = append(out, found(where, around, "run %d returned %s to its caller, but its terminal says %s", u.n, r, c.recs[first].Reason))
		}
		for _, why := range c.untrue(u, first) {
			where, around := c.record(first)
			out = append(out, found(where, around, "the terminal of run %d says what its records do not: %s", u.n, why))
		}
		if why := c.wrongCause(u, first); why != "" {
			where, around := c.record(first)
			out = append(out, found(where, around, "run %d ended with %s, but %s", u.n, c.recs[first].Reason, why))
		}
	}
	return out
}

// untrue compares what a terminal sums up, and what its caller was told, with
// the records of the run.
func (c *Case) untrue(u *run, terminal int) []string {
	var usage providers.Usage
	turns, calls, text := 0, 0, ""
	part, goesOn := "", false // of an answer that came in parts, and whether more of it is to come
	open := false             // an answer stands without its transition: it ends the run
	for i := u.first; i < terminal; i++ {
		r := &c.recs[i]
		if r.Run != u.n {
			continue
		}
		switch r.Kind {
		case journal.KindAssistant, journal.KindDiscarded:
			usage = usage.Plus(r.Usage)
			if r.Kind == journal.KindAssistant {
				open = true
				if !goesOn {
					part = ""
				}
				if part += providers.TextOf(r.Blocks); part != "" {
					text = part
				}
			}
		case journal.KindCall:
			calls++
		case journal.KindTransition:
			open = false
			switch {
			case usesTurn[r.Reason]:
				turns++
				goesOn = false
			case r.Reason == "max_output_recovery" || r.Reason == "pause_continue":
				goesOn = true
			}
		}
	}
	if open {
		turns++
	}
	end := &c.recs[terminal]
	var out []string
	if said := end.Usage; said == nil && usage != (providers.Usage{}) || said != nil && *said != usage {
		out = append(out, "its usage is not the sum over the run's attempts, discarded ones included")
	}
	if end.Turn != turns {
		out = append(out, "it says turn "+itoa(int64(end.Turn))+", the records "+itoa(int64(turns)))
	}
	if end.Calls != calls {
		out = append(out, "it says that the model made "+itoa(int64(end.Calls))+" calls, the records "+itoa(int64(calls)))
	}
	if end.Text != text {
		out = append(out, "its text "+quoted(end.Text)+" is not the last one that was committed, "+quoted(text))
	}
	for _, r := range c.ev.Runs {
		if r.Run == u.n && r.Reason == end.Reason && r.Text != end.Text {
			out = append(out, "the caller was told "+quoted(r.Text)+", the terminal says "+quoted(end.Text))
			break
		}
	}
	return out
}

// usesTurn are the transitions that use a turn: what is asked next is not the
// same answer once more.
var usesTurn = map[string]bool{"next_turn": true, "stop_hook_blocking": true, "gate_feedback": true, "token_budget_continuation": true}

// behind is the first record of the run after its terminal that does not
// belong there; -1 for none. What an open notes about files, and that a
// subscriber was lost, belongs to no run and may come later.
func (c *Case) behind(u *run, terminal int) int {
	for i := terminal + 1; i <= u.last; i++ {
		if c.recs[i].Run != u.n {
			continue
		}
		switch c.recs[i].Kind {
		case journal.KindNotice, journal.KindQuarantine, journal.KindResume:
		default:
			return i
		}
	}
	return -1
}

// endless judges a run without a terminal: it must have crashed, or have been
// unable to record.
func (c *Case) endless(u *run) []Finding {
	if c.given(u.last) || c.given(u.first) && u != c.runs[len(c.runs)-1] {
		return nil // a history that was given may end inside a run: that run crashed, whoever goes on
	}
	where, around := c.record(u.last)
	lost := false
	for _, r := range c.ev.Runs {
		if r.Run != u.n {
			continue
		}
		switch r.Reason {
		case "", "crashed":
		case "persistence_failure":
			lost = true
		default:
			return []Finding{found(where, around, "run %d returned %s to its caller, but no terminal is recorded: on disk the run crashed", u.n, r.Reason)}
		}
	}
	if !lost && len(c.ev.Lives) > 0 && !c.died() && !c.failedRun(u.n) {
		return []Finding{found(where, around, "run %d has no terminal, though nothing died and nothing failed to be recorded", u.n)}
	}
	return nil
}

// failedRun reports whether the run's caller got an error instead of a result.
func (c *Case) failedRun(n int) bool {
	for _, r := range c.ev.Runs {
		if r.Err != "" && (r.Run == n || r.Run == 0) {
			return true
		}
	}
	return false
}

// otherReason finds a result of the run that contradicts its terminal. A run
// whose terminal is on disk may still have failed to record it properly.
func (c *Case) otherReason(u *run, recorded string) (string, bool) {
	for _, r := range c.ev.Runs {
		if r.Run == u.n && r.Reason != "" && r.Reason != recorded && r.Reason != "persistence_failure" && r.Reason != "crashed" {
			return r.Reason, true
		}
	}
	return "", false
}

// lastBefore is the run's last main attempt before record i; nil for none.
func (u *run) lastBefore(i int) *attempt {
	if n := u.before(i); n > 0 {
		return u.attempts[n-1]
	}
	return nil
}

// before is how many of the run's main attempts began before record i.
func (u *run) before(i int) int {
	n, _ := slices.BinarySearchFunc(u.attempts, i, func(a *attempt, i int) int { return cmp.Compare(a.rec, i) })
	return n
}

// notWhole says what a stop reason says against calling the answer whole.
func notWhole(stop string) string {
	switch {
	case truncatedStop(stop):
		return "a limit cut it"
	case stop == "refusal":
		return "the model refused"
	case stop == "pause_turn":
		return "the model only paused"
	case disowned(stop):
		return "the provider says that what it calls is malformed"
	}
	return ""
}

// noEmptySuccess looks at the answer behind each success.
func noEmptySuccess(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		for _, end := range u.terminals {
			if reason := c.recs[end].Reason; reason != "completed" && reason != "completed_unverified" || c.given(end) {
				continue
			}
			if why := c.noSuccess(u, end); why != "" {
				where, around := c.record(end)
				out = append(out, found(where, around, "run %d is reported as %s, but %s", u.n, c.recs[end].Reason, why))
			}
		}
	}
	return out
}

// noSuccess says why the run did not succeed; "" when it may have.
func (c *Case) noSuccess(u *run, end int) string {
	a := u.lastBefore(end)
	if a == nil {
		return "the model was never asked"
	}
	if a.assistant < 0 || a.assistant > end {
		return "the last answer (" + a.id + ") was not committed: it failed or was cut"
	}
	r := &c.recs[a.assistant]
	if r.Ending != "" && r.Ending != "complete" {
		return "the answer " + a.id + " ended " + r.Ending
	}
	if why := notWhole(r.Stop); why != "" {
		return "the answer " + a.id + " is no whole answer: " + why
	}
	if t := a.turn(); t != nil {
		if t.ending() == broken {
			return "the answer " + a.id + " was cut: " + brokenWhy(t)
		}
		if why := notWhole(t.stop); why != "" {
			return "the answer " + a.id + " is no whole answer: " + why
		}
	}
	if !c.says(u, a) {
		return "the answer " + a.id + " says nothing: no text and no call"
	}
	if why := c.objection(u, a, end); why != "" {
		return why
	}
	return c.brokenHook(u, end)
}

func brokenWhy(t *turn) string {
	switch {
	case t.failed != "":
		return clip(t.failed, 120)
	case t.stop == "":
		return "it ended before a stop reason came"
	}
	return "it ended before its last block was closed"
}

// says reports whether an answer, together with the parts that it continues,
// has any content: text that is not white space, a call, or a block that this
// package does not know.
func (c *Case) says(u *run, a *attempt) bool {
	for i := len(u.attempts) - 1; i >= 0; i-- {
		part := u.attempts[i]
		if part.rec > a.rec || part.assistant < 0 {
			continue
		}
		if part != a && !c.continued(u, part) {
			break
		}
		for _, b := range c.recs[part.assistant].Blocks {
			switch b.Kind {
			case providers.Text:
				if strings.TrimSpace(b.Text) != "" {
					return true
				}
			case providers.ToolCall, providers.Opaque, providers.Image:
				return true
			}
		}
	}
	return false
}

// continued reports whether the answer was followed by a continuation of itself.
func (c *Case) continued(u *run, a *attempt) bool {
	i := c.decided(u, a.assistant)
	return i >= 0 && c.recs[i].Kind == journal.KindTransition &&
		(c.recs[i].Reason == "max_output_recovery" || c.recs[i].Reason == "pause_continue")
}
