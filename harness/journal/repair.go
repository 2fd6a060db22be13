package journal

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/harness/env"
)

// repair is the content of RepairFile: what an Open is about to do. It is made
// durable before anything is cut, so that an Open that dies half-way neither
// loses the note of what it cut nor takes its own torn note for another tail.
type repair struct {
	transcript, audit int64    // the bytes of each ledger that count
	notes             []Record // the quarantine records to commit, their envelopes empty
}

func newRepair(p *pass) *repair {
	fix := &repair{transcript: p.tsize, audit: p.asize}
	for _, t := range p.tails {
		fix.notes = append(fix.notes, Record{
			Kind: KindQuarantine, Code: t.File, Text: t.Text, Bytes: int(t.Bytes), Cut: int(t.Bytes) - len(t.Text),
			Detail: fmt.Sprintf("line %d, from byte %d", t.Line, t.Offset),
		})
	}
	return fix
}

func (fix *repair) encode() []byte {
	b := strconv.AppendInt([]byte(`{"transcript":`), fix.transcript, 10)
	b = strconv.AppendInt(append(b, `,"audit":`...), fix.audit, 10)
	b = append(b, "}\n"...)
	for i := range fix.notes {
		b = append(AppendRecord(b, &fix.notes[i]), '\n')
	}
	return b
}

// repairSize is more than any repair takes: two tails, each byte escaped.
const repairSize = 64 << 10

// readRepair reads what an interrupted Open was about to do; nil when none was.
func readRepair(f env.FS) (*repair, error) {
	b, err := readSmall(f, RepairFile, repairSize)
	if err != nil || b == nil {
		return nil, err
	}
	fix := new(repair)
	first, rest, _ := strings.Cut(string(b), "\n")
	d := decoder{s: first}
	d.lit(`{"transcript":`)
	fix.transcript = d.int64()
	d.lit(`,"audit":`)
	fix.audit = d.int64()
	d.lit("}")
	ok := d.end() && fix.transcript >= 0 && fix.audit >= 0
	for ok && rest != "" {
		var line string
		var r Record
		line, rest, ok = strings.Cut(rest, "\n")
		ok = ok && d.record(line, &r) && r.Kind == KindQuarantine
		fix.notes = append(fix.notes, r)
	}
	if !ok || !bytes.Equal(fix.encode(), b) {
		return nil, &CorruptError{RepairFile, 0, "not what an interrupted open leaves", "the file as it was, or none if the ledgers are whole"}
	}
	return fix, nil
}

// check makes sure that fix belongs to the ledgers as they are: both reach to
// where it cuts, and behind that stands only the tail that it describes or what
// an interrupted repair wrote itself. t and a are read up to the cut.
func (fix *repair) check(p *pass, t, a io.Reader) error {
	if p.t.next < fix.transcript || p.a.next < fix.audit || len(p.tails) > 0 {
		return &CorruptError{RepairFile, 1, fmt.Sprintf("cuts %s at %d and %s at %d, which are no ends of lines", TranscriptFile, fix.transcript, AuditFile, fix.audit),
			"the ledgers that it was written for"}
	}
	err := fix.behind(newLines(TranscriptFile, t, 1<<10), func(line []byte) bool {
		r, err := Parse(line)
		return err != nil && !hasNUL(line) || err == nil && r.Kind != KindQuarantine
	})
	if err != nil {
		return err
	}
	return fix.behind(newLines(AuditFile, a, 1<<10), func(line []byte) bool {
		e, err := ParseEntry(line)
		return err != nil && !hasNUL(line) || err == nil && e.Why != WhyRemade && e.Why != WhyQuarantined
	})
}

// behind looks at what stands behind the cut in one ledger; foreign says that a
// whole line there was not written by a repair.
func (fix *repair) behind(l *lines, foreign func(line []byte) bool) error {
	var text []byte
	var strange int
	for {
		line, err := l.read()
		text = append(text, line[:min(len(line), tailText-len(text))]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if strange == 0 && foreign(body(line)) {
			strange = l.n
		}
	}
	for _, n := range fix.notes {
		if n.Code == l.file && int64(n.Bytes) == l.next && n.Text == string(text) {
			return nil // the tail, not cut yet
		}
	}
	if strange > 0 {
		return &CorruptError{RepairFile, 1, fmt.Sprintf("would cut lines off %s that no repair wrote", l.file), "the ledgers that it was written for"}
	}
	return nil
}
