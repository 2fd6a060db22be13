package fake

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// chatMessage writes an answer as one completion.
type chatMessage struct {
	inOnePiece
	b                      *builder
	a                      answering
	said, thought, refused string
	hasText, hasThought    bool
	calls                  builder // a comma before each but the first
	reason                 string
}

func (m *chatMessage) text(deltas []string, _ bool) {
	m.hasText = true
	m.said += strings.Join(deltas, "")
}

func (m *chatMessage) think(deltas []string, _ string, _ bool) {
	m.hasThought = true
	m.thought += strings.Join(deltas, "")
}

func (m *chatMessage) call(id, name string, pieces []string, _, _ bool) {
	if len(m.calls.buf) > 0 {
		m.calls.put(",")
	}
	m.calls.put(`{"id":`)
	m.calls.quote(id)
	m.calls.put(`,"type":"function","function":{"name":`)
	m.calls.quote(name)
	m.calls.put(`,"arguments":`)
	m.calls.quote(plainInput(pieces))
	m.calls.put(`}}`)
}

func (m *chatMessage) refusal(text string) { m.refused += text }
func (m *chatMessage) stop(reason string)  { m.reason = reason }

func (m *chatMessage) end() {
	var b builder
	b.put(`{"id":`)
	b.quote(m.a.itemID("chatcmpl", 0))
	b.put(`,"object":"chat.completion","created":`, openaiCreated, `,"model":`)
	b.quote(m.a.model)
	b.put(`,"choices":[{"index":0,"message":{"role":"assistant","content":`)
	if m.hasText {
		b.quote(m.said)
	} else {
		b.put("null")
	}
	if m.hasThought {
		b.put(`,"reasoning_content":`)
		b.quote(m.thought)
	}
	if len(m.calls.buf) > 0 {
		b.put(`,"tool_calls":[`, string(m.calls.buf), `]`)
	}
	b.put(`,"refusal":`)
	putOrNull(&b, m.refused)
	b.put(`,"annotations":[]},"logprobs":null,"finish_reason":`)
	putOrNull(&b, chatStop(m.reason, m.refused != ""))
	b.put(`}],"usage":`)
	putChatUsage(&b, m.a.usage)
	b.put(`,"service_tier":"default","system_fingerprint":"fp_bench"}`)
	m.b.put(indented(b.buf))
	m.b.event()
}

// indented lays JSON out as OpenAI's servers do. What is not JSON stays as it is.
func indented(object []byte) string {
	v := jsontext.Value(object).Clone()
	if v.Indent(jsontext.PreserveRawStrings(true), jsontext.WithIndent("  ")) != nil {
		return string(object)
	}
	return string(v)
}
