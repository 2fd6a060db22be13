package harness

// longestLoop is the longest sequence of rounds whose repetition is seen:
// A A A, A B A B A, A B C A B C A.
const longestLoop = 3

// round is one turn of calls in a history (N1): the entries from its answer on.
type round struct{ from, to int }

// lastRounds finds the last n rounds of the run that a history ends in, newest
// first. It looks no further back than that.
func lastRounds(h History, n int) []round {
	var rs []round
	to, called := h.Len(), false
	for i := h.Len() - 1; i >= 0 && len(rs) < n && h.At(i).Kind != EntryUser; i-- {
		switch h.At(i).Kind {
		case EntryCall:
			called = true
		case EntryAssistant:
			if called {
				rs = append(rs, round{i, to})
			}
			to, called = i, false
		}
	}
	return rs
}

// before is the history in front of the answer that is being decided on. That
// answer may be in the history already, when a hook was asked behind its calls
// or when it is taken up again after a crash: its own round is none of the last.
func (s State) before() History {
	h := s.history
	if s.answer == nil {
		return h
	}
	for i := h.Len() - 1; i >= 0; i-- {
		if e := h.At(i); e.Kind == EntryAssistant && e.Seq == s.answer.Seq {
			h.n = i
			break
		}
	}
	return h
}

// loops reports whether a turn's calls would be the so manieth time around: the
// last rounds, or sequences of rounds, were the same calls with the same
// results. Polling whose results change is no loop. Equal calls of one turn
// count once, in whatever order they stand: a batch of three equal calls is one
// round.
func loops(h History, t *Turn, after int) bool {
	if after < 2 || len(t.Calls) == 0 {
		return false
	}
	return repeats(h, after, func(r round) bool { return r.calls(h, t) })
}

// looming reports whether one more round could close a loop.
func looming(h History, after int) bool {
	return after >= 2 && repeats(h, after, func(round) bool { return true })
}

// repeats looks for a sequence of p rounds that the last ones repeat after-1
// times, and whose first would come next.
func repeats(h History, after int, next func(round) bool) bool {
	rs := lastRounds(h, longestLoop)
	for p := 1; p <= longestLoop && p <= len(rs); p++ {
		if !next(rs[p-1]) {
			continue
		}
		if n := p * (after - 1); len(rs) < n {
			rs = lastRounds(h, max(n, longestLoop))
		}
		if repeat(h, rs, p, p*(after-1)) {
			return true
		}
	}
	return false
}

// repeat reports whether the last n rounds repeat themselves every p rounds.
func repeat(h History, rs []round, p, n int) bool {
	if len(rs) < n {
		return false
	}
	for i := p; i < n; i++ {
		if !rs[i].equals(h, rs[i-p]) {
			return false
		}
	}
	return true
}

// made is a call of a round and what came of it.
type made struct {
	name, input string
	result      *Entry
}

// list are the calls of a round, with their results.
func (r round) list(h History) []made {
	var list []made
	at := map[string]int{}
	for i := r.from; i < r.to; i++ {
		switch e := h.At(i); e.Kind {
		case EntryCall:
			at[e.Call] = len(list)
			list = append(list, made{name: e.Name, input: e.Text})
		case EntryResult:
			if k, ok := at[e.Call]; ok {
				list[k].result = e
			}
		}
	}
	return list
}

// calls reports whether a turn makes the calls of a round.
func (r round) calls(h History, t *Turn) bool {
	was := r.list(h)
	var now []made
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Verdict.Code != Merged {
			now = append(now, made{name: c.Name, input: c.Input})
		}
	}
	same := func(a, b *made) bool { return a.name == b.name && sameInput(a.input, b.input) }
	return within(now, was, same) && within(was, now, same)
}

// equals reports whether two rounds are the same calls with the same results.
func (r round) equals(h History, o round) bool {
	same := func(a, b *made) bool {
		return a.name == b.name && sameInput(a.input, b.input) && sameResult(a.result, b.result)
	}
	x, y := r.list(h), o.list(h)
	return within(x, y, same) && within(y, x, same)
}

// within reports whether each of a is also among b.
func within(a, b []made, same func(a, b *made) bool) bool {
	for i := range a {
		found := i < len(b) && same(&a[i], &b[i]) // mostly in the same order
		for k := 0; k < len(b) && !found; k++ {
			found = same(&a[i], &b[k])
		}
		if !found {
			return false
		}
	}
	return true
}

// sameResult compares what two calls brought. A kept output is told by its
// digest: the text names a file, and that is another one each time.
func sameResult(a, b *Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.IsError != b.IsError || a.Digest != b.Digest || a.Digest == "" && a.Text != b.Text || len(a.Images) != len(b.Images) {
		return false
	}
	for i := range a.Images {
		if a.Images[i] != b.Images[i] {
			return false
		}
	}
	return true
}
