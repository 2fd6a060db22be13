// Package splits checks that a decoder is blind to how its bytes come in: the
// same bytes in any pieces give the same events (wire/split-blind).
//
//	n, err := splits.Blind(func(r io.Reader) splits.Events { return anthropic.NewDecoder(r) }, stream, splits.Effort{})
//
// A stream is read whole, then with its end in the last read, byte by byte, in two pieces, in pieces of
// random sizes, and with its end in the last read; the first difference is an error that names the pieces and the
// event. A decoder with a method Reset(io.Reader) is used again and again, as a
// client would.
package splits

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/harnessbench/bench/providers"
)

// Events is a decoder: it returns events up to io.EOF or another error.
type Events interface {
	Next() (providers.Event, error)
}

// Effort bounds the work. Every two-way split of n bytes costs n decodes of n
// bytes, so it is for short streams alone; a longer one is read in combs, where
// every place is a boundary in one of them, and cut in two at a few places that
// the seed chooses. The zero Effort has the defaults.
type Effort struct {
	Two    int    // up to so many bytes every two-way split is tried (default 1024)
	Comb   int    // above that: pieces of so many bytes, at every offset (default 64)
	Sample int    // and so many two-way splits by the seed (default 32)
	Random int    // so many splits into pieces of random sizes (default 8)
	Seed   uint64 //
}

// Blind reads body in many ways and returns how many. The error says in what
// way the decoder said something else than of the whole.
func Blind(open func(io.Reader) Events, body []byte, e Effort) (int, error) {
	e = e.filled()
	t := trial{open: open, body: body}
	t.whole = t.drain(t.decoder(&pieces{body: body}))
	n := 1
	for _, way := range []func(Effort) (int, error){t.bytewise, t.inTwo, t.combed, t.random, t.atOnce} {
		k, err := way(e)
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (e Effort) filled() Effort {
	for _, f := range []struct {
		v *int
		d int
	}{{&e.Two, 1024}, {&e.Comb, 64}, {&e.Sample, 32}, {&e.Random, 8}} {
		if *f.v == 0 {
			*f.v = f.d
		}
	}
	return e
}

// trial is one stream under test.
type trial struct {
	open  func(io.Reader) Events
	body  []byte
	whole told
	dec   Events // kept, where it can be reset
}

// told is what a decoder said: events, and the error behind them.
type told struct {
	events []providers.Event
	err    error
}

// reset is what a decoder may have besides Events.
type reset interface{ Reset(io.Reader) }

func (t *trial) decoder(r io.Reader) Events {
	if d, ok := t.dec.(reset); ok {
		d.Reset(r)
		return t.dec
	}
	t.dec = t.open(r)
	return t.dec
}

func (t *trial) drain(d Events) (out told) {
	for {
		ev, err := d.Next()
		if err != nil {
			out.err = err
			return out
		}
		out.events = append(out.events, ev)
	}
}

// same reads the body in pieces that end at the places in at, ascending, and
// says where it differs from the whole.
func (t *trial) same(how string, at ...int) error {
	return t.sameFrom(how, &pieces{body: t.body, at: at})
}

func (t *trial) sameFrom(how string, r io.Reader) error {
	d := t.decoder(r)
	for i := range t.whole.events {
		ev, err := d.Next()
		if err != nil {
			return fmt.Errorf("%s: event %d is missing (%v); whole, it is %s", how, i+1, err, describe(&t.whole.events[i]))
		}
		if !equal(&ev, &t.whole.events[i]) {
			return fmt.Errorf("%s: event %d is %s; whole, it is %s", how, i+1, describe(&ev), describe(&t.whole.events[i]))
		}
	}
	ev, err := d.Next()
	if err == nil {
		return fmt.Errorf("%s: event %d is %s; whole, there is none", how, len(t.whole.events)+1, describe(&ev))
	}
	if err.Error() != t.whole.err.Error() || classOf(err) != classOf(t.whole.err) {
		return fmt.Errorf("%s: it ends with %q; whole, with %q", how, err, t.whole.err)
	}
	return nil
}

func classOf(err error) providers.Class {
	var e *providers.Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

func (t *trial) bytewise(Effort) (int, error) {
	at := make([]int, len(t.body))
	for i := range at {
		at[i] = i + 1
	}
	return 1, t.same("byte by byte", at...)
}

// inTwo is every two-way split of a short stream, and some of a long one.
func (t *trial) inTwo(e Effort) (int, error) {
	n := len(t.body)
	two := func(at int) error { return t.same(fmt.Sprintf("split at byte %d of %d", at, n), at) }
	if n <= e.Two {
		for at := 1; at < n; at++ {
			if err := two(at); err != nil {
				return at, err
			}
		}
		return max(0, n-1), nil
	}
	rng := rand.New(rand.NewPCG(e.Seed, uint64(n)))
	for i := range e.Sample {
		if err := two(1 + rng.IntN(n-1)); err != nil {
			return i + 1, err
		}
	}
	return e.Sample, nil
}

// combed makes every place of a long stream a boundary: pieces of e.Comb bytes,
// begun at each offset.
func (t *trial) combed(e Effort) (int, error) {
	if len(t.body) <= e.Two {
		return 0, nil
	}
	at := make([]int, 0, len(t.body)/e.Comb+1)
	for first := 1; first <= e.Comb; first++ {
		at = at[:0]
		for i := first; i < len(t.body); i += e.Comb {
			at = append(at, i)
		}
		if err := t.same(fmt.Sprintf("in pieces of %d bytes behind the first %d", e.Comb, first), at...); err != nil {
			return first, err
		}
	}
	return e.Comb, nil
}

func (t *trial) random(e Effort) (int, error) {
	for i := range e.Random {
		rng := rand.New(rand.NewPCG(e.Seed+uint64(i)+1, uint64(len(t.body))))
		longest := 1 << (1 + i%10) // from crumbs to half a kilobyte
		var at []int
		for p := 1 + rng.IntN(longest); p < len(t.body); p += 1 + rng.IntN(longest) {
			at = append(at, p)
		}
		if err := t.same(fmt.Sprintf("in random pieces of at most %d bytes (seed %d)", longest, e.Seed+uint64(i)+1), at...); err != nil {
			return i + 1, err
		}
	}
	return e.Random, nil
}

// atOnce brings the end in the read that brings the last byte.
func (t *trial) atOnce(Effort) (int, error) {
	return 1, t.sameFrom("whole, with its end in the last read", &pieces{body: t.body, together: true})
}

// pieces is a reader that gives the body in pieces.
type pieces struct {
	body     []byte
	pos      int
	at       []int // where a read ends, ascending
	together bool  // the end comes with the last byte, not by itself
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.pos == len(p.body) {
		return 0, io.EOF
	}
	for len(p.at) > 0 && p.at[0] <= p.pos {
		p.at = p.at[1:]
	}
	end := len(p.body)
	if len(p.at) > 0 {
		end = min(end, p.at[0])
	}
	n := copy(b, p.body[p.pos:end])
	if p.pos += n; p.together && p.pos == len(p.body) {
		return n, io.EOF
	}
	return n, nil
}
