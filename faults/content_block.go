package faults

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

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
				long := strings.Repeat("all work and no play ", a.bytes("size")/21+1)
				for i, l := range lines {
					switch l.Op {
					case fake.OpText, fake.OpCutText: // two texts side by side are one in some protocols
						lines[i].Values = append([]string{long}, l.Values...)
						return lines
					}
				}
				return slices.Insert(lines, 0, textLine(long))
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
