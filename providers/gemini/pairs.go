package gemini

import (
	"strconv"

	"github.com/harnessbench/bench/providers"
)

// pairs finds the call that a result answers. The API knows them apart by their
// order and their names, and since Gemini 3 by ids, which it sends and may get
// back. What it does grows with the calls and results, and not with their product.
type pairs struct {
	calls []pending
	made  int
	last  int            // of calls, the first of the last answer
	role  providers.Role // of the last content

	byID   map[string]int // of calls, the last of an id
	byName map[string]*queue
	looked int // at how many calls a result made it look
}

// pending is a call that was made.
type pending struct {
	id, name string
	bare     bool // the wire has no id
	done     bool // it has a result
}

// queue is the calls of one name, in order. Both of its cursors only go forward,
// because a call that has a result keeps it, and last only grows.
type queue struct {
	calls []int // of pairs.calls
	early int   // of calls: those before it have results
	late  int   // of calls: those before it have results, or are of earlier answers
}

// turn tells that a content of role begins.
func (p *pairs) turn(role providers.Role) {
	if role == providers.Assistant && p.role != role {
		p.last = len(p.calls)
	}
	p.role = role
}

// called takes in a call, and returns the id that stands for it.
func (p *pairs) called(id, name string) string {
	c := pending{id: id, name: name, bare: id == ""}
	if c.bare {
		p.made++
		c.id = madeHead + strconv.Itoa(p.made)
	}
	if p.byID == nil {
		p.byID, p.byName = map[string]int{}, map[string]*queue{}
	}
	q := p.byName[name]
	if q == nil {
		q = &queue{}
		p.byName[name] = q
	}
	q.calls = append(q.calls, len(p.calls))
	p.byID[c.id] = len(p.calls)
	p.calls = append(p.calls, c)
	return c.id
}

// answered takes in a result, and returns the id and the name of the call that it
// answers. same is whether both have an id, or neither. A result with an id answers
// the last call with it. One without answers the first call of its name in the last
// answer that has no result yet, or, if there is none, in the answers before. One
// that answers no call keeps what it has.
func (p *pairs) answered(id, name string) (callID, callName string, same bool) {
	at, ok := p.byID[id]
	if id == "" {
		at, ok = p.first(name)
	}
	if !ok {
		return id, "", true
	}
	c := &p.calls[at]
	c.done = true
	return c.id, c.name, c.bare == (id == "")
}

// first returns the call of a name that a result without an id answers, if there
// is one.
func (p *pairs) first(name string) (at int, ok bool) {
	q := p.byName[name]
	if q == nil {
		return 0, false
	}
	for ; q.late < len(q.calls); q.late++ {
		p.looked++
		if at = q.calls[q.late]; at >= p.last && !p.calls[at].done {
			return at, true
		}
	}
	for ; q.early < len(q.calls); q.early++ {
		p.looked++
		if at = q.calls[q.early]; !p.calls[at].done {
			return at, true // of an earlier answer, or late would be at it
		}
	}
	return 0, false
}
