package oracle

import (
	"fmt"
	"strings"
)

// parts is a chunk of Gemini with parts, and with more members of its candidate.
func parts(more string, list ...string) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},%s"index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"cachedContentTokenCount":4},"modelVersion":"m","responseId":"r1"}`, strings.Join(list, ","), more)
}

func geminiStreams() (all []stream) {
	add := func(name, body, kinds string) { all = append(all, stream{gemini, name, body, kinds}) }
	const stop = `"finishReason":"STOP",`
	say, end := parts("", `{"text":"Hel"}`), parts(stop, `{"text":"lo"}`)
	plain := data(say, end)
	const rm = `{"functionCall":{"id":"a","name":"rm","args":{"path":"/a"}}}`

	add("text", plain, "")
	add("CRLF", lines("\r\n", plain), "")
	add("call", data(parts("", rm), parts(stop, `{"text":""}`)), "")
	add("call without an id", data(parts(stop, `{"functionCall":{"name":"rm","args":{"path":"/a"}}}`)), "")
	add("call without arguments", data(parts(stop, `{"functionCall":{"name":"rm"}}`, `{"functionCall":{"name":"ls","args":{}}}`)), "")
	add("two calls of one id", data(parts(stop, rm, rm)), "")
	add("thoughts and signatures", data(parts("", `{"text":"hm","thought":true}`), parts("", `{"functionCall":{"name":"rm","args":{}},"thoughtSignature":"c2ln"}`), parts(stop, `{"text":"","thoughtSignature":"bW9yZQ=="}`)), "")
	add("no content", data(`{"candidates":[{"finishReason":"SAFETY","index":0}]}`), "")
	add("no parts", data(`{"candidates":[{"content":{"role":"model"},"finishReason":"MALFORMED_FUNCTION_CALL","index":0}]}`), "")
	add("prompt blocked", data(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":8}}`), "")
	add("cut by a limit", data(say, parts(`"finishReason":"MAX_TOKENS",`, `{"text":"l"}`)), "")
	add("a finish reason in every chunk", data(parts(stop, `{"text":"Hel"}`), end), "")
	add("usage-only chunk", data(say, end, `{"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":7,"thoughtsTokenCount":20}}`), "usage-of-the-last-chunk")
	add("second candidate", data(say, `{"candidates":[{"content":{"parts":[{"text":"no"}]},"index":1}]}`, end), "")
	add("code, its result, an image", data(parts("", `{"executableCode":{"language":"PYTHON","code":"1"}}`, `{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}`), parts(stop, `{"inlineData":{"mimeType":"image/png","data":"AA=="}}`)), "")
	add("error in the stream", data(say, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), "")
	add("data that is no JSON", data(say, `<html>`), "")
	add("last event without a blank line", strings.TrimSuffix(plain, "\n\n"), "")

	add("no finish reason", data(say), "end-unchecked")
	add("nothing at all", "", "end-unchecked")
	add("bytes end in an event", data(say)+"data: "+end[:40], "cut-is-an-error")
	add("array", "["+say+",\n"+end+"]", "array")
	add("comment", ": x\n\n"+plain, "only-data-lines")
	add("event names", strings.ReplaceAll(plain, "data:", "event: chunk\ndata:"), "only-data-lines")
	add("data in two lines", strings.Replace(plain, `,"index"`, "\ndata: ,\"index\"", 1), "only-data-lines")
	add("CR", lines("\r", plain), "only-data-lines")
	add("byte-order mark", "\ufeff"+plain, "only-data-lines")
	add("finish reason as a number", data(say, parts(`"finishReason":1,`, `{"text":"lo"}`)), "finish-reason-as-number")
	add("names with underscores", data(parts(stop, `{"function_call":{"name":"rm","args":{}}}`)), "names-with-underscores")
	add("large number", data(parts(stop, `{"functionCall":{"name":"rm","args":{"inode":9007199254740993}}}`)), "number-rounded")
	add("call in pieces", data(parts("", `{"functionCall":{"name":"rm","willContinue":true}}`), parts("", `{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"/","willContinue":true}],"willContinue":true}}`),
		parts("", `{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"a"}],"willContinue":true}}`), parts(stop, `{"functionCall":{}}`)), "pieces-unjoined")
	add("call in pieces, cut", data(parts("", `{"functionCall":{"name":"rm","willContinue":true}}`), parts(`"finishReason":"MAX_TOKENS",`, `{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"/","willContinue":true}],"willContinue":true}}`)), "pieces-unjoined")
	add("a key twice", data(parts(stop, `{"text":"yes","text":"no"}`)), "key-twice")
	add("invalid UTF-8", strings.Replace(plain, "Hel", "He\xff", 1), "invalid-utf8-replaced")
	add("text that is a number", data(parts(stop, `{"text":5}`)), "")
	add("unknown part", data(parts(stop, `{"dance":{"steps":1}}`)), "part-unknown")
	add("two answers", plain+strings.ReplaceAll(plain, "r1", "r2"), "")
	add("prompt blocked, in part told", data(say, `{"promptFeedback":{"blockReason":"SAFETY"}}`), "")

	add("whole", strings.TrimSpace(parts(stop, `{"text":"Hello"}`, rm)), "")
	add("whole, cut", `{"candidates":[{"content":{"par`, "")
	add("whole, an error", `{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}`, "error-as-answer")
	add("whole, without candidates", `{"modelVersion":"m"}`, "not-an-answer")
	add("whole, without a finish reason", parts("", `{"text":"Hello"}`), "")
	return all
}
