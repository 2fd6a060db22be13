package journal

import (
	"fmt"
	"io"
)

// Status is what a read-only pass over a session's files found.
type Status struct {
	Session  string
	Records  int64  // records that are committed
	Entries  int64  // audit entries; fewer than Records when a crash came between the two
	Anchored int64  // entries that audit.head vouches for
	Tails    []Tail // what a crash left behind the last record or entry
}

// Tail is what stands in a ledger behind its last whole line: what remains of a
// write that a crash interrupted.
type Tail struct {
	File   string
	Line   int    // number of the line that it would be
	Offset int64  // where it starts
	Bytes  int64  // how long it is
	Text   string // its first bytes, at most tailText
}

// tailText is how many bytes of a tail are kept.
const tailText = 256

// Verify checks a session at rest: both ledgers whole, each record sealed by
// its entry, the chain unbroken, the anchors right, nothing left over. It is
// pure and goes over the bytes once. The inside of a line that an entry seals
// is not parsed; Records does that.
func Verify(transcript, audit, head []byte) error {
	st, err := Inspect(transcript, audit, head)
	if err != nil {
		return err
	}
	for _, t := range st.Tails {
		return &CorruptError{t.File, t.Line, fmt.Sprintf("%d bytes behind the last whole line: a crash left them", t.Bytes), "nothing there once the session was opened again"}
	}
	if st.Entries < st.Records {
		return &CorruptError{AuditFile, int(st.Entries) + 1, fmt.Sprintf("no entry for record %d: a crash came between the ledgers", st.Entries+1), "an entry for each record once the session was opened again"}
	}
	return nil
}

// Inspect is Verify for a session that may have crashed: the error says that
// the files are not what any crash leaves, so that Open refuses them; the
// Status says what Open would repair. head is nil when the file is absent.
func Inspect(transcript, audit, head []byte) (Status, error) {
	p, err := newPass(linesOf(TranscriptFile, transcript), linesOf(AuditFile, audit), head)
	if err != nil {
		return Status{}, err
	}
	if err := p.run(nil); err != nil {
		return Status{}, err
	}
	return p.status(), nil
}

// unsealed is a record without an audit entry.
type unsealed struct {
	seq  int64
	kind Kind
	line hashText
}

// pass goes over both ledgers side by side.
//
// What a crash can leave follows from the order of a commit: write the
// transcript, sync it, write the audit ledger, sync it, and only then begin the
// next. A kill keeps what was written; a power cut keeps what was synced and any
// part of the rest, with NUL bytes where a part is missing. So
//
//   - the transcript may end in an unterminated line, or from some line on hold
//     NUL bytes, and then no audit entry exists for that line;
//   - the audit ledger may lack entries, or end in a torn one, but only for
//     records of one commit, the last: they carry the same anchor;
//   - the audit ledger is never ahead of the transcript;
//   - audit.head may be behind the audit ledger, never ahead, never absent.
//
// Everything else is corruption.
type pass struct {
	t, a  *lines
	chain chain
	seals seals
	head  head

	audited  bool     // the audit ledger was read to its end
	anchor   hashText // of the last record
	tsize    int64    // where the whole lines of the transcript end
	asize    int64    // likewise of the audit ledger
	tails    []Tail
	unsealed []unsealed
}

func newPass(transcript, audit *lines, headFile []byte) (*pass, error) {
	if headFile == nil {
		return nil, &CorruptError{HeadFile, 0, "missing", "the file that was made with the session: without it nobody can tell whether the end of the ledgers was cut off"}
	}
	h, err := parseHead(headFile)
	if err != nil {
		return nil, err
	}
	p := &pass{t: transcript, a: audit, seals: newSeals(), head: h, anchor: zeros}
	return p, p.checkHead()
}

// run reads everything. Where keep is not nil it parses each record and keeps it.
func (p *pass) run(keep func(line []byte) error) error {
	for {
		line, err := p.t.read()
		if err == io.EOF {
			if len(line) > 0 {
				p.tails = append(p.tails, newTail(p.t, line))
			}
			p.tsize = p.t.off
			break
		}
		if err != nil {
			return err
		}
		before := p.seals
		entry, sealed, err := p.nextEntry()
		if err != nil {
			return err
		}
		env, err := p.frame(line, sealed, keep)
		if err != nil {
			if !sealed && hasNUL(line) {
				p.tsize = p.t.off
				t, err := p.rest(p.t, line)
				if err != nil {
					return err
				}
				p.tails = append(p.tails, t)
				break
			}
			return locate(err, p.t)
		}
		if err := p.chain.follow(p.t, env); err != nil {
			return err
		}
		if err := p.checkAnchor(before, env); err != nil {
			return err
		}
		if err := p.checkSeal(line, env, entry, sealed); err != nil {
			return err
		}
	}
	if err := p.auditEnd(); err != nil {
		return err
	}
	if p.head.count > p.seals.n {
		return &CorruptError{HeadFile, 1, fmt.Sprintf("counts %d audit entries, %s holds %d: its end was cut off", p.head.count, AuditFile, p.seals.n), "all entries that were anchored"}
	}
	return nil
}

