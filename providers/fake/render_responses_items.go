package fake

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// response is an answer of Responses as far as it is written: the event that
// ends it says all of it again.
type response struct {
	a       answering
	items   []responseItem
	reason  string
	refused bool
}

// responseItem is one output item.
type responseItem struct {
	kind       string // message, reasoning or function_call
	id         string
	refusal    bool   // of a message
	text       string // of a message, what was thought, or the input of a call
	sig        string
	call, name string
	closed     bool
}

// item adds an item and returns it.
func (r *response) item(kind, text string) *responseItem {
	id := map[string]string{"message": "msg", "reasoning": "rs", "function_call": "fc"}[kind]
	r.items = append(r.items, responseItem{kind: kind, text: text, id: r.a.itemID(id, len(r.items))})
	return &r.items[len(r.items)-1]
}

func (r *response) say(text string, refusal bool) *responseItem {
	it := r.item("message", text)
	it.refusal = refusal
	return it
}

func (r *response) thought(text, sig string) *responseItem {
	it := r.item("reasoning", text)
	it.sig = sig
	return it
}

func (r *response) called(id, name, input string) *responseItem {
	it := r.item("function_call", input)
	it.call, it.name = id, name
	return it
}

// part writes the part of a message.
func (it *responseItem) part(b *builder, text string) {
	if it.refusal {
		b.put(`{"type":"refusal","refusal":`)
	} else {
		b.put(`{"type":"output_text","annotations":[],"logprobs":[],"text":`)
	}
	b.quote(text)
	b.put(`}`)
}

// put writes the item as it is when it begins (in_progress), when it is over
// (completed), or when the answer ended inside it (incomplete).
func (it *responseItem) put(b *builder, status string) {
	begun := status == "in_progress"
	b.put(`{"id":`)
	b.quote(it.id)
	b.put(`,"type":"`, it.kind, `"`)
	switch it.kind {
	case "message":
		b.put(`,"status":"`, status, `","content":[`)
		if !begun {
			it.part(b, it.text)
		}
		b.put(`],"role":"assistant"}`)
	case "reasoning":
		if status == "incomplete" {
			b.put(`,"status":"incomplete"`)
		}
		if !begun && it.sig != "" {
			b.put(`,"encrypted_content":`)
			b.quote(it.sig)
		}
		b.put(`,"summary":[`)
		if !begun {
			it.summary(b, it.text)
		}
		b.put(`]}`)
	case "function_call":
		input := it.text
		if begun {
			input = ""
		}
		b.put(`,"status":"`, status, `","arguments":`)
		b.quote(input)
		b.put(`,"call_id":`)
		b.quote(it.call)
		b.put(`,"name":`)
		b.quote(it.name)
		b.put(`}`)
	}
}

func (*responseItem) summary(b *builder, text string) {
	b.put(`{"type":"summary_text","text":`)
	b.quote(text)
	b.put(`}`)
}

// status is how the answer ends, and why where it is incomplete.
func (r *response) status() (status, why string) {
	switch r.reason {
	case "", stopEnd, stopTool:
		return "completed", ""
	case stopRefusal:
		if r.refused {
			return "completed", ""
		}
		return "incomplete", "content_filter"
	case stopMax:
		return "incomplete", "max_output_tokens"
	}
	return "incomplete", r.reason
}

// put writes the response object. failed is what went wrong, "" if nothing did.
func (r *response) put(b *builder, status, why string, failed *wireError) {
	over := status != "in_progress"
	b.put(`{"id":`)
	b.quote(r.a.itemID("resp", 0))
	b.put(`,"object":"response","created_at":`, openaiCreated, `,"status":"`, status, `","background":false,"error":`)
	if failed == nil {
		b.put("null")
	} else {
		b.put(`{"code":`)
		b.quote(failed.code)
		b.put(`,"message":`)
		b.quote(failed.message)
		b.put(`}`)
	}
	b.put(`,"incomplete_details":`)
	if why == "" {
		b.put("null")
	} else {
		b.put(`{"reason":`)
		b.quote(why)
		b.put(`}`)
	}
	b.put(`,"instructions":null,"max_output_tokens":null,"max_tool_calls":null,"model":`)
	b.quote(r.a.model)
	b.put(`,"output":[`)
	if over && failed == nil {
		r.output(b, status)
	}
	b.put(`],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},"service_tier":"default","store":false,"temperature":1.0,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1.0,"truncation":"disabled","usage":`)
	if over && failed == nil {
		putResponsesUsage(b, r.a.usage)
	} else {
		b.put("null")
	}
	b.put(`,"user":null,"metadata":{}}`)
}

// output lists the items. One that was never closed is listed where the answer is
// incomplete; a complete answer has none, so it leaves it out. So are calls that
// share an id: who reads the list knows calls by it.
func (r *response) output(b *builder, status string) {
	calls := map[string]int{}
	for i := range r.items {
		if r.items[i].kind == "function_call" {
			calls[r.items[i].call]++
		}
	}
	first := true
	for i := range r.items {
		it := &r.items[i]
		if !it.closed && status != "incomplete" || calls[it.call] > 1 && it.kind == "function_call" && r.a.stream {
			continue
		}
		if !first {
			b.put(",")
		}
		first = false
		if it.closed {
			it.put(b, "completed")
		} else {
			it.put(b, "incomplete")
		}
	}
}

// putResponsesUsage writes the token counts as the API does: those of the input
// include what came from a cache.
func putResponsesUsage(b *builder, u providers.Usage) {
	in := u.In + u.CacheRead + u.CacheWrite
	b.put(`{"input_tokens":`)
	b.int(in)
	b.put(`,"input_tokens_details":{"cached_tokens":`)
	b.int(u.CacheRead)
	if u.CacheWrite > 0 { // OpenRouter
		b.put(`,"cache_write_tokens":`)
		b.int(u.CacheWrite)
	}
	b.put(`},"output_tokens":`)
	b.int(u.Out)
	b.put(`,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":`)
	b.int(in + u.Out)
	b.put(`}`)
}

// responsesMessage writes an answer as one response object.
type responsesMessage struct {
	inOnePiece
	response
	b *builder
}

func (m *responsesMessage) text(deltas []string, _ bool) {
	m.say(strings.Join(deltas, ""), false).closed = true
}

func (m *responsesMessage) think(deltas []string, sig string, _ bool) {
	m.thought(strings.Join(deltas, ""), sig).closed = true
}

func (m *responsesMessage) call(id, name string, pieces []string, _, _ bool) {
	m.called(id, name, plainInput(pieces)).closed = true
}

func (m *responsesMessage) refusal(text string) {
	if text != "" {
		m.refused = true
		m.say(text, true).closed = true
	}
}

func (m *responsesMessage) stop(reason string) { m.reason = reason }

func (m *responsesMessage) end() {
	var b builder
	status, why := m.status()
	m.response.put(&b, status, why, nil)
	m.b.put(indented(b.buf))
	m.b.event()
}
