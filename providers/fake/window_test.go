package fake

import (
	"net/http"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	codec "github.com/harnessbench/bench/providers/anthropic"
)

// TestWindow: what is too large is refused as the real API does, and takes no
// reply.
func TestWindow(t *testing.T) {
	k := newTalk(t, "window tokens=20 body=300\n\nreply times=2\n    text \"a\"\n")
	ask := func(n int) string { return body(user(text(strings.Repeat("x", n)))) } // max_tokens is 10
	for _, c := range []struct {
		bytes, status int
		want          string
	}{
		{81, 400, `"type":"invalid_request_error","message":"prompt is too long: 21 tokens > 20 maximum"`},
		{80, 400, "\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 20 + 10 > 20, decrease input length or `max_tokens` and try again\""},
		{41, 400, "exceed context limit: 11 + 10 > 20,"},
		{300, 413, `"type":"request_too_large","message":"Request exceeds the maximum size"`},
		{40, 200, ""},
	} {
		if status, b := k.raw("main", ask(c.bytes)); status != c.status || !strings.Contains(b, c.want) {
			t.Errorf("%d bytes: got %d %s", c.bytes, status, b)
		}
	}
	for _, ex := range k.srv.Exchanges()[:4] {
		if ex.Ending != "eof" || ex.Place != "f:1" {
			t.Errorf("got %q at %q", ex.Ending, ex.Place)
		}
	}
	if status, b := k.raw("main", ask(1)); status != 200 || k.srv.Findings() != nil || len(k.srv.Unused()) != 0 {
		t.Errorf("the second reply: got %d %s, %v %v", status, b, k.srv.Findings(), k.srv.Unused())
	}
}

// TestWindowWords: what the fake says is what the codec understands, with its
// numbers.
func TestWindowWords(t *testing.T) {
	for _, c := range []struct {
		tokens, asked int
		class         providers.Class
	}{
		{101, 1, providers.Overflow},
		{60, 41, providers.MaxTokens},
		{100, 1, providers.Overflow}, // nothing would be left to ask for
	} {
		q := &request{tokens: c.tokens, header: http.Header{}, neutral: providers.Request{Model: "m", MaxTokens: c.asked}}
		r := anthropic{}.overflow(q, 100)
		e := codec.Classify(r.Status, http.Header{}, anthropic{}.envelope(wireError{typ: r.Type, message: r.Message}, "req_1"))
		if e.Class != c.class || e.Input != c.tokens || e.Window != 100 || e.Asked != c.asked && c.tokens <= 100 {
			t.Errorf("%+v: %+v", c, e)
		}
	}
	q := &request{tokens: 60, neutral: providers.Request{Model: "m", MaxTokens: 40}}
	if r := (anthropic{}).overflow(q, 100); r != nil {
		t.Error(r)
	}
}

// TestEndsAtWindow: models from 4.5 on take a max_tokens that does not fit, but
// no prompt that does not.
func TestEndsAtWindow(t *testing.T) {
	for model, want := range map[string]bool{
		"claude-sonnet-4-5": true, "claude-sonnet-4-5-20250929": true, "claude-haiku-4-5@20251001": true, "us.anthropic.claude-opus-4-6-v1:0": true,
		"claude-opus-5": true, "anthropic/claude-sonnet-4.5": true,
		"claude-sonnet-4-20250514": false, "claude-opus-4-1-20250805": false, "claude-opus-4-1": false, "claude-sonnet-4": false, "claude-sonnet-4-0": false,
		"claude-3-7-sonnet-20250219": false, "claude-3-5-haiku-latest": false, "claude-2.1": false, "claude-instant-1.2": false,
		"bench-model": false, "claude-": false, "claude-sonnet-20250514": false, "": false,
	} {
		q := &request{tokens: 60, header: http.Header{}, neutral: providers.Request{Model: model, MaxTokens: 41}}
		if got := (anthropic{}).overflow(q, 100) == nil; got != want {
			t.Errorf("%s: taken is %v; want %v", model, got, want)
		}
		if q.tokens = 101; (anthropic{}).overflow(q, 100) == nil {
			t.Errorf("%s takes a prompt that is too long", model)
		}
		q.tokens = 60
		q.header.Add("Anthropic-Beta", "context-1m-2025-08-07, model-context-window-exceeded-2025-08-26")
		if r := (anthropic{}).overflow(q, 100); r != nil {
			t.Errorf("%s with the beta: %v", model, r)
		}
	}
}
