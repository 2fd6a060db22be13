package oracle

import (
	"fmt"
	"strings"
)

// chunk is a chunk of Chat with one choice: its delta, and its finish reason or
// null.
func chunk(delta, finish string) string {
	return fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`, delta, finish)
}

// calls is a delta with entries of tool_calls.
func calls(entries ...string) string { return `"tool_calls":[` + strings.Join(entries, ",") + `]` }

// piece is an entry of tool_calls; rest goes behind its members.
func piece(head, name, arguments string) string {
	return fmt.Sprintf(`{%s"function":{"name":%q,"arguments":%q}}`, head, name, arguments)
}

func more(index int, arguments string) string {
	return fmt.Sprintf(`{"index":%d,"function":{"arguments":%q}}`, index, arguments)
}

const (
	cDone  = `[DONE]`
	cUsage = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}}`
)

func chatStreams() (all []stream) {
	add := func(name, body, kinds string) { all = append(all, stream{chat, name, body, kinds}) }
	stop, toolCalls, length := chunk("", `"stop"`), chunk("", `"tool_calls"`), chunk("", `"length"`)
	role, say := chunk(`"role":"assistant","content":""`, "null"), chunk(`"content":"Hello"`, "null")
	plain := data(role, say, stop, cDone)
	first := chunk(calls(piece(`"index":0,"id":"call_a","type":"function",`, "rm", "")), "null")
	head, tail := chunk(calls(more(0, `{"path":`)), "null"), chunk(calls(more(0, `"/a"}`)), "null")

	add("text", plain, "")
	add("call", data(role, first, head, tail, toolCalls, cDone), "")
	add("call, in another spelling", strings.ReplaceAll(data(role, first, head, tail, toolCalls, cDone), `,"`, `, "`), "")
	add("call in one piece", data(chunk(calls(piece(`"index":0,"id":"call_a","type":"function",`, "rm", `{"path":"/a"}`)), `"tool_calls"`), cDone), "")
	add("call without arguments", data(first, toolCalls, cDone), "")
	add("call without an id", data(chunk(calls(piece(`"index":0,"type":"function",`, "rm", "{}")), "null"), toolCalls, cDone), "")
	add("two calls of one id", data(chunk(calls(piece(`"index":0,"id":"a",`, "rm", "{}")), "null"), chunk(calls(piece(`"index":1,"id":"a",`, "ls", "{}")), "null"), toolCalls, cDone), "")
	add("two calls in one chunk", data(chunk(calls(piece(`"index":0,"id":"a",`, "rm", "{}"), piece(`"index":1,"id":"b",`, "ls", "{}")), "null"), toolCalls, cDone), "")
	add("id repeated in every piece", data(first, chunk(calls(piece(`"index":0,"id":"call_a",`, "", `{"path":`)), "null"), chunk(calls(piece(`"index":0,"id":"call_a",`, "", `"/a"}`)), "null"), toolCalls, cDone), "")
	add("call whose id is a number", data(chunk(calls(piece(`"index":0,"id":7,`, "rm", "{}")), "null"), toolCalls, cDone), "")
	add("input cut by a limit", data(first, head, length, cDone), "")
	add("usage-only chunk", data(role, say, stop, cUsage, cDone), "")
	add("usage with the finish reason", data(say, strings.Replace(stop, `"choices"`, `"usage":{"prompt_tokens":10,"completion_tokens":5},"choices"`, 1), cDone), "")
	add("preamble without choices", data(`{"id":"","object":"","model":"","choices":[],"prompt_filter_results":[]}`, role, say, stop, cDone), "")
	add("comments, CRLF", ": OPENROUTER PROCESSING\r\n\r\n"+lines("\r\n", plain), "")
	add("line that begins with a space", " "+plain, "")
	add("refusal", data(chunk(`"refusal":"I will"`, "null"), chunk(`"refusal":" not."`, "null"), stop, cDone), "")
	add("content filtered", data(say, chunk("", `"content_filter"`), cDone), "")
	add("unknown finish reason", data(say, chunk("", `"eos"`), cDone), "")
	add("content behind the finish reason", data(say, chunk(`"content":"!"`, `"stop"`), cDone), "")
	add("finish reason first", data(toolCalls, first, head, chunk(calls(more(0, `"/a"}`)), `"tool_calls"`), cDone), "")
	add("second choice", data(say, strings.Replace(say, `"index":0`, `"index":1`, 1), stop, cDone), "")
	add("unknown members", data(strings.Replace(say, `"choices"`, `"timings":{"x":1},"choices"`, 1), stop, cDone), "")
	add("error in the stream", data(say, `{"error":{"message":"Overloaded","type":"server_error","code":503}}`), "")
	add("error with a last choice", data(say, `{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"message":"x","code":502}}`, cDone), "")
	add("event error", data(say)+"event: error\n"+data(`{"error":{"message":"Failed to call a function","code":"tool_use_failed"}}`), "")
	add("data that is no JSON", data(say, `<html>`), "")

	add("no [DONE]", data(role, say, stop), "end-unchecked")
	add("no finish reason, no [DONE]", data(first, head), "end-unchecked open-untold")
	add("nothing at all", "", "end-unchecked")
	add("bytes end in an event", data(say)+"data: "+say[:len(say)/2], "end-unchecked")
	add("last event without a blank line", strings.TrimSuffix(data(say), "\n"), "end-unchecked unterminated-event")
	add("more behind [DONE]", data(say, stop, cDone, say), "behind-done")
	add("no index", data(chunk(calls(piece(`"id":"a",`, "rm", `{"n":1}`)), "null"), chunk(calls(piece(`"id":"b",`, "ls", `{"n":2}`)), "null"), toolCalls, cDone), "calls-merged")
	add("index 0 for every call", data(chunk(calls(piece(`"index":0,"id":"a",`, "rm", `{"n":1}`)), "null"), chunk(calls(piece(`"index":0,"id":"b",`, "ls", `{"n":2}`)), "null"), toolCalls, cDone), "calls-merged")
	add("name repeated in every piece", data(chunk(calls(piece(`"index":0,"id":"a",`, "rm", `{"n"`)), "null"), chunk(calls(piece(`"index":0,"id":"a",`, "rm", `:1}`)), "null"), toolCalls, cDone), "name-repeated")
	add("id changes from piece to piece", data(first, chunk(calls(piece(`"index":0,"id":"call_b",`, "", `{}`)), "null"), toolCalls, cDone), "call-id-changes")
	add("pieces of two calls that interleave", data(first, chunk(calls(piece(`"index":1,"id":"call_b",`, "ls", "")), "null"), head, chunk(calls(more(1, `{}`)), "null"), tail, toolCalls, cDone), "calls-interleave")
	add("first index is 1", data(chunk(calls(piece(`"index":1,"id":"a",`, "rm", "{}")), "null"), toolCalls, cDone), "index-left-out")
	add("index is -1", data(chunk(calls(piece(`"index":-1,"id":"a",`, "rm", "{}")), "null"), toolCalls, cDone), "")
	add("id of the chunks changes", data(say, strings.Replace(say, `"c1"`, `"c2"`, 1), stop, cDone), "chunk-id-changes")
	add("usage in every chunk", data(strings.Replace(say, `"choices"`, `"usage":{"prompt_tokens":10,"completion_tokens":2},"choices"`, 1), strings.Replace(stop, `"choices"`, `"usage":{"prompt_tokens":10,"completion_tokens":5},"choices"`, 1), cDone), "usage-summed")
	add("usage in x_groq", data(say, strings.Replace(stop, `"choices"`, `"x_groq":{"usage":{"prompt_tokens":10,"completion_tokens":5}},"choices"`, 1), cDone), "usage-elsewhere")
	add("usage with cache writes", data(say, stop, strings.Replace(cUsage, `"cached_tokens":4`, `"cached_tokens":4,"cache_write_tokens":3`, 1), cDone), "cache-writes-unknown")
	add("finish reason, then null", data(say, stop, chunk("", "null"), cDone), "stop-taken-back")
	add("reasoning_content", data(chunk(`"reasoning_content":"hm"`, "null"), say, stop, cDone), "thoughts-untyped")
	add("reasoning with details", data(chunk(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"c2ln"}]`, "null"), say, stop, cDone), "thoughts-untyped")
	add("function_call", data(chunk(`"function_call":{"name":"rm","arguments":""}`, "null"), chunk(`"function_call":{"arguments":"{\"path\":1}"}`, "null"), chunk("", `"function_call"`), cDone), "function_call")
	add("error that is null", data(strings.Replace(say, `"choices"`, `"error":null,"choices"`, 1), stop, cDone), "error-that-is-null")
	add("content in parts", data(chunk(`"content":[{"type":"text","text":"Hello"}]`, "null"), stop, cDone), "content-in-parts")
	add("arguments that are an object", data(chunk(calls(`{"index":0,"id":"a","function":{"name":"rm","arguments":{"n":1}}}`), "null"), toolCalls, cDone), "")
	add("message in place of a delta", data(`{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`, cDone), "message-in-a-chunk")
	add("content that is a number", data(chunk(`"content":5`, "null"), stop, cDone), "loose-types")
	add("CR", lines("\r", plain), "end-unchecked lines-in-cr")
	add("byte-order mark", "\ufeff"+data(say, stop, cDone), "byte-order-mark")
	add("a key twice", data(strings.Replace(say, `"content":"Hello"`, `"content":"yes","content":"no"`, 1), stop, cDone), "key-twice")
	add("invalid UTF-8", strings.Replace(plain, "Hello", "Hell\xff", 1), "invalid-utf8")
	add("an error as an object", data(`{"object":"error","message":"too long","type":"BadRequestError","code":400}`, cDone), "error-as-answer")

	whole := `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q}],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`
	add("whole", fmt.Sprintf(whole, `"content":"Hello"`, "stop"), "")
	add("whole, a call", fmt.Sprintf(whole, `"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"rm","arguments":"{\"n\":1}"}}]`, "tool_calls"), "")
	add("whole, a custom call", fmt.Sprintf(whole, `"content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"sh","input":"ls"}}]`, "tool_calls"), "")
	add("whole, a refusal", fmt.Sprintf(whole, `"content":null,"refusal":"No."`, "stop"), "")
	add("whole, function_call", fmt.Sprintf(whole, `"content":null,"function_call":{"name":"rm","arguments":"{}"}`, "function_call"), "function_call")
	add("whole, reasoning_content", fmt.Sprintf(whole, `"content":"Hello","reasoning_content":"hm"`, "stop"), "thoughts-untyped")
	add("whole, cut", `{"id":"c1","choices":[{"index":0,"mess`, "")
	add("whole, an error", `{"error":{"message":"no","type":"server_error","code":null}}`, "error-as-answer")
	add("whole, without choices", `{"id":"c1","object":"chat.completion","model":"m"}`, "not-an-answer")
	return all
}
