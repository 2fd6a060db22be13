package openai

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/classify"
)

// mostMessage is the most that is kept of a provider's own text.
const mostMessage = 1 << 10

// Classify turns an HTTP answer that is not a success into one typed error, as
// package classify understands it. The body need not be JSON, nor be there at all.
func Classify(status int, header http.Header, body []byte) *providers.Error {
	e := &providers.Error{Status: status, RetryAfter: retryAfter(header), RequestID: requestID(header), NoRetry: header.Get("X-Should-Retry") == "false"}
	typ, code, message := classify.Read(body)
	tell(e, status, typ, code, message)
	if at := header.Get("Location"); at != "" && status/100 == 3 {
		e.Message = fmt.Sprintf("the server redirects to %s; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives", at)
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	e.Message = shorten(e.Message)
	return e
}

// retryAfter is the raw Retry-After header. Where only the one in milliseconds
// is there, it is that in seconds, rounded up: too late is allowed.
func retryAfter(h http.Header) string {
	if s := h.Get("Retry-After"); s != "" {
		return s
	}
	ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64)
	if err != nil || !(ms >= 0 && ms < 1e12) {
		return ""
	}
	s := int64(ms / 1000)
	if float64(s)*1000 < ms {
		s++
	}
	return strconv.FormatInt(s, 10)
}

// requestID is what to ask the provider about: OpenAI's own, or Azure's.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("X-Request-Id"), h.Get("Apim-Request-Id"))
}

// failure is what an error means that came under status 200: as an event of a
// stream, inside a chunk, or in place of a whole answer. data holds it somewhere,
// as the body of an HTTP error would; it need not be JSON.
func failure(data []byte) *providers.Error {
	e := &providers.Error{InStream: true}
	typ, code, message := classify.Read(data)
	status := innerStatus(data)
	tell(e, status, typ, code, message)
	if e.Type == "" && status != 0 {
		e.Type = strconv.Itoa(status)
	}
	if e.Message == "" {
		e.Message = "the server reports an error and does not say which"
	}
	e.Message = shorten(e.Message)
	return e
}

// innerStatus is the HTTP status that an error object tells, for want of another
// place: as its code (OpenRouter, vLLM), or beside it (Groq). 0 if none.
func innerStatus(data []byte) int {
	if check(data) != nil || !isKind(skipSpace(data), '{') {
		return 0
	}
	status, inner := 0, 0
	for m := members(data); m.next(); {
		if string(m.name) != "error" || !isKind(m.value, '{') {
			status = cmp.Or(statusIn(m), status)
			continue
		}
		for e := members(m.value); e.next(); {
			inner = cmp.Or(statusIn(e), inner)
		}
	}
	return cmp.Or(inner, status)
}

func statusIn(m walk) int {
	switch string(m.name) {
	case "code", "status_code", "status":
		n, err := whole("", []byte(strings.Trim(string(m.value), `"`))) // Azure quotes it
		if err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}

// tell fills in what an error's words say.
func tell(e *providers.Error, status int, typ, code, message string) {
	class, n := classify.Text(status, typ, code, message)
	e.Class, e.Input, e.Asked, e.Window = class, n.Input, n.Asked, n.Window
	e.Type, e.Message = cmp.Or(code, typ), message // the type is one of five for everything
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
