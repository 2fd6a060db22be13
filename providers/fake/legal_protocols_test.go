package fake

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	anthropiccodec "github.com/harnessbench/bench/providers/anthropic"
	geminicodec "github.com/harnessbench/bench/providers/gemini"
	"github.com/harnessbench/bench/providers/openai"
)

// legalCase is a body and what is said of it: "" if it is legal; ~ in front marks
// the level Strict. The sentence may be the beginning of the whole one.
type legalCase struct{ name, body, want string }

func checkLegal(t *testing.T, protocol, typ string, cases []legalCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(protocol+"/"+c.name, func(t *testing.T) {
			r := CheckRequest(protocol, []byte(c.body))
			got := ""
			if r != nil {
				if got = r.Message; r.Level == Strict {
					got = "~" + got
				}
				if r.Status != 400 || r.Type != typ {
					t.Errorf("got %d %s", r.Status, r.Type)
				}
			}
			if got != c.want && !(c.want != "" && strings.HasPrefix(got, c.want)) {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func chatBody(messages string) string {
	return `{"model":"m","max_completion_tokens":10,"messages":[` + messages + `]}`
}

const (
	chatHi     = `{"role":"user","content":"hi"}`
	chatAsks   = `{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	chatAsks2  = `{"role":"assistant","content":"a","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"t2","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	chatResult = `{"role":"tool","tool_call_id":"t1","content":"ok"}`
	chatSecond = `{"role":"tool","tool_call_id":"t2","content":"ok"}`
	chatSays   = `{"role":"assistant","content":"hello"}`
	dot        = "iVBORw0KGgo="
)

// chatCall is an assistant message with one call, of which a part is replaced.
func chatCall(old, new string) string { return chatHi + "," + strings.Replace(chatAsks, old, new, 1) }

func chatTools(list string) string {
	return `{"model":"m","tools":[` + list + `],"messages":[` + chatHi + `]}`
}

func TestLegalChat(t *testing.T) {
	const silent = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
	long := strings.Repeat("x", 65)
	checkLegal(t, "chat", "invalid_request_error", []legalCase{
		{"plain", chatBody(chatHi), ""},
		{"system first", chatBody(`{"role":"system","content":"a"},` + chatHi), ""},
		{"developer first", chatBody(`{"role":"developer","content":[{"type":"text","text":"a"}]},` + chatHi), ""},
		{"turns", chatBody(chatHi + "," + chatSays + "," + chatHi), ""},
		{"call and result", chatBody(chatHi + "," + chatAsks + "," + chatResult), ""},
		{"two calls", chatBody(chatHi + "," + chatAsks2 + "," + chatSecond + "," + chatResult + "," + chatHi), ""},
		{"image", chatBody(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + dot + `"}}]}`), ""},
		{"image elsewhere", chatBody(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}`), ""},
		{"tools", chatTools(`{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g"}},{"type":"custom","custom":{"name":"h"}}`), ""},

		{"not JSON", `{"model"`, "We could not parse the JSON body of your request."},
		{"not an object", `[]`, "Invalid type for request body: expected an object, but got an array instead."},
		{"no model", `{"messages":[` + chatHi + `]}`, "you must provide a model parameter"},
		{"model is a number", `{"model":5,"messages":[` + chatHi + `]}`, "Invalid type for 'model': expected a string, but got an integer instead."},
		{"no messages", `{"model":"m"}`, "Missing required parameter: 'messages'."},
		{"messages is a string", `{"model":"m","messages":"a"}`, "Invalid type for 'messages': expected an array of objects, but got a string instead."},
		{"empty messages", chatBody(""), "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."},
		{"limit 0", `{"model":"m","max_tokens":0,"messages":[` + chatHi + `]}`, "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead."},
		{"limit 1", `{"model":"m","max_tokens":1,"messages":[` + chatHi + `]}`, ""},
		{"limit is half", `{"model":"m","max_completion_tokens":1.5,"messages":[` + chatHi + `]}`, "Invalid type for 'max_completion_tokens': expected an integer, but got a decimal instead."},
		{"both limits", `{"model":"m","max_tokens":1,"max_completion_tokens":1,"messages":[` + chatHi + `]}`, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."},

		{"message is a string", chatBody(`"a"`), "Invalid type for 'messages[0]': expected an object, but got a string instead."},
		{"no role", chatBody(`{"content":"a"}`), "Missing required parameter: 'messages[0].role'."},
		{"unknown role", chatBody(`{"role":"bot","content":"a"}`), "Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."},
		{"no content", chatBody(`{"role":"user"}`), "Invalid value for 'content': expected a string, got null."},
		{"the model says null", chatBody(chatHi + `,{"role":"assistant","content":null}`), "Invalid value for 'content': expected a string, got null."},
		{"content is true", chatBody(`{"role":"user","content":true}`), "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got a boolean instead."},
		{"no parts", chatBody(`{"role":"user","content":[]}`), "Invalid 'messages[0].content': empty array."},
		{"part is null", chatBody(`{"role":"user","content":[null]}`), "Invalid type for 'messages[0].content[0]': expected an object, but got null instead."},
		{"part without a type", chatBody(`{"role":"user","content":[{"text":"a"}]}`), "Missing required parameter: 'messages[0].content[0].type'."},
		{"part without its text", chatBody(`{"role":"user","content":[{"type":"text"}]}`), "Missing required parameter: 'messages[0].content[0].text'."},
		{"text is a number", chatBody(`{"role":"user","content":[{"type":"text","text":5}]}`), "Invalid type for 'messages[0].content[0].text': expected a string, but got an integer instead."},
		{"unknown part", chatBody(`{"role":"user","content":[{"type":"mystery"}]}`), "Invalid value: 'mystery'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."},
		{"the model sends an image", chatBody(chatHi + `,{"role":"assistant","content":[{"type":"mystery"}]}`), "Invalid value: 'mystery'. Supported values are: 'text', and 'refusal'."},
		{"image in a result", chatBody(chatHi + "," + chatAsks + `,{"role":"tool","tool_call_id":"t1","content":[{"type":"image_url","image_url":{"url":"https://x"}}]}`), "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL."},
		{"image without a URL", chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{}}]}`), "Missing required parameter: 'messages[0].content[0].image_url.url'."},
		{"image of another kind", chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/bmp;base64,` + dot + `"}}]}`), "You uploaded an unsupported image."},
		{"empty image", chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]}`), "The image data you provided does not represent a valid image."},
		{"image that is no base64", chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,%%"}}]}`), "The image data you provided does not represent a valid image."},
		{"data URL that is none", chatBody(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png,xx"}}]}`), "Invalid 'messages[0].content[0].image_url.url'. Expected a base64-encoded data URL"},

		{"calls of the user", chatBody(`{"role":"user","content":"a","tool_calls":[]}`), "Invalid parameter: 'tool_calls' is only allowed in messages with role 'assistant'."},
		{"calls are an object", chatBody(chatHi + `,{"role":"assistant","content":"a","tool_calls":{}}`), "Invalid type for 'messages[1].tool_calls': expected an array of objects, but got an object instead."},
		{"no calls", chatBody(chatHi + `,{"role":"assistant","content":"a","tool_calls":[]}`), "Invalid 'messages[1].tool_calls': empty array."},
		{"call is a string", chatBody(chatHi + `,{"role":"assistant","content":"a","tool_calls":["a"]}`), "Invalid type for 'messages[1].tool_calls[0]': expected an object, but got a string instead."},
		{"no id", chatBody(chatCall(`"id":"t1",`, "")), "Missing required parameter: 'messages[1].tool_calls[0].id'."},
		{"empty id", chatBody(chatCall(`"id":"t1"`, `"id":""`)), "Invalid 'messages[1].tool_calls[0].id': empty string. Expected a string with minimum length 1, but got an empty string instead."},
		{"id is a number", chatBody(chatCall(`"id":"t1"`, `"id":1`)), "Invalid type for 'messages[1].tool_calls[0].id': expected a string, but got an integer instead."},
		{"long id", chatBody(chatCall(`"id":"t1"`, `"id":"`+long[:41]+`"`)), "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead."},
		{"no type", chatBody(chatCall(`"type":"function",`, "")), "Missing required parameter: 'messages[1].tool_calls[0].type'."},
		{"unknown type", chatBody(chatCall(`"type":"function"`, `"type":"x"`)), "Invalid value: 'x'. Supported values are: 'function', and 'custom'."},
		{"no function", chatBody(chatHi + `,{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function"}]}`), "Missing required parameter: 'messages[1].tool_calls[0].function'."},
		{"no name", chatBody(chatCall(`"name":"f",`, "")), "Missing required parameter: 'messages[1].tool_calls[0].function.name'."},
		{"name with a space", chatBody(chatCall(`"name":"f"`, `"name":"a b"`)), "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
		{"long name", chatBody(chatCall(`"name":"f"`, `"name":"`+long+`"`)), "Invalid 'messages[1].tool_calls[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 65 instead."},
		{"no arguments", chatBody(chatCall(`,"arguments":"{}"`, "")), "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'."},
		{"arguments are an object", chatBody(chatCall(`"arguments":"{}"`, `"arguments":{}`)), "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead."},

		{"call unanswered at the end", chatBody(chatHi + "," + chatAsks), silent + "t1"},
		{"call unanswered", chatBody(chatHi + "," + chatAsks + "," + chatHi), silent + "t1"},
		{"one of two unanswered", chatBody(chatHi + "," + chatAsks2 + "," + chatResult + "," + chatHi), silent + "t2"},
		{"words between the results", chatBody(chatHi + "," + chatAsks2 + "," + chatResult + "," + chatHi + "," + chatSecond), silent + "t2"},
		{"result without a call", chatBody(chatHi + "," + chatResult), "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."},
		{"result behind an answer", chatBody(chatHi + "," + chatAsks + "," + chatResult + "," + chatSays + "," + chatResult), "Invalid parameter: messages with role 'tool' must be a response to a preceeding"},
		{"result of another call", chatBody(chatHi + "," + chatAsks + "," + chatSecond), "Invalid parameter: 'tool_call_id' of 't2' not found in 'tool_calls' of previous message."},
		{"result without an id", chatBody(chatHi + "," + chatAsks + `,{"role":"tool","content":"ok"}`), "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."},
		{"result twice", chatBody(chatHi + "," + chatAsks + "," + chatResult + "," + chatResult), "Invalid parameter: Duplicate value for 'tool_call_id' of 't1', in messages[2] and messages[3]."},
		{"id twice in a message", chatBody(chatHi + "," + strings.ReplaceAll(chatAsks2, "t2", "t1") + "," + chatResult), "Invalid parameter: Duplicate value for 'id' of 't1', in messages[1].tool_calls[0] and messages[1].tool_calls[1]."},

		{"tools is an object", `{"model":"m","tools":{},"messages":[` + chatHi + `]}`, "Invalid type for 'tools': expected an array of objects, but got an object instead."},
		{"empty tools", chatTools(""), "Invalid 'tools': empty array."},
		{"tool is null", chatTools("null"), "Invalid type for 'tools[0]': expected an object, but got null instead."},
		{"tool without a type", chatTools(`{"function":{"name":"f"}}`), "Missing required parameter: 'tools[0].type'."},
		{"unknown tool", chatTools(`{"type":"x"}`), "Invalid value: 'x'. Supported values are: 'function', and 'custom'."},
		{"tool without its function", chatTools(`{"type":"function"}`), "Missing required parameter: 'tools[0].function'."},
		{"tool without a name", chatTools(`{"type":"function","function":{}}`), "Missing required parameter: 'tools[0].function.name'."},
		{"tool name with a dot", chatTools(`{"type":"function","function":{"name":"a.b"}}`), "Invalid 'tools[0].function.name': string does not match pattern."},
		{"schema is a list", chatTools(`{"type":"function","function":{"name":"f","parameters":[]}}`), "Invalid type for 'tools[0].function.parameters': expected an object, but got an array instead."},
		{"schema of an array", chatTools(`{"type":"function","function":{"name":"f","parameters":{"type":"array"}}}`), `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`},
		{"schema without a type", chatTools(`{"type":"function","function":{"name":"f","parameters":{"properties":{}}}}`), `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`},

		{"two tools of one name", chatTools(`{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"f"}}`), "~tools: Tool names must be unique."},
		{"arguments that are cut", chatBody(chatCall(`"arguments":"{}"`, `"arguments":"{\"a"`) + "," + chatResult), "~messages.1.content.0: the input {\"a of call t1 is not a JSON object"},
		{"two user messages", chatBody(chatHi + "," + chatHi), `~messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row`},
		{"the model first", chatBody(chatSays + "," + chatHi), `~messages: first message must use the "user" role`},
		{"system in the middle", chatBody(chatHi + `,{"role":"system","content":"a"}`), `~messages: Unexpected role "system"`},
		{"blank text", chatBody(`{"role":"user","content":" "}`), "~messages.0.content.0: text content blocks must contain non-whitespace text"},
		{"an empty answer", chatBody(chatHi + `,{"role":"assistant","content":""},` + chatHi), "~messages.1: all messages must have non-empty content"},
		{"id again later", chatBody(chatHi + "," + chatAsks + "," + chatResult + "," + chatAsks + "," + chatResult), "~messages.3.content.0: the id t1 was used before in this conversation"},
		{"repeated key", `{"model":"m","model":"m","messages":[` + chatHi + `]}`, "~The request body is not strict: "},
	})
}

func responsesBody(items string) string {
	return `{"model":"m","max_output_tokens":16,"input":[` + items + `]}`
}

const (
	itemHi     = `{"role":"user","content":[{"type":"input_text","text":"hi"}]}`
	itemCall   = `{"type":"function_call","call_id":"t1","name":"f","arguments":"{}"}`
	itemResult = `{"type":"function_call_output","call_id":"t1","output":"ok"}`
	itemSays   = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}`
	itemThink  = `{"type":"reasoning","id":"rs_1","summary":[]}`
)

func itemWith(item, old, new string) string { return strings.Replace(item, old, new, 1) }

func responsesTools(list string) string {
	return `{"model":"m","input":"hi","tools":[` + list + `]}`
}

func TestLegalResponses(t *testing.T) {
	long := strings.Repeat("x", 129)
	checkLegal(t, "responses", "invalid_request_error", []legalCase{
		{"a string", `{"model":"m","input":"hi"}`, ""},
		{"items", responsesBody(itemHi + "," + itemSays + "," + itemHi), ""},
		{"call and result", responsesBody(itemHi + "," + itemThink + "," + itemCall + "," + itemResult), ""},
		{"results behind all calls", responsesBody(itemHi + "," + itemCall + "," + strings.ReplaceAll(itemCall, "t1", "t2") + "," + strings.ReplaceAll(itemResult, "t1", "t2") + "," + itemResult), ""},
		{"result that the API has stored", `{"model":"m","previous_response_id":"resp_1","input":[` + itemResult + `]}`, ""},
		{"images in a result", responsesBody(itemHi + "," + itemCall + `,{"type":"function_call_output","call_id":"t1","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,` + dot + `"}]}`), ""},
		{"tools", responsesTools(`{"type":"function","name":"f","parameters":{"type":"object"},"strict":false},{"type":"web_search"}`), ""},

		{"not JSON", `{`, "We could not parse the JSON body of your request."},
		{"no model", `{"input":"hi"}`, "Missing required parameter: 'model'."},
		{"model is null", `{"model":null,"input":"hi"}`, "Missing required parameter: 'model'."},
		{"model is a list", `{"model":[],"input":"hi"}`, "Invalid type for 'model': expected a string, but got an array instead."},
		{"no input", `{"model":"m"}`, `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`},
		{"empty input", `{"model":"m","input":[]}`, `One of "input" or "previous_response_id"`},
		{"input is an object", `{"model":"m","input":{}}`, "Invalid type for 'input': expected one of a string or array of input items, but got an object instead."},
		{"limit 15", `{"model":"m","input":"hi","max_output_tokens":15}`, "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead."},
		{"item is null", responsesBody("null"), "Invalid type for 'input[0]': expected an object, but got null instead."},
		{"no type", responsesBody(`{"content":"a"}`), "Missing required parameter: 'input[0].type'."},
		{"no role", responsesBody(`{"type":"message","content":"a"}`), "Missing required parameter: 'input[0].role'."},
		{"unknown role", responsesBody(`{"role":"tool","content":"a"}`), "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'."},
		{"no content", responsesBody(`{"role":"user"}`), "Missing required parameter: 'input[0].content'."},
		{"content is a number", responsesBody(`{"role":"user","content":5}`), "Invalid type for 'input[0].content': expected one of an array of objects or string, but got an integer instead."},
		{"part is a string", responsesBody(`{"role":"user","content":["a"]}`), "Invalid type for 'input[0].content[0]': expected an object, but got a string instead."},
		{"part without a type", responsesBody(`{"role":"user","content":[{"text":"a"}]}`), "Missing required parameter: 'input[0].content[0].type'."},
		{"the model's part of the user", responsesBody(`{"role":"user","content":[{"type":"output_text","text":"a"}]}`), "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'."},
		{"the user's part of the model", responsesBody(itemHi + `,{"role":"assistant","content":[{"type":"input_text","text":"a"}]}`), "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."},
		{"part without its text", responsesBody(`{"role":"user","content":[{"type":"input_text"}]}`), "Missing required parameter: 'input[0].content[0].text'."},
		{"text is null", responsesBody(`{"role":"user","content":[{"type":"input_text","text":[]}]}`), "Invalid type for 'input[0].content[0].text': expected a string, but got an array instead."},
		{"image of another kind", responsesBody(`{"role":"user","content":[{"type":"input_image","image_url":"data:image/tiff;base64,` + dot + `"}]}`), "You uploaded an unsupported image."},
		{"no call id", responsesBody(itemHi + "," + itemWith(itemCall, `"call_id":"t1",`, "") + "," + itemResult), "Missing required parameter: 'input[1].call_id'."},
		{"empty call id", responsesBody(itemHi + "," + itemWith(itemCall, "t1", "")), "Invalid 'input[1].call_id': empty string."},
		{"long call id", responsesBody(itemHi + "," + itemWith(itemCall, "t1", long[:65])), "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead."},
		{"long call id of a result", responsesBody(itemHi + "," + itemWith(itemResult, "t1", long[:65])), "Invalid 'input[1].call_id': string too long."},
		{"an id of another kind", responsesBody(itemHi + "," + itemWith(itemCall, `"call_id"`, `"id":"call_1","call_id"`)), "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'."},
		{"name with a space", responsesBody(itemHi + "," + itemWith(itemCall, `"f"`, `"a b"`)), "Invalid 'input[1].name': string does not match pattern."},
		{"long name", responsesBody(itemHi + "," + itemWith(itemCall, `"f"`, `"`+long+`"`)), "Invalid 'input[1].name': string too long. Expected a string with maximum length 128, but got a string with length 129 instead."},
		{"no arguments", responsesBody(itemHi + "," + itemWith(itemCall, `,"arguments":"{}"`, "")), "Missing required parameter: 'input[1].arguments'."},
		{"arguments are an object", responsesBody(itemHi + "," + itemWith(itemCall, `"{}"`, "{}")), "Invalid type for 'input[1].arguments': expected a string, but got an object instead."},
		{"no output", responsesBody(itemHi + "," + itemCall + "," + itemWith(itemResult, `,"output":"ok"`, "")), "Missing required parameter: 'input[2].output'."},
		{"output is true", responsesBody(itemHi + "," + itemCall + "," + itemWith(itemResult, `"ok"`, "true")), "Invalid type for 'input[2].output': expected one of an array of objects or string, but got a boolean instead."},
		{"reasoning without a summary", responsesBody(itemHi + `,{"type":"reasoning"}`), "Missing required parameter: 'input[1].summary'."},

		{"call unanswered", responsesBody(itemHi + "," + itemCall), "No tool output found for function call t1."},
		{"result without a call", responsesBody(itemHi + "," + itemResult), "No tool call found for function call output with call_id t1."},
		{"result before its call", responsesBody(itemHi + "," + itemResult + "," + itemCall), "No tool call found for function call output with call_id t1."},
		{"result twice", responsesBody(itemHi + "," + itemCall + "," + itemResult + "," + itemResult), "Duplicate function_call_output for call_id t1"},
		{"call twice", responsesBody(itemHi + "," + itemCall + "," + itemCall + "," + itemResult), "Duplicate 'call_id': t1"},
		{"item twice", responsesBody(itemHi + "," + itemThink + "," + itemCall + "," + itemResult + "," + itemThink + "," + itemSays), "Duplicate item found with id rs_1. Remove duplicate items from your input and try again."},
		{"reasoning with nothing behind it", responsesBody(itemHi + "," + itemThink), "Item 'rs_1' of type 'reasoning' was provided without its required following item."},
		{"reasoning before the user", responsesBody(itemHi + "," + itemThink + "," + itemHi), "Item 'rs_1' of type 'reasoning' was provided without its required following item."},

		{"tools is a string", `{"model":"m","input":"hi","tools":"f"}`, "Invalid type for 'tools': expected an array of objects, but got a string instead."},
		{"tool is null", responsesTools("null"), "Invalid type for 'tools[0]': expected an object, but got null instead."},
		{"tool without a type", responsesTools(`{"name":"f"}`), "Missing required parameter: 'tools[0].type'."},
		{"tool without a name", responsesTools(`{"type":"function","function":{"name":"f"}}`), "Missing required parameter: 'tools[0].name'."},
		{"schema of a string", responsesTools(`{"type":"function","name":"f","parameters":{"type":"string"}}`), `Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`},

		{"words between call and result", responsesBody(itemHi + "," + itemCall + "," + itemHi + "," + itemResult), "~messages.1: the call t1 has no result right behind it"},
		{"two user messages", responsesBody(itemHi + "," + itemHi), `~messages: roles must alternate`},
		{"arguments that are no object", responsesBody(itemHi + "," + itemWith(itemCall, `"{}"`, `"[1]"`) + "," + itemResult), "~messages.1.content.0: the input [1] of call t1 is not a JSON object"},
		{"two tools of one name", responsesTools(`{"type":"function","name":"f"},{"type":"function","name":"f"}`), "~tools: Tool names must be unique."},
	})
}

func geminiBody(contents string) string {
	return `{"generationConfig":{"maxOutputTokens":1},"contents":[` + contents + `]}`
}

const (
	partsHi     = `{"role":"user","parts":[{"text":"hi"}]}`
	partsSays   = `{"role":"model","parts":[{"text":"hello"}]}`
	partsCall   = `{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}`
	partsCalls  = `{"role":"model","parts":[{"text":"a"},{"functionCall":{"id":"1","name":"f","args":{}}},{"function_call":{"id":"2","name":"g","args":{}}}]}`
	partsAnswer = `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]}`
	partsBoth   = `{"role":"user","parts":[{"functionResponse":{"id":"2","name":"g","response":{"output":"ok"}}},{"functionResponse":{"id":"1","name":"f","response":{"error":"no"}}},{"text":"go on"}]}`
)

func geminiTools(list string) string {
	return `{"contents":[` + partsHi + `],"tools":[{"functionDeclarations":[` + list + `]}]}`
}

func TestLegalGemini(t *testing.T) {
	const (
		asMany    = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
		afterCall = "Please ensure that function response turn comes immediately after a function call turn."
		afterUser = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
		badName   = "* GenerateContentRequest.tools[0].function_declarations[0].name: [FIELD_INVALID] Invalid function name."
	)
	checkLegal(t, "gemini", "INVALID_ARGUMENT", []legalCase{
		{"plain", geminiBody(partsHi), ""},
		{"one content, one part", `{"contents":{"parts":{"text":"hi"}}}`, ""},
		{"turns", geminiBody(partsHi + "," + partsSays + "," + partsHi), ""},
		{"call and result", geminiBody(partsHi + "," + partsCall + "," + partsAnswer), ""},
		{"calls behind results", geminiBody(partsHi + "," + partsCall + "," + partsAnswer + "," + partsCalls + "," + partsBoth), ""},
		{"image", geminiBody(`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + dot + `"}},{"fileData":{"fileUri":"x"}}]}`), ""},
		{"tools", geminiTools(`{"name":"f","parametersJsonSchema":{"type":"object"}},{"name":"a.b:c-d","parameters":{"type":"OBJECT"}}`), ""},
		{"snake case", `{"contents":[` + partsHi + `],"tools":[{"function_declarations":[{"name":"f"},{"name":"f"}]}]}`, "Duplicate function declaration found: f"},

		{"not JSON", `{`, "Invalid JSON payload received."},
		{"not an object", `[]`, "Invalid JSON payload received. Unknown name"},
		{"no contents", `{}`, "* GenerateContentRequest.contents: contents is not specified"},
		{"unknown role", geminiBody(`{"role":"assistant","parts":[{"text":"a"}]}`), "Please use a valid role: user, model."},
		{"no parts", geminiBody(`{"role":"user","parts":[]}`), "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty."},
		{"empty part", geminiBody(`{"role":"user","parts":[{}]}`), "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field"},
		{"limit 0", `{"generationConfig":{"maxOutputTokens":0},"contents":[` + partsHi + `]}`, "* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive."},
		{"limit is a word", `{"generationConfig":{"maxOutputTokens":true},"contents":[` + partsHi + `]}`, "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), true"},
		{"call without a name", geminiBody(partsHi + `,{"role":"model","parts":[{"functionCall":{"args":{}}}]}`), "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty."},
		{"args are a list", geminiBody(partsHi + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":[]}}]}`), "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), []"},
		{"result without a name", geminiBody(partsHi + "," + partsCall + `,{"role":"user","parts":[{"functionResponse":{"response":{}}}]}`), "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."},
		{"response is a string", geminiBody(partsHi + "," + partsCall + `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":"ok"}}]}`), "Invalid value at 'contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), \"ok\""},
		{"image of another kind", geminiBody(`{"role":"user","parts":[{"inline_data":{"mime_type":"image/bmp","data":"` + dot + `"}}]}`), "Unsupported MIME type: image/bmp"},
		{"image that is no base64", geminiBody(`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"%"}}]}`), "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for %"},
		{"image in a result", geminiBody(partsHi + "," + partsCall + `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/x","data":""}}]}}]}`), "Unsupported MIME type: image/x"},

		{"call unanswered at the end", geminiBody(partsHi + "," + partsCall), asMany},
		{"call unanswered", geminiBody(partsHi + "," + partsCall + "," + partsHi), asMany},
		{"one of two unanswered", geminiBody(partsHi + "," + partsCalls + "," + partsAnswer), asMany},
		{"two results for one call", geminiBody(partsHi + "," + partsCall + "," + partsBoth), asMany},
		{"result without a call", geminiBody(partsHi + "," + partsSays + "," + partsAnswer), afterCall},
		{"the model calls first", geminiBody(partsCall + "," + partsAnswer), afterUser},
		{"the model calls behind itself", geminiBody(partsHi + "," + partsSays + "," + partsCall + "," + partsAnswer), afterUser},
		{"the user calls", geminiBody(`{"role":"user","parts":[{"functionCall":{"name":"f"}}]}`), afterUser},

		{"tool without a name", geminiTools(`{}`), badName},
		{"name begins with a digit", geminiTools(`{"name":"1f"}`), badName},
		{"long name", geminiTools(`{"name":"` + strings.Repeat("x", 65) + `"}`), badName},
		{"two tools of one name", geminiTools(`{"name":"f"},{"name":"f"}`), "Duplicate function declaration found: f"},
		{"two schemas", geminiTools(`{"name":"f","parameters":{"type":"object"},"parametersJsonSchema":{"type":"object"}}`), "* GenerateContentRequest.tools[0].function_declarations[0]: only one of"},
		{"schema of an array", geminiTools(`{"name":"f","parameters":{"type":"ARRAY"}}`), "* GenerateContentRequest.tools[0].function_declarations[0].parameters: parameters schema should be of type OBJECT"},

		{"two user messages", geminiBody(partsHi + "," + partsHi), "~messages: roles must alternate"},
		{"blank text", geminiBody(`{"role":"user","parts":[{"text":" "}]}`), "~messages.0.content.0: text content blocks must contain non-whitespace text"},
		{"repeated key", `{"contents":[],"contents":[` + partsHi + `]}`, "~The request body is not strict: "},
	})
}

