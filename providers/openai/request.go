package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// head decodes the members that both APIs' requests have, under any of their names.
func (c *codec) head(req *providers.Request, m strict.Object) (err error) {
	switch v := m.Value; string(m.Name) {
	case "model":
		req.Model, err = c.arena.Text("model", v)
	case "max_tokens": // the older name: where both stand, the other counts
		if req.MaxTokens == 0 && !strict.Absent(v) {
			req.MaxTokens, err = strict.Whole("max_tokens", v)
		}
	case "max_completion_tokens", "max_output_tokens":
		if !strict.Absent(v) {
			req.MaxTokens, err = strict.Whole(string(m.Name), v)
		}
	case "stream":
		req.Stream, err = strict.Flag("stream", v)
	case "tools":
		req.Tools, err = c.tools(v)
	}
	return err
}

// tools decodes the advertised tools. One that the provider runs itself has its
// type as its name.
func (c *codec) tools(v []byte) (out []providers.Tool, err error) {
	if strict.Absent(v) {
		return nil, nil
	}
	if !strict.IsKind(v, '[') {
		return nil, strict.Mistyped("tools", v, "an array")
	}
	for e := strict.Elements(v); e.Next(); {
		t, err := c.tool(e.Value)
		if err != nil {
			return nil, strict.Within(fmt.Sprintf("tools[%d]", len(out)), err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (c *codec) tool(v []byte) (t providers.Tool, err error) {
	if !strict.IsKind(v, '{') {
		return t, strict.Mistyped("", v, "an object")
	}
	for _, name := range []string{"function", "custom"} { // Chat's are one level deeper
		if f := strict.Member(v, name); strict.IsKind(f, '{') {
			v = f
			break
		}
	}
	var typ string
	for m := strict.Members(v); m.Next() && err == nil; {
		switch string(m.Name) {
		case "type":
			typ, err = c.arena.TextOr("type", m.Value)
		case "name":
			t.Name, err = c.arena.TextOr("name", m.Value)
		case "description":
			t.Description, err = c.arena.TextOr("description", m.Value)
		case "parameters":
			if strict.Absent(m.Value) {
				continue
			}
			if t.Schema = string(m.Value); !strict.IsKind(m.Value, '{') {
				err = strict.Mistyped("parameters", m.Value, "an object")
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
	case strict.Absent(v):
		return t, nil
	case strict.IsKind(v, '"'):
		t.plain = true
		t.text, err = c.arena.Text(what, v)
		return t, err
	case !strict.IsKind(v, '['):
		return t, strict.Mistyped(what, v, "a string or an array")
	}
	var lines []string
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if !strict.IsKind(e.Value, '{') {
			return t, strict.Mistyped(fmt.Sprintf("%s[%d]", what, i), e.Value, "an object")
		}
		if text := strict.Member(e.Value, "text"); strict.IsKind(text, '"') {
			line, err := c.arena.Text("", text)
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
	for m := strict.Members(v); m.Next(); {
		for _, name := range names {
			if string(m.Name) == name {
				continue next
			}
		}
		if !strict.Hollow(m.Value) {
			return false
		}
	}
	return true
}
