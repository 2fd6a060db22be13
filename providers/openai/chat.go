package openai

import (
	"bytes"
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// chat decodes answers of Chat Completions.
type chat struct {
	codec
	entire  bool   // a whole answer is decoded: its choices have a message in place of a delta
	begun   bool   // MessageStart was told
	open    stream // what the open block is
	at      int    // its index
	refused bool   // something was said in the channel for refusals

	calls    []chatCall
	byIndex  map[int]int // the server's index of a call -> its place in calls
	last     int         // the call that an entry spoke of last
	openCall int         // the call that is the open block
}

// stream is one of the streams of text that a delta may add to.
type stream uint8

const (
	nothing stream = iota
	content
	reasoning
	refusal
	callInput // of openCall
)

func isDone(data []byte) bool { return string(bytes.TrimSpace(data)) == "[DONE]" }

func (c *chat) event(name, data []byte) error {
	switch {
	case isDone(data):
		c.close()
		c.add(providers.Event{Kind: providers.MessageStop})
		return nil
	case string(name) == "error": // Groq; the data may be plain text
		c.add(providers.Event{Kind: providers.Failure, Err: failure(data)})
		return nil
	}
	v, err := strict.CheckObject("the data", data)
	if err != nil {
		return err
	}
	return c.chunk(string(name), v)
}

// chunk decodes a chunk, or a whole answer.
func (c *chat) chunk(name string, v []byte) error {
	var id, model, choices, usage, groq, failed, kind []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "id":
			id = m.Value
		case "model":
			model = m.Value
		case "choices":
			choices = m.Value
		case "usage":
			usage = m.Value
		case "x_groq":
			groq = m.Value
		case "error":
			failed = m.Value
		case "object":
			kind = m.Value
		case "obfuscation":
			if strict.IsKind(m.Value, '"') {
				c.pad = m.Value
			}
		}
	}
	if isError(failed, kind) && strict.Absent(choices) {
		c.add(providers.Event{Kind: providers.Failure, Err: failure(v)})
		return nil
	}
	switch {
	case !strict.IsKind(choices, '[') && (c.entire || !strict.Absent(choices)):
		return strict.Mistyped("choices", choices, "an array")
	case choices == nil && strict.Hollow(usage):
		c.other(c.unknown(name, kind)) // a ping, or what comes next year
		return nil
	}
	// A preamble without id and choices (Azure) begins nothing yet.
	if !c.begun && (c.entire || !strict.Hollow(id) || !strict.Hollow(choices)) {
		if err := c.start(id, model); err != nil {
			return err
		}
	}
	i := 0
	for e := strict.Elements(arrayOf(choices)); e.Next(); i++ {
		if err := c.choice(e.Value); err != nil {
			return strict.Within(fmt.Sprintf("choices[%d]", i), err)
		}
	}
	if err := c.usage(usage, groq); err != nil {
		return err
	}
	if isError(failed, kind) { // OpenRouter: with a last choice
		c.add(providers.Event{Kind: providers.Failure, Err: failure(v)})
	}
	if len(c.out) == 0 {
		c.add(providers.Event{Kind: providers.Ping}) // an empty delta is a sign of life, and no more
	}
	return nil
}

// isError reports whether an object tells of an error: in a member, or (vLLM,
// SGLang) as what it is.
func isError(failed, kind []byte) bool { return !strict.Hollow(failed) || string(kind) == `"error"` }

// unknown names a chunk that is none.
func (c *chat) unknown(name string, kind []byte) string {
	if strict.IsKind(kind, '"') {
		name, _ = c.arena.Text("", kind)
	}
	if name == "" {
		return "chunk without choices"
	}
	return name
}

func (c *chat) start(id, model []byte) (err error) {
	ev := providers.Event{Kind: providers.MessageStart}
	if ev.ID, err = c.arena.TextOr("id", id); err != nil {
		return err
	}
	if ev.Model, err = c.arena.TextOr("model", model); err != nil {
		return err
	}
	c.begun = true
	c.add(ev)
	return nil
}

// choice decodes one choice. We ask for one; of more, only the first is the answer.
func (c *chat) choice(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	var index, delta, message, finish []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "index":
			index = m.Value
		case "delta":
			delta = m.Value
		case "message":
			message = m.Value
		case "finish_reason":
			finish = m.Value
		}
	}
	if !strict.Absent(index) {
		n, err := strict.Whole("index", index)
		if err != nil {
			return err
		}
		if n != 0 {
			c.other(fmt.Sprintf("choice %d", n))
			return nil
		}
	}
	member := "delta"
	if c.entire || strict.Absent(delta) { // a whole message as a chunk
		delta, member = message, "message"
	}
	if !strict.Absent(delta) {
		if err := c.delta(delta); err != nil {
			return strict.Within(member, err)
		}
	} else if c.entire && strict.Hollow(finish) { // Azure leaves out what it filtered
		return strict.Mistyped(member, delta, "an object")
	}
	if strict.Hollow(finish) {
		if c.entire {
			c.close()
		}
		return nil
	}
	reason, err := c.arena.Text("finish_reason", finish)
	if err != nil {
		return err
	}
	c.close()
	c.add(providers.Event{Kind: providers.Stop, Text: c.neutral(reason)})
	return nil
}

