package openai

import (
	"errors"
	"fmt"
	"io"

	"github.com/harnessbench/bench/providers"
)

// wholeMessage decodes an answer of Chat that is no stream.
func (c *chat) wholeMessage(body []byte) ([]providers.Event, error) {
	v, e := wholeObject(body)
	if e != nil {
		return nil, e
	}
	if isError(memberOf(v, "error"), memberOf(v, "object")) { // Azure, with status 200
		return nil, failure(v)
	}
	c.entire = true
	if err := c.chunk("", v); err != nil {
		return nil, protocolError("the answer's " + err.Error())
	}
	c.add(providers.Event{Kind: providers.MessageStop})
	return c.out, nil
}

// wholeObject checks that a body is one strict JSON object.
func wholeObject(body []byte) ([]byte, *providers.Error) {
	if err := check(body); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &providers.Error{Class: providers.Cut, InStream: true, Message: fmt.Sprintf("the answer broke off after %d bytes", len(body)), Cause: err}
		}
		return nil, protocolError("the answer is " + err.Error())
	}
	v := skipSpace(body)
	if v[0] != '{' {
		return nil, protocolError(mistyped("the answer", v, "an object").Error())
	}
	return v, nil
}

// wholeMessage decodes an answer of Responses that is no stream: what its terminal
// event would have told.
func (r *responses) wholeMessage(body []byte) ([]providers.Event, error) {
	v, e := wholeObject(body)
	if e != nil {
		return nil, e
	}
	if failed := memberOf(v, "error"); !hollow(failed) {
		return nil, failure(v)
	}
	if output := memberOf(v, "output"); !isKind(output, '[') {
		return nil, protocolError("the answer's " + mistyped("output", output, "an array").Error())
	}
	status, err := r.arena.textOr("status", memberOf(v, "status"))
	if err != nil {
		return nil, protocolError("the answer's " + err.Error())
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
		return nil, protocolError("the answer's " + err.Error())
	}
	return r.out, nil
}
