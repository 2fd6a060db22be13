package invariants

import (
	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

func ladderRules() []Rule {
	return []Rule{
		{
			Name: "ladder/order", Group: "ladder", Strength: Flow,
			Summary: "The cheapest rung that applies comes first, as far as can be seen: within a turn no drain behind a summary, no continuation while the limit can be raised, no rung twice in a row without progress, a fallback only after three overloads in a row. " +
				"Each counter counts its own transition, one by one, within its limit; those of a turn begin anew at next_turn and nowhere else. What a transition changes, the very next request has: the model, max_tokens until next_turn. " +
				"Hooks, the completion gate and the judge are asked in this order, about a final answer that stands.",
			Why: "A rung that is used before its turn throws away what a cheaper one would have kept; a counter that anything else resets, as a hook once did, never ends (D1 to D11, D13, A6).",
			Reports: []string{
				"anomalyco/opencode#27924", "docker/docker-agent#2235", "daymade/claude-code-skills#245", "openclaw/openclaw#49079", "openai/codex-plugin-cc#414", "cline/cline#8787",
			},
			Example: "A stop hook blocks, which resets the counter of compactions: overflow, compaction, block, overflow, compaction, for ever.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   ladderOrder,
		},
		{
			Name: "ladder/progress", Group: "ladder", Strength: Ours,
			Summary: "A recovery changes what had failed, in the failure's own unit: behind a drain or a reactive summary the next request is smaller, in bytes for a 413, in images for a refused image, in tokens for an overflow. A continuation follows new text or a cut call. " +
				"Nudges end at nine tenths of what is to be used, and when two answers in a row bring little; a round of calls that changed nothing is not run again and again.",
			Why: "A compaction that counts tokens does not help against bytes, and what does not change the request gets the same answer (D1, D2, D5, D11, D13, N1; field reports 3.14, 8.05).",
			Reports: []string{
				"earendil-works/pi#4642", "google-gemini/gemini-cli#15225", "anthropics/claude-code#24179", "Yeachan-Heo/gajae-code#1655", "earendil-works/pi#9637", "brightwave-inc/tidebreak#1307",
			},
			Example: "A 413 for three images in base64: the loop summarises the text around them, and sends the images again.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   ladderProgress,
		},
		{
			Name: "ladder/bounded", Group: "ladder", Strength: Ours,
			Summary: "The main lane makes at most (max_turns * (1 + sum of per-turn limits) + sum of per-run limits) * (1 + retries) * (1 + fallbacks) attempts a run, " +
				"and between two next_turn transitions at most (1 + per-turn + per-run) * (1 + retries) * (1 + fallbacks). Each crash may cost the attempts of one request more. " +
				"Once its budget of tokens is used up, a run asks nothing more.",
			Why: "Each edge of the loop that asks again needs a budget that only progress refills; one that has none turns a fault into a bill (A6, D13, O1; field report law 5).",
			Reports: []string{
				"mastra-ai/mastra#12581", "Yeachan-Heo/gajae-code#1655", "openai/codex#3229", "anthropics/claude-code#24179", "proxysoul/Empryo#58",
			},
			Example: "The provider answers nothing, again and again, and the loop sends the hint each time.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Applies: func(c *Case) string {
				if c.ev.Limits.MaxTurns <= 0 {
					return "the loop's limits are not known"
				}
				return ""
			},
			Check: bounded,
		},
		{
			Name: "ladder/no-rerun", Group: "ladder", Strength: Ours,
			Summary: "No call of ours starts twice, and no id of ours is given twice. A retry sends a request again; a call in its answer is a new one, whatever its id or its input. " +
				"Only a tool that is declared idempotent is run again for a call whose outcome a crash made unknown.",
			Why: "A recovery that runs a settled tool again repeats what it did to the world (J4, H3, B3; field report law 8).",
			Reports: []string{
				"crewAIInc/crewAI#5802", "agentarea/agentarea#320", "nugget/thane-ai-agent#167", "GEMISIS/leviath#96", "dyad-sh/dyad#2853",
			},
			Example: "The result of a call cannot be recorded: the loop runs the tool once more, to have a result.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   noRerun,
		},
	}
}

// bounded counts attempts and tokens. Attempts are counted by their records and by
// what arrived on the wire: a loop that does not record them makes them all the same.
func bounded(c *Case) []Finding {
	return append(c.overBudget(), c.overBound()...)
}

