package providers

import (
	"fmt"
	"strings"
)

// Class groups errors by what may be done about them. The recovery ladder
// decides on the class alone; it never reads a message.
type Class string

const (
	Unknown     Class = "unknown"      // nothing known: bounded like a server error, never retried for ever
	Network     Class = "network"      // no connection, reset or closed before the head
	Cut         Class = "cut"          // the stream broke off before it was complete
	Idle        Class = "idle"         // no byte, or no event, within its limit
	Timeout     Class = "timeout"      // 408, 504
	RateLimited Class = "rate_limited" // 429
	Overloaded  Class = "overloaded"   // 529, or overloaded_error inside a stream
	Server      Class = "server"       // other 5xx, api_error inside a stream
	Overflow    Class = "overflow"     // the prompt is longer than the model's window (tokens)
	TooLarge    Class = "too_large"    // 413: the body is larger than the API takes (bytes)
	MaxTokens   Class = "max_tokens"   // max_tokens is too large, beside the input or for the model: the limit asked for is the problem
	BadImage    Class = "image"        // an image of the request is refused: its size, its number, its kind
	Invalid     Class = "invalid"      // other 400, 404, 422: the same request can never succeed
	Auth        Class = "auth"         // 401, 403
	Protocol    Class = "protocol"     // bytes that are not the protocol: bad JSON, a delta for no block
	Canceled    Class = "canceled"     // our own context ended
)

// Retryable reports whether sending the same request again may help
// (mechanism D7: 408, 429, 5xx, 529, network, cut, idle).
func (c Class) Retryable() bool {
	switch c {
	case Network, Cut, Idle, Timeout, RateLimited, Overloaded, Server, Unknown:
		return true
	}
	return false
}

// Retryable reports whether sending the same request again may help.
func (e *Error) Retryable() bool { return !e.NoRetry && e.Class.Retryable() }

// Error is any failure of a provider call: of the network, of HTTP, or inside
// a stream that began with status 200 (anthropics/anthropic-sdk-python#1258).
type Error struct {
	Class   Class
	Status  int    // HTTP status; 0 when there was none
	Type    string // the provider's own error type, e.g. overloaded_error
	Message string // the provider's own text, cut to a sane length
	// Input, Asked and Window are the tokens of an Overflow or a MaxTokens where
	// the message tells them: of the prompt, of the limit asked for, and of what
	// the two together may be; so Window - Input may be asked for. 0: not told; a
	// limit on the answer alone has no Input.
	Input, Asked, Window int
	// RetryAfter is the raw Retry-After header, "" when absent.
	RetryAfter string
	// NoRetry: the server said x-should-retry: false. It knows better than the class.
	NoRetry   bool
	RequestID string
	InStream  bool  // arrived after the head
	Cause     error // the Go error below, if any
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Class))
	if e.Status != 0 {
		fmt.Fprintf(&b, " %d", e.Status)
	}
	if e.Type != "" {
		b.WriteString(" " + e.Type)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	} else if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }
