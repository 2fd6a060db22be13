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
	what := fmt.Sprintf("request of lane %s", a.Line.Lane)
	if a.Line.Tool != "" {
		what = "call of " + a.Line.Tool
	}
	switch {
	case a.fired > 0:
		return ""
	case a.seen == 0:
		return fmt.Sprintf("there was no %s behind it", what)
	case a.idle != "":
		return a.idle
	case a.Line.Fault.always:
		return fmt.Sprintf("it saw %s and refused none", count(a.seen, what))
	}
	return fmt.Sprintf("there was %s behind it, not %d", count(a.seen, what), a.Line.Nth)
}

func count(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d of: %s", n, what)
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
			a.idle = fmt.Sprintf("it left the answer of request %d as it was: %s", q.N, why(f, was))
		}
	}
	if s.last == nil {
		s.last = map[string]*fake.Plan{}
	}
	if len(s.armed) > 0 {
		s.last[q.Lane] = p
	}
	return p
}

// why says what a fault found nothing to change in.
func why(f *Fault, p *fake.Plan) string {
	switch {
	case f.events != nil && !p.Streams():
		return "that was no stream"
	case f.events != nil:
		return "it has nothing that the fault is about"
	case f.lines != nil:
		return "what it says has nothing that the fault is about"
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
	var d *Deed
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
		if d == nil {
			d = &Deed{}
		}
		d.n = n
		was := d.made
		if l.Fault.deed(d, l.Args); d.made > was {
			a.fired++
		}
	}
	if d != nil && d.made == 0 {
		return nil
	}
	return d
}
