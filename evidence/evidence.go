// Package evidence is what a run leaves behind, as data: the wire log of the
// provider, the two ledgers of the loop, what a subscriber was shown, what
// hooks were asked, what the tools really did, and one order over all of it.
// Rules (package invariants) read an Evidence and nothing else.
//
// While the run goes on, a Collector takes what the parts of the machine tell
// it; afterwards the files are added, and the rules judge:
//
//	c := evidence.NewCollector()
//	x := c.Exchange(evidence.Exchange{Lane: "main", Body: body}) // the fake provider
//	x.Answer(200, nil)
//	x.Deliver(bytes)
//	x.End("eof", "")
//	c.Show(evidence.Shown{Kind: "preview", Attempt: "a1", Text: "Hel"}) // the subscriber
//	ev := c.Evidence()
//	ev.Load(transcriptBytes, auditBytes, effectBytes)
//	findings, applied, skipped := invariants.Check(ev, invariants.Options{})
//
// Save writes the folder that `bench run` keeps after a failure and that
// scenarios see as $EVIDENCE, Read reads it back. Normalise prints a transcript
// for people and goldens: one line a record, without times and hashes.
//
// One Evidence is about one session, over all its lives.
package evidence

import (
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/harness/journal"
)

// Evidence is everything known about one scenario variant, over all its lives.
type Evidence struct {
	Wire       []*Exchange      // in order of arrival
	Transcript []byte           // the file's bytes
	Audit      []byte           // the file's bytes
	Head       []byte           // the audit head file's bytes; nil when absent
	Ledger     []byte           // the effect ledger's bytes
	Records    []journal.Record // decoded from Transcript, by Load
	Entries    []journal.Entry  // decoded from Audit, by Load
	Effects    []Effect         // decoded from Ledger, by Load
	RecordAt   []Spot           // where each of Records stands in its file
	EntryAt    []Spot           // where each of Entries stands in its file
	EffectAt   []Spot           // where each of Effects stands in its file
	Odd        []Odd            // lines of the three files that are not what belongs there
	Shown      []Shown
	Hooks      []Hook // each time a hook was asked, in order
	Trace      []Step
	Lives      []Life
	Limits     Limits
	Tools      []ToolInfo // the declared tools
	Secrets    []string   // canaries that must appear nowhere; never saved
	Runs       []Returned // what each run returned to its caller, in order
	Log        string     // what the loop printed, if anything
	Faults     []Armed    // what was armed, and whether it fired
	Unused     []string   // replies or recordings that were required and not consumed, each as a sentence
	Given      int64      // records up to this seq were written by the scenario (`history`), not by the loop
	Damaged    []Damage   // what the scenario did to the files itself
	Missing    []Kind     // kinds of evidence that do not exist here, e.g. for a foreign agent
}

// Kind is one kind of evidence. A rule names those it cannot do without.
type Kind string

// The kinds of evidence.
const (
	KindWire       Kind = "wire"
	KindTranscript Kind = "transcript"
	KindAudit      Kind = "audit"
	KindShown      Kind = "shown"
	KindEffects    Kind = "effects"
	KindTrace      Kind = "trace"
	KindLives      Kind = "lives" // Lives and Runs
	KindHooks      Kind = "hooks"
)

// Kinds returns every kind of evidence.
func Kinds() []Kind {
	return []Kind{KindWire, KindTranscript, KindAudit, KindShown, KindEffects, KindTrace, KindLives, KindHooks}
}

// Has reports whether a kind of evidence exists here. A kind that exists may
// still be empty: a tool that did nothing leaves an empty effect ledger.
func (ev *Evidence) Has(k Kind) bool { return !slices.Contains(ev.Missing, k) }

// Damage is something that a scenario did to a file after the loop wrote it.
type Damage struct {
	Kind  Kind   `json:"kind"` // transcript, audit or effects
	What  string `json:"what"` // as written, e.g. "damage transcript cut=20"
	Place string `json:"place,omitzero"`
	// Lost: something that the loop had written is gone or changed. Bytes that
	// were only added behind the last newline lose nothing: that is what a torn
	// write looks like, and the loop must live with it.
	Lost bool `json:"lost,omitzero"`
}

