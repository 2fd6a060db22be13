package gemini

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/providers/internal/strict"
)

// args writes an input that comes in pieces, each a path and a value, as the JSON
// text that it is: what a piece adds is written when it comes, and nothing is
// ever taken back. A path that returns to an object which is over writes its name
// a second time, and a string that is never ended is never closed: then the
// input is not strict JSON, and whoever runs the call sees that.
type args struct {
	out    []byte // what the pieces of one part add
	begun  bool
	whole  bool    // it came in one piece
	stack  []level // what is open, the input itself not counted
	quoted string  // the path of the string that is open; "" if none is
	empty  bool    // nothing stands yet in what is open
	places []int   // by depth: how many elements the open array has; -1 for an object
}

// level is one step of a path.
type level struct {
	name  string
	index int // in an array; -1 for a member
}

func (a *args) add(arena *strict.Arena, v []byte) error {
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("", v, "an object")
	}
	if a.whole {
		return fmt.Errorf(" comes behind args; want one of them")
	}
	var at, value []byte
	kind := ""
	for m := strict.Members(v); m.Next(); {
		switch name := string(camel(m.Name)); name {
		case "jsonPath":
			at = m.Value
		case "stringValue", "numberValue", "boolValue", "nullValue":
			kind, value = name, m.Value
		}
	}
	path, err := arena.Text("jsonPath", at)
	if err != nil {
		return err
	}
	more, err := strict.Flag("willContinue", member(v, "willContinue"))
	if err != nil {
		return err
	}
	if a.quoted != "" && (path != a.quoted || kind != "stringValue") {
		return fmt.Errorf("jsonPath is %s, but the string at %s has not ended", path, a.quoted)
	}
	text := ""
	switch kind {
	case "":
		return fmt.Errorf(" has no value that is known: %s", strict.Snippet(v))
	case "stringValue":
		if text, err = arena.Text(kind, value); err != nil {
			return err
		}
	}
	if a.quoted == "" {
		levels, ok := levelsOf(path)
		if !ok {
			return fmt.Errorf("jsonPath is %s; want a path like $.a[0]", path)
		}
		if err := a.goTo(levels); err != nil {
			return fmt.Errorf("jsonPath is %s; %w", path, err)
		}
	}
	switch kind {
	case "stringValue":
		from := len(a.out)
		a.out = strict.AppendString(a.out, text)
		a.out = a.out[:len(a.out)-1]
		if a.quoted != "" {
			a.out = append(a.out[:from], a.out[from+1:]...)
		}
		if a.quoted = path; !more {
			a.out, a.quoted = append(a.out, '"'), ""
		}
	case "nullValue": // the word of an enum
		a.out = append(a.out, "null"...)
	default:
		a.out = append(a.out, value...)
	}
	return nil
}

// goTo writes what stands between the last value and that at a path.
func (a *args) goTo(to []level) error {
	if !a.begun {
		a.begun, a.empty = true, true
		a.out = append(a.out, '{')
		a.places = append(a.places[:0], -1)
	}
	// The containers that both paths go through stay open.
	same := 0
	for same < len(a.places)-1 && same < len(to)-1 && a.stack[same] == to[same] {
		same++
	}
	a.shut(same + 1)
	for depth := same; depth < len(to); depth++ {
		step := to[depth]
		if (a.places[depth] < 0) != (step.index < 0) {
			return fmt.Errorf("what stood there is something else")
		}
		if !a.empty {
			a.out = append(a.out, ',')
		}
		if step.index < 0 {
			a.out = append(strict.AppendString(a.out, step.name), ':')
		} else {
			if step.index != a.places[depth] {
				return fmt.Errorf("element %d is next", a.places[depth])
			}
			a.places[depth]++
		}
		a.stack = append(a.stack[:depth], step)
		a.empty = false
		if depth == len(to)-1 {
			break
		}
		a.empty = true
		if to[depth+1].index < 0 {
			a.out, a.places = append(a.out, '{'), append(a.places, -1)
		} else {
			a.out, a.places = append(a.out, '['), append(a.places, 0)
		}
	}
	return nil
}

// shut ends containers until so many are open.
func (a *args) shut(open int) {
	for n := len(a.places); n > open; n-- {
		end := byte(']')
		if a.places[n-1] < 0 {
			end = '}'
		}
		a.out, a.places, a.empty = append(a.out, end), a.places[:n-1], false
	}
}

// end returns what is missing at the end of the input.
func (a *args) end() []byte {
	a.out = a.out[:0]
	if a.begun && a.quoted == "" {
		a.shut(0)
	}
	return a.out
}

// levelsOf reads a path of RFC 9535 that leads to one value below the root.
func levelsOf(s string) (out []level, ok bool) {
	s, ok = strings.CutPrefix(s, "$")
	for ok && s != "" {
		switch {
		case s[0] == '.':
			n := len(s)
			if i := strings.IndexAny(s[1:], ".["); i >= 0 {
				n = i + 1
			}
			out = append(out, level{s[1:n], -1})
			ok, s = n > 1, s[n:]
		case strings.HasPrefix(s, "['"), strings.HasPrefix(s, `["`):
			var name string
			name, s, ok = readName(s[1:])
			out = append(out, level{name, -1})
		case s[0] == '[':
			digits, rest, closed := strings.Cut(s[1:], "]")
			n, err := strconv.Atoi(digits)
			out = append(out, level{"", n})
			ok, s = closed && err == nil && n >= 0 && digits[0] != '+', rest
		default:
			return nil, false
		}
	}
	return out, ok && len(out) > 0 && out[0].index < 0
}

// readName reads a name in quotation marks and the bracket behind it.
func readName(s string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == s[0]:
			rest, ok = strings.CutPrefix(s[i+1:], "]")
			return b.String(), rest, ok
		case ch == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case 'b':
				b.WriteByte('\b')
			case 'f':
				b.WriteByte('\f')
			case '\'', '"', '\\', '/':
				b.WriteByte(s[i])
			case 'u':
				if i+5 > len(s) {
					return "", "", false
				}
				n, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
				if err != nil || n >= 0xd800 && n < 0xe000 {
					return "", "", false
				}
				b.WriteRune(rune(n))
				i += 4
			default:
				return "", "", false
			}
		default:
			b.WriteByte(ch)
		}
	}
	return "", "", false
}
