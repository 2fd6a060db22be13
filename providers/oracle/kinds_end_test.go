package oracle

import (
	"slices"
	"strings"
)

// endKinds are about how an answer ends, and in which order it comes.
func endKinds() []kind {
	return []kind{{
		name: "last-message", apis: []api{messages}, right: theCodec,
		what:  "throws away what was said so far when a second `message_start` comes",
		codec: "tells both; the reader refuses a second message inside the first",
		why:   "one stream holds one message. Only fixtures that were joined have two",
		sees: func(body string) string {
			if at := strings.LastIndex(body, "event: message_start"); at > 0 && strings.Count(body, "event: message_start") > 1 {
				return body[at:]
			}
			return body
		},
	}, {
		name: "late-piece", apis: []api{messages}, right: theCodec,
		what:  "adds a piece to a block that is over",
		codec: "tells it; the reader refuses it",
		why:   "a call may have begun to run when its block ended",
		reads: func(t *turn, _ string) {
			if t.why == errLate.Error() {
				*t = turn{End: well, ended: true}
			}
		},
	}, {
		name: "index-used-twice", apis: []api{messages}, right: either,
		what:  "refuses a block whose index an earlier one had",
		codec: "tells both; the reader takes them for two blocks",
		why:   "anthropics/anthropic-sdk-typescript#879: gateways count from 0 again. The blocks are whole, one behind the other, so nothing is in doubt",
		reads: func(t *turn, body string) {
			seen := []string{}
			for _, f := range frames(body) {
				if f.name == "message_start" {
					seen = seen[:0]
				}
				if f.name != "content_block_start" || t.End == failed {
					continue
				}
				if slices.Contains(seen, f.get("index").Raw) {
					*t = turn{End: failed}
				}
				seen = append(seen, f.get("index").Raw)
			}
		},
	}, {
		name: "terminal-event-wins", apis: []api{responses}, right: theCodec, recorded: true,
		what:  "takes what the terminal event lists for the answer, whatever was streamed: items that it does not list never were, and where it contradicts the stream, it wins",
		codec: "keeps what was streamed and adds what is new; texts stay as they were told, and inputs that contradict each other fail",
		why:   "servers leave out of the terminal event what they streamed, and a call that has begun to run cannot change its input any more",
		sees: func(body string) string {
			terminal, bad := 0, false
			for _, f := range frames(body) {
				terminal += isTerminal(f)
				bad = bad || f.get("type").String() == "error"
			}
			if terminal != 1 || bad {
				return body
			}
			return keep(body, func(f *frame) bool { return isTerminal(*f) == 1 })
		},
	}, {
		name: "cancelled-unknown", apis: []api{responses}, right: either,
		what:  "does not know `response.cancelled`: the answer has no end",
		codec: "takes it for a terminal event",
		why:   "`cancelled` is a status of the API; that its stream ends with such an event is not documented",
		sees: func(body string) string {
			return keep(body, func(f *frame) bool { return f.get("type").String() != "response.cancelled" })
		},
	}, {
		name: "behind-the-terminal-event", apis: []api{responses}, right: either,
		what:  "fails when an event that it knows follows the terminal event",
		codec: "tells it",
		why:   "nothing follows it in any recording. A second terminal event that says the same is no reason to throw the answer away",
		reads: func(t *turn, body string) {
			n := 0
			for _, f := range frames(body) {
				if n += isTerminal(f); n > 1 && t.End != failed {
					*t = turn{End: failed}
				}
			}
		},
	}, {
		name: "fields-required", apis: []api{responses}, right: theCodec,
		what:  "fails at an event without `output_index`, at a call without `call_id`, and at arguments that are an object",
		codec: "finds the item by its id, or takes the last; tells a call without an id; tells the object's bytes",
		why:   "servers that imitate the API leave these out, and the calls are whole",
		reads: func(t *turn, body string) {
			if isWhole(body) || t.End == failed {
				return
			}
			for _, f := range frames(body) {
				typ := f.get("type").String()
				located := strings.HasPrefix(typ, "response.output_") || strings.HasPrefix(typ, "response.content_part")
				calls := append(f.get(`response.output.#(type=="function_call")#`).Array(), f.get("item"))
				lacks := located && !f.get("output_index").Exists()
				for _, c := range calls {
					lacks = lacks || c.Get("type").String() == "function_call" && (!c.Get("call_id").Exists() || c.Get("arguments").IsObject())
				}
				if lacks {
					*t = turn{End: failed}
					return
				}
			}
		},
	}, {
		name: "cut-is-an-error", apis: []api{gemini}, right: either,
		what:  "fails with an error of JSON where the bytes end inside an event",
		codec: "ends without the terminal event, which is to say cut",
		why:   "neither takes it for success; the codec's end lets a loop ask again, as after every cut",
		reads: func(t *turn, body string) {
			if at := strings.LastIndex(body, "data: "); t.End == early && at >= 0 && !isJSON(body[at+len("data: "):]) {
				*t = turn{End: failed}
			}
		},
	}, {
		name: "chunk-id-changes", apis: []api{chat}, right: theCodec, recorded: true,
		what:  "refuses a chunk whose id is not that of the first (`AddChunk` returns false)",
		codec: "takes no notice",
		why:   "openai/openai-go#322. Servers send a new id with each chunk; the connection already says to which answer a chunk belongs",
		reads: func(t *turn, body string) {
			id := ""
			for _, f := range frames(body) {
				if strings.HasPrefix(f.data, "[DONE]") || t.End == failed {
					return
				}
				if now := f.get("id").String(); id == "" {
					id = now
				} else if now != id {
					*t = turn{End: failed}
				}
			}
		},
	}, {
		name: "end-unchecked", apis: []api{messages, chat, gemini}, right: theCodec, recorded: true,
		what:  "reports no error when the bytes end before the terminal event (`message_stop`, `[DONE]`, in Gemini a finish reason)",
		codec: "tells no MessageStop",
		why:   "anthropics/anthropic-sdk-typescript#842: half an answer must not pass for one. A loop may take a stop reason behind the last block for the end, as ours does: some servers send no `[DONE]`",
		reads: func(t *turn, _ string) {
			if t.End == early {
				t.End, t.cut = well, true
			}
		},
	}}
}

func isTerminal(f frame) int {
	switch f.get("type").String() {
	case "response.completed", "response.incomplete", "response.failed":
		return 1
	}
	return 0
}
