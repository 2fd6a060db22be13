package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"github.com/harnessbench/bench/internal/cut"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/classify"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// MostMessage is the most that is kept of a provider's own text.
const MostMessage = 1 << 10

// Refusal turns an HTTP answer that is not a success into an error, as package
// classify understands it. The body need not be JSON, nor be there at all. typ
// and code are the names that it gives the error: which of them says more, and
// what the head's id is, the API knows.
func Refusal(status int, header http.Header, body []byte) (e *providers.Error, typ, code string) {
	e = &providers.Error{Status: status, RetryAfter: retryAfter(header), NoRetry: header.Get("X-Should-Retry") == "false"}
	typ, code, message := classify.Read(body)
	Tell(e, status, typ, code, message)
	if at := header.Get("Location"); at != "" && status/100 == 3 {
		e.Message = shorten(fmt.Sprintf("the server redirects to %s; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives", at))
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	return e, typ, code
}

// Tell fills in what an error's words say. status is HTTP's, 0 inside a stream,
// or one that stands among the words.
func Tell(e *providers.Error, status int, typ, code, message string) {
	class, n := classify.Text(status, typ, code, message)
	e.Class, e.Input, e.Asked, e.Window = class, n.Input, n.Asked, n.Window
	e.Message = shorten(message)
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

func shorten(s string) string {
	if len(s) <= MostMessage {
		return s
	}
	return cut.Head(s, MostMessage) + "..."
}

// ProtocolError says what is wrong with an answer that is not the protocol.
func ProtocolError(sentence string) *providers.Error {
	return &providers.Error{Class: providers.Protocol, Message: sentence, InStream: true}
}

// WholeObject checks that a whole answer is one strict JSON object, and returns
// it without the white space in front of it. want says what it should be.
func WholeObject(body []byte, want string) ([]byte, *providers.Error) {
	if err := strict.Check(body); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &providers.Error{Class: providers.Cut, InStream: true, Message: fmt.Sprintf("the answer broke off after %d bytes", len(body)), Cause: err}
		}
		return nil, ProtocolError("the answer is " + err.Error())
	}
	v := strict.SkipSpace(body)
	if v[0] != '{' {
		return nil, ProtocolError(strict.Mistyped("the answer", v, want).Error())
	}
	return v, nil
}

// brokenOff is what a read error behind the head means.
func brokenOff(err error) *providers.Error {
	return &providers.Error{Class: providers.Cut, Message: "the answer broke off: " + reason(err), InStream: true, Cause: err}
}

func canceled(ctx context.Context, inStream bool) *providers.Error {
	cause := context.Cause(ctx)
	return &providers.Error{Class: providers.Canceled, Message: cause.Error(), InStream: inStream, Cause: cause}
}

// reason is the innermost text of a network error: without addresses, which
// differ from run to run.
func reason(err error) string {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the connection was closed too early"
	}
	if sent := new(url.Error); errors.As(err, &sent) { // Post "URL": why
		err = sent.Err
	}
	return err.Error()
}
