package journal

import "github.com/harnessbench/bench/providers"

// Kind is the kind of a record.
type Kind string

// The record kinds. The comment names the fields that matter beside the
// envelope (Seq, Time, Session, Run, Kind, Audit).
const (
	KindSession    Kind = "session"    // Version, Model, Prints: the first record of a transcript
	KindUser       Kind = "user"       // Text: what the user said; begins run Run
	KindAttempt    Kind = "attempt"    // Attempt, Lane, Model, MaxTokens: a provider call is about to be made
	KindCall       Kind = "call"       // Call, ID, Name, Input, Attempt, Block, Refused: a tool call that the model made
	KindPermission Kind = "permission" // Call, Text, Code (allow, deny, ask, approved, rejected, cancelled): a decision of the permission policy
	KindStarted    Kind = "started"    // Call: its tool is about to be entered
	KindResult     Kind = "result"     // Call, Text, State, IsError, Cut, File, Bytes, Digest, Images, Names, Millis: what the model is told; also refused, never started, interrupted, unknown
	KindToolError  Kind = "tool_error" // Call, Text, Code: the tool's own failure, and nothing else
	KindAssistant  Kind = "assistant"  // Attempt, Blocks, Stop, Ending, Usage: the attempt's answer, committed as one turn
	KindDiscarded  Kind = "discarded"  // Attempt, Reason, Text, Usage: the attempt's answer is not part of the history
	KindTransition Kind = "transition" // Reason, Turn, Digest, Counters, MaxTokens, Model, Text: why the loop goes on, and what it adds in the user's place
	KindBoundary   Kind = "boundary"   // Code (a stage), Reason (a trigger), From, To, Names, Text, Counters (sizes): an edit of the context, applied
	KindGate       Kind = "gate"       // Code (hook, tool_hook, completion, judge), Reason (its verdict), Text: what a gate said of an answer
	KindAnomaly    Kind = "anomaly"    // Code, Text: the provider did something illegal that was survived
	KindNotice     Kind = "notice"     // Code, Text: something a reader should know; changes no history, but for background_* (Call): the end of a background call, which the model is told
	KindQuarantine Kind = "quarantine" // Code: file name; Detail: where in it; Text: the torn tail's first bytes; Bytes: its length; Cut: how many of them Text lacks
	KindResume     Kind = "resume"     // Life, Attempt: an open took over after a crash; settles previews of Attempt
	KindTerminal   Kind = "terminal"   // Reason, Detail, Turn, Calls, Text, Stop, Usage: the run's last record
)

var kinds = []Kind{
	KindSession, KindUser, KindAttempt, KindCall, KindPermission, KindStarted, KindResult, KindToolError,
	KindAssistant, KindDiscarded, KindTransition, KindBoundary, KindGate, KindAnomaly, KindNotice,
	KindQuarantine, KindResume, KindTerminal,
}

// Kinds returns every record kind.
func Kinds() []Kind { return append([]Kind(nil), kinds...) }

// State says what became of a call.
type State string

const (
	Done        State = "done"        // it ran and returned
	Failed      State = "failed"      // it ran and failed (tool_error)
	Refused     State = "refused"     // answered with an error, not run: unknown tool, invalid or cut input, denied, duplicate id
	Never       State = "never"       // never started: an abort or an end of the run came first
	Interrupted State = "interrupted" // started, told to stop; what it did is said as far as known
	Unknown     State = "unknown"     // started before a crash, unrecorded: may or may not have happened
)

// Record is one line of the transcript: an envelope and, depending on Kind, some
// of the other fields. The JSON names are the format . A
// string may hold any bytes: what is not valid UTF-8 comes back as it was.
type Record struct {
	Seq     int64  `json:"seq"`     // from 1, gapless
	Time    int64  `json:"time"`    // milliseconds since the Unix epoch, by the machine's clock
	Session string `json:"session"` // the session's id
	Run     int    `json:"run"`     // from 1; 0 before the first user record
	Kind    Kind   `json:"kind"`

	Version   int                   `json:"version,omitzero"`
	Model     string                `json:"model,omitzero"`
	Prints    map[string]string     `json:"prints,omitzero"` // fingerprints: prompt, tools, config
	Lane      string                `json:"lane,omitzero"`
	Attempt   string                `json:"attempt,omitzero"` // a1, a2, ... over the session
	MaxTokens int                   `json:"max_tokens,omitzero"`
	Call      string                `json:"call,omitzero"`  // our id: c1, c2, ... over the session
	ID        string                `json:"id,omitzero"`    // the provider's id, as data
	Name      string                `json:"name,omitzero"`  // tool name
	Input     string                `json:"input,omitzero"` // the call's raw input bytes, as a JSON string
	Block     int                   `json:"block,omitzero"` // position of the call's block in its turn, from 0
	State     State                 `json:"state,omitzero"` // result, tool_error
	IsError   bool                  `json:"is_error,omitzero"`
	Cut       int                   `json:"cut,omitzero"`     // bytes left out of Text
	Refused   string                `json:"refused,omitzero"` // call: why it will not run, a code
	Code      string                `json:"code,omitzero"`
	Reason    string                `json:"reason,omitzero"`
	Detail    string                `json:"detail,omitzero"`
	Text      string                `json:"text,omitzero"`
	Blocks    []providers.Block     `json:"blocks,omitzero"`
	Stop      string                `json:"stop,omitzero"`   // raw stop reason
	Ending    string                `json:"ending,omitzero"` // complete, cut, failed, idle
	Usage     *providers.Usage      `json:"usage,omitzero"`
	Turn      int                   `json:"turn,omitzero"`     // turns used
	Calls     int                   `json:"calls,omitzero"`    // tool calls made in the run
	Digest    string                `json:"digest,omitzero"`   // transition: of the state; attempt: of the request's messages
	Counters  map[string]int        `json:"counters,omitzero"` // transition: the ladder's counters after it
	Life      int                   `json:"life,omitzero"`     // from 1
	Bytes     int                   `json:"bytes,omitzero"`
	From      int64                 `json:"from,omitzero"`   // boundary: the first record that it hides
	To        int64                 `json:"to,omitzero"`     // boundary: the first record behind those
	Names     []string              `json:"names,omitzero"`  // boundary: calls whose results it shortens; result: deferred tools that it makes available
	File      string                `json:"file,omitzero"`   // result: where the whole output is kept, below the session's folder
	Images    []providers.ImageData `json:"images,omitzero"` // result
	Millis    int                   `json:"ms,omitzero"`     // result, tool_error: how long the tool ran

	Audit string `json:"audit"` // hash of the last audit entry when this record was written: the crosswise anchor
}

// Entry is one line of the audit ledger. Hash is the SHA-256 of the line up to
// the comma before "hash", so each entry seals its own record and, by Prev, the
// entry before it.
type Entry struct {
	Seq  int64  `json:"seq"`  // of the transcript record
	Kind Kind   `json:"kind"` // of the transcript record
	Line string `json:"line"` // sha256 of the transcript line, newline included, hex
	Why  string `json:"why"`  // why the step was allowed; "remade at open" for a suffix lost in a crash
	Prev string `json:"prev"` // hash of the entry before; 64 zeros at first
	Hash string `json:"hash"`
}
