package fake

import (
	"fmt"
	"net/http"
)

// openaiWords is an error of a script as OpenAI's APIs say it. A type that they
// do not know is sent as it is.
func openaiWords(status int, typ, message string) wireError {
	e := wireError{status: status, typ: typ}
	own := typ
	switch typ {
	case "invalid_request_error":
	case "authentication_error":
		e.typ, e.code = "invalid_request_error", "invalid_api_key"
		own = "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys."
	case "permission_error":
		e.typ, e.code = "invalid_request_error", "permission_denied"
		own = "You have insufficient permissions for this operation."
	case "billing_error":
		e.typ, e.code = "insufficient_quota", "insufficient_quota"
		own = "You exceeded your current quota, please check your plan and billing details."
	case "not_found_error":
		e.typ, e.code = "invalid_request_error", "model_not_found"
		own = "The model does not exist or you do not have access to it."
	case "request_too_large":
		e.typ, e.code = "invalid_request_error", "payload_too_large"
		own = "Request entity too large"
	case "rate_limit_error":
		e.typ, e.code = "requests", "rate_limit_exceeded"
		own = "Rate limit reached for requests. Please try again later."
	case "api_error":
		e.typ = "server_error"
		own = "The server had an error while processing your request. Sorry about that!"
	case "timeout_error":
		e.typ, e.code = "server_error", "timeout_error"
		own = "Request timed out."
	case "overloaded_error":
		e.typ, e.code = "server_error", "server_overloaded"
		own = "The engine is currently overloaded, please try again later."
	}
	if e.message = message; message == "" {
		e.message = own
	}
	return e
}

// openaiEnvelope is the body of an HTTP error.
func openaiEnvelope(e wireError) []byte {
	var b builder
	b.put("{\n  \"error\": {\n    \"message\": ")
	b.quote(e.message)
	b.put(",\n    \"type\": ")
	b.quote(e.typ)
	b.put(",\n    \"param\": ")
	putOrNull(&b, e.param)
	b.put(",\n    \"code\": ")
	putOrNull(&b, e.code)
	b.put("\n  }\n}")
	return b.buf
}

// putOrNull writes a string, or null for none.
func putOrNull(b *builder, s string) {
	if s == "" {
		b.put("null")
		return
	}
	b.quote(s)
}

func openaiHeader(contentType, requestID string) http.Header {
	return http.Header{
		"Content-Type": {contentType}, "X-Request-Id": {requestID},
		"Openai-Version": {"2020-10-01"}, "Openai-Processing-Ms": {"1"},
	}
}

// openaiCreated is when every answer was made: a run depends on no clock.
const openaiCreated = "1767225600"

// openaiInvalid is a 400 of OpenAI's APIs. param and code are "" where they say
// none.
func openaiInvalid(param, code, format string, args ...any) *Refusal {
	return &Refusal{Level: API, Status: http.StatusBadRequest, Type: "invalid_request_error", Param: param, Code: code, Message: fmt.Sprintf(format, args...)}
}

// openaiTogether refuses a prompt that leaves no room for the answer it asks for.
func openaiTogether(param string, q *request, window int) *Refusal {
	asked := q.neutral.MaxTokens
	return openaiInvalid(param, "context_length_exceeded", "This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", window, q.tokens+asked, q.tokens, asked)
}
