package anthropic

import (
	"cmp"
	"net/http"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// Classify turns an HTTP answer that is not a success into one typed error, as
// package classify understands it. The body need not be JSON, nor be there at all.
func Classify(status int, header http.Header, body []byte) *providers.Error {
	e, typ, code := ask.Refusal(status, header, body)
	e.Type = cmp.Or(typ, code)
	if e.RequestID = headID(header); e.RequestID == "" {
		e.RequestID = bodyID(body)
	}
	return e
}

// headID is the id to ask the provider about that an answer's head tells.
func headID(h http.Header) string { return h.Get("Request-Id") }

// bodyID is the one that an error's body tells.
func bodyID(body []byte) string {
	v, err := strict.CheckObject("", body)
	if err != nil {
		return ""
	}
	var a strict.Arena
	for m := strict.Members(v); m.Next(); {
		if string(m.Name) == "request_id" {
			id, _ := a.Text("", m.Value)
			return id
		}
	}
	return ""
}
