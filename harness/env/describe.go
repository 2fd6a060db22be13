package env

// Describe says in a sentence where a crash point is; "" for an unknown one.
func Describe(p Point) string {
	switch p {
	case RequestBefore:
		return "the attempt is recorded, its request not sent (p0 of public reports)"
	case StreamEvent:
		return "one event of an answer was read (p1)"
	case TurnAssembled:
		return "the answer is whole, nothing of it is written (p2)"
	case AppendBefore:
		return "records are about to be appended to the transcript"
	case AppendTorn:
		return "the append to the transcript itself: with bytes=N so much of it reaches the disk (p6)"
	case AppendWritten:
		return "records are written to the transcript, not synced"
	case AppendSynced:
		return "records are durable in the transcript (p3 with assistant, p5 with result)"
	case AuditBefore:
		return "entries are about to be appended to the audit ledger"
	case AuditTorn:
		return "the append to the audit ledger itself"
	case AuditWritten:
		return "entries are written to the audit ledger, not synced"
	case AuditSynced:
		return "entries are durable in the audit ledger"
	case PublishBefore:
		return "records are durable and not shown yet"
	case PublishAfter:
		return "records were shown"
	case ToolBefore:
		return "a call's start is durable, its tool was not entered"
	case ToolRunning:
		return "a tool was entered"
	case ToolRan:
		return "a tool returned, nothing of its outcome is recorded (p4)"
	case KeepBefore:
		return "a large output is about to be kept in a file"
	case KeepWritten:
		return "a large output is kept, its result is not recorded"
	case Backoff:
		return "about to wait before a retry"
	case Hook:
		return "about to ask a hook"
	case CompactBefore:
		return "about to ask for a summary"
	case CompactSummary:
		return "a summary is made, the switch to it not durable (p7)"
	case ResumeLoaded:
		return "an open read the ledgers and has settled nothing"
	case ResumeSettled:
		return "an open decided what a crash left, nothing of it is written"
	case ResumeRecorded:
		return "what an open settled is durable"
	case RunEnded:
		return "the run's terminal is durable and shown"
	}
	return ""
}
