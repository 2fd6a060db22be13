package anthropic

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"syscall"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/sse"
)

// Decoder reads the events of one streamed answer. It implements
// providers.Stream.
//
// It delivers what it can decode, in the order in which it arrives: a delta for
// a block that was never opened, an index that jumps, a second message_start
// are the reader's to judge. What it cannot decode (JSON that is not strict, a
// member of the wrong type, an event line that contradicts its data) is an
// error of class Protocol, in one sentence with the line of the stream.
type Decoder struct {
	codec
	sse   *sse.Reader
	body  io.Reader
	at    int // of out, the next event to return
	err   error
	ended func(error) *providers.Error // what an error of the body means
	clean func(string) string          // removes secrets from an error's sentence
}

// NewDecoder returns a decoder of an event stream. If body is an io.Closer,
// Close closes it.
func NewDecoder(body io.Reader) *Decoder {
	return &Decoder{sse: sse.NewReader(body, 0), body: body, ended: brokenOff, clean: func(s string) string { return s }}
}

// Reset makes the decoder one of another answer, as NewDecoder(body) would be,
// and keeps its buffers. What it has returned so far stays valid.
func (d *Decoder) Reset(body io.Reader) {
	d.sse.Reset(body)
	clear(d.out)
	*d = Decoder{codec: codec{arena: d.arena, out: d.out[:0]}, sse: d.sse, body: body, ended: brokenOff, clean: func(s string) string { return s }}
}

// Next returns the next event; its strings stay valid. io.EOF means that the
// bytes ended cleanly, with or without a MessageStop, and maybe in the middle
// of an event: the caller must look. Any other error is a *providers.Error: of
// class Cut where the connection broke, Protocol where the bytes are wrong.
// After an error Next returns the same error again.
func (d *Decoder) Next() (ev providers.Event, err error) {
	for {
		if d.at < len(d.out) {
			ev = d.out[d.at]
			d.out[d.at] = providers.Event{}
			d.at++
			return ev, nil
		}
		if d.err != nil {
			return ev, d.err
		}
		raw, err := d.sse.Next()
		if err != nil {
			d.err = d.failed(err)
			continue
		}
		if d.fast(raw.Name, raw.Data, &ev) {
			return ev, nil
		}
		d.out, d.at = d.out[:0], 0
		if err := d.event(raw.Name, raw.Data); err != nil {
			d.out = d.out[:0]
			if raw.Unterminated {
				// The bytes ended inside this event: nobody wrote it like that.
				d.err = io.EOF
			} else {
				d.err = protocolError(d.clean(fmt.Sprintf("the event ending at line %d of the stream, %v", d.sse.Line(), explain(raw, err))))
			}
		}
	}
}

// Close closes the body.
func (d *Decoder) Close() error {
	if c, ok := d.body.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

func (d *Decoder) failed(err error) error {
	if err == io.EOF {
		return err
	}
	if long := new(sse.TooLongError); errors.As(err, &long) {
		return protocolError(long.Error())
	}
	return d.ended(err)
}

// explain names the event that an error is about.
func explain(raw sse.Event, err error) string {
	if name := string(raw.Name); name != "" {
		return name + ": " + err.Error()
	}
	return snippet(raw.Data) + ": " + err.Error()
}

func protocolError(sentence string) *providers.Error {
	return &providers.Error{Class: providers.Protocol, Message: sentence, InStream: true}
}

// brokenOff is what a read error behind the head means.
func brokenOff(err error) *providers.Error {
	return &providers.Error{Class: providers.Cut, Message: "the answer broke off: " + reason(err), InStream: true, Cause: err}
}

// reason is the innermost text of a network error: without addresses, which
// differ from run to run.
func reason(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the connection was closed too early"
	}
	if sent := new(url.Error); errors.As(err, &sent) { // Post "URL": why
		err = sent.Err
	}
	return err.Error()
}
