package anthropic

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
)

// codec is what decoding one answer has to remember.
type codec struct {
	arena arena
	usage providers.Usage // as reported so far: a report may leave out what it said before
	out   []providers.Event
}

// event decodes one event strictly and appends what it says to c.out: one
// neutral event, or more when a message_start carries content already.
func (c *codec) event(name, data []byte) error {
	if err := check(data); err != nil {
		return fmt.Errorf("the data is %w", err)
	}
	data = skipSpace(data)
	if data[0] != '{' {
		return mistyped("the data", data, "an object")
	}
	var typ, index, delta, block, message, usage, failure, request []byte
	for m := members(data); m.next(); {
		switch string(m.name) {
		case "type":
			typ = m.value
		case "index":
			index = m.value
		case "delta":
			delta = m.value
		case "content_block":
			block = m.value
		case "message":
			message = m.value
		case "usage":
			usage = m.value
		case "error":
			failure = m.value
		case "request_id":
			request = m.value
		}
	}
	var kind string
	if typ == nil {
		kind = string(name)
	} else {
		var err error
		if kind, err = c.arena.text("type", typ); err != nil {
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
		i, err := whole("index", index)
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
	i, err := whole("index", index)
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
		if isKind([]byte(b.Input), '{') && !hasMembers([]byte(b.Input)) {
			b.Input = ""
		}
	}
	c.add(providers.Event{Kind: providers.BlockStart, Index: i, Block: b})
	return nil
}

func hasMembers(v []byte) bool {
	m := members(v)
	return m.next()
}

// delta decodes a content_block_delta. Whether its block is open is not asked
// here: what arrives is delivered, and the reader of the events judges it.
func (c *codec) delta(index, delta []byte) error {
	i, err := whole("index", index)
	if err != nil {
		return err
	}
	if !isKind(delta, '{') {
		return mistyped("delta", delta, "an object")
	}
	var typ, text, input, thinking, signature []byte
	for m := members(delta); m.next(); {
		switch string(m.name) {
		case "type":
			typ = m.value
		case "text":
			text = m.value
		case "partial_json":
			input = m.value
		case "thinking":
			thinking = m.value
		case "signature":
			signature = m.value
		}
	}
	kind, err := c.arena.text("delta.type", typ)
	if err != nil {
		return err
	}
	ev := providers.Event{Index: i}
	switch kind {
	case "text_delta":
		ev.Kind = providers.TextDelta
		ev.Text, err = c.arena.text("delta.text", text)
	case "input_json_delta":
		ev.Kind = providers.InputDelta
		ev.Text, err = c.arena.text("delta.partial_json", input)
	case "thinking_delta":
		ev.Kind = providers.ThinkingDelta
		ev.Text, err = c.arena.text("delta.thinking", thinking)
	case "signature_delta":
		ev.Kind = providers.SignatureDelta
		ev.Text, err = c.arena.text("delta.signature", signature)
	default: // citations_delta, compaction_delta, and what comes next year
		ev.Kind, ev.Text = providers.Other, kind
	}
	c.add(ev)
	return err
}

// messageDelta decodes the stop reason, which is null while none is known, and
// the usage, which is cumulative.
func (c *codec) messageDelta(delta, usage []byte) error {
	if !isKind(delta, '{') {
		return mistyped("delta", delta, "an object")
	}
	var stop []byte
	for m := members(delta); m.next(); {
		if string(m.name) == "stop_reason" {
			stop = m.value
		}
	}
	u, err := c.addUsage("usage", usage)
	if err != nil {
		return err
	}
	switch {
	case !absent(stop):
		reason, err := c.arena.text("delta.stop_reason", stop)
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
	if absent(v) {
		return nil, nil
	}
	if !isKind(v, '{') {
		return nil, mistyped(what, v, "an object")
	}
	for m := members(v); m.next(); {
		var field *int
		switch string(m.name) {
		case "input_tokens":
			field = &c.usage.In
		case "output_tokens":
			field = &c.usage.Out
		case "cache_read_input_tokens":
			field = &c.usage.CacheRead
		case "cache_creation_input_tokens":
			field = &c.usage.CacheWrite
		}
		if field == nil || absent(m.value) {
			continue
		}
		n, err := whole(what+"."+string(m.name), m.value)
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
	if isKind(request, '"') {
		e.RequestID, _ = c.arena.text("request_id", request)
	}
	e.InStream = true
	c.add(providers.Event{Kind: providers.Failure, Err: e})
	return nil
}

// errorObject decodes {"type": ..., "message": ...} and classifies it.
func (c *codec) errorObject(v []byte) (*providers.Error, error) {
	if !isKind(v, '{') {
		return nil, mistyped("error", v, "an object")
	}
	var typ, message string
	for m := members(v); m.next(); {
		var err error
		switch string(m.name) {
		case "type":
			typ, err = c.arena.textOr("error.type", m.value)
		case "message":
			message, err = c.arena.textOr("error.message", m.value)
		}
		if err != nil {
			return nil, err
		}
	}
	e := &providers.Error{}
	tell(e, typ, "", message)
	e.Message = shorten(e.Message)
	return e, nil
}
