package gemini

import (
	"strconv"

	"github.com/harnessbench/bench/providers"
)

// pairs finds the call that a result answers. The API knows them apart by their
// order and their names, and since Gemini 3 by ids, which it sends and may get
// back.
type pairs struct {
	calls []pending
	made  int
	last  int            // of calls, the first of the last answer
	role  providers.Role // of the last content
}

// pending is a call that was made.
type pending struct {
	id, name string
	bare     bool // the wire has no id
	done     bool // it has a result
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
	p.calls = append(p.calls, c)
	return c.id
}

// answered takes in a result, and returns the id and the name of the call that it
// answers. same is whether both have an id, or neither. A result with an id answers
// the last call with it. One without answers the first call of its name in the last
// answer that has no result yet, or, if there is none, in the answers before. One
// that answers no call keeps what it has.
func (p *pairs) answered(id, name string) (callID, callName string, same bool) {
	at := -1
	if id != "" {
		for i := len(p.calls) - 1; i >= 0 && at < 0; i-- {
			if p.calls[i].id == id {
				at = i
			}
		}
	} else {
		at = p.first(name, p.last, len(p.calls))
		if at < 0 {
			at = p.first(name, 0, p.last)
		}
	}
	if at < 0 {
		return id, "", true
	}
	c := &p.calls[at]
	c.done = true
	return c.id, c.name, c.bare == (id == "")
}

func (p *pairs) first(name string, from, to int) int {
	for i := from; i < to; i++ {
		if c := &p.calls[i]; c.name == name && !c.done {
			return i
		}
	}
	return -1
}
