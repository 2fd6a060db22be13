package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/harnessbench/bench/harness/env"
)

// Journal is a session open for recording. One goroutine uses it.
type Journal struct {
	env    env.Env
	quiet  bool // nobody looks at the probe
	unlock func() error

	transcript env.File
	audit      env.File

	session string
	seq     int64    // of the last record
	run     int      // of the last record
	last    hashText // of the last audit entry
	head    head     // as it stands in HeadFile

	ids  map[string]string // our call ids to the provider's, for the probe
	buf  []byte            // what is being written
	sums []hashText        // of the lines of the last commit
	err  error             // why nothing is recorded any more
}

// Session returns the session's id.
func (j *Journal) Session() string { return j.session }

// LineHash returns the hash of the i-th record of the last commit, as it stands
// in that record's audit entry; "" where that commit had no such record.
func (j *Journal) LineHash(i int) string {
	if i < 0 || i >= len(j.sums) {
		return ""
	}
	return string(j.sums[i][:])
}

// Fate says what is known of records whose commit failed.
type Fate string

const (
	Absent  Fate = "not on the disk"
	Unsure  Fate = "unknown: on the disk whole, in part or not at all" // a failed write or sync (mechanism H6)
	Durable Fate = "in the transcript, durable, though reported failed"
)

// CommitError is a failure to record. It is no tool's failure and no model's:
// the run must end (mechanism H3). It stays: every later Commit and Anchor of
// the Journal returns the same *CommitError, and nothing is tried again. Opening
// the session anew shows what is really there.
type CommitError struct {
	File    string    // TranscriptFile, AuditFile or HeadFile
	Step    env.Point // the step that failed: append.torn is the write, append.written the sync; "" for HeadFile
	Records []env.RecordRef
	Fate    Fate
	Err     error
}

func (e *CommitError) Error() string {
	err := e.Err
	if p, ok := err.(*fs.PathError); ok {
		err = p.Err // the file is named already
	}
	const after = "nothing more is recorded until the session is opened again"
	if e.File == HeadFile {
		return fmt.Sprintf("%s: writing the anchor failed: %v; %s", e.File, err, after)
	}
	return fmt.Sprintf("%s: %s of %s failed: %v; the fate of what was to be recorded: %s; %s", e.File, e.step(), e.names(), err, e.Fate, after)
}

func (e *CommitError) Unwrap() error { return e.Err }

func (e *CommitError) step() string {
	switch e.Step {
	case env.AppendTorn, env.AuditTorn:
		return "the write"
	case env.AppendWritten, env.AuditWritten:
		return "the sync"
	}
	return "step " + string(e.Step)
}

