package faults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// isCall reports whether a line is a client's call.
func isCall(l fake.Line) bool { return l.Op == fake.OpCall || l.Op == fake.OpCutCall }

// calls are the places of a reply's calls.
func calls(lines []fake.Line) []int {
	var out []int
	for i := range lines {
		if isCall(lines[i]) {
			out = append(out, i)
		}
	}
	return out
}

// lastCall is the place of the last call, or -1.
func lastCall(lines []fake.Line) int {
	if c := calls(lines); len(c) > 0 {
		return c[len(c)-1]
	}
	return -1
}

// says reports whether a line is a part of what is answered, with a place in
// the message.
func says(l fake.Line) bool {
	switch l.Op {
	case fake.OpText, fake.OpThink, fake.OpCall, fake.OpCutText, fake.OpCutThink, fake.OpCutCall, fake.OpServerCall, fake.OpServerResult, fake.OpRefusal:
		return true
	}
	return false
}

// drop leaves out lines.
func drop(lines []fake.Line, which func(fake.Line) bool) []fake.Line {
	return slices.DeleteFunc(lines, which)
}

// behind puts lines behind the last one that is a part of the message.
func behind(lines []fake.Line, more ...fake.Line) []fake.Line {
	at := 0
	for i := range lines {
		if says(lines[i]) {
			at = i + 1
		}
	}
	return slices.Insert(lines, at, more...)
}

// stopWith gives the answer another stop reason, behind all it says.
func stopWith(lines []fake.Line, reason string) []fake.Line {
	lines = drop(lines, func(l fake.Line) bool { return l.Op == fake.OpStop })
	return behind(lines, fake.Line{Op: fake.OpStop, Values: []string{reason}})
}

// input is a call's input as text.
func input(l fake.Line) string {
	if l.JSON != "" {
		return l.JSON
	}
	return strings.Join(l.Values, "")
}

// withInput gives a call another input, as bytes that nobody checks.
func withInput(l fake.Line, in string) fake.Line {
	l.JSON, l.Values = "", []string{in}
	return l
}

// textLine is a block of text.
func textLine(s string) fake.Line { return fake.Line{Op: fake.OpText, Values: []string{s}} }

// inCalls lets f give the last call another input.
func inCalls(f func(in string) string) func([]fake.Line, Args) []fake.Line {
	return func(lines []fake.Line, _ Args) []fake.Line {
		if i := lastCall(lines); i >= 0 {
			lines[i] = withInput(lines[i], f(input(lines[i])))
		}
		return lines
	}
}

