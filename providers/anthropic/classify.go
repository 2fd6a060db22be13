package anthropic

import (
	"cmp"
	"fmt"
	"net/http"
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
	e := &providers.Error{Status: status, RetryAfter: header.Get("Retry-After"), RequestID: header.Get("Request-Id"), NoRetry: header.Get("X-Should-Retry") == "false"}
	typ, code, message := classify.Read(body)
	tell(e, typ, code, message)
	if e.RequestID == "" {
		e.RequestID = requestID(body)
	}
	if at := header.Get("Location"); at != "" && status/100 == 3 {
		e.Message = fmt.Sprintf("the server redirects to %s; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives", at)
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	e.Message = shorten(e.Message)
	return e
}

// tell fills in what an error's words say.
func tell(e *providers.Error, typ, code, message string) {
	class, n := classify.Text(e.Status, typ, code, message)
	e.Class, e.Input, e.Asked, e.Window = class, n.Input, n.Asked, n.Window
	e.Type, e.Message = cmp.Or(typ, code), message
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