// Exchange is one request and its answer as the provider saw them.
type Exchange struct {
	N       int // from 1, over all lives
	Life    int // from 1
	Lane    string
	Attempt string // the client's own name for it, when it sends one
	Method  string
	Path    string
	Header  map[string][]string // credentials removed
	Body    []byte
	At      time.Time // by the scenario's clock
	Status  int       // of the answer; 0: none was begun
	Reply   []byte    // bytes as delivered so far, undamaged by any reader
	Chunks  []int     // sizes of the pieces as delivered
	Head    map[string][]string
	// Ending says how the connection ended: "" not yet, "eof", "cut" (closed
	// inside the body), "reset", "hang" (left open until the client went),
	// "dropped" (the client went first), "refused" (the request was illegal).
	Ending string
	Place  string // where the answer is written: script line or interaction number
	Reason string // for refused: the sentence
}

// Shown is one event a subscriber outside the process received.
type Shown struct {
	Seq     int64  `json:"n"`            // order of arrival, from 1
	Life    int    `json:"life"`         //
	Kind    string `json:"kind"`         // "preview", or a record kind
	Record  int64  `json:"seq,omitzero"` // the record's seq; 0 for a preview
	Attempt string `json:"attempt,omitzero"`
	Call    string `json:"call,omitzero"`
	ID      string `json:"id,omitzero"`
	Text    string `json:"text,omitzero"`
	Line    string `json:"line,omitzero"` // sha256 of the transcript line, hex; "" for a preview
	Step    int64  `json:"step,omitzero"` // its place in the trace; 0 without one
}

// Hook is one hook being asked, as the hook itself tells it.
type Hook struct {
	Step    int    `json:"step,omitzero"`   // its place in the trace; 0 without one
	Life    int    `json:"life"`            //
	Kind    string `json:"kind"`            // HookStop or HookTool
	Active  bool   `json:"active,omitzero"` // it was told that this run was sent back by a hook before
	Outcome string `json:"outcome"`         // allow, block, prevent or halt; anything else is no word of a hook: it failed
	Text    string `json:"text,omitzero"`
}

// Where a hook is asked.
const (
	HookStop = "stop" // the model ended its answer without a call
	HookTool = "tool" // the calls of an answer all have their outcomes
)

// Failed reports whether the hook said nothing that a hook can say: it crashed,
// hung, or answered nonsense.
func (h Hook) Failed() bool {
	return !slices.Contains([]string{"allow", "block", "prevent", "halt"}, h.Outcome)
}

// Effect is one line that a tool appended to the effect ledger itself.
type Effect struct {
	Tool string `json:"tool"`
	Call string `json:"call"`          // our call id
	ID   string `json:"id,omitzero"`   // the provider's id of the call
	Key  string `json:"key,omitzero"`  // idempotency key, for a tool declared idempotent
	Life int    `json:"life,omitzero"` //
	What string `json:"what,omitzero"`
}

// StepKind is the kind of one step of the trace.
type StepKind string

const (
	StepAppend    StepKind = "append"     // File, Len: bytes in the file after it
	StepSync      StepKind = "sync"       // File, Len: bytes that are durable now
	StepTruncate  StepKind = "truncate"   // File, Len: bytes left
	StepRename    StepKind = "rename"     // From, File: its new name
	StepRemove    StepKind = "remove"     // File
	StepSyncDir   StepKind = "sync.dir"   // File: the folder whose entries are durable now
	StepPublish   StepKind = "publish"    // Record or preview: Shown.Step points here
	StepToolStart StepKind = "tool.start" // Call, ID: the tool was entered
	StepToolEnd   StepKind = "tool.end"   // Call, ID, What: done or failed, by the tool's own word
	StepEffect    StepKind = "effect"     // Call: the effect ledger has it
	StepRequest   StepKind = "request"    // N: of the exchange
	StepReply     StepKind = "reply"      // N: the answer ended for the client
	StepKill      StepKind = "kill"       // the life ended here
	StepPower     StepKind = "power"      // power was cut
	StepLife      StepKind = "life"       // a new life began
	StepAbort     StepKind = "abort"      // the run was told to stop
)

// Step is one step of the simulated machine's single order of events.
type Step struct {
	Seq    int64         `json:"n"`
	Life   int           `json:"life"`
	At     time.Duration `json:"at"` // virtual time since the scenario began
	Kind   StepKind      `json:"kind"`
	File   string        `json:"file,omitzero"`
	From   string        `json:"from,omitzero"`
	Len    int64         `json:"len,omitzero"`
	Record int64         `json:"seq,omitzero"`
	Call   string        `json:"call,omitzero"`
	ID     string        `json:"id,omitzero"`
	N      int           `json:"exchange,omitzero"`
	What   string        `json:"what,omitzero"`
}

