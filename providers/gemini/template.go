package gemini

import (
	"bytes"

	"github.com/harnessbench/bench/providers"
)

// The chunks of one stream of words are all alike: the same envelope, the same
// names and numbers' places, around another text and other numbers. Each server
// has its own envelope, so it is learnt: the template is the last chunk that the
// strict decoder read and that only went on with the open block, with holes where
// the values were that change. What fits it is valid by construction: the literal
// parts are those of a chunk that was, and each hole takes exactly what may stand
// in its place. It means what that chunk meant, because nothing else has come
// since.
type template struct {
	known bool
	data  []byte
	holes []hole
	kind  providers.EventKind
	usage bool // a report comes with the words
}

// hole is a part of the data that may differ: the words, or a number.
type hole struct {
	at, end int
	to      int // of tokens, what the number counts; or one of these
}

const (
	toText    = -1
	toNothing = -2 // it says nothing to us
)

// seen is where in a chunk the values stand that make it another one.
type seen struct {
	text, usage []byte
	counts      [len(tokens{})][]byte
}

// learn makes a template of a chunk, if it is one: words for the open block, and
// maybe a report.
func (d *Decoder) learn(data []byte) {
	t, s, n := &d.plate, &d.seen, len(d.out)
	t.known = n > 0 && n <= 2 && s.text != nil && (d.out[0].Kind == providers.TextDelta || d.out[0].Kind == providers.ThinkingDelta) &&
		(n == 1) == (s.usage == nil) && (n == 1 || d.out[1].Kind == providers.UsageEvent)
	if !t.known {
		return
	}
	t.data, t.holes = append(t.data[:0], data...), t.holes[:0]
	t.kind, t.usage = d.out[0].Kind, n == 2
	place := func(v []byte) int { return cap(data) - cap(v) } // v is a part of data
	text := hole{place(s.text) + 1, place(s.text) + len(s.text) - 1, toText}
	if s.usage == nil {
		t.holes = append(t.holes, text)
		return
	}
	from, to := place(s.usage), place(s.usage)+len(s.usage)
	if text.at < from {
		t.holes = append(t.holes, text)
	}
	t.numbers(from, to)
	for i := range t.holes {
		for what, v := range s.counts {
			if v != nil && t.holes[i].at == place(v) {
				t.holes[i].to = what
			}
		}
	}
	if text.at > from {
		t.holes = append(t.holes, text)
	}
}

// numbers makes holes of the whole numbers in a part of the data.
func (t *template) numbers(from, to int) {
	for i := from; i < to; {
		switch ch := t.data[i]; {
		case ch == '"':
			for i++; t.data[i] != '"'; i++ {
				if t.data[i] == '\\' {
					i++
				}
			}
			i++
		case ch == '-' || ch-'0' <= 9:
			at := i
			for i < to && bytes.IndexByte([]byte("+-.0123456789eE"), t.data[i]) >= 0 {
				i++
			}
			if _, n := wholeNumber(t.data[at:i]); n == i-at {
				t.holes = append(t.holes, hole{at, i, toNothing})
			}
		default:
			i++
		}
	}
}

// wholeNumber reads the number that b begins with, and returns its length; 0 if it
// is none of at most ten digits.
func wholeNumber(b []byte) (n, length int) {
	for length < len(b) && b[length]-'0' <= 9 {
		if length == 10 {
			return 0, 0
		}
		n = n*10 + int(b[length]-'0')
		length++
	}
	if length > 1 && b[0] == '0' {
		return 0, 0
	}
	return n, length
}

// fast decodes a chunk that fits the template. False means nothing but that the
// strict decoder must decide, and leaves the decoder alone; the two agree on all
// that fast accepts (FuzzDecoder).
func (d *Decoder) fast(data []byte) bool {
	t := &d.plate
	if !t.known {
		return false
	}
	text, count, ok := "", d.count, false
	from := 0
	for i := range t.holes {
		h := &t.holes[i]
		lit := t.data[from:h.at]
		if len(data) < len(lit) || !bytes.Equal(data[:len(lit)], lit) {
			ok = false
			break
		}
		data, from = data[len(lit):], h.end
		if h.to == toText {
			if text, data, ok = d.arena.Quoted(data); !ok {
				break
			}
			from++ // the closing quote
			continue
		}
		n, length := wholeNumber(data)
		if ok = length > 0; !ok {
			break
		}
		if h.to >= 0 {
			count[h.to] = n
		}
		data = data[length:]
	}
	if !ok || text == "" || !bytes.Equal(data, t.data[from:]) { // no words are no delta
		d.arena.Forget(text)
		return false
	}
	d.count = count
	d.add(providers.Event{Kind: t.kind, Index: d.at, Text: text})
	if t.usage {
		d.add(providers.Event{Kind: providers.UsageEvent, Usage: d.counted()})
	}
	return true
}

// strictly decodes a chunk without the template, and learns from it.
func (d *Decoder) strictly(data []byte) error {
	d.seen = seen{}
	if err := d.chunk(data); err != nil {
		return err
	}
	d.learn(data)
	return nil
}
