package gemini

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/harnessbench/bench/providers/internal/strict"
	"github.com/harnessbench/bench/providers/sse"
)

// list splits a JSON array into its elements as they arrive. Without alt=sse the
// API streams so: one array, an element for each chunk.
//
// As an io.Reader it gives back what the body is if it is no array.
type list struct {
	r     io.Reader
	form  form
	room  []byte // memory for buf
	buf   []byte // read and not yet used
	used  int    // of buf, by the element that was returned
	err   error  // what ended the reading
	n     int    // elements returned
	max   int    // bytes of an element; 0 means sse.DefaultMaxLine
	state state

	// Where the search for an element's end stands.
	pos, depth      int
	quoted, escaped bool
}

type form uint8

const (
	unknown form = iota
	isList
	isOther
)

type state uint8

const (
	atBegin state = iota // [ comes
	atFirst              // an element or ] comes
	atComma              // , or ] comes
	atNext               // an element comes
	atEnd                // nothing comes
)

// listError is an array that is none, in one sentence.
type listError struct{ sentence string }

func (e *listError) Error() string { return e.sentence }

func (l *list) reset(r io.Reader) { *l = list{r: r, room: l.room, buf: l.room[:0], max: l.max} }

const bom = "\ufeff"

// is reports whether the body is an array, from its first byte that is not white
// space.
func (l *list) is() bool {
	for l.form == unknown {
		partial := len(l.buf) < len(bom) && bytes.HasPrefix([]byte(bom), l.buf)
		v := strict.SkipSpace(bytes.TrimPrefix(l.buf, []byte(bom)))
		switch {
		case len(v) > 0 && v[0] == '[':
			l.form, l.buf = isList, v
		case len(v) > 0 && !partial, !l.fill():
			l.form = isOther
		}
	}
	return l.form == isList
}

// Read returns the bytes of a body that is no array.
func (l *list) Read(p []byte) (int, error) {
	if len(l.buf) > 0 {
		n := copy(p, l.buf)
		l.buf = l.buf[n:]
		return n, nil
	}
	if l.err != nil {
		return 0, l.err
	}
	return l.r.Read(p)
}

// fill reads more; false means that there is no more.
func (l *list) fill() bool {
	for tries := 0; l.err == nil; tries++ {
		if len(l.buf) == cap(l.buf) {
			least := 16 << 10
			if l.form == unknown {
				least = 512 // to see what it is
			}
			if len(l.room) < least || 2*len(l.buf) >= len(l.room) {
				l.room = make([]byte, max(least, 4*len(l.buf)))
			}
			l.buf = l.room[:copy(l.room, l.buf)]
		}
		n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf, l.err = l.buf[:len(l.buf)+n], err
		if n > 0 {
			return true
		}
		if tries == 100 && l.err == nil {
			l.err = io.ErrNoProgress
		}
	}
	return false
}

// ended reports whether the array has come to its end.
func (l *list) ended() bool { return l.state == atEnd }

// next returns the next element, which stays valid until the next call. io.EOF is
// the end of the bytes, which is that of the array if ended says so.
func (l *list) next() ([]byte, error) {
	l.buf = l.buf[l.used:]
	l.used = 0
	for {
		l.buf = strict.SkipSpace(l.buf)
		if len(l.buf) == 0 {
			if !l.fill() {
				return nil, l.err
			}
			continue
		}
		ch := l.buf[0]
		switch {
		case l.state == atBegin:
			l.state = atFirst
		case l.state == atEnd:
			return nil, l.unexpected("nothing")
		case ch == ']' && l.state != atNext:
			l.state = atEnd
		case l.state == atComma && ch == ',':
			l.state = atNext
		case l.state == atComma:
			return nil, l.unexpected("a comma or the end")
		case ch == '{':
			return l.object()
		default:
			return nil, l.unexpected("an object")
		}
		l.buf = l.buf[1:]
	}
}

// object returns the object that buf begins with.
func (l *list) object() ([]byte, error) {
	for l.pos, l.depth, l.quoted, l.escaped = 0, 0, false, false; ; {
		for ; l.pos < len(l.buf); l.pos++ {
			if l.quoted && !l.escaped {
				if l.pos += strict.Plain(l.buf[l.pos:]); l.pos == len(l.buf) {
					break
				}
			}
			switch ch := l.buf[l.pos]; {
			case l.escaped:
				l.escaped = false
			case l.quoted:
				l.escaped, l.quoted = ch == '\\', ch != '"'
			case ch == '"':
				l.quoted = true
			case ch == '{', ch == '[':
				l.depth++
			case ch == '}', ch == ']':
				if l.depth--; l.depth == 0 {
					l.used = l.pos + 1
					l.n++
					l.state = atComma
					return l.buf[:l.used:l.used], nil
				}
			}
		}
		if most := cmp.Or(l.max, sse.DefaultMaxLine); len(l.buf) > most {
			return nil, &listError{fmt.Sprintf("element %d of the array is longer than %d bytes", l.n+1, most)}
		}
		if !l.fill() {
			return nil, l.err
		}
	}
}

// unexpected shows one byte: how many more have arrived is chance.
func (l *list) unexpected(want string) error {
	return &listError{fmt.Sprintf("behind element %d of the array comes %q; want %s", l.n, l.buf[:1], want)}
}

// wrong says which element an error is about.
func (l *list) wrong(err error) error {
	return &listError{fmt.Sprintf("element %d of the array: %v", l.n, err)}
}
