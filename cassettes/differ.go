package cassettes

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Path names a place in a JSON document that is not compared, everywhere it
// occurs and with everything below it: $.metadata.user_id,
// $.messages[*].content[*].cache_control, $.tools[0]["odd key"].
type Path struct{ steps []step }

// step is one step of a Path or a place: a key or an index, or any.
type step struct {
	key   string
	index int // -1: key
	any   bool
}

// ParsePath reads a path: $, then .key, ["key"], [N], and [*] or .* for any.
func ParsePath(s string) (Path, error) {
	bad := func(why string) (Path, error) {
		return Path{}, fmt.Errorf("path %q: %s; write it like $.messages[*].content[0].text", s, why)
	}
	rest, ok := strings.CutPrefix(s, "$")
	if !ok {
		return bad("it must begin with $")
	}
	var p Path
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "[\""):
			q, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(q):], "]") {
				return bad("a quoted key is not closed")
			}
			key, err := strconv.Unquote(q)
			if err != nil {
				return bad("a quoted key cannot be read")
			}
			p.steps, rest = append(p.steps, step{key: key, index: -1}), rest[len(q)+2:]
		case rest[0] == '[':
			in, after, ok := strings.Cut(rest[1:], "]")
			n, err := strconv.Atoi(in)
			if !ok || in != "*" && (err != nil || n < 0) {
				return bad("in brackets stands a number from 0, * or a quoted key")
			}
			p.steps, rest = append(p.steps, step{index: n, any: in == "*"}), after
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			key := rest[1 : 1+end]
			if key == "" {
				return bad("a key is empty")
			}
			p.steps, rest = append(p.steps, step{key: key, index: -1, any: key == "*"}), rest[1+end:]
		default:
			return bad("a step begins with . or [")
		}
	}
	if len(p.steps) == 0 {
		return bad("it names the whole body, so nothing would be compared")
	}
	return p, nil
}

// place is where a comparison stands: a list of steps, newest first.
type place struct {
	step
	up   *place
	deep int
}

func (p *place) key(k string) *place { return &place{step{key: k, index: -1}, p, p.deep + 1} }
func (p *place) index(i int) *place  { return &place{step{index: i}, p, p.deep + 1} }

func (p *place) in(paths []Path) bool {
	for _, path := range paths {
		if len(path.steps) != p.deep {
			continue
		}
		at := p
		for i := p.deep - 1; i >= 0; i-- {
			s := path.steps[i]
			if !s.any && s != at.step || s.any && (s.index == -1) != (at.step.index == -1) {
				break
			}
			at = at.up
		}
		if at.deep == 0 {
			return true
		}
	}
	return false
}

func (p *place) String() string {
	if p.up == nil {
		return "$"
	}
	if p.step.index >= 0 {
		return fmt.Sprintf("%s[%d]", p.up, p.step.index)
	}
	for i, r := range p.step.key {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return p.up.String() + "[" + quote(p.step.key) + "]"
		}
	}
	if p.step.key == "" {
		return p.up.String() + `[""]`
	}
	return p.up.String() + "." + p.step.key
}

// question is a request as it is compared.
type question struct {
	method string
	url    *url.URL
	body   string
}

// differ returns the first difference between a recorded request and the one
// that came, as a sentence, or "". Method, path and query come before the
// body; hosts and headers are not compared, since recordings are made
// elsewhere.
func differ(rec, got *question, ignore []Path) string {
	switch {
	case rec.method != got.method:
		return fmt.Sprintf("method: recorded %s, got %s", rec.method, got.method)
	case rec.url.EscapedPath() != got.url.EscapedPath():
		return fmt.Sprintf("path: recorded %s, got %s", rec.url.EscapedPath(), got.url.EscapedPath())
	case !maps.EqualFunc(rec.url.Query(), got.url.Query(), slices.Equal[[]string]):
		return fmt.Sprintf("query: recorded %q, got %q", rec.url.RawQuery, got.url.RawQuery)
	}
	return differBody(rec.body, got.body, ignore)
}

