package faults

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// stream is a finished answer as bytes, with the places where pieces end and
// where it waits. What is changed in the bytes leaves the others where they
// are, so faults compose.
type stream struct {
	q      *fake.Asked
	g      grammar
	b      []byte
	marks  []mark // by place
	end    fake.Step
	events []event
}

// mark is the end of a piece, or a wait.
type mark struct {
	at   int
	step fake.Step // of the zero Act: the end of a piece
}

// event is a block of lines up to an empty one.
type event struct {
	from, to int // with its empty line
	name     string
	data     string // its data lines, joined by newlines; "": it has none
	has      bool   // a data line
	// Where the value of the first data line begins and that of the last ends.
	dataFrom, dataTo int
}

func newStream(q *fake.Asked, protocol string, p *fake.Plan) *stream {
	s := &stream{q: q, g: grammarOf(protocol), end: fake.Step{Act: fake.EOF}}
	for _, st := range p.Steps {
		switch st.Act {
		case fake.Write:
			s.b = append(s.b, st.Data...)
			if len(st.Data) == 0 {
				s.marks = append(s.marks, mark{len(s.b), st}) // the head alone
			} else {
				s.marks = append(s.marks, mark{at: len(s.b)})
			}
		case fake.Delay, fake.Gate:
			s.marks = append(s.marks, mark{len(s.b), st})
		default:
			s.end = st
		}
	}
	s.split()
	return s
}

// plan is the answer as it is now, with the head of the old one.
func (s *stream) plan(old *fake.Plan) *fake.Plan {
	p := *old
	p.Steps = nil
	from := 0
	for _, m := range s.marks {
		if m.at > from {
			p.Steps = append(p.Steps, fake.Step{Act: fake.Write, Data: s.b[from:m.at:m.at]})
			from = m.at
		}
		if m.step.Act != 0 {
			p.Steps = append(p.Steps, m.step)
		}
	}
	if len(s.b) > from {
		p.Steps = append(p.Steps, fake.Step{Act: fake.Write, Data: s.b[from:]})
	}
	p.Steps = append(p.Steps, s.end)
	return &p
}

// line is one line of a stream: what it says, and where it ends behind its
// newline.
type line struct {
	from, to, next int
}

// lines cuts bytes at CR, LF and CRLF.
func lines(b []byte) []line {
	var out []line
	for from := 0; from < len(b); {
		n := bytes.IndexAny(b[from:], "\r\n")
		if n < 0 {
			return append(out, line{from, len(b), len(b)})
		}
		l := line{from, from + n, from + n + 1}
		if b[l.to] == '\r' && l.next < len(b) && b[l.next] == '\n' {
			l.next++
		}
		out = append(out, l)
		from = l.next
	}
	return out
}

// split finds the events. What follows the last empty line is one, too.
func (s *stream) split() {
	s.events = s.events[:0]
	var e event
	open := false
	for _, l := range lines(s.b) {
		if !open {
			e, open = event{from: l.from}, true
		}
		e.to = l.next
		if l.from == l.to {
			s.events = append(s.events, e)
			open = false
			continue
		}
		field, value, _ := strings.Cut(string(s.b[l.from:l.to]), ":")
		at := min(l.from+len(field)+1, l.to)
		if strings.HasPrefix(value, " ") {
			value, at = value[1:], at+1
		}
		switch field {
		case "event":
			e.name = value
		case "data":
			if e.has {
				e.data += "\n"
			} else {
				e.dataFrom, e.has = at, true
			}
			e.data += value
			e.dataTo = l.to
		}
	}
	if open {
		s.events = append(s.events, e)
	}
}

// splice puts bytes in the place of others. Ends of pieces and waits within
// what is replaced stay within what comes; those behind move.
func (s *stream) splice(from, to int, with []byte) {
	s.b = slices.Concat(s.b[:from:from], with, s.b[to:])
	grown := len(with) - (to - from)
	for i := range s.marks {
		switch m := &s.marks[i]; {
		case m.at <= from:
		case m.at >= to:
			m.at += grown
		default:
			m.at = min(m.at, from+len(with))
		}
	}
	s.split()
}

