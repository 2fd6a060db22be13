package fake

import (
	"fmt"
	"net/http"

	"github.com/harnessbench/bench/providers"
)

// renderer writes one answer in one protocol, element by element; it gets nothing
// that the protocol cannot carry. It is the
// whole of what a protocol has to know about scripts; where things are written
// and what is implied is decided here, once for all protocols.
type renderer interface {
	open()                                          // the protocol's opening
	text(deltas []string, closed bool)              //
	think(deltas []string, sig string, closed bool) // sig "": none
	call(id, name string, pieces []string, server, closed bool)
	serverResult(id, name, json string)
	refusal(text string)
	stop(reason string) // a neutral word or a literal; reasonNone: none is sent
	close()             // the protocol's closing
	ping()
	comment(text string)
	failure(typ, message string) // an error inside the answer
	raw(bytes string)
	frame(json string)
	end() // all is written: an answer in one piece comes out now
}

// protocol is one wire protocol.
type protocol interface {
	// name is the protocol's word, one of Protocols.
	name() string
	// serves reports whether the request asks for an answer in this protocol.
	serves(method, path string) bool
	// parse reads a request's body and checks it. The request is nil when the
	// body cannot be read at all. url is the path with its query.
	parse(url string, body []byte) (*request, *Refusal)
	// overflow says why a request does not fit a window of so many tokens, in the
	// API's words; nil if it does.
	overflow(q *request, window int) *Refusal
	// shape adds what one raw event shows to the shape of its reply.
	shape(frame string, s *shape)
	// cannot says what of an answer the protocol cannot carry; nil if nothing.
	cannot(acts []act, stream bool) *lineError
	// endsApart reports whether the event that ends an answer says nothing else.
	endsApart() bool
	// answer begins an answer: a stream, or one JSON body.
	answer(b *builder, a answering) renderer
	// words is an error of a script in the API's own words. An empty message is
	// the API's own sentence.
	words(status int, typ, message string) wireError
	// envelope is an HTTP error's body in the provider's own form.
	envelope(e wireError, requestID string) []byte
	// header is what the API sends with an answer.
	header(contentType, requestID string) http.Header
}

// protocols are all of them. The first is the one that says what a script means.
func protocols() [4]protocol {
	return [...]protocol{anthropic{}, chat{}, responses{}, gemini{}}
}

// Protocols returns the names of the wire protocols that scripts render into.
// What a script means is what it is in the first.
func Protocols() []string {
	var names []string
	for _, p := range protocols() {
		names = append(names, p.name())
	}
	return names
}

// protocolNamed returns the protocol with the name, nil if there is none. ""
// is the first.
func protocolNamed(name string) protocol {
	for _, p := range protocols() {
		if p.name() == name || name == "" {
			return p
		}
	}
	return nil
}

// protocolFor returns the protocol that a request speaks, nil if none is known.
func protocolFor(method, path string) protocol {
	for _, p := range protocols() {
		if p.serves(method, path) {
			return p
		}
	}
	return nil
}

// wireError is an error as an API says it.
type wireError struct {
	status    int
	typ, code string
	param     string // the member of the request that is wrong
	message   string
}

// answering is what an answer depends on besides its script.
type answering struct {
	protocol protocol
	stream   bool
	model    string
	n        int // the exchange's number: ids derive from it
	usage    providers.Usage
	newline  string // "": the API's own
	form     form
}

// form is what a request asks of its answer beside its content.
type form struct {
	usage bool // chat: a stream tells the tokens, in a chunk of its own
	array bool // gemini: a stream is one JSON array
}

func (a answering) requestID() string { return fmt.Sprintf("req_bench%08d", a.n) }

// itemID makes up an id of something in the answer.
func (a answering) itemID(kind string, i int) string {
	return fmt.Sprintf("%s_bench%08d%04d", kind, a.n, i)
}

// Content types of the answers.
const (
	typeStream = "text/event-stream; charset=utf-8"
	typeJSON   = "application/json"
)

// Neutral stop reasons. Every protocol maps them to its own words; any other
// word is sent as it is.
const (
	stopEnd      = "end_turn"
	stopTool     = "tool_use"
	stopMax      = "max_tokens"
	stopSequence = "stop_sequence"
	stopPause    = "pause_turn"
	stopRefusal  = "refusal"
	stopWindow   = "context_window"
	stopNone     = "none" // no stop reason is sent at all
)

// Usage of an answer that does not say its own: fixed, so that sums can be
// written down in advance.
const (
	defaultIn  = 100
	defaultOut = 10
)
