package openai

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// chunks frames chunks as the API does; each is the inside of a chunk.
func chunks(list ...string) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",%s}\n\n", c)
	}
	return b.String()
}

// d is a chunk with a delta.
func d(delta string) string {
	return `"choices":[{"index":0,"delta":{` + delta + `},"logprobs":null,"finish_reason":null}],"usage":null`
}

// says is a chunk with text.
func says(text string) string { return d(`"content":` + string(strict.AppendString(nil, text))) }

// tc is a chunk with one entry of tool_calls.
func tc(entry string) string { return d(`"tool_calls":[{` + entry + `}]`) }

// fin is a chunk with a finish reason.
func fin(reason string) string {
	return `"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]`
}

const (
	done  = "data: [DONE]\n\n"
	first = "message chatcmpl-1 m"
	usage = `"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":4}}`
)

type decoding struct {
	name, src string
	want      []string
}

var chatDecodings = []decoding{
	{"nothing", "", nil},
	{"a text answer as OpenAI streams it", chunks(d(`"role":"assistant","content":"","refusal":null`), says("Hi"), says(" 北 é 😀 \"q\"\n"), d(`"content":"\u5317"`), fin("stop"), usage) + done,
		[]string{first, "start 0 text", `text 0 "Hi"`, `text 0 " 北 é 😀 \"q\"\n"`, `text 0 "北"`, "stop 0", `reason "end_turn"`, "usage in=5 out=5 read=4 write=0", "end"}},
	{"an answer of length zero", chunks(d(`"role":"assistant","content":""`), fin("stop")) + done, []string{first, `reason "end_turn"`, "end"}},
	{"empty deltas are signs of life", chunks(says("a"), d(`"content":""`), d(`"content":null`), d(``), says("b")), []string{first, "start 0 text", `text 0 "a"`, "ping", "ping", "ping", `text 0 "b"`}},

	// Stop reasons.
	{"finish stop with calls (anomalyco/opencode#14972)", chunks(tc(`"index":0,"id":"c1","type":"function","function":{"name":"echo","arguments":"{\"a\":1}"}`), fin("stop")) + done,
		[]string{first, "start 0 call id=c1 name=echo", `input 0 "{\"a\":1}"`, "stop 0", `reason "end_turn"`, "end"}},
	{"calls without an end: [DONE] is one (simonw/llm)", chunks(tc(`"index":0,"id":"0","type":"function","function":{"name":"v","arguments":"{}"}`)) + done,
		[]string{first, "start 0 call id=0 name=v", `input 0 "{}"`, "stop 0", "end"}},
	{"a reason and no [DONE] (zeroclaw-labs/zeroclaw p8663)", chunks(says("hi"), fin("stop")), []string{first, "start 0 text", `text 0 "hi"`, "stop 0", `reason "end_turn"`}},
	{"neither: the last block stays open", chunks(says("hi"), tc(`"index":0,"id":"c","function":{"name":"n","arguments":"{}"}`)),
		[]string{first, "start 0 text", `text 0 "hi"`, "stop 0", "start 1 call id=c name=n", `input 1 "{}"`}},
	{"tool calls", chunks(fin("tool_calls")), []string{first, `reason "tool_use"`}},
	{"function call", chunks(fin("function_call")), []string{first, `reason "tool_use"`}},
	{"length", chunks(says("a"), fin("length")), []string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "max_tokens"`}},
	{"content filter", chunks(says("a"), fin("content_filter")), []string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "refusal"`}},
	{"unknown (earendil-works/pi p1868)", chunks(says("x"), fin("model_context_window_exceeded")), []string{first, "start 0 text", `text 0 "x"`, "stop 0", `reason "model_context_window_exceeded"`}},
	{"unknown, compound (coder/coder p28470)", chunks(d(`"reasoning_content":"hm"`), fin("function_call_filter: MALFORMED_FUNCTION_CALL")),
		[]string{first, "start 0 thinking", `think 0 "hm"`, "stop 0", `reason "function_call_filter: MALFORMED_FUNCTION_CALL"`}},
	{"eos", chunks(fin("eos")), []string{first, `reason "eos"`}},
	{"no key, and empty (Z.ai, xAI)", chunks(`"choices":[{"index":0,"delta":{"content":"a"}}]`, `"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":""}]`, fin("stop")),
		[]string{first, "start 0 text", `text 0 "a"`, `text 0 "b"`, "stop 0", `reason "end_turn"`}},
	{"repeated with the usage (OpenRouter)", chunks(says("a"), fin("stop"), `"choices":[{"index":0,"delta":{"content":"","role":"assistant"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}`) + done,
		[]string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, `reason "end_turn" in=3 out=2 read=0 write=0`, "end"}},
	{"content in the last chunk (Mistral)", chunks(`"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3}`),
		[]string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn" in=3 out=0 read=0 write=0`}},
	{"content after the end (Together)", chunks(fin("stop"), says("late")), []string{first, `reason "end_turn"`, "start 0 text", `text 0 "late"`}},
	{"cut inside a call", chunks(tc(`"index":0,"id":"c","function":{"name":"sh","arguments":"{\"cmd\":\"rm -rf /tmp/x"}`)) + "data: {\"id\":\"chatcmpl-1\",\"choi",
		[]string{first, "start 0 call id=c name=sh", `input 0 "{\"cmd\":\"rm -rf /tmp/x"`}},
	{"cut by the limit, and the reason lies (MiaAI-Lab#55)", chunks(tc(`"index":0,"id":"c","function":{"name":"q","arguments":"{\"q\":\"abc"}`), fin("tool_calls")),
		[]string{first, "start 0 call id=c name=q", `input 0 "{\"q\":\"abc"`, "stop 0", `reason "tool_use"`}},

	// Refusals.
	{"a refusal (NousResearch/hermes-agent p91181)", chunks(d(`"role":"assistant","refusal":""`), d(`"refusal":"I can"`), d(`"refusal":"not"`), fin("stop")) + done,
		[]string{first, "start 0 text", `text 0 "I can"`, `text 0 "not"`, "stop 0", `reason "refusal"`, "end"}},
	{"a refusal after text", chunks(says("Step 1"), d(`"refusal":"No."`), fin("length")), []string{first, "start 0 text", `text 0 "Step 1"`, "stop 0", "start 1 text", `text 1 "No."`, "stop 1", `reason "refusal"`}},

	// Thinking.
	{"reasoning_content, then text, then a call", chunks(d(`"role":"assistant","content":null,"reasoning_content":"h"`), d(`"content":null,"reasoning_content":"m"`), says("a"), tc(`"index":0,"id":"c","function":{"name":"n","arguments":""}`), fin("tool_calls")),
		[]string{first, "start 0 thinking", `think 0 "h"`, `think 0 "m"`, "stop 0", "start 1 text", `text 1 "a"`, "stop 1", "start 2 call id=c name=n", "stop 2", `reason "tool_use"`}},
	{"reasoning under both names is one text", chunks(d(`"reasoning":"h","reasoning_content":"h"`), d(`"reasoning":"m","channel":"analysis"`)), []string{first, "start 0 thinking", `think 0 "h"`, `think 0 "m"`}},
	{"reasoning details are the signature (OpenRouter)", chunks(d(`"content":"","reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]`), d(`"reasoning_details":[{"type":"reasoning.text","signature":"Ep==","index":0}]`), says("a")),
		[]string{first, "start 0 thinking", `think 0 "h"`, `sign 0 "{\"type\":\"reasoning.text\",\"text\":\"h\",\"index\":0}"`, `sign 0 "{\"type\":\"reasoning.text\",\"signature\":\"Ep==\",\"index\":0}"`, "stop 0", "start 1 text", `text 1 "a"`}},
	{"reasoning in the details alone", chunks(d(`"reasoning_details":[{"type":"reasoning.summary","summary":"s"},{"type":"reasoning.encrypted","data":"x"}]`)),
		[]string{first, "start 0 thinking", `think 0 "s"`, `sign 0 "{\"type\":\"reasoning.summary\",\"summary\":\"s\"}"`, `sign 0 "{\"type\":\"reasoning.encrypted\",\"data\":\"x\"}"`}},
	{"content in parts (Mistral)", chunks(d(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]},{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}]`)),
		[]string{first, "start 0 thinking", `think 0 "h"`, "stop 0", "start 1 text", `text 1 "a"`, `other "content part"`}},

	// Calls.
	{"two calls as OpenAI streams them", chunks(
		d(`"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":""}}],"refusal":null`),
		tc(`"index":0,"function":{"arguments":"{\"p\""}`), tc(`"index":0,"function":{"arguments":":\"\\"}`), tc(`"index":0,"function":{"arguments":"n\"}"}`),
		tc(`"index":1,"id":"b","type":"function","function":{"name":"y","arguments":""}`), tc(`"index":1,"function":{"arguments":"{}"}`), fin("tool_calls"), usage) + done,
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"p\""`, `input 0 ":\"\\"`, `input 0 "n\"}"`, "stop 0", "start 1 call id=b name=y", `input 1 "{}"`, "stop 1", `reason "tool_use"`, "usage in=5 out=5 read=4 write=0", "end"}},
	{"two whole calls in one chunk, with the end", chunks(`"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}]`),
		[]string{first, "start 0 call id=a name=x", `input 0 "{}"`, "stop 0", "start 1 call id=b name=x", `input 1 "{}"`, "stop 1", `reason "tool_use"`}},
	{"no index: a new id begins a call (SamSaffron/term-llm p314)", chunks(tc(`"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}`), tc(`"id":"b","function":{"name":"y","arguments":"{}"}`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"p\":1}"`, "stop 0", "start 1 call id=b name=y", `input 1 "{}"`, "stop 1", `reason "tool_use"`}},
	{"no index: no id goes on, the same id too", chunks(tc(`"id":"a","function":{"name":"x","arguments":"{\"p\""}`), tc(`"function":{"arguments":":"}`), tc(`"id":"a","function":{"arguments":"1}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"p\""`, `input 0 ":"`, `input 0 "1}"`}},
	{"no index, no id: a name begins a call", chunks(tc(`"function":{"name":"x","arguments":"{}"}`), tc(`"function":{"name":"y","arguments":"{"}`), tc(`"function":{"name":"y","arguments":"}"}`), tc(`"function":{"name":"y","arguments":"{}"}`)),
		[]string{first, "start 0 call name=x", `input 0 "{}"`, "stop 0", "start 1 call name=y", `input 1 "{"`, `input 1 "}"`, "stop 1", "start 2 call name=y", `input 2 "{}"`}},
	{"no index, then one", chunks(tc(`"id":"a","function":{"name":"x","arguments":"{}"}`), tc(`"index":0,"id":"b","function":{"name":"y","arguments":"{"}`), tc(`"index":0,"function":{"arguments":"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{}"`, "stop 0", "start 1 call id=b name=y", `input 1 "{"`, `input 1 "}"`}},
	{"two entries of one index in a chunk (openai/openai-python#3201)", chunks(d(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}},{"index":0,"function":{"arguments":"{}"}}]`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{}"`}},
	{"input under another index, without an id (dirac-run/dirac p215)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\":"}`), tc(`"index":1,"function":{"arguments":"1}"}`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"k\":"`, `input 0 "1}"`, "stop 0", `reason "tool_use"`}},
	{"input under another index, under the same id", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"k\":"}`), tc(`"index":1,"id":"a","function":{"arguments":"1}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"k\":"`, `input 0 "1}"`}},
	{"ids a, empty, empty (langchain-ai/langchain#35395)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":0,"id":"","function":{"arguments":"\"p\":1"}`), tc(`"index":0,"id":"","function":{"name":null,"arguments":"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, `input 0 "\"p\":1"`, `input 0 "}"`}},
	{"two ids for one call (poolsideai/pool#9)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":""}`), tc(`"index":0,"id":"b","function":{"arguments":"{"}`), tc(`"index":0,"id":"b","function":{"arguments":"}"}`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", `other "another id of a call"`, `input 0 "{"`, `other "another id of a call"`, `input 0 "}"`, "stop 0", `reason "tool_use"`}},
	{"another id and the name on each piece", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":0,"id":"b","function":{"name":"x","arguments":"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, `other "another id of a call"`, `input 0 "}"`}},
	{"another id and the name, inside a string", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":\"\\\"}"}`), tc(`"index":0,"id":"b","function":{"name":"x","arguments":"\"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"p\":\"\\\"}"`, `other "another id of a call"`, `input 0 "\"}"`}},
	{"id and name repeated on each piece", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":0,"id":"a","function":{"name":"x","arguments":"}"}`), tc(`"index":0,"id":"a","function":{"name":"x","arguments":""}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, `input 0 "}"`, "ping"}},
	{"index 0 for every call (ollama/ollama#15457)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{\"p\":1}"}`), tc(`"index":0,"id":"b","function":{"name":"x","arguments":"{\"p\":\"]\"}"}`), tc(`"index":0,"id":"c","function":{"name":"y","arguments":""}`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", `input 0 "{\"p\":1}"`, "stop 0", "start 1 call id=b name=x", `input 1 "{\"p\":\"]\"}"`, "stop 1", "start 2 call id=c name=y", "stop 2", `reason "tool_use"`}},
	{"index 0 for every call, without ids", chunks(tc(`"index":0,"function":{"name":"x","arguments":"{}"}`), tc(`"index":0,"function":{"name":"x","arguments":"{}"}`)),
		[]string{first, "start 0 call name=x", `input 0 "{}"`, "stop 0", "start 1 call name=x", `input 1 "{}"`}},
	{"a name, then none, and a number for an id (AI-Shell-Team/aish p200)", chunks(tc(`"index":0,"id":7,"function":{"name":"bash","arguments":"{"}`), tc(`"index":0,"id":7,"function":{"name":"","arguments":"}"}`)),
		[]string{first, "start 0 call id=7 name=bash", `input 0 "{"`, `input 0 "}"`}},
	{"another name", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":0,"id":"a","function":{"name":"y","arguments":"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, `other "another name of a call"`, `input 0 "}"`}},
	{"no id at all (NousResearch/hermes-agent p115224)", chunks(tc(`"index":0,"id":null,"function":{"name":"x","arguments":"{}"}`), fin("tool_calls")), []string{first, "start 0 call name=x", `input 0 "{}"`, "stop 0", `reason "tool_use"`}},
	{"the id comes behind the start (use-agent-os/agent-os p3265)", chunks(tc(`"index":0,"type":"function"`), tc(`"index":0,"id":"a","function":{"name":"x"}`), tc(`"index":0,"function":{"arguments":"{}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{}"`}},
	{"the name comes behind the start", chunks(tc(`"index":0,"id":"a"`), tc(`"index":0,"function":{"name":"x","arguments":"{}"}`)), []string{first, "start 0 call id=a name=x", `input 0 "{}"`}},
	{"no name ever", chunks(tc(`"index":0,"id":"a"`), tc(`"index":1,"id":"b","function":{"name":""}`), fin("tool_calls")), []string{first, "start 0 call id=a", "stop 0", "start 1 call id=b", "stop 1", `reason "tool_use"`}},
	{"calls without arguments: null, absent, no function", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":null}`), tc(`"index":1,"id":"b","function":{"name":"y"}`), tc(`"index":2,"id":"c","function":null`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", "stop 0", "start 1 call id=b name=y", "stop 1", "start 2 call id=c", "stop 2", `reason "tool_use"`}},
	{"arguments that are an object (TGI)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":{ "a": 1.0 }}`)), []string{first, "start 0 call id=a name=x", `input 0 "{ \"a\": 1.0 }"`}},
	{"text between calls (Kimi)", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{}"}`), says(" "), tc(`"index":1,"id":"b","function":{"name":"y","arguments":"{}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{}"`, "stop 0", "start 1 text", `text 1 " "`, "stop 1", "start 2 call id=b name=y", `input 2 "{}"`}},
	{"an index that goes back: the reader judges", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":1,"id":"b","function":{"name":"y","arguments":""}`), tc(`"index":0,"function":{"arguments":"}"}`), tc(`"index":1,"function":{"arguments":"{}"}`), fin("tool_calls")),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, "stop 0", "start 1 call id=b name=y", `input 0 "}"`, `input 1 "{}"`, "stop 1", `reason "tool_use"`}},
	{"input behind the end: the reader judges", chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), fin("tool_calls"), tc(`"index":0,"function":{"arguments":"}"}`)),
		[]string{first, "start 0 call id=a name=x", `input 0 "{"`, "stop 0", `reason "tool_use"`, `input 0 "}"`}},
	{"a function call as it was before there were tools", chunks(d(`"function_call":{"name":"x","arguments":""}`), d(`"function_call":{"arguments":"{}"}`), fin("function_call")),
		[]string{first, "start 0 call name=x", `input 0 "{}"`, "stop 0", `reason "tool_use"`}},
	{"a custom tool", chunks(tc(`"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":""}`), tc(`"index":0,"custom":{"input":"ls "}`), tc(`"index":0,"custom":{"input":"-l"}`), fin("tool_calls")),
		[]string{first, `start 0 call id=a name=sh raw={"index":0,"id":"a","type":"custom","custom":{"name":"sh","input":""}}`, `input 0 "ls "`, `input 0 "-l"`, "stop 0", `reason "tool_use"`}},
	{"a call that says more (Gemini's signature)", chunks(tc(`"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}`)),
		[]string{first, `start 0 call id=a name=x raw={"index":0,"id":"a","type":"function","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}`, `input 0 "{}"`}},

	// Chunks.
	{"empty choices first (Azure) and last (microsoft/foundry-local#905)", "data: {\"choices\":[],\"created\":0,\"id\":\"\",\"model\":\"\",\"object\":\"\",\"prompt_filter_results\":[]}\n\n" + chunks(says("a"), fin("stop"), usage) + done,
		[]string{"ping", first, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "usage in=5 out=5 read=4 write=0", "end"}},
	{"choices that are null", chunks(says("a"), `"choices":null,"usage":{"prompt_tokens":1}`), []string{first, "start 0 text", `text 0 "a"`, "usage in=1 out=0 read=0 write=0"}},
	{"usage in every chunk grows, and leaves out what it said", chunks(d(`"content":"a"`)[:len(d(`"content":"a"`))-len(`"usage":null`)]+`"usage":{"prompt_tokens":7,"completion_tokens":1}`, `"choices":[],"usage":{"completion_tokens":3,"prompt_tokens_details":null}`),
		[]string{first, "start 0 text", `text 0 "a"`, "usage in=7 out=1 read=0 write=0", "usage in=7 out=3 read=0 write=0"}},
	{"more from the cache than there was (xAI)", chunks(`"choices":[],"usage":{"prompt_tokens":298,"completion_tokens":14,"prompt_tokens_details":{"cached_tokens":387}}`), []string{first, "usage in=0 out=14 read=387 write=0"}},
	{"written to the cache (OpenRouter, a gateway, DeepSeek)", chunks(`"choices":[],"usage":{"prompt_tokens":10,"prompt_tokens_details":{"cache_write_tokens":4}}`, `"choices":[],"usage":{"cache_creation_input_tokens":5}`, `"choices":[],"usage":{"prompt_cache_hit_tokens":2}`),
		[]string{first, "usage in=6 out=0 read=0 write=4", "usage in=5 out=0 read=0 write=5", "usage in=3 out=0 read=2 write=5"}},
	{"usage of Groq", chunks(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"id":"r","usage":{"prompt_tokens":2,"completion_tokens":1}}`), []string{first, `reason "end_turn" in=2 out=1 read=0 write=0`}},
	{"more than one choice", chunks(`"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":null},{"index":0,"delta":{"content":"a"},"finish_reason":null}]`, `"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]`),
		[]string{first, `other "choice 1"`, "start 0 text", `text 0 "a"`, `other "choice 1"`}},
	{"no index of the choice", chunks(`"choices":[{"delta":{"content":"a"}}]`), []string{first, "start 0 text", `text 0 "a"`}},
	{"a whole message as a chunk", chunks(`"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]`), []string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`}},
	{"another id in each chunk (microsoft/foundry-local#221)", "data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"a\",\"tool_calls\":[]},\"message\":{\"content\":\"a\"}}],\"error\":null}\n\ndata: {\"id\":\"2\",\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n",
		[]string{"message 1 m", "start 0 text", `text 0 "a"`, `text 0 "b"`}},
	{"members of a delta that nobody knows", chunks(d(`"content":"a","annotations":[{"url":"x"}],"audio":null,"images":[],"provider_metadata":{ }`)), []string{first, `other "annotations"`, "start 0 text", `text 0 "a"`}},
	{"a ping", "data: {\"type\":\"ping\"}\n\nevent: keepalive\ndata: {}\n\ndata: {\"object\":\"x\"}\n\n", []string{`other "chunk without choices"`, `other "keepalive"`, `other "x"`}},
	{"no id", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n", []string{"message  ", "start 0 text", `text 0 "a"`}},

	// Failures.
	{"an error in place of a chunk", chunks(says("a")) + "data: {\"error\":{\"message\":\"The server is overloaded\",\"type\":\"server_error\",\"code\":\"server_overloaded\"}}\n\n",
		[]string{first, "start 0 text", `text 0 "a"`, "failure overloaded server_overloaded: The server is overloaded instream=true"}},
	{"an error event (Groq)", chunks(says("a")) + "event: error\ndata: {\"error\":{\"message\":\"Tool call validation failed\",\"type\":\"invalid_request_error\",\"code\":\"tool_use_failed\",\"status_code\":400}}\n\n",
		[]string{first, "start 0 text", `text 0 "a"`, "failure invalid tool_use_failed: Tool call validation failed instream=true"}},
	{"an error event in plain text", "event: error\ndata: upstream died\n\n", []string{"failure unknown: upstream died instream=true"}},
	{"an error event around what looks like a chunk", chunks(says("a"), says("b")) + "event: error\n" + chunks(says("c")),
		[]string{first, "start 0 text", `text 0 "a"`, `text 0 "b"`, `failure unknown: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"c"},"logprobs":null,"finish_reason":null}],"usage":null} instream=true`}},
	{"an error event that is cut", "event: error\ndata: {\"error\":{\"mess", nil},
	{"an error with a last choice, its code a status (OpenRouter)", chunks(says("a"), `"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]`) + done,
		[]string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "error"`, "failure server 502: Provider disconnected instream=true", "end"}},
	{"an error that is its object (vLLM)", "data: {\"object\":\"error\",\"message\":\"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion).\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}\n\n",
		[]string{"failure overflow BadRequestError: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, 100 in the completion). instream=true"}},
	{"an error that is a string", "data: {\"error\":\"model not loaded\"}\n\n", []string{"failure unknown: model not loaded instream=true"}},
	{"an error that says nothing", "data: {\"error\":{\"message\":null}}\n\n", []string{`failure unknown: {"error":{"message":null}} instream=true`}},
	{"rate limited, inside the stream", "data: {\"error\":{\"code\":429,\"message\":\"slow down\"}}\n\n", []string{"failure rate_limited 429: slow down instream=true"}},

	// Framing.
	{"CRLF", strings.ReplaceAll(chunks(says("a"), says("b"))+done, "\n", "\r\n"), []string{first, "start 0 text", `text 0 "a"`, `text 0 "b"`, "stop 0", "end"}},
	{"comments before and between (OpenRouter)", ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + chunks(says("a")) + ": x\n\n" + chunks(fin("stop")) + "data:[DONE] \n\n", []string{first, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}},
	{"no blank line behind [DONE]", chunks(fin("stop")) + "data: [DONE]", []string{first, `reason "end_turn"`, "end"}},
	{"a field that nobody knows (gpustack)", chunks(says("a")) + "error: {\"x\":1}\n\n", []string{first, "start 0 text", `text 0 "a"`}},
	{"padding (obfuscation)", "data: {\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}],\"obfuscation\":\"aB3\"}\n\ndata: {\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"}}],\"obfuscation\":\"\"}\n\ndata: {\"id\":\"chatcmpl-1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"c\"}}],\"obfuscation\":\"xyzz\"}\n\n",
		[]string{first, "start 0 text", `text 0 "a"`, `text 0 "b"`, `text 0 "c"`}},

	// What is not the protocol.
	{"not JSON", chunks(says("a")) + "data: oops\n\n", []string{first, "start 0 text", `text 0 "a"`, "error protocol: the event ending at line 4 of the stream, oops: the data is not strict JSON: invalid character 'o' at start of value"}},
	{"a repeated name", "data: {\"choices\":[],\"choices\":[]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[],"choices":[]}: the data is not strict JSON: duplicate object member name "choices"`}},
	{"half a surrogate pair", "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud800\"}}]}\n\n", []string{"error protocol: the event ending at line 2 of the stream, {\"choices\":[{\"delta\":{\"content\":\"\\ud800\"}}]}: the data is not strict JSON: invalid surrogate pair `\\ud800\"}}]}` in string within \"/choices/0/delta/content\" after offset 33"}},
	{"an array", "data: []\n\n", []string{"error protocol: the event ending at line 2 of the stream, []: the data is []; want an object"}},
	{"empty data", "data:\n\n", []string{"error protocol: the event ending at line 2 of the stream, : the data is empty"}},
	{"choices of the wrong type", "data: {\"choices\":7}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":7}: choices is 7; want an array`}},
	{"a choice that is none", "data: {\"choices\":[7]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[7]}: choices[0] is 7; want an object`}},
	{"content of the wrong type", "data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[{"delta":{"content":7}}]}: choices[0].delta.content is 7; want a string`}},
	{"tool_calls of the wrong type", "data: {\"choices\":[{\"delta\":{\"tool_calls\":{}}}]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[{"delta":{"tool_calls":{}}}]}: choices[0].delta.tool_calls is {}; want an array`}},
	{"arguments of the wrong type", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":[1]}}]}}]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[{"delta":{"tool_calls":[{"function":{"arguments"...: choices[0].delta.tool_calls[0].arguments is [1]; want a string`}},
	{"an index that is none", "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-2}]}}]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[{"delta":{"tool_calls":[{"index":-2}]}}]}: choices[0].delta.tool_calls[0].index is -2; want a whole number`}},
	{"a reason of the wrong type", "data: {\"choices\":[{\"finish_reason\":7}]}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[{"finish_reason":7}]}: choices[0].finish_reason is 7; want a string`}},
	{"usage of the wrong type", "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":\"9\"}}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"choices":[],"usage":{"prompt_tokens":"9"}}: usage.prompt_tokens is "9"; want a whole number`}},
}

func TestChat(t *testing.T) { testDecodings(t, Chat, chatDecodings) }

func testDecodings(t *testing.T, api API, list []decoding) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			asktest.Equal(t, asktest.Drain(api.NewDecoder(strings.NewReader(c.src))), c.want)
			strict, _ := drainStrict(api, c.src)
			if !slices.Equal(strict, c.want) {
				t.Errorf("without templates: %s", diff(c.want, strict))
			}
			d := api.NewDecoder(strings.NewReader(c.src))
			whole := listen(d)
			if wrong := orderly(whole.events); wrong != "" {
				t.Error(wrong)
			}
			again := func(r io.Reader) told {
				d.Reset(r)
				return listen(d)
			}
			// The same bytes in any pieces give the same events (wire/split-blind).
			for n := 0; n <= len(c.src); n += stride {
				r := io.MultiReader(strings.NewReader(c.src[:n]), strings.NewReader(c.src[n:]))
				if got := again(r); !got.equal(whole) {
					t.Fatalf("cut at %d: %v; want %v", n, got, whole)
				}
			}
			if got := again(iotest.OneByteReader(strings.NewReader(c.src))); !got.equal(whole) {
				t.Fatalf("byte by byte: %v; want %v", got, whole)
			}
			// Cut anywhere, the end is clean and the events are the first ones of the whole.
			for n := 0; n < len(c.src); n += stride {
				got := again(strings.NewReader(c.src[:n]))
				if k := len(got.events); k > len(whole.events) || !slices.EqualFunc(got.events, whole.events[:k], same) || got.end != "EOF" && got.end != whole.end {
					t.Fatalf("ended at %d: %v", n, got)
				}
			}
		})
	}
}

// A call may come in 900 pieces.
func TestManyPieces(t *testing.T) {
	text := `{"text":"` + strings.Repeat(`\n`, 440) + `"}`
	var list []string
	list = append(list, tc(`"index":0,"id":"a","type":"function","function":{"name":"x","arguments":""}`))
	for i := range len(text) {
		list = append(list, tc(`"index":0,"function":{"arguments":`+string(strict.AppendString(nil, text[i:i+1]))+`}`))
	}
	var b strings.Builder
	dec := Chat.NewDecoder(strings.NewReader(chunks(append(list, fin("tool_calls"))...)))
	for {
		ev, err := dec.Next()
		if err != nil {
			break
		}
		if ev.Kind == providers.InputDelta {
			b.WriteString(ev.Text)
		}
	}
	if b.String() != text {
		t.Errorf("%d bytes of %d", b.Len(), len(text))
	}
}
