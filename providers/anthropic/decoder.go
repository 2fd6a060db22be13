package anthropic

import (
	"io"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
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
	src ask.Source
	at  int // of out, the next event to return
	err error
}

// NewDecoder returns a decoder of an event stream. If body is an io.Closer,
// Close closes it.
func NewDecoder(body io.Reader) *Decoder { return &Decoder{src: ask.NewSource(body)} }

// Reset makes the decoder one of another answer, as NewDecoder(body) would be,
// and keeps its buffers. What it has returned so far stays valid.
func (d *Decoder) Reset(body io.Reader) {
	d.src.Reset(body)
	clear(d.out)
	*d = Decoder{codec: codec{arena: d.arena, out: d.out[:0]}, src: d.src}
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
		raw, err := d.src.Next()
		if err != nil {
			d.err = d.src.Failed(err)
			continue
		}
		if d.fast(raw.Name, raw.Data, &ev) {
			return ev, nil
		}
		d.out, d.at = d.out[:0], 0
		if err := d.event(raw.Name, raw.Data); err != nil {
			d.out, d.err = d.out[:0], d.src.Wrong(raw, err)
		}
	}
}

// Close closes the body.
func (d *Decoder) Close() error { return d.src.Close() }