// stopFaults are stop reasons that do not say what the answer holds.
func stopFaults() []Fault {
	decide := []string{"stop/blocks-decide", "stop/typed-end", "stop/no-empty-success"}
	return []Fault{
		{
			Name: "calls-under-end-turn", Summary: "The answer has calls, and says end_turn",
			Reports: []string{"anomalyco/opencode#14972", "strands-agents/harness-sdk#1827"}, Rules: decide,
			Scenario: "fault-content-stop/FAULT=calls-under-end-turn", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				if len(calls(lines)) == 0 {
					return lines
				}
				return stopWith(lines, "end_turn")
			},
		},
		{
			Name: "tool-use-without-call", Summary: "The answer says tool_use, and its calls are missing",
			Reports:    []string{"mastra-ai/mastra#12581", "earendil-works/pi#9681", "rescrv/claudius#106"},
			AgentChaos: []string{"tool_empty_single", "tool_empty_persistent", "tool_empty_burst"}, Rules: decide,
			Scenario: "fault-content-protocol/once/FAULT=tool-use-without-call", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "tool_use") },
		},
		{
			Name: "max-tokens", Summary: "The answer is whole, and says max_tokens",
			Reports: []string{"jaseci-labs/jac#6766", "MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark#55"}, AgentChaos: []string{"compound_max_tokens"},
			Rules:    []string{"stop/complete-only", "ladder/order", "stop/typed-end"},
			Scenario: "fault-content-cut/FAULT=max-tokens", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(lines, "max_tokens") },
		},
		{
			Name: "half-and-max-tokens", Summary: "The answer breaks off in the middle of its last block, and says max_tokens",
			Reports:    []string{"pydantic/pydantic-ai#3118", "mattmezza/humux#77", "GCWing/OpenBitFun#643"},
			AgentChaos: []string{"compound_max_tokens", "llm_truncate_single"}, Rules: []string{"stop/complete-only", "ladder/order", "ladder/progress"},
			Scenario: "fault-content-cut/FAULT=half-and-max-tokens", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				for i := len(lines) - 1; i >= 0; i-- {
					if l := lines[i]; isCall(l) || l.Op == fake.OpText {
						lines[i] = half(l)
						break
					}
				}
				return stopWith(lines, "max_tokens")
			},
		},
		{
			Name: "half-and-tool-use", Summary: "The input of the last call breaks off in the middle, and the answer says tool_use",
			Reports: []string{"MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark#55", "earendil-works/pi#2419"},
			Rules:   []string{"stop/complete-only", "wire/legal"}, AgentChaos: []string{"tool_truncate_single"},
			Scenario: "fault-content-refused/once/FAULT=half-and-tool-use", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				i := lastCall(lines)
				if i < 0 {
					return lines
				}
				in := input(lines[i])
				lines[i] = withInput(lines[i], in[:len(in)/2])
				return stopWith(lines, "tool_use")
			},
		},
		{
			Name: "pause", Summary: "The answer says pause_turn, with nothing for the server to do",
			Reports: []string{"gsd-build/gsd-2#2869", "anthropics/anthropic-sdk-python#1170", "dust-tt/dust#28390"}, Rules: []string{"ladder/bounded", "stop/blocks-decide", "wire/legal"},
			Scenario: "fault-content-pause/once", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "pause_turn") },
		},
		{
			Name: "refusal", Summary: "The answer is a refusal, and says so",
			Params:  []Param{text("text", "I cannot help with that.", "its words")},
			Reports: []string{"Yeachan-Heo/gajae-code#1655", "NousResearch/hermes-agent#91181", "aaif-goose/goose#9724"}, AgentChaos: []string{"compound_content_filter"},
			Rules: []string{"stop/no-empty-success", "ladder/order", "wire/no-hopeless-retry"}, Scenario: "fault-content-ends/refused/FAULT=refusal", ends: "refused",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				lines = stopless(drop(lines, says))
				return append(lines, fake.Line{Op: fake.OpRefusal, Values: []string{a["text"]}})
			},
		},
		{
			Name: "refusal-after-text", Summary: "The answer turns into a refusal behind its text and its calls",
			Reports: []string{"brightwave-inc/tidebreak#593", "griffinwork40/agent-afk#290"}, Rules: []string{"stop/no-empty-success", "stop/blocks-decide", "wire/no-hopeless-retry"},
			Scenario: "fault-content-ends/refused/FAULT=refusal-after-text", ends: "refused",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(lines, "refusal") },
		},
		{
			Name: "refusal-empty", Summary: "The answer says refusal, and nothing else",
			Reports: []string{"griffinwork40/agent-afk#290", "microsoft/amplifier#327"}, AgentChaos: []string{"llm_empty_single"},
			Rules: []string{"stop/no-empty-success", "wire/legal"}, Scenario: "fault-content-ends/refused/FAULT=refusal-empty", ends: "refused",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, says), "refusal") },
		},
		{
			Name: "unknown-stop", Summary: "The stop reason is one that nobody knows, and there is no call",
			Params: []Param{text("reason", "zzz_new", "the word")}, Reports: []string{"earendil-works/pi#1868", "mozilla-ai/any-llm#1200", "coder/coder#28470"},
			Rules: decide, Scenario: "fault-content-ends/unknown/FAULT=unknown-stop", ends: "unknown_stop",
			lines: func(lines []fake.Line, a Args) []fake.Line { return stopWith(drop(lines, isCall), a["reason"]) },
		},
		{
			Name: "unknown-stop-with-calls", Summary: "The stop reason is one that nobody knows, and there are calls",
			Params: []Param{text("reason", "zzz_new", "the word")}, Reports: []string{"anomalyco/opencode#14972", "anthropics/anthropic-sdk-go#295"},
			Rules: decide, Scenario: "fault-content-stop/FAULT=unknown-stop-with-calls", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				if len(calls(lines)) == 0 {
					return lines
				}
				return stopWith(lines, a["reason"])
			},
		},
		{
			Name: "null-stop", Summary: "The stop reason is null, and there is no call",
			Reports: []string{"pydantic/pydantic-ai#631"}, Rules: decide, Scenario: "fault-content-ends/unknown/FAULT=null-stop", ends: "unknown_stop",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "null") },
		},
		{
			Name: "no-stop", Summary: "No stop reason comes, although the answer is closed as it should be",
			Reports: []string{"zeroclaw-labs/zeroclaw#8663"}, Rules: decide, Scenario: "fault-content-ends/unknown/FAULT=no-stop", ends: "unknown_stop",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "none") },
		},
		{
			Name: "stop-first", Summary: "The stop reason comes before anything else that the answer says",
			Reports: []string{"vercel/ai#8502"}, Rules: []string{"stop/blocks-decide", "stop/complete-only"},
			Scenario: "fault-content-stop/FAULT=stop-first", ends: "completed", Protocols: []string{"anthropic"},
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				reason := "end_turn"
				if len(calls(lines)) > 0 {
					reason = "tool_use"
				}
				return slices.Insert(stopless(lines), 0, fake.Line{Op: fake.OpStop, Values: []string{reason}})
			},
		},
		{
			Name: "window-full", Summary: "The answer says that the context window is full, after half of its text",
			Reports: []string{"earendil-works/pi#1868", "openclaw/openclaw#63661"}, Rules: []string{"ladder/order", "stop/no-empty-success"},
			Scenario: "fault-content-window", ends: "prompt_too_long",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "context_window") },
		},
		{
			Name: "stop-sequence", Summary: "The answer says stop_sequence, which nobody asked for",
			Reports: []string{"anomalyco/opencode#11153"}, Rules: decide, Scenario: "fault-content-last", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return stopWith(drop(lines, isCall), "stop_sequence") },
		},
	}
}

