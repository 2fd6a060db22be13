package fake

import (
	"fmt"
	"slices"
)

// lane is the replies for one kind of request, in the order in which they are
// given.
type lane struct {
	name  string
	slots []slot
	next  int // the slot that the next request gets
	high  int // no slot from here on was ever given
	// placed: this life has asked already. The first request of a life says
	// where the lane stands.
	placed bool
	// spent are the slots that a request has shown, in order. Only of the main
	// lane.
	spent []int
	// paused are the slots that were given and stopped with pause_turn.
	paused []int
}

// slot is one repetition of a reply.
type slot struct {
	reply  *Reply
	rep    int
	served int    // how often
	n      int    // the exchange that got it last
	shape  *shape // of the reply, once it was served
}

// newLanes lays out a script's replies.
func newLanes(s *Script) map[string]*lane {
	lanes := map[string]*lane{}
	for _, name := range Lanes() {
		lanes[name] = &lane{name: name}
	}
	for _, r := range s.Replies {
		l := lanes[r.Lane]
		for rep := 1; rep <= r.Max; rep++ {
			l.slots = append(l.slots, slot{reply: r, rep: rep})
		}
	}
	return lanes
}

// take gives the next slot, nil when there is none.
func (l *lane) take() *slot {
	if l.next == len(l.slots) {
		return nil
	}
	l.next++
	l.high = max(l.high, l.next)
	return &l.slots[l.next-1]
}

// gave notes what was given from the slot.
func (l *lane) gave(sl *slot, n int, s *shape) {
	sl.served++
	sl.n, sl.shape = n, s
	if i := l.next - 1; s.paused && !slices.Contains(l.paused, i) {
		l.paused = append(l.paused, i)
	}
}

// unused returns a sentence for each reply that was required and not asked for
// often enough.
func (l *lane) unused(script string) []string {
	var out []string
	for i := 0; i < len(l.slots); {
		r, asked := l.slots[i].reply, 0
		for ; i < len(l.slots) && l.slots[i].reply == r; i++ {
			if l.slots[i].served > 0 {
				asked++
			}
		}
		switch {
		case asked >= r.Min:
		case r.Min == 1 && r.Max == 1:
			out = append(out, fmt.Sprintf("%s:%d: this reply of lane %s was never asked for", script, r.Line, l.name))
		default:
			out = append(out, fmt.Sprintf("%s:%d: this reply of lane %s was asked for %d times; at least %d are required", script, r.Line, l.name, asked, r.Min))
		}
	}
	return out
}

// seen is an assistant message of a request.
type seen struct {
	shape *shape
	slot  int // the slot it shows; -1: none known
}

// mark finds out which replies the messages show and counts them as spent. It
// returns the last of them, or -1.
//
// Within a life a request shows what the one before it showed, and perhaps one
// reply more; that is the fast path. After a compaction, or in a new life, it
// may show less.
func (l *lane) mark(messages []seen) int {
	last := -1
	if n := len(l.spent); n > 0 {
		last = l.spent[n-1]
	}
	same := 0
	for same < len(messages) && same < len(l.spent) && messages[same].shape.shows(l.slots[l.spent[same]].shape) {
		messages[same].slot = l.spent[same]
		same++
	}
	if rest := messages[same:]; len(rest) > 0 {
		l.align(rest, l.spent[same:], l.unspent(last))
	}
	shown := -1
	for _, m := range messages {
		if m.slot < 0 {
			continue
		}
		shown = max(shown, m.slot)
		if m.slot > last {
			l.spent = append(l.spent, m.slot)
		}
	}
	return shown
}

// unpause splits messages that show several replies: a paused one, and what
// went on with it. The API wants them in one message.
func (l *lane) unpause(messages []seen) []seen {
	if l.paused == nil {
		return messages
	}
	var out []seen
	for _, m := range messages {
		for _, i := range l.paused {
			if head, rest, ok := m.shape.split(l.slots[i].shape); ok {
				out = append(out, seen{head, -1})
				m.shape = rest
			}
		}
		out = append(out, m)
	}
	return out
}

// unspent returns the slots behind last that were given, and that a request can
// show.
func (l *lane) unspent(last int) []int {
	var out []int
	for i := l.high - 1; i > last && len(out) < maxAlign; i-- {
		if sl := &l.slots[i]; sl.served > 0 && !sl.shape.empty() {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

// maxAlign bounds how many messages and replies are compared with each other
// when a request shows something else than the one before it.
const maxAlign = 256

// align pairs messages with replies, both in order, as many as possible. Among
// equal pairings it takes the latest replies, because a compaction keeps the
// end; but a reply that no request has shown yet counts as shown only if the
// messages cannot be explained without it.
func (l *lane) align(messages []seen, spent, unspent []int) {
	messages = messages[max(0, len(messages)-maxAlign):]
	spent = spent[max(0, len(spent)-maxAlign):]
	all := slices.Concat(spent, unspent)
	t := l.table(messages, all)
	use := len(all)
	if n := len(spent); n > 0 && t[len(messages)][n] == t[len(messages)][len(all)] {
		use = n
	}
	for i, j := len(messages), use; i > 0 && j > 0; {
		left := t[i][j]
		if left == 0 {
			return
		}
		// The latest reply that can end a pairing of this length, with the
		// latest message that can be it.
		for ; ; j-- {
			k := i
			for k > 0 && !(t[k-1][j-1]+1 == left && messages[k-1].shape.shows(l.slots[all[j-1]].shape)) {
				k--
			}
			if k > 0 {
				messages[k-1].slot = all[j-1]
				i, j = k-1, j-1
				break
			}
		}
	}
}

// table is the length of the longest pairing of the first i messages with the
// first j replies.
func (l *lane) table(messages []seen, all []int) [][]int {
	t := make([][]int, len(messages)+1)
	for i := range t {
		t[i] = make([]int, len(all)+1)
		if i == 0 {
			continue
		}
		for j := 1; j <= len(all); j++ {
			t[i][j] = max(t[i-1][j], t[i][j-1])
			if t[i-1][j-1]+1 > t[i][j] && messages[i-1].shape.shows(l.slots[all[j-1]].shape) {
				t[i][j] = t[i-1][j-1] + 1
			}
		}
	}
	return t
}

// place moves the lane to where the first request of a life stands. shown is
// the last reply that the request contains, or -1.
func (l *lane) place(shown int) {
	switch {
	case shown >= 0:
		l.next = shown + 1
		l.spent = slices.DeleteFunc(l.spent, func(i int) bool { return i > shown })
	case len(l.spent) > 0: // a compaction removed them
		l.next = l.spent[len(l.spent)-1] + 1
	default:
		l.next = 0 // none was committed
	}
}
