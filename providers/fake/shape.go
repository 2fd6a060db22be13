package fake

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
)

// shape is what a later request shows of a reply: its text and its calls.
// Thoughts, usage and framing are not looked at.
type shape struct {
	text   string
	calls  []shapeCall // the provider's own calls too
	cut    bool        // the stream did not end well: a loop may have kept a part of the text
	paused bool        // the next reply goes on with this one, perhaps in the same message
}

type shapeCall struct{ id, name, input string }

// shapeOf returns the shape of a reply's lines.
func shapeOf(lines []Line, p protocol) *shape {
	s := &shape{}
	for i := range lines {
		l := &lines[i]
		switch l.Op {
		case OpText, OpCutText, OpRefusal:
			s.text += strings.Join(l.Values, "")
		case OpCall, OpCutCall, OpServerCall:
			s.calls = append(s.calls, shapeCall{l.ID, l.Name, strings.Join(l.input(), "")})
		case OpStop:
			s.paused = l.Values[0] == stopPause
		case OpFrame:
			p.shape(l.JSON, s)
		case OpError, OpEOF, OpCut, OpReset, OpHang:
			s.cut = true
		}
	}
	return s
}

// empty reports whether nothing of the reply can ever be shown.
func (s *shape) empty() bool { return s.text == "" && len(s.calls) == 0 }

// shapeOfMessage returns the shape of a message in a request.
func shapeOfMessage(m *providers.Message) *shape {
	s := &shape{}
	for _, b := range m.Blocks {
		switch b.Kind {
		case providers.Text:
			s.text += b.Text
		case providers.ToolCall, providers.ServerCall:
			s.calls = append(s.calls, shapeCall{b.ID, b.Name, b.Input})
		}
	}
	return s
}

// shows reports whether the message m shows the reply s. A loop may have given
// a call an id of its own, replaced an input that was no object, left out a
// repeated call, or trimmed white space.
func (m *shape) shows(s *shape) bool {
	if len(m.calls) > 0 {
		pairs := m.pair(s)
		if len(pairs) < len(m.calls) {
			return false
		}
		for i, j := range pairs {
			if m.calls[i].id == "" || m.calls[i].id != s.calls[j].id {
				return m.sameText(s)
			}
		}
		return true // every id is the reply's: whatever became of the text
	}
	return m.text != "" && m.sameText(s)
}

func (m *shape) sameText(s *shape) bool {
	a, b := strings.TrimSpace(m.text), strings.TrimSpace(s.text)
	return a == b || s.cut && a != "" && strings.HasPrefix(b, a)
}

// split cuts off what shows the paused reply s, if the message begins with it
// and goes on behind it.
func (m *shape) split(s *shape) (head, rest *shape, ok bool) {
	text := strings.TrimSpace(s.text)
	n := len(s.calls)
	if !strings.HasPrefix(strings.TrimSpace(m.text), text) || len(m.calls) < n {
		return nil, nil, false
	}
	head = &shape{text: text, calls: m.calls[:n:n]}
	rest = &shape{text: strings.TrimSpace(strings.TrimSpace(m.text)[len(text):]), calls: m.calls[n:]}
	return head, rest, !rest.empty() && !head.empty() && head.shows(s)
}

// pair finds for each call of a message its call in the reply, in order: pairs
// as far as they are found.
func (m *shape) pair(s *shape) []int {
	var pairs []int
	j := 0
	for _, c := range m.calls {
		for j < len(s.calls) && !c.is(s.calls[j]) {
			j++
		}
		if j == len(s.calls) {
			break
		}
		pairs = append(pairs, j)
		j++
	}
	return pairs
}

// is reports whether c in a request can be the call d of a reply.
func (c shapeCall) is(d shapeCall) bool {
	if c.id != "" && c.id == d.id {
		return true
	}
	return c.name == d.name && (c.input == "{}" || compact(c.input) == compact(d.input))
}

// compact removes white space from JSON; what is no JSON stays.
func compact(s string) string {
	v := jsontext.Value(s)
	if v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return s
	}
	return string(v)
}
