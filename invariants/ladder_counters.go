package invariants

import (
	"fmt"
	"maps"
	"slices"

	"github.com/harnessbench/bench/harness/journal"
)

// counter is one of the ladder's counters, as transitions carry them.
type counter struct {
	name string
	// by are the transitions that count it. counted: it is counted by a record of
	// its own before them (a gate's word, a summary), which other records tell of.
	by      []string
	counted func(*journal.Record) bool
	run     bool // it never falls within a run; else it falls to 0 at next_turn
}

// counters are the counters that are judged, but for retries, which count for
// one request, and overloads, which count what the provider does.
var counters = []counter{
	{name: "drains", by: []string{"collapse_drain_retry"}},
	{name: "summaries", by: []string{"reactive_compact_retry"}, counted: reactive},
	{name: "lowers", by: []string{"max_output_lower"}},
	{name: "escalations", by: []string{"max_output_escalate"}},
	{name: "continuations", by: []string{"max_output_recovery"}},
	{name: "empty", by: []string{"empty_retry"}},
	{name: "protocol", by: []string{"protocol_retry"}},
	{name: "pauses", by: []string{"pause_continue"}},
	{name: "hook_blocks", by: []string{"stop_hook_blocking"}, counted: blockedBy("hook"), run: true},
	{name: "gate_blocks", counted: blockedBy("completion"), run: true},
	{name: "judge_blocks", counted: blockedBy("judge"), run: true},
	{name: "nudges", by: []string{"token_budget_continuation"}, run: true},
	{name: "fallbacks", by: []string{"model_fallback"}, run: true},
}

// reactive: a summary was tried because a request had been refused; applied or
// not, it is used up (D2).
func reactive(r *journal.Record) bool {
	tried := r.Kind == journal.KindBoundary && r.Code == "summary" || r.Kind == journal.KindNotice && r.Code == "compaction_failed"
	return tried && r.Reason != "proactive" && r.Reason != "requested"
}

func blockedBy(gate string) func(*journal.Record) bool {
	return func(r *journal.Record) bool {
		return r.Kind == journal.KindGate && r.Code == gate && verdicts{}.with(r).sentBack()
	}
}

// counters compares what each transition of a run says of the counters with
// what the transition before it said. One that is wrong makes the rest wrong.
func (c *Case) counters(u *run) []Finding {
	before, known := map[string]int(nil), u.prompt >= 0 && !c.given(u.prompt)
	seen := make([]int, len(counters)) // records since then that count by themselves
	for i := u.first; i <= u.last; i++ {
		r := &c.recs[i]
		if r.Run != u.n {
			continue
		}
		for n := range counters {
			if f := counters[n].counted; f != nil && f(r) {
				seen[n]++
			}
		}
		if r.Kind != journal.KindTransition {
			continue
		}
		if c.given(i) {
			known = false
			continue
		}
		why := c.overLimit(r)
		if why == "" && known {
			why = miscounted(r, before, seen)
		}
		if why != "" {
			where, around := c.record(i)
			return []Finding{found(where, around, "at %s %s", r.Reason, why)}
		}
		before, known = r.Counters, true
		clear(seen)
	}
	return nil
}

// overLimit names a counter that is over its limit.
func (c *Case) overLimit(r *journal.Record) string {
	for _, name := range slices.Sorted(maps.Keys(r.Counters)) {
		if most, ok := c.ev.Limits.Counters[name]; ok && r.Counters[name] > most {
			return fmt.Sprintf("the counter %s is %d; its limit is %d", name, r.Counters[name], most)
		}
	}
	return ""
}

// miscounted says which counter moved as it must not.
func miscounted(r *journal.Record, before map[string]int, seen []int) string {
	for n := range counters {
		k := &counters[n]
		was, is := before[k.name], r.Counters[k.name]
		own := slices.Contains(k.by, r.Reason)
		most := was + seen[n]
		if own && k.counted == nil {
			most++
		}
		switch {
		case !k.run && r.Reason == "next_turn":
			if is != 0 {
				return fmt.Sprintf("the counter %s is still %d: what counts for one turn begins anew here", k.name, is)
			}
		case is < was:
			return fmt.Sprintf("the counter %s fell from %d to %d: it begins anew %s, and nowhere else", k.name, was, is, k.refills())
		case own && is == was:
			return fmt.Sprintf("the counter %s stayed at %d, though this is what it counts", k.name, was)
		case is > most:
			return fmt.Sprintf("the counter %s went from %d to %d, though nothing that it counts happened more than %d times", k.name, was, is, most-was)
		}
	}
	switch was, is := before["retries"], r.Counters["retries"]; {
	case r.Reason == "transport_retry" && is != was+1 && is != 1:
		return fmt.Sprintf("the counter retries went from %d to %d: it counts the retries of one request, one by one", was, is)
	case r.Reason != "transport_retry" && is > was:
		return fmt.Sprintf("the counter retries went from %d to %d, though nothing was retried", was, is)
	case r.Reason == "gate_feedback" && r.Counters["gate_blocks"]+r.Counters["judge_blocks"] <= before["gate_blocks"]+before["judge_blocks"]:
		return "neither gate_blocks nor judge_blocks was counted, though this is what they count"
	}
	return ""
}

func (k *counter) refills() string {
	if k.run {
		return "with a new prompt"
	}
	return "at next_turn and with a new prompt"
}
