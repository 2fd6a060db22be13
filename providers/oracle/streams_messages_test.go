package oracle

import "strings"

// Events of the Messages API.
const (
	mStart     = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}}`
	mText      = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	mSay       = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`
	mStop0     = `{"type":"content_block_stop","index":0}`
	mCall      = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"rm","input":{}}}`
	mInputHead = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}`
	mInputTail = `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"/a\"}"}}`
	mEnd       = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}}`
	mToolUse   = `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}`
	mMaxTokens = `{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":5}}`
	mOver      = `{"type":"message_stop"}`
	mPing      = `{"type":"ping"}`
)

func messagesStreams() (all []stream) {
	add := func(name, body, kinds string) { all = append(all, stream{messages, name, body, kinds}) }
	plain := named(mStart, mText, mSay, mStop0, mEnd, mOver)
	called := named(mStart, mCall, mInputHead, mInputTail, mStop0, mToolUse, mOver)

	add("text", plain, "")
	add("call", called, "")
	add("call without input", named(mStart, mCall, mStop0, mToolUse, mOver), "")
	add("pings, comments, no space behind the colon", ": hello\n\n"+named(mPing)+strings.ReplaceAll(plain, "data: ", "data:")+named(mPing), "")
	add("data in two lines", strings.ReplaceAll(plain, `,"delta":`, "\ndata: ,\"delta\":"), "")
	add("CRLF", lines("\r\n", plain), "")
	thinking := named(mStart,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		mStop0, `{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"x"}}`,
		`{"type":"content_block_stop","index":1}`, mEnd, mOver)
	add("thinking", thinking, "")
	add("thinking, in another spelling", strings.ReplaceAll(thinking, `":`, `" : `), "")
	add("call, in another spelling", strings.ReplaceAll(called, `,"`, `, "`), "")
	add("stop reason first", named(mStart, mToolUse, mCall, mInputHead, mInputTail, mStop0, mOver), "")
	add("stop reason in the middle", named(mStart, mCall, mInputHead, mToolUse, mInputTail, mStop0, mOver), "")
	add("no stop reason", named(mStart, mText, mSay, mStop0, mOver), "")
	add("unknown stop reason", strings.Replace(plain, "end_turn", "tired", 1), "")
	add("unknown event, delta and block", named(mStart, `{"type":"weather","sky":"blue"}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"dance","steps":[1,2]}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"dance_delta","steps":3}}`, mStop0, mEnd, mOver), "")
	add("two calls of one id", named(mStart, mCall, mInputHead, mInputTail, mStop0,
		strings.Replace(mCall, `"index":0`, `"index":1`, 1), `{"type":"content_block_stop","index":1}`, mToolUse, mOver), "")
	add("blocks that interleave", named(mStart, mText, strings.Replace(mCall, `"index":0`, `"index":1`, 1), mSay,
		strings.Replace(mInputHead, `"index":0`, `"index":1`, 1), mStop0, strings.Replace(mInputTail, `"index":0`, `"index":1`, 1),
		`{"type":"content_block_stop","index":1}`, mToolUse, mOver), "")
	add("server call and its result", named(mStart,
		`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}`, mStop0,
		`{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[]}}`,
		`{"type":"content_block_stop","index":1}`, mEnd, mOver), "")
	add("content in message_start, input in a block's start", named(
		strings.Replace(mStart, `"content":[]`, `"content":[{"type":"text","text":"I"}]`, 1),
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"rm","input":{"path":"/a"}}}`,
		`{"type":"content_block_stop","index":1}`, mToolUse, mOver), "")
	add("usage repeated, some of it left out", named(
		strings.Replace(mStart, `"input_tokens":10`, `"input_tokens":10,"cache_read_input_tokens":7`, 1), mText, mSay, mStop0,
		`{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":3}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":12,"output_tokens":5}}`, mOver), "")
	add("error in the stream", named(mStart, mText, mSay, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "")
	add("error in place of the stream", named(`{"type":"error","error":{"type":"api_error","message":"no"}}`), "")
	add("piece of a block that never began", named(mStart, mSay, mEnd, mOver), "")
	add("block missing", named(mStart, mText, mSay, mStop0, `{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"x"}}`, mOver), "")
	add("data that is no JSON", strings.Replace(plain, `{"type":"content_block_delta"`, `<html>`, 1), "")

	add("input cut, block open", named(mStart, mCall, mInputHead, mMaxTokens, mOver), "cut-input-emptied open-untold")
	add("input cut, block closed", named(mStart, mCall, mInputHead, mStop0, mMaxTokens, mOver), "cut-input-emptied")
	add("input cut to nothing", named(mStart, mCall, mMaxTokens, mOver), "open-untold placeholder-kept")
	add("input cut where it parses", named(mStart, mCall, mInputHead, mInputTail, mMaxTokens, mOver), "open-untold")
	add("input cut, bytes end", named(mStart, mCall, mInputHead), "end-unchecked open-untold")
	add("input behind an input", named(mStart, strings.Replace(mCall, `"input":{}`, `"input":{"a":1}`, 1), mInputHead, mInputTail, mStop0, mToolUse, mOver), "cut-input-emptied")
	add("input behind braces", named(mStart, mCall, strings.Replace(mInputHead, `{\"path\":`, `{}`, 1), mInputHead, mInputTail, mStop0, mToolUse, mOver), "braces-overwritten")
	add("no terminal event", named(mStart, mText, mSay, mStop0, mEnd), "end-unchecked")
	add("bytes end in a text", named(mStart, mText, mSay), "end-unchecked")
	add("bytes end in an event", plain[:strings.Index(plain, "Hello")], "end-unchecked")
	add("nothing at all", "", "end-unchecked")
	add("last event without a blank line", strings.TrimSuffix(named(mStart, mText, mSay), "\n"), "end-unchecked unterminated-event")
	add("no index", strings.Replace(plain, `"content_block_delta","index":0`, `"content_block_delta"`, 1), "loose-types")
	add("index as text", strings.Replace(plain, `"content_block_delta","index":0`, `"content_block_delta","index":"0"`, 1), "loose-types")
	add("text that is a number", strings.Replace(plain, `"Hello"`, `5`, 1), "loose-types")
	add("index used twice", named(mStart, mText, mSay, mStop0, mText, mSay, mStop0, mEnd, mOver), "index-used-twice")
	add("piece of a block that is over", named(mStart, mText, mSay, mStop0, mSay, mEnd, mOver), "late-piece")
	add("two messages", plain+plain, "last-message")
	add("CR", lines("\r", plain), "end-unchecked lines-in-cr")
	add("byte-order mark", "\ufeff"+plain, "byte-order-mark")
	add("no event names", data(mStart, mText, mSay, mStop0, mEnd, mOver), "end-unchecked unnamed-events")
	add("event name of another type", strings.Replace(plain, "event: content_block_delta", "event: content_block_stop", 1), "name-ignored")
	add("a key twice", strings.Replace(called, `"partial_json":"\"/a\"}"`, `"partial_json":"\"/a\"}","partial_json":"\"/b\"}"`, 1), "key-twice")
	add("invalid UTF-8", strings.Replace(plain, "Hello", "Hell\xff", 1), "invalid-utf8")
	add("stop reason taken back", named(mStart, mText, mSay, mStop0, mEnd, `{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":5}}`, mOver), "stop-taken-back")
	add("stop without usage", named(strings.Replace(mStart, `"output_tokens":1`, `"output_tokens":4`, 1), mText, mSay, mStop0, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, mOver), "usage-set-to-0")

	add("whole", `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Hello"},{"type":"tool_use","id":"toolu_1","name":"rm","input":{"path":"/a"}}],"stop_reason":"tool_use","usage":{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":3}}`, "")
	add("whole, cut", `{"id":"msg_1","type":"message","content":[{"type":"text","text":"Hel`, "")
	add("whole, an error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "error-as-answer")
	add("whole, of another API", `{"id":"skill_1","type":"skill_version","name":"x"}`, "not-an-answer")
	add("whole, without content", `{"id":"msg_1","type":"message","role":"assistant","model":"m","stop_reason":"end_turn"}`, "not-an-answer")
	add("whole, a key twice", `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"yes","text":"no"}],"stop_reason":"end_turn"}`, "key-twice")
	return all
}
