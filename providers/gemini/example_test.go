package gemini_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/gemini"
)

const recorded = `data: {"candidates": [{"content": {"parts": [{"text": "I will add them."}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 12,"candidatesTokenCount": 5},"modelVersion": "gemini-2.5-flash","responseId": "r1"}

data: {"candidates": [{"content": {"parts": [{"functionCall": {"name": "add","args": {"a": 1,"b": 2}},"thoughtSignature": "Ep=="}],"role": "model"},"finishReason": "STOP","index": 0}],"usageMetadata": {"promptTokenCount": 12,"candidatesTokenCount": 20,"thoughtsTokenCount": 20},"modelVersion": "gemini-2.5-flash","responseId": "r1"}

`

// A server answers with a stream; the client hands out its events.
func ExampleNew() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, recorded)
	}))
	defer srv.Close()

	c := gemini.New(gemini.Config{BaseURL: srv.URL + "/v1beta", APIKey: "key"})
	st, err := c.Stream(context.Background(), &providers.Request{
		Model: "gemini-2.5-flash", MaxTokens: 100, Stream: true,
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "1+2?"}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	for {
		ev, err := st.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev.Kind {
		case providers.TextDelta:
			fmt.Println("says", ev.Text)
		case providers.BlockStart:
			if ev.Block.Kind == providers.ToolCall {
				fmt.Printf("calls %s, id %q\n", ev.Block.Name, ev.Block.ID)
			}
		case providers.SignatureDelta:
			fmt.Println("signed", ev.Text)
		case providers.InputDelta:
			fmt.Println("input", ev.Text)
		case providers.Stop:
			fmt.Println("because", ev.Text)
			fmt.Println(ev.Usage.In, "tokens in and", ev.Usage.Out, "out")
		}
	}
	// Output:
	// says I will add them.
	// calls add, id ""
	// signed Ep==
	// input {"a": 1,"b": 2}
	// because end_turn
	// 12 tokens in and 40 out
	// EOF
}

// A stream that stops in the middle is not a success: no MessageStop comes.
func ExampleNewDecoder() {
	d := gemini.NewDecoder(strings.NewReader(recorded[:len(recorded)-100]))
	ended := false
	for {
		ev, err := d.Next()
		if err == io.EOF {
			fmt.Println("the answer ended:", ended)
			return
		}
		ended = ended || ev.Kind == providers.MessageStop
	}
	// Output: the answer ended: false
}

// A result has the name of its call, and a signature goes back on the part that it
// came with.
func ExampleEncodeRequest() {
	req := &providers.Request{Model: "gemini-2.5-flash", MaxTokens: 10, Stream: true, Messages: []providers.Message{
		{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}},
		{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.ToolCall, ID: "t", Name: "now", Signature: "Ep=="}}},
		{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: "t", Text: "no clock", IsError: true}}},
	}}
	fmt.Println(gemini.PathOf(req))
	fmt.Printf("%s\n", gemini.EncodeRequest(nil, req))
	// Output:
	// /models/gemini-2.5-flash:streamGenerateContent?alt=sse
	// {"generationConfig":{"maxOutputTokens":10},"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"model","parts":[{"functionCall":{"id":"t","name":"now","args":{}},"thoughtSignature":"Ep=="}]},{"role":"user","parts":[{"functionResponse":{"id":"t","name":"now","response":{"error":"no clock"}}}]}]}
}

// Calls and results that have no ids on the wire have them when they are decoded.
func ExampleDecodeRequest() {
	req, err := gemini.DecodeRequest([]byte(`{"contents":[
		{"role":"model","parts":[{"functionCall":{"name":"add","args":{"a":1}}},{"functionCall":{"name":"now","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"now","response":{"output":"noon"}}},{"functionResponse":{"name":"add","response":{"output":"2"}}}]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			fmt.Println(b.Kind, b.ID, b.Name, b.Text, gemini.IsMade(b.ID))
		}
	}
	// Output:
	// call #1 add  true
	// call #2 now  true
	// result #2  noon true
	// result #1  2 true
}

func ExampleClassify() {
	e := gemini.Classify(429, http.Header{}, []byte(`{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}]}}`))
	fmt.Println(e.Class, e.Type, e.RetryAfter)
	// Output: rate_limited RESOURCE_EXHAUSTED 35
}
