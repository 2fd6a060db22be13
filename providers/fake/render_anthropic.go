package fake

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) serves(method, path string) bool {
	return method == http.MethodPost && strings.HasSuffix(path, "/v1/messages")
}

func (anthropic) header(contentType, requestID string) http.Header {
	h := http.Header{"Content-Type": {contentType}, "Request-Id": {requestID}}
	if contentType == typeStream {
		h.Set("Cache-Control", "no-cache")
	}
	return h
}

// envelope is an HTTP error as the API writes it.
func (anthropic) envelope(typ, message, requestID string) []byte {
	b := append([]byte(`{"type":"error","error":{"type":`), quote(typ)...)
	b = append(append(b, `,"message":`...), quote(message)...)
	b = append(append(b, `},"request_id":`...), quote(requestID)...)
	return append(b, '}')
}

func (anthropic) answer(b *builder, a answering) renderer {
	if a.stream {
		return &anthropicStream{b: b, a: a}
	}
	return &anthropicMessage{b: b, a: a}
}

// defaultMessage is the API's own sentence for an error type.
func defaultMessage(typ string) string {
	switch typ {
	case "authentication_error":
		return "invalid x-api-key"
	case "permission_error":
		return "Your API key does not have permission to use the specified resource."
	case "not_found_error":
		return "Not Found"
	case "request_too_large":
		return "Request exceeds the maximum size"
	case "rate_limit_error":
		return "This request would exceed your account's rate limit. Please try again later."
	case "api_error":
		return "Internal server error"
	case "timeout_error":
		return "Request timed out"
	case "overloaded_error":
		return "Overloaded"
	}
	return typ
}

// stopWord maps a neutral stop reason to the API's own.
func (anthropic) stopWord(reason string) string {
	if reason == stopWindow {
		return "model_context_window_exceeded"
	}
	return reason // the neutral words are this API's
}

// messageID derives a message's id from the exchange's number.
func messageID(n int) string { return fmt.Sprintf("msg_bench%08d", n) }

