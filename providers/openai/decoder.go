package openai

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
// It delivers what it can decode, in the order in which it arrives. What it
// cannot decode (JSON that is not strict, a member of the wrong type) is an
// error of class Protocol, in one sentence with the line of the stream.
type Decoder struct {
	api   API
	in    dialect
	c     *codec // in's
	plate template
	sse   *sse.Reader
	body  io.Reader
	at    int // of c.out, the next event to return
	err   error
	ended func(error) *providers.Error // what an error of the body means
	clean func(string) string          // removes secrets from an error's sentence
}

func newDecoder(a API, body io.Reader) *Decoder {
	d := &Decoder{api: a, sse: sse.NewReader(body, 0)}
	d.start(body)
	return d
}

func (d *Decoder) start(body io.Reader) {
	d.in = dialect(&chat{})
	if d.api == Responses {
		d.in = &responses{}
	}
	d.c = d.in.base()
	d.body, d.ended, d.clean = body, brokenOff, func(s string) string { return s }
}

// Reset makes the decoder one of another answer, as NewDecoder(body) would be,
// and keeps its buffers. What it has returned so far stays valid.
func (d *Decoder) Reset(body io.Reader) {
	d.sse.Reset(body)
	clear(d.c.out)
	arena, out := d.c.arena, d.c.out[:0]
	*d = Decoder{api: d.api, sse: d.sse, plate: template{name: d.plate.name, data: d.plate.data}}
	d.start(body)
	d.c.arena, d.c.out = arena, out
}

// Next returns the next event; its strings stay valid. io.EOF means that the
// bytes ended cleanly, with or without a MessageStop, and maybe in the middle
// of an event: the caller must look. Any other error is a *providers.Error: of
// class Cut where the connection broke, Protocol where the bytes are wrong.
// After an error Next returns the same error again.
func (d *Decoder) Next() (ev providers.Event, err error) {
	c := d.c
	for {
		if d.at < len(c.out) {
			ev = c.out[d.at]
			c.out[d.at] = providers.Event{}
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
		if d.plate.read(&c.arena, raw.Name, raw.Data, &ev) {
			d.in.piece(ev.Kind, ev.Text)
			return ev, nil
		}
		c.fresh()
		c.out, d.at = c.out[:0], 0
		err = d.in.event(raw.Name, raw.Data)
		if raw.Unterminated && !ended(raw.Data) {
			err = io.ErrUnexpectedEOF // or half an error would be told as one
		}
		if err != nil {
			d.plate.known = false
			c.out = c.out[:0]
			if raw.Unterminated {
				// The bytes ended inside this event: nobody wrote it like that.
				d.err = io.EOF
			} else {
				d.err = protocolError(d.clean(fmt.Sprintf("the event ending at line %d of the stream, %v", d.sse.Line(), explain(raw, err))))
			}
			continue
		}
		d.plate.known = false
		if len(c.out) == 1 && !c.busy && c.text != nil {
			d.plate.learn(raw.Name, raw.Data, &c.out[0], c.text, c.pad, c.seq)
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

// ended reports whether data is whole, as far as it goes.
func ended(data []byte) bool { return isDone(data) || check(data) == nil }

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
