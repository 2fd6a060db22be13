package anthropic

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
	"github.com/harnessbench/bench/providers/internal/strict"
)

func apiError(typ, message string) string {
	return `{"type":"error","error":{"type":"` + typ + `","message":"` + message + `"},"request_id":"req_011"}`
}

func TestClassify(t *testing.T) {
	nginx413 := "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
	for _, c := range []struct {
		status int
		body   string
		class  providers.Class
		text   string // of the whole error
	}{
		// The API's own.
		{400, apiError("invalid_request_error", "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."), providers.Invalid, "invalid 400 invalid_request_error: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."},
		{401, apiError("authentication_error", "invalid x-api-key"), providers.Auth, "auth 401 authentication_error: invalid x-api-key"},
		{402, apiError("billing_error", "no credit"), providers.Auth, "auth 402 billing_error: no credit"},
		{403, apiError("permission_error", "no"), providers.Auth, "auth 403 permission_error: no"},
		{404, apiError("not_found_error", "model: claude-x"), providers.Invalid, "invalid 404 not_found_error: model: claude-x"},
		{413, apiError("request_too_large", "Request exceeds the maximum size"), providers.TooLarge, "too_large 413 request_too_large: Request exceeds the maximum size"},
		{429, apiError("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"), providers.RateLimited, "rate_limited 429 rate_limit_error: Number of request tokens has exceeded your per-minute rate limit"},
		{500, apiError("api_error", "Internal server error"), providers.Server, "server 500 api_error: Internal server error"},
		{504, apiError("timeout_error", "Request timed out"), providers.Timeout, "timeout 504 timeout_error: Request timed out"},
		{529, apiError("overloaded_error", "Overloaded"), providers.Overloaded, "overloaded 529 overloaded_error: Overloaded"},

		// Size, in tokens: the prompt alone, or the prompt and the limit asked for.
		{400, apiError("invalid_request_error", "prompt is too long: 209231 tokens > 200000 maximum"), providers.Overflow, "overflow 400 invalid_request_error: prompt is too long: 209231 tokens > 200000 maximum"},
		{400, apiError("invalid_request_error", "Prompt is too long"), providers.Overflow, ""},
		{413, apiError("invalid_request_error", "prompt is too long: 209231 tokens > 200000 maximum"), providers.Overflow, ""},
		{400, `{"message":"Input is too long for requested model."}`, providers.Overflow, "overflow 400: Input is too long for requested model."},
		{400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, providers.Overflow, "overflow 400 context_length_exceeded: Your input exceeds the context window of this model."},
		{400, `{"error":{"code":"context_length_exceeded","message":"no"}}`, providers.Overflow, ""},
		{400, apiError("invalid_request_error", "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length or `max_tokens` and try again"), providers.MaxTokens, ""},
		{400, apiError("invalid_request_error", "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again"), providers.MaxTokens, ""},
		{400, apiError("invalid_request_error", "input length and `max_tokens` exceed context limit: 201000 + 8192 > 200000, decrease input length or `max_tokens` and try again"), providers.Overflow, ""},
		{400, apiError("invalid_request_error", "input length and `max_tokens` exceed context limit"), providers.MaxTokens, ""},
		{400, apiError("invalid_request_error", "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4"), providers.MaxTokens, ""},
		{400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion). Please reduce the length."}}`, providers.MaxTokens, ""},
		{400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 40100 tokens (40000 in the messages, 100 in the completion)."}}`, providers.Overflow, ""},
		{400, `{"message":"'max_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 8000 input tokens (40000 > 32768 - 8000)."}`, providers.MaxTokens, ""},
		{400, `{"message":"This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens."}`, providers.Overflow, ""},
		{429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 200000, Requested 695212."}}`, providers.Overflow, ""},
		{429, `{"error":{"message":"Rate limit reached: Limit 200000, Used 199000, Requested 5000."}}`, providers.RateLimited, ""},

		// Size, in bytes.
		{413, nginx413, providers.TooLarge, "too_large 413: 413 Request Entity Too Large"},
		{413, "", providers.TooLarge, "too_large 413: request entity too large"},
		{413, `{"message":"payload too large"}`, providers.TooLarge, ""},
		{400, apiError("request_too_large", "Request exceeds the maximum allowed number of bytes"), providers.TooLarge, ""},

		// Words that prove nothing.
		{400, apiError("invalid_request_error", "messages.1: unexpected context in tool_result"), providers.Invalid, ""},
		{400, apiError("invalid_request_error", "tools.0.custom.description: an image is too large to be described"), providers.Invalid, ""},
		{401, apiError("authentication_error", "prompt is too long"), providers.Auth, ""},
		{429, apiError("rate_limit_error", "prompt is too long"), providers.RateLimited, ""},
		{500, apiError("api_error", "prompt is too long"), providers.Server, ""},

		// Proxies in between.
		{500, apiError("overloaded_error", "Overloaded"), providers.Overloaded, ""},
		{503, apiError("rate_limit_error", "x"), providers.RateLimited, ""},
		{502, apiError("timeout_error", "x"), providers.Timeout, ""},
		{500, apiError("invalid_request_error", "x"), providers.Server, ""},
		{400, apiError("overloaded_error", "Overloaded"), providers.Overloaded, ""},
		{400, apiError("api_error", "x"), providers.Invalid, ""},
		{200, apiError("overloaded_error", "Overloaded"), providers.Overloaded, ""},
		{200, apiError("from_the_future", "x"), providers.Unknown, ""},
		{524, "<html><head><title>\nexample.com | 524: A timeout occurred\n</title></head>", providers.Timeout, "timeout 524: example.com | 524: A timeout occurred"},
		{502, "<html>no  title\n</html>", providers.Server, "server 502: <html>no title </html>"},
		{502, "upstream connect\n error", providers.Server, "server 502: upstream connect error"},
		{400, `{"detail":"Invalid model"}`, providers.Invalid, "invalid 400: Invalid model"},
		{400, `{"error":"bad"}`, providers.Invalid, "invalid 400: bad"},
		{400, `{"oops":1}`, providers.Invalid, `invalid 400: {"oops":1}`},
		{500, `{"error":{"type":"api_error","mess`, providers.Server, `server 500: {"error":{"type":"api_error","mess`},
		{500, "\xff\xfe", providers.Server, "server 500: \ufffd"},

		// Bare statuses.
		{408, "", providers.Timeout, "timeout 408: request timeout"},
		{409, "", providers.Invalid, ""},
		{418, "", providers.Invalid, ""},
		{422, "", providers.Invalid, ""},
		{429, "", providers.RateLimited, ""},
		{500, "", providers.Server, ""},
		{503, "", providers.Server, ""},
		{504, "", providers.Timeout, ""},
		{529, "", providers.Overloaded, "overloaded 529"},
		{599, "", providers.Server, ""},
		{304, "", providers.Invalid, ""},
		{101, "", providers.Unknown, ""},
		{999, "", providers.Unknown, "unknown 999"},
	} {
		e := Classify(c.status, http.Header{}, []byte(c.body))
		if e.Class != c.class || c.text != "" && e.Error() != c.text || e.Status != c.status || e.InStream {
			t.Errorf("%d %s\n got %s %v\nwant %s %s", c.status, c.body, e.Class, e, c.class, c.text)
		}
		if strings.Contains(c.body, "req_011") && e.RequestID != "req_011" {
			t.Errorf("%d %s: request id %q", c.status, c.body, e.RequestID)
		}
	}
}

// The numbers of a size, which say by how much it is missed, are told too, in a
// stream as well.
func TestClassifyNumbers(t *testing.T) {
	for _, c := range []struct {
		text                 string
		class                providers.Class
		input, asked, window int
	}{
		{"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again", providers.MaxTokens, 188240, 21333, 200000},
		{"prompt is too long: 209231 tokens > 200000 maximum", providers.Overflow, 209231, 0, 200000},
		{"max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514", providers.MaxTokens, 0, 100000, 64000},
		{"messages.1.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB maximum: 5577016 bytes > 5242880 bytes", providers.BadImage, 0, 0, 0},
		{"Could not process image", providers.BadImage, 0, 0, 0},
	} {
		body := apiError("invalid_request_error", c.text)
		ev, err := NewDecoder(strings.NewReader(frame(body))).Next()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*providers.Error{Classify(400, http.Header{}, []byte(body)), ev.Err} {
			if e.Class != c.class || e.Input != c.input || e.Asked != c.asked || e.Window != c.window || e.Retryable() {
				t.Errorf("%s: %+v", c.text, e)
			}
		}
	}
}

// D3, the other way round: words are an error's only where the API says them.
// Here the prompt, a tool's result and the answer are full of them.
func TestWordsThatAreNoError(t *testing.T) {
	const words = `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209231 tokens > 200000 maximum"}} image exceeds 5 MB maximum, request_too_large, context_length_exceeded`
	req := &providers.Request{Model: "m", MaxTokens: 9, Stream: true, Messages: []providers.Message{
		user(providers.Block{Kind: providers.Text, Text: words}),
		assistant(providers.Block{Kind: providers.ToolCall, ID: "t", Name: "n"}),
		user(providers.Block{Kind: providers.ToolResult, ID: "t", Text: words, IsError: true}),
	}}
	says := `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":` + string(strict.AppendString(nil, words)) + `}}`
	stream := frame(msgStart, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, says, `{"type":"content_block_stop","index":0}`, msgStop)
	var sent string
	c := New(Config{HTTP: &http.Client{Transport: asktest.Transport(func(r *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(r.Body)
		sent = string(b)
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(stream)), Request: r}, err
	})}})
	st, err := c.Stream(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	asktest.Equal(t, asktest.Drain(st), []string{"message msg_1 m in=5 out=1 read=0 write=0", "start 0 text", fmt.Sprintf("text 0 %q", words), "stop 0", "end"})
	if strings.Count(sent, "context_length_exceeded") != 2 {
		t.Errorf("sent %s", sent)
	}

	// A refusal for another reason stays what it is, whatever was sent.
	e := Classify(400, http.Header{}, []byte(apiError("invalid_request_error", "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: t.")))
	if e.Class != providers.Invalid {
		t.Error(e)
	}
}

func TestClassifyHeader(t *testing.T) {
	for _, raw := range []string{"30", "0", "Wed, 21 Oct 2026 07:28:00 GMT", "soon", ""} {
		h := http.Header{}
		h.Set("Retry-After", raw)
		h.Set("Request-Id", "req_9")
		e := Classify(429, h, []byte(apiError("rate_limit_error", "x")))
		if e.RetryAfter != raw || e.RequestID != "req_9" {
			t.Errorf("%q, %q; want %q, req_9", e.RetryAfter, e.RequestID, raw)
		}
	}
	h := http.Header{}
	h.Set("Location", "https://example.com/login")
	want := "invalid 302: the server redirects to https://example.com/login; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives"
	if e := Classify(302, h, nil); e.Error() != want {
		t.Error(e)
	}
}

func TestClassifyCutsLongTexts(t *testing.T) {
	e := Classify(500, http.Header{}, []byte(apiError("api_error", "x"+strings.Repeat("é", 5000))))
	if len(e.Message) > ask.MostMessage+3 || !utf8.ValidString(e.Message) || !strings.HasSuffix(e.Message, "é...") {
		t.Errorf("%d bytes: %.20q...", len(e.Message), e.Message)
	}
}

// Inside a stream the status was 200: only the API's type, and for size its
// text, can tell (anthropics/anthropic-sdk-python#1258).
func TestFailureClasses(t *testing.T) {
	for _, c := range []struct {
		typ, text string
		class     providers.Class
	}{
		{"overloaded_error", "Overloaded", providers.Overloaded},
		{"api_error", "x", providers.Server},
		{"rate_limit_error", "x", providers.RateLimited},
		{"timeout_error", "x", providers.Timeout},
		{"invalid_request_error", "x", providers.Invalid},
		{"invalid_request_error", "prompt is too long: 5 tokens > 4 maximum", providers.Overflow},
		{"invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 4 > 4", providers.MaxTokens},
		{"request_too_large", "x", providers.TooLarge},
		{"authentication_error", "x", providers.Auth},
		{"permission_error", "x", providers.Auth},
		{"billing_error", "x", providers.Auth},
		{"not_found_error", "x", providers.Invalid},
		{"from_the_future", "prompt is too long", providers.Overflow},
		{"", "", providers.Unknown},
	} {
		ev, err := NewDecoder(strings.NewReader(frame(`{"type":"error","error":{"details":null,"type":"` + c.typ + `","message":"` + c.text + `"},"request_id":"req_5"}`))).Next()
		if err != nil || ev.Kind != providers.Failure || ev.Err.Class != c.class || ev.Err.Type != c.typ || ev.Err.Message != c.text || ev.Err.RequestID != "req_5" || !ev.Err.InStream {
			t.Errorf("%s %s: %+v %v; want %s", c.typ, c.text, ev.Err, err, c.class)
		}
	}
}
