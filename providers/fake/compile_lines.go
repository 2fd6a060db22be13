package fake

import (
	"strconv"
	"strings"
)

// write renders one line.
func write(out renderer, l *Line) {
	switch l.Op {
	case OpText, OpCutText:
		out.text(l.Values, l.Op == OpText)
	case OpThink:
		sig := l.Sig
		if !l.HasSig {
			sig = signature(l.Values)
		}
		out.think(l.Values, sig, true)
	case OpCutThink:
		out.think(l.Values, "", false)
	case OpCall, OpCutCall, OpServerCall:
		out.call(l.ID, l.Name, l.input(), l.Op == OpServerCall, l.Op != OpCutCall)
	case OpServerResult:
		out.serverResult(l.ID, l.Name, l.JSON)
	case OpRefusal:
		out.refusal(l.Values[0])
	case OpStop:
		out.stop(l.Values[0])
	case OpPing:
		out.ping()
	case OpComment:
		out.comment(l.Values[0])
	case OpError:
		out.failure(l.Name, l.Values[0])
	case OpRaw:
		for _, v := range l.Values {
			out.raw(v)
		}
	case OpFrame:
		out.frame(l.JSON)
	case OpHead:
		if l.N == 0 {
			out.open()
		}
	case OpTail:
		if l.N == 0 {
			out.close()
		}
	}
}

// input returns the pieces of a call's input: the strings as they are written,
// JSON in a few pieces, as real streams bring it.
func (l *Line) input() []string {
	if l.JSON == "" {
		return l.Values
	}
	size := max(8, (len(l.JSON)+3)/4)
	var pieces []string
	for rest := l.JSON; rest != ""; {
		n := min(size, len(rest))
		for n < len(rest) && rest[n]&0xC0 == 0x80 { // not inside a rune
			n++
		}
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	return pieces
}

// expand returns the lines of one repetition: times=N unrolled, ${n} replaced.
// In a line with times=N, ${n} counts the line's own repetitions.
func (r *Reply) expand(rep int) []Line {
	var out []Line
	for _, l := range r.Lines {
		for i := 1; i <= l.times(); i++ {
			n := rep
			if l.Times > 1 {
				n = i
			}
			out = append(out, l.numbered(n))
		}
	}
	return out
}

// numbered returns the line with ${n} replaced.
func (l Line) numbered(n int) Line {
	l.ID, l.Name, l.JSON, l.Sig = replaceN(l.ID, n), replaceN(l.Name, n), replaceN(l.JSON, n), replaceN(l.Sig, n)
	if len(l.Values) > 0 {
		values := make([]string, len(l.Values))
		for i, v := range l.Values {
			values[i] = replaceN(v, n)
		}
		l.Values = values
	}
	if l.Expect != nil && strings.Contains(l.Expect.Path+l.Expect.Value, repetition) {
		e := *l.Expect
		e.Path, e.Value = replaceN(e.Path, n), replaceN(e.Value, n)
		_ = e.compile() // it compiled with n = 1, and a number changes no syntax
		l.Expect = &e
	}
	return l
}

func replaceN(s string, n int) string {
	if !strings.Contains(s, repetition) {
		return s
	}
	return strings.ReplaceAll(s, repetition, strconv.Itoa(n))
}
