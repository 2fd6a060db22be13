package invariants_test

import (
	"maps"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// sumUp keeps the sums of the run, and fills them in where it ends.
func (b *builder) sumUp(r *journal.Record) {
	b.count(r)
	switch r.Kind {
	case journal.KindUser:
		b.sum = journal.Record{Usage: &providers.Usage{}}
		b.partial = false
	case journal.KindAssistant, journal.KindDiscarded:
		if r.Usage != nil {
			b.sum.Usage.In += r.Usage.In
			b.sum.Usage.Out += r.Usage.Out
		}
		if r.Kind == journal.KindAssistant {
			b.sum.Bytes = 1 // an answer stands
			if !b.partial {
				b.part = ""
			}
			for _, k := range r.Blocks {
				if k.Kind == providers.Text {
					b.part += k.Text
				}
			}
			if b.part != "" {
				b.sum.Text = b.part
			}
		}
	case journal.KindCall:
		b.sum.Calls++
	case journal.KindTransition:
		b.sum.Bytes = 0
		switch r.Reason {
		case "next_turn", "stop_hook_blocking", "gate_feedback", "token_budget_continuation":
			b.sum.Turn++
			b.partial = false
		case "max_output_recovery", "pause_continue":
			b.partial = true
		}
	case journal.KindTerminal:
		u := *b.sum.Usage
		r.Usage, r.Turn, r.Calls, r.Text = &u, b.sum.Turn+b.sum.Bytes, b.sum.Calls, b.sum.Text
		if b.end != nil {
			b.end(r)
		}
	}
}

// count keeps the ladder's counters, and fills them in where the loop goes on.
func (b *builder) count(r *journal.Record) {
	add := func(name string) {
		m := maps.Clone(b.counts)
		if m == nil {
			m = map[string]int{}
		}
		m[name]++
		b.counts = m
	}
	keep := func(names ...string) {
		m := map[string]int{}
		for _, n := range names {
			if b.counts[n] > 0 {
				m[n] = b.counts[n]
			}
		}
		b.counts = m
	}
	reactive := r.Reason != "proactive" && r.Reason != "requested"
	switch {
	case r.Kind == journal.KindUser:
		b.counts = nil
	case r.Kind == journal.KindGate && r.Reason == "block" && r.Code == "hook":
		add("hook_blocks")
	case r.Kind == journal.KindGate && r.Reason == "fail":
		add("gate_blocks")
	case r.Kind == journal.KindGate && r.Reason == "not_done":
		add("judge_blocks")
	case reactive && (r.Kind == journal.KindBoundary && r.Code == "summary" || r.Kind == journal.KindNotice && r.Code == "compaction_failed"):
		add("summaries")
	case r.Kind == journal.KindAssistant:
		b.counts = maps.Clone(b.counts)
		delete(b.counts, "retries")
	case r.Kind == journal.KindTransition:
		if r.Reason != "transport_retry" {
			b.counts = maps.Clone(b.counts)
			delete(b.counts, "retries")
		}
		if r.Reason == "next_turn" {
			keep("hook_blocks", "gate_blocks", "judge_blocks", "nudges", "fallbacks")
		}
		if own := map[string]string{
			"collapse_drain_retry": "drains", "max_output_lower": "lowers", "max_output_escalate": "escalations", "max_output_recovery": "continuations",
			"transport_retry": "retries", "model_fallback": "fallbacks", "empty_retry": "empty", "protocol_retry": "protocol", "pause_continue": "pauses",
			"token_budget_continuation": "nudges",
		}[r.Reason]; own != "" {
			add(own)
		}
		if r.Counters == nil {
			r.Counters = b.counts
		}
	}
}
