// Package sse reads server-sent events: the framing in which model APIs stream
// their answers.
//
//	r := sse.NewReader(body, 0)
//	for {
//		ev, err := r.Next()
//		if err == io.EOF { break }
//		if err != nil { ... }
//		... ev.Name, ev.Data: valid until the next call ...
//	}
//
// It follows the WHATWG event-stream rules
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), because
// each of them is broken by some client in the field: lines end in LF, CR or
// CRLF, mixed at will; a byte-order mark may come first; "data:x" is as good as
// "data: x", and only one space is removed; several data lines are joined by a
// line feed; a comment or an unknown field is nothing; a line that begins with
// a space is an unknown field.
//
// It departs from them in three ways, all so that a codec can judge for itself:
//
//   - bytes are handed on as they are: invalid UTF-8 is not replaced, NUL is
//     not special;
//   - an event that the end of the bytes interrupts is delivered, marked
//     Unterminated, where the rules drop it;
//   - id and retry are ignored like unknown fields: a model's answer is asked
//     for again, never resumed at an id.
//
// Nothing is allocated while lines fit the buffer, which grows with the longest
// line; a line of any length costs time in proportion to its bytes, however
// small the pieces in which it arrives.
package sse

import (
	"bytes"
	"io"
)

// Event is one event. Its slices are valid until the next call of Next.
type Event struct {
	// Name is the value of the event field, empty when there was none.
	Name []byte
	// Data is the joined values of the data fields.
	Data []byte
	// Unterminated marks an event that the end of the bytes interrupted: the
	// blank line after it, or even part of its last line, is missing.
	Unterminated bool
}

// Reader reads events.
type Reader struct {
	lines *Lines
	name  []byte
	data  []byte
	first bool // the next line is the first, which may begin with a byte-order mark
	err   error
}

// NewReader returns a reader of r. A line, or the data of one event, longer
// than max bytes is a *TooLongError; 0 means DefaultMaxLine.
func NewReader(r io.Reader, max int) *Reader {
	return &Reader{lines: NewLines(r, max), first: true}
}

// Reset begins anew with in, and keeps the buffers and the maximum.
func (r *Reader) Reset(in io.Reader) {
	r.lines.Reset(in)
	*r = Reader{lines: r.lines, name: r.name[:0], data: r.data[:0], first: true}
}

// Line returns the number of the last line that was read, from 1.
func (r *Reader) Line() int { return r.lines.Number() }

// Next returns the next event that has data. At the end of the bytes err is
// io.EOF; before it an interrupted event may come, marked Unterminated. Any
// other error drops what was being read. After an error Next returns the same
// error again.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	r.name, r.data = r.name[:0], r.data[:0]
	has := false // a data field was seen, maybe an empty one
	for {
		line, err := r.lines.Next()
		if r.first {
			line, r.first = bytes.TrimPrefix(line, []byte(bom)), false
		}
		if err != nil && err != io.EOF {
			r.err = err
			return Event{}, err
		}
		if len(line) == 0 && has {
			r.err = err
			return Event{Name: r.name, Data: r.data, Unterminated: err != nil}, nil
		}
		if value, ok := valueOf(line, "data"); ok {
			// Nearly every event is one data line and the blank line behind it:
			// then the data need not be copied.
			if !has && err == nil && r.lines.blank() {
				return Event{Name: r.name, Data: value}, nil
			}
			if has {
				r.data = append(r.data, '\n')
			}
			r.data, has = append(r.data, value...), true
			if len(r.data) > r.lines.max {
				r.err = &TooLongError{Line: r.Line(), What: "event", Max: r.lines.max}
				return Event{}, r.err
			}
		} else if value, ok := valueOf(line, "event"); ok {
			r.name = append(r.name[:0], value...)
		} else if len(line) == 0 {
			r.name = r.name[:0] // an event without data is forgotten, its name too
		}
		if err != nil {
			r.err = err
			if !has {
				return Event{}, err
			}
			return Event{Name: r.name, Data: r.data, Unterminated: true}, nil
		}
	}
}

const bom = "\ufeff"

// valueOf returns the value of a line that is the named field: what follows the
// colon and one space, if there are any.
func valueOf(line []byte, field string) (value []byte, ok bool) {
	n := len(field)
	if len(line) < n || string(line[:n]) != field {
		return nil, false
	}
	switch rest := line[n:]; {
	case len(rest) == 0:
		return rest, true
	case rest[0] != ':':
		return nil, false
	case len(rest) > 1 && rest[1] == ' ':
		return rest[2:], true
	default:
		return rest[1:], true
	}
}