// What a tool said when it ended (Step.What of StepToolEnd); anything else is
// not judged.
const (
	ToolDone   = "done"
	ToolFailed = "failed"
)

// Life is one process's time with the session.
type Life struct {
	N       int      `json:"n"`
	Outcome string   `json:"outcome"`        // "ended", "killed", "powercut", "panic: ...", "deadlock: ..."
	Real    bool     `json:"real,omitzero"`  // a real process: the trace has no steps of it
	Left    []string `json:"left,omitzero"`  // tasks left running when its work was over
	Point   string   `json:"point,omitzero"` // where it was killed
}

// Died reports whether the life was cut short from outside: killed, or by a
// power cut.
func (l Life) Died() bool {
	return strings.HasPrefix(l.Outcome, "killed") || strings.HasPrefix(l.Outcome, "powercut")
}

// Ended reports whether the life came to its own end.
func (l Life) Ended() bool { return l.Outcome == "ended" || l.Outcome == "" }

// Returned is what one run or resume returned to its caller.
type Returned struct {
	Life   int    `json:"life"`
	Run    int    `json:"run,omitzero"`
	Reason string `json:"reason,omitzero"` // terminal reason; "" when the life died, or when nothing ran
	Detail string `json:"detail,omitzero"`
	Text   string `json:"text,omitzero"`
	Err    string `json:"err,omitzero"`
	Refuse bool   `json:"refuse,omitzero"` // the scenario demanded that it be refused (`! resume`)
}

// Limits are the loop's limits, as far as rules compute with them. What is zero
// is not known, and nothing is computed with it, but for the sums of the ladder.
type Limits struct {
	MaxTurns  int `json:"max_turns,omitzero"`
	PerTurn   int `json:"per_turn,omitzero"` // sum of the per-turn limits of the ladder
	PerRun    int `json:"per_run,omitzero"`  // sum of the per-run limits of the ladder
	Retries   int `json:"retries,omitzero"`  // per request
	Fallbacks int `json:"fallbacks,omitzero"`

	// Counters are the most that the ladder's counters may show in a transition,
	// by their names there. One that is not named is not judged; escalations is 0
	// where nothing can be raised, and the N-th block of a hook, the gate or the
	// judge ends the run, so their counters stay below N.
	Counters map[string]int `json:"counters,omitzero"`

	BlockAt      int `json:"block_at,omitzero"`      // estimated tokens from which on nothing is sent
	SummaryFails int `json:"summary_fails,omitzero"` // failed summaries in a row after which none is tried
	TokenBudget  int `json:"token_budget,omitzero"`  // tokens in and out of a run
	Nudge        int `json:"nudge,omitzero"`         // output tokens that a run is to use
	LoopAfter    int `json:"loop_after,omitzero"`    // the so manieth identical round of calls is not run
}

// ToolInfo is what rules know about a declared tool.
type ToolInfo struct {
	Name       string `json:"name"`
	ReadOnly   bool   `json:"read_only,omitzero"`
	Idempotent bool   `json:"idempotent,omitzero"`
	Deaf       bool   `json:"deaf,omitzero"`       // ignores cancellation: may be left behind, noted
	Ledger     bool   `json:"ledger,omitzero"`     // writes a line into the effect ledger each time it succeeds
	Background bool   `json:"background,omitzero"` // answered with a placeholder at once; a notice tells of its end
	Shell      bool   `json:"shell,omitzero"`      // runs a command line: it may change anything
	Deferred   bool   `json:"deferred,omitzero"`   // not advertised before a result names it
	// StopsSiblings: its failure keeps the calls behind it from running.
	StopsSiblings bool   `json:"stops_siblings,omitzero"`
	Schema        string `json:"schema,omitzero"`
}

// Armed is one fault or kill that a scenario armed.
type Armed struct {
	What  string `json:"what"`           // as written, e.g. "at tool.ran t1 kill"
	Place string `json:"place,omitzero"` // file:line
	Fired int    `json:"fired,omitzero"` // how often
	Near  string `json:"near,omitzero"`  // when it never fired: how near the run came, as a sentence
}
