package harness

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/harnessbench/bench/providers"
)

// EntryKind is the kind of one history entry.
type EntryKind uint8

// The kinds of entries.
const (
	EntryUser      EntryKind = iota + 1
	EntryAssistant           // one committed answer
	EntryCall                // a call of the answer before it: our id for a block
	EntryResult              // the outcome of a call, wherever it was recorded
)

// Entry is one thing that a request is built from.
type Entry struct {
	Kind    EntryKind
	Text    string            // user: the text; result: what the model is told; call: the raw input
	Blocks  []providers.Block // assistant
	Attempt string            // assistant
	Stop    string            // assistant: the raw stop reason
	Call    string            // call, result: our id
	ID      string            // call: the provider's id
	Code    string            // call: why it was refused
	Block   int               // call: its block's position in the answer
	IsError bool              // result
}

// History is an append-only list that is cheap to keep old views of: appending
// to the newest view extends a shared buffer, appending to an older one copies
// (the aliasing trap of A7).
type History struct {
	buf *historyBuf
	n   int
	sum [32]byte // chained over the entries
}

type historyBuf struct{ entries []Entry }

// Len is the number of entries.
func (h History) Len() int { return h.n }

// At returns entry i.
func (h History) At(i int) *Entry { return &h.buf.entries[:h.n][i] }

func (h History) append(e Entry) History {
	if h.buf == nil {
		h.buf = &historyBuf{}
	} else if len(h.buf.entries) != h.n {
		h.buf = &historyBuf{append([]Entry(nil), h.buf.entries[:h.n]...)}
	}
	h.buf.entries = append(h.buf.entries, e)
	h.n++
	h.sum = e.chain(h.sum)
	return h
}

// chain hashes the entry onto the sum of those before it.
func (e *Entry) chain(prev [32]byte) [32]byte {
	b := make([]byte, 0, 256)
	b = append(b, prev[:]...)
	str := func(v string) {
		b = binary.AppendUvarint(b, uint64(len(v)))
		b = append(b, v...)
	}
	b = append(b, byte(e.Kind))
	str(e.Text)
	str(e.Attempt)
	str(e.Stop)
	str(e.Call)
	str(e.ID)
	str(e.Code)
	b = binary.AppendVarint(b, int64(e.Block))
	if e.IsError {
		b = append(b, 1)
	}
	for i := range e.Blocks {
		p := &e.Blocks[i]
		str(string(p.Kind))
		str(p.Text)
		str(p.Signature)
		str(p.ID)
		str(p.Name)
		str(p.Input)
		str(p.Raw)
		if p.Open {
			b = append(b, 1)
		}
	}
	return sha256.Sum256(b)
}
