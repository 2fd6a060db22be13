package oracle

import (
	"strings"

	"github.com/tidwall/gjson"
)

// callKinds are about calls of tools.
func callKinds() []kind {
	return []kind{{
		name: "braces-overwritten", apis: []api{messages}, right: either,
		what:  "takes `{}` for a place holder even where the first pieces of an input said it: what follows replaces it",
		codec: "joins the pieces",
		why:   "`{}{...}` is no input; the codec says so, and the call is refused",
		reads: func(t *turn, _ string) {
			for i, c := range t.Calls {
				if rest, ok := strings.CutPrefix(c.Input, "{}"); ok && rest != "" {
					t.Calls[i].Input = canonical(rest)
				}
			}
		},
	}, {
		name: "cut-input-emptied", apis: []api{messages}, right: theCodec,
		what:  "replaces an input that is no JSON by `{}`, when its block ends or the message does: a call whose input was cut is a call without arguments",
		codec: "hands on the bytes",
		why:   "anthropics/anthropic-sdk-go#227 asked for it, so that the message can be sent back; gsd-build/gsd-2#2670 is what comes of it. With `{}` a tool that has no required argument runs",
		reads: func(t *turn, _ string) {
			for i, c := range t.Calls {
				if c.Input != "" && !isJSON(c.Input) && (!c.Open || t.End == well && !t.cut) {
					t.Calls[i].Input = "{}"
				}
			}
		},
	}, {
		name: "placeholder-kept", apis: []api{messages}, right: theCodec,
		what:  "leaves the `{}` that holds the place of an input when not one piece of it came",
		codec: "tells an input of no bytes in a block that never closed",
		why:   "real streams end so when max_tokens comes first. Only a block that closed without a piece means `{}`",
		reads: func(t *turn, _ string) {
			for i, c := range t.Calls {
				if c.Input == "" {
					t.Calls[i].Input = "{}"
				}
			}
		},
	}, {
		name: "open-untold", apis: []api{messages, chat}, right: theCodec,
		what:  "does not tell a call whose end never came from one that is over",
		codec: "tells no BlockStop",
		why:   "an input that was cut may parse all the same (jaseci-labs/jac p6766)",
		reads: func(t *turn, _ string) {
			for i := range t.Calls {
				t.Calls[i].Open = false
			}
		},
	}, {
		name: "calls-merged", apis: []api{chat}, right: theCodec,
		what:  "takes a missing index for 0, and whatever has one index for one call: names and inputs of two calls run together, under the last id",
		codec: "begins a call with another id or another name",
		why:   "Mistral sends no index; some send 0 for every call (ollama/ollama#15457)",
		reads: func(t *turn, body string) {
			if n := byIndex(body); len(n) > 0 && len(n) < len(t.Calls) {
				t.Calls = n
			}
		},
	}, {
		name: "name-repeated", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "joins the names of a call's pieces: a server that repeats the name calls `rmrm`",
		codec: "knows a name that was told already",
		why:   "a name comes whole, as the reference says; no recording has one in pieces",
		reads: func(t *turn, body string) {
			n := byIndex(body)
			for i := range t.Calls {
				if name := t.Calls[i].Name; len(n) == len(t.Calls) && name != n[i].Name && strings.ReplaceAll(n[i].Name, name, "") == "" {
					t.Calls[i].Name = n[i].Name
				}
			}
		},
	}, {
		name: "call-id-changes", apis: []api{chat}, right: either,
		what:  "takes the last id of a call",
		codec: "takes the first, and notes the other",
		why:   "poolsideai/pool#9. A start cannot be told twice, and the server takes either back",
		reads: func(t *turn, body string) {
			n := byIndex(body)
			for i := range t.Calls {
				if len(n) == len(t.Calls) {
					t.Calls[i].ID = n[i].ID
				}
			}
		},
	}, {
		name: "index-left-out", apis: []api{chat}, right: theCodec,
		what:  "makes a call without an id and a name for every index that was left out",
		codec: "takes the index for a name, not for a place",
		why:   "nobody made that call; sent back, it is refused",
		reads: func(t *turn, body string) {
			if n := byIndex(body); len(n) > len(t.Calls) && n[0] == (call{Input: "{}"}) {
				t.Calls = n
			}
		},
	}, {
		name: "calls-interleave", apis: []api{chat}, right: theSDK,
		what:  "puts the pieces of calls together by index, in whatever order they come",
		codec: "takes a call to be over when the next one begins, and tells a piece of it behind its end; the reader refuses the answer",
		why:   "the index is there for it. No recording has such a stream: all calls come one behind the other, and a loop that starts calls early needs to know when one is over",
		reads: func(t *turn, _ string) {
			if t.why == errLate.Error() {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "function_call", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "keeps `function_call`, from before there were tools, apart from the calls, and does not collect it from a stream",
		codec: "tells it as a call without an id",
		why:   "the API is deprecated, and servers still answer in it; the finish reason says that there is a call",
		reads: func(t *turn, body string) {
			for _, c := range choices(body) {
				if c.said.Get("function_call").IsObject() {
					t.Calls = nil
				}
			}
		},
	}, {
		name: "pieces-unjoined", apis: []api{gemini}, right: theCodec,
		what:  "hands on the pieces of a call's input one by one, a call each, and joins nothing",
		codec: "tells one call, and each piece as the JSON that it adds",
		why:   "Vertex sends them where `streamFunctionCallArguments` was asked for. The SDK leaves the joining to its user",
		reads: func(t *turn, body string) {
			if !strings.Contains(body, "willContinue") || isWhole(body) {
				return
			}
			t.Calls = nil
			for _, f := range frames(body) {
				for _, p := range f.get("candidates.0.content.parts").Array() {
					if c := p.Get("functionCall"); c.Exists() {
						input := c.Get("args").Raw
						if input == "" {
							input = "{}"
						}
						t.Calls = append(t.Calls, call{ID: c.Get("id").String(), Name: c.Get("name").String(), Input: canonical(input), Open: c.Get("willContinue").Bool()})
					}
				}
			}
		},
	}, {
		name: "names-with-underscores", apis: []api{gemini}, right: theCodec,
		what:  "does not see `function_call`",
		codec: "knows members under both names",
		why:   "[ProtoJSON](https://protobuf.dev/programming-guides/json/): a reader accepts both, and a writer may keep the names of the .proto file",
		reads: func(t *turn, body string) {
			if strings.Contains(body, `"function_call"`) {
				t.Calls = nil
			}
		},
	}}
}

func isJSON(s string) bool { return gjson.Valid(s) }
