package fake

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
)

// body makes a request of messages, with the other fields right.
func body(messages string) string {
	return `{"model":"m","max_tokens":10,"messages":[` + messages + `]}`
}

const (
	hi     = `{"role":"user","content":"hi"}`
	asks   = `{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"t1","name":"f","input":{}}]}`
	asks2  = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}},{"type":"tool_use","id":"t2","name":"f","input":{}}]}`
	result = `{"type":"tool_result","tool_use_id":"t1","content":"ok"}`
	second = `{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"ok"}]}`
	says   = `{"role":"assistant","content":"done"}`
	search = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`
	found  = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`
)

func user(blocks ...string) string {
	return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`
}

func assistant(blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `]}`
}

func text(s string) string { return fmt.Sprintf(`{"type":"text","text":%s}`, quoted(s)) }

// TestLegal holds each thing that is refused, with the API's words, and what
// stands next to it and is not.
func TestLegal(t *testing.T) {
	const unanswered = ". Each `tool_use` block must have a corresponding `tool_result` block in the next message."
	const orphan = ". Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
	for _, c := range []struct {
		name string
		body string
		want string // "" legal; "~" before a strict refusal
	}{
		{"plain", body(hi), ""},
		{"conversation", body(hi + "," + says + "," + hi), ""},
		{"ends with the model's words", body(hi + "," + says), ""},
		{"tool loop", body(hi + "," + asks + "," + user(result)), ""},
		{"tool loop, then text", body(hi + "," + asks + "," + user(result, text("go on"))), ""},
		{"results in another order", body(hi + "," + asks2 + "," + user(second, result)), ""},
		{"no result content", body(hi + "," + asks + "," + user(`{"type":"tool_result","tool_use_id":"t1"}`)), ""},
		{"a cloud's body has no model", `{"anthropic_version":"vertex-2023-10-16","max_tokens":1,"messages":[` + hi + `]}`, ""},

		{"not JSON", `{"model":`, "The request body is not valid JSON: unexpected EOF"},
		{"not an object", `[]`, "Input should be a valid dictionary"},
		{"wrong type", `{"model":5}`, "model: Input should be a valid string"},
		{"no model", `{"max_tokens":1,"messages":[` + hi + `]}`, "model: Field required"},
		{"no max_tokens", `{"model":"m","messages":[` + hi + `]}`, "max_tokens: Field required"},
		{"max_tokens null", `{"model":"m","max_tokens":null,"messages":[` + hi + `]}`, "max_tokens: Input should be a valid integer"},
		{"max_tokens 0", `{"model":"m","max_tokens":0,"messages":[` + hi + `]}`, "max_tokens: Input should be greater than or equal to 1"},
		{"no messages", `{"model":"m","max_tokens":1}`, "messages: Field required"},
		{"empty messages", body(""), "messages: at least one message is required"},
		{"no role", body(`{"content":"a"}`), "messages.0.role: Field required"},
		{"unknown role", body(`{"role":"tool","content":"a"}`), "messages.0.role: Input should be 'user' or 'assistant'"},
		{"null message", body("null"), "messages.0: Input should be a valid dictionary"},
		{"no content", body(`{"role":"user"}`), "messages.0.content: Field required"},
		{"content is an object", body(`{"role":"user","content":{}}`), "messages.0.content: Input should be a valid list"},
		{"block is a string", body(user(`"a"`)), "messages.0.content.0: Input should be a valid dictionary"},
		{"block's id is a number", body(hi + "," + assistant(`{"type":"tool_use","id":5}`)), "messages.1.content.0.id: Input should be a valid string"},
		{"no type", body(user(`{"text":"a"}`)), "messages.0.content.0.type: Field required"},
		{"no text", body(user(`{"type":"text"}`)), "messages.0.content.0.text.text: Field required"},

		{"call unanswered at the end", body(hi + "," + asks), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1" + unanswered},
		{"call unanswered", body(hi + "," + asks + "," + hi), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1" + unanswered},
		{"one of two unanswered", body(hi + "," + asks2 + "," + user(result)), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2" + unanswered},
		{"both unanswered", body(hi + "," + asks2 + "," + hi), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1, t2" + unanswered},
		{"text before the result", body(hi + "," + asks + "," + user(text("a"), result)), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1" + unanswered},
		{"text between the results", body(hi + "," + asks2 + "," + user(result, text("a"), second)), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t2" + unanswered},
		{"result without a call", body(hi + "," + says + "," + user(result)), "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1" + orphan},
		{"result first", body(user(result)), "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1" + orphan},
		{"result in a merged message", body(hi + "," + user(result)), "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: t1" + orphan},
		{"result twice", body(hi + "," + asks + "," + user(result, result)), "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1"},
		{"result again later", body(hi + "," + asks + "," + user(result) + "," + says + "," + user(result)), "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t1" + orphan},
		{"id twice in a turn", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","name":"f","input":{}}`, `{"type":"tool_use","id":"t1","name":"f","input":{}}`) + "," + user(result)), "messages.1.content.1: `tool_use` ids must be unique"},
		{"id again later", body(hi + "," + asks + "," + user(result) + "," + asks + "," + user(result)), "~messages.3.content.1: `tool_use` ids must be unique"},
		{"illegal id", body(hi + "," + assistant(`{"type":"tool_use","id":"../x","name":"f","input":{}}`)), "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
		{"empty id", body(hi + "," + assistant(`{"type":"tool_use","id":"","name":"f","input":{}}`)), "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
		{"no id", body(hi + "," + assistant(`{"type":"tool_use","name":"f","input":{}}`)), "messages.1.content.0.tool_use.id: Field required"},
		{"no name", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","input":{}}`)), "messages.1.content.0.tool_use.name: Field required"},
		{"empty name", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","name":"","input":{}}`)), "messages.1.content.0.tool_use.name: String should have at least 1 character"},
		{"long name", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","name":"`+strings.Repeat("x", 201)+`","input":{}}`)), "messages.1.content.0.tool_use.name: String should have at most 200 characters"},
		{"no input", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","name":"f"}`)), "messages.1.content.0.tool_use.input: Field required"},
		{"input is a string", body(hi + "," + assistant(`{"type":"tool_use","id":"t1","name":"f","input":"{}"}`)), "messages.1.content.0.tool_use.input: Input should be a valid dictionary"},
		{"call from the user", body(user(`{"type":"tool_use","id":"t1","name":"f","input":{}}`)), "messages.0: `tool_use` blocks can only be in `assistant` messages"},
		{"result from the model", body(hi + "," + assistant(result)), "messages.1: `tool_result` blocks can only be in `user` messages"},
		{"result has no id", body(hi + "," + asks + "," + user(`{"type":"tool_result"}`)), "messages.2.content.0.tool_result.tool_use_id: Field required"},
		{"result has an illegal id", body(hi + "," + asks + "," + user(`{"type":"tool_result","tool_use_id":"a b"}`)), "messages.2.content.0.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'"},
		{"error without content", body(hi + "," + asks + "," + user(`{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[ ]}`)), "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true"},

		{"empty text", body(user(text("a"), text(""))), "messages: text content blocks must be non-empty"},
		{"blank text", body(user(text(" \n"))), "messages: text content blocks must contain non-whitespace text"},
		{"empty user message", body(`{"role":"user","content":""}`), "messages.0: user messages must have non-empty content"},
		{"empty list", body(user()), "messages.0: user messages must have non-empty content"},
		{"empty assistant message", body(hi + "," + assistant() + "," + hi), "messages.1: all messages must have non-empty content except for the optional final assistant message"},
		{"empty final assistant message", body(hi + "," + assistant()), ""},
		{"final words end in a space", body(hi + "," + assistant(text("a "))), "messages: final assistant content cannot end with trailing whitespace"},
		{"words in the middle may", body(hi + "," + assistant(text("a ")) + "," + hi), ""},

		{"server call answered", body(hi + "," + assistant(search, found, text("a")) + "," + hi), ""},
		{"server call paused", body(hi + "," + assistant(search)), ""},
		{"server call answered in the next message", body(hi + "," + assistant(search) + "," + assistant(found, text("a"))), "~messages: roles must alternate"},
		{"server call open across results", body(hi + "," + assistant(search, `{"type":"tool_use","id":"t1","name":"f","input":{}}`) + "," + user(result)), ""},
		{"server call unanswered", body(hi + "," + assistant(search) + "," + hi), "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block"},
		{"server result without a call", body(hi + "," + assistant(found) + "," + hi), "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it."},

		{"thought", body(hi + "," + assistant(`{"type":"thinking","thinking":"a","signature":"s"}`, text("b")) + "," + hi), ""},
		{"thought last", body(hi + "," + assistant(text("b"), `{"type":"thinking","thinking":"a","signature":"s"}`) + "," + hi), "messages.1: The final block in an assistant message cannot be `thinking`."},
		{"unsigned thought", body(hi + "," + assistant(`{"type":"thinking","thinking":"a"}`, text("b"))), "messages.1.content.0.thinking.signature: Field required"},
		{"thought with an empty signature", body(hi + "," + assistant(`{"type":"thinking","thinking":"a","signature":""}`, text("b"))), "messages.1.content.0: Invalid `signature` in `thinking` block"},
		{"thought without text", body(hi + "," + assistant(`{"type":"thinking","signature":"s"}`, text("b"))), "messages.1.content.0.thinking.thinking: Field required"},
		{"thinking on, loop begins with text", `{"model":"m","max_tokens":10,"thinking":{"type":"enabled","budget_tokens":5},"messages":[` + hi + "," + asks + "," + user(result) + `]}`, "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled,"},
		{"thinking on, loop begins with a thought", `{"model":"m","max_tokens":10,"thinking":{"type":"enabled"},"messages":[` + hi + "," + assistant(`{"type":"thinking","thinking":"a","signature":"s"}`, `{"type":"tool_use","id":"t1","name":"f","input":{}}`) + "," + user(result) + `]}`, ""},
		{"thinking on, turn over", `{"model":"m","max_tokens":10,"thinking":{"type":"enabled"},"messages":[` + hi + "," + says + "," + hi + `]}`, ""},

		{"tools", tools(`{"name":"f","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}`), ""},
		{"two tools of one name", tools(`{"name":"f","input_schema":{"type":"object"}},{"name":"f","input_schema":{"type":"object"}}`), "tools: Tool names must be unique."},
		{"tool name with a dot", tools(`{"name":"a.b","input_schema":{"type":"object"}}`), "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
		{"tool without a schema", tools(`{"name":"f"}`), "tools.0.custom.input_schema: Field required"},
		{"schema is a list", tools(`{"name":"f","input_schema":[]}`), "tools.0.custom.input_schema: Input should be a valid dictionary"},
		{"schema without a type", tools(`{"name":"f","input_schema":{}}`), "tools.0.custom.input_schema.type: Field required"},
		{"schema of an array", tools(`{"name":"f","input_schema":{"type":"array"}}`), "tools.0.custom.input_schema.type: Input should be 'object'"},

		{"two user messages", body(hi + "," + hi), `~messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row`},
		{"results in two messages", body(hi + "," + asks2 + "," + user(result) + "," + user(second)), `~messages: roles must alternate`},
		{"the model first", body(says + "," + hi), `~messages: first message must use the "user" role`},
		{"system message", body(hi + `,{"role":"system","content":"a"}`), `~messages: Unexpected role "system".`},
		{"unknown block", body(user(`{"type":"mystery"}`)), "~messages.0.content.0: Input tag 'mystery' found using 'type' does not match any of the expected tags"},
		{"empty text in a result", body(hi + "," + asks + "," + user(`{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":""}]}`)), "~messages.2.content.0.tool_result: text content blocks must be non-empty"},
		{"repeated key", `{"model":"m","model":"m","max_tokens":10,"messages":[` + hi + `]}`, "~The request body is not strict JSON"},
		{"not UTF-8", body(user(text("a\xff"))), "~The request body is not strict JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := CheckMessages([]byte(c.body))
			got := ""
			if r != nil {
				got = r.Message
				if r.Level == Strict {
					got = "~" + got
				}
				if r.Status != 400 || r.Type != "invalid_request_error" {
					t.Errorf("got %d %s", r.Status, r.Type)
				}
			}
			if got != c.want && !(c.want != "" && strings.HasPrefix(got, c.want)) {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func tools(list string) string {
	return `{"model":"m","max_tokens":10,"tools":[` + list + `],"messages":[` + hi + `]}`
}

// TestTokens redoes the estimate by hand.
func TestTokens(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 400, 300))); err != nil {
		t.Fatal(err)
	}
	small := base64.StdEncoding.EncodeToString(b.Bytes())
	b.Reset()
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3136, 100))); err != nil {
		t.Fatal(err)
	}
	wide := base64.StdEncoding.EncodeToString(b.Bytes())
	for _, c := range []struct {
		name string
		body string
		want int
	}{
		{"text", body(`{"role":"user","content":"12345678"}`), 2},
		{"rounded up once", body(`{"role":"user","content":"1"},` + user(text("2"), text("345"))), 2},
		{"system and tools", `{"system":[{"type":"text","text":"1234"}],"tools":[{"name":"ab","description":"cd","input_schema":{"a":1}}],"messages":[]}`, (4 + 2 + 2 + 7 + 3) / 4},
		{"calls and results", body(hi + "," + asks + "," + user(result)), (2 + 6 + 1 + 2 + 2 + 3) / 4},
		{"image", body(user(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + small + `"}}`)), 400 * 300 / 750},
		{"image that is scaled down", body(user(`{"type":"image","source":{"type":"base64","data":"` + wide + `"}}`)), (1568*50 + 749) / 750},
		{"image in a result", body(user(`{"type":"tool_result","content":[{"type":"image","source":{"type":"base64","data":"` + small + `"}}]}`)), 400 * 300 / 750},
		{"unreadable image", body(user(`{"type":"image","source":{"type":"url","url":"https://x"}}`)), maxImage},
		{"text document", body(user(`{"type":"document","source":{"type":"text","data":"12345678"}}`)), 2},
	} {
		q, r := decodeMessages([]byte(c.body))
		if r != nil {
			t.Fatal(c.name, r)
		}
		if got := q.tokens(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// quoted is s as a JSON string.
func quoted(s string) string { return string(appendQuote(nil, s)) }
