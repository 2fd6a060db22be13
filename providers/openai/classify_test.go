package openai

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		class  providers.Class
		text   string // of the whole error
	}{
		{400, apiError("model_not_found", "no such model"), providers.Invalid, "invalid 400 model_not_found: no such model"},
		{401, apiError("invalid_api_key", "Incorrect API key provided"), providers.Auth, "auth 401 invalid_api_key: Incorrect API key provided"},
		{401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key"}}`, providers.Auth, "auth 401 401: Access denied due to invalid subscription key"}, // Azure
		{401, `{"detail":"Unauthorized"}`, providers.Auth, "auth 401: Unauthorized"},                                                                                               // Mistral
		{403, `{"error":{"message":"Country not supported","type":"request_forbidden"}}`, providers.Auth, ""},
		{404, apiError("model_not_found", "The model does not exist"), providers.Invalid, ""},
		{404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, providers.Invalid, "invalid 404 DeploymentNotFound: The API deployment for this resource does not exist."},
		{429, `{"error":{"message":"Rate limit reached for gpt-4o","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, providers.RateLimited, "rate_limited 429 rate_limit_exceeded: Rate limit reached for gpt-4o"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, providers.Auth, ""},
		{429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 200000, Requested 695212.","type":"tokens","code":"rate_limit_exceeded"}}`, providers.Overflow, ""},
		{429, `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"rate-limited upstream"}}}`, providers.RateLimited, ""}, // OpenRouter
		{500, `{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`, providers.Server, "server 500 server_error: The server had an error"},
		{502, "<html><title>502 Bad Gateway</title></html>", providers.Server, "server 502: 502 Bad Gateway"},
		{503, `{"error":{"message":"The engine is currently overloaded","type":"service_unavailable"}}`, providers.Server, ""},
		{504, "", providers.Timeout, "timeout 504: gateway timeout"},
		{413, "", providers.TooLarge, ""},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, providers.Overflow, ""},
		{400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, providers.Overflow, ""},
		{400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`, providers.MaxTokens, ""},
		{400, `{"error":{"message":"You uploaded an unsupported image. Please make sure your image is valid.","type":"invalid_request_error","param":null,"code":"invalid_image_format"}}`, providers.BadImage, ""},
		{400, `{"error":{"message":"Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.","type":"invalid_request_error","param":"messages[2]","code":"invalid_value"}}`, providers.Invalid, ""},
		{418, "tea", providers.Invalid, "invalid 418: tea"},
	} {
		e := Classify(c.status, http.Header{}, []byte(c.body))
		if e.Class != c.class || e.Status != c.status || e.InStream {
			t.Errorf("%d %s: %+v; want %s", c.status, c.body, e, c.class)
		}
		if c.text != "" && e.Error() != c.text {
			t.Errorf("%s\n got %s\nwant %s", c.body, e, c.text)
		}
	}
}

func TestClassifyNumbers(t *testing.T) {
	e := Classify(400, http.Header{}, []byte(`{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion).","code":"context_length_exceeded"}}`))
	if e.Class != providers.MaxTokens || e.Input != 8000 || e.Asked != 32000 || e.Window != 32768 {
		t.Errorf("%+v", e)
	}
}

func TestClassifyHead(t *testing.T) {
	for _, c := range []struct {
		header        []string
		after, id     string
		noRetry, want bool
	}{
		{[]string{"Retry-After", "30", "X-Request-Id", "req_1", "X-Should-Retry", "false"}, "30", "req_1", true, false},
		{[]string{"Retry-After", "1", "Retry-After-Ms", "0", "Apim-Request-Id", "az"}, "1", "az", false, true},
		{[]string{"Retry-After-Ms", "1500", "X-Should-Retry", "true"}, "2", "", false, true},
		{[]string{"Retry-After-Ms", "2000"}, "2", "", false, true},
		{[]string{"Retry-After-Ms", "-5"}, "", "", false, true},
		{[]string{"Retry-After-Ms", "soon"}, "", "", false, true},
		{[]string{"Retry-After-Ms", "NaN"}, "", "", false, true},
		{[]string{"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"}, "Wed, 21 Oct 2015 07:28:00 GMT", "", false, true},
	} {
		h := http.Header{}
		for i := 0; i < len(c.header); i += 2 {
			h.Set(c.header[i], c.header[i+1])
		}
		e := Classify(429, h, nil)
		if e.RetryAfter != c.after || e.RequestID != c.id || e.NoRetry != c.noRetry || e.Retryable() != c.want {
			t.Errorf("%v: %+v", c.header, e)
		}
	}
}

func TestClassifyCutsText(t *testing.T) {
	e := Classify(500, http.Header{}, []byte(strings.Repeat("é", ask.MostMessage)))
	if len(e.Message) > ask.MostMessage+3 || !utf8.ValidString(e.Message) || !strings.HasSuffix(e.Message, "...") {
		t.Errorf("%d bytes: %q", len(e.Message), e.Message[len(e.Message)-10:])
	}
}
