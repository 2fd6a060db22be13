package protocol

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// Every protocol is found by its name and by the path of what its own client
// asks, reads its own request, and no other's path.
func TestProtocols(t *testing.T) {
	for _, p := range All() {
		if got, err := Named(p.Name); err != nil || got != p {
			t.Errorf("Named(%q) is %v, %v", p.Name, got, err)
		}
		var asked *http.Request
		var body []byte
		c := p.Client(Config{BaseURL: "http://bench.invalid" + p.Root, APIKey: "k", HTTP: &http.Client{Transport: round(func(r *http.Request) (*http.Response, error) {
			asked = r
			body, _ = io.ReadAll(r.Body)
			return &http.Response{StatusCode: 404, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}, Request: r}, nil
		})}})
		for _, stream := range []bool{true, false} {
			c.Stream(context.Background(), &providers.Request{Model: "some-model", MaxTokens: 10, Stream: stream, Messages: []providers.Message{
				{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}},
			}})
			if asked == nil {
				t.Fatalf("%s asks nothing", p.Name)
			}
			if got := Of(asked.URL.RequestURI()); got != p {
				t.Errorf("%s asks at %s, which is taken for %v", p.Name, asked.URL.RequestURI(), got)
			}
			req, err := p.DecodeRequest(asked.URL.RequestURI(), body)
			if err != nil || req.Model != "some-model" || req.MaxTokens != 10 || req.Stream != stream || len(req.Messages) != 1 {
				t.Errorf("%s reads its own request as %+v, %v", p.Name, req, err)
			}
		}
		if !strings.HasSuffix(p.Vendor, p.Root) || p.KeyVar == "" || p.BaseVar == "" {
			t.Errorf("%s: vendor %q, root %q, %q, %q", p.Name, p.Vendor, p.Root, p.KeyVar, p.BaseVar)
		}
	}
	if _, err := Named("smoke"); err == nil || !strings.Contains(err.Error(), "anthropic, chat, responses, gemini") {
		t.Errorf("Named of none: %v", err)
	}
	if Of("/v1/embeddings") != nil || Of("").Name != Anthropic {
		t.Error("a path is taken for what it is not")
	}
	if !slices.Equal(Names(), []string{Anthropic, Chat, Responses, Gemini}) {
		t.Error(Names())
	}
	All()[0] = nil
	if All()[0] == nil {
		t.Error("All hands out its own list")
	}
}

type round func(*http.Request) (*http.Response, error)

func (f round) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
