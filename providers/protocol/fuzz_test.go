package protocol

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// answers are whole answers, one for each protocol.
var answers = []string{
	`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":1}}`,
	`{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
	`{"id":"r1","object":"response","status":"completed","model":"m","output":[{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"function_call","id":"f1","call_id":"t1","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":5,"output_tokens":1}}`,
	`{"candidates":[{"content":{"role":"model","parts":[{"text":"a"},{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":1},"modelVersion":"m"}`,
}

// FuzzMessage: whatever a server answers to a request that asks for no stream,
// every codec reads it or refuses it with a sentence; and what it means as a
// failure has a class, whatever the status.
func FuzzMessage(f *testing.F) {
	for i, a := range answers {
		f.Add([]byte(a), 200+i)
		f.Add([]byte(`{"error":{"message":"prompt is too long: 3 tokens > 2 maximum","type":"invalid_request_error","code":400,"status":"INVALID_ARGUMENT"}}`), 400+i)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		for _, p := range all {
			events, err := p.DecodeMessage(body)
			switch {
			case err == nil && len(events) == 0:
				t.Fatalf("%s: an answer without events is no answer, and no error", p.Name)
			case err != nil && (err.Error() == "" || strings.Contains(err.Error(), "\n")):
				t.Fatalf("%s: no sentence: %q", p.Name, err)
			}
			if e := p.Classify(status, http.Header{"Retry-After": {"1"}}, body); e == nil || e.Class == "" {
				t.Fatalf("%s: status %d has no class", p.Name, status)
			}
		}
	})
}

// FuzzStream: no bytes panic; the end of a stream is io.EOF or an error of the
// provider; behind it comes nothing else; and what is told of bytes does not
// depend on how they arrive.
func FuzzStream(f *testing.F) {
	for _, a := range answers {
		f.Add([]byte("data: "+a+"\n\ndata: [DONE]\n\n"), 20)
	}
	f.Add([]byte("event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\r\n\r\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"), 3)
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		n := max(cut, -cut, 0) % (len(src) + 1)
		for _, p := range all {
			whole, end := drain(t, p, bytes.NewReader(src))
			parts, partsEnd := drain(t, p, io.MultiReader(bytes.NewReader(src[:n]), bytes.NewReader(src[n:])))
			if !reflect.DeepEqual(whole, parts) || end != partsEnd {
				t.Fatalf("%s, cut at %d:\n%v %s\n%v %s", p.Name, n, whole, end, parts, partsEnd)
			}
		}
	})
}

// drain reads a stream to its end, and says how it ended.
func drain(t *testing.T, p *Protocol, r io.Reader) (events []providers.Event, end string) {
	s := p.Decoder(r)
	for {
		e, err := s.Next()
		if err == nil {
			events = append(events, e)
			continue
		}
		var of *providers.Error
		if err != io.EOF && !errors.As(err, &of) {
			t.Fatalf("%s: %T %v is no error of a provider", p.Name, err, err)
		}
		if e, again := s.Next(); again == nil {
			t.Fatalf("%s: behind %v comes %v", p.Name, err, e)
		}
		return events, err.Error()
	}
}

// FuzzRequest: no body panics; and what a server reads goes out, and comes in
// again, as the same.
func FuzzRequest(f *testing.F) {
	for _, p := range all {
		f.Add(p.EncodeRequest(nil, &providers.Request{
			Model: "m", MaxTokens: 9, System: "s", Stream: true,
			Tools: []providers.Tool{{Name: "f", Description: "d", Schema: `{"type":"object"}`}},
			Messages: []providers.Message{
				{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "x"}}},
				{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.Text, Text: "a"}, {Kind: providers.ToolCall, ID: "t1", Name: "f", Input: `{"a":1}`}}},
				{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: "t1", Text: "ok"}}},
			},
		}))
	}
	paths := map[string]string{Anthropic: "/v1/messages", Chat: "/v1/chat/completions", Responses: "/v1/responses", Gemini: "/v1beta/models/m:streamGenerateContent"}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range all {
			req, err := p.DecodeRequest(paths[p.Name], body)
			// A tool without a schema is one of the server's own, and one without a name nobody's.
			if err != nil || slices.ContainsFunc(req.Tools, func(t providers.Tool) bool { return t.Schema == "" || t.Name == "" }) {
				continue
			}
			once := p.EncodeRequest(nil, req)
			again, err := p.DecodeRequest(paths[p.Name], once)
			if err != nil {
				t.Fatalf("%s: what was sent cannot be read: %v: %s", p.Name, err, once)
			}
			if twice := p.EncodeRequest(nil, again); !bytes.Equal(once, twice) {
				t.Fatalf("%s:\n once %s\ntwice %s", p.Name, once, twice)
			}
		}
	})
}
