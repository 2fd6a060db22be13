package openai

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
func Classify(status int, header http.Header, body []byte) *providers.Error {
	e, typ, code := ask.Refusal(status, header, body)
	e.Type, e.RequestID = nameOf(typ, code), requestID(header)
	return e
}

// nameOf is the name of an error: its code, because its type is one of five for
// everything.
func nameOf(typ, code string) string { return cmp.Or(code, typ) }

// requestID is what to ask the provider about: OpenAI's own, or Azure's.
func requestID(h http.Header) string {
	return cmp.Or(h.Get("X-Request-Id"), h.Get("Apim-Request-Id"))
}

// failure is what an error means that came under status 200: as an event of a
// stream, inside a chunk, or in place of a whole answer. data holds it somewhere,
// as the body of an HTTP error would; it need not be JSON.
func failure(data []byte) *providers.Error {
	typ, code, message := classify.Read(data)
	status := innerStatus(data)
	e := &providers.Error{InStream: true, Type: nameOf(typ, code)}
	ask.Tell(e, status, typ, code, message)
	if e.Type == "" && status != 0 {
		e.Type = strconv.Itoa(status)
	}
	if e.Message == "" {
		e.Message = "the server reports an error and does not say which"
	}
	return e
}

// innerStatus is the HTTP status that an error object tells, for want of another
// place: as its code (OpenRouter, vLLM), or beside it (Groq). 0 if none.
func innerStatus(data []byte) int {
	data, err := strict.CheckObject("", data)
	if err != nil {
		return 0
	}
	status, inner := 0, 0
	for m := strict.Members(data); m.Next(); {
		if string(m.Name) != "error" || !strict.IsKind(m.Value, '{') {
			status = cmp.Or(statusIn(m), status)
			continue
		}
		for e := strict.Members(m.Value); e.Next(); {
			inner = cmp.Or(statusIn(e), inner)
		}
	}
	return cmp.Or(inner, status)
}

func statusIn(m strict.Object) int {
	switch string(m.Name) {
	case "code", "status_code", "status":
		n, err := strict.Whole("", []byte(strings.Trim(string(m.Value), `"`))) // Azure quotes it
		if err == nil && n >= 400 && n < 600 {
			return n
		}
	}
	return 0
}
