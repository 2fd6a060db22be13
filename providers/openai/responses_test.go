package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/internal/strict"
)

// events frames events as the API does, numbered.
func events(list ...string) string {
	var b strings.Builder
	for i, e := range list {
		typ := strings.Split(e, `"`)[3]
		fmt.Fprintf(&b, "event: %s\ndata: %s,\"sequence_number\":%d}\n\n", typ, strings.TrimSuffix(e, "}"), i)
	}
	return b.String()
}

const (
	created    = `{"type":"response.created","response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[],"error":null,"usage":null}}`
	inProgress = `{"type":"response.in_progress","response":{"id":"resp_1","status":"in_progress","model":"m","output":[]}}`
	opening    = "message resp_1 m"
	used       = ` in=5 out=5 read=4 write=0`
)

// terminal is a terminal event with the items of its output.
func terminal(kind string, output ...string) string {
	return `{"type":"response.` + kind + `","response":{"id":"resp_1","status":"` + kind + `","model":"m","output":[` + strings.Join(output, ",") + `],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":5}}}`
}

func added(i int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, i, item)
}

func itemDone(i int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, i, item)
}

func part(what string, i int, text string) string {
	return fmt.Sprintf(`{"type":"response.content_part.%s","item_id":"msg_1","output_index":%d,"content_index":0,"part":{"type":"output_text","text":"%s","annotations":[]}}`, what, i, text)
}

func text(i int, s string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"msg_1","output_index":%d,"content_index":0,"delta":%s,"logprobs":[],"obfuscation":"%s"}`, i, strict.AppendString(nil, s), strings.Repeat("x", 3+i))
}

func textDone(i int, s string) string {
	return fmt.Sprintf(`{"type":"response.output_text.done","item_id":"msg_1","output_index":%d,"content_index":0,"text":"%s"}`, i, s)
}

func args(i int, s string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":%d,"delta":%s}`, i, strict.AppendString(nil, s))
}

func argsDone(i int, s string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":%d,"arguments":%s}`, i, strict.AppendString(nil, s))
}

func fnCall(id, args, status string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc_%s","call_id":"%s","name":"add","arguments":%s,"status":"%s"}`, id, id, strict.AppendString(nil, args), status)
}

func message(text, status string) string {
	return fmt.Sprintf(`{"type":"message","id":"msg_1","role":"assistant","status":"%s","content":[{"type":"output_text","text":"%s","annotations":[]}]}`, status, text)
}

const emptyMessage = `{"type":"message","id":"msg_1","role":"assistant","status":"in_progress","content":[]}`

