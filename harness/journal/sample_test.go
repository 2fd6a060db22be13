package journal

import "github.com/harnessbench/bench/providers"

// sampleGroups is one run with one call, in the order of the loop's commits.
func sampleGroups(attempt, call string) [][]*Record {
	return [][]*Record{
		{{Kind: KindUser, Text: "read \"it\"\r\n\u2028 and \x00 \u0085 \uffff"}},
		{
			{Kind: KindAttempt, Attempt: attempt, Lane: providers.LaneMain, Model: "m-1", MaxTokens: 1024, Digest: "d"},
			{Kind: KindCall, Call: call, ID: "toolu_" + call, Name: "read", Input: "{\"a\":\xe9\xff", Attempt: attempt, Block: 1},
			{Kind: KindAssistant, Attempt: attempt, Stop: "tool_use", Ending: "complete", Usage: &providers.Usage{In: 3, Out: 4},
				Blocks: []providers.Block{{Kind: providers.Text, Text: "日本"}, {Kind: providers.ToolCall, ID: "toolu_" + call, Name: "read", Input: `{}`}}},
		},
		{{Kind: KindStarted, Call: call}},
		{{Kind: KindResult, Call: call, State: Done, Text: "line\nline\n", Cut: 7}},
		{
			{Kind: KindTransition, Reason: "next_turn", Turn: 1, Digest: "d2", Counters: map[string]int{"empty": 0, "retry": 2}},
			{Kind: KindTerminal, Reason: "completed", Turn: 1, Calls: 1, Usage: &providers.Usage{}},
		},
	}
}
