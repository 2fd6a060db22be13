package strict

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	firstChunk = 1 << 10
	lastChunk  = 64 << 10
)

// Arena holds the text of events in large chunks, so that an event of a few
// characters is not an allocation of its own. A chunk is only ever appended to,
// hence the strings made from it never change; one of them keeps its whole
// chunk (at most 64 KiB, or its own length) alive, which is why a reader that
// keeps text joins it first, as it must anyhow.
//
// The zero Arena is ready.
type Arena struct{ buf []byte }

// reserve makes room for n more bytes.
func (a *Arena) reserve(n int) {
	if cap(a.buf)-len(a.buf) < n {
		a.chunk(n)
	}
}

func (a *Arena) chunk(n int) {
	a.buf = make([]byte, 0, max(n, min(2*cap(a.buf), lastChunk), firstChunk))
}

// since returns what was appended behind from.
func (a *Arena) since(from int) string {
	b := a.buf[from:]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Text returns a member that must be a string.
func (a *Arena) Text(what string, v []byte) (string, error) {
	if !IsKind(v, '"') {
		return "", Mistyped(what, v, "a string")
	}
	a.reserve(len(v))
	from := len(a.buf)
	if in := v[1 : len(v)-1]; bytes.IndexByte(in, '\\') < 0 {
		a.buf = append(a.buf, in...)
	} else {
		a.buf, _ = jsontext.AppendUnquote(a.buf, v)
	}
	return a.since(from), nil
}

// TextOr returns a member that may be null or absent, which reads as "".
func (a *Arena) TextOr(what string, v []byte) (string, error) {
	if Absent(v) {
		return "", nil
	}
	return a.Text(what, v)
}

// Copy returns b as a string that outlives it.
func (a *Arena) Copy(b []byte) string {
	a.reserve(len(b))
	from := len(a.buf)
	a.buf = append(a.buf, b...)
	return a.since(from)
}

// Forget takes back the last string, which nobody has seen.
func (a *Arena) Forget(last string) { a.buf = a.buf[:len(a.buf)-len(last)] }

// Quoted reads a JSON string whose opening quote is behind it, and returns what
// follows the closing one. It takes only what it is sure of: not ok means that
// the strict decoder must look. Nothing stays in the arena then.
func (a *Arena) Quoted(q []byte) (s string, rest []byte, ok bool) {
	a.reserve(len(q))
	buf, from := a.buf, len(a.buf)
	ascii := true
	for done := 0; ; {
		i := done + Plain(q[done:])
		if i >= len(q) {
			return "", nil, false
		}
		switch c := q[i]; {
		case c == '"':
			buf = append(buf, q[done:i]...)
			if !ascii && !utf8.Valid(buf[from:]) {
				return "", nil, false
			}
			a.buf = buf
			return a.since(from), q[i+1:], true
		case c == '\\':
			if i+1 >= len(q) {
				return "", nil, false
			}
			e := unescape(q[i+1])
			if e == 0 {
				return "", nil, false
			}
			buf = append(append(buf, q[done:i]...), e)
			done = i + 2
		case c >= utf8.RuneSelf:
			ascii = false
			end := i + 1
			for end < len(q) && q[end] >= utf8.RuneSelf {
				end++
			}
			buf = append(buf, q[done:end]...)
			done = end
		default: // a control character
			return "", nil, false
		}
	}
}

// unescape returns what \c means, or 0 for \u and everything illegal.
func unescape(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return 0
}

// Plain returns how many bytes at the start of q are ASCII that stands for
// itself in a JSON string: no quote, no backslash, no control character. It
// looks at eight at a time: a byte's high bit in stop is set if it is none.
func Plain(q []byte) int {
	const (
		each = 0x0101010101010101
		high = 0x80 * each
	)
	i := 0
	for ; i+8 <= len(q); i += 8 {
		x := binary.LittleEndian.Uint64(q[i:])
		quote, slash := x^('"'*each), x^('\\'*each)
		stop := (x | (quote-each)&^quote | (slash-each)&^slash | (x-0x20*each)&^x) & high
		if stop != 0 {
			// A borrow can only set bits behind the first true one.
			return i + bits.TrailingZeros64(stop)/8
		}
	}
	for i < len(q) && q[i] >= 0x20 && q[i] < utf8.RuneSelf && q[i] != '"' && q[i] != '\\' {
		i++
	}
	return i
}
