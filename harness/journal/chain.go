package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// hashText is a SHA-256 as it stands in a file.
type hashText = [64]byte

// zeros is the hash before the first.
var zeros = func() (z hashText) {
	for i := range z {
		z[i] = '0'
	}
	return z
}()

// sumLine returns the hash of a line, newline included.
func sumLine(line []byte) (h hashText) {
	sum := sha256.Sum256(line)
	hex.Encode(h[:], sum[:])
	return h
}

// envelope is the frame of a record's line: what a pass over a transcript needs
// without reading the record.
type envelope struct {
	seq     int64
	run     int64
	kind    Kind
	session string
	version int    // set in the first record's only
	anchor  []byte // a view into the line; nil when it came from a Record
}

func (r *Record) envelope() envelope {
	return envelope{seq: r.Seq, run: int64(r.Run), kind: r.Kind, session: r.Session, version: r.Version}
}

const anchorTail = len(`,"audit":"`) + 64 + len(`"}`)

// scanEnvelope reads the frame of a line as Create and Commit write it, without
// reading what is inside. session is the id that is expected.
func scanEnvelope(line []byte, session string) (e envelope, ok bool) {
	at := skip(line, 0, `{"seq":`)
	if e.seq, at, ok = scanInt(line, at); !ok {
		return e, false
	}
	if _, at, ok = scanInt(line, skip(line, at, `,"time":`)); !ok {
		return e, false
	}
	id, at := scanName(line, skip(line, at, `,"session":`))
	if e.run, at, ok = scanInt(line, skip(line, at, `,"run":`)); !ok {
		return e, false
	}
	kind, at := scanName(line, skip(line, at, `,"kind":`))
	if e.kind, ok = kindOf(kind); !ok {
		return e, false
	}
	tail := len(line) - anchorTail
	if at < 0 || tail < at || skip(line, tail, `,"audit":"`) < 0 || skip(line, len(line)-2, `"}`) < 0 {
		return e, false
	}
	e.anchor = line[len(line)-66 : len(line)-2]
	if e.session = session; string(id) != session {
		e.session = string(id)
	}
	return e, true
}

// scanInt reads an integer at a place; a negative place is a failure before it.
func scanInt(line []byte, at int) (n int64, end int, ok bool) {
	if at < 0 {
		return 0, -1, false
	}
	return cutInt(line, at)
}

// scanName reads a quoted word at a place.
func scanName(line []byte, at int) (name []byte, end int) {
	if at < 0 || at >= len(line) || line[at] != '"' {
		return nil, -1
	}
	n := bytes.IndexByte(line[at+1:], '"')
	if n < 0 {
		return nil, -1
	}
	return line[at+1 : at+1+n], at + n + 2
}

// skip returns the place behind text at a place, or -1.
func skip(line []byte, at int, text string) int {
	if at < 0 || len(line)-at < len(text) || string(line[at:at+len(text)]) != text {
		return -1
	}
	return at + len(text)
}

// chain is what one record of a transcript says about the next.
type chain struct {
	n       int64
	session string
	run     int64
}

// follow checks that a record may stand after those before it.
func (c *chain) follow(l *lines, e envelope) error {
	bad := func(want, what string, args ...any) error {
		return &CorruptError{l.file, l.n, fmt.Sprintf(what, args...), want}
	}
	switch {
	case e.seq != c.n+1:
		return bad(fmt.Sprintf("record %d: the sequence has no gap, no repeat and no other order", c.n+1), "record %d stands here", e.seq)
	case c.n == 0 && e.kind != KindSession:
		return bad("a session record", "the first record is %q: the folder is not a session", e.kind)
	case c.n == 0 && e.version != Version:
		return bad(fmt.Sprintf("version %d, the only one that this program reads", Version), "format version %d", e.version)
	case c.n == 0:
		c.session = e.session
	case e.kind == KindSession:
		return bad("it in the first line alone", "a second session record")
	}
	if e.session != c.session {
		return bad(fmt.Sprintf("session %q, which the first record names", c.session), "the record belongs to session %q", clip(e.session, 40))
	}
	run := c.run
	if e.kind == KindUser {
		run++
	}
	if e.run != run {
		return bad(fmt.Sprintf("run %d", run), "a %s record of run %d", e.kind, e.run)
	}
	c.n, c.run = e.seq, run
	return nil
}

// entryView is one line of the audit ledger, as views into the line.
type entryView struct {
	seq    int64
	kind   Kind
	line   []byte
	sealed []byte // what the hash covers
	prev   []byte
	hash   []byte
}

const (
	hashTail = len(`,"hash":"`) + 64 + len(`"}`)
	prevTail = len(`,"prev":"`) + 64 + len(`"`)
)

// scanEntry reads an entry's line.
func scanEntry(line []byte) (e entryView, ok bool) {
	at := skip(line, 0, `{"seq":`)
	if e.seq, at, ok = scanInt(line, at); !ok {
		return e, false
	}
	kind, at := scanName(line, skip(line, at, `,"kind":`))
	if e.kind, ok = kindOf(kind); !ok {
		return e, false
	}
	e.line, at = scanName(line, skip(line, at, `,"line":`))
	at = skip(line, at, `,"why":"`)
	tail := len(line) - hashTail
	link := tail - prevTail
	if at < 0 || link <= at || line[link-1] != '"' ||
		skip(line, link, `,"prev":"`) < 0 || skip(line, tail-1, `","hash":"`) < 0 || skip(line, len(line)-2, `"}`) < 0 {
		return e, false
	}
	e.prev = line[tail-65 : tail-1]
	e.hash = line[len(line)-66 : len(line)-2]
	e.sealed = line[:tail]
	if plainRun(line, at) != link-1 { // not a plain reason: the strict reader decides
		_, err := ParseEntry(line)
		return e, err == nil
	}
	return e, true
}

// seals is the state of the hash chain after some entries.
type seals struct {
	n    int64
	head hashText
}

func newSeals() seals { return seals{head: zeros} }

// follow checks that a line's entry continues the chain, and takes it in.
func (c *seals) follow(l *lines, line []byte) (entryView, error) {
	bad := func(want, what string, args ...any) error {
		return &CorruptError{l.file, l.n, fmt.Sprintf(what, args...), want}
	}
	e, ok := scanEntry(body(line))
	if !ok {
		if _, err := ParseEntry(body(line)); err != nil {
			return e, locate(err, l)
		}
		return e, bad("an entry as this program writes it", "not an entry")
	}
	if e.seq != c.n+1 {
		return e, bad(fmt.Sprintf("the entry for record %d here", c.n+1), "an entry for record %d", e.seq)
	}
	if string(e.prev) != string(c.head[:]) {
		return e, bad("prev "+string(c.head[:])+", the hash of the entry before", "the chain is broken: prev is %s", clip(string(e.prev), 64))
	}
	if h := sumLine(e.sealed); string(e.hash) != string(h[:]) {
		return e, bad("hash "+string(h[:]), "the entry was altered: its hash does not match its content")
	}
	c.n, c.head = e.seq, [64]byte(e.hash)
	return e, nil
}
