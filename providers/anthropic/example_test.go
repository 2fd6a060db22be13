package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
)

const recorded = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":12,"output_tokens":1}}   }

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"add","input":{}}  }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 1, "}       }

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"b\": 2}"}  }

event: content_block_stop
data: {"type":"content_block_stop","index":0 }

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":40}}

event: message_stop
data: {"type":"message_stop"  }

`

// A server answers with a stream; the client hands out its events.
func ExampleClient() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, recorded)
	}))
	defer srv.Close()

	c := anthropic.New(anthropic.Config{BaseURL: srv.URL, APIKey: "key"})
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
			fmt.Println("because", ev.Text, "after", ev.Usage.In, "tokens in and", ev.Usage.Out, "out")
		}
	}
	// Output:
	// calls add toolu_1
	// input {"a": 1, "b": 2}
	// because tool_use after 12 tokens in and 40 out
	// EOF
}

// A stream that stops in the middle is not a success: no MessageStop comes.
func ExampleDecoder() {
	cut := recorded[:strings.Index(recorded, "event: message_delta")]
	d := anthropic.NewDecoder(strings.NewReader(cut))
	ended := false
	for {
		ev, err := d.Next()
		if err == io.EOF {
			fmt.Println("ended:", ended)
			return
		}
		ended = ended || ev.Kind == providers.MessageStop
	}
	// Output: ended: false
}

// What is not the protocol is one sentence, with its place.
func ExampleDecoder_protocolError() {
	d := anthropic.NewDecoder(strings.NewReader("event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":\"0\"}\n\n"))
	_, err := d.Next()
	var e *providers.Error
	fmt.Println(errors.As(err, &e), e.Class)
	fmt.Println(e.Message)
	// Output:
	// true protocol
	// the event ending at line 3 of the stream, content_block_stop: index is "0"; want a whole number
}

func ExampleClassify() {
	for _, answer := range []struct {
		status int
		body   string
	}{
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209231 tokens > 200000 maximum"}}`},
		{400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 188240 + 21333 > 200000"}}`},
		{413, "<html><head><title>413 Request Entity Too Large</title></head></html>"},
	} {
		e := anthropic.Classify(answer.status, http.Header{}, []byte(answer.body))
		fmt.Println(e.Class, e.Class.Retryable(), e.Message)
		if e.Class == providers.MaxTokens {
			fmt.Println("what may be asked for:", e.Window-e.Input)
		}
	}
	// Output:
	// overloaded true Overloaded
	// overflow false prompt is too long: 209231 tokens > 200000 maximum
	// max_tokens false input length and max_tokens exceed context limit: 188240 + 21333 > 200000
	// what may be asked for: 11760
	// too_large false 413 Request Entity Too Large
}

// The body of each request repeats the last one's messages; an Encoder encodes
// only what is new.
func ExampleEncoder() {
	var e anthropic.Encoder
	req := &providers.Request{Model: "m", MaxTokens: 10, Messages: []providers.Message{
		{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}},
	}}
	fmt.Printf("%s\n", e.Encode(nil, req))
	req.Messages = append(req.Messages,
		providers.Message{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.ToolCall, ID: "t", Name: "now"}}},
		providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: "t", Text: "12:00"}}},
	)
	fmt.Printf("%s\n", e.Encode(nil, req))
	// Output:
	// {"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}
	// {"model":"m","max_tokens":10,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"now","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"12:00"}]}]}
}
