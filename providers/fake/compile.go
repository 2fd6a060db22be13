package fake

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// renderer writes one answer in one protocol, element by element. It is the
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
	err() error
}

// protocol is one wire protocol.
type protocol interface {
	// serves reports whether the request asks for an answer in this protocol.
	serves(method, path string) bool
	// parse reads a request's body and checks it. The request is nil when the
	// body cannot be read at all.
	parse(body []byte) (*request, *Refusal)
	// shape adds what one raw event shows to the shape of its reply.
	shape(frame string, s *shape)
	// answer begins an answer: a stream, or one JSON body.
	answer(b *builder, a answering) renderer
	// envelope is an HTTP error's body in the provider's own form.
	envelope(typ, message, requestID string) []byte
	// header is what the API sends with an answer.
	header(contentType, requestID string) http.Header
}

// answering is what an answer depends on besides its script.
type answering struct {
	protocol protocol
	stream   bool
	model    string
	n        int // the exchange's number: ids derive from it
	usage    providers.Usage
	newline  string
}

func (a answering) requestID() string { return fmt.Sprintf("req_bench%08d", a.n) }

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

// plan renders one repetition of the reply.
func (r *Reply) plan(rep int, a answering) (*Plan, *lineError) {
	lines := r.expand(rep)
	b := newBuilder()
	a.usage = providers.Usage{In: defaultIn, Out: defaultOut}
	a.newline = "\n"
	plain := false
	for i := range lines {
		switch l := &lines[i]; l.Op {
		case OpUsage:
			a.usage = l.Usage
		case OpNewline:
			a.newline = map[string]string{"lf": "\n", "cr": "\r", "crlf": "\r\n"}[l.Name]
		case OpChunk:
			if b.chunk, b.size = l.Name, l.N; l.Name == "at" {
				b.at = append(b.at, l.N)
			}
		case OpBody:
			plain = true
		}
	}
	slices.Sort(b.at)

	p := &Plan{Status: max(r.Status, http.StatusOK)}
	var err *lineError
	switch {
	case plain:
		p.Header = http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
		err = r.body(lines, b)
	case r.failed():
		err = r.failure(rep, lines, b, p, a)
	default:
		err = r.answer(lines, b, p, a)
	}
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, l := range lines {
		if l.Op == OpHeader {
			name := http.CanonicalHeaderKey(l.Name)
			if !set[name] {
				p.Header.Del(name) // the script's own take the place of the usual ones
				set[name] = true
			}
			p.Header.Add(name, l.Values[0])
		}
	}
	if r.RetryAfter != "" {
		p.Header.Set("Retry-After", replaceN(r.RetryAfter, rep))
	}
	p.Steps = b.steps()
	return p, nil
}

// maxLines bounds the lines of a reply once times=N is unrolled.
const maxLines = 1_000_000

// tooLong refuses a reply that would not fit into memory.
func (r *Reply) tooLong() *lineError {
	lines, bytes := 0, 0
	for i := range r.Lines {
		l := &r.Lines[i]
		size := len(l.JSON)
		for _, v := range l.Values {
			size += len(v)
		}
		lines += l.times()
		bytes += size * l.times()
		if lines > maxLines || bytes > maxValue {
			return &lineError{l.Line, fmt.Sprintf("the reply is longer than %d bytes or %d lines; make its strings or its times=N smaller", maxValue, maxLines)}
		}
	}
	return nil
}

// body renders a plain body.
func (r *Reply) body(lines []Line, b *builder) *lineError {
	for i := range lines {
		l := &lines[i]
		if b.pause(l); l.Op == OpBody {
			for _, v := range l.Values {
				b.buf = append(b.buf, v...)
				b.event()
			}
		} else if err := b.close(l); err != nil {
			return err
		}
	}
	return nil
}