// signature makes up the signature of a thinking block. It differs from text
// to text, so that a loop which mixes two up is seen.
func signature(values []string) string {
	sum := sha256.Sum256([]byte(strings.Join(values, "")))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// anthropicStream writes an answer as server-sent events.
type anthropicStream struct {
	b    *builder
	a    answering
	next int // index of the next block
}

// event writes one event: `event:` and `data:` lines and the empty line.
func (s *anthropicStream) event(name, data string) {
	nl := s.a.newline
	if name != "" {
		s.b.buf = append(append(append(s.b.buf, "event: "...), name...), nl...)
	}
	s.b.buf = append(append(append(append(s.b.buf, "data: "...), data...), nl...), nl...)
	s.b.event()
}

func (s *anthropicStream) open() {
	u := s.a.usage
	s.event("message_start", `{"type":"message_start","message":{"id":`+quote(messageID(s.a.n))+
		`,"type":"message","role":"assistant","model":`+quote(s.a.model)+
		`,"content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":`+strconv.Itoa(u.In)+
		`,"cache_creation_input_tokens":`+strconv.Itoa(u.CacheWrite)+
		`,"cache_read_input_tokens":`+strconv.Itoa(u.CacheRead)+`,"output_tokens":1}}}`)
}

// start opens a block and returns its index.
func (s *anthropicStream) start(block string) int {
	s.event("content_block_start", `{"type":"content_block_start","index":`+strconv.Itoa(s.next)+`,"content_block":`+block+`}`)
	s.next++
	return s.next - 1
}

func (s *anthropicStream) delta(index int, kind, field, text string) {
	s.event("content_block_delta", `{"type":"content_block_delta","index":`+strconv.Itoa(index)+
		`,"delta":{"type":"`+kind+`","`+field+`":`+quote(text)+`}}`)
}

func (s *anthropicStream) stopBlock(index int, closed bool) {
	if closed {
		s.event("content_block_stop", `{"type":"content_block_stop","index":`+strconv.Itoa(index)+`}`)
	}
}

func (s *anthropicStream) text(deltas []string, closed bool) {
	i := s.start(`{"type":"text","text":""}`)
	for _, d := range deltas {
		s.delta(i, "text_delta", "text", d)
	}
	s.stopBlock(i, closed)
}

func (s *anthropicStream) think(deltas []string, sig string, closed bool) {
	i := s.start(`{"type":"thinking","thinking":"","signature":""}`)
	for _, d := range deltas {
		s.delta(i, "thinking_delta", "thinking", d)
	}
	if sig != "" {
		s.delta(i, "signature_delta", "signature", sig)
	}
	s.stopBlock(i, closed)
}

// call writes a call as real streams do: the first piece of its input is
// empty, and an input without any other piece means {}.
func (s *anthropicStream) call(id, name string, pieces []string, server, closed bool) {
	kind := "tool_use"
	if server {
		kind = "server_tool_use"
	}
	i := s.start(`{"type":"` + kind + `","id":` + quote(id) + `,"name":` + quote(name) + `,"input":{}}`)
	s.delta(i, "input_json_delta", "partial_json", "")
	for _, p := range pieces {
		if p != "" {
			s.delta(i, "input_json_delta", "partial_json", p)
		}
	}
	s.stopBlock(i, closed)
}

func (s *anthropicStream) serverResult(id, name, content string) {
	i := s.start(serverResultBlock(id, name, content))
	s.stopBlock(i, true)
}

// serverResultBlock is the block that answers a server call; its type is made
// from the tool's name.
func serverResultBlock(id, name, content string) string {
	return `{"type":` + quote(name+"_tool_result") + `,"tool_use_id":` + quote(id) + `,"content":` + content + `}`
}

func (s *anthropicStream) refusal(text string) {
	if text != "" {
		s.text([]string{text}, true)
	}
}

func (s *anthropicStream) stop(reason string) {
	if reason == stopNone {
		return
	}
	u := s.a.usage
	s.event("message_delta", `{"type":"message_delta","delta":{"stop_reason":`+quoteOrNull(anthropic{}.stopWord(reason))+
		`,"stop_sequence":null},"usage":{"input_tokens":`+strconv.Itoa(u.In)+
		`,"cache_creation_input_tokens":`+strconv.Itoa(u.CacheWrite)+
		`,"cache_read_input_tokens":`+strconv.Itoa(u.CacheRead)+
		`,"output_tokens":`+strconv.Itoa(u.Out)+`}}`)
}

func (s *anthropicStream) close() { s.event("message_stop", `{"type":"message_stop"}`) }
func (s *anthropicStream) ping()  { s.event("ping", `{"type":"ping"}`) }

func (s *anthropicStream) comment(text string) {
	s.b.buf = append(append(append(append(s.b.buf, ": "...), text...), s.a.newline...), s.a.newline...)
	s.b.event()
}

func (s *anthropicStream) failure(typ, message string) {
	s.event("error", `{"type":"error","error":{"details":null,"type":`+quote(typ)+`,"message":`+quote(message)+`}}`)
}

func (s *anthropicStream) raw(bytes string) {
	s.b.buf = append(s.b.buf, bytes...)
	s.b.event()
}

// frame writes one event as it is given; its name is its type.
func (s *anthropicStream) frame(data string) {
	var typed struct{ Type string }
	_ = json.Unmarshal([]byte(data), &typed) // no object, no type: the event then has no name
	s.event(typed.Type, data)
}

func (s *anthropicStream) end()       {}
func (s *anthropicStream) err() error { return nil } // a stream can carry anything

// anthropicMessage collects an answer and writes it as one JSON message.
type anthropicMessage struct {
	b      *builder
	a      answering
	blocks []string
	reason string
	bad    error
}

func (m *anthropicMessage) text(deltas []string, _ bool) {
	m.blocks = append(m.blocks, `{"type":"text","text":`+quote(strings.Join(deltas, ""))+`}`)
}

func (m *anthropicMessage) think(deltas []string, sig string, _ bool) {
	m.blocks = append(m.blocks, `{"type":"thinking","thinking":`+quote(strings.Join(deltas, ""))+`,"signature":`+quote(sig)+`}`)
}

func (m *anthropicMessage) call(id, name string, pieces []string, server, _ bool) {
	kind := "tool_use"
	if server {
		kind = "server_tool_use"
	}
	input := strings.Join(pieces, "")
	if input == "" {
		input = "{}"
	}
	if !json.Valid([]byte(input)) {
		m.bad = fmt.Errorf("the request asks for one JSON message (stream is not true), and the input %s of call %s is not JSON: only a stream can carry it", clip(input), id)
		return
	}
	m.blocks = append(m.blocks, `{"type":"`+kind+`","id":`+quote(id)+`,"name":`+quote(name)+`,"input":`+input+`}`)
}

func (m *anthropicMessage) serverResult(id, name, content string) {
	m.blocks = append(m.blocks, serverResultBlock(id, name, content))
}

func (m *anthropicMessage) refusal(text string) {
	if text != "" {
		m.text([]string{text}, true)
	}
}

func (m *anthropicMessage) stop(reason string) { m.reason = anthropic{}.stopWord(reason) }

func (m *anthropicMessage) raw(string) {
	m.bad = errors.New("the request asks for one JSON message (stream is not true), and `raw` writes into a stream; write `body` to send other bytes")
}

func (m *anthropicMessage) frame(string) {
	m.bad = errors.New("the request asks for one JSON message (stream is not true), and `frame` is an event of a stream")
}

func (m *anthropicMessage) end() {
	if m.bad != nil {
		return
	}
	u := m.a.usage
	m.b.buf = append(m.b.buf, `{"id":`+quote(messageID(m.a.n))+`,"type":"message","role":"assistant","model":`+quote(m.a.model)+
		`,"content":[`+strings.Join(m.blocks, ",")+`],"stop_reason":`+quoteOrNull(m.reason)+
		`,"stop_sequence":null,"usage":{"input_tokens":`+strconv.Itoa(u.In)+
		`,"cache_creation_input_tokens":`+strconv.Itoa(u.CacheWrite)+
		`,"cache_read_input_tokens":`+strconv.Itoa(u.CacheRead)+
		`,"output_tokens":`+strconv.Itoa(u.Out)+`}}`...)
	m.b.event()
}

func (m *anthropicMessage) err() error { return m.bad }

// What only a stream has means nothing in one message.
func (m *anthropicMessage) open()                  {}
func (m *anthropicMessage) close()                 {}
func (m *anthropicMessage) ping()                  {}
func (m *anthropicMessage) comment(string)         {}
func (m *anthropicMessage) failure(string, string) {}

// shape adds the text and the calls that an event of a stream carries.
func (anthropic) shape(frame string, s *shape) {
	var e struct {
		Block struct{ Type, ID, Name, Text string } `json:"content_block"`
		Delta struct {
			Text  string
			Input string `json:"partial_json"`
		}
	}
	if json.Unmarshal([]byte(frame), &e) != nil {
		return
	}
	if e.Block.Type == "tool_use" {
		s.calls = append(s.calls, shapeCall{id: e.Block.ID, name: e.Block.Name})
	}
	s.text += e.Block.Text + e.Delta.Text
	if n := len(s.calls); n > 0 {
		s.calls[n-1].input += e.Delta.Input
	}
}

// quoteOrNull quotes a stop reason; none and null are null.
func quoteOrNull(s string) string {
	if s == "null" || s == "" || s == stopNone {
		return "null"
	}
	return quote(s)
}

// quote writes s as a JSON string. Bytes that are not UTF-8 stay as they are:
// a script may want to send them.
func quote(s string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
