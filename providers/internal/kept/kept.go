// Package kept keeps the encodings of a conversation's messages, so that a
// request costs what is new in it, and the copy into its body:
//
//	var k kept.Messages
//	for _, req := range requests {
//		body = append(body, k.Encode(req.Messages, appendMessage)...)
//	}
package kept

import (
	"slices"

	"github.com/harnessbench/bench/providers"
)

// Messages are the messages of one conversation, encoded. They are compared by
// value (strings that are the same memory compare at once), so a caller may build
// them afresh each time, change them, or go back to an earlier point.
//
// The zero Messages are ready, and are used by one goroutine at a time.
type Messages struct {
	text   []byte            // the encodings, each with a comma before it but the first
	blocks []providers.Block // all their blocks
	ends   []mark            // by message
}

type mark struct {
	role   providers.Role
	text   int // where its encoding ends in text
	blocks int // where its blocks end in blocks
}

// Encode returns the encodings of msgs with commas between them, which stay valid
// until the next call. encode appends that of the i-th message; it is called for
// those that are new, in order, and those before the first of them are as they were.
func (k *Messages) Encode(msgs []providers.Message, encode func(dst []byte, i int, m *providers.Message) []byte) []byte {
	k.Keep(k.Known(msgs))
	for i := len(k.ends); i < len(msgs); i++ {
		m := &msgs[i]
		if i > 0 {
			k.text = append(k.text, ',')
		}
		k.text = encode(k.text, i, m)
		k.remember(m.Blocks)
		k.ends = append(k.ends, mark{m.Role, len(k.text), len(k.blocks)})
	}
	return k.text
}

// Known returns how many messages at the start are those that were encoded.
func (k *Messages) Known(msgs []providers.Message) int {
	from := 0
	for i, end := range k.ends {
		if i == len(msgs) || msgs[i].Role != end.role || !sameBlocks(msgs[i].Blocks, k.blocks[from:end.blocks]) {
			return i
		}
		from = end.blocks
	}
	return len(k.ends)
}

// Keep forgets all but the first n messages.
func (k *Messages) Keep(n int) {
	n = min(n, len(k.ends))
	last := mark{}
	if n > 0 {
		last = k.ends[n-1]
	}
	clear(k.blocks[last.blocks:])
	k.text, k.blocks, k.ends = k.text[:last.text], k.blocks[:last.blocks], k.ends[:n]
}

// remember keeps blocks as they are now. Their images are copied (their data is
// not), because the caller may change one in its place, as any other field.
func (k *Messages) remember(blocks []providers.Block) {
	from := len(k.blocks)
	k.blocks = append(k.blocks, blocks...)
	for i := from; i < len(k.blocks); i++ {
		if k.blocks[i].Images != nil {
			k.blocks[i].Images = slices.Clone(k.blocks[i].Images)
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