// neutral is the word of the neutral protocol for a finish reason.
func (c *chat) neutral(reason string) string {
	switch {
	case c.refused, reason == "content_filter":
		return "refusal"
	case reason == "stop":
		return "end_turn"
	case reason == "tool_calls", reason == "function_call":
		return "tool_use"
	case reason == "length":
		return "max_tokens"
	}
	return reason
}

// delta decodes what a chunk adds, or a whole message: first what was thought,
// then what was said, then what is called.
func (c *chat) delta(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	var said, refused, thought, thought2, details, call, calls []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "content":
			said = m.Value
		case "refusal":
			refused = m.Value
		case "reasoning_content": // DeepSeek, llama.cpp, xAI ...
			thought = m.Value
		case "reasoning": // OpenRouter, Groq ...
			thought2 = m.Value
		case "reasoning_details":
			details = m.Value
		case "function_call":
			call = m.Value
		case "tool_calls":
			calls = m.Value
		case "role", "channel": // Groq's channel says again what the member says
		default:
			if !strict.Hollow(m.Value) {
				c.other(c.arena.Copy(m.Name))
			}
		}
	}
	if err := c.thought(thought, thought2, details); err != nil {
		return err
	}
	if err := c.said(said); err != nil {
		return err
	}
	if !strict.Hollow(refused) {
		c.refused = true
		if err := c.pieceOf(refusal, "refusal", refused); err != nil {
			return err
		}
	}
	if !strict.Absent(call) { // before there were tools
		if err := c.call(entry{function: call, legacy: true}); err != nil {
			return strict.Within("function_call", err)
		}
	}
	return c.toolCalls(calls)
}

// said decodes content: a string, or (Mistral) a list of parts.
func (c *chat) said(v []byte) error {
	if !strict.IsKind(v, '[') {
		return c.pieceOf(content, "content", v)
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if err := c.part(e.Value); err != nil {
			return strict.Within(fmt.Sprintf("content[%d]", i), err)
		}
	}
	return nil
}

func (c *chat) part(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	if thoughts := strict.Member(v, "thinking"); strict.IsKind(thoughts, '[') {
		for t := strict.Elements(thoughts); t.Next(); {
			if err := c.pieceOf(reasoning, "thinking text", strict.Member(t.Value, "text")); err != nil {
				return err
			}
		}
		return nil
	}
	if string(strict.Member(v, "type")) == `"text"` {
		return c.pieceOf(content, "text", strict.Member(v, "text"))
	}
	c.other("content part")
	return nil
}

// pieceOf adds a member to a stream; one that says nothing opens no block.
func (c *chat) pieceOf(s stream, what string, v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	text, err := c.arena.Text(what, v)
	if err != nil || text == "" {
		return err
	}
	c.ensure(s)
	kind := providers.TextDelta
	if s == reasoning {
		kind = providers.ThinkingDelta
	}
	c.add(providers.Event{Kind: kind, Index: c.at, Text: text})
	c.text = v
	return nil
}

// ensure makes a block of a stream of text the open one. What was open is over.
func (c *chat) ensure(s stream) {
	if c.open == s {
		return
	}
	c.close()
	b := &providers.Block{Kind: providers.Text}
	if s == reasoning {
		b.Kind = providers.Thinking
	}
	c.open, c.at = s, c.begin(b)
}

// close ends the open block.
func (c *chat) close() {
	if c.open == callInput {
		c.release(&c.calls[c.openCall])
	}
	if c.open != nothing {
		c.add(providers.Event{Kind: providers.BlockStop, Index: c.at})
	}
	c.open = nothing
}

// usage tells what was counted, with the stop reason if that came along.
func (c *chat) usage(v, groq []byte) error {
	if strict.Hollow(v) {
		v = strict.Member(groq, "usage")
	}
	u, err := c.report(v)
	if err != nil || u == nil {
		return err
	}
	for i := range c.out {
		if c.out[i].Kind == providers.Stop {
			c.out[i].Usage = u
			return nil
		}
	}
	c.add(providers.Event{Kind: providers.UsageEvent, Usage: u})
	return nil
}

func (c *chat) piece(kind providers.EventKind, text string) {
	if kind == providers.InputDelta {
		c.calls[c.last].json.add(text)
	}
}
