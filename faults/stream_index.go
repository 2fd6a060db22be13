package faults

import (
	"fmt"
	"regexp"
	"strconv"
)

// indexFaults are places and ids of blocks and calls that are not what they
// should be.
func indexFaults() []Fault {
	blocks := []string{"anthropic", "responses"}
	indexed := []string{"anthropic", "chat", "responses"}
	ids := []string{"wire/legal", "ladder/no-rerun", "stop/blocks-decide"}
	return []Fault{
		{
			Name: "index-jump", Summary: "The places of all blocks but the first are by some too high, so there is a gap",
			Params: []Param{number("by", 1, 1, 1000, "how much")}, Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=index-jump", ends: "completed", Protocols: blocks,
			events: func(s *stream, a Args) {
				s.indexes(func(n int) string {
					if n > 0 {
						n += a.int("by")
					}
					return strconv.Itoa(n)
				})
			},
		},
		{
			Name: "index-shift", Summary: "The places of blocks are counted from 1",
			Reports: malformed, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=index-shift", ends: "completed", Protocols: blocks,
			events: func(s *stream, _ Args) { s.indexes(func(n int) string { return strconv.Itoa(n + 1) }) },
		},
		{
			Name: "index-same", Summary: "All blocks have place 0",
			Reports: []string{"anthropics/anthropic-sdk-typescript#879", "AstrBotDevs/AstrBot#6661"}, Rules: []string{"stop/blocks-decide", "wire/legal", "stop/complete-only"},
			Scenario: "fault-stream-index", ends: "completed", Protocols: indexed,
			events: func(s *stream, _ Args) { s.indexes(func(int) string { return "0" }) },
		},
		{
			Name: "index-missing", Summary: "The events do not say the place of their block",
			Reports: []string{"SamSaffron/term-llm#314", "openai/openai-python#2806"}, Rules: []string{"stop/blocks-decide", "stop/complete-only", "wire/legal"},
			Scenario: "fault-stream-order/once/FAULT=index-missing", ends: "completed", Protocols: indexed,
			events: func(s *stream, _ Args) { s.indexes(func(int) string { return "" }) },
		},
		{
			Name: "index-stray", Summary: "One piece of a call is said to belong to a block that was never opened",
			Reports: []string{"dirac-run/dirac#215", "jundot/omlx#1353"}, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=index-stray", ends: "completed", Protocols: []string{"anthropic"},
			events: func(s *stream, _ Args) {
				if e, ok := s.last(inputs); ok {
					s.setData(e, edit(e.data, func(_ []value, v value) bool { return s.g.index.MatchString(v.path) }, func(value) string { return "77" }))
				}
			},
		},
		{
			Name: "index-text", Summary: "The places of blocks are strings",
			Reports: []string{"QuantumNous/new-api#5482"}, Rules: protocolRules,
			Scenario: "fault-stream-order/once/FAULT=index-text", ends: "completed", Protocols: indexed,
			events: func(s *stream, _ Args) { s.indexes(func(n int) string { return fmt.Sprintf(`"%d"`, n) }) },
		},
		{
			Name: "id-missing", Summary: "Calls come without an id",
			Reports: []string{"NousResearch/hermes-agent#115224", "strands-agents/harness-sdk#2949", "BerriAI/litellm#33223"}, Rules: ids,
			Scenario: "fault-stream-ids/id-missing", ends: "completed",
			events: func(s *stream, _ Args) { s.ids(func(int, string) string { return "" }) },
		},
		{
			Name: "id-empty", Summary: "The ids of calls are empty",
			Reports: []string{"smallest-inc/smallest-python-sdk#118", "langchain-ai/langchain#35395"}, Rules: ids,
			Scenario: "fault-stream-ids/id-empty", ends: "completed",
			events: func(s *stream, _ Args) { s.ids(func(int, string) string { return `""` }) },
		},
		{
			Name: "id-repeated", Summary: "All calls of the answer have the id of the first",
			Reports: []string{"anthropics/claude-code#28515", "BerriAI/litellm#23510"}, Rules: append([]string{"cancel/settles"}, ids...),
			Scenario: "fault-stream-ids/id-repeated", ends: "completed",
			events: func(s *stream, _ Args) {
				first := ""
				s.eachForward(func(e event) string {
					return edit(e.data, s.isID, func(v value) string {
						if first == "" {
							first = e.data[v.from:v.to]
						}
						return first
					})
				})
			},
		},
		{
			Name: "id-number", Summary: "The ids of calls are numbers",
			Reports: []string{"AI-Shell-Team/aish#200"}, Rules: append([]string{"stop/typed-end"}, ids...),
			Scenario: "fault-stream-order/once/FAULT=id-number", ends: "completed",
			events: func(s *stream, _ Args) { s.ids(func(n int, _ string) string { return strconv.Itoa(7 + n) }) },
		},
		{
			Name: "id-changed", Summary: "Later pieces of a call carry another id than its first",
			Reports: []string{"poolsideai/pool#9"}, Rules: ids,
			Scenario: "fault-stream-ids-change", ends: "completed", Protocols: []string{"chat", "responses"},
			events: func(s *stream, _ Args) {
				if s.g.name == "chat" {
					s.laterIDs()
					return
				}
				s.each(func(e event) string {
					if !s.g.is(e, closes) {
						return e.data
					}
					return edit(e.data, s.isID, func(v value) string { return quote(v.text(e.data) + "-later") })
				})
			},
		},
		{
			Name: "name-missing", Summary: "Calls come without the name of a tool",
			Reports: []string{"AI-Shell-Team/aish#200"}, Rules: []string{"stop/typed-end", "stop/complete-only", "wire/legal"},
			Scenario: "fault-stream-ids/name-missing", ends: "completed",
			events: func(s *stream, _ Args) {
				s.each(func(e event) string {
					return edit(e.data, func(_ []value, v value) bool { return s.g.callName.MatchString(v.path) }, func(value) string { return "" })
				})
			},
		},
	}
}

