package fake

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) name() string { return "anthropic" }

func (anthropic) endsApart() bool { return true }

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

// words: a script's words are this API's.
func (anthropic) words(status int, typ, message string) wireError {
	if message == "" {
		message = defaultMessage(typ)
	}
	return wireError{status: status, typ: typ, message: message}
}

// envelope is an HTTP error as the API writes it.
func (anthropic) envelope(e wireError, requestID string) []byte {
	var b builder
	b.put(`{"type":"error","error":{"type":`)
	b.quote(e.typ)
	b.put(`,"message":`)
	b.quote(e.message)
	b.put(`},"request_id":`)
	b.quote(requestID)
	b.put(`}`)
	return b.buf
}

func (anthropic) answer(b *builder, a answering) renderer {
	if a.stream {
		return &anthropicStream{framer: newFramer(b, a, "\n"), a: a}
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
	framer
	a    answering
	next int // index of the next block
}

func (s *anthropicStream) open() {
	s.begin("message_start")
	s.b.put(`{"type":"message_start","message":{"id":`)
	s.b.quote(messageID(s.a.n))
	s.b.put(`,"type":"message","role":"assistant","model":`)
	s.b.quote(s.a.model)
	s.b.put(`,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`)
	usage := s.a.usage
	usage.Out = 1
	putUsage(s.b, usage)
	s.b.put(`}}`)
	s.finish()
}

// putUsage writes the token counts as the API does.
func putUsage(b *builder, u providers.Usage) {
	b.put(`{"input_tokens":`)
	b.int(u.In)
	b.put(`,"cache_creation_input_tokens":`)
	b.int(u.CacheWrite)
	b.put(`,"cache_read_input_tokens":`)
	b.int(u.CacheRead)
	b.put(`,"output_tokens":`)
	b.int(u.Out)
	b.put(`}`)
}

// start begins the start of a block; the caller writes the block and calls
// started, which returns the block's index.
func (s *anthropicStream) start() {
	s.begin("content_block_start")
	s.b.put(`{"type":"content_block_start","index":`)
	s.b.int(s.next)
	s.b.put(`,"content_block":`)
}

func (s *anthropicStream) started() int {
	s.b.put(`}`)
	s.finish()
	s.next++
	return s.next - 1
}

func (s *anthropicStream) delta(index int, kind, field, text string) {
	s.begin("content_block_delta")
	s.b.put(`{"type":"content_block_delta","index":`)
	s.b.int(index)
	s.b.put(`,"delta":{"type":"`, kind, `","`, field, `":`)
	s.b.quote(text)
	s.b.put(`}}`)
	s.finish()
}

func (s *anthropicStream) stopBlock(index int, closed bool) {
	if closed {
		s.begin("content_block_stop")
		s.b.put(`{"type":"content_block_stop","index":`)
		s.b.int(index)
		s.b.put(`}`)
		s.finish()
	}
}

func (s *anthropicStream) text(deltas []string, closed bool) {
	s.start()
	s.b.put(`{"type":"text","text":""}`)
	i := s.started()
	for _, d := range deltas {
		s.delta(i, "text_delta", "text", d)
	}
	s.stopBlock(i, closed)
}

func (s *anthropicStream) think(deltas []string, sig string, closed bool) {
	s.start()
	s.b.put(`{"type":"thinking","thinking":"","signature":""}`)
	i := s.started()
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
	s.start()
	putCall(s.b, id, name, "{}", server)
	i := s.started()
	s.delta(i, "input_json_delta", "partial_json", "")
	for _, p := range pieces {
		if p != "" {
			s.delta(i, "input_json_delta", "partial_json", p)
		}
	}
	s.stopBlock(i, closed)
}

// putCall writes a call's block.
func putCall(b *builder, id, name, input string, server bool) {
	kind := `{"type":"tool_use","id":`
	if server {
		kind = `{"type":"server_tool_use","id":`
	}
	b.put(kind)
	b.quote(id)
	b.put(`,"name":`)
	b.quote(name)
	b.put(`,"input":`, input, `}`)
}

func (s *anthropicStream) serverResult(id, name, content string) {
	s.start()
	putServerResult(s.b, id, name, content)
	s.stopBlock(s.started(), true)
}

// putServerResult writes the block that answers a server call; its type is
// made from the tool's name.
func putServerResult(b *builder, id, name, content string) {
	b.put(`{"type":`)
	b.quote(name + "_tool_result")
	b.put(`,"tool_use_id":`)
	b.quote(id)
	b.put(`,"content":`, content, `}`)
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
	s.begin("message_delta")
	s.b.put(`{"type":"message_delta","delta":{"stop_reason":`)
	putReason(s.b, reason)
	s.b.put(`,"stop_sequence":null},"usage":`)
	putUsage(s.b, s.a.usage)
	s.b.put(`}`)
	s.finish()
}

// putReason writes a stop reason; none and null are null.
func putReason(b *builder, reason string) {
	if reason == "null" || reason == "" || reason == stopNone {
		b.put("null")
		return
	}
	b.quote(anthropic{}.stopWord(reason))
}

func (s *anthropicStream) close() { s.event("message_stop", `{"type":"message_stop"}`) }
func (s *anthropicStream) ping()  { s.event("ping", `{"type":"ping"}`) }

func (s *anthropicStream) failure(typ, message string) {
	s.begin("error")
	s.b.put(`{"type":"error","error":{"details":null,"type":`)
	s.b.quote(typ)
	s.b.put(`,"message":`)
	s.b.quote(message)
	s.b.put(`}}`)
	s.finish()
}

// frame writes one event as it is given; its name is its type.
func (s *anthropicStream) frame(data string) {
	s.event(typeIn(data), data)
}

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
