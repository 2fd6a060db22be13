package fake

import (
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
)

// newRequest makes the view of a request that a codec has decoded. Where it could
// not (neutral is nil), what every request has is read all the same, because a
// server that only refuses what its API refuses must answer it.
func newRequest(body []byte, v node, neutral *providers.Request) *request {
	q := &request{body: body}
	if neutral != nil {
		q.neutral = *neutral
	} else {
		q.neutral = providers.Request{Model: v.member("model").str(), Stream: string(v.member("stream")) == "true"}
	}
	q.tokens = tokensOf(&q.neutral)
	return q
}

// checkNeutral: what the APIs beside Anthropic's let pass and our own loop must
// not send, in any of them (see checkStrict). err is why the codec could not read
// the request.
func checkNeutral(q *request, err error) *Refusal {
	if err != nil {
		return ours("The request body is not strict: %s", err)
	}
	used := map[string]bool{}
	var open []string
	messages := q.neutral.Messages
	for i := range messages {
		m := &messages[i]
		switch {
		case m.Role != providers.User && m.Role != providers.Assistant:
			return ours("messages: Unexpected role %q: what the system says comes first, and once", m.Role)
		case i == 0 && m.Role != providers.User:
			return ours(`messages: first message must use the "user" role`)
		case i > 0 && messages[i-1].Role == m.Role:
			return ours(`messages: roles must alternate between "user" and "assistant", but found multiple %q roles in a row`, m.Role)
		case len(m.Blocks) == 0:
			return ours("messages.%d: all messages must have non-empty content", i)
		}
		results := answersOf(m)
		for _, id := range open {
			if !slices.Contains(results, id) {
				return ours("messages.%d: the call %s has no result right behind it", i-1, id)
			}
		}
		open = nil
		for k := range m.Blocks {
			b := &m.Blocks[k]
			at := fmt.Sprintf("messages.%d.content.%d", i, k)
			switch {
			case b.Kind == providers.Text && strings.TrimSpace(b.Text) == "" && b.Raw == "":
				return ours("%s: text content blocks must contain non-whitespace text", at)
			case b.Kind != providers.ToolCall:
				continue
			case b.ID != "" && used[b.ID]:
				return ours("%s: the id %s was used before in this conversation", at, b.ID)
			case jsontext.Value(b.Input).Kind() != '{' || !jsontext.Value(b.Input).IsValid():
				return ours("%s: the input %s of call %s is not a JSON object; many servers refuse it", at, clip(b.Input), b.ID)
			}
			used[b.ID] = true
			open = append(open, b.ID)
		}
	}
	names := map[string]bool{}
	for _, t := range q.neutral.Tools {
		if names[t.Name] {
			return ours("tools: Tool names must be unique.")
		}
		names[t.Name] = true
	}
	return nil
}

// answersOf returns the ids of a message's results.
func answersOf(m *providers.Message) []string {
	var ids []string
	for i := range m.Blocks {
		if m.Blocks[i].Kind == providers.ToolResult {
			ids = append(ids, m.Blocks[i].ID)
		}
	}
	return ids
}

func isImageType(typ string) bool { return slices.Contains(imageTypes(), typ) }

func isBase64(data string) bool {
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	return err == nil
}
