package anthropic

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// codec is what decoding one answer has to remember.
type codec struct {
	arena strict.Arena
	usage providers.Usage // as reported so far: a report may leave out what it said before
	out   []providers.Event
}

// event decodes one event strictly and appends what it says to c.out: one
// neutral event, or more when a message_start carries content already.
func (c *codec) event(name, data []byte) error {
	data, err := strict.CheckObject("the data", data)
	if err != nil {
		return err
	}
	var typ, index, delta, block, message, usage, failure, request []byte
	for m := strict.Members(data); m.Next(); {
		switch string(m.Name) {
		case "type":
			typ = m.Value
		case "index":
			index = m.Value
		case "delta":
			delta = m.Value
		case "content_block":
			block = m.Value
		case "message":
			message = m.Value
		case "usage":
			usage = m.Value
		case "error":
			failure = m.Value
		case "request_id":
			request = m.Value
		}
	}
	var kind string
	if typ == nil {
		kind = string(name)
	} else {
		if kind, err = c.arena.Text("type", typ); err != nil {
			return err
		}
		if len(name) > 0 && string(name) != kind {
			return fmt.Errorf("the event line says %s, the data's type says %s; they are always equal", name, kind)
		}
	}
	switch kind {
	case "":
		return fmt.Errorf("the event has neither a name nor a type")
	case "message_start":
		return c.message(message, false)
	case "content_block_start":
		return c.blockStart(index, block)
	case "content_block_delta":
		return c.delta(index, delta)
	case "content_block_stop":
		i, err := strict.Whole("index", index)
		c.add(providers.Event{Kind: providers.BlockStop, Index: i})
		return err
	case "message_delta":
		return c.messageDelta(delta, usage)
	case "message_stop":
		c.add(providers.Event{Kind: providers.MessageStop})
	case "ping":
		c.add(providers.Event{Kind: providers.Ping})
	case "error":
		return c.failure(failure, request)
	default:
		c.add(providers.Event{Kind: providers.Other, Text: kind})
	}
	return nil
}

func (c *codec) add(ev providers.Event) { c.out = append(c.out, ev) }

func (c *codec) blockStart(index, block []byte) error {
	i, err := strict.Whole("index", index)
	if err != nil {
		return err
	}
	b, err := c.block("content_block", block)
	if err != nil {
		return err
	}
	if b.Kind == providers.ToolCall || b.Kind == providers.ServerCall {
		// The {} that stands here holds the place of the input that the deltas
		// will bring. Anything else is the input itself and no delta follows
		// (programmatic tool calling).
		if in := []byte(b.Input); strict.IsKind(in, '{') && strict.IsEmpty(in) {
			b.Input = ""
		}
	}
	c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: b})
	return nil
}

// delta decodes a content_block_delta. Whether its block is open is not asked
// here: what arrives is delivered, and the reader of the events judges it.
func (c *codec) delta(index, delta []byte) error {
	i, err := strict.Whole("index", index)
	if err != nil {
		return err
	}
	if !strict.IsKind(delta, '{') {
		return strict.Mistyped("delta", delta, "an object")
	}
	var typ, text, input, thinking, signature []byte
	for m := strict.Members(delta); m.Next(); {
		switch string(m.Name) {
		case "type":
			typ = m.Value
		case "text":
			text = m.Value
		case "partial_json":
			input = m.Value
		case "thinking":
			thinking = m.Value
		case "signature":
			signature = m.Value
		}
	}
	kind, err := c.arena.Text("delta.type", typ)
	if err != nil {
		return err
	}
	ev := providers.Event{Index: i}
	switch kind {
	case "text_delta":
		ev.Kind = providers.TextDelta
		ev.Text, err = c.arena.Text("delta.text", text)
	case "input_json_delta":
		ev.Kind = providers.InputDelta
		ev.Text, err = c.arena.Text("delta.partial_json", input)
	case "thinking_delta":
		ev.Kind = providers.ThinkingDelta
		ev.Text, err = c.arena.Text("delta.thinking", thinking)
	case "signature_delta":
		ev.Kind = providers.SignatureDelta
		ev.Text, err = c.arena.Text("delta.signature", signature)
	default: // citations_delta, compaction_delta, and what comes next year
		ev.Kind, ev.Text = providers.Other, kind
	}
	c.add(ev)
	return err
}

// messageDelta decodes the stop reason, which is null while none is known, and
// the usage, which is cumulative.
func (c *codec) messageDelta(delta, usage []byte) error {
	if !strict.IsKind(delta, '{') {
		return strict.Mistyped("delta", delta, "an object")
	}
	var stop []byte
	for m := strict.Members(delta); m.Next(); {
		if string(m.Name) == "stop_reason" {
			stop = m.Value
		}
	}
	u, err := c.addUsage("usage", usage)
	if err != nil {
		return err
	}
	switch {
	case !strict.Absent(stop):
		reason, err := c.arena.Text("delta.stop_reason", stop)
		c.add(providers.Event{Kind: providers.Stop, Text: reason, Usage: u})
		return err
	case u != nil:
		c.add(providers.Event{Kind: providers.UsageEvent, Usage: u})
	default:
		c.add(providers.Event{Kind: providers.Other, Text: "message_delta"})
	}
	return nil
}

// addUsage folds a report into what is known (E9) and returns the whole, or nil
// if nothing was reported.
func (c *codec) addUsage(what string, v []byte) (*providers.Usage, error) {
	if strict.Absent(v) {
		return nil, nil
	}
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped(what, v, "an object")
	}
	for m := strict.Members(v); m.Next(); {
		var field *int
		switch string(m.Name) {
		case "input_tokens":
			field = &c.usage.In
		case "output_tokens":
			field = &c.usage.Out
		case "cache_read_input_tokens":
			field = &c.usage.CacheRead
		case "cache_creation_input_tokens":
			field = &c.usage.CacheWrite
		}
		if field == nil || strict.Absent(m.Value) {
			continue
		}
		n, err := strict.Whole(what+"."+string(m.Name), m.Value)
		if err != nil {
			return nil, err
		}
		*field = n
	}
	u := c.usage
	return &u, nil
}

// failure decodes an error event: the provider's own failure after a good head.
func (c *codec) failure(v, request []byte) error {
	e, err := c.errorObject(v)
	if err != nil {
		return err
	}
	if strict.IsKind(request, '"') {
		e.RequestID, _ = c.arena.Text("request_id", request)
	}
	e.InStream = true
	c.add(providers.Event{Kind: providers.Failure, Err: e})
	return nil
}

// errorObject decodes {"type": ..., "message": ...} and classifies it.
func (c *codec) errorObject(v []byte) (*providers.Error, error) {
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped("error", v, "an object")
	}
	var typ, message string
	for m := strict.Members(v); m.Next(); {
		var err error
		switch string(m.Name) {
		case "type":
			typ, err = c.arena.TextOr("error.type", m.Value)
		case "message":
			message, err = c.arena.TextOr("error.message", m.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	e := &providers.Error{Type: typ}
	ask.Tell(e, 0, typ, "", message)
	return e, nil
}
