package openai

import (
	"slices"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/kept"
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

	kept kept.Messages
}

// Encode appends the body of a request.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	var text []byte
	if e.API == Responses {
		text = e.kept.Encode(req.Messages, responsesMessage)
		dst = e.responsesHead(dst, req)
	} else {
		text = e.kept.Encode(req.Messages, chatMessage)
		dst = e.chatHead(dst, req)
		if req.System != "" && len(text) > 0 { // the head ends with a message
			dst = append(dst, ',')
		}
	}
	return append(append(slices.Grow(dst, len(text)+2), text...), "]}"...)
}
