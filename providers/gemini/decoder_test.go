package gemini

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

// frame writes chunks as the API frames them, with the line ends that it has.
func frame(chunks ...string) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "data: %s\r\n\r\n", c)
	}
	return b.String()
}

// parts is a chunk with these parts.
func parts(parts string) string {
	return `{"candidates": [{"content": {"parts": [` + parts + `],"role": "model"},"index": 0}]}`
}

// ends is a chunk with a finish reason alone.
func ends(reason string) string { return `{"candidates":[{"finishReason":"` + reason + `"}]}` }

func says(text string) string { return parts(`{"text":"` + text + `"}`) }

// fc is a chunk with a functionCall.
func fc(members string) string { return parts(`{"functionCall":{` + members + `}}`) }

// piece is a chunk with a piece of a call that goes on.
func piece(path, value string) string {
	return fc(`"partialArgs":[{"jsonPath":"` + path + `",` + value + `}],"willContinue":true`)
}

const begun = "message  " // without id and model

var decodings = []struct {
	name, src string
	want      []string
}{
	{"nothing", "", nil},
	{"a text answer as recorded", frame(
		`{"candidates": [{"content": {"parts": [{"text": "Hi"}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 9,"totalTokenCount": 9,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 9}]},"modelVersion": "m","responseId": "r"}`,
		`{"candidates": [{"content": {"parts": [{"text": " 北 \u5317\ud83d\ude00 \"q\" \\ \/ \n"}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 9,"candidatesTokenCount": 4,"totalTokenCount": 33,"thoughtsTokenCount": 20},"modelVersion": "m","responseId": "r"}`),
		[]string{"message r m", "start 0 text", `text 0 "Hi"`, "usage in=9 out=0 read=0 write=0",
			`text 0 " 北 北😀 \"q\" \\ / \n"`, "stop 0", `reason "end_turn" in=9 out=24 read=0 write=0`, "end"}},

	// Calls.
	{"a call, whole, and STOP, which says nothing about it", frame(
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"add","args":{ "a" : 1.50, "b":"\u00e9" }}}]},"finishReason":"STOP","finishMessage":"Model generated function call(s)."}]}`),
		[]string{begun, "start 0 call name=add", `input 0 "{ \"a\" : 1.50, \"b\":\"\\u00e9\" }"`, "stop 0", `reason "end_turn"`, "end"}},
	{"calls with ids and signatures", frame(
		parts(`{"functionCall": {"name": "add","args": {"a": 2},"id": "x1"},"thoughtSignature": "Ep+/=="},{"functionCall":{"id":"x2","name":"now","args":{}}}`), ends("STOP")),
		[]string{begun, "start 0 call id=x1 name=add", `sign 0 "Ep+/=="`, `input 0 "{\"a\": 2}"`, "stop 0", "start 1 call id=x2 name=now", `input 1 "{}"`, "stop 1", `reason "end_turn"`, "end"}},
	{"a call without args, and with null: no byte of input is made up", frame(fc(`"name":"a"`), fc(`"name":"b","args":null,"id":null`)),
		[]string{begun, "start 0 call name=a", "stop 0", "start 1 call name=b", "stop 1"}},
	{"the finish reason before its call", frame(ends("STOP"), fc(`"name":"a","args":{}`)),
		[]string{begun, `reason "end_turn"`, "start 0 call name=a", `input 0 "{}"`, "stop 0", "end"}},
	{"args that are no object are told as they are", frame(fc(`"name":"a","args":"{"`), fc(`"name":"b","args":[1]`)),
		[]string{begun, "start 0 call name=a", `input 0 "\"{\""`, "stop 0", "start 1 call name=b", `input 1 "[1]"`, "stop 1"}},
	{"a call without a name is one, if it says anything", frame(fc(`"args":{"a":1}`), fc(``)),
		[]string{begun, "start 0 call", `input 0 "{\"a\":1}"`, "stop 0", `other "functionCall without a name"`}},
	{"a call that says more", frame(fc(`"name":"a","args":{},"x":1`)),
		[]string{begun, `start 0 call name=a raw={"functionCall":{"name":"a","args":{},"x":1}}`, `input 0 "{}"`, "stop 0"}},
	{"words around calls", frame(says("one"), fc(`"name":"a","args":{}`), says("two"), ends("STOP")),
		[]string{begun, "start 0 text", `text 0 "one"`, "stop 0", "start 1 call name=a", `input 1 "{}"`, "stop 1", "start 2 text", `text 2 "two"`, "stop 2", `reason "end_turn"`, "end"}},

	// Calls in pieces.
	{"a call in pieces", frame(
		parts(`{"functionCall":{"name":"cook","willContinue":true},"thoughtSignature":"s"}`),
		piece("$.where", `"stringValue":"Bos","willContinue":true`),
		piece("$.where", `"stringValue":"ton \"\n","willContinue":true`),
		piece("$.where", `"stringValue":""`),
		fc(`"willContinue":true`),
		piece("$.list[0].n", `"numberValue":0.50`),
		piece("$.list[0].yes", `"boolValue":true`),
		piece("$.list[1].n", `"nullValue":"NULL_VALUE"`),
		piece("$['a b'].x[0][0]", `"numberValue":1`),
		fc(``), ends("STOP")),
		[]string{begun, "start 0 call name=cook", `sign 0 "s"`, `input 0 "{\"where\":\"Bos"`, `input 0 "ton \\\"\\n"`, `input 0 "\""`, "ping",
			`input 0 ",\"list\":[{\"n\":0.50"`, `input 0 ",\"yes\":true"`, `input 0 "},{\"n\":null"`, `input 0 "}],\"a b\":{\"x\":[[1"`, `input 0 "]]}}"`, "stop 0", `reason "end_turn"`, "end"}},
	{"the last piece ends the call, and the next call is another one", frame(
		fc(`"name":"a","willContinue":true`), fc(`"partialArgs":[{"jsonPath":"$.x","numberValue":1},{"jsonPath":"$.y","numberValue":2}]`),
		fc(`"name":"a","willContinue":true`), fc(`"willContinue":false`)),
		[]string{begun, "start 0 call name=a", `input 0 "{\"x\":1,\"y\":2"`, `input 0 "}"`, "stop 0", "start 1 call name=a", "stop 1"}},
	{"a call that said it goes on and did not is cut, whatever the reason says", frame(
		fc(`"name":"a","willContinue":true`), piece("$.x", `"stringValue":"ab","willContinue":true`), ends("MAX_TOKENS")),
		[]string{begun, "start 0 call name=a", `input 0 "{\"x\":\"ab"`, `reason "max_tokens"`, "end"}},
	{"so it is if something else begins", frame(fc(`"name":"a","willContinue":true`), fc(`"name":"b","args":{}`), says("x"), ends("STOP")),
		[]string{begun, "start 0 call name=a", "start 1 call name=b", `input 1 "{}"`, "stop 1", "start 2 text", `text 2 "x"`, "stop 2", `reason "end_turn"`, "end"}},
	{"a path that returns writes its name twice: not strict JSON, which the reader sees", frame(
		fc(`"name":"a","willContinue":true`), fc(`"partialArgs":[{"jsonPath":"$.x.y","numberValue":1},{"jsonPath":"$.z","numberValue":2},{"jsonPath":"$.x.w","numberValue":3}]`)),
		[]string{begun, "start 0 call name=a", `input 0 "{\"x\":{\"y\":1},\"z\":2,\"x\":{\"w\":3"`, `input 0 "}}"`, "stop 0"}},
	{"a string that never ended stays open", frame(fc(`"name":"a","willContinue":true`), fc(`"partialArgs":[{"jsonPath":"$.x","stringValue":"b","willContinue":true}]`)),
		[]string{begun, "start 0 call name=a", `input 0 "{\"x\":\"b"`, "stop 0"}},

	// Thoughts and signatures.
	{"thoughts, then words", frame(
		parts(`{"text": "hm ","thought": true}`), parts(`{"thought":true,"text":"so"}`), says("Hi"), ends("STOP")),
		[]string{begun, "start 0 thinking", `think 0 "hm "`, `think 0 "so"`, "stop 0", "start 1 text", `text 1 "Hi"`, "stop 1", `reason "end_turn"`, "end"}},
	{"thoughts that are signed", frame(parts(`{"text":"hm","thought":true,"thoughtSignature":"a"}`), parts(`{"text":"mh","thought":true}`), parts(`{"thought":true,"thoughtSignature":"b"}`), parts(`{"thought":true,"thoughtSignature":"c"}`)),
		[]string{begun, "start 0 thinking", `think 0 "hm"`, `sign 0 "a"`, "stop 0", "start 1 thinking", `think 1 "mh"`, `sign 1 "b"`, "stop 1", "start 2 thinking", `sign 2 "c"`, "stop 2"}},
	{"a signature behind the words, in a part without any", frame(says("4"), `{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"EpcC+/="}]},"finishReason":"STOP"}]}`),
		[]string{begun, "start 0 text", `text 0 "4"`, `sign 0 "EpcC+/="`, "stop 0", `reason "end_turn"`, "end"}},
	{"a signature behind a call, in a part without words", frame(fc(`"name":"a","args":{}`), parts(`{"text": "","thoughtSignature": "s"}`), ends("STOP")),
		[]string{begun, "start 0 call name=a", `input 0 "{}"`, "stop 0", `start 1 opaque raw={"text": "","thoughtSignature": "s"}`, "stop 1", `reason "end_turn"`, "end"}},
	{"a signature and nothing else", frame(parts(`{"thoughtSignature":"s"}`)), []string{begun, `start 0 opaque raw={"thoughtSignature":"s"}`, "stop 0"}},
	{"words behind a signature are another part", frame(parts(`{"text":"a","thoughtSignature":"s"}`), says("b")),
		[]string{begun, "start 0 text", `text 0 "a"`, `sign 0 "s"`, "stop 0", "start 1 text", `text 1 "b"`}},
	{"parts of one chunk are parts of their own", frame(says("a"), parts(`{"text":"b"},{"text":"c"}`), says("d"), parts(`{"text":""},{"text":"","thoughtSignature":"s"}`)),
		[]string{begun, "start 0 text", `text 0 "a"`, `text 0 "b"`, "stop 0", "start 1 text", `text 1 "c"`, `text 1 "d"`, "stop 1", `start 2 opaque raw={"text":"","thoughtSignature":"s"}`, "stop 2"}},
	{"empty words are a sign of life", frame(says("a"), says(""), parts(`{}`), parts(``), says("b")),
		[]string{begun, "start 0 text", `text 0 "a"`, "ping", "ping", "ping", `text 0 "b"`}},

	// Other parts.
	{"parts that are only carried", frame(
		parts(`{"executableCode":{"language":"PYTHON","code":"x"},"thoughtSignature":"s"},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`),
		parts(`{"toolCall":{"args":{"q":["x"]},"id":"i","toolType":"GOOGLE_SEARCH_WEB"}},{"toolResponse":{"id":"i","response":{}}}`),
		parts(`{"inlineData":{"mimeType":"image/png","data":"eA=="}},{"inlineData":{"mimeType":"audio/wav","data":"eA=="}},{"fromTheFuture":[1]}`)),
		[]string{begun, `start 0 opaque raw={"executableCode":{"language":"PYTHON","code":"x"},"thoughtSignature":"s"}`, "stop 0",
			`start 1 opaque raw={"codeExecutionResult":{"outcome":"OUTCOME_OK"}}`, "stop 1",
			`start 2 server_call id=i name=GOOGLE_SEARCH_WEB raw={"toolCall":{"args":{"q":["x"]},"id":"i","toolType":"GOOGLE_SEARCH_WEB"}}`, `input 2 "{\"q\":[\"x\"]}"`, "stop 2",
			`start 3 server_result id=i raw={"toolResponse":{"id":"i","response":{}}}`, "stop 3",
			`start 4 image raw={"inlineData":{"mimeType":"image/png","data":"eA=="}}`, "stop 4",
			`start 5 opaque raw={"inlineData":{"mimeType":"audio/wav","data":"eA=="}}`, "stop 5",
			`start 6 opaque raw={"fromTheFuture":[1]}`, "stop 6"}},

	// How it ends.
	{"a candidate without content, content without parts, parts that are null", frame(
		`{"candidates":[{"index":0}]}`, `{"candidates":[{"content":{"role":"model"}}]}`, `{"candidates":[{"content":{"parts":null}}]}`, `{"candidates":[{"content":null}]}`, `{"candidates":[]}`, ends("STOP")),
		[]string{begun, "ping", "ping", "ping", "ping", `reason "end_turn"`, "end"}},
	{"MALFORMED_FUNCTION_CALL without content", frame(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print("}],"usageMetadata":{"promptTokenCount":5}}`),
		[]string{begun, `other "finishReason MALFORMED_FUNCTION_CALL: Malformed function call: print("`, `reason "MALFORMED_FUNCTION_CALL" in=5 out=0 read=0 write=0`, "end"}},
	{"MALFORMED_FUNCTION_CALL with a call", frame(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":{}}}]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}`),
		[]string{begun, "start 0 call name=a", `input 0 "{}"`, "stop 0", `other "finishReason MALFORMED_FUNCTION_CALL"`, `reason "MALFORMED_FUNCTION_CALL"`, "end"}},
	{"a compound reason behind thoughts ends them (coder/coder p28470)", frame(parts(`{"text":"hm","thought":true}`), ends("function_call_filter: MALFORMED_FUNCTION_CALL")),
		[]string{begun, "start 0 thinking", `think 0 "hm"`, "stop 0", `other "finishReason function_call_filter: MALFORMED_FUNCTION_CALL"`, `reason "function_call_filter: MALFORMED_FUNCTION_CALL"`, "end"}},
	{"reasons that mean a refusal", frame(ends("SAFETY"), ends("PROHIBITED_CONTENT"), ends("MODEL_ARMOR"), ends("RECITATION")),
		[]string{begun, `other "finishReason SAFETY"`, `reason "refusal"`, `other "finishReason PROHIBITED_CONTENT"`, `reason "refusal"`, `other "finishReason MODEL_ARMOR"`, `reason "refusal"`, `other "finishReason RECITATION"`, `reason "refusal"`, "end"}},
	{"words that are kept", frame(ends("UNEXPECTED_TOOL_CALL"), ends("OTHER"), ends("FROM_THE_FUTURE")),
		[]string{begun, `other "finishReason UNEXPECTED_TOOL_CALL"`, `reason "UNEXPECTED_TOOL_CALL"`, `other "finishReason OTHER"`, `reason "OTHER"`, `other "finishReason FROM_THE_FUTURE"`, `reason "FROM_THE_FUTURE"`, "end"}},
	{"no reason", frame(`{"candidates":[{"finishReason":null}]}`, ends(""), ends("FINISH_REASON_UNSPECIFIED"), `{"candidates":[{"finishReason":0}]}`), []string{begun, "ping", "ping", "ping"}},
	{"reasons that are numbers", frame(`{"candidates":[{"finishReason":1}]}`, `{"candidates":[{"finishReason":2}]}`, `{"candidates":[{"finishReason":3}]}`, `{"candidates":[{"finishReason":10}]}`),
		[]string{begun, `reason "end_turn"`, `reason "max_tokens"`, `other "finishReason 3"`, `reason "refusal"`, `other "finishReason 10"`, `reason "10"`, "end"}},
	{"a reason with every chunk, as models of old sent it", frame(
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`, `{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}`),
		[]string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "start 1 text", `text 1 "b"`, "stop 1", `reason "end_turn"`, "end"}},
	{"a reason in front of the words, as a gateway put it", frame(`{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}`, says("a"), ends("MAX_TOKENS")),
		[]string{begun, `reason "end_turn"`, "start 0 text", `text 0 "a"`, "stop 0", `reason "max_tokens"`, "end"}},
	{"a reason between rounds is not the end of the words behind it", frame(`{"candidates":[{"content":{"parts":[{"executableCode":{}}]},"finishReason":"STOP"}]}`, says("a")),
		[]string{begun, "start 0 opaque raw={\"executableCode\":{}}", "stop 0", `reason "end_turn"`, "start 1 text", `text 1 "a"`}},
	{"a prompt that is refused has no candidates", frame(`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT","blockReasonMessage":"No."},"usageMetadata":{"promptTokenCount":9},"modelVersion":"m","responseId":"r"}`),
		[]string{"message r m", `other "blockReason PROHIBITED_CONTENT: No."`, `reason "refusal" in=9 out=0 read=0 write=0`, "end"}},
	{"a prompt that is refused, by number", frame(`{"promptFeedback":{"blockReason":4}}`), []string{begun, `other "blockReason 4"`, `reason "refusal"`, "end"}},
	{"feedback that refuses nothing", frame(`{"promptFeedback":{"safetyRatings":[{"category":"x"}]}}`, `{"promptFeedback":null,"candidates":[]}`), []string{begun, "ping"}},
	{"a refusal behind words", frame(says("a"), `{"candidates":[{"finishReason":"SAFETY","safetyRatings":[{"blocked":true}]}]}`),
		[]string{begun, "start 0 text", `text 0 "a"`, "stop 0", `other "finishReason SAFETY"`, `reason "refusal"`, "end"}},
	{"an end without a reason is none", frame(says("a")), []string{begun, "start 0 text", `text 0 "a"`}},
	{"an error inside the stream", frame(says("a"), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`),
		[]string{begun, "start 0 text", `text 0 "a"`, "failure overloaded UNAVAILABLE: The model is overloaded. instream=true"}},
	{"an error with a candidate", frame(`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"error":{"code":500,"status":"INTERNAL"}}`),
		[]string{begun, "start 0 text", `text 0 "a"`, "failure server INTERNAL: the server reports an error and does not say which instream=true"}},

	// Usage.
	{"usage is cumulative, may leave out what it said, and counts the cache apart", frame(
		`{"candidates":[],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30,"thoughtsTokenCount":7,"toolUsePromptTokenCount":5}}`,
		`{"candidates":[],"usageMetadata":{"candidatesTokenCount":1,"trafficType":"ON_DEMAND"}}`,
		`{"usageMetadata":{"trafficType":"ON_DEMAND"}}`,
		`{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":110,"candidatesTokenCount":2,"cachedContentTokenCount":null}}`,
		`{"usageMetadata":{"promptTokenCount":1,"cachedContentTokenCount":2}}`),
		[]string{begun, "usage in=75 out=7 read=30 write=0", "usage in=75 out=8 read=30 write=0", "ping", `reason "end_turn" in=85 out=9 read=30 write=0`, "usage in=5 out=9 read=2 write=0", "end"}},

	// What is not the answer.
	{"what it found", frame(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"groundingMetadata":{"x":1},"citationMetadata":{},"avgLogprobs":-0.1,"tokenCount":1}]}`),
		[]string{begun, `other "groundingMetadata"`, "start 0 text", `text 0 "a"`}},
	{"other candidates", frame(`{"candidates":[{"index":0,"content":{"parts":[{"text":"a"}]}},{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}`),
		[]string{begun, "start 0 text", `text 0 "a"`, `other "candidate 1"`}},
	{"another answer in the same stream can only be noted", frame(
		`{"candidates":[],"responseId":"a"}`, `{"candidates":[],"responseId":"a"}`, `{"candidates":[]}`, `{"candidates":[],"responseId":"b"}`),
		[]string{"message a ", "ping", "ping", `other "another responseId"`}},
	{"a chunk of another kind", frame(`{}`, `{"type":"ping"}`), []string{`other "chunk without candidates"`, `other "chunk without candidates"`}},

	// Framing.
	{"LF, comments, an event line, a mark", "\ufeff: hello\n\nevent: message\ndata:" + says("a") + "\n\n:\n\ndata: " + ends("STOP") + "\n\n",
		[]string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}},
	{"a last event without its blank line is whole", strings.TrimSuffix(frame(says("a"), ends("STOP")), "\r\n\r\n"),
		[]string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}},
	{"a last event that is cut is none", frame(says("a")) + `data: {"candidates":[{"fin`, []string{begun, "start 0 text", `text 0 "a"`}},
	{"even behind a finish reason: the end did not come", frame(ends("STOP")) + `data: {"usageMeta`, []string{begun, `reason "end_turn"`}},

	// A JSON array.
	{"an array", "[" + says("a") + "\r\n,\r\n" + ends("STOP") + "\r\n]\r\n", []string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}},
	{"an array of nothing", " [ ] ", nil},
	{"an array behind a mark, on many lines", "\ufeff\n[{\n \"candidates\": [\n{\"content\": {\"parts\": [{\"text\": \"]}\\\"\\\\\"}]}}]\n}\n]", []string{begun, "start 0 text", `text 0 "]}\"\\"`}},
	{"an array that is cut between elements", "[" + ends("STOP") + ",", []string{begun, `reason "end_turn"`}},
	{"an array that is cut inside one", "[" + ends("STOP") + "," + says("a")[:20], []string{begun, `reason "end_turn"`}},
	{"an array of an error", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]`,
		[]string{"failure auth INVALID_ARGUMENT: API key not valid. Please pass a valid API key. instream=true"}},

	// What is not the protocol.
	{"not JSON", frame(says("a")) + "data: oops\n\n", []string{begun, "start 0 text", `text 0 "a"`, "error protocol: the event ending at line 4 of the stream, oops: the data is not strict JSON: invalid character 'o' at start of value"}},
	{"[DONE] of another protocol", frame(ends("STOP")) + "data: [DONE]\n\n", []string{begun, `reason "end_turn"`, `error protocol: the event ending at line 4 of the stream, [DONE]: the data is not strict JSON: invalid character 'D' at start of value within "/0" after offset 1`}},
	{"no object", frame(`[]`), []string{"error protocol: the event ending at line 2 of the stream, []: the data is []; want an object"}},
	{"a repeated name", frame(`{"candidates":[],"candidates":[]}`), []string{`error protocol: the event ending at line 2 of the stream, {"candidates":[],"candidates":[]}: the data is not strict JSON: duplicate object member name "candidates"`}},
	{"invalid UTF-8", frame(says("\xff")), []string{`error protocol: the event ending at line 2 of the stream, {"candidates": [{"content": {"parts": [{"text":"` + "\"}],\"role\":" + `...: the data is not strict JSON: invalid UTF-8 within "/candidates/0/content/parts/0/text" after offset 48`}},
	{"half a surrogate pair, in an array", "[" + says(`\ud800`) + "]", []string{"error protocol: element 1 of the array: the data is not strict JSON: invalid surrogate pair `\\ud800\"}],\"r` in string within \"/candidates/0/content/parts/0/text\" after offset 48"}},
	{"an array with something behind it", "[] x", []string{"error protocol: behind element 0 of the array comes \"x\"; want nothing"}},
	{"an array without a comma", "[{}{}]", []string{`other "chunk without candidates"`, "error protocol: behind element 1 of the array comes \"{\"; want a comma or the end"}},
	{"an array of something else", "[{},\xff]", []string{`other "chunk without candidates"`, `error protocol: behind element 1 of the array comes "\xff"; want an object`}},
	{"words that are all alike", frame(says("a"), says("b"), says("c"), says(`\n`), says(""), says("d"), `{"candidates": [{"content": {"parts": [{"text":"e"}],"role": "model"},"index": 1}]}`),
		[]string{begun, "start 0 text", `text 0 "a"`, `text 0 "b"`, `text 0 "c"`, `text 0 "\n"`, "ping", `text 0 "d"`, `other "candidate 1"`}},
	{"an array that ends with a comma", "[{},]", []string{`other "chunk without candidates"`, `error protocol: behind element 1 of the array comes "]"; want an object`}},
}

func TestDecoder(t *testing.T) {
	for _, c := range decodings {
		t.Run(c.name, func(t *testing.T) {
			asktest.Equal(t, asktest.Drain(NewDecoder(strings.NewReader(c.src))), c.want)
		})
	}
}
