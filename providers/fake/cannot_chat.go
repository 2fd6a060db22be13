package fake

// cannot: a chunk says what it adds to (text, thought, refusal, call), and
// neither where a block begins nor where it ends.
func (chat) cannot(acts []act, stream bool) *lineError {
	if !stream && withheld(acts) {
		return nil
	}
	if err := common("chat", acts, stream); err != nil {
		return err
	}
	if !stream {
		return chatWhole(acts)
	}
	var last, call *act // block, and call
	var stop *act       // the last one that says a reason
	open := false       // last is not over yet
	// [DONE] comes, and comes whole.
	refused, tailed, ended := false, false, false
	for i := range acts {
		a := &acts[i]
		l := a.line
		switch {
		case a.op == OpStop:
			if err := chatReason(a, refused); err != nil {
				return err
			}
			if !silent(a.reason) {
				stop, open = a, false
			}
		case a.op == OpTail && !a.none:
			if tailed = true; !shortened(acts[i:]) {
				ended, open = true, false
			}
		case a.block():
			if err := chatBlock(last, call, a); err != nil {
				return err
			}
			if a.op == OpRefusal {
				if refused = true; stop != nil && stop.reason != stopRefusal {
					return no(l, "chat's channel for refusals is a stop reason itself, and line %d says another", stop.line.Line)
				}
			}
			if last, open = a, true; a.stream() == OpCall {
				call = a
			}
		}
	}
	switch {
	case last == nil:
	case open && last.faint():
		return no(last.line, "a call without an id or a name is known in chat by its input or its end, and this one has neither")
	case last.cut() && (stop != nil || tailed) && !(ended && stop != nil && truncates(stop.reason)):
		return no(last.line, "chat never says that a block is over, so a finish reason or [DONE] behind `%s` ends it; only an answer that breaks off, or one that max_tokens ended, can leave it open", last.op)
	case !last.cut() && open && stop != nil:
		return no(last.line, "`%s` comes behind the stop reason of line %d, and then only [DONE] can end it in chat: write `tail` behind it", last.op, stop.line.Line)
	}
	return nil
}

// chatBlock finds what is wrong with a block behind another; call is the last
// call before it.
func chatBlock(last, call, a *act) *lineError {
	l := a.line
	kind := a.stream()
	switch {
	case kind != OpCall && a.empty():
		return no(l, "`%s` says nothing, and an empty text is no block in chat", a.op)
	case kind == OpThink && l.HasSig && l.Sig != "":
		return no(l, "`think` has the signature %s, and chat has no place for one", clip(l.Sig))
	case last == nil:
		return nil
	case last.cut():
		return no(last.line, "`%s` is not the last block, and in chat a block is over where the next begins", last.op)
	case kind != OpCall && kind == last.stream():
		return no(l, "`%s` comes right behind another one in line %d, and in chat both are one block; write the strings on one line", a.op, last.line.Line)
	case kind == OpCall && call != nil && l.Name == "" && (l.ID == "" || l.ID == call.line.ID):
		return no(l, "a call without a name, and without an id of its own, is a part of the call before it in chat")
	}
	return nil
}

// stream is which of chat's streams of text a block belongs to.
func (a *act) stream() Op {
	switch a.op {
	case OpText, OpCutText:
		return OpText
	case OpThink, OpCutThink:
		return OpThink
	case OpCall, OpCutCall:
		return OpCall
	}
	return a.op
}

// sameCall reports whether a call is taken for more of the one before it, where
// calls have no index.
func sameCall(last, l *Line) bool {
	switch {
	case l.ID != "":
		return l.ID == last.ID
	case l.Name != "":
		return l.Name == last.Name && !isObject(wholeInput(last.input()))
	}
	return true
}

// chatReason finds what is wrong with a stop reason. refused: the answer has a
// refusal before it.
func chatReason(a *act, refused bool) *lineError {
	switch {
	case refused && a.reason != stopRefusal && !silent(a.reason):
		return no(a.line, "`stop %s` comes behind a refusal, and chat's channel for refusals is a stop reason itself", a.reason)
	case a.reason == stopSequence:
		return no(a.line, "chat has no stop reason stop_sequence; it says stop for it, as for end_turn")
	}
	switch a.reason {
	case "stop", "tool_calls", "function_call", "length", "content_filter":
		return no(a.line, "`stop %s` is one of chat's own words; write the neutral one: end_turn, tool_use, max_tokens or refusal", a.reason)
	}
	return nil
}

// chatWhole finds what one completion cannot carry: its message has one thought,
// one text, one refusal and its calls, in this order.
func chatWhole(acts []act) *lineError {
	order := []Op{OpThink, OpText, OpRefusal, OpCall}
	at := 0
	var last *act
	refused := false
	for i := range acts {
		a := &acts[i]
		l := a.line
		if !a.block() {
			continue
		}
		kind := a.stream()
		for at < len(order) && order[at] != kind {
			at++
		}
		switch {
		case at == len(order):
			return no(l, "`%s` comes too late: an answer of chat in one piece has one thought, one text, one refusal and its calls, in this order", a.op)
		case kind != OpCall && a.empty():
			return no(l, "`%s` says nothing, and an empty text is no block in chat", a.op)
		case kind == OpThink && l.HasSig && l.Sig != "":
			return no(l, "`think` has the signature %s, and chat has no place for one", clip(l.Sig))
		case kind == OpCall && last != nil && sameCall(last.line, l):
			return no(l, "the call has no id of its own, and in an answer of chat in one piece it is a part of the call before it")
		}
		if kind != OpCall {
			at++
		} else {
			last = a
		}
		refused = refused || kind == OpRefusal
	}
	for i := range acts {
		if a := &acts[i]; a.op == OpStop {
			if err := chatReason(a, refused); err != nil {
				return err
			}
		}
	}
	return nil
}
