package journal

// Describe says in a sentence what a record kind is for; "" for an unknown one.
func Describe(k Kind) string {
	switch k {
	case KindSession:
		return "the first record: format version, model, fingerprints"
	case KindUser:
		return "what the user said; begins a run"
	case KindAttempt:
		return "a provider call is about to be made"
	case KindCall:
		return "a tool call that the model made, under our id"
	case KindPermission:
		return "a decision of the permission policy, or of who was asked"
	case KindStarted:
		return "a call's tool is about to be entered"
	case KindResult:
		return "what the model is told of a call: done, refused, never started, interrupted or unknown"
	case KindToolError:
		return "the tool's own failure, and nothing else"
	case KindAssistant:
		return "an attempt's answer, committed as one turn"
	case KindDiscarded:
		return "an attempt's answer is not part of the history"
	case KindTransition:
		return "why the loop goes on, with the state's digest"
	case KindBoundary:
		return "an edit of the context: what it hides or shortens, and what stands there instead"
	case KindGate:
		return "what a hook, the completion gate or the goal judge said of an answer"
	case KindAnomaly:
		return "the provider did something illegal that was survived"
	case KindNotice:
		return "something a reader should know; changes no history"
	case KindQuarantine:
		return "a torn tail that an open cut off, quoted"
	case KindResume:
		return "an open took over after a crash"
	case KindTerminal:
		return "why the run ended: its last record"
	}
	return ""
}
