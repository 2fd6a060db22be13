package anthropic

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/providers"
)

// mostMessage is the most that is kept of a provider's own text.
const mostMessage = 1 << 10

// Classify turns an HTTP answer that is not a success into one typed error. The
// status decides; the API's own error type, and for the three failures of size
// its text, refine it (D3). The body need not be JSON, nor be there at all.
func Classify(status int, header http.Header, body []byte) *providers.Error {
	e := &providers.Error{Status: status, RetryAfter: header.Get("Retry-After"), RequestID: header.Get("Request-Id"), NoRetry: header.Get("X-Should-Retry") == "false"}
	e.Type, e.Message = errorText(body)
	if e.RequestID == "" {
		e.RequestID = requestID(body)
	}
	if at := header.Get("Location"); at != "" && status/100 == 3 {
		e.Message = fmt.Sprintf("the server redirects to %s; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives", at)
	}
	e.Class = classOf(status, e.Type, e.Message)
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	e.Message = shorten(e.Message)
	return e
}

// classOf classifies an error by HTTP status (0 inside a stream, where the
// status was 200), the API's error type, and its text.
func classOf(status int, typ, text string) providers.Class {
	named := classOfType(typ)
	class := classOfStatus(status)
	switch {
	case status == 0 || status/100 == 2:
		class = named
	case class == providers.Server && (named == providers.Overloaded || named == providers.Timeout || named == providers.RateLimited):
		class = named // a proxy's 500 around the API's own word
	case class == providers.Invalid && named != providers.Unknown && named != providers.Server:
		class = named // likewise a 400
	}
	switch class {
	case providers.Invalid, providers.TooLarge, providers.Unknown:
		if c, ok := classOfSize(text); ok {
			return c
		}
		if strings.Contains(typ, "context_length_exceeded") {
			return providers.Overflow
		}
	case providers.RateLimited:
		// A single request above the whole limit: waiting never helps.
		if n := numbersAfter(text, "Limit", "Requested"); n != nil && n[1] > n[0] {
			return providers.Overflow
		}
	}
	return class
}

func classOfStatus(status int) providers.Class {
	switch status {
	case 401, 402, 403:
		return providers.Auth
	case 408, 504, 524: // 524: a proxy's own timeout
		return providers.Timeout
	case 413:
		return providers.TooLarge
	case 429:
		return providers.RateLimited
	case 529:
		return providers.Overloaded
	}
	switch status / 100 {
	case 3, 4:
		return providers.Invalid
	case 5:
		return providers.Server
	}
	return providers.Unknown
}

// classOfType knows the error types of the Messages API.
func classOfType(typ string) providers.Class {
	switch typ {
	case "overloaded_error":
		return providers.Overloaded
	case "api_error":
		return providers.Server
	case "rate_limit_error":
		return providers.RateLimited
	case "timeout_error":
		return providers.Timeout
	case "request_too_large":
		return providers.TooLarge
	case "authentication_error", "permission_error", "billing_error":
		return providers.Auth
	case "invalid_request_error", "not_found_error":
		return providers.Invalid
	}
	return providers.Unknown
}

// classOfSize tells apart, by the texts that servers of this API are known to
// send, a prompt that does not fit the window (Overflow) from a limit on the
// answer that does not fit beside the prompt (MaxTokens). Bare words like
// "context" or "too large" prove nothing (OpenHands/OpenHands#10873).
func classOfSize(text string) (providers.Class, bool) {
	lower := strings.ToLower(text)
	has := func(s string) bool { return strings.Contains(lower, s) }
	switch {
	case has("prompt is too long"), has("input is too long"), has("context_length_exceeded"),
		has("exceeds the context window"), has("exceeds the model's context window"):
		return providers.Overflow, true

	// input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease ...
	case has("exceed context limit"):
		if n := numbersAfter(lower, "context limit:", "+", ">"); n != nil && n[0] >= n[2] {
			return providers.Overflow, true
		}
		return providers.MaxTokens, true

	// max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for ...
	case has("maximum allowed number of output tokens"):
		return providers.MaxTokens, true

	// vLLM and its like: This model's maximum context length is 32768 tokens. However, you requested
	// 40000 tokens (8000 in the messages, 32000 in the completion).
	case has("maximum context length is"):
		if n := numbersAfter(lower, "maximum context length is", "tokens ("); n != nil && n[1] < n[0] {
			return providers.MaxTokens, true
		}
		if n := numbersAfter(lower, "maximum context length is", "your request has"); n != nil && n[1] < n[0] {
			return providers.MaxTokens, true
		}
		return providers.Overflow, true
	}
	return "", false
}

// numbersAfter returns the numbers that follow the words, each looked for
// behind the one before; nil unless all are there.
func numbersAfter(text string, words ...string) []int {
	var found []int
	for _, w := range words {
		_, rest, ok := strings.Cut(text, w)
		if !ok {
			return nil
		}
		rest = strings.TrimLeft(rest, " :=")
		n, digits := 0, 0
		for digits < len(rest) && (rest[digits] >= '0' && rest[digits] <= '9' || digits > 0 && rest[digits] == ',') {
			if c := rest[digits]; c != ',' {
				if n = n*10 + int(c-'0'); n > 1<<40 {
					return nil
				}
			}
			digits++
		}
		if digits == 0 {
			return nil
		}
		found, text = append(found, n), rest[digits:]
	}
	return found
}

// errorText finds the error's type and text in a body: the API's own shape,
// those of gateways in front of it, HTML, or plain text.
func errorText(body []byte) (typ, text string) {
	body = bytes.TrimSpace(body)
	if check(body) != nil || !isKind(body, '{') {
		if s := string(body); strings.HasPrefix(s, "<") {
			return "", title(s)
		}
		return "", strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 4*mostMessage)]), "\ufffd")), " ")
	}
	var a arena
	str := func(v []byte) string {
		s, _ := a.text("", v)
		return s
	}
	for m := members(body); m.next(); {
		switch string(m.name) {
		case "error":
			if isKind(m.value, '"') {
				text = str(m.value)
			}
			if !isKind(m.value, '{') {
				continue
			}
			for e := members(m.value); e.next(); {
				switch string(e.name) {
				case "type":
					typ = str(e.value)
				case "message":
					text = str(e.value)
				case "code":
					if typ == "" {
						typ = str(e.value)
					}
				}
			}
			return typ, text
		case "message", "detail":
			if text == "" {
				text = str(m.value)
			}
		}
	}
	if text == "" {
		text = string(body)
	}
	return typ, text
}

// title is what an HTML error page says it is.
func title(page string) string {
	lower := strings.ToLower(page)
	from := strings.Index(lower, "<title>")
	to := strings.Index(lower, "</title>")
	if len(lower) != len(page) || from < 0 || to < from {
		return strings.Join(strings.Fields(page), " ")
	}
	return strings.TrimSpace(page[from+len("<title>") : to])
}

func requestID(body []byte) string {
	if check(body) != nil || !isKind(skipSpace(body), '{') {
		return ""
	}
	var a arena
	for m := members(body); m.next(); {
		if string(m.name) == "request_id" {
			id, _ := a.text("", m.value)
			return id
		}
	}
	return ""
}

// shorten cuts a text at a rune boundary.
func shorten(s string) string {
	if len(s) <= mostMessage {
		return s
	}
	n := mostMessage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
