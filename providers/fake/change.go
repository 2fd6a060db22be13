package fake

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/evidence"
)

// Changer breaks answers while they are made: package faults has many ways. It
// is asked about one request at a time, in order of arrival, and must not call
// the wire. Adopt asks it again about what it adopts.
type Changer interface {
	// Ahead may answer a request before anything else does. Then no reply of the
	// script is consumed, nor an interaction of a recording. nil lets the request
	// through.
	Ahead(q *Asked) *Plan
	// Lines returns the lines that a reply is rendered from, its own or others. It
	// does not change those that it is given. A recording has none, and neither has
	// a reply that is a plain answer or an error.
	Lines(q *Asked, lines []Line) []Line
	// Plan returns the answer that is served, the one that is due or another. It
	// does not change the one that it is given.
	Plan(q *Asked, p *Plan) *Plan
}

// Asked is a request as a Changer sees it.
type Asked struct {
	N    int // the exchange
	Lane string
	At   time.Time
	Body []byte

	path   string
	parsed bool
	proto  protocol
	q      *request
}

func newAsked(ex *evidence.Exchange) *Asked {
	return &Asked{N: ex.N, Lane: ex.Lane, At: ex.At, Body: ex.Body, path: ex.Path, proto: wireOf(ex)}
}

// request reads the body, once, when somebody needs what is in it; nil if it
// cannot be read.
func (a *Asked) request() *request {
	if !a.parsed {
		a.parsed = true
		a.q, _ = a.proto.parse(a.path, a.Body)
	}
	return a.q
}

// Protocol names the wire protocol that the answer is expected in: anthropic,
// chat, responses or gemini.
func (a *Asked) Protocol() string { return a.proto.name() }

// Streams reports whether the request asks for a stream.
func (a *Asked) Streams() bool {
	q := a.request()
	return q != nil && q.neutral.Stream
}

// Tokens estimates the length of the prompt, as a script's window does.
func (a *Asked) Tokens() int {
	if q := a.request(); q != nil {
		return q.tokens
	}
	return 0
}

// MaxTokens is the limit of the answer that the request asks for.
func (a *Asked) MaxTokens() int {
	if q := a.request(); q != nil {
		return q.neutral.MaxTokens
	}
	return 0
}

// Refuse is an HTTP error in the provider's own envelope. typ and message may
// be "", for what the API says with that status.
func (a *Asked) Refuse(status int, typ, message string) *Plan {
	if typ == "" {
		typ = defaultType(status)
	}
	if typ == "" {
		typ = "api_error"
	}
	return failed(a.proto, a.N, status, typ, message)
}

// Overflow is the API's refusal of a request that does not fit a window of so
// many tokens; nil if it fits.
func (a *Asked) Overflow(window int) *Plan {
	q := a.request()
	if q == nil {
		return nil
	}
	if r := a.proto.overflow(q, window); r != nil {
		return refused(a.proto, a.N, r)
	}
	return nil
}

// ErrorEvent is an error inside a stream, in the protocol's own form.
func (a *Asked) ErrorEvent(typ, message string) []byte {
	return a.written(func(r renderer) { r.failure(typ, message) })
}

// PingEvent is what the protocol sends to keep a stream alive.
func (a *Asked) PingEvent() []byte { return a.written(renderer.ping) }

// written renders a piece of a stream by itself.
func (a *Asked) written(f func(renderer)) []byte {
	b := newBuilder()
	model := ""
	if q := a.request(); q != nil {
		model = q.neutral.Model
	}
	f(a.proto.answer(b, answering{protocol: a.proto, stream: true, model: model, n: a.N}))
	return b.buf
}

// wireOf is the protocol in which a request is made; Anthropic's where it is none.
func wireOf(ex *evidence.Exchange) protocol {
	path, _, _ := strings.Cut(ex.Path, "?")
	if p := protocolFor(ex.Method, path); p != nil {
		return p
	}
	return anthropic{}
}

// Streams reports whether the plan is a stream of server-sent events.
func (p *Plan) Streams() bool {
	return p.Status == http.StatusOK && strings.HasPrefix(p.Header.Get("Content-Type"), "text/event-stream")
}

// change lets the wire's Changer have its say about an answer.
func (w *Wire) change(ex *evidence.Exchange) *Plan {
	c := w.o.Changer
	if c == nil {
		return w.answer(ex)
	}
	w.asked = newAsked(ex)
	p := c.Ahead(w.asked)
	if p == nil {
		p = w.answer(ex)
	}
	return c.Plan(w.asked, p)
}

// changed are the lines that a reply is rendered from.
func (w *Wire) changed(r *Reply, lines []Line) []Line {
	if w.o.Changer == nil || r.failed() || slices.ContainsFunc(lines, func(l Line) bool { return l.Op == OpBody }) {
		return lines
	}
	return w.o.Changer.Lines(w.asked, lines)
}
