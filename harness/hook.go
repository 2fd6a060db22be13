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
