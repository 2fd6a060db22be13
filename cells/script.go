package cells

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// What the answer under test says, and what every later answer says.
const (
	ownText   = "It is so."
	afterText = "Done."
)

// Script is the reply script: the answer under test, then plain good answers
// for whatever comes next.
func (c Cell) Script() string {
	var b strings.Builder
	line := func(parts ...string) {
		b.WriteString("    " + strings.Join(parts, "") + "\n")
	}
	b.WriteString("reply\n")
	if c.Order == first {
		line("stop ", c.reason())
	}
	blocks := c.blocks()
	for i, block := range blocks {
		if i == len(blocks)-1 {
			block = c.lastBlock()
			if c.Order == middle && len(blocks) > 1 {
				line("stop ", c.reason())
			}
		}
		for _, l := range block {
			line(l)
		}
	}
	if c.Order == last {
		line("stop ", c.reason())
	}
	switch c.Terminal {
	case eof, reset:
		line(c.Terminal)
	case failed:
		line(`error overloaded_error "Overloaded"`)
	}
	b.WriteString("reply times=0..9\n    text \"" + afterText + "\"\n")
	return b.String()
}

// reason is the stop reason as a script writes it.
func (c Cell) reason() string {
	switch c.Stop {
	case missing:
		return "none"
	case unknown:
		return "because"
	}
	return c.Stop
}

// blocks are the lines of each block, all of them whole.
func (c Cell) blocks() [][]string {
	switch c.Content {
	case text:
		return [][]string{{`text "` + ownText + `"`}}
	case thinking:
		return [][]string{{`think "Let me see."`}}
	case call:
		return [][]string{{`call a note {"n":1,"why":"it is asked"}`}}
	case twoCalls:
		return [][]string{{`call a note {"n":1,"why":"it is asked"}`}, {`call b note {"n":2,"why":"that too"}`}}
	case serverCall:
		return [][]string{{`server-call s web_search {"query":"a","max":3}`}}
	case serverResult:
		return [][]string{{`server-call s web_search {"query":"a","max":3}`}, {`server-result s []`}}
	case serverText:
		return [][]string{{`server-call s web_search {"query":"a","max":3}`}, {`server-result s []`}, {`text "` + ownText + `"`}}
	case textCall:
		return [][]string{{`text "` + ownText + `"`}, {`call a note {"n":1,"why":"it is asked"}`}}
	}
	return nil
}

// lastBlock is the last block in the state that the cell wants, with the stop
// reason before its end where it is alone and the reason is to stand in the middle.
func (c Cell) lastBlock() []string {
	const end = `frame {"type":"content_block_stop","index":0}` // the end that a cut- line leaves out
	apart := c.Order == middle && c.single()
	switch c.Content {
	case text, thinking, serverText:
		word := `text "` + ownText + `"`
		if c.Content == thinking {
			word = `think "Let me see."`
		}
		switch {
		case apart:
			return []string{"cut-" + word, "stop " + c.reason(), end}
		case c.Last == open:
			return []string{"cut-" + word}
		}
	case call, twoCalls, textCall:
		ids := c.calls()
		id, n := ids[len(ids)-1], map[string]string{"a": "1", "b": "2"}[ids[len(ids)-1]]
		input := c.input(`{"n":`+n+`,"why":"it is asked"}`, `{"n":`+n+`}`, `{"n":`+n+`,"why":"it`)
		switch {
		case apart:
			return []string{"cut-call " + id + " note " + input, "stop " + c.reason(), end}
		case c.Last == open:
			return []string{"cut-call " + id + " note " + input}
		case c.Last != closed:
			return []string{"call " + id + " note " + input}
		}
	case serverCall:
		input := c.input(`{"query":"a","max":3}`, `{"query":"a"}`, `{"query":"a","m`)
		begin := []string{
			`frame {"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}`,
			`frame {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` + quote(strings.Trim(input, "'")) + `}}`,
		}
		switch {
		case apart:
			return append(begin, "stop "+c.reason(), end)
		case c.Last == open:
			return begin
		case c.Last != closed:
			return []string{"server-call s web_search " + input}
		}
	}
	blocks := c.blocks()
	return blocks[len(blocks)-1]
}

// input is what arrives of a call's input: all of it as JSON, or the bytes of a
// part, which parses or does not.
func (c Cell) input(whole, parses, broken string) string {
	switch c.Last {
	case cutParses:
		return "'" + parses + "'"
	case cutBroken:
		return "'" + broken + "'"
	}
	return whole
}

// quote is a JSON string of plain text.
func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// Digest is a short name of the reply script: cells with one digest send the
// same bytes.
func (c Cell) Digest() string {
	sum := sha256.Sum256([]byte(c.Script()))
	return hex.EncodeToString(sum[:6])
}