// bodiesOf encodes a request with each protocol's codec.
func bodiesOf(req *providers.Request) map[string][]byte {
	return map[string][]byte{
		"anthropic": anthropiccodec.EncodeRequest(nil, req), "chat": openai.Chat.EncodeRequest(nil, req),
		"responses": openai.Responses.EncodeRequest(nil, req), "gemini": geminicodec.EncodeRequest(nil, req),
	}
}

// TestLegalOwn: what our own codecs send for one conversation is legal in each
// protocol, and weighs the same in all of them.
func TestLegalOwn(t *testing.T) {
	image := providers.ImageData{Type: "image/png", Data: picture(t, 400, 300)}
	req := &providers.Request{Model: "m", System: "Be good.", MaxTokens: 100, Stream: true,
		Tools: []providers.Tool{{Name: "look", Description: "Looks.", Schema: `{"type":"object","properties":{}}`}},
		Messages: []providers.Message{
			{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "What is there?"}}},
			{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.Text, Text: "I look."},
				{Kind: providers.ToolCall, ID: "t1", Name: "look", Input: `{"at":"é"}`}, {Kind: providers.ToolCall, ID: "t2", Name: "look", Input: `{}`}}},
			{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: "t1", Text: "a picture", Images: []providers.ImageData{image}},
				{Kind: providers.ToolResult, ID: "t2", Text: "no such thing", IsError: true}, {Kind: providers.Text, Text: "Go on."}}},
			{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.Text, Text: "Done."}}},
			{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Thanks."}}},
		}}
	bodies := bodiesOf(req)
	weights := map[string]int{}
	for _, p := range protocols() {
		if r := CheckRequest(p.name(), bodies[p.name()]); r != nil {
			t.Errorf("%s: %v\n%s", p.name(), r, bodies[p.name()])
		}
		q, _ := p.parse(geminicodec.PathOf(req), bodies[p.name()])
		weights[p.name()] = q.tokens
		if q.neutral.Model != "m" || !q.neutral.Stream || q.neutral.MaxTokens != 100 || len(q.neutral.Messages) != 5 || q.form.usage != (p.name() == "chat") {
			t.Errorf("%s: got %+v", p.name(), q.neutral)
		}
	}
	for _, p := range Protocols() {
		if weights[p] != weights["anthropic"] || weights[p] < 160 {
			t.Errorf("the request weighs %v", weights)
		}
	}
	if r := CheckRequest("chatt", nil); r == nil || !strings.Contains(r.Message, `did you mean "chat"?`) {
		t.Errorf("got %v", r)
	}
	if r := CheckRequest("", []byte(body(hi))); r != nil {
		t.Error(r)
	}
}

// FuzzCheckRequest: whatever the body, each check gives a verdict, and what is
// accepted can be read.
func FuzzCheckRequest(f *testing.F) {
	for _, s := range []string{chatBody(chatHi + "," + chatAsks2 + "," + chatResult + "," + chatSecond), responsesBody(itemHi + "," + itemThink + "," + itemCall + "," + itemResult),
		geminiBody(partsHi + "," + partsCalls + "," + partsBoth), chatTools(`{"type":"function","function":{"name":"f"}}`), `{"contents":{"parts":{"text":1}}}`, `{"model":"m","input":[{"type":5}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, p := range protocols() {
			q, r := p.parse("/v1beta/models/m:streamGenerateContent", b)
			switch {
			case r == nil && q == nil:
				t.Fatalf("%s: neither a request nor a refusal", p.name())
			case r != nil && (r.Status != 400 || r.Message == "" || !slices.Contains([]Level{API, Strict}, r.Level)):
				t.Fatalf("%s: %s", p.name(), fmt.Sprintf("%+v", r))
			}
		}
	})
}
