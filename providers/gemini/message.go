package gemini

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// DecodeMessage decodes a whole answer, as it comes from generateContent, into
// the events that a stream of it would have had: each block starts, has its
// content in one delta, and stops. The error is a *providers.Error: of class Cut
// where the body ends too early, of the API's own class where the body is an
// error object, else Protocol.
func DecodeMessage(body []byte) ([]providers.Event, error) {
	v, e := ask.WholeObject(body, "an object")
	if e != nil {
		return nil, e
	}
	known := false
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "error":
			if !strict.Hollow(m.Value) {
				return nil, failure(v)
			}
		case "candidates", "promptFeedback", "usageMetadata":
			known = true
		}
	}
	if !known {
		return nil, ask.ProtocolError("the answer's " + strict.Mistyped("candidates", nil, "an array").Error())
	}
	var c codec
	if err := c.chunk(v); err != nil {
		return nil, ask.ProtocolError("the answer's " + err.Error())
	}
	c.close()
	c.add(providers.Event{Kind: providers.MessageStop})
	return c.out, nil
}
