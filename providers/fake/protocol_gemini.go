package fake

import (
	"encoding/json"
	"net/http"

	codec "github.com/harnessbench/bench/providers/gemini"
)

// gemini is Google's generateContent and streamGenerateContent.
type gemini struct{}

func (gemini) name() string { return "gemini" }

func (gemini) endsApart() bool { return false }

func (gemini) serves(method, path string) bool {
	_, ok := codec.ReadPath(path)
	return ok && method == http.MethodPost
}

func (gemini) header(contentType, _ string) http.Header {
	h := http.Header{"Content-Type": {"text/event-stream"}, "Server": {"scaffolding on HTTPServer2"}, "Vary": {"Origin", "X-Origin", "Referer"}}
	if contentType != typeStream {
		h.Set("Content-Type", "application/json; charset=UTF-8")
	}
	return h
}

func (gemini) words(status int, typ, message string) wireError {
	return geminiWords(status, typ, message)
}

func (gemini) envelope(e wireError, _ string) []byte {
	var b builder
	putGeminiError(&b, e, "\n", "  ")
	b.put("\n")
	return b.buf
}

func (gemini) answer(b *builder, a answering) renderer {
	switch {
	case !a.stream:
		return &geminiMessage{b: b, a: a}
	case a.form.array:
		return &geminiStream{framer: newFramer(b, a, "\r\n"), a: a, array: true}
	}
	return &geminiStream{framer: newFramer(b, a, "\r\n"), a: a}
}

// overflow: the API has a limit for the prompt and one for the answer. What of a
// window the prompt leaves over is the limit of the answer here.
func (gemini) overflow(q *request, window int) *Refusal {
	asked, left := q.neutral.MaxTokens, window-q.tokens
	switch {
	case left < 0:
	case asked <= left || endsAtWindow(q.neutral.Model, q.header):
		return nil
	case left > 0:
		return geminiInvalid("Unable to submit request because it has a maxOutputTokens value of %d but the supported range is from 1 (inclusive) to %d (exclusive). Update the value and try again.", asked, left+1)
	}
	return geminiInvalid("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", q.tokens, window)
}

// shape adds what a chunk carries.
func (gemini) shape(frame string, s *shape) {
	var c struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text    string
					Thought bool
					Call    *struct {
						ID, Name string
						Args     json.RawMessage
					} `json:"functionCall"`
				}
			}
		}
	}
	if json.Unmarshal([]byte(frame), &c) != nil {
		return
	}
	for _, one := range c.Candidates {
		for _, p := range one.Content.Parts {
			if !p.Thought {
				s.text += p.Text
			}
			if p.Call != nil {
				s.calls = append(s.calls, shapeCall{p.Call.ID, p.Call.Name, string(p.Call.Args)})
			}
		}
	}
}

// geminiStop is the API's word for a neutral stop reason, "" for none. It has none
// for calls.
func geminiStop(reason string) string {
	switch reason {
	case stopNone, "null":
		return ""
	case stopEnd, stopTool:
		return "STOP"
	case stopMax:
		return "MAX_TOKENS"
	case stopRefusal:
		return "SAFETY"
	}
	return reason
}
