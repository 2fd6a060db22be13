package fake

import (
	"encoding/json"
	"strings"
)

// inOnePiece is what all answers in one piece have in common: what only a stream
// has means nothing in them, or was refused before.
type inOnePiece struct{}

func (inOnePiece) open()                               {}
func (inOnePiece) close()                              {}
func (inOnePiece) ping()                               {}
func (inOnePiece) comment(string)                      {}
func (inOnePiece) failure(string, string)              {} // it becomes an HTTP error
func (inOnePiece) serverResult(string, string, string) {}
func (inOnePiece) raw(string)                          {}
func (inOnePiece) frame(string)                        {}

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
