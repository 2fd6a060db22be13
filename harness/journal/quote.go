package journal

import (
	"math/bits"
	"unicode/utf8"
)

// How a string is written. A transcript holds bytes that strangers chose: raw
// tool input, results, torn tails. So every string of bytes has exactly one
// spelling, and comes back byte for byte:
//
//   - the short escapes \" \\ \b \f \n \r \t, and \u00xx for the other control
//     characters;
//   - U+0085, U+2028 and U+2029 as \u0085, \u2028, \u2029: some readers take
//     them for line ends (mechanism H7), so no line holds one;
//   - a byte that is not part of valid UTF-8 as \uffff and its two lower-case
//     hex digits, "\uffffe9" for 0xE9. The character U+FFFF itself is written as
//     its three bytes, so that nothing else ever looks like this;
//   - everything else stands for itself.
//
// The result is a JSON string that every reader takes, also those that refuse
// lone surrogates.

const lowerHex = "0123456789abcdef"

// plain marks the ASCII characters that stand for themselves.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// plainRun returns the place of the first byte from i on that is not plain. It
// looks at eight bytes at a time: a byte of m has its high bit set where the byte
// of x is below a space, a quote, a backslash, or beyond ASCII. A subtraction
// borrows only out of such a byte, so the lowest bit set is right.
func plainRun[T string | []byte](s T, i int) int {
	const every = 0x0101010101010101
	for len(s)-i >= 8 {
		x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		m := (x | (x - every*' ') | ((x ^ every*'"') - every) | ((x ^ every*'\\') - every)) & (every * 0x80)
		if m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// escaped reports whether a rune beyond ASCII is never written as itself.
func escaped(r rune) bool {
	return r == '\u0085' || r == '\u2028' || r == '\u2029' || r == '\uffff'
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	done := 0
	for i := plainRun(s, 0); i < len(s); i = plainRun(s, i) {
		c := s[i]
		n, r := 1, rune(c)
		if c >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
			if !(r == utf8.RuneError && n == 1) && !escaped(r) {
				i += n
				continue
			}
		}
		b = append(b, s[done:i]...)
		switch {
		case c >= utf8.RuneSelf && (n == 1 || r == '\uffff'):
			for _, raw := range []byte(s[i : i+n]) {
				b = append(b, '\\', 'u', 'f', 'f', 'f', 'f', lowerHex[raw>>4], lowerHex[raw&15])
			}
		default:
			b = appendEscape(b, r)
		}
		i += n
		done = i
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, '\\', 'b')
	case '\f':
		return append(b, '\\', 'f')
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
}

// plainEnd returns the end of the run of characters from i that stand for
// themselves: the place of a quote, of a backslash, or of a byte that may not
// stand there.
func plainEnd(s string, i int) int {
	for i = plainRun(s, i); i < len(s) && s[i] >= utf8.RuneSelf; i = plainRun(s, i) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || escaped(r) {
			break
		}
		i += n
	}
	return i
}

// unquote reads the string whose opening quote stands at s[i]. It returns the
// string, which shares memory with s where it holds no escape, and the place
// behind the closing quote; ok is false when the string is not the spelling
// that appendString gives, and end is then the offending place.
func unquote(s string, i int, scratch *[]byte) (v string, end int, ok bool) {
	if i >= len(s) || s[i] != '"' {
		return "", i, false
	}
	start := i + 1
	i = plainEnd(s, start)
	if i < len(s) && s[i] == '"' {
		return s[start:i], i + 1, true
	}
	b := append((*scratch)[:0], s[start:i]...)
	anyRaw := false
	for i < len(s) && s[i] != '"' {
		if s[i] != '\\' {
			return "", i, false
		}
		var raw bool
		at := i
		if b, i, raw = unescape(b, s, i); i == at {
			return "", i, false
		}
		anyRaw = anyRaw || raw
		run := i
		i = plainEnd(s, i)
		b = append(b, s[run:i]...)
	}
	*scratch = b
	if i >= len(s) {
		return "", i, false
	}
	v = string(b)
	if anyRaw && string(appendString(nil, v)) != s[start-1:i+1] {
		return "", start - 1, false // e.g. a valid character spelled byte by byte
	}
	return v, i + 1, true
}

// unescape appends what the escape at s[i] means to b and returns the place
// behind it, or i itself when appendString never writes this escape. raw says
// that it was one byte of invalid UTF-8.
func unescape(b []byte, s string, i int) (_ []byte, end int, raw bool) {
	if i+1 >= len(s) {
		return b, i, false
	}
	switch s[i+1] {
	case '"', '\\':
		return append(b, s[i+1]), i + 2, false
	case 'b':
		return append(b, '\b'), i + 2, false
	case 'f':
		return append(b, '\f'), i + 2, false
	case 'n':
		return append(b, '\n'), i + 2, false
	case 'r':
		return append(b, '\r'), i + 2, false
	case 't':
		return append(b, '\t'), i + 2, false
	case 'u':
	default:
		return b, i, false
	}
	if i+6 > len(s) {
		return b, i, false
	}
	switch s[i+2 : i+6] {
	case "0085":
		return append(b, "\u0085"...), i + 6, false
	case "2028":
		return append(b, "\u2028"...), i + 6, false
	case "2029":
		return append(b, "\u2029"...), i + 6, false
	case "ffff":
		if i+8 > len(s) {
			return b, i, false
		}
		hi, lo := unhex(s[i+6]), unhex(s[i+7])
		if hi < 8 || hi > 15 || lo > 15 {
			return b, i, false
		}
		return append(b, hi<<4|lo), i + 8, true
	}
	hi, lo := unhex(s[i+4]), unhex(s[i+5])
	if s[i+2:i+4] != "00" || hi > 1 || lo > 15 {
		return b, i, false
	}
	c := hi<<4 | lo
	switch c {
	case '\b', '\f', '\n', '\r', '\t':
		return b, i, false // these have a short spelling
	}
	return append(b, c), i + 6, false
}

// unhex returns the value of a lower-case hex digit, or 255.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}

// isHash reports whether s is 64 lower-case hex digits.
func isHash[T string | []byte](s T) bool {
	if len(s) != 64 {
		return false
	}
	for i := range 64 {
		if unhex(s[i]) > 15 {
			return false
		}
	}
	return true
}
