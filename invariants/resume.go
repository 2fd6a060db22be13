package invariants

import (
	"fmt"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

func resumeRules() []Rule {
	return []Rule{
		{
			Name: "resume/prefix", Group: "resume", Strength: Ours,
			Summary: "What a resumed life asks begins with the conversation that was durable before: every prompt, committed answer, call and result, in order and unchanged. No durable byte of the transcript is ever cut.",
			Why:     "A resume that forgets or rewrites goes on from a past that did not happen: work is repeated, or contradicted (prefix continuation of arXiv:2608.03836; J1, J2).",
			Reports: []string{"anthropics/claude-code#49876", "anthropics/claude-code#50347", "anthropics/claude-code#22107", "openai/openai-agents-python#2426"},
			Example: "The loader stops at the first line that it does not like, and the session goes on from there as if the rest had not been.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   prefix,
		},
		{
			Name: "resume/effect-once", Group: "resume", Strength: Ours,
			Summary: "Over all lives a call has at most one effect; a tool that is declared idempotent has one per key.",
			Why:     "A call whose outcome is unknown after a crash may have happened; doing it again doubles it, and nothing undoes that (effect exactly once and consume once of arXiv:2608.03836; J4).",
			Reports: []string{"GEMISIS/leviath#96", "microsoft/agent-framework#3938", "arn0ld87/harness-qwen#8", "langchain-ai/langgraph#8039", "crewAIInc/crewAI#5802"},
			Example: "Killed after the tool wrote and before its result was recorded: the resume finds no result and runs the tool again.",
			Needs:   []evidence.Kind{evidence.KindEffects},
			Applies: func(c *Case) string {
				for _, d := range c.ev.Damaged {
					if d.Lost && d.Kind == evidence.KindTranscript {
						return "the scenario itself took something out of the transcript (" + d.What + "), so nobody could know what had run"
					}
				}
				return ""
			},
			Check: effectOnce,
		},
		{
			Name: "resume/completes", Group: "resume", Strength: Ours,
			Summary: "After a crash the run can still end: a life that resumes it, and is not killed again, ends it with a terminal.",
			Why:     "A harness that refuses every resume has all other properties and is of no use (the liveness clause of arXiv:2608.03836; J6).",
			Reports: []string{"anthropics/claude-code#53821", "genai-io/gen-code#364", "zed-industries/zed#58084", "cline/cline#9948", "openma-ai/deepseek-harness-acp#17"},
			Example: "A torn last line makes the loader give up, and the session can never be opened again.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindLives},
			Check:   completes,
		},
		{
			Name: "resume/replay", Group: "resume", Strength: Ours,
			Summary: "Folding the transcript gives the live state: at every transition the fold's digest is the one that the loop wrote.",
			Why:     "State that is not in the records is lost in a crash: a counter starts again, a limit is spent twice (J1, A7; invariant 10 of the mechanisms).",
			Reports: []string{"anomalyco/opencode#27924", "docker/docker-agent#2235", "MoonshotAI/kimi-code#771", "daymade/claude-code-skills#245"},
			Example: "The loop counts its retries in a field that no record carries, so each resume has a full set of them.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Applies: func(c *Case) string {
				if c.opts.Fold == nil {
					return "no fold of the loop's records was given"
				}
				return ""
			},
			Check: replay,
		},
	}
}

// effectOnce counts the lines of the effect ledger.
func effectOnce(c *Case) []Finding {
	var out []Finding
	for _, k := range c.calls {
		tool := c.tools[k.name]
		if k.name == "" && len(k.effects) > 0 {
			tool = c.tools[c.ev.Effects[k.effects[0]].Tool]
		}
		keys := map[string]bool{}
		n := 0
		for _, i := range k.effects {
			e := &c.ev.Effects[i]
			keyed := e.Key != "" && (tool == nil || tool.Idempotent)
			if keyed && keys[e.Key] {
				continue
			}
			keys[e.Key] = true
			if n++; n == 2 {
				first := &c.ev.Effects[k.effects[0]]
				where, around := c.effect(i)
				how := "a tool that is not declared idempotent has one effect a call"
				if keyed {
					how = "the two have different keys, " + quoted(first.Key) + " and " + quoted(e.Key)
				}
				out = append(out, found(where, around, "%s had a second effect for call %s, in life %d after life %d: %s", e.Tool, k.id, e.Life, first.Life, how))
			}
		}
	}
	return append(out, foreignTwice(c)...)
}

