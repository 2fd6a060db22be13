package scenarios

import (
	"os"
	"regexp"
	"strings"
)

// word is one argument of a script line.
type word struct {
	text   string // after expansion
	quoted bool   // some part of it stood in quotes
}

// lineError is what can be wrong with a line before its command is known.
type lineError string

func (e lineError) Error() string { return string(e) }

// splitLine cuts a line into words exactly as testscript does: single quotes
// around text disable splitting and expansion, a doubled quote inside them is
// one quote, and # outside quotes begins a comment. What testscript lets pass in silence is
// an error here: a # glued to a word (testscript would drop the rest of the
// word), and a variable that nobody set (it would vanish).
func splitLine(line string, lookup func(string) (string, bool)) ([]word, []error) {
	var (
		words  []word
		errs   []error
		arg    string
		start  = -1
		inside bool // between quotes
		quoted bool // this word had quotes
	)
	expand := func(s string) string {
		return os.Expand(s, func(key string) string {
			name, raw := strings.CutSuffix(key, "@R")
			v, ok := lookup(name)
			if !ok {
				errs = append(errs, lineError("${"+name+"} is not set: set it with case, each or env, or put the word in single quotes"))
			}
			if raw {
				return regexp.QuoteMeta(v)
			}
			return v
		})
	}
	for i := 0; ; i++ {
		if !inside && (i >= len(line) || line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '#') {
			if start >= 0 {
				arg += expand(line[start:i])
				words = append(words, word{arg, quoted})
				if i < len(line) && line[i] == '#' {
					errs = append(errs, lineError("the # in "+quote(wordAt(line, i))+" begins a comment: put the word in single quotes"))
				}
				start, arg, quoted = -1, "", false
			}
			if i >= len(line) || line[i] == '#' {
				return words, errs
			}
			continue
		}
		if i >= len(line) {
			return words, append(errs, lineError("a single quote is not closed on this line"))
		}
		if line[i] == '\'' {
			switch {
			case !inside:
				if start >= 0 {
					arg += expand(line[start:i])
				}
				start, inside, quoted = i+1, true, true
			case i+1 < len(line) && line[i+1] == '\'':
				arg += line[start:i]
				start = i + 1
				i++
			default:
				arg += line[start:i]
				start, inside = i+1, false
			}
			continue
		}
		if start < 0 {
			start = i
		}
	}
}

// wordAt returns the blank-separated piece of line around position i.
func wordAt(line string, i int) string {
	from := strings.LastIndexAny(line[:i], " \t") + 1
	to := strings.IndexAny(line[i:], " \t\r")
	if to < 0 {
		return line[from:]
	}
	return line[from : i+to]
}

// guard is one [NAME] or [!NAME] before a command.
type guard struct {
	name string
	not  bool
}

// cutGuards takes the guards off the front of a line's words.
func cutGuards(words []word) ([]guard, []word) {
	var gs []guard
	for len(words) > 0 && strings.HasPrefix(words[0].text, "[") && strings.HasSuffix(words[0].text, "]") {
		name := strings.TrimSpace(words[0].text[1 : len(words[0].text)-1])
		g := guard{name: name}
		if n, ok := strings.CutPrefix(name, "!"); ok {
			g = guard{strings.TrimSpace(n), true}
		}
		gs, words = append(gs, g), words[1:]
	}
	return gs, words
}

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

func quote(s string) string { return `"` + s + `"` }
