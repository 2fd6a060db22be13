package faults

import (
	"regexp"
	"strings"
)

// kind is what an event does in its stream. One event may do several things.
type kind uint16

const (
	start    kind = 1 << iota // the answer begins
	opens                     // a block or a call begins
	texts_                    // a piece of text
	inputs                    // a piece of a call's input
	closes                    // a block or a call ends
	stops                     // says why the answer ended
	terminal                  // the event that ends a good stream; gemini has none
)

// grammar is what the events of a protocol look like: as little as faults have
// to know of it.
type grammar struct {
	name     string
	named    bool // events carry an event: line
	kinds    func(data string, vs []value) kind
	index    *regexp.Regexp // pointers of a block's place
	id       *regexp.Regexp // of a call's id
	callName *regexp.Regexp // of a called tool's name
	text     *regexp.Regexp // of a piece of text
	input    *regexp.Regexp // of a piece of a call's input
	usage    string         // the member that counts tokens
	stray    string         // data of an event that nobody knows
	strayOf  string         // its name
}

func (g *grammar) is(e event, k kind) bool { return g.of(e)&k != 0 }

func (g *grammar) of(e event) kind {
	if e.data == "[DONE]" {
		return terminal
	}
	return g.kinds(e.data, values(e.data))
}

// grammarOf is the grammar of a protocol; for one that is not known, a grammar
// in which nothing means anything.
func grammarOf(protocol string) grammar {
	for _, g := range grammars {
		if g.name == protocol {
			return g
		}
	}
	return grammar{name: protocol, kinds: func(string, []value) kind { return 0 }, index: never, id: never, callName: never, text: never, input: never, stray: `{}`}
}

var never = regexp.MustCompile(`^\x00$`)

// The protocols, by what tells their events apart. Nobody changes the list.
var grammars = []grammar{
	{
		name: "anthropic", named: true, usage: "usage",
		index:    regexp.MustCompile(`^/index$`),
		id:       regexp.MustCompile(`^/content_block/id$`),
		callName: regexp.MustCompile(`^/content_block/name$`),
		text:     regexp.MustCompile(`^/delta/text$`),
		input:    regexp.MustCompile(`^/delta/partial_json$`),
		strayOf:  "bench_unknown",
		stray:    `{"type":"bench_unknown","note":"an event of tomorrow"}`,
		kinds: func(data string, vs []value) kind {
			switch stringAt(data, vs, "/type") {
			case "message_start":
				return start
			case "content_block_start":
				return opens
			case "content_block_delta":
				switch stringAt(data, vs, "/delta/type") {
				case "text_delta":
					return texts_
				case "input_json_delta":
					return inputs
				}
			case "content_block_stop":
				return closes
			case "message_delta":
				return stops
			case "message_stop":
				return terminal
			}
			return 0
		},
	},
	{
		name: "chat", usage: "usage",
		index:    regexp.MustCompile(`/tool_calls/\d+/index$`),
		id:       regexp.MustCompile(`/tool_calls/\d+/id$`),
		callName: regexp.MustCompile(`/function/name$`),
		text:     regexp.MustCompile(`/delta/content$`),
		input:    regexp.MustCompile(`/function/arguments$`),
		stray:    `{"object":"bench.unknown","choices":[]}`,
		kinds: func(data string, vs []value) kind {
			var k kind
			for _, v := range vs {
				switch {
				case v.name == "role":
					k |= start
				case v.name == "content" && v.text(data) != "":
					k |= texts_
				case strings.HasSuffix(v.path, "/function/name") && v.text(data) != "":
					k |= opens
				case strings.HasSuffix(v.path, "/function/arguments") && v.text(data) != "":
					k |= inputs
				case v.name == "finish_reason" && v.kind == '"':
					k |= stops
				}
			}
			return k
		},
	},
	{
		name: "responses", named: true, usage: "usage",
		index:    regexp.MustCompile(`^/output_index$`),
		id:       regexp.MustCompile(`^/item/call_id$|^/response/output/\d+/call_id$`),
		callName: regexp.MustCompile(`^/item/name$|^/response/output/\d+/name$`),
		text:     regexp.MustCompile(`^/delta$`),
		input:    regexp.MustCompile(`^/delta$`),
		strayOf:  "response.bench_unknown",
		stray:    `{"type":"response.bench_unknown","note":"an event of tomorrow"}`,
		kinds: func(data string, vs []value) kind {
			switch stringAt(data, vs, "/type") {
			case "response.created":
				return start
			case "response.output_item.added":
				return opens
			case "response.output_text.delta":
				return texts_
			case "response.function_call_arguments.delta":
				return inputs
			case "response.output_item.done":
				return closes
			case "response.completed", "response.incomplete", "response.failed":
				return stops | terminal
			}
			return 0
		},
	},
	{
		name: "gemini", usage: "usageMetadata",
		index:    never,
		id:       regexp.MustCompile(`/functionCall/id$`),
		callName: regexp.MustCompile(`/functionCall/name$`),
		text:     regexp.MustCompile(`/parts/\d+/text$`),
		input:    regexp.MustCompile(`/functionCall/args$`),
		stray:    `{"benchUnknown":{"note":"a chunk of tomorrow"}}`,
		kinds: func(data string, vs []value) kind {
			var k kind
			for _, v := range vs {
				switch {
				case strings.HasSuffix(v.path, "/functionCall"):
					k |= opens | inputs | closes
				case v.name == "text" && v.text(data) != "":
					k |= texts_
				case v.name == "finishReason":
					k |= stops
				}
			}
			return k
		},
	},
}

func stringAt(data string, vs []value, path string) string {
	v, _ := at(vs, path)
	return v.text(data)
}

// pieceOf is the value that a delta brings: of text, or of input.
func (g *grammar) pieceOf(e event, k kind) (value, bool) {
	re := g.text
	if k == inputs {
		re = g.input
	}
	if !g.is(e, k) {
		return value{}, false
	}
	for _, v := range values(e.data) {
		if re.MatchString(v.path) && v.kind == '"' {
			return v, true
		}
	}
	return value{}, false
}