// failure renders an HTTP error in the provider's own envelope. Its waits lie
// before it.
func (r *Reply) failure(rep int, lines []Line, b *builder, p *Plan, a answering) *lineError {
	typ, message := r.Type, replaceN(r.Message, rep)
	if typ == "" {
		typ = defaultType(r.Status)
	}
	if message == "" {
		message = defaultMessage(typ)
	}
	p.Header = a.protocol.header(typeJSON, a.requestID())
	sent := false
	send := func() {
		if !sent {
			b.buf = append(b.buf, a.protocol.envelope(typ, message, a.requestID())...)
			b.event()
			sent = true
		}
	}
	for i := range lines {
		l := &lines[i]
		b.pause(l)
		if l.Op.ending() {
			send()
		}
		if err := b.close(l); err != nil {
			return err
		}
	}
	send()
	return nil
}

// pause writes the waits of a line: its own, and after=D.
func (b *builder) pause(l *Line) {
	if l.After > 0 {
		b.wait(Step{Act: Delay, D: l.After})
	}
	switch l.Op {
	case OpDelay:
		b.wait(Step{Act: Delay, D: l.D})
	case OpGate:
		b.wait(Step{Act: Gate, Name: l.Name})
	}
}

// close says how the plan ends, if the line says so.
func (b *builder) close(l *Line) *lineError {
	switch l.Op {
	case OpEOF:
		if !b.drop(l.N) {
			return &lineError{l.Line, fmt.Sprintf("short=%d drops more than the reply has: only %d bytes come before it", l.N, len(b.buf))}
		}
	case OpCut:
		b.end = Step{Act: Cut}
	case OpReset:
		b.end = Step{Act: Reset}
	case OpHang:
		b.end = Step{Act: Hang, D: l.D}
	}
	return nil
}

// answer renders a stream, or one JSON body. What is implied: the opening
// before the first line and the closing after the last, unless head or tail
// write them elsewhere; a stop reason, unless one is written. An ending and an
// error imply nothing behind themselves.
func (r *Reply) answer(lines []Line, b *builder, p *Plan, a answering) *lineError {
	kind := typeStream
	if !a.stream {
		kind = typeJSON
	}
	p.Header = a.protocol.header(kind, a.requestID())
	out := a.protocol.answer(b, a)
	head, stop, tail, over := true, true, true, false
	reason := stopEnd
	for i := range lines {
		switch l := &lines[i]; {
		case l.Op == OpHead:
			head = false
		case l.Op == OpTail:
			tail = false
		case l.Op == OpStop:
			stop = false
		case l.Op == OpError || l.Op.ending():
			over = true
		case l.Op == OpRefusal:
			reason = stopRefusal
		case reason == stopEnd && (l.Op == OpCall || l.Op == OpCutCall):
			reason = stopTool
		}
	}
	stop = stop && !over
	if !a.stream {
		return r.message(lines, b, p, a, out, reason)
	}
	if head {
		out.open()
	}
	for i := range lines {
		l := &lines[i]
		b.pause(l)
		if l.Op == OpTail && stop {
			out.stop(reason)
			stop = false
		}
		write(out, l)
		if err := out.err(); err != nil {
			return &lineError{l.Line, err.Error()}
		}
		if err := b.close(l); err != nil {
			return err
		}
	}
	if stop {
		out.stop(reason)
	}
	if tail && !over {
		out.close()
	}
	if err := out.err(); err != nil {
		return &lineError{r.Line, err.Error()}
	}
	return nil
}

