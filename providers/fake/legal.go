package fake

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Level says who refuses a request.
type Level string

const (
	// API: the real Messages API refuses it, as recordings, its documentation
	// or many public reports show.
	API Level = "api"
	// Strict: the real API accepts it today, but our own loop must not send
	// it: it merges what should be one message, begins a conversation with
	// the model's words, or depends on a beta.
	Strict Level = "strict"
)

// Refusal says why a request is refused, in the API's own words.
type Refusal struct {
	Level   Level
	Status  int
	Type    string
	Message string
	// Code and Param are what OpenAI's APIs say beside it.
	Code, Param string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Type, r.Message) }

// invalid is a 400 of the real API.
func invalid(format string, args ...any) *Refusal {
	return &Refusal{Level: API, Status: http.StatusBadRequest, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

// ours is a 400 of ours.
func ours(format string, args ...any) *Refusal {
	r := invalid(format, args...)
	r.Level = Strict
	return r
}

// CheckMessages returns why the Messages API would refuse the body of a
// request, or nil. What the real API refuses comes first; only a request that
// it would accept can be refused with the level Strict.
//
// The real API merges neighbouring messages of one role before it checks how
// they fit together, and counts the merged ones; so does this.
func CheckMessages(body []byte) *Refusal {
	_, r := anthropic{}.parse("", body)
	return r
}

// CheckRequest returns why the API of a protocol, one of Protocols, would refuse
// the body of a request, or nil: CheckMessages for any of them, each in its own
// words. Of the API's own refusals those are checked that a loop can cause; what
// our own loop must not send (Strict) is the same in all.
func CheckRequest(protocol string, body []byte) *Refusal {
	p := protocolNamed(protocol)
	if p == nil {
		return &Refusal{Level: API, Status: http.StatusNotFound, Type: "not_found_error", Message: unknown("protocol", protocol, Protocols())}
	}
	_, r := p.parse("", body)
	return r
}

// parse decodes and checks a request's body.
func (anthropic) parse(_ string, body []byte) (*request, *Refusal) {
	q, r := decodeMessages(body)
	if r != nil {
		return nil, r
	}
	return q.view(body), q.check(body)
}

func (q *msgRequest) check(body []byte) *Refusal {
	for _, check := range []func(*msgRequest) *Refusal{
		checkFields, checkTools, checkBlocks, checkContent, checkPairs, checkServerPairs, checkThinking, checkStrict,
	} {
		if r := check(q); r != nil {
			return r
		}
	}
	if !jsontext.Value(body).IsValid() {
		return ours("The request body is not strict JSON: a key is repeated, or a string is not UTF-8")
	}
	return nil
}

// checkFields: what every request must have.
func checkFields(q *msgRequest) *Refusal {
	if q.Model == nil && q.Version == "" {
		return invalid("model: Field required")
	}
	if q.MaxTokens == nil {
		return invalid("max_tokens: Field required")
	}
	n, err := strconv.Atoi(string(q.MaxTokens))
	if err != nil {
		return invalid("max_tokens: Input should be a valid integer")
	}
	if n < 1 {
		return invalid("max_tokens: Input should be greater than or equal to 1")
	}
	if q.Messages == nil {
		return invalid("messages: Field required")
	}
	if len(q.Messages) == 0 {
		return invalid("messages: at least one message is required")
	}
	for i, m := range q.Messages {
		switch m.Role {
		case "user", "assistant", "system":
		case "":
			return invalid("messages.%d.role: Field required", i)
		default:
			return invalid("messages.%d.role: Input should be 'user' or 'assistant'", i)
		}
	}
	return nil
}

// checkTools: names and schemas of the tools that a client runs.
func checkTools(q *msgRequest) *Refusal {
	seen := map[string]bool{}
	for i, t := range q.Tools {
		if t.Name != "" && seen[t.Name] {
			return invalid("tools: Tool names must be unique.")
		}
		seen[t.Name] = true
		if t.Type != "" && t.Type != "custom" {
			continue // a tool of the provider's own: no schema
		}
		at := fmt.Sprintf("tools.%d.custom", i)
		if !isToken(t.Name) || len(t.Name) > 128 {
			return invalid("%s.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
		}
		if t.InputSchema == nil {
			return invalid("%s.input_schema: Field required", at)
		}
		var schema struct {
			Type *jsontext.Value `json:"type"`
		}
		if json.Unmarshal(t.InputSchema, &schema, lenient) != nil {
			return invalid("%s.input_schema: Input should be a valid dictionary", at)
		}
		if schema.Type == nil {
			return invalid("%s.input_schema.type: Field required", at)
		}
		if string(*schema.Type) != `"object"` {
			return invalid("%s.input_schema.type: Input should be 'object'", at)
		}
	}
	return nil
}

// checkBlocks: each block alone, counted as it was sent.
func checkBlocks(q *msgRequest) *Refusal {
	for i, m := range q.Messages {
		for k := range m.blocks {
			if r := checkBlock(&m.blocks[k], m.Role, i, k); r != nil {
				return r
			}
		}
	}
	return nil
}

func checkBlock(b *msgBlock, role string, i, k int) *Refusal {
	at := fmt.Sprintf("messages.%d.content.%d", i, k)
	switch {
	case b.Type == "":
		return invalid("%s.type: Field required", at)
	case b.Type == "text":
		if b.Text == nil {
			return invalid("%s.text.text: Field required", at)
		}
	case b.Type == "tool_use" || b.Type == "server_tool_use":
		if role != "assistant" {
			return invalid("messages.%d: `%s` blocks can only be in `assistant` messages", i, b.Type)
		}
		return checkCall(b, at+"."+b.Type)
	case b.Type == "tool_result":
		if role != "user" {
			return invalid("messages.%d: `tool_result` blocks can only be in `user` messages", i)
		}
		switch {
		case b.ToolUseID == nil:
			return invalid("%s.tool_result.tool_use_id: Field required", at)
		case !isToken(*b.ToolUseID):
			return invalid("%s.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
		case b.IsError && isEmpty(b.Content):
			return invalid("%s.tool_result: content cannot be empty if `is_error` is true", at)
		}
		return checkParts(b, at+".tool_result")
	case b.Type == "image":
		return checkImage(b, at+".image.source")
	case b.Type == "thinking":
		switch {
		case b.Thinking == nil:
			return invalid("%s.thinking.thinking: Field required", at)
		case b.Signature == nil:
			return invalid("%s.thinking.signature: Field required", at)
		case *b.Signature == "":
			return invalid("%s: Invalid `signature` in `thinking` block", at)
		}
	}
	return nil
}

func checkCall(b *msgBlock, at string) *Refusal {
	switch {
	case b.ID == nil:
		return invalid("%s.id: Field required", at)
	case !isToken(*b.ID):
		return invalid("%s.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
	case b.Name == nil:
		return invalid("%s.name: Field required", at)
	case *b.Name == "":
		return invalid("%s.name: String should have at least 1 character", at)
	case len(*b.Name) > 200:
		return invalid("%s.name: String should have at most 200 characters", at)
	case b.Input == nil:
		return invalid("%s.input: Field required", at)
	case b.Input.Kind() != '{':
		return invalid("%s.input: Input should be a valid dictionary", at)
	}
	return nil
}

// checkContent: nothing is empty, and the model's last words do not end in
// white space.
func checkContent(q *msgRequest) *Refusal {
	merged := merge(q.Messages)
	for i, m := range merged {
		last := i == len(merged)-1
		if len(m.blocks) == 0 && m.Role != "system" {
			switch {
			case m.Role == "user":
				return invalid("messages.%d: user messages must have non-empty content", i)
			case !last:
				return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
			}
		}
		for k := range m.blocks {
			if b := &m.blocks[k]; b.Type == "text" {
				if *b.Text == "" {
					return invalid("messages: text content blocks must be non-empty")
				}
				if strings.TrimSpace(*b.Text) == "" {
					return invalid("messages: text content blocks must contain non-whitespace text")
				}
			}
		}
		if last && m.Role == "assistant" && len(m.blocks) > 0 {
			if b := &m.blocks[len(m.blocks)-1]; b.Type == "text" && strings.TrimSpace((*b.Text)[len(*b.Text)-1:]) == "" {
				return invalid("messages: final assistant content cannot end with trailing whitespace")
			}
		}
	}
	return nil
}

// merge joins neighbouring messages of one role, as the API does before it
// looks at how they fit together.
func merge(all []*msgMessage) []*msgMessage {
	var out []*msgMessage
	for _, m := range all {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			joined := *out[n-1]
			joined.blocks = append(joined.blocks[:len(joined.blocks):len(joined.blocks)], m.blocks...)
			out[n-1] = &joined
			continue
		}
		out = append(out, m)
	}
	return out
}

// isToken reports whether s matches ^[a-zA-Z0-9_-]+$.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			return false
		}
	}
	return s != ""
}

// isEmpty reports whether a result's content holds nothing.
func isEmpty(v jsontext.Value) bool {
	switch strings.Join(strings.Fields(string(v)), "") {
	case "", "null", `""`, "[]":
		return true
	}
	return false
}
