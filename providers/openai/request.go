package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// head decodes the members that both APIs' requests have, under any of their names.
func (c *codec) head(req *providers.Request, m walk) (err error) {
	switch v := m.value; string(m.name) {
	case "model":
		req.Model, err = c.arena.text("model", v)
	case "max_tokens": // the older name: where both stand, the other counts
		if req.MaxTokens == 0 && !absent(v) {
			req.MaxTokens, err = whole("max_tokens", v)
		}
	case "max_completion_tokens", "max_output_tokens":
		if !absent(v) {
			req.MaxTokens, err = whole(string(m.name), v)
		}
	case "stream":
		req.Stream, err = flag("stream", v)
	case "tools":
		req.Tools, err = c.tools(v)
	}
	return err
}

// tools decodes the advertised tools. One that the provider runs itself has its
// type as its name.
func (c *codec) tools(v []byte) (out []providers.Tool, err error) {
	if absent(v) {
		return nil, nil
	}
	if !isKind(v, '[') {
		return nil, mistyped("tools", v, "an array")
	}
	for e := elements(v); e.next(); {
		t, err := c.tool(e.value)
		if err != nil {
			return nil, within(fmt.Sprintf("tools[%d]", len(out)), err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (c *codec) tool(v []byte) (t providers.Tool, err error) {
	if !isKind(v, '{') {
		return t, mistyped("", v, "an object")
	}
	for _, name := range []string{"function", "custom"} { // Chat's are one level deeper
		if f := memberOf(v, name); isKind(f, '{') {
			v = f
			break
		}
	}
	var typ string
	for m := members(v); m.next() && err == nil; {
		switch string(m.name) {
		case "type":
			typ, err = c.arena.textOr("type", m.value)
		case "name":
			t.Name, err = c.arena.textOr("name", m.value)
		case "description":
			t.Description, err = c.arena.textOr("description", m.value)
		case "parameters":
			if absent(m.value) {
				continue
			}
			if t.Schema = string(m.value); !isKind(m.value, '{') {
				err = mistyped("parameters", m.value, "an object")
			}
		}
	}
	if t.Name == "" {
		t.Name = typ
	}
	return t, err
}

// sender is the message that the next blocks of a role belong to.
type sender struct {
	out     []providers.Message
	results bool // the last message is the user's and consists of results
}

// say appends blocks to the last message, if they go on with it, or as a new one.
func (s *sender) say(role providers.Role, goesOn bool, blocks ...providers.Block) {
	if n := len(s.out); goesOn && n > 0 && s.out[n-1].Role == role {
		s.out[n-1].Blocks = append(s.out[n-1].Blocks, blocks...)
	} else {
		s.out = append(s.out, providers.Message{Role: role, Blocks: blocks})
	}
	s.results = false
}

// result adds a result: those that follow each other are one message of the
// user's, and so are the words behind them.
func (s *sender) result(b providers.Block) {
	s.say(providers.User, s.results, b)
	s.results = true
}

// texts is content that may be a string or a list of parts.
type texts struct {
	text  string // a line for each text
	plain bool   // a string: text is all that it says
}

func (c *codec) texts(what string, v []byte) (t texts, err error) {
	switch {
	case absent(v):
		return t, nil
	case isKind(v, '"'):
		t.plain = true
		t.text, err = c.arena.text(what, v)
		return t, err
	case !isKind(v, '['):
		return t, mistyped(what, v, "a string or an array")
	}
	var lines []string
	i := 0
	for e := elements(v); e.next(); i++ {
		if !isKind(e.value, '{') {
			return t, mistyped(fmt.Sprintf("%s[%d]", what, i), e.value, "an object")
		}
		if text := memberOf(e.value, "text"); isKind(text, '"') {
			line, err := c.arena.text("", text)
			if err != nil {
				return t, err
			}
			lines = append(lines, line)
		}
	}
	t.text = strings.Join(lines, "\n")
	return t, nil
}

// hasOnly reports whether an object says nothing but in these members.
func hasOnly(v []byte, names ...string) bool {
next:
	for m := members(v); m.next(); {
		for _, name := range names {
			if string(m.name) == name {
				continue next
			}
		}
		if !hollow(m.value) {
			return false
		}
	}
	return true
}
