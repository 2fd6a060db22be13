package journal

import (
	"fmt"
	"io"

	"github.com/harnessbench/bench/harness/env"
)

// Create makes a session in the folder of e and commits its first record, which
// is returned with its envelope. Of first, Kind must be KindSession or empty;
// Version is set here. A folder that holds a session is refused with ErrExists.
//
// A crash at any point leaves either no session, so that Create may begin
// again, or one that Open opens: the files and the empty anchor are durable
// before the first record, and the first record's newline makes the session.
// The folder itself is the caller's: its entry in the folder above must be
// durable before Create.
func Create(e env.Env, session string, first Record) (*Journal, Record, error) {
	if err := checkSession(session); err != nil {
		return nil, Record{}, err
	}
	if first.Kind == "" {
		first.Kind = KindSession
	}
	if first.Kind != KindSession || first.Version != 0 && first.Version != Version {
		return nil, Record{}, fmt.Errorf("create: the first record is kind %q, version %d; want %q, version %d", first.Kind, first.Version, KindSession, Version)
	}
	first.Version = Version
	if first.Seq != 0 || first.Time != 0 || first.Session != "" || first.Run != 0 || first.Audit != "" {
		return nil, Record{}, fmt.Errorf("create: the first record %w", errEnvelope)
	}
	if err := vacant(e.FS); err != nil { // before the lock file is made
		return nil, Record{}, err
	}
	unlock, err := lock(e.FS)
	if err != nil {
		return nil, Record{}, err
	}
	j := newJournal(e, unlock)
	j.session = session
	if err = vacant(e.FS); err == nil {
		err = j.create(&first)
	}
	if err != nil {
		j.Close()
		return nil, Record{}, err
	}
	return j, first, nil
}

func newJournal(e env.Env, unlock func() error) *Journal {
	_, none := e.Probe.(env.NoProbe)
	return &Journal{env: e, quiet: none || e.Probe == nil, unlock: unlock, last: zeros, head: head{hash: zeros}}
}

// checkSession keeps the id what every part can carry without escaping.
func checkSession(id string) error {
	if len(id) == 0 || len(id) > 64 {
		return fmt.Errorf("create: the session id %q has %d bytes; want 1 to 64", clip(id, 64), len(id))
	}
	for i := range len(id) {
		switch c := id[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return fmt.Errorf("create: the session id %q holds %q; want letters, digits, '-', '_', '.'", id, c)
		}
	}
	return nil
}

func (j *Journal) create(first *Record) error {
	f := j.env.FS
	var err error
	if j.transcript, err = openEmpty(f, TranscriptFile); err != nil {
		return err
	}
	if j.audit, err = openEmpty(f, AuditFile); err != nil {
		return err
	}
	if err := replace(f, HeadFile, appendHead(nil, j.head)); err != nil { // also makes the other entries durable
		return inFile(HeadFile, err)
	}
	return j.commit("session created", []*Record{first})
}

// vacant says why no session can be created here, if so.
func vacant(f env.FS) error {
	session, err := present(f)
	if err == nil && session {
		err = fmt.Errorf("%s: %w", TranscriptFile, ErrExists)
	}
	return err
}

// openEmpty opens a ledger that holds nothing, or nothing that counts.
func openEmpty(f env.FS, name string) (env.File, error) {
	w, err := f.Append(name)
	if err != nil {
		return nil, inFile(name, err)
	}
	if err := cut(f, name, w, 0); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// present reports whether the folder holds a session. What an interrupted Create
// left is none; what no Create leaves is an error, so that nothing of a
// stranger's is ever emptied, and no ledger whose other half is gone.
func present(f env.FS) (bool, error) {
	size := map[string]int64{}
	for _, name := range []string{TranscriptFile, AuditFile, HeadFile, RepairFile} {
		n, _, err := stat(f, name)
		if err != nil {
			return false, err
		}
		size[name] = n
	}
	if size[TranscriptFile] > 0 {
		begun, err := begunLine(f, size[TranscriptFile])
		if err != nil || !begun {
			return !begun && err == nil, err
		}
	}
	if size[AuditFile] > 0 {
		return false, &CorruptError{TranscriptFile, 1, fmt.Sprintf("no record, though %s holds entries", AuditFile), "the records that they seal"}
	}
	b, err := readSmall(f, HeadFile, headSize)
	if err != nil || b == nil {
		return false, err
	}
	h, err := parseHead(b)
	if err == nil && h.count > 0 {
		err = &CorruptError{TranscriptFile, 1, fmt.Sprintf("no record, though %s counts %d", HeadFile, h.count), "the records that it counts"}
	}
	return false, err
}

// opening is how every transcript begins.
const opening = `{"seq":1,"time":`

// begunLine reports whether the transcript holds nothing but a part of its first
// line: an unterminated one, or one with NUL bytes where a power cut took some.
func begunLine(f env.FS, size int64) (bool, error) {
	r, err := f.Open(TranscriptFile)
	if err != nil {
		return false, inFile(TranscriptFile, err)
	}
	defer r.Close()
	b, err := newLines(TranscriptFile, r, min(size, 4<<10)).read()
	if err == nil && !hasNUL(b) {
		return false, nil
	}
	if err != nil && err != io.EOF {
		return false, err
	}
	for i := range min(len(b), len(opening)) {
		if b[i] != opening[i] && b[i] != 0 {
			return false, &CorruptError{TranscriptFile, 1, fmt.Sprintf("begins with %q: no session of this program", clip(string(b), 24)), "a session, or a folder without a file of this name"}
		}
	}
	return true, nil
}
