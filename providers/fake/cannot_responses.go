package fake

import "unicode/utf8"

// cannot: every block is an item, which begins and ends; the stop reason is in
// the event that ends the answer, and whether there are calls decides what it
// means.
func (responses) cannot(acts []act, stream bool) *lineError {
	if !stream && withheld(acts) {
		return nil
	}
	if err := common("responses", acts, stream); err != nil {
		return err
	}
	var stop, tail *act
	called, refused := false, false
	for i := range acts {
		a := &acts[i]
		l := a.line
		switch {
		case a.op == OpError && stream && !utf8.ValidString(l.Name+l.Values[0]):
			return no(l, "`error` has bytes that are not UTF-8, and an error of responses is read all the same")
		case a.op == OpStop && stream && stop != nil:
			return no(l, "responses says one stop reason, in the event that ends the answer, and line %d says it", stop.line.Line)
		case a.op == OpStop:
			stop = a
		case a.op == OpTail && !a.none:
			tail = a
		case a.block():
			if stream && stop != nil {
				return no(l, "`%s` comes behind the stop reason of line %d, and responses says that in the event that ends the answer", a.op, stop.line.Line)
			}
			if stream && a.cut() && a.faint() {
				return no(l, "a call without an id or a name is known in responses by its input or its end, and this one has neither")
			}
			called = called || a.stream() == OpCall
			refused = refused || a.op == OpRefusal
		}
	}
	switch {
	case !stream: // its last stop reason counts, wherever it is written
	case stop == nil && tail == nil:
		return nil // it breaks off
	case stop == nil:
		return no(tail.line, "the event that ends an answer of responses has a stop reason; write `tail none`, or a stop")
	case stop.reason == stopNone && tail == nil:
		return nil
	case tail == nil:
		return no(stop.line, "responses says the stop reason in the event that ends the answer, so an answer cannot break off behind `stop %s`", stop.reason)
	}
	return responsesReason(stop, called, refused)
}

func responsesReason(a *act, called, refused bool) *lineError {
	l := a.line
	switch {
	case silent(a.reason):
		return no(l, "the event that ends an answer of responses has a stop reason, so it cannot be `%s`", a.reason)
	case refused && a.reason != stopRefusal:
		return no(l, "`stop %s` comes behind a refusal, and a refusal is a stop reason itself in responses", a.reason)
	case a.reason == stopTool && !called:
		return no(l, "responses has no word for tool_use: that there are calls is the reason, and here are none")
	case a.reason == stopEnd && called:
		return no(l, "responses has no word for end_turn beside calls: that there are calls is the reason")
	case a.reason == stopSequence:
		return no(l, "responses has no stop reason stop_sequence; it knows no stop sequences")
	case a.reason == stopWindow:
		return no(l, "responses has no stop reason context_window; it refuses such a request")
	}
	switch a.reason {
	case "max_output_tokens", "content_filter":
		return no(l, "`stop %s` is one of responses' own words; write the neutral one: max_tokens or refusal", a.reason)
	}
	return nil
}
