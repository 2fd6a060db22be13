package fake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/harnessbench/bench/internal/near"
)

// repetition is replaced when a reply is rendered, not when it is parsed.
const repetition = "${n}"

// substitute replaces each ${VAR} of a line. ${n} stays.
func substitute(line string, vars map[string]string) (string, error) {
	at := strings.Index(line, "${")
	if at < 0 {
		return line, nil
	}
	var b strings.Builder
	for {
		b.WriteString(line[:at])
		line = line[at:]
		if rest, ok := strings.CutPrefix(line, repetition); ok {
			b.WriteString(repetition)
			line = rest
		} else {
			name, rest, ok := strings.Cut(line[2:], "}")
			if !ok || !isName(name) {
				return "", fmt.Errorf("%s is not a variable; write ${NAME}, or \\x24{ in a string and \\u0024{ in JSON to send these bytes", clip(line))
			}
			value, set := vars[name]
			if !set {
				return "", errors.New(unset(name, vars))
			}
			if strings.ContainsAny(value, "\r\n") {
				return "", fmt.Errorf("the value of ${%s} has a line break, and a line of a script is one line; put the text into a file and write @FILE", name)
			}
			b.WriteString(value)
			line = rest
		}
		if at = strings.Index(line, "${"); at < 0 {
			b.WriteString(line)
			return b.String(), nil
		}
	}
}

// unset is the sentence for a variable that has no value.
func unset(name string, vars map[string]string) string {
	names := slices.Sorted(maps.Keys(vars))
	s := fmt.Sprintf("the variable ${%s} is not set", name)
	if n := near.Word(name, names); n != "" {
		return s + fmt.Sprintf("; did you mean ${%s}?", n)
	}
	if len(names) == 0 {
		return s + ", and none is; write \\x24{ in a string and \\u0024{ in JSON to send these bytes"
	}
	return s + "; set are " + strings.Join(names, ", ")
}

// isName reports whether s can be the name of a variable, a gate or a guard.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}
