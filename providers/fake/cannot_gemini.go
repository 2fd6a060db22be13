package fake

import (
	"slices"
	"strings"
)

// cannot: calls come whole, words are over where something else begins or with a
// finish reason, and the end of the bytes is the end of the answer.
func (gemini) cannot(acts []act, stream bool) *lineError {
	if !stream && withheld(acts) {
		return nil
	}
	if err := common("gemini", acts, stream); err != nil {
		return err
	}
	called := slices.ContainsFunc(acts, func(a act) bool { return a.block() && a.stream() == OpCall })
	var last, stop, tail, end *act // block, stop reason, end of the answer, and of the connection
	over := true                   // last is over
	for i := range acts {
		a := &acts[i]
		l := a.line
		switch {
		case a.op == OpUsage && l.Usage.CacheWrite > 0:
			return no(l, "gemini does not count what is written into a cache (cache_write)")
		case a.op == OpStop:
			if err := geminiReason(a, called); err != nil {
				return err
			}
			if !silent(a.reason) {
				stop, over = a, true
			}
		case a.op == OpTail && !a.none:
			tail = a
		case l.Op.ending():
			end = a
		case a.block():
			if err := geminiBlock(last, a, stream); err != nil {
				return err
			}
			last, over = a, a.op == OpCall || a.signed()
		}
		if a.op == OpError {
			return geminiOpen(last, stop, over, false)
		}
	}
	if !stream {
		return nil
	}
	clean := end == nil || end.op == OpEOF
	switch {
	case stop != nil && tail != nil && !clean:
		return no(end.line, "`%s` comes behind the end of the answer, and in gemini only the end of its bytes is that", end.op)
	case stop != nil && tail == nil && clean:
		return no(stop.line, "an answer of gemini that ends behind its stop reason is complete, because no event ends it; let it be cut, or write `tail`")
	case stop == nil && tail != nil:
		return no(tail.line, "gemini has no event that ends an answer, so one without a stop reason is cut; write `tail none`, or a stop")
	}
	return geminiOpen(last, stop, over, clean)
}

// geminiOpen finds a last block whose end, or whose lack of one, cannot be told.
// over: something told its end; clean: the bytes end well, which ends an answer in
// which nothing is open.
func geminiOpen(last, stop *act, over, clean bool) *lineError {
	switch {
	case last == nil || stop == nil:
	case !over && (clean || !last.cut()):
		return no(last.line, "`%s` comes behind the stop reason of line %d, and then nothing can end it in gemini", last.op, stop.line.Line)
	case over && last.cut() && last.stream() != OpCall && !truncates(stop.reason):
		return no(last.line, "a finish reason ends the words before it in gemini, so `%s` is over behind it; only an answer that breaks off, or one that max_tokens ended, can leave it open", last.op)
	}
	return nil
}

// signed reports whether the act is a thought with a signature.
func (a *act) signed() bool { return a.op == OpThink && !(a.line.HasSig && a.line.Sig == "") }

// geminiBlock finds what is wrong with a block behind another.
func geminiBlock(last, a *act, stream bool) *lineError {
	l := a.line
	if a.stream() != OpCall {
		switch {
		case a.empty() && !a.signed():
			return no(l, "`%s` says nothing, and an empty text is no block in gemini", a.op)
		case stream && last != nil && last.cut() && last.stream() != OpCall:
			return no(last.line, "`%s` is not the last block, and in gemini words are over where something else begins", last.op)
		}
		return nil
	}
	input := strings.Join(l.input(), "")
	if !stream {
		input = strings.TrimSpace(wholeInput(l.input()))
	}
	switch {
	case stream && last != nil && last.cut() && last.stream() != OpCall:
		return no(last.line, "`%s` is not the last block, and in gemini words are over where something else begins", last.op)
	case l.Name == "" && (l.ID == "" && isHollow(input) || last != nil && last.op == OpCutCall):
		return no(l, "a call without a name, and without an id or an input, is no call in gemini, or a part of the one before it")
	case !stream:
		return notJSON(l)
	case input == "null":
		return no(l, "the input null is none at all in gemini")
	case input == "" || isStrict(input):
		return nil
	case a.op == OpCall:
		return no(l, "the input %s of call %s is not strict JSON in one line, and calls of gemini hold theirs as JSON", clip(input), l.ID)
	}
	if _, ok := partialArgs(input); !ok {
		return no(l, "gemini streams an input member by member, and cannot say %s: cut it inside a string, or behind a number, without white space", clip(input))
	}
	return nil
}

// isHollow reports whether an input says nothing.
func isHollow(input string) bool {
	switch strings.Join(strings.Fields(input), "") {
	case "", "null", `""`, "{}", "[]":
		return true
	}
	return false
}

// geminiReason finds what is wrong with a stop reason.
func geminiReason(a *act, called bool) *lineError {
	switch {
	case a.reason == stopTool && !called:
		return no(a.line, "gemini has no word for tool_use: it says STOP, and here are no calls")
	case a.reason == stopEnd && called:
		return no(a.line, "gemini has no word for end_turn beside calls: it says STOP, which means tool_use then")
	case a.reason == stopSequence:
		return no(a.line, "gemini has no stop reason stop_sequence; it says STOP for it, as for end_turn")
	case a.reason == stopWindow:
		return no(a.line, "gemini has no stop reason context_window; it says MAX_TOKENS")
	case strings.Trim(a.reason, "0123456789") == "" && a.reason != "",
		slices.Contains([]string{"STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
			"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "FINISH_REASON_UNSPECIFIED"}, a.reason):
		return no(a.line, "`stop %s` is one of gemini's own words; write the neutral one: end_turn, tool_use, max_tokens or refusal", a.reason)
	}
	return nil
}
