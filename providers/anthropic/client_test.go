package anthropic

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

func TestClient(t *testing.T) {
	asktest.Run(t, asktest.API{
		New: func(cfg asktest.Config) providers.Provider {
			c := New(Config{BaseURL: cfg.BaseURL, APIKey: cfg.Key, HTTP: cfg.HTTP})
			if cfg.MostWhole > 0 {
				c.http.MostWhole = cfg.MostWhole
			}
			return c
		},
		Encode:  EncodeRequest,
		Example: "https://api.anthropic.com", Path: "/v1/messages", IDHeader: "Request-Id",
		Begin: frame(msgStart), Rest: frame(delta(0, `{"type":"text_delta","text":"x"}`), msgStop),
		Told: []string{"message msg_1 m in=5 out=1 read=0 write=0", `text 0 "x"`, "end"}, Begun: 1,
		Message:     ` {"type":"message","id":"i","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn"}`,
		MessageTold: []string{"message i m", "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"},
		Error:       apiError,
		Names:       map[providers.Class]string{providers.Auth: "authentication_error", providers.Overloaded: "overloaded_error", providers.Invalid: "invalid_request_error"},
		Failure: func(message string) string {
			return frame(`{"type":"error","error":{"type":"api_error","message":"` + message + `"}}`)
		},
		Mistyped:      func(word string) string { return `{"type":"` + word + `"}` },
		MistypedEvent: func(word string) string { return frame(`{"type":"message_start","message":"` + word + `"}`) },
		Foreign:       `{"object":"chat.completion"}`, ForeignTold: `protocol: the answer's type is missing; want "message"`,
	})
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
		cfg  Config
		lane string
		want string
	}{
		{Config{}, "", "https://api.anthropic.com/v1/messages map[Anthropic-Version:[2023-06-01] Content-Type:[application/json]]"},
		{Config{BaseURL: "http://h:1/base//", APIKey: "k", Version: "v"}, providers.LaneTitle, "http://h:1/base/v1/messages map[Anthropic-Version:[v] Content-Type:[application/json] X-Api-Key:[k]]"},
		{Config{BaseURL: "http://h", BenchHeaders: true}, "", "http://h/v1/messages map[Anthropic-Version:[2023-06-01] Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[main]]"},
		{Config{BaseURL: "http://h", BenchHeaders: true}, providers.LaneTitle, "http://h/v1/messages map[Anthropic-Version:[2023-06-01] Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[title]]"},
	} {
		c.cfg.HTTP = h
		req.Lane = c.lane
		st, err := New(c.cfg).Stream(context.Background(), &req)
		if err != nil {
			t.Fatal(err)
		}
		st.Close()
		if s := fmt.Sprint(got.URL, " ", got.Header); got.Method != "POST" || s != c.want {
			t.Errorf("\n got %s %s\nwant POST %s", got.Method, s, c.want)
		}
		if want := EncodeRequest(nil, &req); !bytes.Equal(body, want) || got.ContentLength != int64(len(want)) {
			t.Errorf("\n got %s\nwant %s", body, want)
		}
	}
}
