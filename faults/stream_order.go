package faults

import (
	"bytes"
	"slices"
)

// Every loop that takes a stream for a list of independent pieces breaks here;
// these are the rules that see it.
var (
	protocolRules = []string{"stop/typed-end", "stop/complete-only", "ladder/bounded", "wire/no-storm"}
	malformed     = []string{"jundot/omlx#1353", "QuantumNous/new-api#5482", "NousResearch/hermes-agent#45908"}
)

// orderFaults are events that are missing, there twice, or somewhere else.
func orderFaults() []Fault {
	return []Fault{
		{
			Name: "drop-event", Summary: "One event of the stream is missing",
			Params: []Param{eventAt(2)}, Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=drop-event", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.drop(e)
				}
			},
		},
		{
			Name: "repeat-event", Summary: "One event of the stream comes twice",
			Params: []Param{eventAt(2)}, Reports: []string{"zirkelc/ai-retry#51"}, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=repeat-event", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, s.bytes(e))
				}
			},
		},
		{
			Name: "swap-events", Summary: "Two neighbouring events have changed places",
			Params: []Param{eventAt(2)}, Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=swap-events", ends: "completed",
			events: func(s *stream, a Args) {
				e, ok := s.event(a.int("event"))
				if next, ok2 := s.after(e); ok && ok2 {
					s.splice(e.from, next.to, slices.Concat(s.b[next.from:next.to], s.b[e.from:e.to]))
				}
			},
		},
		{
			Name: "move-event", Summary: "One event comes at another place",
			Params:  []Param{eventAt(2), number("to", -1, -mostEvents, mostEvents, "where it comes: before that event")},
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=move-event", ends: "completed",
			events: func(s *stream, a Args) {
				e, ok := s.event(a.int("event"))
				to, ok2 := s.event(a.int("to"))
				if ok && ok2 && e.from != to.from {
					s.moveTo(e, to.from)
				}
			},
		},
		{
			Name: "reverse-events", Summary: "All events come in the opposite order",
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-reversed", ends: "unknown_stop", Protocols: []string{"anthropic", "chat"},
			events: func(s *stream, _ Args) {
				var all [][]byte
				for _, e := range s.events {
					all = append(all, s.bytes(e))
				}
				slices.Reverse(all)
				s.splice(0, len(s.b), bytes.Join(all, nil))
			},
		},
		{
			Name: "no-start", Summary: "The event that opens the answer is missing",
			Reports: []string{"jundot/omlx#1353"}, Rules: protocolRules,
			Scenario: "fault-stream-bytes/FAULT=no-start", ends: "completed", Protocols: []string{"anthropic", "responses"},
			events: func(s *stream, _ Args) { s.dropFirst(start) },
		},
		{
			Name: "second-start", Summary: "The event that opens the answer comes once more, in the middle of it",
			Params: []Param{eventAt(4)}, Reports: []string{"zirkelc/ai-retry#51"}, Rules: append([]string{"record/preview-settles"}, protocolRules...),
			Scenario: "fault-stream-order/once/FAULT=second-start", ends: "completed", Protocols: []string{"anthropic", "responses"},
			events: func(s *stream, a Args) {
				first, ok := s.first(start)
				if e, ok2 := s.event(a.int("event")); ok && ok2 {
					s.insert(e.from, s.bytes(first))
				}
			},
		},
		{
			Name: "no-block-start", Summary: "A block is never opened: what belongs to it is about nothing",
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=no-block-start", ends: "completed", Protocols: []string{"anthropic", "responses"},
			events: func(s *stream, _ Args) { s.dropFirst(opens) },
		},
		{
			Name: "no-block-stop", Summary: "The last block is never closed, although the answer ends well",
			Reports: []string{"coder/coder#28470", "charmbracelet/crush#2669"}, Rules: []string{"stop/complete-only", "stop/no-empty-success", "stop/typed-end"},
			Scenario: "fault-stream-open-block", ends: "completed", Protocols: []string{"anthropic"},
			events: func(s *stream, _ Args) {
				if e, ok := s.last(closes); ok {
					s.drop(e)
				}
			},
		},
		{
			Name: "block-stop-twice", Summary: "A block is closed twice",
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=block-stop-twice", ends: "completed", Protocols: []string{"anthropic"},
			events: func(s *stream, _ Args) {
				if e, ok := s.first(closes); ok {
					s.insert(e.to, s.bytes(e))
				}
			},
		},
		{
			Name: "delta-after-stop", Summary: "A piece of a block comes once more behind the block's end",
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=delta-after-stop", ends: "completed", Protocols: []string{"anthropic"},
			events: func(s *stream, _ Args) {
				e, ok := s.last(inputs)
				if end, ok2 := s.last(closes); ok && ok2 && end.from > e.from {
					s.insert(end.to, s.bytes(e))
				}
			},
		},
		{
			Name: "stop-twice", Summary: "The stop reason comes twice, the second time as another",
			Reports: []string{"griffinwork40/agent-afk#290"}, Rules: []string{"stop/blocks-decide", "stop/typed-end", "stop/complete-only"},
			Scenario: "fault-stream-stop-twice", ends: "completed", Protocols: []string{"anthropic"},
			events: func(s *stream, _ Args) {
				if e, ok := s.first(stops); ok {
					again := edit(e.data, func(_ []value, v value) bool { return v.name == "stop_reason" }, func(value) string { return `"max_tokens"` })
					s.insert(e.to, s.render(e.name, again))
				}
			},
		},
	}
}

// after is the next event with data.
func (s *stream) after(e event) (event, bool) {
	for _, o := range s.events {
		if o.from >= e.to && o.has {
			return o, true
		}
	}
	return event{}, false
}

// moveTo puts an event in front of what stands at a place.
func (s *stream) moveTo(e event, place int) {
	b := s.bytes(e)
	if place > e.from {
		place -= e.to - e.from
	}
	s.drop(e)
	s.insert(place, b)
}

func (s *stream) dropFirst(k kind) {
	if e, ok := s.first(k); ok {
		s.drop(e)
	}
}
