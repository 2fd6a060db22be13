package fake

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

func (responses) name() string { return "responses" }

func (responses) endsApart() bool { return false }

func (responses) serves(method, path string) bool {
	return method == http.MethodPost && strings.HasSuffix(path, "/responses")
}

func (responses) header(contentType, requestID string) http.Header {
	return openaiHeader(contentType, requestID)
}

func (responses) words(status int, typ, message string) wireError {
	return openaiWords(status, typ, message)
}

func (responses) envelope(e wireError, _ string) []byte { return openaiEnvelope(e) }

func (responses) answer(b *builder, a answering) renderer {
	r := response{a: a}
	if a.stream {
		return &responsesStream{framer: newFramer(b, a, "\n"), response: r}
	}
	return &responsesMessage{b: b, response: r}
}

// overflow: newer models say this of a prompt that is too long, in this API; what
// older ones say has no numbers.
func (responses) overflow(q *request, window int) *Refusal {
	switch {
	case q.tokens > window:
		return openaiInvalid("input", "context_length_exceeded", "Input tokens exceed the configured limit of %d tokens. Your messages resulted in %d tokens. Please reduce the length of the messages.", window, q.tokens)
	case q.tokens+q.neutral.MaxTokens > window && !endsAtWindow(q.neutral.Model, q.header):
		return openaiTogether("input", q, window)
	}
	return nil
}

// shape adds what an event carries.
func (responses) shape(frame string, s *shape) {
	var e struct {
		Type, Delta string
		Item        struct {
			Type, Name, Arguments string
			CallID                string `json:"call_id"`
		}
	}
	if json.Unmarshal([]byte(frame), &e) != nil {
		return
	}
	switch n := len(s.calls); {
	case e.Type == "response.output_item.added" && e.Item.Type == "function_call":
		s.calls = append(s.calls, shapeCall{e.Item.CallID, e.Item.Name, e.Item.Arguments})
	case e.Type == "response.output_text.delta", e.Type == "response.refusal.delta":
		s.text += e.Delta
	case e.Type == "response.function_call_arguments.delta" && n > 0:
		s.calls[n-1].input += e.Delta
	}
}
