package openai

import (
	"maps"
	"slices"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/kept"
	"github.com/harnessbench/bench/providers/internal/strict"
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

	kept     kept.Messages
	thoughts map[string]int // the id of a thought: the message that it first stands in
	last     int            // the message that was encoded last
}

// Encode appends the body of a request.
func (e *Encoder) Encode(dst []byte, req *providers.Request) []byte {
	var text []byte
	if e.API == Responses {
		text = e.kept.Encode(req.Messages, e.once)
		dst = e.responsesHead(dst, req)
	} else {
		text = e.kept.Encode(req.Messages, func(dst []byte, _ int, m *providers.Message) []byte { return chatMessage(dst, m) })
		dst = e.chatHead(dst, req)
		if req.System != "" && len(text) > 0 { // the head ends with a message
			dst = append(dst, ',')
		}
	}
	return append(append(slices.Grow(dst, len(text)+2), text...), "]}"...)
}

// once appends a message for Responses without the thoughts that stand in the
// request before: a server that gives one answer twice gives its items the same
// ids, and the API refuses a request that holds one twice.
func (e *Encoder) once(dst []byte, i int, m *providers.Message) []byte {
	if i <= e.last { // another conversation, from here on
		maps.DeleteFunc(e.thoughts, func(_ string, at int) bool { return at >= i })
	}
	e.last = i
	if !slices.ContainsFunc(m.Blocks, func(b providers.Block) bool { return b.Kind == providers.Thinking }) {
		return responsesMessage(dst, m)
	}
	blocks := slices.DeleteFunc(slices.Clone(m.Blocks), func(b providers.Block) bool {
		id := strict.Member(strict.SkipSpace(objectOf(b.Signature)), "id")
		if b.Kind != providers.Thinking || !strict.IsKind(id, '"') {
			return false
		}
		_, again := e.thoughts[string(id)]
		if !again {
			if e.thoughts == nil {
				e.thoughts = map[string]int{}
			}
			e.thoughts[string(id)] = i
		}
		return again
	})
	return responsesMessage(dst, &providers.Message{Role: m.Role, Blocks: blocks})
}
