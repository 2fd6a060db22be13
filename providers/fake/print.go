package fake

import (
	"fmt"
	"strconv"
	"strings"
)

// String writes the script so that Parse reads the same script again, but for
// line numbers. Variables are replaced, guards and comments are gone, and what
// came from a file is written out.
func (s *Script) String() string {
	var b strings.Builder
	if w := s.Window; w != nil {
		b.WriteString("window")
		if w.Tokens > 0 {
			fmt.Fprintf(&b, " tokens=%d", w.Tokens)
		}
		if w.Body > 0 {
			fmt.Fprintf(&b, " body=%d", w.Body)
		}
		b.WriteString("\n")
	}
	for i, r := range s.Replies {
		if i > 0 || s.Window != nil {
			b.WriteString("\n")
		}
		b.WriteString(r.head())
		for j := range r.Lines {
			b.WriteString("\n    ")
			b.WriteString(r.Lines[j].String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

// head writes the reply's first line.
func (r *Reply) head() string {
	out := []string{"reply"}
	if r.Status != 0 {
		out = append(out, strconv.Itoa(r.Status))
	}
	if r.Type != "" {
		out = append(out, r.Type)
	}
	if r.Message != "" {
		out = append(out, quoteGo(r.Message))
	}
	if r.Lane != Lanes()[0] {
		out = append(out, "lane="+r.Lane)
	}
	switch {
	case r.Min != r.Max:
		out = append(out, fmt.Sprintf("times=%d..%d", r.Min, r.Max))
	case r.Max != 1:
		out = append(out, fmt.Sprintf("times=%d", r.Max))
	}
	if r.RetryAfter != "" {
		out = append(out, "retry-after="+word(r.RetryAfter))
	}
	return strings.Join(out, " ")
}

// String writes the line.
func (l *Line) String() string {
	out := []string{string(l.Op)}
	add := func(s ...string) { out = append(out, s...) }
	switch l.Op {
	case OpExpect:
		add(word(l.Expect.Path), l.Expect.Cmp)
		if !operators[l.Expect.Cmp].alone {
			add(quoteGo(l.Expect.Value))
		}
	case OpCall, OpCutCall, OpServerCall:
		add(word(l.ID), word(l.Name))
		add(l.payload()...)
	case OpServerResult:
		add(word(l.ID), l.JSON)
	case OpFrame:
		add(l.JSON)
	case OpError, OpHeader:
		add(word(l.Name), quoteGo(l.Values[0]))
	case OpStop:
		add(word(l.Values[0]))
	case OpUsage:
		for _, u := range []struct {
			key string
			n   int
		}{{"in", l.Usage.In}, {"out", l.Usage.Out}, {"cache_read", l.Usage.CacheRead}, {"cache_write", l.Usage.CacheWrite}} {
			if u.n != 0 || u.key == "in" {
				add(fmt.Sprintf("%s=%d", u.key, u.n))
			}
		}
	case OpHead, OpTail:
		if l.N < 0 {
			add("none")
		}
	case OpEOF:
		if l.N > 0 {
			add(fmt.Sprintf("short=%d", l.N))
		}
	case OpHang:
		if l.D > 0 {
			add(l.D.String())
		}
	case OpDelay:
		add(l.D.String())
	case OpGate, OpNewline:
		add(l.Name)
	case OpChunk:
		if l.Name != "" {
			add(l.Name)
		}
		if l.N > 0 {
			add(strconv.Itoa(l.N))
		}
	default:
		add(l.payload()...)
	}
	if l.HasSig {
		add("sig=" + word(l.Sig))
	}
	if l.After > 0 {
		add("after=" + l.After.String())
	}
	if l.Times > 1 {
		add(fmt.Sprintf("times=%d", l.Times))
	}
	return strings.Join(out, " ")
}

// payload writes JSON, or the strings.
func (l *Line) payload() []string {
	if l.JSON != "" {
		return []string{l.JSON}
	}
	var out []string
	for _, v := range l.Values {
		out = append(out, quoteGo(v))
	}
	return out
}

// word writes s bare where that reads back as one word, else in quotes.
func word(s string) string {
	if s == "" {
		return quoteGo(s)
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/*", c) >= 0) {
			return quoteGo(s)
		}
	}
	return s
}

// quoteGo writes s as "..." that neither ends a line nor holds a variable. A
// long run of one short text is written with *N, so that a megabyte of padding
// stays one readable line.
func quoteGo(s string) string {
	if unit, n := repeated(s); n > 1 {
		return quoteGo(unit) + "*" + strconv.Itoa(n)
	}
	q := strconv.Quote(s)
	if !strings.Contains(q, "${") {
		return q
	}
	const keep = "\x00"
	q = strings.ReplaceAll(q, repetition, keep)
	q = strings.ReplaceAll(q, "${", `\x24{`)
	return strings.ReplaceAll(q, keep, repetition)
}

// repeated finds the shortest unit of a long text that is nothing but
// repetitions of it.
func repeated(s string) (unit string, n int) {
	const long, short = 200, 64
	if len(s) < long || strings.Contains(s, "${") {
		return s, 1
	}
	for k := 1; k <= short; k++ {
		if len(s)%k == 0 && strings.HasPrefix(s[k:], s[:len(s)-k]) {
			return s[:k], len(s) / k
		}
	}
	return s, 1
}
