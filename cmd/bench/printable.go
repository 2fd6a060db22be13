package main

import (
	"fmt"
	"strings"
	"unicode"
)

// printable writes control characters as \xNN. What models, tools and broken
// streams wrote may hold codes that a terminal would obey.
func printable(s string) string {
	if !strings.ContainsFunc(s, obeyed) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if obeyed(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func obeyed(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
