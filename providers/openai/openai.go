// Package openai speaks two APIs: Chat Completions, which a hundred servers
// imitate, and Responses. Each has a codec that is exact and strict, and both
// share a client over net/http that is as small as the codecs allow.
//
// Asking a model:
//
//	c := openai.Chat.New(openai.Config{APIKey: os.Getenv("OPENAI_API_KEY")})
//	st, err := c.Stream(ctx, &providers.Request{
//		Model: "gpt-5-mini", MaxTokens: 1024, Stream: true,
//		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}}},
//	})
//
// Reading a stream that came from somewhere else, a recording for example:
//
//	d := openai.Responses.NewDecoder(file)
//	for {
//		ev, err := d.Next()
//		...
//	}
//
// # What arrives, and how it is told
//
// Events come in the order of the wire. Nothing is repaired, filled in or
// hidden: what the package does not know becomes Other, with its name. The
// neutral protocol numbers an answer's blocks; these APIs do not, so blocks are
// numbered in the order in which they begin. A call's input is the joined text
// of its deltas, and never made up: no byte at all, in a block that closed,
// means {}. Usage is everything known at that point, without what came from a
// cache (In), which is told beside it. io.EOF without a MessageStop before it
// is not success.
//
// The stop reason is told in the neutral words: stop is end_turn, tool_calls and
// function_call are tool_use, length is max_tokens, content_filter is refusal.
// Any other word is told as it is. Where the model refused in the channel that
// these APIs have for it, the reason is refusal, whatever word the server found
// (NousResearch/hermes-agent p91181); what was said there is a text block of its
// own.
//
// # Chat: where a block ends
//
// A chunk says what a delta belongs to (content, reasoning, refusal, call i) and
// never that something is over. So a block is open until something else begins,
// or until a finish reason or [DONE] says that nothing more will come (some
// servers send the one, some the other): these close it. A stream that ends with
// neither leaves its last block open, which is to say cut. A closed block that
// gets another piece after all gets it, and the reader of the events judges.
//
// # Chat: where a call begins
//
// A call is known by its index. Servers send no index, or 0 for every call, or
// change the id from piece to piece; see calls.go for the rule, in one place.
//
// # Responses: what wins
//
// Everything is said three times: in deltas, in the event that ends a part, and
// in the terminal event. What comes first is told, once; what a later one says
// more (a part that had no deltas, an item that only the terminal event lists)
// is told then. If a later one contradicts, text and thinking stay as they were
// told, and Other names the event that differs. Arguments that contradict each
// other are an error of class Protocol: nobody can say which of them to run.
//
// # Errors
//
// Every failure is a *providers.Error, classified by package classify: for HTTP
// by Classify; inside a stream, or under status 200, by the words and the code
// of the error object alone (D3). No text of an error contains the API key.
package openai

import (
	"io"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// API is one of the two APIs.
type API uint8

const (
	Chat      API = iota + 1 // POST /chat/completions
	Responses                // POST /responses
)

func (a API) String() string {
	if a == Responses {
		return "responses"
	}
	return "chat"
}

// path is where the API lives below the base URL.
func (a API) path() string {
	if a == Responses {
		return "/responses"
	}
	return "/chat/completions"
}

// NewDecoder returns a decoder of an event stream. If body is an io.Closer,
// Close closes it.
func (a API) NewDecoder(body io.Reader) *Decoder { return newDecoder(a, ask.NewSource(body)) }

// DecodeMessage decodes a whole answer, as it comes when no stream was asked
// for, into the events that a stream of it would have had: each block starts,
// has its content in one delta, and stops. The error is a *providers.Error: of
// class Cut where the body ends too early, of the API's own class where the
// body is an error object, else Protocol.
func (a API) DecodeMessage(body []byte) ([]providers.Event, error) {
	if a == Responses {
		return new(responses).wholeMessage(body)
	}
	return new(chat).wholeMessage(body)
}

// DecodeRequest decodes the body of a request, as a server sees it. It is strict
// about JSON and types and asks nothing else: whether the API would take the
// request is not judged here. Members that the neutral request has no place for
// (temperature, tool_choice, metadata ...) are left out.
//
// Results become blocks of a User message, as they are in other APIs: those that
// follow each other, and the user's words behind them, are one message. A block
// keeps its own JSON in Raw where the neutral fields do not say all of it.
func (a API) DecodeRequest(body []byte) (*providers.Request, error) {
	if a == Responses {
		return decodeResponsesRequest(body)
	}
	return decodeChatRequest(body)
}

// EncodeRequest appends the body of a request, with no Options. See Encoder for
// what it does, and for a conversation of many requests.
func (a API) EncodeRequest(dst []byte, req *providers.Request) []byte {
	e := Encoder{API: a}
	return e.Encode(dst, req)
}

// New returns a client. A configuration that cannot work is reported by Stream.
func (a API) New(cfg Config) *Client { return newClient(a, cfg) }
