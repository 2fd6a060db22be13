package anthropic

import "github.com/harnessbench/bench/providers"

// The events that make up nearly all of a stream, in the one spelling in which
// the API writes them. Spaces before and behind the last brace are its padding.
const (
	deltaHead    = `{"type":"content_block_delta","index":`
	textHead     = `,"delta":{"type":"text_delta","text":"`
	inputHead    = `,"delta":{"type":"input_json_delta","partial_json":"`
	thinkingHead = `,"delta":{"type":"thinking_delta","thinking":"`
)

// fast decodes an event that is spelled exactly like one of the templates. What
// it accepts is valid by construction: the literal parts repeat no name, and
// quoted looks at every byte of the string. Not ok means nothing but that the
// strict decoder must decide; the two agree on all that fast accepts
// (FuzzDecoder).
func (c *codec) fast(name, data []byte) (ev providers.Event, ok bool) {
	if len(name) != 0 && string(name) != "content_block_delta" {
		return ev, false
	}
	rest, ok := cutHead(data, deltaHead)
	if !ok {
		return ev, false
	}
	n, digits := 0, 0
	for digits < len(rest) && digits < 6 && rest[digits]-'0' <= 9 {
		n = n*10 + int(rest[digits]-'0')
		digits++
	}
	if digits == 0 || rest[0] == '0' && digits > 1 {
		return ev, false
	}
	rest = rest[digits:]
	ev.Index = n
	var in []byte
	if in, ok = cutHead(rest, textHead); ok {
		ev.Kind = providers.TextDelta
	} else if in, ok = cutHead(rest, inputHead); ok {
		ev.Kind = providers.InputDelta
	} else if in, ok = cutHead(rest, thinkingHead); ok {
		ev.Kind = providers.ThinkingDelta
	} else {
		return ev, false
	}
	if ev.Text, rest, ok = c.arena.quoted(in); ok && !closed(rest) {
		c.arena.buf = c.arena.buf[:len(c.arena.buf)-len(ev.Text)] // nobody has seen it
		ok = false
	}
	return ev, ok
}

// closed reports whether rest is two closing braces and padding.
func closed(rest []byte) bool {
	if len(rest) < 2 || rest[0] != '}' {
		return false
	}
	braces := 1
	for _, c := range rest[1:] {
		if c == '}' && braces == 1 {
			braces = 2
		} else if c != ' ' {
			return false
		}
	}
	return braces == 2
}

func cutHead(b []byte, head string) ([]byte, bool) {
	if len(b) < len(head) || string(b[:len(head)]) != head {
		return b, false
	}
	return b[len(head):], true
}
