package ask

import "strings"

const (
	removed = "[API key removed]"
	// leastPart is the shortest piece of a key that is taken for one where a text
	// was cut. Less would take ordinary words, and tells nobody the key.
	leastPart = 6
)

// secret is an API key, which no error may show:
//
//	text = secret(key).clean(text)
//
// Clean what came from outside before it is shortened, so that no cut goes through
// the key, and the sentence that is made of it too: decoders quote what they read,
// and shorten it, without knowing the key.
type secret string

// clean takes the key out of s: the whole key, also where JSON, Go or a URL spells
// it with escapes, and what a cut has left of it. A text is cut at "..." and at "…",
// and may be cut at both of its ends.
func (k secret) clean(s string) string {
	key := strings.ReplaceAll(string(k), `\`, "") // they are skipped in s
	if key == "" {
		if k == "" {
			return s
		}
		return strings.ReplaceAll(s, string(k), removed)
	}
	mark := removed
	if strings.Contains(mark, string(k)) {
		mark = "***"
	}
	var b strings.Builder
	kept := 0 // what of s is in b
	for i := 0; i < len(s); {
		n := found(s[i:], key, isCut(s[:i], strings.HasSuffix))
		if n == 0 {
			// A key that is found behind some backslashes would be found with them.
			i = skip(s, i) + 1
			continue
		}
		b.WriteString(s[kept:i])
		b.WriteString(mark)
		i += n
		kept = i
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// found returns how much of the beginning of s shows the key, or shows as much of
// it as cuts have left; 0 if that is nothing. cut says that s begins at one.
func found(s, key string, cut bool) int {
	if n := piece(s, key); n > 0 || !cut {
		return n
	}
	if s == "" || strings.IndexByte(key, s[0]) < 0 && strings.IndexByte(`\%~01`, s[0]) < 0 {
		return 0 // at once, for a long text of nothing but dots
	}
	rest := s
	if s[0] == '0' || s[0] == '1' { // a JSON pointer's ~0 or ~1 behind its ~
		rest = s[1:]
	}
	for from := 1; from+leastPart <= len(key); from++ {
		if n := piece(s, key[from:]); n > 0 {
			return n
		}
		if n := piece(rest, key[from:]); n > 0 {
			return len(s) - len(rest) + n
		}
	}
	return 0
}

// piece is found for what begins as key does: all of it, or as much as is there
// before a cut.
func piece(s, key string) int {
	for _, spelled := range []func(string, int, byte) int{plainly, escaped} {
		n, upTo := 0, 0
		for chars := 0; ; chars++ {
			if chars == len(key) {
				return n
			}
			// At every one, because a key may go on with the dots of a cut.
			if chars >= leastPart {
				if isCut(s[n:], strings.HasPrefix) {
					upTo = n
				} else if m := half(s, n); isCut(s[m:], strings.HasPrefix) {
					upTo = m
				}
			}
			next := spelled(s, n, key[chars])
			if next < 0 {
				break
			}
			n = next
		}
		if upTo > 0 {
			return upTo
		}
	}
	return 0
}

// isCut reports whether s, of which has looks at one end, is cut there.
func isCut(s string, has func(s, affix string) bool) bool {
	return s == "" || has(s, "...") || has(s, "…")
}

// plainly returns where c ends, if s[i:] begins with it; else -1.
func plainly(s string, i int, c byte) int {
	if i < len(s) && s[i] == c {
		return i + 1
	}
	return -1
}

// escaped does so too where c is spelled as JSON, Go, a URL or a JSON pointer may
// spell it, and where such a text was quoted once more, which doubles backslashes.
func escaped(s string, i int, c byte) int {
	at := skip(s, i)
	rest := s[at:]
	switch {
	case rest == "":
		return -1
	case at > i && rest[0] == 'u' && isHex(rest[1:], "00", c):
		return at + len("u0000")
	case at > i && rest[0] == 'x' && isHex(rest[1:], "", c):
		return at + len("x00")
	case rest[0] == '%' && isHex(rest[1:], "", c):
		return at + len("%00")
	case c == '~' && strings.HasPrefix(rest, "~0"), c == '/' && strings.HasPrefix(rest, "~1"):
		return at + len("~0")
	}
	return plainly(s, at, c)
}

// skip returns where the backslashes end that s[i:] may begin with.
func skip(s string, i int) int {
	for i < len(s) && s[i] == '\\' {
		i++
	}
	return i
}

// isHex reports whether s begins with head and the two digits of c.
func isHex(s, head string, c byte) bool {
	const digits = "0123456789abcdef"
	s, ok := strings.CutPrefix(s, head)
	return ok && len(s) >= 2 && s[0]|0x20 == digits[c>>4]|0x20 && s[1]|0x20 == digits[c&15]|0x20
}

// half returns where the beginning of an escape ends that s[i:] may begin with.
func half(s string, i int) int {
	at := skip(s, i)
	if at < len(s) && (at > i && (s[at] == 'u' || s[at] == 'x') || s[at] == '%' || s[at] == '~') {
		for at++; at < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[at]) >= 0; at++ {
		}
	}
	return at
}
