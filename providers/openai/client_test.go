package openai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

var hello = &providers.Request{Model: "m", MaxTokens: 9, Stream: true, Messages: []providers.Message{user(providers.Block{Kind: providers.Text, Text: "Hi"})}}

func user(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.User, Blocks: blocks}
}

func assistant(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.Assistant, Blocks: blocks}
}

// apiError is an error as the API writes it.
func apiError(code, message string) string {
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","param":null,"code":"` + code + `"}}`
}

// client is what both APIs have in common.
func client(a API) asktest.API {
	return asktest.API{
		New: func(cfg asktest.Config) providers.Provider {
			c := a.New(Config{BaseURL: cfg.BaseURL, APIKey: cfg.Key, HTTP: cfg.HTTP})
			if cfg.MostWhole > 0 {
				c.http.MostWhole = cfg.MostWhole
			}
			return c
		},
		Encode:  a.EncodeRequest,
		Example: "https://api.openai.com/v1", Path: a.path(), IDHeader: "X-Request-Id",
		MessageTold: []string{"message i m", "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"},
		Error:       apiError,
		Names:       map[providers.Class]string{providers.Auth: "invalid_api_key", providers.Overloaded: "server_overloaded", providers.Invalid: "model_not_found"},
	}
}

func TestChatClient(t *testing.T) {
	c := client(Chat)
	c.Begin, c.Rest = chunks(says("x")), chunks(fin("stop"))+done
	c.Told, c.Begun = []string{first, "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"}, 3
	c.Message = ` {"id":"i","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`
	c.Failure = func(message string) string { return "data: " + apiError("server_error", message) + "\n\n" }
	c.Mistyped = func(word string) string { return `{"choices":"` + word + `"}` }
	c.MistypedEvent = func(word string) string { return "data: " + c.Mistyped(word) + "\n\n" }
	c.Foreign, c.ForeignTold = `{"type":"message"}`, "protocol: the answer's choices is missing; want an array"
	asktest.Run(t, c)
}

func TestResponsesClient(t *testing.T) {
	c := client(Responses)
	c.Begin, c.Rest = events(created, text(0, "x")), events(terminal("completed", message("x", "completed")))
	c.Told, c.Begun = []string{opening, "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"` + used, "end"}, 3
	c.Message = ` {"id":"i","object":"response","model":"m","status":"completed","output":[` + message("x", "completed") + `]}`
	c.Failure = func(message string) string {
		return events(`{"type":"error","code":"server_error","message":"` + message + `","param":null}`)
	}
	c.Mistyped = func(word string) string { return `{"output":"` + word + `"}` }
	c.MistypedEvent = func(word string) string {
		return events(`{"type":"response.output_item.added","output_index":"` + word + `"}`)
	}
	c.Foreign, c.ForeignTold = `{"object":"chat.completion"}`, "protocol: the answer's output is missing; want an array"
	asktest.Run(t, c)
}

func TestClientSends(t *testing.T) {
	var got *http.Request
	var body []byte
	h := &http.Client{Transport: asktest.Transport(func(r *http.Request) (*http.Response, error) {
		got = r
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})}
	req := *hello
	req.Attempt = "a7"
	for _, c := range []struct {
		api  API
		cfg  Config
		lane string
		want string
	}{
		{Chat, Config{}, "", "https://api.openai.com/v1/chat/completions map[Content-Type:[application/json]]"},
		{Responses, Config{}, "", "https://api.openai.com/v1/responses map[Content-Type:[application/json]]"},
		{Chat, Config{BaseURL: "http://h:1/base//", APIKey: "k", Options: Options{OldMaxTokens: true}}, providers.LaneTitle, "http://h:1/base/chat/completions map[Authorization:[Bearer k] Content-Type:[application/json]]"},
		{Responses, Config{BaseURL: "http://h", BenchHeaders: true, Options: Options{Encrypted: true}}, "", "http://h/responses map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[main]]"},
		{Chat, Config{BaseURL: "http://h", BenchHeaders: true}, providers.LaneTitle, "http://h/chat/completions map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[title]]"},
	} {
		c.cfg.HTTP = h
		req.Lane = c.lane
		st, err := c.api.New(c.cfg).Stream(context.Background(), &req)
		if err != nil {
			t.Fatal(err)
		}
		st.Close()
		if s := fmt.Sprint(got.URL, " ", got.Header); got.Method != "POST" || s != c.want {
			t.Errorf("\n got %s %s\nwant POST %s", got.Method, s, c.want)
		}
		e := Encoder{API: c.api, Options: c.cfg.Options}
		if want := e.Encode(nil, &req); !bytes.Equal(body, want) || got.ContentLength != int64(len(want)) {
			t.Errorf("\n got %s\nwant %s", body, want)
		}
	}
}
