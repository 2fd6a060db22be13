package faults

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// stopFaults are stop reasons that do not say what the answer holds.
func stopFaults() []Fault {
	strangeStop := Param{Name: "reason", Default: "zzz_new", form: strangers{texts{1000}, knownStops()}, Says: "the word, which no protocol has"}
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
			Params: []Param{strangeStop}, Reports: []string{"earendil-works/pi#1868", "mozilla-ai/any-llm#1200", "coder/coder#28470"},
			Rules: decide, Scenario: "fault-content-ends/unknown/FAULT=unknown-stop", ends: "unknown_stop",
			lines: func(lines []fake.Line, a Args) []fake.Line { return stopWith(drop(lines, isCall), a["reason"]) },
		},
		{
			Name: "unknown-stop-with-calls", Summary: "The stop reason is one that nobody knows, and there are calls",
			Params: []Param{strangeStop}, Reports: []string{"anomalyco/opencode#14972", "anthropics/anthropic-sdk-go#295"},
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
