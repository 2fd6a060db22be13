package main

import "github.com/harnessbench/bench/harness"

// What the packages do not list themselves. The tests hold each list against
// the loop's source.

// triggers say in words when a rung applies.
func triggers() map[harness.Transition]string {
	return map[harness.Transition]string{
		harness.CollapseDrainRetry:      "the request was refused as too long or too large, or for an image, or its answer filled the window; and results or images are staged",
		harness.ReactiveCompactRetry:    "the request was refused as too long or too large, or its answer filled the window; nothing is staged, a summary can stand for something, and fewer than summary_fails failed in a row",
		harness.MaxOutputLower:          "input and max_tokens together are more than the window, and a smaller max_tokens fits",
		harness.MaxOutputEscalate:       "the answer was cut at max_tokens, which was neither raised nor lowered since next_turn",
		harness.MaxOutputRecovery:       "the answer was cut at max_tokens, without a complete call, and brought something new",
		harness.TransportRetry:          "408, 429, 5xx, 529, the network, a cut stream, silence, or an overload inside the stream",
		harness.ModelFallback:           "a third overload in a row, where a fallback model is set",
		harness.EmptyRetry:              "the answer has neither text nor call, and says that it ended well",
		harness.ProtocolRetry:           "the stream is malformed, the stop reason is tool_use without a call, or a final answer writes its call as text",
		harness.PauseContinue:           "the stop reason is pause_turn, without a call",
		harness.StopHookBlocking:        "a stop hook says block of a final answer",
		harness.GateFeedback:            "the completion gate says fail, or the goal judge not_done, of a final answer",
		harness.TokenBudgetContinuation: "a final answer that no gate is against comes before 90 percent of the tokens to be used (nudge; none by default)",
		harness.NextTurn:                "the answer has a complete call, whatever its stop reason says; a refusal has none",
	}
}

// codes are the codes under which a call is answered and not run.
func codes() []item {
	return []item{
		{"cut", "the answer broke off in the call's input", "Source: D6."},
		{"unknown_tool", "there is no tool of that name", "Source: C3."},
		{"invalid_arguments", "the input is not one JSON object that fits the tool's schema", "Source: C2."},
		{"duplicate_id", "another call of the answer has the same id and another input", "Source: C8."},
		{"refusal", "the answer that made the call is a refusal", ""},
		{"permission_denied", "the policy, or whoever it asks, denies it", "Source: C9."},
		{"circuit_open", "the tool failed too often in a row", "Source: C10."},
		{"tool_deferred", "the tool is there and was not revealed to the model", "Source: C12."},
		{"loop", "the same calls came again with nothing changed", "Source: N1."},
		{"token_budget", "the run has used its tokens", "Source: O1."},
	}
}

// gates are what gates say of an answer, each as GATE:VERDICT.
func gates() []item {
	return []item{
		{"hook:allow", "no stop hook has anything against the answer", ""},
		{"hook:block", "a stop hook sends the answer back", "Transition: stop_hook_blocking; the block that reaches the maximum ends the run with stop_hook_prevented."},
		{"hook:prevent", "a stop hook forbids to go on", "Terminal: stop_hook_prevented."},
		{"hook:halt", "a stop hook halts the run", "Terminal: hook_stopped."},
		{"hook:failed", "a stop hook broke down, hung, or said no known word", "Never a block; terminal: completed_unverified."},
		{"tool_hook:allow", "no hook has anything against the tools' outcomes", ""},
		{"tool_hook:block", "a hook has something to say of the outcomes; the model is told", "Transition: next_turn, with the hook's words behind the results."},
		{"tool_hook:prevent", "a hook forbids to go on behind the tools", "Terminal: hook_stopped."},
		{"tool_hook:halt", "a hook halts the run behind the tools", "Terminal: hook_stopped."},
		{"tool_hook:failed", "a hook behind the tools broke down, hung, or said no known word", "It is passed over."},
		{"completion:pass", "what the user asked to be checked was shown", ""},
		{"completion:unverified", "a check that was asked for if possible was not shown", "Terminal: completed_unverified."},
		{"completion:fail", "a check that was asked for was not shown, or a todo is open", "Transition: gate_feedback; the block that reaches the maximum ends the run with completion_gate_blocked."},
		{"judge:done", "the judge says that the goal is reached", ""},
		{"judge:not_done", "the judge says that the goal is not reached", "Transition: gate_feedback; the block that reaches the maximum ends the run with completion_gate_blocked."},
		{"judge:impossible", "the judge says that the goal cannot be reached", "Terminal: goal_impossible."},
		{"judge:error", "the goal could not be judged", "Terminal: judge_error; the goal is kept."},
		{"judge:deferred", "background work is still running, so nothing was judged", "Terminal: completed_unverified."},
	}
}
