package oracle

import "strings"

// Events of Responses.
const (
	rCreated   = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[]}}`
	rMessage   = `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}`
	rPart      = `{"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}`
	rSay       = `{"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello"}`
	rSaid      = `{"type":"response.output_text.done","sequence_number":4,"item_id":"msg_1","output_index":0,"content_index":0,"text":"Hello"}`
	rPartDone  = `{"type":"response.content_part.done","sequence_number":5,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"Hello","annotations":[]}}`
	rItem      = `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}`
	rDone      = `{"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":` + rItem + `}`
	rCall      = `{"type":"response.output_item.added","sequence_number":7,"output_index":0,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_a","name":"rm","arguments":""}}`
	rInputHead = `{"type":"response.function_call_arguments.delta","sequence_number":8,"item_id":"fc_1","output_index":0,"delta":"{\"path\":"}`
	rInputTail = `{"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_1","output_index":0,"delta":"\"/a\"}"}`
	rInput     = `{"type":"response.function_call_arguments.done","sequence_number":10,"item_id":"fc_1","output_index":0,"arguments":"{\"path\":\"/a\"}"}`
	rCallItem  = `{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_a","name":"rm","arguments":"{\"path\":\"/a\"}"}`
	rCallDone  = `{"type":"response.output_item.done","sequence_number":11,"output_index":0,"item":` + rCallItem + `}`
)

// rEnd is a terminal event: its kind, with items for output.
func rEnd(status, more string, items ...string) string {
	return `{"type":"response.` + status + `","sequence_number":20,"response":` + rWhole(status, more, items...) + `}`
}

func rWhole(status, more string, items ...string) string {
	return `{"id":"resp_1","object":"response","status":"` + status + `","model":"m",` + more + `"output":[` + strings.Join(items, ",") +
		`],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"total_tokens":15}}`
}

