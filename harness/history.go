package harness

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/harnessbench/bench/harness/journal"
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
	EntryNote                // what the loop says in the user's place
	EntryBoundary            // an edit of the context: what is shown of the entries before it
)

// Entry is one thing that a request is built from.
type Entry struct {
	Kind    EntryKind
	Seq     int64                 // of its record; no part of what the entry says
	Text    string                // user, note: the text; result: what the model is told; call: the raw input; boundary: what stands there instead
	Blocks  []providers.Block     // assistant
	Attempt string                // assistant
	Stop    string                // assistant: the raw stop reason
	Model   string                // assistant: whose it is
	Tokens  int                   // assistant: what it and its request filled of the window; 0 unknown
	Call    string                // call, result: our id
	ID      string                // call: the provider's id
	Name    string                // call, result: the tool
	Code    string                // call: why it was refused; result: its code; boundary: the stage
	Block   int                   // call: its block's position in the answer
	State   journal.State         // result
	IsError bool                  // result
	Images  []providers.ImageData // result
	Digest  string                // result: of the whole output, where that is kept in a file
	File    string                // result: that file
	Bytes   int                   // result: the size of that; boundary: the size of a preview
	From    int64                 // boundary: the first record hidden
	To      int64                 // boundary: the first record behind those
	Names   []string              // boundary: calls whose results are shortened; result: deferred tools that it made available
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
	for _, v := range [...]string{e.Text, e.Attempt, e.Stop, e.Model, e.Call, e.ID, e.Name, e.Code, e.Digest, e.File, string(e.State)} {
		str(v)
	}
	for _, n := range [...]int64{int64(e.Tokens), int64(e.Block), int64(e.Bytes), e.From, e.To, int64(len(e.Names)), int64(len(e.Images))} {
		b = binary.AppendVarint(b, n)
	}
	for _, n := range e.Names {
		str(n)
	}
	for i := range e.Images {
		str(e.Images[i].Type)
		str(e.Images[i].Data)
	}
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
		for j := range p.Images {
			str(p.Images[j].Data)
		}
		if p.Open {
			b = append(b, 1)
		}
	}
	return sha256.Sum256(b)
}