// foreignTwice counts effects that carry only the provider's id: at most as
// many as answers hold that call complete.
func foreignTwice(c *Case) []Finding {
	if !c.ev.Has(evidence.KindWire) {
		return nil
	}
	var out []Finding
	var may, had map[string]int
	for i := range c.ev.Effects {
		e := &c.ev.Effects[i]
		if e.Call != "" || e.ID == "" {
			continue
		}
		if may == nil {
			may, had = c.offered(), map[string]int{}
		}
		if had[e.ID]++; had[e.ID] == max(may[e.ID], 1)+1 {
			where, around := c.effect(i)
			out = append(out, found(where, around, "%s had effect %d for call %s, which the answers hold %d times", e.Tool, had[e.ID], word(e.ID), may[e.ID]))
		}
	}
	return out
}

// offered counts, by the provider's id, the complete calls that the answers hold.
func (c *Case) offered() map[string]int {
	n := map[string]int{}
	for _, x := range c.exchanges {
		if t := x.turn(); t != nil {
			for _, w := range t.calls() {
				if w.complete {
					n[w.id]++
				}
			}
		}
	}
	return n
}

// completes looks at each life behind a crash.
func completes(c *Case) []Finding {
	var out []Finding
	for i := 1; i < len(c.ev.Lives); i++ {
		l := c.ev.Lives[i]
		if l.Died() || !c.crashedBefore(i) {
			continue
		}
		if !l.Ended() {
			out = append(out, found(life(l.N), c.lives(i), "life %d took the session over after a crash and did not come to an end: %s", l.N, l.Outcome))
			continue
		}
		for _, r := range c.ev.Runs {
			if r.Life != l.N || r.Refuse {
				continue
			}
			if why := c.refused(i, r); why != "" {
				out = append(out, found(life(l.N), c.lives(i), "life %d took the session over after a crash, was not killed, and %s", l.N, why))
			}
		}
	}
	return out
}

// crashedBefore reports whether any life before the i-th was cut short.
func (c *Case) crashedBefore(i int) bool {
	for _, l := range c.ev.Lives[:i] {
		if !l.Ended() {
			return true
		}
	}
	return false
}

// refused says why a result of a resumed life is no end; "" when it is one, or
// when there was nothing to end.
func (c *Case) refused(i int, r evidence.Returned) string {
	if c.fired("error") { // a disk that fails may keep a run from ending
		return ""
	}
	if r.Reason == "" && c.fired("panic") { // and a part that panics inside an open, that open
		return ""
	}
	if r.Reason == "persistence_failure" && c.firedTimes("panic") > 1 { // and one that panics again while the run is closed, its record
		return ""
	}
	switch {
	case r.Reason == "persistence_failure":
		return "could not record, though no fault of the disk was armed: " + clip(r.Err+r.Detail, 120)
	case r.Reason != "" && r.Reason != "crashed":
		return ""
	case i < len(c.ev.Lives)-1 || !c.unfinished():
		return "" // the run had ended already, or another life ended it
	case r.Err != "":
		return "the run was refused: " + clip(r.Err, 120)
	}
	return "the run did not end"
}

// unfinished reports whether the last run of the session has no terminal.
func (c *Case) unfinished() bool {
	n := len(c.runs)
	return n > 0 && len(c.runs[n-1].terminals) == 0
}

// lives prints the lives up to the i-th.
func (c *Case) lives(i int) []string {
	return excerpt(i+1, i, func(j int) string {
		l := c.ev.Lives[j]
		out := "life " + itoa(int64(l.N)) + ": " + l.Outcome
		if l.Point != "" {
			out += " at " + l.Point
		}
		for _, r := range c.ev.Runs {
			if r.Life == l.N {
				out += "; run " + itoa(int64(r.Run)) + " returned " + quoted(r.Reason)
				if r.Err != "" {
					out += ", error " + quoted(r.Err)
				}
			}
		}
		return out
	})
}

// replay compares digests.
func replay(c *Case) []Finding {
	digests, err := c.opts.Fold(c.recs)
	if err != nil {
		return []Finding{found(Place{File: evidence.TranscriptFile}, nil, "the transcript cannot be folded: %v", err)}
	}
	for i := range c.recs {
		r := &c.recs[i]
		if r.Kind != journal.KindTransition || c.given(i) {
			continue
		}
		why := ""
		switch d, ok := digests[r.Seq]; {
		case r.Digest == "":
			why = "the transition " + r.Reason + " carries no digest of the state behind it"
		case !ok:
			why = "folding the transcript passes over the transition " + r.Reason
		case d != r.Digest:
			why = fmt.Sprintf("folding the transcript up to the transition %s gives another state (%.8s) than the loop had (%.8s): some of it is in no record", r.Reason, d, r.Digest)
		}
		if why != "" {
			where, around := c.record(i)
			return []Finding{found(where, around, "%s", why)}
		}
	}
	return nil
}
