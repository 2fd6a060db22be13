package gemini

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// codec is what decoding one answer has to remember.
type codec struct {
	arena  strict.Arena
	out    []providers.Event
	count  tokens
	usages []providers.Usage // memory for the next reports
	seen   seen

	begun   bool // MessageStart was told
	id      string
	stopped bool // a finish reason was told
	broken  bool // the bytes ended in the middle of something
	open    flow // what the open block is
	at      int  // its index
	next    int  // the index of the next block
	args    args // of the open block, if it is a call that goes on
}

// flow is what the next part may be more of.
type flow uint8

const (
	nothing flow = iota
	answer
	thought
	call // that says willContinue
)

func (c *codec) add(ev providers.Event) { c.out = append(c.out, ev) }

func (c *codec) other(text string) {
	c.add(providers.Event{Kind: providers.Other, Text: text})
}

// begin starts a block. What was open is over.
func (c *codec) begin(s flow, b *providers.Block) {
	c.close()
	c.open, c.at = s, c.next
	c.next++
	c.add(providers.Event{Kind: providers.BlockStart, Index: c.at, Block: b})
}

// close ends the open block. A call that said that it goes on, and did not, never
// ends.
func (c *codec) close() {
	if c.open == answer || c.open == thought {
		c.add(providers.Event{Kind: providers.BlockStop, Index: c.at})
	}
	c.open = nothing
}

// end ends the block that just began, whatever it is.
func (c *codec) end() {
	c.add(providers.Event{Kind: providers.BlockStop, Index: c.at})
	c.open = nothing
}

// delta adds to the open block; no text is no delta.
func (c *codec) delta(kind providers.EventKind, text string) {
	if text != "" {
		c.add(providers.Event{Kind: kind, Index: c.at, Text: text})
	}
}

// chunk decodes one object of a stream, or a whole answer, strictly, and appends
// what it says to c.out.
func (c *codec) chunk(data []byte) error {
	v, err := strict.CheckObject("the data", data)
	if err != nil {
		return err
	}
	var candidates, feedback, usage, model, id, failed []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "candidates":
			candidates = m.Value
		case "promptFeedback":
			feedback = m.Value
		case "usageMetadata":
			usage = m.Value
		case "modelVersion":
			model = m.Value
		case "responseId":
			id = m.Value
		case "error":
			failed = m.Value
		}
	}
	if candidates != nil || feedback != nil || usage != nil {
		if err := c.start(id, model); err != nil {
			return err
		}
		if err := c.candidates(candidates); err != nil {
			return err
		}
		if err := c.feedback(feedback); err != nil {
			return err
		}
		if err := c.usage(usage); err != nil {
			return err
		}
	} else if strict.Hollow(failed) {
		c.other("chunk without candidates")
	}
	if !strict.Hollow(failed) {
		c.add(providers.Event{Kind: providers.Failure, Err: failure(v)})
	}
	if len(c.out) == 0 {
		c.add(providers.Event{Kind: providers.Ping}) // a sign of life, and no more
	}
	return nil
}

// start tells the beginning. That another answer goes on where one had begun can
// only be noted: the API repeats its id in every chunk.
func (c *codec) start(id, model []byte) (err error) {
	if c.begun {
		if strict.IsKind(id, '"') && string(id[1:len(id)-1]) != c.id {
			if s, err := c.arena.Text("responseId", id); err == nil && s != c.id {
				c.other("another responseId")
				c.id = s
			}
		}
		return nil
	}
	ev := providers.Event{Kind: providers.MessageStart}
	if ev.ID, err = c.arena.TextOr("responseId", id); err != nil {
		return err
	}
	if ev.Model, err = c.arena.TextOr("modelVersion", model); err != nil {
		return err
	}
	c.begun, c.id = true, ev.ID
	c.add(ev)
	return nil
}

func (c *codec) candidates(v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	if !strict.IsKind(v, '[') {
		return strict.Mistyped("candidates", v, "an array")
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if err := c.candidate(e.Value); err != nil {
			return strict.Within(fmt.Sprintf("candidates[%d]", i), err)
		}
	}
	return nil
}

// candidate decodes one candidate. We ask for one; of more, only the first is the
// answer.
func (c *codec) candidate(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	var index, content, finish, message []byte
	for m := strict.Members(v); m.Next(); {
		switch string(m.Name) {
		case "index":
			index = m.Value
		case "content":
			content = m.Value
		case "finishReason":
			finish = m.Value
		case "finishMessage":
			message = m.Value
		case "safetyRatings", "avgLogprobs", "logprobsResult", "tokenCount":
		default: // what it found, and where
			if !strict.Hollow(m.Value) {
				c.other(c.arena.Copy(m.Name))
			}
		}
	}
	if !strict.Absent(index) {
		n, err := strict.Whole("index", index)
		if err != nil {
			return err
		}
		if n != 0 {
			c.other(fmt.Sprintf("candidate %d", n))
			return nil
		}
	}
	if err := c.content(content); err != nil {
		return strict.Within("content", err)
	}
	return c.finish(finish, message)
}

// content decodes what a candidate says. An answer that was stopped has none, or
// one without parts.
func (c *codec) content(v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	parts := strict.Member(v, "parts")
	if strict.Absent(parts) {
		return nil
	}
	if !strict.IsKind(parts, '[') {
		return strict.Mistyped("parts", parts, "an array")
	}
	i := 0
	for e := strict.Elements(parts); e.Next(); i++ {
		if err := c.part(e.Value, i == 0); err != nil {
			return strict.Within(fmt.Sprintf("parts[%d]", i), err)
		}
	}
	return nil
}
