package harness

import (
	"context"

	"github.com/harnessbench/bench/harness/env"
)

// HookPoint is where a hook is asked.
type HookPoint string

// The hook points.
const (
	OnStop HookPoint = "stop" // the model ended its answer without a call
	OnTool HookPoint = "tool" // the calls of an answer all have their outcomes
)

// What a hook, and each of the gates, may say. These are the reasons of gate records.
const (
	hookAllow   = "allow"
	hookBlock   = "block"   // goes on: the text becomes a message to the model
	hookPrevent = "prevent" // ends the run: stop_hook_prevented, behind tools hook_stopped
	hookHalt    = "halt"    // ends the run: hook_stopped
	hookFailed  = "failed"  // an error, a panic or a timeout; never a hook's own word

	gatePass       = "pass"
	gateUnverified = "unverified"
	gateFail       = "fail"

	judgeDone       = "done"
	judgeNotDone    = "not_done"
	judgeImpossible = "impossible"
	judgeBroken     = "error"
	judgeDeferred   = "deferred" // background work runs: nothing is judged before it ends
)

// The codes of gate records.
const (
	gateHook       = "hook"
	gateToolHook   = "tool_hook"
	gateCompletion = "completion"
	gateJudge      = "judge"
)

// GateVerdict is one thing that a gate says of an answer.
type GateVerdict struct {
	Gate, Verdict string // code and reason of its record
	Summary       string
	Leads         string // what comes of it; "" for nothing but the next gate
}

// GateVerdicts returns all of them, in the order in which the gates are asked.
func GateVerdicts() []GateVerdict {
	const lastHook = "Transition: stop_hook_blocking; the block that reaches the maximum ends the run with stop_hook_prevented."
	const lastGate = "Transition: gate_feedback; the block that reaches the maximum ends the run with completion_gate_blocked."
	return []GateVerdict{
		{gateHook, hookAllow, "no stop hook has anything against the answer", ""},
		{gateHook, hookBlock, "a stop hook sends the answer back", lastHook},
		{gateHook, hookPrevent, "a stop hook forbids to go on", "Terminal: stop_hook_prevented."},
		{gateHook, hookHalt, "a stop hook halts the run", "Terminal: hook_stopped."},
		{gateHook, hookFailed, "a stop hook broke down, hung, or said no known word", "Never a block; terminal: completed_unverified."},
		{gateToolHook, hookAllow, "no hook has anything against the tools' outcomes", ""},
		{gateToolHook, hookBlock, "a hook has something to say of the outcomes; the model is told", "Transition: next_turn, with the hook's words behind the results."},
		{gateToolHook, hookPrevent, "a hook forbids to go on behind the tools", "Terminal: hook_stopped."},
		{gateToolHook, hookHalt, "a hook halts the run behind the tools", "Terminal: hook_stopped."},
		{gateToolHook, hookFailed, "a hook behind the tools broke down, hung, or said no known word", "It is passed over."},
		{gateCompletion, gatePass, "what the user asked to be checked was shown", ""},
		{gateCompletion, gateUnverified, "a check that was asked for if possible was not shown", "Terminal: completed_unverified."},
		{gateCompletion, gateFail, "a check that was asked for was not shown, or a todo is open", lastGate},
		{gateJudge, judgeDone, "the judge says that the goal is reached", ""},
		{gateJudge, judgeNotDone, "the judge says that the goal is not reached", lastGate},
		{gateJudge, judgeImpossible, "the judge says that the goal cannot be reached", "Terminal: goal_impossible."},
		{gateJudge, judgeBroken, "the goal could not be judged", "Terminal: judge_error; the goal is kept."},
		{gateJudge, judgeDeferred, "background work is still running, so nothing was judged", "Terminal: completed_unverified."},
	}
}

// Hook is a policy of the user's, asked by the loop (D10, G8). Hooks of one
// point are asked in order; the first that does not allow decides.
type Hook struct {
	Name string
	On   HookPoint
	// Run answers, in a task of its own. An error, a panic, or no answer within
	// Limits.HookTimeout is a failed hook: it never blocks, but an answer that it
	// should have seen is not verified.
	Run func(ctx context.Context, in HookInput) (HookOutcome, error)
}

// HookInput is what a hook is told.
type HookInput struct {
	Text   string   // the answer's text
	Calls  []string // OnTool: our ids of the answer's calls
	Active bool     // a stop hook has sent an answer of this run back before
	Env    env.Env
}

// HookOutcome is what a hook says.
type HookOutcome struct {
	Verdict string // allow, block, prevent or halt; anything else is a failed hook
	Text    string // why, for the model or the user
}
