package invariants

import (
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

func stopRules() []Rule {
	return []Rule{
		{
			Name: "stop/blocks-decide", Group: "stop", Strength: Flow,
			Summary: "Complete client calls, never the stop reason, decide whether tools run and whether the loop goes on. " +
				"Exceptions have names: escalation (a truncated answer is discarded, whole calls and all), refusal, calls that the provider calls malformed, abort, token budget and loop detected (calls answered, not run), max turns (run and recorded, no further request); " +
				"a call that is not run for another reason (denied, breaker open, not revealed, a sibling failed) is answered with one that is true. Without calls only a named rung goes on.",
			Why: "Providers send end_turn beside a call and tool_use beside none (A1, A2). A loop that believes the stop reason leaves calls unanswered, or asks the same question for ever.",
			Reports: []string{
				"anomalyco/opencode#14972", "strands-agents/harness-sdk#1810", "mastra-ai/mastra#12581", "earendil-works/pi#9681", "vercel/ai#8502",
			},
			Example: "The answer holds a closed call and its stop reason is end_turn: the loop reports completed and the tool never ran.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   blocksDecide,
		},
		{
			Name: "stop/complete-only", Group: "stop", Strength: Ours,
			Summary: "A tool runs only on a call whose block was closed and whose input is one strict JSON object, exactly as the model sent it. " +
				"In an answer that a token limit cut the last call never runs, and is answered as cut, not as invalid. What the provider itself calls malformed never runs. A call with effects waits for the good end of its answer, and never runs if that is discarded; " +
				"one without may begin when its block is closed and a later one has begun, or a stop reason has come.",
			Why: "A cut that happens to parse, or that was repaired until it did, is another command than the model meant: a shorter path, an empty object (D6, C2, B2).",
			Reports: []string{
				"jaseci-labs/jac#6766", "pydantic/pydantic-ai#3118", "mattmezza/humux#77", "BerriAI/litellm#32159", "bojieli/ai-agent-book#194",
			},
			Example: `The limit cuts {"path":"/a/b"} after "/a": the loop closes the brackets itself and deletes /a.`,
			Needs:   []evidence.Kind{evidence.KindWire, evidence.KindEffects},
			Check:   completeOnly,
		},
		{
			Name: "stop/typed-end", Group: "stop", Strength: Ours,
			Summary: "Each run has exactly one terminal, as its last record; it names the first cause, and what it sums up (usage, turns, calls, text) is what the records say. A run without one crashed, and nobody said otherwise.",
			Why:     "Without a terminal on every path nobody can tell a run that is over from one that died, and a wrong cause sends the user to the wrong remedy (A4, A8, J3).",
			Reports: []string{
				"use-agent-os/agent-os#2118", "NousResearch/hermes-agent#50004", "openclaw/openclaw#63661", "commontoolsinc/labs#7654", "mozilla-ai/any-llm#1200",
			},
			Example: "The loop returns completed to its caller, but the transcript ends with the assistant record.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   typedEnd,
		},
		{
			Name: "stop/no-empty-success", Group: "stop", Strength: Ours,
			Summary: "An answer that is empty, that was cut, or that is a refusal or a pause is never completed, nor one that a hook, the completion gate or the judge stands against. " +
				"Where a hook failed, or nothing could be verified or judged, it is completed_unverified at best; where the judge failed, not even that.",
			Why: "An empty, half or unjudged answer that is reported as success is the failure that nobody looks for (D9, D5, B2, G5, G8; field reports 1.04, 1.13, 4.01).",
			Reports: []string{
				"earendil-works/pi#9681", "griffinwork40/agent-afk#290", "zeroclaw-labs/zeroclaw#8663", "brightwave-inc/tidebreak#593", "openclaw/openclaw#108958", "openai/codex#37937",
			},
			Example: "The stream closes after half a sentence: the loop commits it and reports completed.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   noEmptySuccess,
		},
	}
}

// goodStops are the stop reasons that say that an answer is over and whole.
var goodStops = map[string]bool{"end_turn": true, "stop_sequence": true}

// endsWithCalls are the terminals that may follow an answer with calls.
var endsWithCalls = map[string]bool{
	"max_turns": true, "aborted_streaming": true, "aborted_tools": true, "token_budget": true, "loop_detected": true,
	"refused": true, "hook_stopped": true, "blocking_limit": true, "internal_error": true, "persistence_failure": true,
}

// blocksDecide walks from each committed main answer to what was decided about
// it: the first transition or terminal of its run behind it.
func blocksDecide(c *Case) []Finding {
	var out []Finding
	for _, u := range c.runs {
		for _, a := range u.attempts {
			at := max(a.assistant, a.discarded)
			if at < 0 || c.given(at) {
				continue
			}
			switch t := a.turn(); {
			case t == nil || t.ending() != whole:
			case a.assistant >= 0:
				out = append(out, c.decision(u, a, t)...)
			default:
				out = append(out, c.thrownAway(a, t)...)
			}
		}
	}
	return out
}

// thrownAway judges an answer that was discarded though it came whole, with
// calls that were complete.
func (c *Case) thrownAway(a *attempt, t *turn) []Finding {
	r := &c.recs[a.discarded]
	switch r.Reason {
	case "max_output_escalate":
		if t.truncated() {
			return nil
		}
	case "transport_retry", "model_error", "empty_retry", "empty_response_failed", "protocol_retry", "protocol_error":
	default:
		return nil // a crash, an abort, a failure of the loop's own
	}
	var complete []wireCall
	for _, k := range t.calls() {
		if k.complete {
			complete = append(complete, k)
		}
	}
	if len(complete) == 0 {
		return nil
	}
	where, around := c.record(a.discarded)
	return []Finding{found(where, around, "answer %s is whole and holds the complete call %s, but it was discarded (%s) instead of answered", a.id, names(complete), r.Reason)}
}

// decision judges what followed one committed answer.
func (c *Case) decision(u *run, a *attempt, t *turn) []Finding {
	calls := t.calls()
	var complete, closed []wireCall
	for _, k := range calls {
		if k.complete {
			complete = append(complete, k)
		}
		if k.closed {
			closed = append(closed, k)
		}
	}
	at := c.decided(u, a.assistant)
	if at < 0 {
		return nil // a crash, or another prompt, came first: nothing was decided
	}
	r := &c.recs[at]
	blame := func(i int, format string, args ...any) []Finding {
		where, around := c.record(i)
		return []Finding{found(where, around, format, args...)}
	}
	on := r.Kind == journal.KindTransition
	ends := r.Kind == journal.KindTerminal
	switch {
	case r.Kind == journal.KindAttempt:
		if c.resumedBetween(a.assistant, at) {
			return nil
		}
		return blame(at, "another request followed answer %s without a recorded reason to go on: every step of the loop has a named transition", a.id)
	case t.stop == "refusal":
		if on && r.Reason == "next_turn" {
			return blame(at, "answer %s is a refusal, and the loop went on with next_turn: the calls of a refused answer are answered, not run", a.id)
		}
		for _, k := range a.calls {
			for _, i := range k.started {
				if i > a.assistant { // what began before the refusal was known has run
					return blame(i, "%s was started for call %s, but the answer that made it is a refusal", k.named(), k.id)
				}
			}
		}
		return nil
	case on && r.Reason == "next_turn" && len(calls) == 0:
		return blame(at, "the loop went on with next_turn, but answer %s (stop reason %s) holds no call: there is nothing to answer, and the same question is asked again", a.id, quoted(t.stop))
	case on && r.Reason != "next_turn" && len(complete) > 0:
		return blame(at, "answer %s holds the complete call %s, but the loop went on with %s instead of answering it", a.id, names(complete), r.Reason)
	case ends && !endsWithCalls[r.Reason] && (len(complete) > 0 || len(closed) > 0 && !t.truncated()):
		return blame(at, "the run ended with %s, but answer %s (stop reason %s) holds the call %s: calls decide, not the stop reason", r.Reason, a.id, quoted(t.stop), names(closed))
	case ends && (r.Reason == "token_budget" || r.Reason == "loop_detected"):
		return append(c.stillRan(a, at), c.answered(a, t, complete, at)...)
	case ends && endsWithCalls[r.Reason] && r.Reason != "max_turns" && r.Reason != "hook_stopped":
		return nil // calls are answered, not run
	}
	return c.answered(a, t, complete, at)
}

// decided is the index of the first record of the run behind i that says how
// it went on: a transition, a terminal, or, wrongly, the next attempt. -1: none.
func (c *Case) decided(u *run, i int) int {
	for j := i + 1; j <= u.last; j++ {
		r := &c.recs[j]
		if r.Run != u.n {
			continue
		}
		switch r.Kind {
		case journal.KindTransition, journal.KindTerminal:
			return j
		case journal.KindUser:
			return -1
		case journal.KindAttempt:
			if r.Lane == "" || r.Lane == providers.LaneMain {
				return j
			}
		}
	}
	return -1
}

// recordedCall finds the call record that was made for a call on the wire.
func (a *attempt) recordedCall(c *Case, w wireCall, taken map[*call]bool) *call {
	var byID *call
	for _, k := range a.calls {
		r := &c.recs[k.rec]
		if taken[k] || r.Name != w.name {
			continue
		}
		if r.Block == w.block && r.ID == w.id {
			return k
		}
		if byID == nil && r.ID == w.id && (w.id != "" || r.Block == w.block) {
			byID = k
		}
	}
	return byID
}

// name is a call as a sentence names it.
func name(w wireCall) string {
	if w.id == "" {
		return word(w.name) + " (without an id)"
	}
	return word(w.name) + " (" + word(w.id) + ")"
}

func names(list []wireCall) string {
	if len(list) == 0 {
		return ""
	}
	var s []string
	for _, w := range list {
		s = append(s, name(w))
	}
	return strings.Join(s, ", ")
}

// completeOnly looks for the bytes behind each call that ran.
func completeOnly(c *Case) []Finding {
	var out []Finding
	for _, k := range c.calls {
		if k.rec < 0 || c.given(k.rec) {
			continue
		}
		r := &c.recs[k.rec]
		a := c.attemptBy[r.Attempt]
		if a == nil {
			continue
		}
		t := a.turn()
		if t == nil {
			continue
		}
		w, ok := sent(t, r)
		if len(k.started) == 0 && len(k.starts) == 0 && len(k.effects) == 0 {
			if ok && t.ending() == whole && t.truncated() && w.block == len(t.blocks)-1 && strings.Contains(r.Refused, "invalid") {
				where, around := c.record(k.rec)
				out = append(out, found(where, around, "call %s was cut by the token limit, but it is refused as %s: the model is blamed for what the limit did", k.id, r.Refused))
			}
			continue
		}
		why := c.mustNotRun(k, t, w, ok)
		if why == "" {
			why = c.tooEarly(a, k)
		}
		if why != "" {
			where, around := c.place(k)
			out = append(out, found(where, around, "%s ran for call %s, but %s", k.named(), k.id, why))
		}
	}
	return append(out, foreignEffects(c)...)
}

// place is where it is said that a call ran.
func (c *Case) place(k *call) (Place, []string) {
	switch {
	case len(k.started) > 0:
		return c.record(k.started[0])
	case len(k.starts) > 0:
		return c.step(k.starts[0])
	case len(k.effects) > 0:
		return c.effect(k.effects[0])
	}
	return c.record(k.rec)
}

// mustNotRun says why a call should not have run; "" when it may have.
func (c *Case) mustNotRun(k *call, t *turn, w wireCall, sent bool) string {
	r := &c.recs[k.rec]
	a := c.attemptBy[r.Attempt]
	ro, known := c.readOnly(r.Name)
	// A read may begin while its answer still comes, by what is known then.
	early := known && ro && len(k.started) > 0 && (a.assistant < 0 || k.started[0] < a.assistant)
	switch {
	case !sent:
		return "the answer " + r.Attempt + " has no such call with this input: " + raw(r.Input)
	case !w.closed:
		return "the call's block was never closed: its input is cut"
	case !isObject(w.input):
		return "its input is not one strict JSON object: " + raw(w.input)
	case t.truncated() && w.block == len(t.blocks)-1 && !(early && t.firm):
		return "a token limit cut the answer inside this call, its last block: what arrived is not what the model meant"
	case disowned(t.stop) && !early:
		return "the provider itself says that it is malformed: " + quoted(t.stop)
	case t.ending() == broken && known && !ro:
		return "the answer that made it broke off, and the tool has effects"
	case t.ending() == broken && t.stop == "" && w.block == len(t.blocks)-1:
		return "nothing had come behind it when the answer broke off: a token limit might have cut it"
	}
	return ""
}

// tooEarly says that a call with effects did not wait for its answer; "" when
// it did. What has no effects may begin while the answer still comes (B4).
func (c *Case) tooEarly(a *attempt, k *call) string {
	if ro, known := c.readOnly(k.name); ro || !known || len(k.started) == 0 || c.lost(evidence.KindTranscript) {
		return ""
	}
	switch {
	case a.assistant >= 0 && k.started[0] < a.assistant:
		return "the tool has effects, and the answer that made it was not committed yet"
	case a.assistant < 0 && a.discarded >= 0:
		return "the tool has effects, and the answer that made it was discarded (" + c.recs[a.discarded].Reason + ")"
	case a.assistant < 0:
		return "the tool has effects, and the answer that made it was never committed"
	}
	return ""
}

// sent finds the call on the wire that a call record stands for: same block,
// same name, same bytes. Nothing and {} are the same bytes.
func sent(t *turn, r *journal.Record) (wireCall, bool) {
	var near wireCall
	ok := false
	for _, w := range t.calls() {
		if w.name != r.Name || w.id != r.ID {
			continue
		}
		same := w.input == r.Input || emptyObject(w.input) && emptyObject(r.Input)
		if same && w.block == r.Block {
			return w, true
		}
		if same && !ok {
			near, ok = w, true
		}
	}
	return near, ok
}

func emptyObject(input string) bool {
	return strings.TrimSpace(input) == "" || input == "{}"
}

// foreignEffects judges effects of an agent that keeps no transcript, by the
// provider's id alone: some answer must hold that call complete.
func foreignEffects(c *Case) []Finding {
	if c.ev.Has(evidence.KindTranscript) {
		return nil
	}
	const (
		seen = iota + 1
		good
	)
	byID := map[string]int{}
	for _, x := range c.exchanges {
		t := x.turn()
		if t == nil {
			continue
		}
		for _, w := range t.calls() {
			if w.complete {
				byID[w.id] = good
			} else if byID[w.id] == 0 {
				byID[w.id] = seen
			}
		}
	}
	var out []Finding
	for i, e := range c.ev.Effects {
		if e.ID != "" && byID[e.ID] == seen {
			where, around := c.effect(i)
			out = append(out, found(where, around, "%s ran for call %s, but no answer holds that call complete: its input was cut or is not one JSON object", e.Tool, word(e.ID)))
		}
	}
	return out
}
