package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/openai"
)

const recorded = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"add","arguments":""}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\": 1, "}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"b\": 2}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":12,"completion_tokens":40}}

data: [DONE]

`

// A server answers with a stream; the client hands out its events.
func ExampleAPI_New() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, recorded)
	}))
	defer srv.Close()

	c := openai.Chat.New(openai.Config{BaseURL: srv.URL + "/v1", APIKey: "key"})
	st, err := c.Stream(context.Background(), &providers.Request{
		Model: "m", MaxTokens: 100, Stream: true,
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "1+2?"}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	var input strings.Builder
	for {
		ev, err := st.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev.Kind {
		case providers.BlockStart:
			fmt.Println("calls", ev.Block.Name, ev.Block.ID)
		case providers.InputDelta:
			input.WriteString(ev.Text)
		case providers.BlockStop:
			fmt.Println("input", input.String())
		case providers.Stop:
			fmt.Println("because", ev.Text)
		case providers.UsageEvent:
			fmt.Println(ev.Usage.In, "tokens in and", ev.Usage.Out, "out")
		}
	}
	// Output:
	// calls add call_1
	// input {"a": 1, "b": 2}
	// because tool_use
	// 12 tokens in and 40 out
	// EOF
}

// A stream that stops in the middle is not a success: the call never ends, and
// no MessageStop comes.
func ExampleAPI_NewDecoder() {
	cut := recorded[:strings.Index(recorded, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},`)]
	d := openai.Chat.NewDecoder(strings.NewReader(cut))
	closed, ended := false, false
	for {
		ev, err := d.Next()
		if err == io.EOF {
			fmt.Println("the call ended:", closed, "the answer ended:", ended)
			return
		}
		closed = closed || ev.Kind == providers.BlockStop
		ended = ended || ev.Kind == providers.MessageStop
	}
	// Output: the call ended: false the answer ended: false
}

// Both APIs say the same request in their own words.
func ExampleAPI_EncodeRequest() {
	req := &providers.Request{Model: "m", MaxTokens: 10, System: "Be brief.", Messages: []providers.Message{
		{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}},
		{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.ToolCall, ID: "t", Name: "now"}}},
		{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: "t", Text: "no clock", IsError: true}}},
	}}
	fmt.Printf("%s\n", openai.Chat.EncodeRequest(nil, req))
	fmt.Printf("%s\n", openai.Responses.EncodeRequest(nil, req))
	// Output:
	// {"model":"m","max_completion_tokens":10,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"now","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t","content":"[tool error] no clock"}]}
	// {"model":"m","instructions":"Be brief.","max_output_tokens":10,"store":false,"input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"function_call","call_id":"t","name":"now","arguments":"{}"},{"type":"function_call_output","call_id":"t","output":"[tool error] no clock"}]}
}

func ExampleClassify() {
	for _, answer := range []struct {
		status int
		body   string
	}{
		{429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.","code":"context_length_exceeded"}}`},
	} {
		e := openai.Classify(answer.status, http.Header{}, []byte(answer.body))
		fmt.Println(e.Class, e.Class.Retryable(), e.Type)
	}
	// Output:
	// rate_limited true rate_limit_exceeded
	// auth false insufficient_quota
	// overflow false context_length_exceeded
}
