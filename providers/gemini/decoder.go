package gemini

import (
	"errors"
	"io"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// Decoder reads the events of one streamed answer, in either of the forms in
// which the API streams: server-sent events (alt=sse), or one JSON array. It
// implements providers.Stream.
//
// It delivers what it can decode, in the order in which it arrives. What it
// cannot decode (JSON that is not strict, a member of the wrong type) is an
// error of class Protocol, in one sentence with the line of the stream or the
// element of the array.
type Decoder struct {
	codec
	src   ask.Source
	list  list
	plate template
	read  int // of out, how many were returned
	err   error
}

// NewDecoder returns a decoder of a stream. If body is an io.Closer, Close closes
// it.
func NewDecoder(body io.Reader) *Decoder { return newDecoder(ask.NewSource(body)) }

func newDecoder(src ask.Source) *Decoder {
	d := &Decoder{src: src}
	d.start()
	return d
}

func (d *Decoder) start() {
	d.src.Through(func(body io.Reader) io.Reader {
		d.list.reset(body)
		return &d.list
	})
}

// Reset makes the decoder one of another answer, as NewDecoder(body) would be,
// and keeps its buffers. What it has returned so far stays valid.
func (d *Decoder) Reset(body io.Reader) {
	d.src.Reset(body)
	clear(d.out)
	*d = Decoder{codec: codec{arena: d.arena, out: d.out[:0], usages: d.usages}, src: d.src, list: d.list, plate: template{data: d.plate.data, holes: d.plate.holes}}
	d.start()
}

// Next returns the next event; its strings stay valid. io.EOF means that the
// bytes ended cleanly, with or without a MessageStop, and maybe in the middle
// of an event: the caller must look. Any other error is a *providers.Error: of
// class Cut where the connection broke, Protocol where the bytes are wrong.
// After an error Next returns the same error again.
func (d *Decoder) Next() (ev providers.Event, err error) {
	for {
		if d.read < len(d.out) {
			ev = d.out[d.read]
			d.out[d.read] = providers.Event{}
			d.read++
			return ev, nil
		}
		if d.err != nil {
			return ev, d.err
		}
		d.out, d.read = d.out[:0], 0
		if d.list.is() {
			err = d.element()
		} else {
			err = d.event()
		}
		if err == io.EOF && d.stopped && d.open == nothing && !d.broken {
			d.add(providers.Event{Kind: providers.MessageStop})
		}
		d.err = err
	}
}

// event decodes the next server-sent event. What ends the stream is its end.
func (d *Decoder) event() error {
	raw, err := d.src.Next()
	if err != nil {
		return d.src.Failed(err)
	}
	if d.fast(raw.Data) {
		return nil
	}
	err = d.strictly(raw.Data)
	if raw.Unterminated && strict.Check(raw.Data) != nil {
		err = io.ErrUnexpectedEOF // or half an error would be told as one
	}
	if err != nil {
		d.out, d.broken = d.out[:0], true
		return d.src.Wrong(raw, err)
	}
	return nil
}

// element decodes the next element of a JSON array.
func (d *Decoder) element() error {
	v, err := d.list.next()
	if err != nil {
		if e := new(listError); errors.As(err, &e) {
			return ask.ProtocolError(e.Error())
		}
		d.broken = !d.list.ended()
		return d.src.Failed(err)
	}
	if d.fast(v) {
		return nil
	}
	if err := d.strictly(v); err != nil {
		d.out = d.out[:0]
		return ask.ProtocolError(d.list.wrong(err).Error())
	}
	return nil
}

// Close closes the body.
func (d *Decoder) Close() error { return d.src.Close() }
