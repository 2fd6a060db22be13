package anthropic

import (
	"errors"
	"fmt"
	"io"

	"github.com/harnessbench/bench/providers"
)

// DecodeMessage decodes a whole answer, as it comes when no stream was asked
// for, into the events that a stream of it would have had: each block starts,
// has its content in one delta, and stops. The error is a *providers.Error: of
// class Cut where the body ends too early, of the API's own class where the
// body is an error object, else Protocol.
func DecodeMessage(body []byte) ([]providers.Event, error) {
	var c codec
	return c.wholeMessage(body)
}

func (c *codec) wholeMessage(body []byte) ([]providers.Event, error) {
	if err := check(body); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &providers.Error{Class: providers.Cut, InStream: true, Message: fmt.Sprintf("the answer broke off after %d bytes", len(body)), Cause: err}
		}
		return nil, protocolError("the answer is " + err.Error())
	}
	body = skipSpace(body)
	if body[0] != '{' {
		return nil, protocolError(mistyped("the answer", body, "a message object").Error())
	}
	var typ, failure, request []byte
	for m := members(body); m.next(); {
		switch string(m.name) {
		case "type":
			typ = m.value
		case "error":
			failure = m.value
		case "request_id":
			request = m.value
		}
	}
	if !absent(failure) {
		e, err := c.errorObject(failure)
		if err != nil {
			return nil, protocolError("the answer's " + err.Error())
		}
		if isKind(request, '"') {
			e.RequestID, _ = c.arena.text("request_id", request)
		}
		e.InStream = true
		return nil, e
	}
	if string(typ) != `"message"` {
		return nil, protocolError("the answer's " + mistyped("type", typ, `"message"`).Error())
	}
	if err := c.message(body, true); err != nil {
		return nil, protocolError("the answer's " + err.Error())
	}
	c.add(providers.Event{Kind: providers.MessageStop})
	return c.out, nil
}

// message decodes a message object: a whole answer, or the one inside a
// message_start, which is empty except in programmatic tool calling.
func (c *codec) message(v []byte, complete bool) error {
	if !isKind(v, '{') {
		return mistyped("message", v, "an object")
	}
	var id, model, content, stop, usage []byte
	for m := members(v); m.next(); {
		switch string(m.name) {
		case "id":
			id = m.value
		case "model":
			model = m.value
		case "content":
			content = m.value
		case "stop_reason":
			stop = m.value
		case "usage":
			usage = m.value
		}
	}
	c.usage = providers.Usage{}
	start := providers.Event{Kind: providers.MessageStart}
	var err error
	if start.ID, err = c.arena.textOr("id", id); err != nil {
		return err
	}
	if start.Model, err = c.arena.textOr("model", model); err != nil {
		return err
	}
	if start.Usage, err = c.addUsage("usage", usage); err != nil {
		return err
	}
	c.add(start)
	if complete && content == nil {
		return mistyped("content", nil, "an array")
	}
	if !absent(content) {
		if !isKind(content, '[') {
			return mistyped("content", content, "an array")
		}
		i := 0
		for e := elements(content); e.next(); i++ {
			if err := c.wholeBlock(i, e.value); err != nil {
				return err
			}
		}
	}
	if !absent(stop) {
		ev := providers.Event{Kind: providers.Stop}
		if complete {
			ev.Usage = start.Usage
		}
		if ev.Text, err = c.arena.text("stop_reason", stop); err != nil {
			return err
		}
		c.add(ev)
	}
	return nil
}

// wholeBlock turns a block that is complete into its start, deltas and stop.
func (c *codec) wholeBlock(i int, v []byte) error {
	b, err := c.block(fmt.Sprintf("content[%d]", i), v)
	if err != nil {
		return err
	}
	start := *b
	delta := func(kind providers.EventKind, text string) {
		if text != "" {
			c.add(providers.Event{Kind: kind, Index: i, Text: text})
		}
	}
	switch b.Kind {
	case providers.Text:
		start.Text = ""
		c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: &start})
		delta(providers.TextDelta, b.Text)
	case providers.Thinking:
		start.Text, start.Signature = "", ""
		c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: &start})
		delta(providers.ThinkingDelta, b.Text)
		delta(providers.SignatureDelta, b.Signature)
	case providers.ToolCall, providers.ServerCall:
		start.Input = ""
		c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: &start})
		delta(providers.InputDelta, b.Input)
	default:
		c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: &start})
	}
	c.add(providers.Event{Kind: providers.BlockStop, Index: i})
	return nil
}
