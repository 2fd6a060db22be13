package fake

import (
	"encoding/json"
	"net/http"
	"strings"
)

// chat is OpenAI's Chat Completions, which a hundred servers imitate.
type chat struct{}

func (chat) name() string { return "chat" }

func (chat) endsApart() bool { return true }

func (chat) serves(method, path string) bool {
	return method == http.MethodPost && strings.HasSuffix(path, "/chat/completions")
}

func (chat) header(contentType, requestID string) http.Header {
	return openaiHeader(contentType, requestID)
}

func (chat) words(status int, typ, message string) wireError {
	return openaiWords(status, typ, message)
}

func (chat) envelope(e wireError, _ string) []byte { return openaiEnvelope(e) }

func (chat) answer(b *builder, a answering) renderer {
	if a.stream {
		return &chatStream{framer: newFramer(b, a, "\n"), a: a}
	}
	return &chatMessage{b: b, a: a}
}

// overflow: the API counts the prompt and what is asked for together.
func (chat) overflow(q *request, window int) *Refusal {
	switch {
	case q.tokens > window:
		return openaiInvalid("messages", "context_length_exceeded", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, q.tokens)
	case q.tokens+q.neutral.MaxTokens > window && !endsAtWindow(q.neutral.Model, q.header):
		return openaiTogether("messages", q, window)
	}
	return nil
}

// shape adds what a chunk carries.
func (chat) shape(frame string, s *shape) {
	var c struct {
		Choices []struct {
			Delta struct {
				Content, Refusal string
				Calls            []struct {
					ID       string
					Function struct{ Name, Arguments string }
				} `json:"tool_calls"`
			}
		}
	}
	if json.Unmarshal([]byte(frame), &c) != nil {
		return
	}
	for _, choice := range c.Choices {
		s.text += choice.Delta.Content + choice.Delta.Refusal
		for _, k := range choice.Delta.Calls {
			if n := len(s.calls); n == 0 || k.Function.Name != "" {
				s.calls = append(s.calls, shapeCall{k.ID, k.Function.Name, k.Function.Arguments})
			} else {
				s.calls[n-1].input += k.Function.Arguments
			}
		}
	}
}

// chatStop is the API's word for a neutral stop reason, "" for none. refused:
// the model has refused in the channel for it, which is reason enough.
func chatStop(reason string, refused bool) string {
	switch reason {
	case stopNone, "null":
		return ""
	case stopEnd:
		return "stop"
	case stopTool:
		return "tool_calls"
	case stopMax:
		return "length"
	case stopRefusal:
		if refused {
			return "stop"
		}
		return "content_filter"
	case stopWindow:
		return "model_context_window_exceeded" // Z.ai; OpenAI's own models say length
	}
	return reason
}
