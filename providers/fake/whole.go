package fake

import (
	"encoding/json"
	"errors"
	"strings"
)

// What only a stream can carry.
var (
	errRawWhole   = errors.New("the request asks for one JSON message (stream is not true), and `raw` writes into a stream; write `body` to send other bytes")
	errFrameWhole = errors.New("the request asks for one JSON message (stream is not true), and `frame` is an event of a stream")
)

// inOnePiece is what all answers in one piece have in common: what only a stream
// has means nothing in them, or cannot be carried.
type inOnePiece struct{ bad error }

func (*inOnePiece) open()                               {}
func (*inOnePiece) close()                              {}
func (*inOnePiece) ping()                               {}
func (*inOnePiece) comment(string)                      {}
func (*inOnePiece) failure(string, string)              {} // it becomes an HTTP error
func (*inOnePiece) serverResult(string, string, string) {} // where the API has no place for it, it was refused before

func (w *inOnePiece) raw(string)   { w.bad = errRawWhole }
func (w *inOnePiece) frame(string) { w.bad = errFrameWhole }
func (w *inOnePiece) err() error   { return w.bad }

// wholeInput is the input of a call in an answer of one piece: none is {}.
func wholeInput(pieces []string) string {
	if input := strings.Join(pieces, ""); input != "" {
		return input
	}
	return "{}"
}

// plainInput is wholeInput for an API that has it as a string: JSON without the
// white space around it, which a value inside JSON does not have either.
func plainInput(pieces []string) string {
	input := wholeInput(pieces)
	if json.Valid([]byte(input)) {
		return strings.Trim(input, " \t\r\n")
	}
	return input
}
