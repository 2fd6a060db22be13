package invariants

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

var zeros = strings.Repeat("0", 64)

// twoLedgers verifies the files by its own reading, then lets the journal's own
// verifier, which also knows the anchor file, have the last word. A session
// that lies as a crash left it may end in a torn line, and may lack the audit
// entries of its last commit.
func twoLedgers(c *Case) []Finding {
	if len(c.recs) == 0 && len(c.ev.Odd) == 0 {
		return nil
	}
	tolerant := c.unsettledEnd()
	for _, o := range c.ev.Odd {
		if o.File == evidence.EffectsFile || tolerant && c.atEnd(o) {
			continue
		}
		where, around := oddLine(o)
		if o.Torn {
			return []Finding{found(where, around, "the last line is torn (%d bytes without a newline), and the life that came last ended without quarantining it", o.End-o.Off)}
		}
		return []Finding{found(where, around, "this line is not what belongs here: %s", o.Why)}
	}
	if f := c.gapless(); f != nil {
		return f
	}
	if f := c.sealed(tolerant); f != nil {
		return f
	}
	if f := c.unmarked(); f != nil {
		return f
	}
	if tolerant || c.ev.Head == nil {
		return nil
	}
	if err := journal.Verify(c.ev.Transcript, c.ev.Audit, c.ev.Head); err != nil {
		return []Finding{found(Place{File: evidence.HeadFile}, nil, "the ledgers do not verify: %v", err)}
	}
	return nil
}

// atEnd reports whether an odd line is what a crash leaves at the end of a
// file: torn, or full of NUL bytes where a power cut took the middle of what
// was written, with no record behind it.
func (c *Case) atEnd(o evidence.Odd) bool {
	at, b := c.at, c.ev.Transcript
	if o.File == evidence.AuditFile {
		at, b = c.ev.EntryAt, c.ev.Audit
	}
	if o.Torn {
		return true
	}
	last := len(at) == 0 || at[len(at)-1].End <= o.Off
	return last && bytes.IndexByte(b[o.Off:], 0) >= 0
}

// gapless checks the transcript alone.
func (c *Case) gapless() []Finding {
	for i := range c.recs {
		r := &c.recs[i]
		where, around := Place{}, []string(nil)
		why := ""
		switch {
		case r.Seq != int64(i)+1:
			why = fmt.Sprintf("its number is %d where %d is due: records are missing, or there twice", r.Seq, i+1)
		case i == 0 && r.Kind != journal.KindSession:
			why = "the first record is not the session's"
		case r.Session != c.recs[0].Session:
			why = "it belongs to another session"
		}
		if why != "" {
			where, around = c.record(i)
			return []Finding{found(where, around, "the transcript is not whole: %s", why)}
		}
	}
	return nil
}

// sealed checks the audit ledger against the transcript.
func (c *Case) sealed(tolerant bool) []Finding {
	prev := zeros
	entries := c.ev.Entries
	byHash := map[string]int{zeros: -1}
	anchor := -1
	for i := range entries {
		e := &entries[i]
		why := ""
		switch {
		case i >= len(c.recs):
			why = fmt.Sprintf("it is for record %d, which the transcript does not hold: entries come after records, never before", e.Seq)
		case e.Seq != int64(i)+1:
			why = fmt.Sprintf("it is for record %d where record %d is due", e.Seq, i+1)
		case e.Kind != c.recs[i].Kind:
			why = "record " + itoa(e.Seq) + " is of kind " + string(c.recs[i].Kind)
		case e.Line != c.lineHash(i):
			why = "the hash is not that of the record's line: one of the two was altered"
		case strings.TrimSpace(e.Why) == "":
			why = "it does not say why the step was allowed"
		case e.Prev != prev:
			why = "prev is not the hash of the entry before: the chain is broken"
		case e.Hash != c.seal(i):
			why = "its hash is not that of its own line"
		}
		if why != "" {
			where, around := c.entry(i)
			return []Finding{found(where, around, "the audit ledger does not hold: %s", why)}
		}
		if at, ok := byHash[c.recs[i].Audit]; !ok || at < anchor {
			where, around := c.record(i)
			return []Finding{found(where, around, "record %d is anchored to an audit entry (%.8s) that does not stand before it: an entry that was durable is gone or was replaced", c.recs[i].Seq, c.recs[i].Audit)}
		} else {
			anchor = at
		}
		prev = e.Hash
		byHash[e.Hash] = i
	}
	if len(entries) == len(c.recs) {
		return nil
	}
	i := len(entries)
	where, around := c.record(i)
	if !tolerant {
		return []Finding{found(where, around, "record %d and %d behind it have no audit entry, and the life that came last ended without making them again", c.recs[i].Seq, len(c.recs)-i-1)}
	}
	for j := i; j < len(c.recs); j++ {
		if _, ok := byHash[c.recs[j].Audit]; !ok || c.recs[j].Audit != c.recs[i].Audit {
			where, around := c.record(j)
			return []Finding{found(where, around, "record %d was written after record %d, which has no audit entry: a crash takes entries of the last commit only", c.recs[j].Seq, c.recs[i].Seq)}
		}
	}
	return nil
}

// seal is the hash of an entry's line up to the comma before its hash: this
// package's own reading of the format.
func (c *Case) seal(i int) string {
	line := c.ev.Audit[c.ev.EntryAt[i].Off:c.ev.EntryAt[i].End]
	if j := bytes.LastIndex(line, []byte(`,"hash":`)); j >= 0 {
		line = line[:j]
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// unmarked looks for audit entries that were written in a later life than
// their record, and do not say so.
func (c *Case) unmarked() []Finding {
	if c.untraced() {
		return nil
	}
	next := 0
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		if !isFile(s.File, evidence.AuditFile) {
			continue
		}
		switch s.Kind {
		case evidence.StepTruncate:
			for next > 0 && c.ev.EntryAt[next-1].End > s.Len {
				next--
			}
		case evidence.StepAppend:
			for ; next < len(c.ev.Entries) && c.ev.EntryAt[next].End <= s.Len; next++ {
				e := &c.ev.Entries[next]
				r, ok := c.bySeq[e.Seq]
				if ok && c.lifeOfRecord(r) > 0 && c.lifeOfRecord(r) < s.Life && !strings.Contains(e.Why, "remade") {
					where, around := c.entry(next)
					return []Finding{found(where, around, "the entry of record %d was made in life %d, but the record is of life %d, and the entry does not say that it was made again", e.Seq, s.Life, c.lifeOfRecord(r))}
				}
			}
		}
	}
	return nil
}
