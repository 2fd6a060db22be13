package tools

import (
	"encoding/json"
	"fmt"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
)

// Builtin returns the tools of a real agent, working in w: bash, edit_file,
// glob, grep, read_file and write_file. Their failures are sentences that say
// what to do instead. They work on the real disk, not on Call.Env.FS.
func Builtin(w *Workspace) []Tool {
	return []Tool{w.bash(), w.editFile(), w.glob(), w.grep(), w.readFile(), w.writeFile()}
}

// decode reads a validated input into a T. The schema has seen to it that the
// keys are exactly those it names.
func decode[T any](c Call) (T, error) {
	var v T
	if err := jsonv2.Unmarshal(c.Input, &v, jsonv2.MatchCaseInsensitiveNames(true)); err != nil {
		return v, failf(CodeInvalid, "The input of %s could not be read. Send one JSON object that fits its schema.", c.Name)
	}
	return v, nil
}

// whole is a whole number in an input. JSON Schema takes 10.0 for an integer,
// so this does, too.
type whole int

// UnmarshalJSON reads the number.
func (n *whole) UnmarshalJSON(b []byte) error {
	f, err := json.Number(b).Float64()
	if err != nil || f != float64(int(f)) {
		return fmt.Errorf("%s is not a whole number", strconv.Quote(string(b)))
	}
	*n = whole(f)
	return nil
}

// room is how much a tool may print before its own closing notes, so that
// nothing has to be cut out of the middle.
func room(c Call) int {
	limit := c.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	return max(limit-300, limit/2)
}