func stopless(lines []fake.Line) []fake.Line {
	return drop(lines, func(l fake.Line) bool { return l.Op == fake.OpStop })
}

// half breaks a block off in the middle.
func half(l fake.Line) fake.Line {
	if isCall(l) {
		in := input(l)
		l = withInput(l, in[:len(in)/2])
		l.Op = fake.OpCutCall
		return l
	}
	s := strings.Join(l.Values, "")
	l.Op, l.Values = fake.OpCutText, []string{s[:runeAt(s, len(s)/2)]}
	return l
}

// runeAt is the last place not behind n where a character of s begins.
func runeAt(s string, n int) int {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

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

// blockFaults are answers with other blocks than they should have.
func blockFaults() []Fault {
	empty := []string{"stop/no-empty-success", "wire/legal", "ladder/bounded"}
	only := func(more ...fake.Line) func([]fake.Line, Args) []fake.Line {
		return func(lines []fake.Line, _ Args) []fake.Line {
			return stopWith(behind(drop(lines, says), more...), "end_turn")
		}
	}
	ids := []string{"wire/legal", "ladder/no-rerun"}
	return []Fault{
		{
			Name: "empty-answer", Summary: "The answer has no block at all, and says end_turn",
			Reports:    []string{"nugget/thane-ai-agent#167", "NousResearch/hermes-agent#34452", "brightwave-inc/tidebreak#1208"},
			AgentChaos: []string{"llm_empty_single", "llm_empty_persistent", "llm_empty_burst"}, Rules: empty,
			Scenario: "fault-content-empty/once/FAULT=empty-answer", ends: "completed", lines: only(),
		},
		{
			Name: "blank-answer", Summary: "The answer is white space", Reports: []string{"fabro-sh/fabro#629"}, Rules: empty,
			Scenario: "fault-content-empty/once/FAULT=blank-answer", ends: "completed", lines: only(textLine(" \n\t ")),
		},
		{
			Name: "empty-text", Summary: "The answer is a block of text with nothing in it", Reports: []string{"rescrv/claudius#106"}, Rules: empty,
			Scenario: "fault-content-empty/once/FAULT=empty-text", ends: "completed", lines: only(textLine("")),
		},
		{
			Name: "thinking-only", Summary: "The answer thinks, and says nothing", Reports: []string{"vellum-ai/vellum-assistant#39487", "tailcallhq/forgecode#2107"}, Rules: empty,
			Scenario: "fault-content-empty/once/FAULT=thinking-only", ends: "completed",
			lines: only(fake.Line{Op: fake.OpThink, Values: []string{"Hm."}}),
		},
		{
			Name: "empty-text-beside", Summary: "Empty blocks of text stand before and behind all that the answer says", Reports: []string{"rescrv/claudius#106"},
			Rules: []string{"wire/legal", "stop/blocks-decide"}, Scenario: "fault-content-stop/FAULT=empty-text-beside", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				return behind(slices.Insert(lines, 0, textLine("")), textLine(""))
			},
		},
		{
			Name: "unsigned-thinking", Summary: "The answer's thinking has no signature", Reports: []string{"tailcallhq/forgecode#1195", "vybestack/llxprt-code#2335"},
			Rules: []string{"wire/legal"}, Scenario: "fault-content-stop/FAULT=unsigned-thinking", ends: "completed", Protocols: []string{"anthropic"},
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				for i := range lines {
					if lines[i].Op == fake.OpThink {
						lines[i].Sig, lines[i].HasSig = "", true
					}
				}
				return lines
			},
		},
		{
			Name: "same-call-twice", Summary: "The last call comes twice, with one id and one input", Reports: []string{"AstrBotDevs/AstrBot#6661", "anthropics/claude-code#28515"},
			Rules: append([]string{"resume/effect-once", "cancel/settles"}, ids...), Scenario: "fault-content-stop/FAULT=same-call-twice", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				if i := lastCall(lines); i >= 0 {
					return slices.Insert(lines, i+1, lines[i])
				}
				return lines
			},
		},
		{
			Name: "same-id-twice", Summary: "A second call follows the last one, with its id and another input", Reports: []string{"griffinmartin/opencode-claude-auth#263", "charmbracelet/crush#3109"},
			Rules: append([]string{"cancel/settles"}, ids...), Scenario: "fault-content-twin", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				if i := lastCall(lines); i >= 0 {
					return slices.Insert(lines, i+1, withInput(lines[i], `{"bench":"another"}`))
				}
				return lines
			},
		},
		{
			Name: "long-id", Summary: "The id of the last call is very long", Params: []Param{size("size", "5KB", 65, 1_000_000, "how long")},
			Reports: []string{"BerriAI/litellm#33223"}, Rules: ids, Scenario: "fault-content-stop/FAULT=long-id", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				return renameLast(lines, strings.Repeat("i", a.bytes("size")))
			},
		},
		{
			Name: "strange-id", Summary: "The id of the last call is a path, with blanks and quotes in it", Reports: []string{"BerriAI/litellm#23510"},
			Rules: append([]string{"secrets/none"}, ids...), Scenario: "fault-content-stop/FAULT=strange-id", ends: "completed",
			lines: func(lines []fake.Line, _ Args) []fake.Line { return renameLast(lines, `../../etc/"pass wd"`) },
		},
		{
			Name: "text-call", Summary: "The last call is written as text, and nothing else is said",
			Params:  []Param{word("form", "json", "how it is written", "json", "fenced", "tagged")},
			Reports: []string{"pydantic/pydantic-ai#631", "google-gemini/gemini-cli#12674"},
			Rules:   []string{"stop/blocks-decide", "ladder/no-rerun"}, Scenario: "fault-content-protocol/once/FAULT=text-call", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				i := lastCall(lines)
				if i < 0 {
					return lines
				}
				said := fmt.Sprintf(map[string]string{
					"json":   `{"name":%s,"arguments":%s}`,
					"fenced": "```json\n{\"name\":%s,\"arguments\":%s}\n```",
					"tagged": `<tool_call>{"name":%s,"arguments":%s}</tool_call>`,
				}[a["form"]], quote(lines[i].Name), input(lines[i]))
				return stopWith(behind(drop(lines, says), textLine(said)), "end_turn")
			},
		},
		{
			Name: "huge-text", Summary: "The answer's text is very long", Params: []Param{size("size", "300KB", 1, 8_000_000, "how long")},
			Reports: []string{"zed-industries/zed#63237"}, Rules: []string{"record/two-ledgers", "resume/replay", "wire/legal"}, Scenario: "fault-content-stop/FAULT=huge-text", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				return slices.Insert(lines, 0, textLine(strings.Repeat("all work and no play ", a.bytes("size")/21+1)))
			},
		},
		{
			Name: "call-after-stop", Summary: "A call comes behind the stop reason, which says end_turn", Reports: []string{"strands-agents/harness-sdk#1827", "anomalyco/opencode#14972"},
			Rules: []string{"stop/blocks-decide", "stop/complete-only"}, Scenario: "fault-content-stop/FAULT=call-after-stop", ends: "completed", Protocols: []string{"anthropic"},
			lines: func(lines []fake.Line, _ Args) []fake.Line {
				if i := lastCall(lines); i >= 0 {
					return slices.Insert(stopless(lines), calls(stopless(lines))[0], fake.Line{Op: fake.OpStop, Values: []string{"end_turn"}})
				}
				return lines
			},
		},
		{
			Name: "many-calls", Summary: "The last call comes many times, each with an id of its own", Params: []Param{number("n", 40, 2, 1000, "how many")},
			Reports: []string{"anthropics/claude-code-action#1795", "earendil-works/pi#9637"}, Rules: []string{"tools/order", "wire/legal", "cancel/settles"}, Scenario: "fault-content-many", ends: "completed",
			lines: func(lines []fake.Line, a Args) []fake.Line {
				i := lastCall(lines)
				if i < 0 {
					return lines
				}
				var more []fake.Line
				for n := 2; n <= a.int("n"); n++ {
					l := lines[i]
					l.ID = fmt.Sprintf("%s-%d", l.ID, n)
					more = append(more, l)
				}
				return slices.Insert(lines, i+1, more...)
			},
		},
	}
}

// renameLast gives the last call another id.
func renameLast(lines []fake.Line, id string) []fake.Line {
	if i := lastCall(lines); i >= 0 {
		lines[i].ID = id
	}
	return lines
}