// frame reads a line's envelope, and the whole line where nothing else vouches
// for it or where it is kept.
func (p *pass) frame(line []byte, sealed bool, keep func([]byte) error) (envelope, error) {
	env, ok := scanEnvelope(body(line), p.chain.session)
	if keep != nil {
		if err := keep(body(line)); err != nil {
			return env, err
		}
	}
	if !ok || !sealed || p.chain.n == 0 {
		r, err := Parse(body(line))
		if err != nil {
			return env, err
		}
		env.version = r.Version
	}
	if !ok {
		return env, &CorruptError{What: "the session's id or the record's anchor is not as this program writes it", Want: "an id of letters and digits, an anchor of 64 hex digits"}
	}
	return env, nil
}

// nextEntry takes the audit entry of the next record; sealed is false when the
// ledger is at its end.
func (p *pass) nextEntry() (e entryView, sealed bool, err error) {
	if p.audited {
		return e, false, nil
	}
	line, err := p.a.read()
	if err == io.EOF {
		p.audited, p.asize = true, p.a.off
		if len(line) > 0 {
			p.tails = append(p.tails, newTail(p.a, line))
		}
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	if e, err = p.seals.follow(p.a, line); err != nil {
		if !hasNUL(line) {
			return e, false, err
		}
		p.audited, p.asize = true, p.a.off
		t, err := p.rest(p.a, line)
		p.tails = append(p.tails, t)
		return e, false, err
	}
	return e, true, p.checkHead()
}

// auditEnd makes sure that the audit ledger ends where the transcript does.
func (p *pass) auditEnd() error {
	if p.audited {
		return nil
	}
	line, err := p.a.read()
	p.asize = p.a.off
	if err == io.EOF {
		if len(line) > 0 {
			p.tails = append(p.tails, newTail(p.a, line))
		}
		return nil
	}
	if err != nil {
		return err
	}
	return &CorruptError{AuditFile, p.a.n, fmt.Sprintf("an entry for record %d, but %s ends at record %d", p.a.n, TranscriptFile, p.chain.n),
		"the record: it was durable before its entry was written"}
}

func (p *pass) checkHead() error {
	if p.seals.n == p.head.count && p.seals.head != p.head.hash {
		return &CorruptError{HeadFile, 1, fmt.Sprintf("head %s after %d entries", p.head.hash[:], p.head.count),
			fmt.Sprintf("%s, the hash of that entry in %s", p.seals.head[:], AuditFile)}
	}
	return nil
}

// checkAnchor checks the hash that a record carries: that of the entry before
// it, or, inside a commit of several records, the same as its neighbour's.
func (p *pass) checkAnchor(before seals, e envelope) error {
	anchor := hashText(e.anchor)
	fresh := before.n == e.seq-1 && anchor == before.head
	if !fresh && anchor != p.anchor {
		if before.n < e.seq-1 {
			return &CorruptError{AuditFile, int(before.n) + 1, fmt.Sprintf("no entry for record %d, though record %d was written after it", before.n+1, e.seq),
				"the entry: a crash loses only entries of the last commit"}
		}
		return &CorruptError{TranscriptFile, p.t.n, "audit is " + string(anchor[:]),
			string(before.head[:]) + ", the hash of the audit entry before it"}
	}
	p.anchor = anchor
	return nil
}

func (p *pass) checkSeal(line []byte, e envelope, entry entryView, sealed bool) error {
	sum := sumLine(line)
	if !sealed {
		p.unsealed = append(p.unsealed, unsealed{e.seq, e.kind, sum})
		return nil
	}
	if string(sum[:]) != string(entry.line) {
		if _, err := Parse(body(line)); err != nil {
			return locate(err, p.t)
		}
		return &CorruptError{TranscriptFile, p.t.n, "the line was altered: its hash is not the one in its audit entry", fmt.Sprintf("sha256 %s", entry.line)}
	}
	if e.kind != entry.kind {
		return &CorruptError{AuditFile, p.a.n, fmt.Sprintf("the entry is for a %s record", entry.kind), fmt.Sprintf("kind %q, as in %s", e.kind, TranscriptFile)}
	}
	return nil
}

func newTail(l *lines, line []byte) Tail {
	return Tail{File: l.file, Line: l.n, Offset: l.off, Bytes: int64(len(line)), Text: string(line[:min(len(line), tailText)])}
}

// rest reads to the end of a ledger, all of it tail.
func (p *pass) rest(l *lines, line []byte) (Tail, error) {
	t := newTail(l, line)
	for {
		line, err := l.read()
		t.Bytes += int64(len(line))
		t.Text += string(line[:min(len(line), tailText-len(t.Text))])
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return t, err
		}
	}
}

func (p *pass) status() Status {
	return Status{Session: p.chain.session, Records: p.chain.n, Entries: p.seals.n, Anchored: p.head.count, Tails: p.tails}
}
