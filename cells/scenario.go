package cells

import "strings"

// Scenario is the cell as a scenario file: it stands alone, and a run of it
// passes when the loop agrees with the table.
func (c Cell) Scenario() string { return c.scenario(c.Expect()) }

func (c Cell) scenario(r Row) string {
	var b strings.Builder
	put := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	put("# Cell "+c.Name()+": "+c.says()+".",
		"# From: the matrix, row "+r.Name+". "+r.From+".",
		"protocol "+c.Protocol,
		"provider replies.script",
		"tool note write")
	switch c.Rungs {
	case raised:
		put("config escalate=0")
	case spent:
		put("config escalate=0 continue=0 retries=0 empty=0 protocol=0 pauses=0 max_turns=1")
	}
	put("run 'go'")
	put(r.assertions(c)...)
	put("run 'and now'", "terminal completed", `stdout '^Done\.$'`)
	put("", "-- replies.script --")
	return b.String() + c.Script()
}

// says describes the cell in words.
func (c Cell) says() string {
	content := map[string]string{
		nothing: "nothing", text: "a text", thinking: "a thought", call: "a call", twoCalls: "two calls",
		serverCall: "a server's call", serverResult: "a server's call with its result",
		serverText: "a server's call with its result, and a text", textCall: "a text and a call",
	}[c.Content]
	whole := map[string]string{
		closed: "", open: ", the last block never closed", cutParses: ", the last input cut and still JSON", cutBroken: ", the last input cut in the middle",
	}[c.Last]
	end := map[string]string{
		present: "then the terminal event", eof: "then the stream ends without a terminal event",
		reset: "then the connection is reset", failed: "then an error event",
	}[c.Terminal]
	stop := "no stop reason"
	if c.Stop != missing {
		stop = "the stop reason " + c.Stop + " " + map[string]string{first: "first", middle: "in the middle", last: "last"}[c.Order]
	}
	return content + whole + ", " + stop + ", " + end
}
