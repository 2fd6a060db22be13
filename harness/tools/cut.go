package tools

import (
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/internal/cut"
)

// join makes one text of a tool's output that keeps at most limit bytes of it:
// all of it, or its beginning and end with a note between them that names the
// bytes left out. It never splits a rune. The note is not counted. It returns
// the text and the number of bytes left out, those that the tool had left out
// itself included (C5; one result of 5.6 MB poisons a thread for good).
func (o Output) join(limit int) (string, int) {
	head, tail := valid(o.Text), valid(o.Tail)
	if o.Cut <= 0 {
		all := head + tail
		if len(all) <= limit {
			return all, 0
		}
		head, tail = cut.Head(all, limit-limit/2), cut.Tail(all, limit/2)
		left := len(all) - len(head) - len(tail)
		return head + note(left) + tail, left
	}
	left := o.Cut
	if whole := len(head) + len(tail); whole > limit {
		left += whole
		switch half := limit / 2; {
		case len(tail) <= half:
			head = cut.Head(head, limit-len(tail))
		case len(head) <= limit-half:
			tail = cut.Tail(tail, limit-len(head))
		default:
			head, tail = cut.Head(head, limit-half), cut.Tail(tail, half)
		}
		left -= len(head) + len(tail)
	}
	return head + note(left) + tail, left
}

// Shorten keeps at most limit bytes of a text, its beginning and its end, and
// returns how many bytes it left out.
func Shorten(text string, limit int) (string, int) { return Output{Text: text}.join(limit) }

func note(left int) string { return "\n[... " + count(left, "byte") + " left out ...]\n" }

// valid replaces what is not UTF-8: a result is recorded and sent as JSON.
func valid(s string) string {
	if utf8.ValidString(s) { // eight ASCII bytes at a time, where ToValidUTF8 looks at one
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// line makes one short line of s, for use inside a sentence.
func line(s string, n int) string {
	s = strings.Join(strings.Fields(valid(s)), " ")
	if len(s) <= n {
		return s
	}
	return cut.Head(s, n) + "..."
}

// keeper is a writer that remembers the beginning and the end of what is
// written to it, each a little longer than limit, in bounded memory however
// much is written.
type keeper struct {
	limit int
	size  int    // of head and of ring
	head  []byte // the first size bytes
	ring  []byte // the bytes after head, the newest size of them
	at    int    // where the next byte of ring goes, once it is full
	total int    // bytes written
}

func newKeeper(limit int) *keeper {
	limit = max(limit, 1)
	return &keeper{limit: limit, size: limit + utf8.UTFMax}
}

func (k *keeper) Write(p []byte) (int, error) {
	n := len(p)
	k.total += n
	if room := k.size - len(k.head); room > 0 {
		m := min(room, len(p))
		k.head, p = append(k.head, p[:m]...), p[m:]
	}
	for len(p) > 0 {
		if room := k.size - len(k.ring); room > 0 {
			m := min(room, len(p))
			k.ring, p = append(k.ring, p[:m]...), p[m:]
			continue
		}
		m := copy(k.ring[k.at:], p)
		k.at, p = (k.at+m)%k.size, p[m:]
	}
	return n, nil
}

// output returns what was written, cut as join cuts it.
func (k *keeper) output() Output {
	head, tail := string(k.head), string(k.ring[k.at:])+string(k.ring[:k.at])
	if k.total == len(head)+len(tail) {
		return Output{Text: head + tail}
	}
	head, tail = cut.Head(head, k.limit-k.limit/2), cut.Tail(tail, k.limit/2)
	return Output{Text: head, Tail: tail, Cut: k.total - len(head) - len(tail)}
}
