package fake

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/harnessbench/bench/providers"
)

// plan renders one repetition of the reply.
func (r *Reply) plan(rep int, a answering) (*Plan, *lineError) {
	return r.planOf(r.expand(rep), rep, a)
}

// planOf renders lines in the place of the reply's own.
func (r *Reply) planOf(lines []Line, rep int, a answering) (*Plan, *lineError) {
	b := newBuilder()
	a.usage = providers.Usage{In: defaultIn, Out: defaultOut}
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
		if err = r.cannot(lines, a.protocol, a.stream); err == nil {
			err = r.answer(lines, b, p, a)
		}
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
	e := a.protocol.words(r.Status, typ, message)
	p.Header = a.protocol.header(typeJSON, a.requestID())
	sent := false
	send := func() {
		if !sent {
			b.buf = append(b.buf, a.protocol.envelope(e, a.requestID())...)
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
	is := impliedBy(lines)
	if !a.stream {
		return r.message(lines, b, p, a, out, is.reason)
	}
	if is.head {
		out.open()
	}
	for i := range lines {
		l := &lines[i]
		b.pause(l)
		if l.Op == OpTail && is.stop {
			out.stop(is.reason)
			is.stop = false
		}
		write(out, l)
		if err := b.close(l); err != nil {
			return err
		}
	}
	if is.stop {
		out.stop(is.reason)
	}
	if is.tail {
		out.close()
	}
	return nil
}

// implied is what an answer does although no line says it.
type implied struct {
	head, stop, tail bool
	reason           string // of the stop
}

func impliedBy(lines []Line) implied {
	is := implied{true, true, true, stopEnd}
	over := false
	for i := range lines {
		switch l := &lines[i]; {
		case l.Op == OpHead:
			is.head = false
		case l.Op == OpTail:
			is.tail = false
		case l.Op == OpStop:
			is.stop = false
		case l.Op == OpError || l.Op.ending():
			over = true
		case l.Op == OpRefusal:
			is.reason = stopRefusal
		case is.reason == stopEnd && (l.Op == OpCall || l.Op == OpCutCall):
			is.reason = stopTool
		}
	}
	is.stop, is.tail = is.stop && !over, is.tail && !over
	return is
}

// message renders the reply as one JSON body, for a request that asks for no
// stream. The body comes when all of it is known: every wait lies before it,
// an error becomes an HTTP error, and an answer that is cut, reset or hangs
// brings no byte of it. Where a stream has its opening, closing and pings
// means nothing here.
func (r *Reply) message(lines []Line, b *builder, p *Plan, a answering, out renderer, reason string) *lineError {
	stopped := false
	whole := func() {
		if !stopped {
			out.stop(reason)
		}
		out.end()
	}
	for i := range lines {
		l := &lines[i]
		b.pause(l)
		stopped = stopped || l.Op == OpStop
		switch {
		case l.Op == OpError:
			e := a.protocol.words(statusOf(l.Name), l.Name, l.Values[0])
			p.Status = e.status
			b.buf = append(b.buf, a.protocol.envelope(e, a.requestID())...)
			b.event()
			return nil
		case l.Op == OpEOF && l.N > 0:
			whole()
			return b.close(l)
		case l.Op.ending():
			return b.close(l)
		}
		write(out, l)
	}
	whole()
	return nil
}
