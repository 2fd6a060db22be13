package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// secretHeaders and secretParams never reach the log.
var (
	secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Amz-Security-Token"}
	secretParams  = []string{"key", "api_key", "api-key", "access_token", "token"}
)

// redact copies a header without credentials.
func redact(h http.Header) map[string][]string {
	out := h.Clone()
	for _, name := range secretHeaders {
		out.Del(name)
	}
	return out
}

// requestPath is path and query without credentials.
func requestPath(u *url.URL) string {
	path := u.EscapedPath()
	if u.RawQuery == "" {
		return path
	}
	params := strings.Split(u.RawQuery, "&")
	for i, p := range params {
		name, _, _ := strings.Cut(p, "=")
		if slices.Contains(secretParams, strings.ToLower(name)) {
			params[i] = name + "=redacted"
		}
	}
	return path + "?" + strings.Join(params, "&")
}
