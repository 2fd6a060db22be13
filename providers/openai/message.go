package openai

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// wholeMessage decodes an answer of Chat that is no stream.
func (c *chat) wholeMessage(body []byte) ([]providers.Event, error) {
	v, e := ask.WholeObject(body, "an object")
	if e != nil {
		return nil, e
	}
	if isError(strict.Member(v, "error"), strict.Member(v, "object")) { // Azure, with status 200
		return nil, failure(v)
	}
	c.entire = true
	if err := c.chunk("", v); err != nil {
		return nil, ask.ProtocolError("the answer's " + err.Error())
	}
	c.add(providers.Event{Kind: providers.MessageStop})
	return c.out, nil
}

// wholeMessage decodes an answer of Responses that is no stream: what its terminal
// event would have told.
func (r *responses) wholeMessage(body []byte) ([]providers.Event, error) {
	v, e := ask.WholeObject(body, "an object")
	if e != nil {
		return nil, e
	}
	if failed := strict.Member(v, "error"); !strict.Hollow(failed) {
		return nil, failure(v)
	}
	if output := strict.Member(v, "output"); !strict.IsKind(output, '[') {
		return nil, ask.ProtocolError("the answer's " + strict.Mistyped("output", output, "an array").Error())
	}
	status, err := r.arena.TextOr("status", strict.Member(v, "status"))
	if err != nil {
		return nil, ask.ProtocolError("the answer's " + err.Error())
	}
	switch status {
	case "", "completed":
		err = r.ended("response.completed", v)
	case "failed":
		return nil, failure(nil)
	default:
		err = r.ended("response."+status, v)
	}
	if err != nil {
		return nil, ask.ProtocolError("the answer's " + err.Error())
	}
	return r.out, nil
}
