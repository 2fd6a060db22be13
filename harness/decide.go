package harness

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
)

// Decision is what happens after an answer.
type Decision struct {
	// Commit: the answer becomes part of the history (assistant). Otherwise it
	// is discarded, visibly.
	Commit bool
	// Calls: the answer's calls are run or answered.
	Calls bool
	// Refuse is the code under which the calls are answered instead of run; "" runs them.
	Refuse string
	// Go says why the loop goes on; "" when End says why it stops.
	Go     Transition
	End    Reason
	Detail string
}

// Decide is the loop's judgement, pure: the same state, turn and limits give
// the same decision. Content blocks decide; the stop reason only explains
// (A1). The rungs of the ladder are asked in order; where none applies, the
// run ends for the turn's own reason. What the gates said of a final answer is
// in the state by then.
//
// Where two ends apply, the token budget comes before a gate, and a gate before
// the end of the turns.
func Decide(s State, t *Turn, l Limits) Decision {
	if over := overBudget(s, t, l); over != "" {
		end := Decision{End: TokenBudget, Detail: over}
		if whole := t.Ending == Complete && (len(t.Calls) > 0 || !t.Empty()); whole { // paid for: recorded first (O1)
			end.Commit, end.Calls, end.Refuse = true, len(t.Calls) > 0, refusedBudget
		}
		return end
	}
	for i := range ladder {
		r := &ladder[i]
		if !r.Applies(s, t, l) {
			continue
		}
		if r.Name == NextTurn {
			if v := s.Verdicts.ToolHook; v == hookPrevent || v == hookHalt {
				return Decision{Commit: true, Calls: true, End: HookStopped, Detail: s.Verdicts.Text}
			}
			if loops(s.before(), t, l.LoopAfter) {
				return Decision{Commit: true, Calls: true, Refuse: refusedLoop, End: LoopDetected,
					Detail: fmt.Sprintf("the same calls came once more after %d rounds in which nothing changed", l.LoopAfter-1)}
			}
		}
		if r.Used(s) < r.Limit(l) && (!r.Turn || s.Turn < l.MaxTurns-1) {
			return Decision{Commit: r.Commit, Calls: r.Commit && len(t.Calls) > 0, Go: r.Name}
		}
	}
	end, detail := terminal(s, t, l)
	commit := t.Ending == Complete && commits(end)
	return Decision{Commit: commit, Calls: commit && len(t.Calls) > 0, End: end, Detail: detail}
}

// overBudget says by how much a run is over its tokens, "" when it is not: as
// many as its budget are allowed.
func overBudget(s State, t *Turn, l Limits) string {
	if l.TokenBudget <= 0 {
		return ""
	}
	u := s.with(t)
	if n := u.Total(); n > l.TokenBudget {
		return fmt.Sprintf("the run has used %d tokens of %d", n, l.TokenBudget)
	}
	return ""
}

// terminal names the end of a turn for which no rung is left.
func terminal(s State, t *Turn, l Limits) (Reason, string) {
	switch {
	case t.Ending != Complete:
		switch {
		case t.Err == nil:
			return ModelError, "the answer did not end and nobody said why"
		case t.Err.Class == providers.BadImage:
			return ImageError, t.Err.Error()
		case overflowed(s, t, l) || t.Err.Class == providers.MaxTokens:
			return PromptTooLong, t.Err.Error()
		case malformed(t):
			return ProtocolError, t.Err.Error()
		}
		return ModelError, t.Err.Error()
	case t.Stop == "refusal":
		return RefusedByModel, ""
	case wantsNextTurn(t):
		return MaxTurns, ""
	case t.Truncated() && t.Stop != "max_tokens":
		return PromptTooLong, "the answer filled the model's window"
	case t.Truncated():
		return Truncated, ""
	case t.Stop == "pause_turn":
		return ProtocolError, "the model paused too often"
	case t.Disowned():
		return ProtocolError, "stop reason " + quote(t.Stop) + ": the provider says that what the answer calls is malformed"
	case t.Over():
		if t.Empty() {
			return EmptyResponseFailed, ""
		}
		return judged(s, l)
	case t.Stop == "tool_use":
		return ProtocolError, "the stop reason says tool_use, but the answer holds no call"
	case !t.HasStop || t.Stop == "":
		return UnknownStop, "the answer ended without a stop reason"
	}
	return UnknownStop, "stop reason " + quote(t.Stop)
}

// judged is the end of a final answer, by what the gates said of it.
func judged(s State, l Limits) (Reason, string) {
	v := s.Verdicts
	switch {
	case v.Hook == hookHalt:
		return HookStopped, v.Text
	case v.Hook == hookPrevent:
		return StopHookPrevented, v.Text
	case v.Hook == hookBlock && s.Counters.HookBlocks >= l.HookBlocks:
		return StopHookPrevented, fmt.Sprintf("a stop hook sent the answer back %d times: %s", s.Counters.HookBlocks, v.Text)
	case v.Completion == gateFail && s.Counters.GateBlocks >= l.GateBlocks,
		v.Judge == judgeNotDone && s.Counters.JudgeBlocks >= l.JudgeBlocks:
		return GateBlocked, v.Text
	case v.Judge == judgeImpossible:
		return GoalImpossible, v.Text
	case v.Judge == judgeBroken:
		return JudgeError, v.Text
	case v.Hook == hookBlock, v.Completion == gateFail, v.Judge == judgeNotDone:
		return MaxTurns, "the answer was sent back, and no turn is left: " + v.Text
	case v.Hook == hookFailed, v.Completion == gateUnverified, v.Judge == judgeDeferred:
		return CompletedUnverified, v.Text
	}
	return Completed, ""
}

// commits says whether a complete answer that ends the run this way stays in
// the history. An answer that is no answer, or that only shows that the
// request was too long, does not.
func commits(end Reason) bool {
	switch end {
	case EmptyResponseFailed, ProtocolError, PromptTooLong:
		return false
	}
	return true
}
