package env

// Point is a named place in the loop where a test may look in, or end the
// world: a crash point.
type Point string

// The crash points. p0 to p7 are the names used in public reports.
const (
	RequestBefore  Point = "request.before" // p0: about to send; Lane
	StreamEvent    Point = "stream.event"   // p1: one event read; Lane
	TurnAssembled  Point = "turn.assembled" // p2: the turn is whole, nothing of it is written; Lane
	AppendBefore   Point = "append.before"  // about to append to the transcript; Records
	AppendTorn     Point = "append.torn"    // p6: the write itself; a probe may have armed the file system to tear it; Records
	AppendWritten  Point = "append.written" // written, not synced; Records
	AppendSynced   Point = "append.synced"  // p3 with assistant, p5 with result: durable; Records
	AuditBefore    Point = "audit.before"   // likewise for the audit ledger
	AuditTorn      Point = "audit.torn"
	AuditWritten   Point = "audit.written"
	AuditSynced    Point = "audit.synced"
	PublishBefore  Point = "publish.before" // durable, not shown; Records
	PublishAfter   Point = "publish.after"
	ToolBefore     Point = "tool.before"  // started is durable, the tool was not entered; Call
	ToolRunning    Point = "tool.running" // the tool was entered; hit by the tool runner; Call
	ToolRan        Point = "tool.ran"     // p4: the tool returned, nothing of it is recorded; Call
	KeepBefore     Point = "keep.before"  // about to keep a large output in a file; Call
	KeepWritten    Point = "keep.written" // it is kept, its result is not recorded; Call
	Backoff        Point = "backoff"      // about to wait before a retry; Lane
	Hook           Point = "hook"
	CompactBefore  Point = "compact.before"
	CompactSummary Point = "compact.summarised" // p7
	ResumeLoaded   Point = "resume.loaded"      // ledgers read, nothing written
	ResumeSettled  Point = "resume.settled"     // what the crash left is decided, not written
	ResumeRecorded Point = "resume.recorded"    // the resume record is durable
	RunEnded       Point = "run.ended"          // the terminal is recorded and published
)

// Points is the closed list, in the order a run meets them.
var points = []Point{
	RequestBefore, StreamEvent, TurnAssembled,
	AppendBefore, AppendTorn, AppendWritten, AppendSynced,
	AuditBefore, AuditTorn, AuditWritten, AuditSynced,
	PublishBefore, PublishAfter,
	ToolBefore, ToolRunning, ToolRan, KeepBefore, KeepWritten,
	Backoff, Hook, CompactBefore, CompactSummary,
	ResumeLoaded, ResumeSettled, ResumeRecorded, RunEnded,
}

// Points returns every crash point, in the order in which a run meets them.
func Points() []Point { return append([]Point(nil), points...) }

// RecordRef names one record of a commit.
type RecordRef struct {
	Seq  int64
	Kind string // a journal record kind
	Call string // our call id, where the record is about a call
	ID   string // the provider's id of that call
}

// Site is one visit of a point.
type Site struct {
	Point   Point
	Lane    string
	Call    string // our call id
	ID      string // the provider's id of that call
	Records []RecordRef
}

// Probe is told of every visit. It may never return (the process died there),
// panic (a fault in our own part), or return an error: at append.*, audit.*,
// publish.before and keep.before the caller treats the error as the failure of the
// operation at hand (before: nothing was written; torn: the file system was
// armed and the write itself fails; written: the sync failed; synced: durable,
// but reported failed). Elsewhere an error is a panic of our own part.
type Probe interface {
	Hit(Site) error
}

// NoProbe is the probe of the real machine.
type NoProbe struct{}

// Hit does nothing.
func (NoProbe) Hit(Site) error { return nil }