// eachForward is each, first to last.
func (s *stream) eachForward(f func(e event) string) {
	for i := 0; i < len(s.events); i++ {
		if e := s.events[i]; e.has {
			if data := f(e); data != e.data {
				s.setData(e, data)
			}
		}
	}
}

// indexes gives all blocks another place; "" takes it out.
func (s *stream) indexes(f func(n int) string) {
	s.each(func(e event) string {
		return edit(e.data, func(_ []value, v value) bool { return s.g.index.MatchString(v.path) }, func(v value) string {
			n, _ := strconv.Atoi(e.data[v.from:v.to])
			return f(n)
		})
	})
}

// isID reports whether a value is the id of a call.
func (s *stream) isID(vs []value, v value) bool {
	if !s.g.id.MatchString(v.path) {
		return false
	}
	named := false // what is no call has no name
	for _, o := range vs {
		named = named || s.g.callName.MatchString(o.path)
	}
	return named
}

// ids gives all calls another id, with their number from 0; "" takes it out.
func (s *stream) ids(f func(n int, was string) string) {
	n := 0
	s.eachForward(func(e event) string {
		return edit(e.data, s.isID, func(v value) string {
			n++
			return f(n-1, v.text(e.data))
		})
	})
}

// laterIDs gives the pieces of calls that have no id one, which is not that of
// their call.
func (s *stream) laterIDs() {
	s.each(func(e event) string {
		vs := values(e.data)
		for i := len(vs) - 1; i >= 0; i-- {
			v := vs[i]
			if _, has := at(vs, v.path+"/id"); v.kind == '{' && !has && piece.MatchString(v.path) {
				e.data = e.data[:v.from+1] + `"id":"bench-later",` + e.data[v.from+1:]
			}
		}
		return e.data
	})
}

var piece = regexp.MustCompile(`/tool_calls/\d+$`)