// overBudget finds a run that went on behind an answer with which it had used more
// tokens than its budget. As many are allowed.
func (c *Case) overBudget() []Finding {
	most := c.ev.Limits.TokenBudget
	if most <= 0 {
		return nil
	}
	var out []Finding
	for _, u := range c.runs {
		var sum providers.Usage
		over := -1 // the main answer that was one too many
		for i := u.first; i <= u.last; i++ {
			r := &c.recs[i]
			switch {
			case r.Run != u.n:
			case r.Kind == journal.KindAssistant, r.Kind == journal.KindDiscarded:
				sum = sum.Plus(r.Usage)
				if a := c.attemptBy[r.Attempt]; a.main() && sum.Total() > most {
					over = i
				}
			case r.Kind == journal.KindTransition && over >= 0 && !c.given(i):
				where, around := c.record(i)
				out = append(out, found(where, around, "run %d had used %d tokens of %d with the answer of record %d, and went on with %s", u.n, sum.Total(), most, c.recs[over].Seq, r.Reason))
				over = -1
			}
		}
	}
	return out
}

func (c *Case) overBound() []Finding {
	l := c.ev.Limits
	each := (1 + l.Retries) * (1 + l.Fallbacks)
	perRun := (l.MaxTurns*(1+l.PerTurn) + l.PerRun + c.deaths()) * each
	perTurn := (1 + l.PerTurn + l.PerRun + c.deaths()) * each
	var out []Finding
	for _, u := range c.runs {
		n, since := 0, 0
		for i := u.first; i <= u.last; i++ {
			r := &c.recs[i]
			if r.Run != u.n || c.given(i) {
				continue
			}
			if r.Kind == journal.KindTransition && r.Reason == "next_turn" {
				since = 0
			}
			if r.Kind != journal.KindAttempt || r.Lane != "" && r.Lane != "main" {
				continue
			}
			n++
			since++
			if n == perRun+1 {
				where, around := c.record(i)
				out = append(out, found(where, around, "run %d made more than %d main-lane attempts, all that %d turns, their recovery rungs and the retries allow", u.n, perRun, l.MaxTurns))
				break
			}
			if since == perTurn+1 {
				where, around := c.record(i)
				out = append(out, found(where, around, "run %d made more than %d main-lane attempts in one turn, all that the recovery rungs and the retries allow: it goes on without progress", u.n, perTurn))
				break
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	runs := max(len(c.runs), 1)
	if !c.ev.Has(evidence.KindTranscript) {
		runs = max(len(c.ev.Runs), 1)
	}
	n := 0
	for _, x := range c.exchanges {
		if !x.main() {
			continue
		}
		if n++; n == perRun*runs+1 {
			where, around := request(x)
			out = append(out, found(where, around, "main-lane request %d arrived; the limits allow %d a run, and there are %d", n, perRun, runs))
		}
	}
	return out
}

// noRerun counts starts: records of them, and what the trace saw.
func noRerun(c *Case) []Finding {
	var out []Finding
	for _, k := range c.calls {
		if len(k.again) > 0 && !c.given(k.again[0]) {
			where, around := c.record(k.again[0])
			out = append(out, found(where, around, "the id %s was given to a second call: a call in a new answer is a new call with an id of its own", k.id))
			continue
		}
		if i, why := c.second(k); i != nil {
			where, around := i()
			out = append(out, found(where, around, "%s was started again for call %s, which had started before: %s", k.named(), k.id, why))
		}
	}
	return out
}

func (k *call) named() string {
	if k.name == "" {
		return "a tool"
	}
	return word(k.name)
}

// second finds a start of a call that must not have happened.
func (c *Case) second(k *call) (place func() (Place, []string), why string) {
	idempotent := c.tools[k.name] != nil && c.tools[k.name].Idempotent
	for j := 1; j < len(k.started); j++ {
		i := k.started[j]
		switch {
		case !idempotent:
			return func() (Place, []string) { return c.record(i) }, "only a tool declared idempotent may be"
		case !c.resumedBetween(k.started[j-1], i):
			return func() (Place, []string) { return c.record(i) }, "no crash had made its outcome unknown"
		}
	}
	for j := 1; j < len(k.starts); j++ {
		i := k.starts[j]
		before, now := &c.ev.Trace[k.starts[j-1]], &c.ev.Trace[i]
		switch {
		case before.Life == now.Life:
			return func() (Place, []string) { return c.step(i) }, "in the same life"
		case !idempotent:
			return func() (Place, []string) { return c.step(i) }, "only a tool declared idempotent may be"
		}
	}
	return nil, ""
}