func responsesStreams() (all []stream) {
	add := func(name, body, kinds string) { all = append(all, stream{responses, name, body, kinds}) }
	said := []string{rCreated, rMessage, rPart, rSay, rSaid, rPartDone, rDone}
	plain := named(append(said, rEnd("completed", "", rItem))...)
	inputs := []string{rCreated, rCall, rInputHead, rInputTail, rInput, rCallDone}
	called := named(append(inputs, rEnd("completed", "", rCallItem))...)
	const cutCall = `{"id":"fc_1","type":"function_call","status":"incomplete","call_id":"call_a","name":"rm","arguments":"{\"path\":"}`
	const limit = `"incomplete_details":{"reason":"max_output_tokens"},`

	add("text", plain, "")
	add("call", called, "")
	add("no event names, [DONE]", data(append(said, rEnd("completed", "", rItem), cDone)...), "")
	add("text without deltas", named(rCreated, rMessage, rPart, rSaid, rPartDone, rDone, rEnd("completed", "", rItem)), "")
	add("call without deltas", named(rCreated, rCall, rInput, rCallDone, rEnd("completed", "", rCallItem)), "")
	add("item without parts", named(rCreated, rMessage, rDone, rEnd("completed", "", rItem)), "")
	add("text in another spelling", strings.ReplaceAll(plain, `,"`, `, "`), "")
	add("comments, CRLF", ": x\r\n\r\n"+lines("\r\n", plain), "")
	add("nothing but the terminal event", named(rEnd("completed", "", rItem, rCallItem)), "")
	add("items that only the terminal event lists", named(append(said, rEnd("completed", "", rItem, rCallItem))...), "")
	add("unknown events and items", named(append(said, `{"type":"response.weather","sky":"blue"}`, `{"type":"keepalive"}`, rEnd("completed", "", rItem, `{"id":"x_1","type":"dance","steps":[1]}`))...), "")
	add("call of the provider's own", named(rCreated, `{"type":"response.output_item.added","output_index":0,"item":{"id":"ws_1","type":"web_search_call","status":"in_progress"}}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"ws_1","type":"web_search_call","status":"completed"}}`, rEnd("completed", "", `{"id":"ws_1","type":"web_search_call","status":"completed"}`)), "")
	add("reasoning", named(rCreated, `{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}`,
		`{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}`,
		`{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}}`,
		rEnd("completed", "", `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"x"}`)), "")
	add("refusal", named(rCreated, rMessage, `{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"refusal","refusal":""}}`,
		`{"type":"response.refusal.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"No."}`,
		`{"type":"response.refusal.done","item_id":"msg_1","output_index":0,"content_index":0,"refusal":"No."}`,
		rEnd("completed", "", `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}`)), "")
	add("incomplete", named(append(said, rEnd("incomplete", limit, rItem))...), "")
	add("incomplete, content filter", named(append(said, rEnd("incomplete", `"incomplete_details":{"reason":"content_filter"},`, rItem))...), "")
	add("incomplete, input cut", named(rCreated, rCall, rInputHead, rEnd("incomplete", limit, cutCall)), "")
	add("failed", named(rCreated, rEnd("failed", `"error":{"code":"server_error","message":"no"},`)), "")
	add("error, then failed", named(rCreated, `{"type":"error","code":"server_error","message":"no","param":null}`, rEnd("failed", `"error":{"code":"server_error","message":"no"},`)), "")
	add("error in the stream", named(append(said, `{"type":"error","code":"server_error","message":"no","param":null,"sequence_number":9}`)...), "")
	add("no terminal event", named(said...), "")
	add("bytes end in a text", named(rCreated, rMessage, rPart, rSay), "")
	add("nothing at all", "", "")
	add("two responses", plain+strings.ReplaceAll(plain, "resp_1", "resp_2"), "")
	add("custom call", named(rCreated, `{"type":"response.output_item.added","output_index":0,"item":{"id":"ct_1","type":"custom_tool_call","status":"in_progress","call_id":"a","name":"sh","input":""}}`,
		`{"type":"response.custom_tool_call_input.delta","item_id":"ct_1","output_index":0,"delta":"ls"}`,
		`{"type":"response.custom_tool_call_input.done","item_id":"ct_1","output_index":0,"input":"ls"}`,
		rEnd("completed", "", `{"id":"ct_1","type":"custom_tool_call","status":"completed","call_id":"a","name":"sh","input":"ls"}`)), "")
	add("output_index 0 for every item", named(append(append(said, inputs[1:]...), rEnd("completed", "", rItem, rCallItem))...), "")

	add("input cut, bytes end", named(rCreated, rCall, rInputHead), "")
	add("input cut to nothing, bytes end", named(rCreated, rCall), "")
	add("bytes end in an event", plain[:strings.Index(plain, "Hello")], "")
	add("last event without a blank line", strings.TrimSuffix(named(rCreated, rMessage, rPart, rSay), "\n"), "unterminated-event")
	add("terminal event without the items", named(append(inputs, rEnd("completed", ""))...), "terminal-event-wins")
	add("arguments contradict", named(rCreated, rCall, rInputHead, rInputTail, strings.Replace(rInput, "/a", "/b", 1), rEnd("completed", "", strings.Replace(rCallItem, "/a", "/b", 1))), "terminal-event-wins")
	add("texts contradict", named(append(said, rEnd("completed", "", strings.Replace(rItem, "Hello", "Bye", 1)))...), "terminal-event-wins")
	add("no output_index", strings.ReplaceAll(plain, `"output_index":0,`, ""), "fields-required")
	add("ids of items change", strings.Replace(plain, `"msg_1"`, `"msg_0"`, 1), "")
	add("call without an id", strings.ReplaceAll(called, `"call_id":"call_a",`, ""), "fields-required")
	add("arguments that are an object", named(append(inputs[:5:5], rEnd("completed", "", strings.Replace(rCallItem, `"{\"path\":\"/a\"}"`, `{"path":"/a"}`, 1)))...), "fields-required")
	add("terminal event twice", named(append(said, rEnd("completed", "", rItem), rEnd("completed", "", rItem))...), "behind-the-terminal-event")
	add("more behind [DONE]", plain+data(cDone)+named(`{"type":"error","code":"server_error","message":"no"}`), "behind-done")
	add("cancelled", named(append(said, rEnd("cancelled", "", rItem))...), "cancelled-unknown")
	add("byte-order mark before a name", "\ufeff"+plain, "")
	add("CR", lines("\r", plain), "lines-in-cr")
	add("byte-order mark", "\ufeff"+data(rEnd("completed", "", rItem)), "byte-order-mark")
	add("event name of another type", strings.Replace(plain, "event: response.completed", "event: response.done", 1), "name-ignored")
	add("a key twice", strings.ReplaceAll(called, `"name":"rm"`, `"name":"rm","name":"ls"`), "key-twice")
	add("invalid UTF-8", strings.ReplaceAll(plain, "Hello", "Hell\xff"), "invalid-utf8")
	add("usage with cache writes", strings.Replace(plain, `"cached_tokens":4`, `"cached_tokens":4,"cache_write_tokens":3`, 1), "cache-writes-unknown")
	add("data that is no JSON", named(said...)+data("<html>"), "")

	add("whole", rWhole("completed", "", rItem, rCallItem), "")
	add("whole, incomplete", rWhole("incomplete", limit, rItem), "")
	add("whole, input cut", rWhole("incomplete", limit, cutCall), "")
	add("whole, failed", rWhole("failed", `"error":{"code":"server_error","message":"no"},`), "")
	add("whole, an error", `{"error":{"message":"no","type":"server_error","code":null}}`, "")
	add("whole, cancelled", rWhole("cancelled", "", rItem), "")
	add("whole, without output", `{"id":"resp_1","object":"response","status":"completed","model":"m"}`, "not-an-answer")
	add("whole, cut", `{"id":"resp_1","object":"response","stat`, "")
	return all
}
