package anthropic

import (
	"slices"

	"github.com/harnessbench/bench/providers"
)

// Encoder encodes the requests of one conversation, each of which repeats the
// messages of the one before: it keeps their encodings, so that a request costs
// what is new in it, and the copy into its body (a long session would be
// quadratic). It compares messages by value
// (strings that are the same memory compare at once), so a caller may build
// them afresh each time, change them, or go back to an earlier point.
//
// The zero Encoder is ready. It is used by one goroutine at a time.
type Encoder struct {
	text   []byte            // the encoded messages, each with a comma before it but the first
	blocks []providers.Block // all their blocks
	ends   []mark            // by message
}

type mark struct {
	role   providers.Role
	text   int // where its encoding ends in text
	blocks int // where its blocks end in blocks
}

// Encode appends the same bytes as EncodeRequest.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	e.keep(e.same(req.Messages))
	for _, m := range req.Messages[len(e.ends):] {
		if len(e.ends) > 0 {
			e.text = append(e.text, ',')
		}
		e.text = AppendMessage(e.text, m)
		e.remember(m.Blocks)
		e.ends = append(e.ends, mark{m.Role, len(e.text), len(e.blocks)})
	}
	head := appendHead(dst, req)
	return append(append(slices.Grow(head, len(e.text)+2), e.text...), "]}"...)
}

// same returns how many messages at the start are those that were encoded.
func (e *Encoder) same(msgs []providers.Message) int {
	from := 0
	for i, end := range e.ends {
		if i == len(msgs) || msgs[i].Role != end.role || !sameBlocks(msgs[i].Blocks, e.blocks[from:end.blocks]) {
			return i
		}
		from = end.blocks
	}
	return len(e.ends)
}

// remember keeps blocks as they are now. Their images are copied (their data is
// not), because the caller may change one in its place, as any other field.
func (e *Encoder) remember(blocks []providers.Block) {
	from := len(e.blocks)
	e.blocks = append(e.blocks, blocks...)
	for i := from; i < len(e.blocks); i++ {
		if e.blocks[i].Images != nil {
			e.blocks[i].Images = slices.Clone(e.blocks[i].Images)
		}
	}
}

func sameBlocks(a, b []providers.Block) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(&b[i]) {
			return false
		}
	}
	return true
}

// keep forgets all but the first n messages.
func (e *Encoder) keep(n int) {
	last := mark{}
	if n > 0 {
		last = e.ends[n-1]
	}
	clear(e.blocks[last.blocks:])
	e.text, e.blocks, e.ends = e.text[:last.text], e.blocks[:last.blocks], e.ends[:n]
}
