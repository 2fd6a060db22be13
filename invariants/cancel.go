package invariants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

func cancelRules() []Rule {
	return []Rule{{
		Name: "cancel/settles", Group: "cancel", Strength: Ours,
		Summary: "After an abort every call has one recorded outcome before the run's terminal, background calls included, no further request is made, and nothing is left running; a tool that is declared deaf may be, if it is noted. " +
			"When an attempt is discarded, each call that began early in its answer has its outcome before that.",
		Why:     "A call without an outcome makes the next prompt illegal; a task that outlives its run acts when nobody watches it (A9, B3, C7, C14, J6; field reports 5.01 to 5.09).",
		Reports: []string{"anthropics/claude-code#2039", "anthropics/claude-code#3003", "sudoprivacy/sudocode#550", "vellum-ai/vellum-assistant#42190", "google/adk-python#2425"},
		Example: "The user stops a tool: the loop records the terminal and leaves the call without a result.",
		Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindLives},
		Check:   settlesAll,
	}}
}

func settlesAll(c *Case) []Finding {
	var out []Finding
	byRun := map[int][]*call{}
	var behind []*call // in the background, in order
	for _, k := range c.calls {
		if k.rec >= 0 {
			n := c.recs[k.rec].Run
			byRun[n] = append(byRun[n], k)
			if c.placeheld(k) {
				behind = append(behind, k)
			}
		}
	}
	for _, u := range c.runs {
		for _, end := range u.terminals {
			if !strings.HasPrefix(c.recs[end].Reason, "aborted_") || c.given(end) {
				continue
			}
			for _, k := range byRun[u.n] {
				if c.mustSettle(k) && (len(k.settled) == 0 || k.settled[0] > end) {
					where, around := c.record(end)
					out = append(out, found(where, around, "run %d was aborted, and call %s of %s has no outcome recorded before the terminal", u.n, k.id, k.named()))
				}
			}
			for len(behind) > 0 && behind[0].settled[0] < end {
				if k := behind[0]; (len(k.ended) == 0 || k.ended[0] > end) && !c.otherLife(k.settled[0], end) {
					where, around := c.record(end)
					out = append(out, found(where, around, "run %d was aborted, and nothing before the terminal says what became of call %s of %s in the background", u.n, k.id, k.named()))
				}
				behind = behind[1:]
			}
		}
	}
	out = append(out, c.grounded()...)
	for _, l := range c.ev.Lives {
		if !l.Ended() {
			continue
		}
		for _, task := range l.Left {
			if why := c.mayStay(task); why != "" {
				out = append(out, found(life(l.N), nil, "the task %s was still running when life %d was over: %s", quoted(task), l.N, why))
			}
		}
	}
	return append(out, c.wentOn()...)
}

// mustSettle reports whether a call needs an outcome: it is part of the
// history, or it had started. A call of a discarded answer that never started
// is void with it.
func (c *Case) mustSettle(k *call) bool {
	a := c.attemptBy[c.recs[k.rec].Attempt]
	return len(k.started) > 0 || a == nil || a.discarded < 0
}

// otherLife reports whether a process ended between two records, as far as is known.
func (c *Case) otherLife(from, to int) bool {
	a, b := c.lifeOfRecord(from), c.lifeOfRecord(to)
	return c.resumedBetween(from, to) || a > 0 && b > 0 && a != b
}

// grounded looks at the calls that had started early when their answer was
// discarded, by the loop or by the open behind a crash.
func (c *Case) grounded() []Finding {
	var out []Finding
	for _, a := range c.attempts {
		if a.discarded < 0 || a.assistant >= 0 || c.given(a.discarded) {
			continue
		}
		for _, k := range a.calls {
			if len(k.started) == 0 || k.started[0] > a.discarded || len(k.settled) > 0 && k.settled[0] < a.discarded {
				continue
			}
			where, around := c.record(a.discarded)
			out = append(out, found(where, around, "the answer %s was discarded while call %s of %s, which had begun early, had no recorded outcome", a.id, k.id, k.named()))
		}
	}
	return out
}

// mayStay says why a task may not have been left; "" when it is that of a deaf
// tool and the transcript notes it. A task names its call; where none is called
// so, it is judged by the name of its tool.
func (c *Case) mayStay(task string) string {
	words := strings.FieldsFunc(task, func(r rune) bool { return r == ' ' || r == ':' || r == '(' || r == ')' || r == ',' })
	of := slices.DeleteFunc(slices.Clone(c.calls), func(k *call) bool { return !slices.Contains(words, k.id) })
	if len(of) == 0 {
		of = slices.DeleteFunc(slices.Clone(c.calls), func(k *call) bool { return !slices.Contains(words, k.name) })
	}
	why := "nothing may outlive the run"
	for _, k := range of {
		if t := c.tools[k.name]; t == nil || !t.Deaf {
			continue
		}
		if slices.ContainsFunc(c.recs, func(r journal.Record) bool { return r.Kind == journal.KindNotice && r.Call == k.id }) {
			return ""
		}
		if c.fired("error") { // where nothing can be recorded, no notice can
			return ""
		}
		why = "its tool is deaf, but no notice says that it was left behind"
	}
	return why
}

// wentOn looks for requests that were made after an abort. What was being
// committed at that moment is allowed.
func (c *Case) wentOn() []Finding {
	var out []Finding
	commits, aborted := 0, false
	byStep := map[int][]int{} // step -> attempt records that it appended
	for i := range c.recs {
		if r := &c.recs[i]; r.Kind == journal.KindAttempt && c.appended[i] >= 0 {
			byStep[c.appended[i]] = append(byStep[c.appended[i]], i)
		}
	}
	run := 0
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		switch {
		case s.Kind == evidence.StepAbort:
			if !aborted {
				aborted, commits, run = true, 0, c.runAt(i)
			}
		case s.Kind == evidence.StepLife:
			aborted = false
		case aborted && s.Kind == evidence.StepAppend && isFile(s.File, evidence.TranscriptFile):
			commits++
			for _, r := range byStep[i] {
				if commits > 1 && c.recs[r].Run == run {
					where, around := c.record(r)
					out = append(out, found(where, around, "run %d was told to stop (%s line %d), and another request was made after that", run, evidence.TraceFile, int(aborting(c.ev.Trace[:i]))+1))
					aborted = false
				}
			}
		}
	}
	return out
}

// aborting is the index of the last abort.
func aborting(trace []evidence.Step) int {
	for i := len(trace) - 1; i >= 0; i-- {
		if trace[i].Kind == evidence.StepAbort {
			return i
		}
	}
	return 0
}

// runAt is the run that was under way at a step.
func (c *Case) runAt(step int) int {
	n := 0
	for i := range c.recs {
		if s := c.appended[i]; s >= 0 && s < step {
			n = c.recs[i].Run
		}
	}
	return n
}
