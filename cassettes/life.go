package cassettes

import (
	"maps"
	"slices"

	"github.com/harnessbench/bench/providers"
)

// BeginLife says that the process which used the player is gone and another one
// takes over. What it had been told and did not keep is told again:
//
// On the main lane the first request says where the recording goes on: at the
// first interaction that has it, if that is not behind the place that was
// reached. A reply that was committed is part of every later request, so one
// that was not is played again, with the failures that came just before it.
//
// On any other lane a reply is spent once it was delivered whole.
//
// With Content, what must be told again is played when nothing else has the
// request.
func (p *Player) BeginLife() {
	p.Wire.BeginLife()
	delivered := map[int]int{}
	for _, ex := range p.Exchanges() {
		delivered[ex.N] = len(ex.Reply)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lanes {
		main := l.name == providers.LaneMain
		l.fresh = main
		for _, at := range slices.Sorted(maps.Keys(l.asked)) {
			switch {
			case !main && delivered[l.asked[at]] == len(p.c.tape[l.tape[at]].Response.Body):
			case p.o.Match == Content:
				key := p.c.asked[l.tape[at]].key(p.o.Ignore)
				l.free[key] = append(l.free[key], at)
			case !main:
				l.next = min(l.next, at)
			}
		}
		clear(l.asked)
	}
}

// standing is the position on the main lane at which the first request of a
// life goes on. If no interaction up to the place that was reached has the
// request, it is the one behind the last reply that the request contains, so
// that the difference is named where a reader looks for it.
func (p *Player) standing(l *lane, got *question) int {
	reached := min(l.next, len(l.tape)-1)
	for at := range reached + 1 {
		if differ(&p.c.asked[l.tape[at]], got, p.o.Ignore) == "" {
			return at
		}
	}
	came, err := parseJSON(got.body)
	if err != nil {
		return l.next
	}
	text := came.String()
	best, most := l.next, -1
	for at := range reached + 1 {
		rec, err := parseJSON(p.c.asked[l.tape[at]].body)
		if err != nil {
			continue
		}
		if n := common(rec.String(), text); n > most {
			best, most = at, n
			if d := compare(&place{}, &rec, &came, p.o.Ignore); d != nil && d.longer {
				best++ // it holds this request and more: the reply was committed
			}
		}
	}
	return min(best, l.next)
}

// common is the length of the common beginning.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
