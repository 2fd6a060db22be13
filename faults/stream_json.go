package faults

import (
	"strings"
)

// jsonFaults are events whose data is not what the protocol says.
func jsonFaults() []Fault {
	usageReports := []string{"tombii/better-ccflare#344", "google-gemini/gemini-cli#8586"}
	usage := func(name, summary, with string, ends, scenario string) Fault {
		return Fault{
			Name: name, Summary: summary, Reports: usageReports, Rules: []string{"stop/typed-end", "ladder/bounded", "context/order"},
			Scenario: scenario, ends: ends,
			events: func(s *stream, _ Args) { s.usage(func(string) string { return with }) },
		}
	}
	broken := func(name, summary string, reports []string, f func(data string) string) Fault {
		return Fault{
			Name: name, Summary: summary, Params: []Param{eventAt(3)}, Reports: reports, Rules: protocolRules,
			AgentChaos: []string{"llm_schema_single", "llm_schema_persistent", "llm_schema_burst", "llm_schema_pos_early", "llm_schema_pos_mid", "llm_schema_pos_late"},
			Scenario:   "fault-stream-data/once/FAULT=" + name, ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.setData(e, f(e.data))
				}
			},
		}
	}
	return []Fault{
		broken("junk-json", "The data of one event is no JSON", []string{"pydantic/pydantic-ai#631"}, func(string) string { return "upstream connect error" }),
		broken("truncated-json", "The data of one event is cut in the middle, and the stream goes on", []string{"bojieli/ai-agent-book#194"}, func(d string) string { return d[:len(d)/2] }),
		broken("duplicate-keys", "The data of one event has one name twice", []string{"openai/openai-python#3201"}, func(d string) string {
			if vs := values(d); len(vs) > 1 && vs[1].name != "" {
				return d[:vs[1].member] + d[vs[1].member:vs[1].to] + "," + d[vs[1].member:]
			}
			return d
		}),
		broken("array-event", "The data of one event is an array", []string{"pydantic/pydantic-ai#631"}, func(d string) string { return "[" + d + "]" }),
		broken("null-event", "The data of one event is null", []string{"pydantic/pydantic-ai#631"}, func(string) string { return "null" }),
		{
			Name: "empty-data", Summary: "A data line with nothing in it comes behind an event", Params: []Param{eventAt(2)},
			Reports: []string{"hey-api/hey-api#3054"}, Rules: sameRules, Scenario: "fault-stream-data/once/FAULT=empty-data", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.to, []byte("data:\n\n"))
				}
			},
		},
		{
			Name: "unknown-event", Summary: "An event that nobody knows comes between two others", Params: []Param{eventAt(3)},
			Reports: []string{"earendil-works/pi#1868"}, Rules: sameRules, Scenario: "fault-stream-bytes/FAULT=unknown-event", ends: "completed",
			events: func(s *stream, a Args) {
				if e, ok := s.event(a.int("event")); ok {
					s.insert(e.from, s.render(s.g.strayOf, s.g.stray))
				}
			},
		},
		{
			Name: "unknown-field", Summary: "Every event has a member that nobody knows",
			Reports: []string{"mozilla-ai/any-llm#1200"}, Rules: sameRules, Scenario: "fault-stream-bytes/FAULT=unknown-field", ends: "completed",
			events: func(s *stream, _ Args) {
				s.each(func(e event) string {
					if !strings.HasPrefix(e.data, "{") || len(e.data) < 3 {
						return e.data
					}
					return `{"x_bench":{"new":[1,null,"\u00fc"]},` + e.data[1:]
				})
			},
		},
		usage("usage-missing", "The answer does not count its tokens", "", "completed", "fault-stream-bytes/FAULT=usage-missing"),
		usage("usage-null", "All counts of tokens are null", "null", "completed", "fault-stream-bytes/FAULT=usage-null"),
		usage("usage-negative", "All counts of tokens are negative", "-7", "completed", "fault-stream-data/once/FAULT=usage-negative"),
		usage("usage-huge", "All counts of tokens are larger than any window", "999999999999", "completed", "fault-stream-data/once/FAULT=usage-huge"),
		usage("usage-text", "All counts of tokens are strings", `"many"`, "completed", "fault-stream-data/once/FAULT=usage-text"),
	}
}

// usage gives all counts of tokens another text; "" takes the whole member out.
func (s *stream) usage(f func(was string) string) {
	s.each(func(e event) string {
		return edit(e.data, func(vs []value, v value) bool {
			top := s.g.usage.FindString(v.path)
			if f("") == "" {
				return top != "" && top == v.path
			}
			return top != "" && v.kind == '0' && strings.HasPrefix(v.path, top+"/")
		}, func(v value) string { return f(e.data[v.from:v.to]) })
	})
}
