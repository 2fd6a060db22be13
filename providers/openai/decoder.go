package openai

import (
	"io"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
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
	src   ask.Source
	at    int // of c.out, the next event to return
	err   error
}

func newDecoder(a API, src ask.Source) *Decoder {
	d := &Decoder{api: a, src: src}
	d.start()
	return d
}

func (d *Decoder) start() {
	d.in = dialect(&chat{})
	if d.api == Responses {
		d.in = &responses{}
	}
	d.c = d.in.base()
}

// Reset makes the decoder one of another answer, as NewDecoder(body) would be,
// and keeps its buffers. What it has returned so far stays valid.
func (d *Decoder) Reset(body io.Reader) {
	d.src.Reset(body)
	clear(d.c.out)
	arena, out := d.c.arena, d.c.out[:0]
	*d = Decoder{api: d.api, src: d.src, plate: template{name: d.plate.name, data: d.plate.data}}
	d.start()
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
		raw, err := d.src.Next()
		if err != nil {
			d.err = d.src.Failed(err)
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
			c.out, d.err = c.out[:0], d.src.Wrong(raw, err)
			continue
		}
		d.plate.known = false
		if len(c.out) == 1 && !c.busy && c.text != nil {
			d.plate.learn(raw.Name, raw.Data, &c.out[0], c.text, c.pad, c.seq)
		}
	}
}

// Close closes the body.
func (d *Decoder) Close() error { return d.src.Close() }

// ended reports whether data is whole, as far as it goes.
func ended(data []byte) bool { return isDone(data) || strict.Check(data) == nil }
