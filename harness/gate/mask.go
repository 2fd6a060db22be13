package gate

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// hidden stands for a byte of what the user only quotes.
const hidden = '\x01'

var (
	fence     = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	quoteLine = regexp.MustCompile(`^ {0,3}(?:>|\||#{1,6}\s)`) // a heading and a table only name, too
)

// mask hides code, quotations and headings, byte for byte: places stay what
// they were (G2: a mention is no request).
func mask(prompt string) string {
	b := []byte(prompt)
	open, start := "", 0 // the fence; where the paragraph began
	for from := 0; from < len(b); {
		line, _, _ := strings.Cut(prompt[from:], "\n")
		to := min(from+len(line)+1, len(b))
		m := fence.FindStringSubmatch(line[:min(len(line), 200)])
		switch {
		case open != "":
			hide(b[from:to])
			if m != nil && strings.HasPrefix(m[1], open) {
				open = ""
			}
			start = to
		case m != nil, quoteLine.MatchString(line[:min(len(line), 12)]), strings.TrimSpace(line) == "":
			quotations(b[start:from])
			hide(b[from:to])
			if m != nil {
				open = m[1]
			}
			start = to
		}
		from = to
	}
	quotations(b[start:])
	return string(b)
}

func hide(b []byte) {
	for i, c := range b {
		if c != '\n' {
			b[i] = hidden
		}
	}
}

// quotations hides what stands between marks within a paragraph.
func quotations(b []byte) {
	marks := []struct{ open, close string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"「", "」"}, {"『", "』"}, {"《", "》"}, {"'", "'"}}
	s := string(b)
	for i := 0; i < len(s); {
		next := i + 1
		for j, m := range marks {
			if !strings.HasPrefix(s[i:], m.open) || m.open == "'" && i > 0 && !strings.ContainsRune(" \t\n(", rune(s[i-1])) {
				continue
			}
			n := strings.Index(s[i+len(m.open):], m.close)
			if n < 0 {
				marks[j].open = "\x00" // nor will there be one later
				continue
			}
			end := i + len(m.open) + n + len(m.close)
			if r, _ := utf8.DecodeRuneInString(s[end:]); m.open == "'" && end < len(s) && !strings.ContainsRune(" \t\n).,:;!?", r) {
				continue // an apostrophe
			}
			hide(b[i:end])
			next = end
			break
		}
		i = next
	}
}
