package anthropic

import (
	"slices"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/kept"
)

// Encoder encodes the requests of one conversation, each of which repeats the
// messages of the one before: it keeps their encodings, so that a request costs
// what is new in it, and the copy into its body (a long session would be
// quadratic). It compares messages by value (strings that are the same memory
// compare at once), so a caller may build them afresh each time, change them, or
// go back to an earlier point.
//
// The zero Encoder is ready. It is used by one goroutine at a time.
type Encoder struct{ kept kept.Messages }

// Encode appends the same bytes as EncodeRequest.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	text := e.kept.Encode(req.Messages, appendMessage)
	head := appendHead(dst, req)
	return append(append(slices.Grow(head, len(text)+2), text...), "]}"...)
}

func appendMessage(dst []byte, _ int, m *providers.Message) []byte { return AppendMessage(dst, *m) }