// insert puts a piece of its own between two bytes.
func (s *stream) insert(at int, piece []byte) {
	s.splice(at, at, piece)
	s.boundary(at + len(piece))
}

// boundary ends a piece at a place.
func (s *stream) boundary(at int) { s.mark(mark{at: at}) }

// wait lets time pass at a place, behind whatever ends there.
func (s *stream) wait(at int, st fake.Step) { s.mark(mark{at, st}) }

func (s *stream) mark(m mark) {
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].at > m.at })
	s.marks = slices.Insert(s.marks, i, m)
}

// stop ends the answer at a place.
func (s *stream) stop(at int, end fake.Step) {
	s.b = s.b[:at:at]
	s.marks = slices.DeleteFunc(s.marks, func(m mark) bool { return m.at > at || m.at == at && m.step.Act != 0 && at > 0 })
	s.boundary(at)
	s.end = end
	s.split()
}

// withData are the events that have data, as indexes.
func (s *stream) withData() []int {
	var out []int
	for i := range s.events {
		if s.events[i].has {
			out = append(out, i)
		}
	}
	return out
}

// event returns the n-th event with data, from 1, or from -1 backwards.
func (s *stream) event(n int) (event, bool) {
	all := s.withData()
	if n < 0 {
		n += len(all) + 1
	}
	if n < 1 || n > len(all) {
		return event{}, false
	}
	return s.events[all[n-1]], true
}

// first returns the first event of a kind.
func (s *stream) first(k kind) (event, bool) {
	for _, e := range s.events {
		if e.has && s.g.is(e, k) {
			return e, true
		}
	}
	return event{}, false
}

// last returns the last event of a kind.
func (s *stream) last(k kind) (event, bool) {
	for i := len(s.events) - 1; i >= 0; i-- {
		if e := s.events[i]; e.has && s.g.is(e, k) {
			return e, true
		}
	}
	return event{}, false
}

// drop takes an event out.
func (s *stream) drop(e event) { s.splice(e.from, e.to, nil) }

// bytes are those of an event.
func (s *stream) bytes(e event) []byte { return slices.Clone(s.b[e.from:e.to]) }

// setData puts other data into an event.
func (s *stream) setData(e event, data string) { s.splice(e.dataFrom, e.dataTo, []byte(data)) }

// each lets f give every event with data another one; the last comes first, so
// that places stay what they are.
func (s *stream) each(f func(e event) string) {
	for i := len(s.events) - 1; i >= 0; i-- {
		if e := s.events[i]; e.has {
			if data := f(e); data != e.data {
				s.setData(e, data)
			}
		}
	}
}

// rewrite puts other bytes in the place of all, event by event, each a piece as
// before.
func (s *stream) rewrite(f func(b []byte) []byte) {
	for i := len(s.events) - 1; i >= 0; i-- {
		e := s.events[i]
		was := s.b[e.from:e.to]
		if now := f(slices.Clone(was)); !bytes.Equal(now, was) {
			s.splice(e.from, e.to, now)
		}
	}
}

// pieces cuts the bytes anew; waits stay.
func (s *stream) pieces(next func(from int) int) {
	s.marks = slices.DeleteFunc(s.marks, func(m mark) bool { return m.step.Act == 0 })
	for from := next(0); from > 0 && from < len(s.b); from = next(from) {
		s.marks = append(s.marks, mark{at: from})
	}
	s.marks = append(s.marks, mark{at: len(s.b)})
	sort.SliceStable(s.marks, func(i, j int) bool { return s.marks[i].at < s.marks[j].at })
}

// render is an event of the stream's own kind with that data.
func (s *stream) render(name, data string) []byte {
	var b strings.Builder
	if s.g.named && name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: " + data + "\n\n")
	return []byte(b.String())
}
