package gemini

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

var hello = &providers.Request{Model: "m", MaxTokens: 9, Stream: true, Messages: []providers.Message{user(said("Hi"))}}

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
		Example: DefaultBaseURL, Path: "/models/m:streamGenerateContent?alt=sse", IDHeader: "X-Request-Id",
		Begin: frame(says("a")), Rest: frame(ends("STOP")),
		Told: []string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}, Begun: 3,
		Message:       ` {"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"responseId":"i","modelVersion":"m"}`,
		MessageTold:   []string{"message i m", "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"},
		Error:         apiError,
		Names:         map[providers.Class]string{providers.Auth: "UNAUTHENTICATED", providers.Overloaded: "UNAVAILABLE", providers.Invalid: "INVALID_ARGUMENT"},
		Failure:       func(message string) string { return frame(apiError("INTERNAL", message)) },
		Mistyped:      func(word string) string { return `{"candidates":"` + word + `"}` },
		MistypedEvent: func(word string) string { return frame(`{"candidates":"` + word + `"}`) },
		Foreign:       `{"object":"chat.completion"}`, ForeignTold: "protocol: the answer's candidates is missing; want an array",
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
	for _, c := range []struct {
		cfg    Config
		lane   string
		model  string
		stream bool
		want   string
	}{
		{Config{}, "", "gemini-x", true, "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse map[Content-Type:[application/json]]"},
		{Config{BaseURL: "http://h:1/base//", APIKey: "k"}, providers.LaneTitle, "m", false, "http://h:1/base/models/m:generateContent map[Content-Type:[application/json] X-Goog-Api-Key:[k]]"},
		{Config{BaseURL: "http://h", BenchHeaders: true}, "", "tunedModels/a b", true, "http://h/tunedModels/a%20b:streamGenerateContent?alt=sse map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[main]]"},
		{Config{BaseURL: "http://h", BenchHeaders: true, Options: Options{Thoughts: true}}, providers.LaneTitle, "m", false, "http://h/models/m:generateContent map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[title]]"},
	} {
		req := *hello
		req.Attempt, req.Lane, req.Model, req.Stream = "a7", c.lane, c.model, c.stream
		c.cfg.HTTP = h
		st, err := New(c.cfg).Stream(context.Background(), &req)
		if err != nil {
			t.Fatal(err)
		}
		st.Close()
		if s := fmt.Sprint(got.URL, " ", got.Header); got.Method != "POST" || s != c.want {
			t.Errorf("\n got %s %s\nwant POST %s", got.Method, s, c.want)
		}
		e := Encoder{Options: c.cfg.Options}
		if want := e.Encode(nil, &req); !bytes.Equal(body, want) || got.ContentLength != int64(len(want)) {
			t.Errorf("\n got %s\nwant %s", body, want)
		}
	}
}

// A server or a gateway that does not know alt=sse answers with an array.
func TestClientReadsArrays(t *testing.T) {
	body := "[" + says("a") + "\r\n,\r\n" + ends("STOP") + "\r\n]"
	told := []string{begun, "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, "end"}
	ask := func(contentType string, body io.Reader) []string {
		st, err := New(Config{HTTP: asktest.Reply(200, contentType, body)}).Stream(context.Background(), hello)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		return asktest.Drain(st)
	}
	asktest.Equal(t, ask("application/json; charset=UTF-8", strings.NewReader(body)), told)
	asktest.Equal(t, ask("", iotest.OneByteReader(strings.NewReader("\ufeff "+body))), told)
	asktest.Equal(t, ask("application/json", io.MultiReader(strings.NewReader(body[:len(body)-30]), iotest.ErrReader(io.ErrUnexpectedEOF))),
		append(told[:3:3], "error cut: the answer broke off: the connection was closed too early"))
}
