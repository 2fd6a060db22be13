package fake

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// chatMessage writes an answer as one completion.
type chatMessage struct {
	b                      *builder
	a                      answering
	said, thought, refused string
	hasText, hasThought    bool
	calls                  builder // a comma before each but the first
	reason                 string
	bad                    error
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

// wholeInput is the input of a call in an answer of one piece: none is {}.
func wholeInput(pieces []string) string {
	if input := strings.Join(pieces, ""); input != "" {
		return input
	}
	return "{}"
}

// plainInput is wholeInput for an API that has it as a string: JSON without the
// white space around it, which a value inside JSON does not have either.
func plainInput(pieces []string) string {
	input := wholeInput(pieces)
	if json.Valid([]byte(input)) {
		return strings.Trim(input, " \t\r\n")
	}
	return input
}

func (m *chatMessage) refusal(text string) { m.refused += text }
func (m *chatMessage) stop(reason string)  { m.reason = reason }

func (m *chatMessage) raw(string)   { m.bad = errRawWhole }
func (m *chatMessage) frame(string) { m.bad = errFrameWhole }

// What only a stream can carry.
var (
	errRawWhole   = errors.New("the request asks for one JSON message (stream is not true), and `raw` writes into a stream; write `body` to send other bytes")
	errFrameWhole = errors.New("the request asks for one JSON message (stream is not true), and `frame` is an event of a stream")
)

func (m *chatMessage) end() {
	if m.bad != nil {
		return
	}
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

func (m *chatMessage) err() error { return m.bad }

// What only a stream has means nothing in one message; what the API has no place
// for was refused before.
func (m *chatMessage) open()                               {}
func (m *chatMessage) close()                              {}
func (m *chatMessage) ping()                               {}
func (m *chatMessage) comment(string)                      {}
func (m *chatMessage) failure(string, string)              {}
func (m *chatMessage) serverResult(string, string, string) {}
