package journal

import (
	"fmt"
	"strconv"
)

// head is the content of HeadFile: how many audit entries there were when it
// was last written, and the hash of the last of them. It is what notices that
// the end of the ledgers was cut off, or all of the audit ledger wiped
// (mechanism I2).
type head struct {
	count int64
	hash  hashText
}

func appendHead(b []byte, h head) []byte {
	b = append(b, `{"count":`...)
	b = strconv.AppendInt(b, h.count, 10)
	b = append(b, `,"head":"`...)
	b = append(b, h.hash[:]...)
	return append(b, "\"}\n"...)
}

// headSize is more than any head takes.
const headSize = 256

func parseHead(b []byte) (head, error) {
	var h head
	d := decoder{s: string(b)}
	d.lit(`{"count":`)
	h.count = d.int64()
	d.lit(`,"head":`)
	hash := d.hash()
	d.lit("}\n")
	if !d.end() || h.count < 0 {
		return head{}, &CorruptError{HeadFile, 1, fmt.Sprintf("unreadable: %q", clip(string(b), 120)), `{"count":N,"head":"HASH"} and a newline`}
	}
	copy(h.hash[:], hash)
	return h, nil
}

// Anchor writes HeadFile, if entries were added since it was last written. The
// loop calls it after a terminal; Create and Open do it themselves. (After each
// entry it would cost three times the commit.) A failure is final, as in Commit.
func (j *Journal) Anchor() error {
	if j.err != nil {
		return j.err
	}
	h := head{j.seq, j.last}
	if h == j.head {
		return nil
	}
	if err := replace(j.env.FS, HeadFile, appendHead(nil, h)); err != nil {
		j.err = &CommitError{File: HeadFile, Fate: Durable, Err: err}
		return j.err
	}
	j.head = h
	return nil
}
