package oracle

import "strings"

const whatwg = "WHATWG HTML, [interpreting an event stream](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)"

// framingKinds are about server-sent events.
func framingKinds() []kind {
	return []kind{{
		name: "lines-in-cr", apis: allSSE, right: theCodec,
		what:  "takes a stream whose lines end in CR for one line without an end, and reports a clean end without an event",
		codec: "reads it",
		why:   whatwg + ": a line may end in CR",
		sees: func(body string) string {
			if strings.Contains(body, "\r") && !strings.Contains(body, "\n") {
				return ""
			}
			return body
		},
	}, {
		name: "byte-order-mark", apis: allSSE, right: theCodec,
		what:  "loses the first line of a stream that begins with a byte-order mark, silently: with it the event where that is its data, and in the Messages API its name",
		codec: "reads it",
		why:   whatwg + ": one leading mark is ignored",
		sees: func(body string) string {
			_, rest, _ := strings.Cut(body, "\n\n")
			for _, first := range []string{"data:", "event: message_start"} {
				if strings.HasPrefix(body, "\ufeff"+first) {
					return rest
				}
			}
			return body
		},
	}, {
		name: "unterminated-event", apis: allSSE, right: either, recorded: true,
		what:  "drops an event that is whole but for the blank line behind it",
		codec: "tells it",
		why:   whatwg + " drops it. The codec departs from that (package sse) so that a terminal event without its last byte still ends an answer; half an event is told by neither",
		sees: func(body string) string {
			if lf := strings.ReplaceAll(body, "\r\n", "\n"); strings.Contains(body, "\n") && !isWhole(body) && !strings.HasSuffix(lf, "\n\n") {
				head, _, _ := cutLast(lf, "\n\n")
				return head + "\n\n"
			}
			return body
		},
	}, {
		name: "behind-done", apis: []api{chat, responses}, right: either,
		what:  "stops reading at `[DONE]`",
		codec: "reads on to the end of the bytes and tells what comes",
		why:   "the reference of the API says that `[DONE]` ends the stream; nothing comes behind it in any recording. The codec hides nothing",
		sees: func(body string) string {
			if head, _, ok := strings.Cut(body, "data: [DONE]\n\n"); ok {
				return head + "data: [DONE]\n\n"
			}
			return body
		},
	}, {
		name: "unnamed-events", apis: []api{messages}, right: theCodec,
		what:  "skips every event without an `event:` line, even an error: an answer of a gateway that leaves them out is empty, and no error is reported",
		codec: "takes the type that the data says",
		why:   "the name repeats the data's `type`, so nothing is lost without it; and an empty answer that counts as success is the worst of the readings",
		sees: func(body string) string {
			if strings.HasPrefix(body, "\ufeff") {
				return body // the mark has taken the name away: another kind
			}
			return keep(body, func(f *frame) bool { return f.name != "" })
		},
	}, {
		name: "name-ignored", apis: []api{messages, responses}, right: either,
		what:  "takes the data's `type` where the `event:` line says another",
		codec: "refuses the stream",
		why:   "they are equal in all recordings; nobody can say which of the two is meant",
		sees: func(body string) string {
			return keep(body, func(f *frame) bool {
				if typ := f.get("type").String(); f.name != "" && typ != "" {
					f.name = typ
				}
				return true
			})
		},
	}, {
		name: "only-data-lines", apis: []api{gemini}, right: theCodec,
		what:  "refuses a stream with a comment, an event name, an event in two data lines, lines that end in CR, or a byte-order mark",
		codec: "reads it",
		why:   whatwg + ". Google's own servers send none of these; gateways in front of them send comments to keep a connection open",
		reads: func(t *turn, body string) {
			if isWhole(body) || strings.HasPrefix(body, "[") || t.End == failed {
				return
			}
			rest := strings.ReplaceAll(body, "\r\n", "\n")
			for event := range strings.SplitSeq(rest, "\n\n") {
				if event != "" && (!strings.HasPrefix(event, "data:") || strings.ContainsAny(event, "\r\n")) {
					*t = turn{End: failed}
				}
			}
		},
	}, {
		name: "array", apis: []api{gemini}, right: either, recorded: true,
		what:  "refuses a stream that is one JSON array",
		codec: "reads it",
		why:   "the API answers so without `alt=sse`, which the SDK always asks for",
		reads: func(t *turn, body string) {
			if strings.HasPrefix(strings.TrimSpace(body), "[") {
				*t = turn{End: failed}
			}
		},
	}}
}
