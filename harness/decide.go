package harness

// Decision is what happens after an answer.
type Decision struct {
	// Commit: the answer becomes part of the history (assistant). Otherwise it
	// is discarded, visibly.
	Commit bool
	// Calls: the answer's calls are run or answered.
	Calls bool
	// Go says why the loop goes on; "" when End says why it stops.
	Go     Transition
	End    Reason
	Detail string
}

// Decide is the loop's judgement, pure: the same state, turn and limits give
// the same decision. Content blocks decide; the stop reason only explains
// (A1). The rungs of the ladder are asked in order; where none applies, the
// run ends for the turn's own reason.
func Decide(s State, t *Turn, l Limits) Decision {
	for i := range ladder {
		r := &ladder[i]
		if r.Applies(t) && r.Used(s) < r.Limit(l) {
			return Decision{Commit: r.Commit, Calls: r.Name == NextTurn, Go: r.Name}
		}
	}
	end, detail := terminal(t)
	commit := t.Ending == Complete && commits(end)
	return Decision{Commit: commit, Calls: commit && len(t.Calls) > 0, End: end, Detail: detail}
}

// terminal names the end of a turn for which no rung is left.
func terminal(t *Turn) (Reason, string) {
	switch {
	case t.Ending != Complete:
		switch {
		case t.Err == nil:
			return ModelError, "the answer did not end and nobody said why"
		case overflow(t.Err.Class):
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
	case t.Stop == "tool_use":
		return ProtocolError, "the stop reason says tool_use, but the answer holds no call"
	case t.Stop == "end_turn", t.Stop == "stop_sequence":
		if t.Empty() {
			return EmptyResponseFailed, ""
		}
		return Completed, ""
	case !t.HasStop || t.Stop == "":
		return UnknownStop, "the answer ended without a stop reason"
	}
	return UnknownStop, "stop reason " + quote(t.Stop)
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