// message renders the reply as one JSON body, for a request that asks for no
// stream. The body comes when all of it is known: every wait lies before it,
// an error becomes an HTTP error, and an answer that is cut, reset or hangs
// brings no byte of it. Where a stream has its opening, closing and pings
// means nothing here.
func (r *Reply) message(lines []Line, b *builder, p *Plan, a answering, out renderer, reason string) *lineError {
	stopped := false
	whole := func() *lineError {
		if !stopped {
			out.stop(reason)
		}
		if out.end(); out.err() != nil {
			return &lineError{r.Line, out.err().Error()}
		}
		return nil
	}
	for i := range lines {
		l := &lines[i]
		b.pause(l)
		stopped = stopped || l.Op == OpStop
		switch {
		case l.Op == OpError:
			p.Status = statusOf(l.Name)
			b.buf = append(b.buf, a.protocol.envelope(l.Name, l.Values[0], a.requestID())...)
			b.event()
			return nil
		case l.Op == OpEOF && l.N > 0:
			if err := whole(); err != nil {
				return err
			}
			return b.close(l)
		case l.Op.ending():
			return b.close(l)
		}
		write(out, l)
		if err := out.err(); err != nil {
			return &lineError{l.Line, err.Error()}
		}
	}
	return whole()
}

// write renders one line.
func write(out renderer, l *Line) {
	switch l.Op {
	case OpText, OpCutText:
		out.text(l.Values, l.Op == OpText)
	case OpThink:
		sig := l.Sig
		if !l.HasSig {
			sig = signature(l.Values)
		}
		out.think(l.Values, sig, true)
	case OpCutThink:
		out.think(l.Values, "", false)
	case OpCall, OpCutCall, OpServerCall:
		out.call(l.ID, l.Name, l.input(), l.Op == OpServerCall, l.Op != OpCutCall)
	case OpServerResult:
		out.serverResult(l.ID, l.Name, l.JSON)
	case OpRefusal:
		out.refusal(l.Values[0])
	case OpStop:
		out.stop(l.Values[0])
	case OpPing:
		out.ping()
	case OpComment:
		out.comment(l.Values[0])
	case OpError:
		out.failure(l.Name, l.Values[0])
	case OpRaw:
		for _, v := range l.Values {
			out.raw(v)
		}
	case OpFrame:
		out.frame(l.JSON)
	case OpHead:
		if l.N == 0 {
			out.open()
		}
	case OpTail:
		if l.N == 0 {
			out.close()
		}
	}
}

// input returns the pieces of a call's input: the strings as they are written,
// JSON in a few pieces, as real streams bring it.
func (l *Line) input() []string {
	if l.JSON == "" {
		return l.Values
	}
	size := max(8, (len(l.JSON)+3)/4)
	var pieces []string
	for rest := l.JSON; rest != ""; {
		n := min(size, len(rest))
		for n < len(rest) && rest[n]&0xC0 == 0x80 { // not inside a rune
			n++
		}
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	return pieces
}

// expand returns the lines of one repetition: times=N unrolled, ${n} replaced.
// In a line with times=N, ${n} counts the line's own repetitions.
func (r *Reply) expand(rep int) []Line {
	var out []Line
	for _, l := range r.Lines {
		for i := 1; i <= l.times(); i++ {
			n := rep
			if l.Times > 1 {
				n = i
			}
			out = append(out, l.numbered(n))
		}
	}
	return out
}

// numbered returns the line with ${n} replaced.
func (l Line) numbered(n int) Line {
	l.ID, l.Name, l.JSON, l.Sig = replaceN(l.ID, n), replaceN(l.Name, n), replaceN(l.JSON, n), replaceN(l.Sig, n)
	if len(l.Values) > 0 {
		values := make([]string, len(l.Values))
		for i, v := range l.Values {
			values[i] = replaceN(v, n)
		}
		l.Values = values
	}
	if l.Expect != nil && strings.Contains(l.Expect.Path+l.Expect.Value, repetition) {
		e := *l.Expect
		e.Path, e.Value = replaceN(e.Path, n), replaceN(e.Value, n)
		_ = e.compile() // it compiled with n = 1, and a number changes no syntax
		l.Expect = &e
	}
	return l
}

func replaceN(s string, n int) string {
	if !strings.Contains(s, repetition) {
		return s
	}
	return strings.ReplaceAll(s, repetition, strconv.Itoa(n))
}
