package gemini

import (
	"net/http"
	"testing"

	"github.com/harnessbench/bench/providers"
)

func apiError(status, message string) string {
	return `{"error":{"code":400,"message":"` + message + `","status":"` + status + `","details":[]}}`
}

func detailed(code, status, message, details string) string {
	return `{"error":{"code":` + code + `,"message":"` + message + `","status":"` + status + `","details":[` + details + `]}}`
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		class  providers.Class
		text   string // of the whole error
	}{
		{400, apiError("INVALID_ARGUMENT", "Please use a valid role: user, model."), providers.Invalid, "invalid 400 INVALID_ARGUMENT: Please use a valid role: user, model."},
		{400, apiError("INVALID_ARGUMENT", "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."), providers.Invalid, ""},
		{400, detailed("400", "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"},{"@type":"type.googleapis.com/google.rpc.LocalizedMessage","message":"x"}`),
			providers.Auth, "auth 400 INVALID_ARGUMENT: API key not valid. Please pass a valid API key."},
		{400, detailed("400", "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SOMETHING"}`), providers.Overflow, ""},
		{400, apiError("INVALID_ARGUMENT", "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive)."), providers.MaxTokens, ""},
		{400, apiError("INVALID_ARGUMENT", "Provided image is not valid."), providers.BadImage, ""},
		{400, apiError("INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."), providers.TooLarge, ""},
		{400, apiError("FAILED_PRECONDITION", "User location is not supported for the API use."), providers.Invalid, "invalid 400 FAILED_PRECONDITION: User location is not supported for the API use."},
		{401, detailed("401", "UNAUTHENTICATED", "API key not valid.", ""), providers.Auth, "auth 401 UNAUTHENTICATED: API key not valid."},
		{403, detailed("403", "PERMISSION_DENIED", "no", ""), providers.Auth, ""},
		{404, detailed("404", "NOT_FOUND", "models/x is not found for API version v1beta", ""), providers.Invalid, ""},
		{429, detailed("429", "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan.", ""), providers.RateLimited, "rate_limited 429 RESOURCE_EXHAUSTED: You exceeded your current quota, please check your plan."},
		{500, detailed("500", "INTERNAL", "An internal error has occurred.", ""), providers.Server, ""},
		{503, detailed("503", "UNAVAILABLE", "The model is overloaded. Please try again later.", ""), providers.Overloaded, "overloaded 503 UNAVAILABLE: The model is overloaded. Please try again later."},
		{504, detailed("504", "DEADLINE_EXCEEDED", "Deadline expired.", ""), providers.Timeout, ""},
		// A stream that did not begin, without alt=sse.
		{400, "[" + apiError("INVALID_ARGUMENT", "no") + "\n]", providers.Invalid, "invalid 400 INVALID_ARGUMENT: no"},
		{502, "<html><title>502 Bad Gateway</title></html>", providers.Server, "server 502: 502 Bad Gateway"},
		{413, "", providers.TooLarge, "too_large 413: request entity too large"},
		{404, "Not Found", providers.Invalid, "invalid 404: Not Found"},
	} {
		e := Classify(c.status, http.Header{}, []byte(c.body))
		if e.Class != c.class || e.Status != c.status || e.InStream || e.RetryAfter != "" {
			t.Errorf("%d %s: %+v; want %s", c.status, c.body, e, c.class)
		}
		if c.text != "" && e.Error() != c.text {
			t.Errorf("%s\n got %s\nwant %s", c.body, e, c.text)
		}
	}
	if e := Classify(400, nil, []byte(apiError("INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."))); e.Input != 1196265 || e.Window != 1048575 {
		t.Errorf("%+v", e)
	}
}

// RetryInfo says what a Retry-After header would; where both are, the header does.
func TestRetryAfter(t *testing.T) {
	for _, c := range []struct{ header, details, want string }{
		{"", `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}`, "35"},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"7s"}`, "7"},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0s"}`, "0"},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.000000001s"}`, "1"},
		{"3", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.4s"}`, "3"},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"-1s"}`, ""},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"NaNs"}`, ""},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"soon"}`, ""},
		{"", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":{"seconds":3}}`, ""},
		{"", `7`, ""},
		{"", `{"retryDelay":"7s"}`, ""},
	} {
		h := http.Header{}
		if c.header != "" {
			h.Set("Retry-After", c.header)
		}
		body := detailed("429", "RESOURCE_EXHAUSTED", "slow", c.details)
		if e := Classify(429, h, []byte(body)); e.RetryAfter != c.want || e.Class != providers.RateLimited {
			t.Errorf("%s: %+v", c.details, e)
		}
		if e := failure([]byte(body)); c.header == "" && e.RetryAfter != c.want || e.Class != providers.RateLimited || !e.InStream {
			t.Errorf("in a stream, %s: %+v", c.details, e)
		}
	}
}

func TestRequestID(t *testing.T) {
	body := []byte(detailed("500", "INTERNAL", "no", `{"@type":"type.googleapis.com/google.rpc.RequestInfo","requestId":"r1"}`))
	if e := Classify(500, http.Header{}, body); e.RequestID != "r1" {
		t.Error(e.RequestID)
	}
	if e := Classify(500, http.Header{"X-Request-Id": {"r2"}}, body); e.RequestID != "r2" {
		t.Error(e.RequestID)
	}
	if e := failure(body); e.RequestID != "r1" {
		t.Error(e.RequestID)
	}
}
