package compact

import (
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/internal/cut"
)

// Part is one thing that was said or done, for Material.
type Part struct {
	Who  string // "user", "agent", "result of grep"
	Text string
}

// How much of a part is shown: what a preview shows of a result (E1). The
// first part is what was asked, or the summary before this one, of which
// little may be lost: it may have as much as a summary of 4,000 tokens.
const (
	partBytes  = 2_000
	firstBytes = 16_000
)

// Material renders parts as the text that a summary, or a judgement, is made
// from, in at most most bytes: the request for a summary must fit where the
// conversation did not (google-gemini/gemini-cli#16516). Long parts are cut in
// the middle, three quarters of what stays from the beginning. Where the room is
// not enough for all, the newest part stays, then the first, then the newer
// ones, and a line says how many are missing.
//
// Each line of a part has "| " in front and no header has, so no part can pass
// for another.
func Material(parts []Part, most int) string {
	shown := make([]string, len(parts))
	total := 0
	for i, p := range parts {
		n := partBytes
		if i == 0 {
			n = firstBytes
		}
		shown[i] = p.render(n)
		total += len(shown[i])
	}
	if total <= most {
		return strings.Join(shown, "")
	}
	last := len(parts) - 1
	if last < 0 {
		return ""
	}
	room := most - len(missing(last))
	newest := parts[last].fit(shown[last], room)
	if last == 0 || newest == "" {
		return newest
	}
	room -= len(newest)
	first := parts[0].fit(shown[0], min(room, most/2))
	room -= len(first)
	i := last
	for i > 1 && len(shown[i-1]) <= room {
		i--
		room -= len(shown[i])
	}
	left := i - 1
	if first == "" {
		left++
	}
	if left > 0 {
		first += missing(left)
	}
	return first + strings.Join(shown[i:last], "") + newest
}

func missing(n int) string { return "[" + count(n, "part") + " left out here]\n" }

// render is the part with its header, of its text at most n bytes.
func (p Part) render(n int) string {
	who := cut.Head(strings.Join(strings.Fields(strings.ToValidUTF8(p.Who, "\uFFFD")), " "), 80)
	return "[" + who + "]\n" + quote(cutMiddle(p.Text, n)) + "\n"
}

// fit is the part in at most room bytes, "" where not even its header fits;
// shown is how it is rendered so far.
func (p Part) fit(shown string, room int) string {
	for n := min(len(p.Text), len(shown)); len(shown) > room; {
		if n == 0 {
			return ""
		}
		n = max(n-(len(shown)-room), 0)
		shown = p.render(n)
	}
	return shown
}

// cutMiddle keeps n bytes of s, the first three quarters and the last, and says
// between them how many are missing.
func cutMiddle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := cut.Head(s, n-n/4), cut.Tail(s, n/4)
	return head + "\n[... " + count(len(s)-len(head)-len(tail), "byte") + " left out ...]\n" + tail
}

// quote puts "| " in front of every line, whatever ends it.
func quote(s string) string {
	b := append(make([]byte, 0, len(s)+64), "| "...)
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				continue
			}
			fallthrough
		case '\n', '\v', '\f', '\u0085', '\u2028', '\u2029':
			b = append(b, "\n| "...)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}
