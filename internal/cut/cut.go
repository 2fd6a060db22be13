// Package cut shortens a text without splitting a rune.
package cut

import "unicode/utf8"

// Head returns the longest beginning of s that has at most n bytes and ends
// between two runes.
func Head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Tail returns the longest end of s that has at most n bytes and begins
// between two runes.
func Tail(s string, n int) string {
	i := max(len(s)-max(n, 0), 0)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}
