package faults

import (
	"strings"
)

// timeFaults are streams whose bytes come at other times.
func timeFaults() []Fault {
	patient := []string{"stop/typed-end", "ladder/bounded"}
	return []Fault{
		{
			Name: "slow-stream", Summary: "Time passes before every event", Params: []Param{duration("each", "5s", "how much")},
			Reports: []string{"openai/codex#658"}, AgentChaos: []string{"compound_slow_response"}, Rules: patient, Scenario: "fault-time/slow-stream", ends: "completed",
			events: func(s *stream, a Args) {
				for _, i := range s.withData() {
					s.wait(s.events[i].from, stallFor(a.duration("each")))
				}
			},
		},
		{
			Name: "trickle", Summary: "The bytes come few at a time, with time between them", Params: []Param{number("bytes", 16, 1, 1_000_000, "how many at a time"), duration("each", "500ms", "between two pieces")},
			Reports: []string{"openai/codex#658"}, Rules: append([]string{"wire/split-blind"}, patient...), Scenario: "fault-time/trickle", ends: "completed",
			events: func(s *stream, a Args) {
				n := a.int("bytes")
				s.pieces(func(from int) int { return from + n })
				for at := n; at < len(s.b); at += n {
					s.wait(at, stallFor(a.duration("each")))
				}
			},
		},
		{
			Name: "stall", Summary: "Silence behind an event or a byte, for a time, and then the answer goes on", Params: append(placed(4), duration("for", "50s", "how long")),
			Reports: []string{"openai/codex#658", "openai/codex#31539"}, Rules: patient, Scenario: "fault-time/stall", ends: "completed",
			events: func(s *stream, a Args) {
				if at, ok := s.place(a); ok {
					s.wait(at, stallFor(a.duration("for")))
				}
			},
		},
		{
			Name: "late-terminal", Summary: "Silence before the last event of the protocol, when all else is there", Params: []Param{duration("for", "50s", "how long")},
			Reports: []string{"tombii/better-ccflare#344"}, Rules: patient, Scenario: "fault-time/late-terminal", ends: "completed", Protocols: ended,
			events: func(s *stream, a Args) {
				if e, ok := s.last(terminal); ok {
					s.wait(e.from, stallFor(a.duration("for")))
				}
			},
		},
		{
			Name: "slow-end", Summary: "Silence behind the last event of the protocol, before the connection is closed", Params: []Param{duration("for", "50s", "how long")},
			Reports: []string{"openai/codex#3229"}, Rules: patient, Scenario: "fault-time/slow-end", ends: "completed",
			events: func(s *stream, a Args) { s.wait(len(s.b), stallFor(a.duration("for"))) },
		},
		{
			Name: "keep-alive", Summary: "Comments come for a time behind an event, and nothing else", Params: []Param{eventAt(4), duration("each", "10s", "between two"), number("n", 24, 1, 100_000, "how many")},
			Reports: []string{"openai/codex#31539", "Menci/Floway#498"}, Rules: patient, Scenario: "fault-time/keep-alive", ends: "completed",
			events: func(s *stream, a Args) {
				e, ok := s.event(a.int("event"))
				if !ok {
					return
				}
				const comment = ": keep-alive\n\n"
				n := a.int("n")
				s.insert(e.to, []byte(strings.Repeat(comment, n)))
				for i := range n {
					at := e.to + i*len(comment)
					s.boundary(at)
					s.wait(at, stallFor(a.duration("each")))
				}
			},
		},
	}
}
