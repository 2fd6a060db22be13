package openai

import (
	"bytes"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// A server writes the deltas of one block all alike: the same envelope around
// another text. Each server has its own envelope, so it is learnt: the template
// is the last delta that the strict decoder read, with holes where the values
// were that change. What fits it is valid by construction: the literal parts are
// those of an event that was, and each hole takes exactly what may stand in its
// place. It means what that event meant, because nothing else has come since.
type template struct {
	known bool
	name  []byte // the event line's
	data  []byte
	holes [3]hole
	n     int
	kind  providers.EventKind
	index int
}

// hole is a part of the data that may differ.
type hole struct {
	at, end int
	what    holeKind
}

type holeKind uint8

const (
	textHole   holeKind = iota // a string: the delta's text
	padHole                    // a string of plain ASCII that says nothing: obfuscation
	numberHole                 // a whole number that says nothing: sequence_number
)

// learn makes a template of an event. text, pad and number are the values in it
// that may differ, parts of data; pad and number may be missing.
func (t *template) learn(name, data []byte, ev *providers.Event, text, pad, number []byte) {
	*t = template{known: true, name: append(t.name[:0], name...), data: append(t.data[:0], data...), kind: ev.Kind, index: ev.Index}
	t.hole(data, text, textHole)
	t.hole(data, pad, padHole)
	t.hole(data, number, numberHole)
}

func (t *template) hole(data, v []byte, what holeKind) {
	if len(v) == 0 {
		return
	}
	at := cap(data) - cap(v) // v is a part of data
	h := hole{at, at + len(v), what}
	if what != numberHole { // behind the opening quote, in front of the closing one
		h.at, h.end = h.at+1, h.end-1
	}
	i := t.n
	for ; i > 0 && t.holes[i-1].at > h.at; i-- {
		t.holes[i] = t.holes[i-1]
	}
	t.holes[i] = h
	t.n++
}

// read decodes an event that fits the template into ev, which must be zero.
// False means nothing but that the strict decoder must decide, and leaves ev
// alone; the two agree on all that read accepts (FuzzChat, FuzzResponses).
func (t *template) read(a *strict.Arena, name, data []byte, ev *providers.Event) bool {
	if !t.known || !bytes.Equal(name, t.name) {
		return false
	}
	text, ok := t.fill(a, data)
	if !ok || text == "" { // no text is no delta in Chat
		a.Forget(text)
		return false
	}
	ev.Kind, ev.Index, ev.Text = t.kind, t.index, text
	return true
}

func (t *template) fill(a *strict.Arena, data []byte) (text string, ok bool) {
	from := 0
	for i := range t.n {
		h := &t.holes[i]
		if data, ok = cutHead(data, t.data[from:h.at]); !ok {
			return text, false
		}
		from = h.end
		switch h.what {
		case textHole:
			if text, data, ok = a.Quoted(data); !ok {
				return "", false
			}
			from++ // the closing quote
		case padHole:
			n := strict.Plain(data)
			if n == len(data) || data[n] != '"' {
				return text, false
			}
			data = data[n:]
		case numberHole:
			n := 0
			for n < len(data) && data[n]-'0' <= 9 {
				n++
			}
			if n == 0 || data[0] == '0' && n > 1 {
				return text, false
			}
			data = data[n:]
		}
	}
	return text, bytes.Equal(data, t.data[from:])
}

func cutHead(b, head []byte) ([]byte, bool) {
	if len(b) < len(head) || !bytes.Equal(b[:len(head)], head) {
		return b, false
	}
	return b[len(head):], true
}
