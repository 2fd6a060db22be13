package harness

import "github.com/harnessbench/bench/providers"

// Reason is a terminal: why a run ended. Every run ends in exactly one (A8).
type Reason string

// The terminals.
const (
	Completed           Reason = "completed"               // an answer without calls, whole
	CompletedUnverified Reason = "completed_unverified"    // whole, and nobody could verify what was asked for
	Truncated           Reason = "truncated"               // cut at max_tokens; the partial answer is committed
	MaxTurns            Reason = "max_turns"               // the turns are used up; the last results are recorded
	TokenBudget         Reason = "token_budget"            // the run used its tokens; the last answer is recorded
	AbortedStreaming    Reason = "aborted_streaming"       // aborted while no call was open
	AbortedTools        Reason = "aborted_tools"           // aborted with calls open; each has one outcome
	PromptTooLong       Reason = "prompt_too_long"         // the provider refused the request's size
	BlockingLimit       Reason = "blocking_limit"          // the context is too full to send, and nothing can be compacted any more
	ModelError          Reason = "model_error"             // the provider failed, retries included
	ImageError          Reason = "image_error"             // refused for an image, after images were left out
	RefusedByModel      Reason = "refused"                 // the model refused; nothing was sent again
	EmptyResponseFailed Reason = "empty_response_failed"   // empty again after the retry
	ProtocolError       Reason = "protocol_error"          // the stream broke its protocol again after the retry
	UnknownStop         Reason = "unknown_stop"            // no calls, and a stop reason that nobody knows, or none
	StopHookPrevented   Reason = "stop_hook_prevented"     // a stop hook forbade to go on, or blocked as often as it may
	HookStopped         Reason = "hook_stopped"            // a hook halted the run
	GateBlocked         Reason = "completion_gate_blocked" // the completion gate, or the goal judge, blocked as often as it may
	GoalImpossible      Reason = "goal_impossible"         // the judge says that the goal cannot be reached
	JudgeError          Reason = "judge_error"             // the goal could not be judged: the answer stands, the goal is not met
	LoopDetected        Reason = "loop_detected"           // the same calls again, with nothing changed
	InternalError       Reason = "internal_error"          // a panic of our own part
	PersistenceFailure  Reason = "persistence_failure"     // a record could not be written; returned, recorded if it still can be
	Crashed             Reason = "crashed"                 // derived at load from a run without a terminal; never written
)

// TerminalInfo describes one terminal.
type TerminalInfo struct {
	Reason  Reason
	Summary string
	Resume  string // what a resume means after it
}

var terminals = []TerminalInfo{
	{Completed, "the model answered without calling a tool, and the answer is whole", "done"},
	{CompletedUnverified, "the model answered, and what was asked for could not be verified", "done; check it"},
	{Truncated, "the answer was cut at max_tokens; what came is committed", "a new prompt continues"},
	{MaxTurns, "the run used its turns; the last calls ran and are recorded", "a new prompt continues"},
	{TokenBudget, "the run used more tokens than its budget; the last answer is recorded, its calls are answered and not run", "needs a larger budget"},
	{AbortedStreaming, "the run was aborted while no call was open", "a new prompt continues; nothing is pending"},
	{AbortedTools, "the run was aborted while calls were open; each has one recorded outcome", "a new prompt continues; interrupted calls are told"},
	{PromptTooLong, "the provider refused the request as too long or too large", "needs compaction"},
	{BlockingLimit, "the context is over the blocking limit and nothing in it can be compacted; nothing was sent", "needs a new session, or a larger window"},
	{ImageError, "the provider refused an image, and leaving images out did not help", "a new prompt, without the image"},
	{ModelError, "the provider failed, and retrying did not help or could not", "a new prompt tries again"},
	{RefusedByModel, "the model refused; the refused answer is kept and never sent back", "rephrase"},
	{EmptyResponseFailed, "the model answered nothing, twice", "a new prompt tries again"},
	{ProtocolError, "the answer broke its protocol, twice: a tool_use stop without a call, or a malformed stream, or too many pauses", "a new prompt tries again"},
	{UnknownStop, "an answer without calls ended for a reason nobody knows; the raw reason is kept", "a person decides"},
	{StopHookPrevented, "a stop hook forbade to go on, or sent the answer back as often as it may", "a policy decided; a new prompt begins again"},
	{HookStopped, "a hook halted the run", "a policy decided"},
	{GateBlocked, "the completion gate or the goal judge sent the answer back as often as it may", "not done; a new prompt continues"},
	{GoalImpossible, "the judge says that the goal cannot be reached", "the user decides; the goal is kept"},
	{JudgeError, "the goal could not be judged; this is never success", "the goal is kept; a new prompt is judged again"},
	{LoopDetected, "the same calls came again with nothing changed; they were answered and not run", "the user decides"},
	{InternalError, "a part of the loop panicked; the run is closed in order", "report it, then a new prompt"},
	{PersistenceFailure, "a record could not be made durable; nothing was shown, forged or repeated after that", "open again: it settles what happened"},
	{Crashed, "the process died before the run's terminal; derived at load, never written", "resume goes on"},
}

// Terminals returns every terminal, with what it means.
func Terminals() []TerminalInfo { return append([]TerminalInfo(nil), terminals...) }

// Result is what a run returns. Everything but Usage is also in the terminal
// record.
type Result struct {
	Reason Reason
	Detail string          // one sentence; "" where the reason says it all
	Text   string          // the last committed text of the run
	Stop   string          // the last raw stop reason
	Turns  int             // turns used
	Calls  int             // tool calls the model made in this run
	Usage  providers.Usage // summed over all attempts of the run, discarded ones included
	Run    int             // the run's number in its session
}
