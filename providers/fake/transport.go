package fake

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// Transport answers in memory. The reader pulls: nothing runs beside it, a
// Read never returns bytes of two pieces, and waits happen inside RoundTrip
// and Read, on the clock. The errors are those of a socket.
func (w *Wire) Transport() http.RoundTripper { return transport{w} }

type transport struct{ w *Wire }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d := t.w.begin(r, body)
	s, err := d.advance(ctx)
	if err != nil {
		return nil, err
	}
	switch s.Act {
	case Cut: // closed before the head
		d.end("cut")
		return nil, io.EOF
	case Reset:
		d.end("reset")
		return nil, resetError()
	}
	d.head()
	p := &pull{ctx: ctx, d: d}
	p.take(s)
	return &http.Response{
		Status:     statusLine(d.plan.Status),
		StatusCode: d.plan.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:           d.plan.Header.Clone(),
		Body:             p,
		ContentLength:    -1,
		TransferEncoding: []string{"chunked"},
		Request:          r,
	}, nil
}

// statusLine is the status as net/http's server writes it.
func statusLine(status int) string {
	text := http.StatusText(status)
	if text == "" {
		text = fmt.Sprintf("status code %d", status)
	}
	return fmt.Sprintf("%d %s", status, text)
}

// readBody reads a request's body whole and closes it.
func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	if cerr := r.Body.Close(); err == nil {
		err = cerr
	}
	return body, err
}

// resetError is what a read from a socket returns after an RST.
func resetError() error {
	client := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000}
	server := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443}
	return &net.OpError{Op: "read", Net: "tcp", Source: client, Addr: server, Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

// pull is a response's body. The piece that is being read is the step before
// the delivery's next one; pos and end are places in it.
type pull struct {
	ctx      context.Context
	d        *delivery
	pos, end int
	err      error
}

// Read implements io.Reader.
func (p *pull) Read(buf []byte) (int, error) {
	d := p.d
	if d.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if p.err == nil && p.ctx.Err() != nil {
		d.end("dropped")
		p.err = context.Cause(p.ctx)
	}
	if len(buf) == 0 {
		return 0, p.err
	}
	for p.pos == p.end {
		if p.err != nil {
			return 0, p.err
		}
		if d.step < len(d.plan.Steps) && d.plan.Steps[d.step].Act == Write {
			p.pos, p.end = 0, len(d.plan.Steps[d.step].Data) // the short way
			d.step++
			continue
		}
		s, err := d.advance(p.ctx)
		if err != nil {
			p.err = err
		} else {
			p.take(s)
		}
	}
	piece := d.plan.Steps[d.step-1].Data
	n := copy(buf, piece[p.pos:])
	d.wrote(piece[p.pos : p.pos+n])
	p.pos += n
	return n, nil
}

// take begins a step.
func (p *pull) take(s Step) {
	switch s.Act {
	case Write:
		p.pos, p.end = 0, len(s.Data)
	case EOF:
		p.d.end("eof")
		p.err = io.EOF
	case Cut:
		p.d.end("cut")
		p.err = io.ErrUnexpectedEOF
	case Reset:
		p.d.end("reset")
		p.err = resetError()
	}
}

// Close implements io.Closer.
func (p *pull) Close() error {
	p.d.close()
	return nil
}
