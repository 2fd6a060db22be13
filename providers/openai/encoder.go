package openai

import (
	"slices"

	"github.com/harnessbench/bench/providers"
)

// Options are the few things in which servers of one API differ.
type Options struct {
	// OldMaxTokens asks for max_tokens in Chat, where OpenAI's own models want
	// max_completion_tokens, which some other servers do not know and so do not
	// heed (DeepSeek, Mistral).
	OldMaxTokens bool
	// NoUsage leaves out stream_options in Chat, which some servers refuse
	// (Mistral). Without it most streams do not say what was used.
	NoUsage bool
	// Encrypted asks Responses for the encrypted text of reasoning, without which
	// what was thought cannot be sent back. Models that do not reason refuse it.
	Encrypted bool
}

// Encoder encodes the requests of one conversation, each of which repeats the
// messages of the one before: it keeps their encodings, so that a request costs
// what is new in it, and the copy into its body (a long session would be
// quadratic). It compares messages by value (strings that are the same memory
// compare at once), so a caller may build them afresh each time, change them, or
// go back to an earlier point.
//
// It repairs nothing: blocks keep their order, as far as the API has one, ids and
// inputs their bytes, Raw its spelling. Input is a string on the wire, so it
// may be anything; none at all is {}. What is sent for what these APIs have no
// place for is said at chatMessage and responsesMessage. Text that is not valid
// UTF-8, which JSON cannot carry, has each bad byte replaced by U+FFFD.
//
// An Encoder with an API is ready. It is used by one goroutine at a time.
type Encoder struct {
	API     API
	Options Options

	text   []byte            // the encoded messages, each with a comma before it but the first
	blocks []providers.Block // all their blocks
	ends   []mark            // by message
}

type mark struct {
	role   providers.Role
	text   int // where its encoding ends in text
	blocks int // where its blocks end in blocks
}

// Encode appends the body of a request.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	e.keep(e.same(req.Messages))
	for i := len(e.ends); i < len(req.Messages); i++ {
		m := &req.Messages[i]
		if len(e.ends) > 0 {
			e.text = append(e.text, ',')
		}
		if e.API == Responses {
			e.text = responsesMessage(e.text, m)
		} else {
			e.text = chatMessage(e.text, m)
		}
		e.remember(m.Blocks)
		e.ends = append(e.ends, mark{m.Role, len(e.text), len(e.blocks)})
	}
	var tail string
	if e.API == Responses {
		dst, tail = e.responsesHead(dst, req), "]}"
	} else {
		dst, tail = e.chatHead(dst, req), "]}"
		if req.System != "" && len(e.text) > 0 {
			dst = append(dst, ',')
		}
	}
	return append(append(slices.Grow(dst, len(e.text)+2), e.text...), tail...)
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