// names lists the records, at most four of them: "record 4 (call c1)".
func (e *CommitError) names() string {
	var b strings.Builder
	for i, r := range e.Records {
		if i == 4 {
			fmt.Fprintf(&b, " and %d more", len(e.Records)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "record %d (%s", r.Seq, r.Kind)
		if r.Call != "" {
			b.WriteString(" " + r.Call)
		}
		b.WriteString(")")
	}
	return b.String()
}

var (
	errEnvelope = errors.New("brings its own seq, time, session, run or audit; leave them empty, the journal fills them in")
	errClosed   = errors.New("the journal is closed")
	errPanic    = errors.New("a panic came out of it")
)

// Commit makes records durable, in both ledgers, in the order given and as one:
// transcript written and synced, then the audit ledger written and synced. It
// fills in the envelope of each record: Seq, Time, Session, Run and Audit, which
// the caller leaves empty. why says why the step was allowed and stands in the
// audit entries. Only when Commit has returned nil may anyone be shown the
// records.
//
// A record that may not be written (one that brings its own envelope, has no
// known kind, or a kind that only this package writes) is refused before
// anything is touched, and the journal goes on. Any other failure is a
// *CommitError and final.
func (j *Journal) Commit(why string, recs ...*Record) error {
	if j.err != nil {
		return j.err
	}
	for i, r := range recs {
		if err := check(r); err != nil {
			return fmt.Errorf("commit of %d records refused, nothing written: record %d of them %w", len(recs), i+1, err)
		}
	}
	return j.commit(why, recs)
}

// check refuses a record that a caller may not commit.
func check(r *Record) error {
	switch {
	case r.Seq != 0 || r.Time != 0 || r.Session != "" || r.Run != 0 || r.Audit != "":
		return errEnvelope
	case r.Kind == KindSession || r.Kind == KindQuarantine:
		return fmt.Errorf("is a %s record, which only the journal writes", r.Kind)
	}
	if _, ok := kindOf(string(r.Kind)); !ok {
		return fmt.Errorf("has the unknown kind %q; use one of the Kind constants", clip(string(r.Kind), 40))
	}
	return nil
}

func (j *Journal) commit(why string, recs []*Record) error {
	if len(recs) == 0 {
		return nil
	}
	if err := j.encode(recs); err != nil {
		for _, r := range recs {
			r.Seq, r.Time, r.Session, r.Run, r.Audit = 0, 0, "", 0, ""
		}
		return fmt.Errorf("commit of %d records refused, nothing written: %w", len(recs), err)
	}
	var refs []env.RecordRef
	if !j.quiet {
		refs = j.refs(recs)
	}
	if err := j.append(&transcriptSteps, j.transcript, recs, refs); err != nil {
		return err
	}
	j.buf = j.buf[:0]
	for i, r := range recs {
		j.buf, j.last = appendEntryLine(j.buf, r.Seq, r.Kind, &j.sums[i], why, &j.last)
	}
	if err := j.append(&auditSteps, j.audit, recs, refs); err != nil {
		return err
	}
	j.seq += int64(len(recs))
	j.run = recs[len(recs)-1].Run
	return nil
}

// keepBuf bounds the room that is kept from one commit to the next.
const keepBuf = 1 << 20

// encode fills in the envelopes and leaves the lines in j.buf.
func (j *Journal) encode(recs []*Record) error {
	if cap(j.buf) > keepBuf {
		j.buf = nil
	}
	j.buf, j.sums = j.buf[:0], j.sums[:0]
	now, anchor, run := j.env.Clock.Now().UnixMilli(), string(j.last[:]), j.run
	for i, r := range recs {
		if r.Seq != 0 {
			return fmt.Errorf("the same record stands twice in it, the second time as number %d", i+1)
		}
		if r.Kind == KindUser {
			run++
		}
		r.Seq, r.Time, r.Session, r.Run, r.Audit = j.seq+int64(i)+1, now, j.session, run, anchor
		start := len(j.buf)
		j.buf = append(AppendRecord(j.buf, r), '\n')
		if len(j.buf)-start > maxLine {
			return fmt.Errorf("record %d of them (%s) takes more than the %d bytes of a line", i+1, r.Kind, maxLine)
		}
		j.sums = append(j.sums, sumLine(j.buf[start:]))
	}
	return nil
}

// appendEntryLine appends a whole entry, newline included, and returns its hash.
func appendEntryLine(b []byte, seq int64, kind Kind, line *hashText, why string, prev *hashText) ([]byte, hashText) {
	start := len(b)
	b = appendSealed(b, seq, kind, line[:], why, prev[:])
	hash := sumLine(b[start:])
	b = append(b, `,"hash":"`...)
	b = append(b, hash[:]...)
	return append(b, '"', '}', '\n'), hash
}

// refs names the records for the probe. A record about a call often carries only
// our id of it; the provider's is remembered from the call's own record.
func (j *Journal) refs(recs []*Record) []env.RecordRef {
	refs := make([]env.RecordRef, len(recs))
	for i, r := range recs {
		j.remember(r)
		id := r.ID
		if id == "" && r.Call != "" {
			id = j.ids[r.Call]
		}
		refs[i] = env.RecordRef{Seq: r.Seq, Kind: string(r.Kind), Call: r.Call, ID: id}
	}
	return refs
}

func (j *Journal) remember(r *Record) {
	if r.Kind != KindCall || j.quiet {
		return
	}
	if j.ids == nil {
		j.ids = map[string]string{}
	}
	j.ids[r.Call] = r.ID
}

// steps are the points of one append, in order, and what is known of the
// records before its write.
type steps struct {
	file                          string
	before, torn, written, synced env.Point
	unwritten                     Fate
}

// The steps of a commit: these and no others, in this order.
var (
	transcriptSteps = steps{TranscriptFile, env.AppendBefore, env.AppendTorn, env.AppendWritten, env.AppendSynced, Absent}
	auditSteps      = steps{AuditFile, env.AuditBefore, env.AuditTorn, env.AuditWritten, env.AuditSynced, Durable}
)

// append writes j.buf to a ledger and syncs it, with the probe between the
// steps. An error of the probe is the failure of the step at hand (env.Probe).
func (j *Journal) append(s *steps, f env.File, recs []*Record, refs []env.RecordRef) error {
	step, fate, over := s.before, s.unwritten, false
	fail := func(err error) error {
		if refs == nil {
			refs = j.refs(recs)
		}
		j.err = &CommitError{File: s.file, Step: step, Records: refs, Fate: fate, Err: err}
		return j.err
	}
	defer func() {
		// A panic may be caught further out, and the loop go on to record that:
		// after a half-made commit it must not.
		if !over && fate != Absent {
			fail(errPanic)
		}
	}()
	err := j.hit(step, refs)
	if err == nil {
		step = s.torn
		err = j.hit(step, refs)
	}
	if err == nil {
		if fate == Absent {
			fate = Unsure
		}
		err = write(f, j.buf)
	}
	if err == nil {
		step = s.written
		err = j.hit(step, refs)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		step, fate = s.synced, Durable
		err = j.hit(step, refs)
	}
	over = true
	if err != nil {
		return fail(err)
	}
	return nil
}

// write writes all of b: a short write is a failure, whatever the file says.
func write(f env.File, b []byte) error {
	n, err := f.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func (j *Journal) hit(p env.Point, refs []env.RecordRef) error {
	if j.quiet {
		return nil
	}
	return j.env.Probe.Hit(env.Site{Point: p, Records: refs})
}

// Close releases the files and the lock. The first failure is returned; a
// second Close does nothing.
func (j *Journal) Close() error {
	if j.unlock == nil {
		return nil
	}
	var err error
	for _, f := range []env.File{j.transcript, j.audit} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	err = errors.Join(err, j.unlock())
	j.unlock = nil
	if j.err == nil {
		j.err = errClosed
	}
	return err
}
