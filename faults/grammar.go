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
	usage    *regexp.Regexp // the beginning of pointers into what counts tokens
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
	return grammar{name: protocol, kinds: func(string, []value) kind { return 0 }, index: never, id: never, callName: never, text: never, input: never, usage: never, stray: `{}`}
}

// Where events say what they say: inputs have members of any name, so nothing
// counts but the whole path.
var (
	chatRole   = regexp.MustCompile(`^/choices/\d+/delta/role$`)
	chatText   = regexp.MustCompile(`^/choices/\d+/delta/content$`)
	chatName   = regexp.MustCompile(`^/choices/\d+/delta/tool_calls/\d+/function/name$`)
	chatInput  = regexp.MustCompile(`^/choices/\d+/delta/tool_calls/\d+/function/arguments$`)
	chatStop   = regexp.MustCompile(`^/choices/\d+/finish_reason$`)
	geminiCall = regexp.MustCompile(`^/candidates/\d+/content/parts/\d+/functionCall$`)
	geminiText = regexp.MustCompile(`^/candidates/\d+/content/parts/\d+/text$`)
	geminiStop = regexp.MustCompile(`^/candidates/\d+/finishReason$`)
)

// thought reports whether a text is one that gemini's model thinks.
func thought(vs []value, v value) bool {
	part, is := strings.CutSuffix(v.path, "/text")
	mark, there := at(vs, part+"/thought")
	return is && there && mark.kind == 't'
}

var never = regexp.MustCompile(`^\x00$`)

// The protocols, by what tells their events apart. Nobody changes the list.
var grammars = []grammar{
	{
		name: "anthropic", named: true,
		usage:    regexp.MustCompile(`^(/message)?/usage`),
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
		name:     "chat",
		usage:    regexp.MustCompile(`^/usage`),
		index:    regexp.MustCompile(`^/choices/\d+/delta/tool_calls/\d+/index$`),
		id:       regexp.MustCompile(`^/choices/\d+/delta/tool_calls/\d+/id$`),
		callName: chatName,
		text:     chatText,
		input:    chatInput,
		stray:    `{"object":"bench.unknown","choices":[]}`,
		kinds: func(data string, vs []value) kind {
			var k kind
			for _, v := range vs {
				switch {
				case chatRole.MatchString(v.path):
					k |= start
				case chatText.MatchString(v.path) && v.text(data) != "":
					k |= texts_
				case chatName.MatchString(v.path) && v.text(data) != "":
					k |= opens
				case chatInput.MatchString(v.path) && v.text(data) != "":
					k |= inputs
				case chatStop.MatchString(v.path) && v.kind == '"':
					k |= stops
				}
			}
			return k
		},
	},
	{
		name: "responses", named: true,
		usage:    regexp.MustCompile(`^/response/usage`),
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
		name:     "gemini",
		usage:    regexp.MustCompile(`^/usageMetadata`),
		index:    never,
		id:       regexp.MustCompile(`^/candidates/\d+/content/parts/\d+/functionCall/id$`),
		callName: regexp.MustCompile(`^/candidates/\d+/content/parts/\d+/functionCall/name$`),
		text:     geminiText,
		input:    regexp.MustCompile(`^/candidates/\d+/content/parts/\d+/functionCall/args$`),
		stray:    `{"benchUnknown":{"note":"a chunk of tomorrow"}}`,
		kinds: func(data string, vs []value) kind {
			var k kind
			for _, v := range vs {
				switch {
				case geminiCall.MatchString(v.path):
					k |= opens | inputs | closes
				case geminiText.MatchString(v.path) && v.text(data) != "" && !thought(vs, v):
					k |= texts_
				case geminiStop.MatchString(v.path):
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
	vs := values(e.data)
	var piece value
	found := false
	for _, v := range vs {
		if re.MatchString(v.path) && v.kind == '"' && !thought(vs, v) {
			if v.text(e.data) != "" {
				return v, true
			}
			if !found {
				piece, found = v, true
			}
		}
	}
	return piece, found
}