var responsesDecodings = []decoding{
	{"nothing", "", nil},
	{"a text answer as OpenAI streams it", events(created, inProgress, added(0, emptyMessage), part("added", 0, ""), text(0, "Hi"), text(0, " 北\n"), textDone(0, `Hi 北\n`), part("done", 0, `Hi 北\n`), itemDone(0, message(`Hi 北\n`, "completed")), terminal("completed", message(`Hi 北\n`, "completed"))),
		[]string{opening, `other "response.in_progress"`, `other "response.output_item.added"`, "start 0 text", `text 0 "Hi"`, `text 0 " 北\n"`, `other "response.output_text.done"`, "stop 0", `other "response.output_item.done"`, `reason "end_turn"` + used, "end"}},
	{"two calls", events(created,
		added(0, fnCall("a", "", "in_progress")), args(0, `{"a"`), args(0, `:1}`), argsDone(0, `{"a":1}`), itemDone(0, fnCall("a", `{"a":1}`, "completed")),
		added(1, fnCall("b", "", "in_progress")), args(1, "{}"), argsDone(1, "{}"), itemDone(1, fnCall("b", "{}", "completed")),
		terminal("completed", fnCall("a", `{"a":1}`, "completed"), fnCall("b", "{}", "completed"))),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\""`, `input 0 ":1}"`, `other "response.function_call_arguments.done"`, "stop 0",
			"start 1 call id=b name=add", `input 1 "{}"`, `other "response.function_call_arguments.done"`, "stop 1", `reason "tool_use"` + used, "end"}},
	{"arguments without deltas (LM Studio)", events(created, added(0, fnCall("a", "", "in_progress")), argsDone(0, `{"a":1}`), itemDone(0, fnCall("a", `{"a":1}`, "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\":1}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"an item that only its end tells", events(created, itemDone(0, fnCall("a", `{"a":1}`, "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\":1}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"items that only the terminal event tells", events(created, terminal("completed", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]}`, message("Hi", "completed"), fnCall("a", "{}", "completed"))),
		[]string{opening, "start 0 thinking", `think 0 "hm"`, "stop 0", "start 1 text", `text 1 "Hi"`, "stop 1", "start 2 call id=a name=add", `input 2 "{}"`, "stop 2", `reason "tool_use"` + used, "end"}},
	{"nothing but the terminal event", events(terminal("completed", message("Hi", "completed"))),
		[]string{opening + used, "start 0 text", `text 0 "Hi"`, "stop 0", `reason "end_turn"` + used, "end"}},
	{"the terminal event's items are missing", events(created, added(0, emptyMessage), part("added", 0, ""), text(0, "Hi"), part("done", 0, "Hi"), added(1, fnCall("a", "", "in_progress")), args(1, "{}"), argsDone(1, "{}"), `{"type":"response.completed","response":{"id":"resp_1"}}`),
		[]string{opening, `other "response.output_item.added"`, "start 0 text", `text 0 "Hi"`, "stop 0", "start 1 call id=a name=add", `input 1 "{}"`, `other "response.function_call_arguments.done"`, "stop 1", `reason "tool_use"`, "end"}},
	{"a call that nobody ended stays open", events(created, added(0, fnCall("a", "", "in_progress")), args(0, "{}"), `{"type":"response.completed","response":{"id":"resp_1","output":[]}}`),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{}"`, `reason "tool_use"`, "end"}},
	{"a call that was cut stays open", events(created, added(0, fnCall("a", "", "in_progress")), args(0, `{"a"`), argsDone(0, `{"a"`), itemDone(0, fnCall("a", `{"a"`, "incomplete")),
		strings.Replace(terminal("incomplete", fnCall("a", `{"a"`, "incomplete")), `"model"`, `"incomplete_details":{"reason":"max_output_tokens"},"model"`, 1)),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\""`, `other "response.function_call_arguments.done"`, `other "response.output_item.done"`, `reason "max_tokens"` + used, "end"}},
	{"a call without arguments", events(created, added(0, fnCall("a", "", "in_progress")), argsDone(0, ""), itemDone(0, fnCall("a", "", "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `other "response.function_call_arguments.done"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"its end leaves the arguments out", events(created, added(0, fnCall("a", "", "in_progress")), args(0, "{}"), itemDone(0, `{"type":"function_call","id":"fc_a","call_id":"a","name":"add"}`), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"its end tells more than the deltas did", events(created, added(0, fnCall("a", "", "in_progress")), args(0, `{"a"`), argsDone(0, `{"a":1}`), itemDone(0, fnCall("a", `{"a":1}`, "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\""`, `input 0 ":1}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"its end tells the same in another spelling", events(created, added(0, fnCall("a", "", "in_progress")), args(0, `{"a": 1}`), argsDone(0, `{"a":1}`), itemDone(0, fnCall("a", `{"a":1}`, "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\": 1}"`, `other "response.function_call_arguments.done differs"`, `other "response.output_item.done differs"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"its end tells another input", events(created, added(0, fnCall("a", "", "in_progress")), args(0, `{"a":1}`), argsDone(0, `{"a":2}`)),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\":1}"`, `error protocol: the event ending at line 12 of the stream, response.function_call_arguments.done: arguments of call a are {"a":2}, but were streamed as {"a":1}; they are always equal`}},
	{"the terminal event tells another input", events(created, itemDone(0, fnCall("a", `{"a":1}`, "completed")), terminal("completed", fnCall("a", `{"a":1,"b":2}`, "completed"))),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{\"a\":1}"`, "stop 0", `error protocol: the event ending at line 9 of the stream, response.completed: response.output[0].arguments of call a are {"a":1,"b":2}, but were streamed as {"a":1}; they are always equal`}},
	{"the terminal event tells more of an input that was over", events(created, itemDone(0, `{"type":"custom_tool_call","call_id":"a","name":"sh","input":"rm x"}`), terminal("completed", `{"type":"custom_tool_call","call_id":"a","name":"sh","input":"rm x/y"}`)),
		[]string{opening, `start 0 call id=a name=sh raw={"type":"custom_tool_call","call_id":"a","name":"sh","input":"rm x"}`, `input 0 "rm x"`, "stop 0", `error protocol: the event ending at line 9 of the stream, response.completed: response.output[0].arguments of call a are rm x/y, but were streamed as rm x; they are always equal`}},
	{"one id twice: the reader judges", events(created, terminal("completed", fnCall("a", "{}", "completed"), fnCall("a", "{}", "completed"))),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", "start 1 call id=a name=add", `input 1 "{}"`, "stop 1", `reason "tool_use"` + used, "end"}},
	{"one id twice, told once before", events(created, itemDone(0, fnCall("a", "{}", "completed")), terminal("completed", fnCall("a", "{}", "completed"), fnCall("a", "{}", "completed"))),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", "start 1 call id=a name=add", `input 1 "{}"`, "stop 1", `reason "tool_use"` + used, "end"}},
	{"the end of another call: the first stays open", events(created, added(0, fnCall("a", "", "in_progress")), args(0, "{"), itemDone(0, fnCall("b", "{}", "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{"`, "start 1 call id=b name=add", `input 1 "{}"`, "stop 1", `reason "tool_use"` + used, "end"}},
	{"the end of a text tells another text", events(created, added(0, emptyMessage), text(0, "Hi"), textDone(0, "Ho"), part("done", 0, "Ho"), itemDone(0, message("Ho", "completed")), terminal("completed", message("Ho", "completed"))),
		[]string{opening, `other "response.output_item.added"`, "start 0 text", `text 0 "Hi"`, `other "response.output_text.done differs"`, `other "response.content_part.done differs"`, "stop 0", `other "response.output_item.done differs"`, `other "response.completed differs"`, `reason "end_turn"` + used, "end"}},
	{"the name comes with the end", events(created, added(0, `{"type":"function_call","id":"fc_1","call_id":"a"}`), itemDone(0, fnCall("a", "{}", "completed")), terminal("completed")),
		[]string{opening, `other "response.output_item.added"`, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"input comes before the name", events(created, added(0, `{"type":"function_call","id":"fc_1","call_id":"a"}`), args(0, "{}"), itemDone(0, fnCall("a", "{}", "completed")), terminal("completed")),
		[]string{opening, `other "response.output_item.added"`, "start 0 call id=a", `input 0 "{}"`, `other "response.output_item.done differs"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"input for a call that was never added", events(created, args(0, "{}"), argsDone(0, "{}"), itemDone(0, fnCall("a", "{}", "completed")), terminal("completed")),
		[]string{opening, `other "response.function_call_arguments.delta"`, `other "response.function_call_arguments.done"`, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"text for an item that was never added", events(created, text(0, "Hi"), terminal("completed", message("Hi", "completed"))),
		[]string{opening, "start 0 text", `text 0 "Hi"`, "stop 0", `reason "end_turn"` + used, "end"}},
	{"output_index 0 for every item (a proxy)", events(created, added(0, emptyMessage), part("added", 0, ""), text(0, "Hi"), part("done", 0, "Hi"), itemDone(0, message("Hi", "completed")), added(0, fnCall("a", "", "in_progress")), args(0, "{}"), itemDone(0, fnCall("a", "{}", "completed")), terminal("completed", strings.Replace(message("Hi", "completed"), "msg_1", "msg_2", 1), fnCall("a", "{}", "completed"))),
		[]string{opening, `other "response.output_item.added"`, "start 0 text", `text 0 "Hi"`, "stop 0", `other "response.output_item.done"`, "start 1 call id=a name=add", `input 1 "{}"`, "stop 1", `reason "tool_use"` + used, "end"}},
	{"no output_index at all", events(created, `{"type":"response.output_item.added","item":{"type":"function_call","id":"fc_1","call_id":"a","name":"add"}}`, `{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{}"}`, `{"type":"response.output_item.done","item":{"type":"function_call","id":"fc_1","call_id":"a","name":"add","arguments":"{}"}}`, terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"items that interleave", events(created, added(0, fnCall("a", "", "in_progress")), added(1, fnCall("b", "", "in_progress")), args(0, "{"), args(1, "{}"), args(0, "}"), itemDone(1, fnCall("b", "{}", "completed")), itemDone(0, fnCall("a", "{}", "completed")), terminal("completed")),
		[]string{opening, "start 0 call id=a name=add", "start 1 call id=b name=add", `input 0 "{"`, `input 1 "{}"`, `input 0 "}"`, "stop 1", "stop 0", `reason "tool_use"` + used, "end"}},
	{"a call that says more", events(created, itemDone(0, `{"type":"function_call","id":"fc_1","call_id":"a","name":"add","namespace":"n","arguments":"{}"}`), terminal("completed")),
		[]string{opening, `start 0 call id=a name=add raw={"type":"function_call","id":"fc_1","call_id":"a","name":"add","namespace":"n","arguments":"{}"}`, `input 0 "{}"`, "stop 0", `reason "tool_use"` + used, "end"}},
	{"a custom tool", events(created, added(0, `{"type":"custom_tool_call","id":"c","call_id":"a","name":"sh","input":""}`), `{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"ls"}`, `{"type":"response.custom_tool_call_input.done","output_index":0,"input":"ls"}`, itemDone(0, `{"type":"custom_tool_call","id":"c","call_id":"a","name":"sh","input":"ls"}`), terminal("completed")),
		[]string{opening, `start 0 call id=a name=sh raw={"type":"custom_tool_call","id":"c","call_id":"a","name":"sh","input":""}`, `input 0 "ls"`, `other "response.custom_tool_call_input.done"`, "stop 0", `reason "tool_use"` + used, "end"}},

	// Reasoning.
	{"a summary, and what was encrypted", events(created, added(0, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"early"}`), `{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"h"}`, `{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"m"}`, `{"type":"response.reasoning_summary_text.done","output_index":0,"summary_index":0,"text":"hm"}`,
		`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"!"}`,
		itemDone(0, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"},{"type":"summary_text","text":"!"}],"encrypted_content":"gA=="}`), terminal("completed", `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"another"}`)),
		[]string{opening, "start 0 thinking", `other "response.reasoning_summary_part.added"`, `think 0 "h"`, `think 0 "m"`, `other "response.reasoning_summary_text.done"`, `think 0 "!"`,
			`sign 0 "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"},{\"type\":\"summary_text\",\"text\":\"!\"}],\"encrypted_content\":\"gA==\"}"`, "stop 0", `reason "end_turn"` + used, "end"}},
	{"reasoning text (LM Studio)", events(created, added(0, `{"type":"reasoning","id":"rs_1","summary":[],"content":[]}`), `{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"reasoning_text","text":""}}`, `{"type":"response.reasoning_text.delta","output_index":0,"content_index":0,"delta":"hm"}`, `{"type":"response.reasoning_text.done","output_index":0,"content_index":0,"text":"hm?"}`, itemDone(0, `{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"no"}],"encrypted_content":null}`), terminal("completed")),
		[]string{opening, "start 0 thinking", `other "response.content_part.added"`, `think 0 "hm"`, `think 0 "?"`, `other "response.output_item.done differs"`, "stop 0", `reason "end_turn"` + used, "end"}},

	// Refusals and stop reasons.
	{"a refusal (NousResearch/hermes-agent p91181)", events(created, added(0, emptyMessage), `{"type":"response.content_part.added","output_index":0,"content_index":0,"part":{"type":"refusal","refusal":""}}`, `{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"I can"}`, `{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"not"}`, `{"type":"response.refusal.done","output_index":0,"content_index":0,"refusal":"I cannot"}`, `{"type":"response.content_part.done","output_index":0,"content_index":0,"part":{"type":"refusal","refusal":"I cannot"}}`, terminal("completed")),
		[]string{opening, `other "response.output_item.added"`, "start 0 text", `text 0 "I can"`, `text 0 "not"`, `other "response.refusal.done"`, "stop 0", `reason "refusal"` + used, "end"}},
	{"a refusal that only the end tells", events(created, terminal("completed", `{"type":"message","content":[{"type":"refusal","refusal":"No."}]}`)), []string{opening, "start 0 text", `text 0 "No."`, "stop 0", `reason "refusal"` + used, "end"}},
	{"a refusal that was cut", events(created, `{"type":"response.refusal.delta","output_index":0,"content_index":0,"delta":"No"}`, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`), []string{opening, "start 0 text", `text 0 "No"`, `reason "refusal"`, "end"}},
	{"incomplete: content filter", events(created, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`), []string{opening, `reason "refusal"`, "end"}},
	{"incomplete: something new", events(created, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"new"}}}`), []string{opening, `reason "new"`, "end"}},
	{"incomplete: for no reason", events(created, `{"type":"response.incomplete","response":{"incomplete_details":null}}`), []string{opening, `reason "incomplete"`, "end"}},
	{"cancelled", events(created, `{"type":"response.cancelled","response":{}}`), []string{opening, `reason "cancelled"`, "end"}},
	{"finished, and no terminal event (openclaw/openclaw#108958)", events(created, itemDone(0, fnCall("a", "{}", "completed"))), []string{opening, "start 0 call id=a name=add", `input 0 "{}"`, "stop 0"}},

	// Failures.
	{"an error, and the failure that it is", events(created, `{"type":"error","code":"rate_limit_exceeded","message":"Rate limit reached","param":null}`, `{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"The server had an error"}}}`),
		[]string{opening, "failure rate_limited rate_limit_exceeded: Rate limit reached instream=true", "failure server server_error: The server had an error instream=true"}},
	{"an error in an error", events(created, `{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Your input exceeds the context window of this model.","param":"input"}}`),
		[]string{opening, "failure overflow context_length_exceeded: Your input exceeds the context window of this model. instream=true"}},
	{"an error without a type", "data: {\"error\":{\"message\":\"no\",\"code\":\"server_error\"}}\n\n", []string{"failure server server_error: no instream=true"}},
	{"an error event of another type (a proxy)", "event: error\ndata: {\"type\":\"server_error\",\"message\":\"no\"}\n\n", []string{"failure server server_error: no instream=true"}},
	{"an error event in plain text", "event: error\ndata: upstream died\n\n", []string{"failure unknown: upstream died instream=true"}},
	{"a failure for no reason", events(created, `{"type":"response.failed","response":{"error":null}}`), []string{opening, "failure unknown: the server reports an error and does not say which instream=true"}},

	// Items and events of others.
	{"a search", events(created, added(0, `{"type":"web_search_call","id":"ws_1","status":"in_progress"}`), `{"type":"response.web_search_call.searching","output_index":0}`, itemDone(0, `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"q": 1}}`), terminal("completed", `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"q": 1}}`)),
		[]string{opening, `other "response.output_item.added"`, `other "response.web_search_call.searching"`, `start 0 opaque raw={"type":"web_search_call","id":"ws_1","status":"completed","action":{"q": 1}}`, "stop 0", `reason "end_turn"` + used, "end"}},
	{"a keep-alive, and what comes next year", events(created, `{"type":"keepalive"}`, `{"type":"response.new_thing","x":[1]}`), []string{opening, "ping", `other "response.new_thing"`}},
	{"a part that nobody knows", events(created, itemDone(0, `{"type":"message","content":[{"type":"output_audio"},{"type":"output_text","text":"a"}]}`)), []string{opening, `other "content part"`, "start 0 text", `text 0 "a"`, "stop 0"}},
	{"two answers in one file", events(created, text(0, "a"), terminal("completed"), `{"type":"response.created","response":{"id":"resp_2","model":"n"}}`, text(0, "b"), `{"type":"response.completed","response":{"usage":{"output_tokens":1}}}`),
		[]string{opening, "start 0 text", `text 0 "a"`, `reason "end_turn"` + used, "end", "message resp_2 n", "start 0 text", `text 0 "b"`, `reason "end_turn" in=0 out=1 read=0 write=0`, "end"}},
	{"no event lines, and [DONE] (OpenRouter)", "data: " + created + "\n\ndata: " + terminal("completed") + "\n\ndata: [DONE]\n\n", []string{opening, `reason "end_turn"` + used, "end", `other "[DONE]"`}},
	{"[DONE] is not the end", "data: " + created + "\n\ndata: [DONE]\n\n", []string{opening, `other "[DONE]"`}},
	{"CRLF", strings.ReplaceAll(events(created, text(0, "a"), text(0, "b"), terminal("completed")), "\n", "\r\n"), []string{opening, "start 0 text", `text 0 "a"`, `text 0 "b"`, `reason "end_turn"` + used, "end"}},
	{"numbers that jump, padding of any length", strings.ReplaceAll(events(created, text(0, "a"), text(0, "b"), text(0, "c"), text(0, `\`), text(0, "d")), `"sequence_number":3`, `"sequence_number":1000`),
		[]string{opening, "start 0 text", `text 0 "a"`, `text 0 "b"`, `text 0 "c"`, `text 0 "\\"`, `text 0 "d"`}},

	// What is not the protocol.
	{"not JSON", events(created) + "event: response.completed\ndata: oops\n\n", []string{opening, "error protocol: the event ending at line 6 of the stream, response.completed: the data is not strict JSON: invalid character 'o' at start of value"}},
	{"names that differ", "event: ping\ndata: " + created + "\n\n", []string{"error protocol: the event ending at line 3 of the stream, ping: the event line says ping, the data's type says response.created; they are always equal"}},
	{"an event line that differs from a delta", events(created, text(0, "a"), text(0, "b")) + "event: ping\ndata: " + strings.TrimSuffix(text(0, "c"), "}") + ",\"sequence_number\":3}\n\n",
		[]string{opening, "start 0 text", `text 0 "a"`, `text 0 "b"`, "error protocol: the event ending at line 12 of the stream, ping: the event line says ping, the data's type says response.output_text.delta; they are always equal"}},
	{"neither name nor type", "data: {}\n\n", []string{"error protocol: the event ending at line 2 of the stream, {}: the event has neither a name nor a type"}},
	{"no response", events(`{"type":"response.created"}`), []string{"error protocol: the event ending at line 3 of the stream, response.created: response is missing; want an object"}},
	{"an item that is none", events(`{"type":"response.output_item.added","output_index":0,"item":7}`), []string{"error protocol: the event ending at line 3 of the stream, response.output_item.added: item is 7; want an object"}},
	{"an item without a type", events(`{"type":"response.output_item.done","output_index":0,"item":{}}`), []string{"error protocol: the event ending at line 3 of the stream, response.output_item.done: item.type is missing; want a string"}},
	{"a delta of the wrong type", events(`{"type":"response.output_text.delta","output_index":0,"delta":7}`), []string{"error protocol: the event ending at line 3 of the stream, response.output_text.delta: delta is 7; want a string"}},
	{"an index of the wrong type", events(`{"type":"response.output_text.delta","output_index":"0","delta":"a"}`), []string{`error protocol: the event ending at line 3 of the stream, response.output_text.delta: output_index is "0"; want a whole number`}},
	{"output of the wrong type", events(`{"type":"response.completed","response":{"output":{}}}`), []string{`error protocol: the event ending at line 3 of the stream, response.completed: response.output is {}; want an array`}},
}

func TestResponses(t *testing.T) { testDecodings(t, Responses, responsesDecodings) }
