package openai

import (
	"fmt"
	"strings"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// responses decodes answers of Responses.
type responses struct {
	codec
	begun   bool          // MessageStart was told
	id      string        // of the answer that is being told
	items   []*item       // in the order in which they were first seen
	at      map[int]*item // by output_index, the one seen last there
	byID    map[string]*item
	refused bool   // something was said in a part for refusals
	called  bool   // a call of ours was told
	fed     *block // what the delta just decoded belongs to
}

func (r *responses) event(name, data []byte) error {
	if isDone(data) { // OpenRouter; the terminal event is another one
		r.other("[DONE]")
		return nil
	}
	if string(name) == "error" { // whatever type its data has, or plain text
		r.add(providers.Event{Kind: providers.Failure, Err: failure(data)})
		return nil
	}
	v, err := strict.CheckObject("the data", data)
	if err != nil {
		return err
	}
	e := event{output: -1}
	for m := strict.Members(v); m.Next() && err == nil; {
		switch string(m.Name) {
		case "type":
			e.typ = m.Value
		case "item_id":
			e.itemID = m.Value
		case "output_index":
			e.output, err = strict.Whole("output_index", m.Value)
		case "content_index", "summary_index":
			e.part.index, err = strict.Whole("content_index", m.Value)
			e.part.summary = string(m.Name) == "summary_index"
		case "delta":
			e.delta = m.Value
		case "text":
			e.text = m.Value
		case "arguments", "input":
			e.input = m.Value
		case "refusal":
			e.refusal = m.Value
		case "item":
			e.item = m.Value
		case "part":
			e.content = m.Value
		case "response":
			e.response = m.Value
		case "sequence_number":
			r.seq = m.Value
		case "obfuscation":
			if strict.IsKind(m.Value, '"') {
				r.pad = m.Value
			}
		}
	}
	if err != nil {
		return err
	}
	kind := ""
	if e.typ == nil {
		kind = string(name)
	} else {
		if kind, err = r.arena.Text("type", e.typ); err != nil {
			return err
		}
		if len(name) > 0 && string(name) != kind {
			return fmt.Errorf("the event line says %s, the data's type says %s; they are always equal", name, kind)
		}
	}
	if err := r.dispatch(kind, &e, v); err != nil {
		return err
	}
	if len(r.out) == 0 {
		r.other(kind)
	}
	return nil
}

// event is the members of an event that this package reads.
type event struct {
	typ, itemID, delta, text, input, refusal, item, content, response []byte

	output int // -1: missing
	part   partKey
}

func (r *responses) dispatch(kind string, e *event, v []byte) error {
	switch kind {
	case "":
		if strict.Member(v, "error") == nil {
			return fmt.Errorf("the event has neither a name nor a type")
		}
		r.add(providers.Event{Kind: providers.Failure, Err: failure(v)})
	case "response.created", "response.queued", "response.in_progress":
		return strict.Within("response", r.started(e.response))
	case "response.output_item.added":
		return r.itemAdded(e)
	case "response.output_item.done":
		return r.itemDone(e, kind)
	case "response.content_part.added":
		return r.partAdded(e)
	case "response.content_part.done":
		return r.partDone(e, kind)
	case "response.output_text.delta":
		return r.textDelta(e, false)
	case "response.output_text.done":
		return r.textDone(e, "text", e.text, kind)
	case "response.refusal.delta":
		return r.textDelta(e, true)
	case "response.refusal.done":
		return r.textDone(e, "refusal", e.refusal, kind)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		return r.inputDelta(e)
	case "response.function_call_arguments.done", "response.custom_tool_call_input.done":
		return r.inputDone(e, kind)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return r.thoughtDelta(e)
	case "response.reasoning_summary_text.done", "response.reasoning_text.done":
		return r.thoughtDone(e, kind)
	case "response.completed", "response.incomplete", "response.cancelled":
		return strict.Within("response", r.ended(kind, e.response))
	case "response.failed":
		return strict.Within("response", r.failed(e.response))
	case "error":
		r.add(providers.Event{Kind: providers.Failure, Err: failure(v)})
	case "keepalive", "ping":
		r.add(providers.Event{Kind: providers.Ping})
	}
	return nil // of tools that the provider runs itself, and what comes next year: Other
}

// started tells the beginning of an answer once, whichever of its events comes
// first. Another id is another answer (recordings that were joined).
func (r *responses) started(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	id, err := r.arena.TextOr("id", strict.Member(v, "id"))
	if err != nil {
		return err
	}
	if r.begun && id == r.id {
		return nil
	}
	*r = responses{codec: r.codec}
	r.count, r.next = tokens{}, 0
	return r.start(id, v)
}

func (r *responses) start(id string, v []byte) error {
	model, err := r.arena.TextOr("model", strict.Member(v, "model"))
	if err != nil {
		return err
	}
	r.begun, r.id = true, id
	u, err := r.report(strict.Member(v, "usage"))
	r.add(providers.Event{Kind: providers.MessageStart, ID: id, Model: model, Usage: u})
	return err
}

// ended tells the terminal event: what it lists and was not told, why the answer
// ended, and that it did.
func (r *responses) ended(kind string, v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	if !r.begun && len(r.items) == 0 { // nothing came before
		id, err := r.arena.TextOr("id", strict.Member(v, "id"))
		if err != nil {
			return err
		}
		if err := r.start(id, v); err != nil {
			return err
		}
	}
	if output := strict.Member(v, "output"); !strict.Absent(output) {
		if !strict.IsKind(output, '[') {
			return strict.Mistyped("output", output, "an array")
		}
		if err := r.list(output, kind); err != nil {
			return strict.Within("output", err)
		}
	}
	if kind == "response.completed" {
		r.shutWhole()
	}
	u, err := r.report(strict.Member(v, "usage"))
	if err != nil {
		return err
	}
	reason, err := r.reason(kind, v)
	if err != nil {
		return err
	}
	r.add(providers.Event{Kind: providers.Stop, Text: reason, Usage: u})
	r.add(providers.Event{Kind: providers.MessageStop})
	return nil
}

// reason is the stop reason in neutral words. The API has none for calls: that
// it made some is the reason.
func (r *responses) reason(kind string, v []byte) (string, error) {
	switch {
	case kind == "response.incomplete":
		why, err := r.arena.TextOr("incomplete_details.reason", strict.Member(strict.Member(v, "incomplete_details"), "reason"))
		switch {
		case err != nil:
			return "", err
		case r.refused, why == "content_filter":
			return "refusal", nil
		case why == "max_output_tokens":
			return "max_tokens", nil
		case why == "":
			return "incomplete", nil
		}
		return why, nil
	case kind != "response.completed": // cancelled
		return strings.TrimPrefix(kind, "response."), nil
	case r.refused:
		return "refusal", nil
	case r.called:
		return "tool_use", nil
	}
	return "end_turn", nil
}

// failed tells why an answer failed. An error event may have told it before:
// then it is told twice, as it came.
func (r *responses) failed(v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	r.add(providers.Event{Kind: providers.Failure, Err: failure(orNothing(strict.Member(v, "error")))})
	return nil
}

func orNothing(v []byte) []byte {
	if strict.Absent(v) {
		return nil
	}
	return v
}

func (r *responses) piece(_ providers.EventKind, text string) {
	r.fed.told = append(r.fed.told, text...)
}
