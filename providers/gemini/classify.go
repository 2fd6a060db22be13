package gemini

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/classify"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// Classify turns an HTTP answer that is not a success into one typed error, as
// package classify understands it. The body need not be JSON, nor be there at all.
// Without a Retry-After header, RetryAfter is the delay that the error's details
// tell, in whole seconds.
func Classify(status int, header http.Header, body []byte) *providers.Error {
	e, typ, code := ask.Refusal(status, header, body)
	d := detailsOf(body)
	if code == "" && d.reason != "" { // a key that is not valid is INVALID_ARGUMENT, and only this says more
		_, _, message := classify.Read(body)
		e.Class, _ = classify.Text(status, typ, d.reason, message)
	}
	e.Type = cmp.Or(typ, code)
	e.RetryAfter = cmp.Or(e.RetryAfter, d.retryAfter)
	e.RequestID = cmp.Or(headID(header), d.requestID)
	return e
}

// headID is the id to ask about that an answer's head tells. Google sends none;
// gateways in front of it do.
func headID(h http.Header) string { return h.Get("X-Request-Id") }

// failure is what an error means that came under status 200: as an event of a
// stream, or in place of a whole answer. data holds it, as the body of an HTTP
// error would.
func failure(data []byte) *providers.Error {
	typ, code, message := classify.Read(data)
	d := detailsOf(data)
	e := &providers.Error{InStream: true, Type: cmp.Or(typ, code), RetryAfter: d.retryAfter, RequestID: d.requestID}
	ask.Tell(e, d.status, typ, cmp.Or(code, d.reason), message)
	if e.Type == "" && d.status != 0 {
		e.Type = strconv.Itoa(d.status)
	}
	if e.Message == "" {
		e.Message = "the server reports an error and does not say which"
	}
	return e
}

// details is what Google's errors say beside their words.
type details struct {
	status     int    // as code
	reason     string // ErrorInfo
	retryAfter string // RetryInfo
	requestID  string // RequestInfo
}

func detailsOf(body []byte) (d details) {
	if strict.Check(body) != nil {
		return d
	}
	body = strict.SkipSpace(body)
	if strict.IsKind(body, '[') { // a stream that did not begin
		e := strict.Elements(body)
		if !e.Next() {
			return d
		}
		body = e.Value
	}
	failed := strict.Member(body, "error")
	if n, err := strict.Whole("", strict.Member(failed, "code")); err == nil && n >= 400 && n < 600 {
		d.status = n
	}
	list := strict.Member(failed, "details")
	if !strict.IsKind(list, '[') {
		return d
	}
	var a strict.Arena
	for e := strict.Elements(list); e.Next(); {
		read := func(name string) string {
			s, _ := a.TextOr("", strict.Member(e.Value, name)) // what is no string says nothing
			return s
		}
		switch kind := read("@type"); {
		case strings.HasSuffix(kind, "google.rpc.ErrorInfo"):
			d.reason = cmp.Or(d.reason, read("reason"))
		case strings.HasSuffix(kind, "google.rpc.RetryInfo"):
			d.retryAfter = cmp.Or(d.retryAfter, seconds(read("retryDelay")))
		case strings.HasSuffix(kind, "google.rpc.RequestInfo"):
			d.requestID = cmp.Or(d.requestID, read("requestId"))
		}
	}
	return d
}

// seconds is a duration of Google's ("34.4s") as Retry-After spells it, rounded
// up: too late is allowed. "" if it is none.
func seconds(s string) string {
	digits, ok := strings.CutSuffix(s, "s")
	f, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(f >= 0 && f < 1e9) {
		return ""
	}
	n := int64(f)
	if float64(n) < f {
		n++
	}
	return strconv.FormatInt(n, 10)
}
