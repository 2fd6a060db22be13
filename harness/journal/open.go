package journal

import (
	"errors"
	"fmt"
	"io"

	"github.com/harnessbench/bench/harness/env"
)

// Loaded is what Open found, after its repairs.
type Loaded struct {
	Records     []Record // all of them, those that Open wrote included
	Entries     int      // audit entries: as many as records
	Quarantined []Record // the quarantine records that this Open wrote
	Remade      int      // audit entries that this Open made for records that a crash left without
}

// Open opens the session in the folder of e for recording, and holds its lock
// until Close.
//
// It reads both ledgers to the end before it touches anything, and refuses them
// with a *CorruptError, bytes untouched, where they are not what a crash can
// leave (type pass lists what that is). What a crash did leave it settles once:
// a torn tail is cut off and noted by a quarantine record, never continued;
// missing audit entries are made again, marked "remade at open"; the anchor is
// brought up to date. A second Open changes nothing, and a crash inside Open
// only means that the next one does the same again: what is to be done stands
// in RepairFile first.
func Open(e env.Env) (*Journal, *Loaded, error) {
	if session, err := present(e.FS); err != nil {
		return nil, nil, err
	} else if !session {
		return nil, nil, ErrNoSession
	}
	unlock, err := lock(e.FS)
	if err != nil {
		return nil, nil, err
	}
	j := newJournal(e, unlock)
	loaded, err := j.open()
	if err != nil {
		j.Close()
		return nil, nil, err
	}
	return j, loaded, nil
}

func (j *Journal) open() (*Loaded, error) {
	f := j.env.FS
	fix, err := readRepair(f)
	if err != nil {
		return nil, err
	}
	loaded := new(Loaded)
	p, err := j.read(fix, loaded)
	if err != nil {
		return nil, err
	}
	if p.chain.n == 0 {
		return nil, ErrNoSession
	}
	j.session, j.seq, j.run = p.chain.session, p.chain.n, int(p.chain.run)
	j.last, j.head = p.seals.head, p.head
	for i := range loaded.Records {
		j.remember(&loaded.Records[i])
	}
	if err := j.hold(); err != nil {
		return nil, err
	}
	if fix == nil && (len(p.tails) > 0 || len(p.unsealed) > 0) {
		fix = newRepair(p)
		if err := replace(f, RepairFile, fix.encode()); err != nil {
			return nil, inFile(RepairFile, err)
		}
	}
	if fix != nil {
		if err := j.repair(fix, p, loaded); err != nil {
			return nil, err
		}
	}
	loaded.Entries = len(loaded.Records)
	return loaded, j.Anchor()
}

// hold opens the ledgers for appending and makes durable what was read. That may
// still be in the page cache alone: a kill leaves there what the dead process
// wrote and never synced, and names likewise. It is about to be acted upon, by a
// repair first of all, so it must outlast a power cut.
func (j *Journal) hold() (err error) {
	f := j.env.FS
	if j.transcript, err = f.Append(TranscriptFile); err != nil {
		return inFile(TranscriptFile, err)
	}
	if j.audit, err = f.Append(AuditFile); err != nil {
		return inFile(AuditFile, err)
	}
	if err := j.transcript.Sync(); err != nil {
		return inFile(TranscriptFile, err)
	}
	if err := j.audit.Sync(); err != nil {
		return inFile(AuditFile, err)
	}
	if err := f.SyncDir("."); err != nil {
		return fmt.Errorf("syncing the session's folder: %w", err)
	}
	return nil
}

// read passes over both ledgers, as far as fix says that they count.
func (j *Journal) read(fix *repair, loaded *Loaded) (*pass, error) {
	f := j.env.FS
	headFile, err := readSmall(f, HeadFile, headSize)
	if err != nil {
		return nil, err
	}
	t, tsize, err := openLedger(f, TranscriptFile)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	a, asize, err := openLedger(f, AuditFile)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	tr, ar := io.Reader(t), io.Reader(a)
	if fix != nil {
		tr, ar = io.LimitReader(t, fix.transcript), io.LimitReader(a, fix.audit)
	}
	p, err := newPass(newLines(TranscriptFile, tr, tsize), newLines(AuditFile, ar, asize), headFile)
	if err != nil {
		return nil, err
	}
	var d decoder
	loaded.Records = make([]Record, 0, min(p.head.count+16, tsize/int64(len(opening)), 1<<20))
	err = p.run(func(line []byte) error {
		var r Record
		if !d.record(string(line), &r) {
			return explain(line, d.at, new(Record))
		}
		loaded.Records = append(loaded.Records, r)
		return nil
	})
	if err == nil && fix != nil {
		err = fix.check(p, t, a)
	}
	return p, err
}

// openLedger opens a file that must be there.
func openLedger(f env.FS, name string) (r io.ReadCloser, size int64, err error) {
	size, exists, err := stat(f, name)
	if err == nil && !exists {
		err = &CorruptError{name, 0, "missing", "the file that was made with the session"}
	}
	if err != nil {
		return nil, 0, err
	}
	r, err = f.Open(name)
	return r, size, inFile(name, err)
}

// The reasons that stand in audit entries written by Open.
const (
	WhyRemade      = "remade at open"
	WhyQuarantined = "quarantined at open"
)

// repair does what fix says. It may be interrupted anywhere and done again.
func (j *Journal) repair(fix *repair, p *pass, loaded *Loaded) error {
	f := j.env.FS
	if err := errors.Join(cut(f, TranscriptFile, j.transcript, fix.transcript), cut(f, AuditFile, j.audit, fix.audit)); err != nil {
		return err
	}
	if err := j.remake(p, loaded); err != nil {
		return err
	}
	var notes []*Record
	for i := range fix.notes {
		notes = append(notes, &fix.notes[i])
	}
	if err := j.commit(WhyQuarantined, notes); err != nil {
		return err
	}
	loaded.Quarantined = fix.notes
	loaded.Records = append(loaded.Records, fix.notes...)
	// Before the anchor: the repair file must not outlive what it leads to.
	if err := f.Remove(RepairFile); err != nil {
		return inFile(RepairFile, err)
	}
	if err := f.SyncDir("."); err != nil {
		return fmt.Errorf("%s: syncing the folder: %w", RepairFile, err)
	}
	return nil
}

// remake writes the audit entries that a crash took.
func (j *Journal) remake(p *pass, loaded *Loaded) error {
	if len(p.unsealed) == 0 {
		return nil
	}
	var recs []*Record
	j.buf = j.buf[:0]
	for _, u := range p.unsealed {
		recs = append(recs, &loaded.Records[u.seq-1])
		j.buf, j.last = appendEntryLine(j.buf, u.seq, u.kind, &u.line, WhyRemade, &j.last)
	}
	var refs []env.RecordRef
	if !j.quiet {
		refs = j.refs(recs)
	}
	loaded.Remade = len(recs)
	return j.append(&auditSteps, j.audit, recs, refs)
}
