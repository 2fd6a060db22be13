package fake

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// check finds what is wrong with a reply as a whole. Single lines were checked
// when they were read.
func (r *Reply) check(c *collector) {
	plain := 0 // line of the first `body`
	first := 0 // line of the first thing that only a stream has
	firstOp := Op("")
	var end, head, tail, usage, newline, chunk *Line
	for i := range r.Lines {
		l := &r.Lines[i]
		if end != nil && l.Op != OpExpect && l.Op != OpHeader && l.Op != OpChunk && l.Op != OpNewline && l.Op != OpUsage {
			c.add(l.Line, "`%s` comes after `%s` in line %d, and nothing can be sent after that", l.Op, end.Op, end.Line)
		}
		switch l.Op {
		case OpBody:
			if plain == 0 {
				plain = l.Line
			}
		case OpHead:
			head = once(c, head, l)
		case OpTail:
			tail = once(c, tail, l)
		case OpUsage:
			usage = once(c, usage, l)
		case OpNewline:
			newline = once(c, newline, l)
		case OpChunk:
			if chunk != nil && (chunk.Name != "at" || l.Name != "at") {
				c.add(l.Line, "a reply is cut in one way, and line %d says how already; only `chunk at N` can stand more than once", chunk.Line)
			}
			chunk = l
		}
		if l.Op.ending() && end == nil {
			end = l
		}
		if first == 0 && l.Op.streams() {
			first, firstOp = l.Line, l.Op
		}
	}
	switch {
	case plain != 0 && first != 0:
		c.add(first, "`%s` is part of a stream, but the reply is the plain body of line %d; keep one of them", firstOp, plain)
	case plain != 0 && r.Type != "":
		c.add(plain, "`reply %d %s` brings its own body; write `reply %d` to send this one", r.Status, r.Type, r.Status)
	case plain == 0 && r.failed() && first != 0:
		c.add(first, "`%s` is part of a stream, but the reply has status %d; such a reply has headers and a body", firstOp, r.Status)
	case plain == 0 && r.Type == "" && r.failed() && defaultType(r.Status) == "":
		c.add(r.Line, "status %d has no error type that everybody knows; write reply %d TYPE [\"MSG\"], or a `body`", r.Status, r.Status)
	case r.Type != "" && !r.failed():
		c.add(r.Line, "status %d is no error, so it has no type; write `reply` or `reply %d`", r.Status, r.Status)
	}
}

// once keeps the first of two lines of which a reply can have one.
func once(c *collector, old, l *Line) *Line {
	if old == nil {
		return l
	}
	c.add(l.Line, "a reply has one `%s`, and line %d has it already", l.Op, old.Line)
	return old
}

// failed reports whether the reply is an HTTP error.
func (r *Reply) failed() bool { return r.Status >= 300 }

// streams reports whether a line is part of a stream, so that neither a plain
// body nor an HTTP error can have it.
func (o Op) streams() bool {
	switch o {
	case OpExpect, OpHeader, OpBody, OpEOF, OpCut, OpReset, OpHang, OpChunk, OpGate, OpDelay:
		return false
	}
	return true
}

// defaultType is the error type of a status where there is only one.
func defaultType(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusInternalServerError:
		return "api_error"
	case http.StatusGatewayTimeout:
		return "timeout_error"
	case 529:
		return "overloaded_error"
	}
	return ""
}

// statusOf is the status that goes with an error type, for an answer in one
// piece to a script that has the error inside a stream.
func statusOf(typ string) int {
	for _, status := range []int{400, 401, 403, 404, 413, 429, 504, 529} {
		if defaultType(status) == typ {
			return status
		}
	}
	return http.StatusInternalServerError
}

// rehearse resolves what one line says about another, and finds out before a
// run begins what could not be rendered: most of it by looking, the rest by
// rendering the reply once.
func (s *Script) rehearse(c *collector) {
	var calls []*Line
	for _, r := range s.Replies {
		for i := range r.Lines {
			l := &r.Lines[i]
			switch l.Op {
			case OpServerCall:
				calls = append(calls, l)
			case OpServerResult:
				// It may answer a call of an earlier, paused reply.
				if l.Name = calledBy(calls, l.ID); l.Name == "" {
					c.add(l.Line, "%s", unknown("server call", l.ID, ids(calls)))
				}
			}
		}
	}
	if len(c.errs) > 0 {
		return
	}
	for _, r := range s.Replies {
		if err := r.tooLong(); err != nil {
			c.add(err.line, "%s", err.text)
			continue
		}
		if !slices.ContainsFunc(r.Lines, func(l Line) bool { return l.Op == OpEOF && l.N > 0 }) {
			continue
		}
		if _, err := r.plan(r.Max, answering{protocol: protocolNamed(s.Protocol), stream: true, model: "model", n: 1}); err != nil {
			c.add(err.line, "%s", err.text)
		}
	}
}

// calledBy returns the name of the last call with the id, "" if there is none.
func calledBy(calls []*Line, id string) string {
	for _, l := range slices.Backward(calls) {
		if l.ID == id || sameID(l.ID, id) || sameID(id, l.ID) {
			return l.Name
		}
	}
	return ""
}

// sameID reports whether pattern gives id for some value of ${n}.
func sameID(pattern, id string) bool {
	before, after, ok := strings.Cut(pattern, repetition)
	if !ok || len(id) < len(before)+len(after) || !strings.HasPrefix(id, before) || !strings.HasSuffix(id, after) {
		return false
	}
	_, err := strconv.Atoi(id[len(before) : len(id)-len(after)])
	return err == nil
}

func ids(lines []*Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.ID)
	}
	return out
}

// lineError is an error about one line of a script.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }
