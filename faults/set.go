package faults

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/harnessbench/bench/providers/fake"
)

// Set is what is armed in one conversation, in order. It is a fake.Changer. The
// zero Set is empty and changes nothing.
type Set struct {
	mu    sync.Mutex
	armed []*Armed
	last  map[string]*fake.Plan // by lane: the answer before, for stale-answer
}

// Armed is one line at work.
type Armed struct {
	Line  *Line
	Place string // file:line

	set    *Set
	seen   int  // requests, or calls of the tool, since
	turn   bool // the request under way is meant
	fired  int
	hit    bool   // it has fired for the request under way
	idle   string // the last one that was meant, and on which nothing changed
	memory memory
}

// Arm puts a line behind those that are armed already.
func (s *Set) Arm(l *Line, place string) *Armed {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Armed{Line: l, Place: place, set: s}
	s.armed = append(s.armed, a)
	return a
}

// moment is one request as an armed fault sees it, and what the fault
// remembers of those before.
type moment struct {
	*fake.Asked
	*memory
	last *fake.Plan
}

// Fired says how often the fault has changed something.
func (a *Armed) Fired() int {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	return a.fired
}

// Near says, of a fault that never fired, how near the run came.
func (a *Armed) Near() string {
	a.set.mu.Lock()
	defer a.set.mu.Unlock()
	one, of := "request", "lane "+a.Line.Lane
	if a.Line.Tool != "" {
		one, of = "call", a.Line.Tool
	}
	nth := max(a.Line.Nth, 1)
	switch {
	case a.fired > 0:
		return ""
	case a.seen == 0:
		return fmt.Sprintf("there was no %s of %s behind it", one, of)
	case a.idle != "":
		return a.idle
	case a.Line.Fault.always:
		return fmt.Sprintf("it saw %s of %s and refused none", count(a.seen, one), of)
	case a.seen >= nth:
		return fmt.Sprintf("%s %d of %s behind it was never carried out", one, nth, of)
	case a.seen == 1:
		return fmt.Sprintf("there was one %s of %s behind it, not %d", one, of, nth)
	}
	return fmt.Sprintf("there were %d %ss of %s behind it, not %d", a.seen, one, of, nth)
}

func count(n int, one string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// fire counts one request in which the fault changed something, once.
func (a *Armed) fire() {
	if !a.hit {
		a.hit = true
		a.fired++
	}
}

// Ahead implements fake.Changer.
func (s *Set) Ahead(q *fake.Asked) *fake.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p *fake.Plan
	for _, a := range s.armed {
		if a.Line.Fault.Layer == Tool {
			continue
		}
		a.turn, a.hit = false, false
		if q.Lane != a.Line.Lane {
			continue
		}
		a.seen++
		a.turn = a.Line.hits(a.seen)
		if a.turn && a.Line.Unfit(q.Protocol()) != "" {
			a.turn, a.idle = false, a.Line.Unfit(q.Protocol())
		}
		if f := a.Line.Fault; a.turn && f.ahead != nil && p == nil {
			if p = f.ahead(s.moment(a, q), a.Line.Args); p != nil {
				p.Place = a.Place
				a.fire()
			}
		}
	}
	return p
}

func (s *Set) moment(a *Armed, q *fake.Asked) *moment {
	return &moment{Asked: q, memory: &a.memory, last: s.last[q.Lane]}
}

// Lines implements fake.Changer.
func (s *Set) Lines(q *fake.Asked, lines []fake.Line) []fake.Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.armed {
		if !a.turn {
			continue
		}
		if changed, is := a.Line.Rewrite(lines); is {
			lines = changed
			a.fire()
		}
	}
	return lines
}

// Plan implements fake.Changer.
func (s *Set) Plan(q *fake.Asked, p *fake.Plan) *fake.Plan {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.armed {
		f := a.Line.Fault
		if !a.turn {
			continue
		}
		was := p
		switch {
		case f.answer != nil:
			p = f.answer(s.moment(a, q), p, a.Line.Args)
		case f.events != nil && p.Streams():
			st := newStream(q, q.Protocol(), p)
			f.events(st, a.Line.Args)
			p = st.plan(p)
		}
		if p != was && !same(p, was) {
			p.Place = was.Place + " (" + a.Line.Fault.Name + ")"
			a.fire()
		}
		if !a.hit {
			a.idle = fmt.Sprintf("it left the answer of request %d as it was: %s", q.N, why(q, a.Line, was))
		}
	}
	if s.last == nil {
		s.last = map[string]*fake.Plan{}
	}
	s.last[q.Lane] = p // a line that is armed later may ask for it
	return p
}

// why says what a fault found nothing to change in.
func why(q *fake.Asked, l *Line, p *fake.Plan) string {
	f := l.Fault
	switch {
	case f.events != nil && !p.Streams():
		return "that was no stream"
	case f.events != nil:
		st := newStream(q, q.Protocol(), p)
		if n := len(st.b); l.Args.has("byte") && l.Args.int("byte") >= n {
			return fmt.Sprintf("the stream has %d bytes, so byte= goes up to %d", n, n-1)
		}
		if n := len(st.withData()); l.Args.has("event") {
			if _, ok := st.event(l.Args.int("event")); !ok {
				return fmt.Sprintf("the stream has %s with data, and no event %s", count(n, "event"), l.Args["event"])
			}
		}
		return "it has nothing that the fault is about"
	case f.lines != nil:
		return "what it says has nothing that the fault is about, or is so already"
	}
	return "the fault did not come to it"
}

// same reports whether two answers reach the client in the same way.
func same(a, b *fake.Plan) bool {
	return a.Status == b.Status && maps.EqualFunc(a.Header, b.Header, slices.Equal) &&
		slices.EqualFunc(a.Steps, b.Steps, func(x, y fake.Step) bool {
			return x.Act == y.Act && x.D == y.D && x.Name == y.Name && bytes.Equal(x.Data, y.Data)
		})
}

// Deed says what a tool does in its n-th call since the line was armed, with
// what all armed faults make of it; nil: as always.
func (s *Set) Deed(tool string, number func(*Armed) int) *Deed {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &Deed{set: s, owns: map[Part][]*Armed{}}
	for _, a := range s.armed {
		l := a.Line
		if l.Fault.deed == nil || l.Tool != tool {
			continue
		}
		n := number(a)
		a.seen = max(a.seen, n)
		if n < 1 || !l.hits(n) {
			continue
		}
		a.idle = fmt.Sprintf("call %d of %s went as it would have gone without it", n, tool)
		d.by, d.n = a, n
		l.Fault.deed(d, l.Args)
	}
	if d.empty() {
		return nil
	}
	return d
}
