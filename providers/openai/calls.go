package openai

import (
	"fmt"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// chatCall is one call of an answer.
type chatCall struct {
	b     providers.Block // as it will start, while held
	held  bool            // its start is not told yet
	block int
	json  jsonScan
}

// entry is one element of tool_calls: a new call, or more of one.
type entry struct {
	raw      []byte
	indexed  bool
	index    int
	id, name string
	function []byte
	custom   []byte // the same for a tool whose input is text
	input    []byte
	more     bool // it says what the neutral fields cannot
	legacy   bool // function_call
}

func (c *chat) toolCalls(v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	if !strict.IsKind(v, '[') {
		return strict.Mistyped("tool_calls", v, "an array")
	}
	i := 0
	for e := strict.Elements(v); e.Next(); i++ {
		if err := c.toolCall(e.Value); err != nil {
			return strict.Within(fmt.Sprintf("tool_calls[%d]", i), err)
		}
	}
	return nil
}

func (c *chat) toolCall(v []byte) (err error) {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	e := entry{raw: v}
	for m := strict.Members(v); m.Next() && err == nil; {
		switch string(m.Name) {
		case "index":
			// -1 is what gateways to Bedrock send for none (openai/openai-go#822).
			if e.indexed = !strict.Absent(m.Value) && string(m.Value) != "-1"; e.indexed {
				e.index, err = strict.Whole("index", m.Value)
			}
		case "id":
			e.id, err = c.id(m.Value)
		case "function":
			e.function = m.Value
		case "custom":
			e.custom = m.Value
		case "type":
		default: // Gemini's extra_content, which it wants back
			e.more = e.more || !strict.Hollow(m.Value)
		}
	}
	if err != nil {
		return err
	}
	return c.call(e)
}

// id reads a call's id. A number is told as its digits (AI-Shell-Team/aish p200).
func (c *chat) id(v []byte) (string, error) {
	if len(v) > 0 && (v[0] == '-' || v[0]-'0' <= 9) {
		return c.arena.Copy(v), nil
	}
	return c.arena.TextOr("id", v)
}

func (c *chat) call(e entry) (err error) {
	f := e.function
	if strict.Absent(f) && !strict.Absent(e.custom) {
		f = e.custom
	}
	if !strict.Absent(f) && !strict.IsKind(f, '{') {
		return strict.Mistyped("function", f, "an object")
	}
	if !strict.Absent(f) {
		for m := strict.Members(f); m.Next() && err == nil; {
			switch string(m.Name) {
			case "name":
				e.name, err = c.arena.TextOr("name", m.Value)
			case "arguments", "input":
				e.input = m.Value
			}
		}
	}
	if err != nil {
		return err
	}
	text, err := c.codec.input(e.input) // absent: a call without arguments, for some
	if err != nil {
		return err
	}
	at, ok := c.continues(&e, text != "")
	if !ok {
		at = c.newCall(&e)
	}
	c.last = at
	k := &c.calls[at]
	if ok {
		c.busy = c.busy || e.name != "" || e.id != "" && e.id != k.b.ID
		c.amend(k, &e)
	}
	if k.held && (text != "" || k.b.ID != "" && k.b.Name != "") {
		c.release(k)
	}
	if text != "" {
		c.add(providers.Event{Kind: providers.InputDelta, Index: k.block, Text: text})
		c.text = e.input
		k.json.add(text)
	}
	return nil
}

// continues finds the call that an entry is more of. Servers agree on little:
//
//   - an entry that has neither id nor name is more of a call: of the one with
//     its index, or, if there is none, of the last one (dirac-run/dirac p215);
//   - under an index that is new, an id or a name begins a call, but for an id
//     alone that the last call has already;
//   - under a known index it is more of that call, whatever its id: one server
//     sends two ids for one call (poolsideai/pool#9), others "" (langchain-ai/langchain#35395).
//     But another id with a name begins a call if the name is another one or the
//     input so far is whole: some send index 0 for every call (ollama/ollama#15457);
//   - without an index (Mistral), another id begins a call, and without an id
//     another name, or the same behind an input that is whole.
func (c *chat) continues(e *entry, input bool) (at int, ok bool) {
	last := len(c.calls) - 1
	if last < 0 {
		return 0, false
	}
	at, known := c.byIndex[e.index]
	if !e.indexed {
		at = c.last
	} else if !known {
		at = last
	}
	k := &c.calls[at]
	sameID := e.id == k.b.ID || e.id == ""
	switch {
	case e.legacy:
		return at, e.name == "" || e.name == k.b.Name && !k.json.whole()
	case e.id == "" && e.name == "":
		return at, true
	case e.indexed && !known:
		return at, e.name == "" && e.id == k.b.ID
	case k.held:
		return at, (sameID || k.b.ID == "") && (e.name == "" || k.b.Name == "" || e.name == k.b.Name)
	case !e.indexed && e.id != "":
		return at, e.id == k.b.ID
	case !e.indexed:
		return at, e.name == k.b.Name && !k.json.whole()
	case e.name == "":
		return at, true
	case e.id == "":
		return at, k.b.ID != "" || !input || !k.json.whole()
	}
	return at, sameID || e.name == k.b.Name && !k.json.whole()
}

// newCall begins a call. Its start is held back while its id or its name is
// missing and no input has come, because a start cannot be told twice
// (use-agent-os/agent-os p3265). Nothing else is told meanwhile.
func (c *chat) newCall(e *entry) int {
	c.close()
	k := chatCall{held: true, b: providers.Block{Kind: providers.ToolCall, ID: e.id, Name: e.name}}
	if e.more || strict.Absent(e.function) && !strict.Absent(e.custom) {
		k.b.Raw = string(e.raw)
	}
	c.calls = append(c.calls, k)
	at := len(c.calls) - 1
	if e.indexed {
		if c.byIndex == nil {
			c.byIndex = map[int]int{}
		}
		c.byIndex[e.index] = at
	}
	c.open, c.openCall = callInput, at
	return at
}

// amend takes what a later entry says of a call's id and name: before its start
// it counts, behind it, it is only noted.
func (c *chat) amend(k *chatCall, e *entry) {
	for _, f := range []struct {
		to   *string
		from string
		what string
	}{{&k.b.ID, e.id, "another id of a call"}, {&k.b.Name, e.name, "another name of a call"}} {
		switch {
		case f.from == "" || f.from == *f.to:
		case k.held && *f.to == "":
			*f.to = f.from
		default:
			c.other(f.what)
		}
	}
}

// release tells the start of a call that was held.
func (c *chat) release(k *chatCall) {
	if k.held {
		b := k.b
		k.held = false
		k.block = c.begin(&b)
		c.at = k.block
	}
}

// jsonScan reads an object or array piece by piece, and knows when it is whole.
type jsonScan struct {
	depth           int
	begun           bool
	quoted, escaped bool
}

func (s *jsonScan) add(text string) {
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case s.escaped:
			s.escaped = false
		case s.quoted:
			s.escaped = ch == '\\'
			s.quoted = ch != '"'
		case ch == '"':
			s.quoted = true
		case ch == '{' || ch == '[':
			s.depth++
			s.begun = true
		case ch == '}' || ch == ']':
			s.depth--
		}
	}
}

func (s *jsonScan) whole() bool { return s.begun && s.depth <= 0 && !s.quoted }
