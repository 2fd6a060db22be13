package openai

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// codec is what decoding one answer has to remember in either API.
type codec struct {
	arena strict.Arena
	out   []providers.Event
	count tokens
	next  int // the index of the next block

	// What the event just decoded was, if it was nothing but one delta of an open
	// block: the values that differ from one such event to the next.
	text, pad, seq []byte
	busy           bool // it was more than that
}

// dialect decodes the events of one API.
type dialect interface {
	// event decodes one event strictly and appends what it says to the codec's out.
	event(name, data []byte) error
	// piece takes in a delta that was recognised by its template.
	piece(kind providers.EventKind, text string)
	base() *codec
}

func (c *codec) base() *codec { return c }

// fresh forgets the event before.
func (c *codec) fresh() { c.text, c.pad, c.seq, c.busy = nil, nil, nil, false }

func (c *codec) add(ev providers.Event) { c.out = append(c.out, ev) }

func (c *codec) other(text string) {
	c.add(providers.Event{Kind: providers.Other, Text: text})
}

// begin starts a block and returns its index.
func (c *codec) begin(b *providers.Block) int {
	c.add(providers.Event{Kind: providers.BlockStart, Index: c.next, Block: b})
	c.next++
	return c.next - 1
}

// arrayOf returns v if it is an array, else an empty one.
func arrayOf(v []byte) []byte {
	if !strict.IsKind(v, '[') {
		return []byte("[]")
	}
	return v
}

// input is the text of a call's input. One that is no string, as it should be, but
// the object itself, is told as its bytes.
func (c *codec) input(v []byte) (string, error) {
	if strict.IsKind(v, '{') {
		c.busy = true
		return c.arena.Copy(v), nil
	}
	return c.arena.TextOr("arguments", v)
}

// tokens is what has been reported so far: a report may leave out what it said
// before (E9).
type tokens struct{ prompt, answer, read, write int }

// report folds a usage object of either API into what is known and returns the
// whole, or nil if nothing was reported. Both count the prompt with what came
// from a cache; the neutral In is without, so that the sum is right once. (One
// server tells more tokens from the cache than in the prompt: then In is 0.)
func (c *codec) report(v []byte) (*providers.Usage, error) {
	if strict.Hollow(v) {
		return nil, nil
	}
	if !strict.IsKind(v, '{') {
		return nil, strict.Mistyped("usage", v, "an object")
	}
	for m := strict.Members(v); m.Next(); {
		var err error
		switch string(m.Name) {
		case "prompt_tokens", "input_tokens":
			err = c.count.set(&c.count.prompt, "usage", m)
		case "completion_tokens", "output_tokens":
			err = c.count.set(&c.count.answer, "usage", m)
		case "cache_creation_input_tokens": // gateways to the Messages API
			err = c.count.set(&c.count.write, "usage", m)
		case "prompt_cache_hit_tokens": // DeepSeek
			err = c.count.set(&c.count.read, "usage", m)
		case "prompt_tokens_details", "input_tokens_details":
			if !strict.IsKind(m.Value, '{') {
				continue
			}
			for d := strict.Members(m.Value); d.Next() && err == nil; {
				switch string(d.Name) {
				case "cached_tokens":
					err = c.count.set(&c.count.read, "usage.prompt_tokens_details", d)
				case "cache_write_tokens": // OpenRouter
					err = c.count.set(&c.count.write, "usage.prompt_tokens_details", d)
				}
			}
		}
		if err != nil {
			return nil, err
		}
	}
	n := c.count
	return &providers.Usage{In: max(0, n.prompt-n.read-n.write), Out: n.answer, CacheRead: n.read, CacheWrite: n.write}, nil
}

func (*tokens) set(to *int, what string, m strict.Object) error {
	if strict.Absent(m.Value) {
		return nil
	}
	n, err := strict.Whole(what+"."+string(m.Name), m.Value)
	if err == nil {
		*to = n
	}
	return err
}
