package oracle

import (
	"strings"

	"github.com/tidwall/gjson"
)

// held stands for the byte 0xff while the codec reads it.
const held = "\ue0ff"

// jsonKinds are about JSON, and about what is no answer at all.
func jsonKinds() []kind {
	return []kind{{
		name: "key-twice", apis: all, right: theCodec,
		what:  "takes one of two members with the same name",
		codec: "refuses the answer",
		why:   "[RFC 8259, 4](https://www.rfc-editor.org/rfc/rfc8259#section-4): what a reader makes of it is unpredictable. A call may not run on one of two inputs",
		reads: func(t *turn, _ string) {
			if t.End == failed && strings.Contains(t.why, "duplicate") {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "invalid-utf8", apis: allSSE, right: theCodec,
		what:  "hands on bytes that are no UTF-8",
		codec: "refuses the answer",
		why:   "[RFC 8259, 8.1](https://www.rfc-editor.org/rfc/rfc8259#section-8.1): JSON is UTF-8, so nobody can say what was meant",
		sees:  func(body string) string { return strings.ToValidUTF8(body, held) },
		reads: func(t *turn, _ string) {
			for i, s := range t.Texts {
				t.Texts[i] = strings.ReplaceAll(s, held, "\xff")
			}
		},
	}, {
		name: "invalid-utf8-replaced", apis: []api{gemini}, right: theCodec,
		what:  "puts U+FFFD in the place of bytes that are no UTF-8",
		codec: "refuses the answer",
		why:   "as above; a path or a patch with another byte is another one",
		sees:  func(body string) string { return strings.ToValidUTF8(body, "\ufffd") },
	}, {
		name: "loose-types", apis: []api{messages, chat}, right: theCodec,
		what:  "turns a value of the wrong type into one of the right type (a number into text, text into an index), and a missing index into 0",
		codec: "refuses the answer",
		why:   "the types are those of the API's reference, and of all recordings; a missing index would add to the wrong block",
		reads: func(t *turn, _ string) {
			if t.End == failed && (strings.Contains(t.why, "; want ") || strings.Contains(t.why, "is missing")) && !strings.Contains(t.why, "the answer's") && !strings.Contains(t.why, "index is -1") {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "error-as-answer", apis: []api{messages, chat, gemini}, right: theCodec, recorded: true,
		what:  "takes an error object under status 200 for an answer that says nothing; in a stream of Chat, one that says `\"object\":\"error\"`",
		codec: "fails with the error's own class and words",
		why:   "Azure, vLLM and gateways answer so; a loop that takes it for an empty answer asks again, or ends in success",
		reads: func(t *turn, body string) {
			if t.End == failed && (isWhole(body) && gjson.Get(body, "error").Exists() || strings.Contains(body, `"object":"error"`)) {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "not-an-answer", apis: all, right: theCodec, recorded: true,
		what:  "takes any JSON object for an answer, one without content",
		codec: "fails: a member is missing that every answer has",
		why:   "what is no answer of the API (another API's, a proxy's) is not an answer of no words",
		reads: func(t *turn, body string) {
			if t.End == failed && isWhole(body) && strings.Contains(t.why, "the answer's ") {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "error-that-is-null", apis: []api{chat}, right: theCodec,
		what:  "takes `\"error\":null` in a chunk for an error, and ends the stream",
		codec: "takes it for no error",
		why:   "a member that is null says nothing",
		reads: func(t *turn, body string) {
			for _, f := range frames(body) {
				if t.End != failed && f.get("error").Raw == "null" {
					*t = turn{End: failed}
				}
			}
		},
	}, {
		name: "finish-reason-as-number", apis: []api{gemini}, right: theCodec, recorded: true,
		what:  "refuses a finish reason that is a number",
		codec: "knows the numbers that mean the same in both of Google's APIs",
		why:   "Google's own older clients ask for them (`$alt=json;enum-encoding=int`)",
		reads: func(t *turn, body string) {
			if strings.Contains(strings.ReplaceAll(body, `": `, `":`), `"finishReason":1`) && t.End != failed {
				*t = turn{End: failed}
			}
		},
	}, {
		name: "number-rounded", apis: []api{gemini}, right: theCodec,
		what:  "reads the numbers of a call's input as floats: 9007199254740993 becomes 9007199254740992",
		codec: "hands on the bytes",
		why:   "[RFC 8259, 6](https://www.rfc-editor.org/rfc/rfc8259#section-6) lets a reader round; an id or an offset that is off by one is still another one",
		reads: func(t *turn, _ string) {
			for i, c := range t.Calls {
				t.Calls[i].Input = strings.ReplaceAll(c.Input, "9007199254740993", "9007199254740992")
			}
		},
	}}
}
