package invariants

import (
	"bytes"
	"slices"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
)

func toolRules() []Rule {
	return []Rule{{
		Name: "tools/order", Group: "tools", Strength: Ours,
		Summary: "Results reach the model in call order. A tool with effects never overlaps another tool, unless that one was settled and left behind, or works in the background. Prompt bytes do not depend on timing, but for what is told of background calls.",
		Why:     "Results in the order of completion make two runs of the same thing differ, strict endpoints refuse them, and two edits at once lose one (C6, B4; field reports 9.01, 9.02, 9.10).",
		Reports: []string{"anthropics/claude-code#21906", "can1357/oh-my-pi#11179", "google-gemini/gemini-cli#26731", "router-for-me/CLIProxyAPI#5199"},
		Example: "The second of two calls is faster, and its result comes first in the request.",
		Needs:   []evidence.Kind{evidence.KindWire},
		Check:   order,
	}}
}

func order(c *Case) []Finding {
	var out []Finding
	for _, x := range c.exchanges {
		if mostResults(x.Body) < 2 {
			continue // fewer than two results have no order
		}
		proof := c.opts.Memo.proof("order", x.Body)
		if proof.known() {
			continue
		}
		req := x.question()
		if req == nil {
			continue // wire/legal says so
		}
		if why := outOfOrder(req.Messages); why != "" {
			where, around := request(x)
			out = append(out, found(where, around, "request %d shows results in another order than their calls: %s", x.N, why))
			break // every later request repeats it
		}
		proof.keep()
	}
	out = append(out, c.overlaps()...)
	if o := c.opts.OtherSchedule; o != nil && !slices.ContainsFunc(c.calls, c.placeheld) {
		out = append(out, samePrompts(c.ev, o)...)
	}
	return out
}

// mostResults is how many results a request holds at most, in whatever protocol.
func mostResults(body []byte) int {
	n := 0
	for _, word := range []string{`"tool_result"`, `"tool_call_id"`, `"function_call_output"`, `"functionResponse"`} {
		n += bytes.Count(body, []byte(word))
	}
	return n
}

// outOfOrder finds a result that stands before that of an earlier call of the
// same answer.
func outOfOrder(msgs []providers.Message) string {
	for i := 1; i < len(msgs); i++ {
		if msgs[i].Role != providers.User || msgs[i-1].Role != providers.Assistant {
			continue
		}
		at := map[string]int{}
		for n, b := range msgs[i-1].Blocks {
			if _, twice := at[b.ID]; b.Kind == providers.ToolCall && !twice {
				at[b.ID] = n
			}
		}
		last, lastID := -1, ""
		for _, b := range msgs[i].Blocks {
			n, ok := at[b.ID]
			if b.Kind != providers.ToolResult || !ok {
				continue
			}
			if n < last {
				return "that of " + word(b.ID) + " comes behind that of " + word(lastID)
			}
			last, lastID = n, b.ID
		}
	}
	return ""
}

// overlaps follows which tools are running, by the trace. A tool is over when
// it ended or when its call was settled: then it was left behind, or went on in
// the background.
func (c *Case) overlaps() []Finding {
	if !c.ev.Has(evidence.KindTranscript) {
		return nil
	}
	settledAt := map[int][]*call{} // step -> calls whose outcome it appended
	for _, k := range c.calls {
		for _, i := range k.settled {
			if s := c.appended[i]; s >= 0 {
				settledAt[s] = append(settledAt[s], k)
			}
		}
	}
	var out []Finding
	var running []*call
	over := func(k *call) {
		running = slices.DeleteFunc(running, func(r *call) bool { return r == k })
	}
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		for _, k := range settledAt[i] {
			over(k)
		}
		switch s.Kind {
		case evidence.StepLife, evidence.StepKill, evidence.StepPower:
			running = nil
		case evidence.StepToolEnd:
			if k := c.callBy[s.Call]; k != nil {
				over(k)
			}
		case evidence.StepToolStart:
			k := c.callBy[s.Call]
			if k == nil {
				break
			}
			for _, other := range running {
				if other != k && c.conflict(k, other) {
					where, around := c.step(i)
					out = append(out, found(where, around, "%s was entered for call %s while %s was running for call %s: a tool with effects runs alone", k.named(), k.id, other.named(), other.id))
					break
				}
			}
			running = append(running, k)
		}
	}
	return out
}

// conflict reports whether two calls may not run at once: one of them is known
// to have effects, none works in the background, and nothing is unknown.
func (c *Case) conflict(a, b *call) bool {
	aRO, aKnown := c.readOnly(a.name)
	bRO, bKnown := c.readOnly(b.name)
	if !aKnown || !bKnown || c.tools[a.name].Background || c.tools[b.name].Background {
		return false
	}
	return !(aRO && bRO)
}

// samePrompts compares what two schedules of one scenario asked on the main lane.
func samePrompts(a, b *evidence.Evidence) []Finding {
	mine, theirs := mainLane(a), mainLane(b)
	for i, x := range mine {
		if i >= len(theirs) {
			break
		}
		if d := firstDifference(x.Body, theirs[i].Body); d != "" {
			where, around := request(x)
			return []Finding{found(where, around, "with another schedule main-lane request %d has other bytes: %s", i+1, d)}
		}
	}
	if len(mine) != len(theirs) {
		return []Finding{found(Place{File: evidence.WireDir}, nil, "this schedule made %d main-lane requests, another one %d", len(mine), len(theirs))}
	}
	return nil
}

func mainLane(ev *evidence.Evidence) []*exchange {
	var list []*exchange
	for _, e := range ev.Wire {
		if x := (&exchange{Exchange: e}); x.main() {
			list = append(list, x)
		}
	}
	return list
}
