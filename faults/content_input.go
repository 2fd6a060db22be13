package faults

import (
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// inputFaults are calls whose input is not what the tool takes.
func inputFaults() []Fault {
	refused := []string{"stop/complete-only", "wire/legal", "stop/typed-end"}
	one := func(name, summary string, reports, chaos []string, f func(in string) string) Fault {
		return Fault{
			Name: name, Summary: summary, Reports: reports, AgentChaos: chaos, Rules: refused,
			Scenario: "fault-content-refused/once/FAULT=" + name, ends: "completed", lines: inCalls(f),
		}
	}
	members := func(f func(in string, first value) string) func(string) string {
		return func(in string) string {
			if vs := values(in); len(vs) > 1 && vs[1].name != "" {
				return f(in, vs[1])
			}
			return in
		}
	}
	schema := []string{"tool_schema_single", "tool_schema_persistent", "tool_schema_burst"}
	return []Fault{
		one("malformed-input", "The input of the last call is no JSON: its names have no quotes", []string{"earendil-works/pi#2419", "zed-industries/zed#52891"}, nil,
			func(in string) string { return strings.ReplaceAll(in, `"`, "") }),
		one("single-quotes", "The input of the last call is JSON with single quotes", []string{"earendil-works/pi#2419"}, nil,
			func(in string) string { return strings.ReplaceAll(in, `"`, "'") }),
		one("trailing-comma", "The input of the last call is JSON with a comma too many", []string{"zed-industries/zed#52891"}, nil,
			func(in string) string {
				if rest, ok := strings.CutSuffix(in, "}"); ok {
					return rest + ",}"
				}
				return in
			}),
		one("null-input", "The input of the last call is null", []string{"NousResearch/hermes-agent#83869"}, nil, func(string) string { return "null" }),
		one("array-input", "The input of the last call is an array with the object in it", []string{"google-gemini/gemini-cli#12674"}, nil, func(in string) string { return "[" + in + "]" }),
		one("string-input", "The input of the last call is a JSON string that holds the object", []string{"BerriAI/litellm#21744"}, nil, quote),
		one("empty-input", "The last call has no input at all, although its tool needs one", []string{"charmbracelet/crush#2669"}, []string{"tool_error_single", "tool_error_persistent", "tool_error_burst"}, func(string) string { return "" }),
		one("missing-field", "The first field of the last call's input is missing", []string{"jaseci-labs/jac#6766"}, []string{"tool_error_single"},
			members(func(in string, v value) string { return without(in, v) })),
		one("extra-field", "The last call's input has a field that the tool does not know", []string{"odysseus-dev/odysseus#5202"}, schema,
			members(func(in string, v value) string { return in[:v.member] + `"bench_extra":1,` + in[v.member:] })),
		one("wrong-name", "The first field of the last call's input has another name", []string{"odysseus-dev/odysseus#5202"}, schema,
			members(func(in string, v value) string { return in[:v.member] + `"bench_` + in[v.member+1:] })),
		one("wrong-type", "The first field of the last call's input is of another type", []string{"google-gemini/gemini-cli#12674"}, schema,
			members(func(in string, v value) string { return set(in, v, `{"value":`+in[v.from:v.to]+`}`) })),
		one("duplicate-field", "The first field of the last call's input is there twice, with two values", []string{"openai/openai-python#3201"}, nil,
			members(func(in string, v value) string {
				return in[:v.member] + in[v.member:v.from] + `"bench-other",` + in[v.member:]
			})),
		one("lone-surrogate", "A string of the last call's input has half a surrogate pair, as an escape", []string{"api7/aisix#111"}, []string{"tool_corrupt_single", "tool_corrupt_persistent", "tool_corrupt_burst"},
			members(func(in string, v value) string { return set(in, v, `"\ud83d half"`) })),
		{
			Name: "nul-in-input", Summary: "A string of the last call's input has a NUL, as an escape: valid JSON, and no file name",
			Reports: []string{"anthropics/claude-code#49876"}, AgentChaos: []string{"tool_corrupt_single"},
			Rules: []string{"record/no-forgery", "stop/complete-only", "record/two-ledgers"}, Scenario: "fault-content-taken/nul-in-input", ends: "completed",
			lines: inCalls(func(in string) string {
				for _, v := range values(in) {
					if v.kind == '"' {
						return set(in, v, `"a\u0000b"`)
					}
				}
				return in
			}),
		},
		{
			Name: "blank-input", Summary: "The input of the last call has white space wherever JSON may have it", Reports: []string{"bojieli/ai-agent-book#194"},
			Rules: []string{"ladder/no-rerun", "stop/complete-only"}, Scenario: "fault-content-taken/blank-input", ends: "completed",
			lines: inCalls(func(in string) string { return " \n" + strings.ReplaceAll(breakLines(in), "\n", "\t\n ") + " \n" }),
		},
		{
			Name: "deep-input", Summary: "The last call's input has a field that is nested very deeply",
			Params: []Param{number("depth", 5000, 1, 100_000, "how deeply")}, Reports: []string{"zed-industries/zed#63237"},
			Rules: []string{"stop/typed-end", "wire/legal", "stop/complete-only"}, Scenario: "fault-content-refused/once/FAULT=deep-input", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				n := a.int("depth")
				return inCalls(members(func(in string, v value) string {
					return set(in, v, strings.Repeat("[", n)+strings.Repeat("]", n))
				}))(lines, a)
			},
		},
		{
			Name: "unknown-tool", Summary: "The last call is of a tool that does not exist",
			Params: []Param{text("name", "bench_nope", "its name")}, Reports: []string{"odysseus-dev/odysseus#5202"}, AgentChaos: []string{"tool_error_single"},
			Rules: []string{"wire/legal", "stop/blocks-decide"}, Scenario: "fault-content-refused/once/FAULT=unknown-tool", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				if i := lastCall(lines); i >= 0 {
					lines[i].Name = a["name"]
				}
				return lines
			},
		},
	}
}