func differBody(rec, got string, ignore []Path) string {
	if rec == got {
		return ""
	}
	a, errA := parseJSON(rec)
	b, errB := parseJSON(got)
	switch {
	case errA != nil && errB != nil:
		x, y := around(rec, got, strconv.Quote)
		return fmt.Sprintf("body: recorded %s, got %s", x, y)
	case errA != nil:
		return fmt.Sprintf("body: recorded bytes that are not JSON (%v), got %s", errA, show(&b))
	case errB != nil:
		return fmt.Sprintf("body: recorded %s, got bytes that are not JSON (%v)", show(&a), errB)
	}
	if d := compare(&place{}, &a, &b, ignore); d != nil {
		return d.String()
	}
	return ""
}

// key gives equal requests equal keys, as differ sees them.
func (q *question) key(ignore []Path) string {
	var b strings.Builder
	b.WriteString(q.method + " " + q.url.EscapedPath() + "?" + q.url.Query().Encode() + "\n")
	v, err := parseJSON(q.body)
	if err != nil {
		b.WriteString(q.body)
		return b.String()
	}
	b.WriteByte('\n')
	v.canon(&b, &place{}, ignore)
	return b.String()
}

// difference is the first place where two values are not the same.
type difference struct {
	at       *place
	rec, got string // rendered
	longer   bool   // what came has an element behind the end of the recorded list
}

func (d *difference) String() string {
	return fmt.Sprintf("%s: recorded %s, got %s", d.at, d.rec, d.got)
}

// compare walks both values in the recorded order of keys; nil means that they
// are the same.
func compare(at *place, a, b *value, ignore []Path) *difference {
	if at.in(ignore) {
		return nil
	}
	if a.kind != b.kind {
		return &difference{at: at, rec: show(a), got: show(b)}
	}
	switch a.kind {
	case '{':
		for i, k := range a.keys {
			in, v := at.key(k), b.get(k)
			if v == nil {
				if !in.in(ignore) {
					return &difference{at: in, rec: show(&a.items[i]), got: "nothing"}
				}
				continue
			}
			if d := compare(in, &a.items[i], v, ignore); d != nil {
				return d
			}
		}
		for i, k := range b.keys {
			if in := at.key(k); a.get(k) == nil && !in.in(ignore) {
				return &difference{at: in, rec: "nothing", got: show(&b.items[i])}
			}
		}
	case '[':
		for i := range max(len(a.items), len(b.items)) {
			in := at.index(i)
			switch {
			case i < len(a.items) && i < len(b.items):
				if d := compare(in, &a.items[i], &b.items[i], ignore); d != nil {
					return d
				}
			case in.in(ignore):
			case i < len(a.items):
				return &difference{at: in, rec: show(&a.items[i]), got: "nothing"}
			default:
				return &difference{at: in, rec: "nothing", got: show(&b.items[i]), longer: true}
			}
		}
	case '"':
		if a.text != b.text {
			x, y := around(a.text, b.text, quote)
			return &difference{at: at, rec: x, got: y}
		}
	case '0':
		if number(a.text) != number(b.text) {
			return &difference{at: at, rec: a.text, got: b.text}
		}
	}
	return nil
}

// shown is how much of a value a message holds.
const shown = 160

// show renders a value for a message.
func show(v *value) string {
	s := v.String()
	if len(s) <= shown {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes)", clip(s[:shown]), len(s))
}

// around quotes two different texts; of long ones, the part where they first
// differ.
func around(a, b string, quote func(string) string) (string, string) {
	if len(a) <= shown && len(b) <= shown {
		return quote(a), quote(b)
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(0, n-shown/4)
	for from > 0 && !utf8.RuneStart(a[from]) {
		from--
	}
	part := func(s string) string {
		head, tail := "", ""
		if from > 0 {
			head = "..."
		}
		to := len(s)
		if to > from+shown {
			to, tail = from+shown, "..."
		}
		return head + quote(clip(s[from:to])) + tail + fmt.Sprintf(" (byte %d of %d)", n, len(s))
	}
	return part(a), part(b)
}

// clip drops a rune that was cut at the end.
func clip(s string) string {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}
