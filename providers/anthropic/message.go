package anthropic

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
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
	body, e := ask.WholeObject(body, "a message object")
	if e != nil {
		return nil, e
	}
	var typ, failure, request []byte
	for m := strict.Members(body); m.Next(); {
		switch string(m.Name) {
		case "type":
			typ = m.Value
		case "error":
			failure = m.Value
		case "request_id":
			request = m.Value
		}
	}
	if !strict.Absent(failure) {
		e, err := c.errorObject(failure)
		if err != nil {
			return nil, ask.ProtocolError("the answer's " + err.Error())
		}
		if strict.IsKind(request, '"') {
			e.RequestID, _ = c.arena.Text("request_id", request)
		}
		e.InStream = true
		return nil, e
	}
	if string(typ) != `"message"` {
		return nil, ask.ProtocolError("the answer's " + strict.Mistyped("type", typ, `"message"`).Error())
	}
	if err := c.message(body, true); err != nil {
		return nil, ask.ProtocolError("the answer's " + err.Error())
	}
	c.add(providers.Event{Kind: providers.MessageStop})
	return c.out, nil
}

// message decodes a message object: a whole answer, or the one inside a
// message_start, which is empty except in programmatic tool calling.
func (c *codec) message(v []byte, complete bool) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("message", v, "an object")
	}
	var id, model, content, stop, usage []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "id":
			id = m.Value
		case "model":
			model = m.Value
		case "content":
			content = m.Value
		case "stop_reason":
			stop = m.Value
		case "usage":
			usage = m.Value
		}
	}
	c.usage = providers.Usage{}
	start := providers.Event{Kind: providers.MessageStart}
	var err error
	if start.ID, err = c.arena.TextOr("id", id); err != nil {
		return err
	}
	if start.Model, err = c.arena.TextOr("model", model); err != nil {
		return err
	}
	if start.Usage, err = c.addUsage("usage", usage); err != nil {
		return err
	}
	c.add(start)
	if complete && content == nil {
		return strict.Mistyped("content", nil, "an array")
	}
	if !strict.Absent(content) {
		if !strict.IsKind(content, '[') {
			return strict.Mistyped("content", content, "an array")
		}
		i := 0
		for e := strict.Elements(content); e.Next(); i++ {
			if err := c.wholeBlock(i, e.Value); err != nil {
				return err
			}
		}
	}
	if !strict.Absent(stop) {
		ev := providers.Event{Kind: providers.Stop}
		if complete {
			ev.Usage = start.Usage
		}
		if ev.Text, err = c.arena.Text("stop_reason", stop); err != nil {
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
