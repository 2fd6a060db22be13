package fake

import (
	"fmt"
	"net/http"
)

// geminiWords is an error of a script as Gemini says it: a status of Google's and
// its sentence. A type that the API does not know is sent in its spelling.
func geminiWords(status int, typ, message string) wireError {
	e := wireError{status: status, typ: spelled(typ), message: message}
	own, code := typ, 0
	switch typ {
	case "invalid_request_error":
		e.typ, code, own = "INVALID_ARGUMENT", 400, "Request contains an invalid argument."
	case "authentication_error":
		e.typ, code, own = "UNAUTHENTICATED", 401, "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
	case "permission_error":
		e.typ, code, own = "PERMISSION_DENIED", 403, "The caller does not have permission"
	case "billing_error":
		e.typ, code, own = "PERMISSION_DENIED", 403, "This API method requires billing to be enabled."
	case "not_found_error":
		e.typ, code, own = "NOT_FOUND", 404, "The model is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."
	case "request_too_large":
		e.typ, code, own = "INVALID_ARGUMENT", 413, "Request payload size exceeds the limit: 20971520 bytes."
	case "rate_limit_error":
		e.typ, code, own = "RESOURCE_EXHAUSTED", 429, "Resource has been exhausted (e.g. check quota)."
	case "api_error":
		e.typ, code, own = "INTERNAL", 500, "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
	case "timeout_error":
		e.typ, code, own = "DEADLINE_EXCEEDED", 504, "Deadline expired before operation could complete."
	case "overloaded_error":
		e.typ, code, own = "UNAVAILABLE", 503, "The model is overloaded. Please try again later."
	}
	if e.message == "" {
		e.message = own
	}
	if e.status == 0 { // inside a stream the error says it
		e.status = code
	}
	return e
}

// spelled is a word as Google spells those of an enum.
func spelled(word string) string {
	b := []byte(word)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// putGeminiError writes an error object. A code of 0 is left out.
func putGeminiError(b *builder, e wireError, newline, indent string) {
	b.put("{", newline, indent, `"error": {`, newline)
	if e.status != 0 {
		b.put(indent, indent, `"code": `)
		b.int(e.status)
		b.put(",", newline)
	}
	b.put(indent, indent, `"message": `)
	b.quote(e.message)
	b.put(",", newline, indent, indent, `"status": `)
	b.quote(e.typ)
	b.put(newline, indent, "}", newline, "}")
}

// geminiInvalid is a 400 of Gemini's.
func geminiInvalid(format string, args ...any) *Refusal {
	return &Refusal{Level: API, Status: http.StatusBadRequest, Type: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, args...)}
}

// geminiField is what the API says of one field; several would be one line each.
func geminiField(field, format string, args ...any) *Refusal {
	return geminiInvalid("* GenerateContentRequest.%s: %s\n", field, fmt.Sprintf(format, args...))
}
