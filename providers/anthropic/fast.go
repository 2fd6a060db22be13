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

// fast decodes an event that is spelled exactly like one of the templates into
// ev, which must be zero. What it accepts is valid by construction: the literal
// parts repeat no name, and quoted looks at every byte of the string. False
// means nothing but that the strict decoder must decide, and leaves ev alone;
// the two agree on all that fast accepts (FuzzDecoder).
func (c *codec) fast(name, data []byte, ev *providers.Event) bool {
	if len(name) != 0 && string(name) != "content_block_delta" {
		return false
	}
	rest, ok := cutHead(data, deltaHead)
	if !ok {
		return false
	}
	index, digits := 0, 0
	for digits < len(rest) && digits < 6 && rest[digits]-'0' <= 9 {
		index = index*10 + int(rest[digits]-'0')
		digits++
	}
	if digits == 0 || rest[0] == '0' && digits > 1 {
		return false
	}
	rest = rest[digits:]
	var kind providers.EventKind
	if rest, ok = cutHead(rest, textHead); ok {
		kind = providers.TextDelta
	} else if rest, ok = cutHead(rest, inputHead); ok {
		kind = providers.InputDelta
	} else if rest, ok = cutHead(rest, thinkingHead); ok {
		kind = providers.ThinkingDelta
	} else {
		return false
	}
	text, rest, ok := c.arena.Quoted(rest)
	if !ok {
		return false
	}
	if !closed(rest) {
		c.arena.Forget(text)
		return false
	}
	ev.Kind, ev.Index, ev.Text = kind, index, text
	return true
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
