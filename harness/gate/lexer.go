package gate

import (
	"regexp"
	"strings"
)

// word is a word of a command after the quotes are gone. It is plain if text is
// what the program gets, file name patterns aside: nothing is expanded in it.
type word struct {
	text   string
	raw    string // as it is written
	plain  bool
	quoted bool // some of it is: no keyword, no assignment
}

// word reads one word; it may be empty only where none begins.
func (p *parser) word() word {
	w := word{plain: true}
	var b strings.Builder
	for p.i < len(p.src) {
		c := p.src[p.i]
		switch {
		case strings.IndexByte(" \t\n;&|<>()", c) >= 0:
			w.text = b.String()
			return w
		case c == '\'':
			w.quoted = true
			n := strings.IndexByte(p.src[p.i+1:], '\'')
			if n < 0 {
				p.unsure = true
				n = len(p.src) - p.i - 1
			}
			b.WriteString(p.src[p.i+1 : p.i+1+n])
			p.i = min(p.i+n+2, len(p.src))
		case c == '"':
			w.quoted = true
			p.i++
			p.double(&b, &w)
		case c == '\\':
			p.escape(&b, &w)
		case c == '$', c == '`':
			p.expansion(&b, &w, false)
		default:
			if c == '{' && strings.IndexByte(" \t\n;}", p.at(p.i+1)) < 0 { // {a,b}
				w.plain = false
			}
			b.WriteByte(c)
			p.i++
		}
	}
	w.text = b.String()
	return w
}

// double reads the rest of a "..." word.
func (p *parser) double(b *strings.Builder, w *word) {
	for p.i < len(p.src) {
		switch c := p.src[p.i]; {
		case c == '"':
			p.i++
			return
		case c == '\\' && strings.IndexByte("$`\"\\\n", p.at(p.i+1)) >= 0:
			p.escape(b, w)
		case c == '$', c == '`':
			p.expansion(b, w, true)
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	p.unsure = true // no end
}

// escape reads a backslash and what it quotes.
func (p *parser) escape(b *strings.Builder, w *word) {
	c := p.at(p.i + 1)
	if p.i+1 >= len(p.src) {
		p.unsure = true
		p.i++
		return
	}
	p.i += 2
	if c != '\n' { // a newline so quoted is none
		w.quoted = true
		b.WriteByte(c)
	}
}

// Of ${...} only what neither assigns nor evaluates anything.
var parameter = regexp.MustCompile(`^\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]|\{#?[A-Za-z0-9_]+(?:(?::?[-+?]|[%#/,^])[A-Za-z0-9_@*#?%:/.,+~^ -]*)?\})`)

// expansion reads $... or `...`, perhaps within "...". What it gives is not
// known; what it runs is.
func (p *parser) expansion(b *strings.Builder, w *word, double bool) {
	rest := p.src[p.i:]
	switch {
	case rest[0] == '`': // $(...) says it better
		p.unsure = true
		w.plain = false
		p.i++
	case strings.HasPrefix(rest, "$(("): // arithmetic may assign
		p.unsure = true
		w.plain = false
		p.i += len("$((")
	case strings.HasPrefix(rest, "$("):
		p.i += len("$(")
		w.plain = false
		pending := len(p.heredocs) // bodies that the list would take for its own
		e := p.nested(')')
		p.unsure = p.unsure || pending+len(p.heredocs) > 0
		p.subs.tried |= e.tried
		p.subs.changes = p.subs.changes || e.changes
	default:
		if m := parameter.FindString(p.ahead(200)); m != "" {
			w.plain = false
			p.i += len(m)
			return
		}
		switch c := p.at(p.i + 1); {
		case c == '{', c == '[', !double && (c == '\'' || c == '"'):
			p.unsure = true
		}
		b.WriteByte('$')
		p.i++
	}
}

// blanks skips what separates words, and with lines also what separates
// commands.
func (p *parser) blanks(lines bool) {
	for p.i < len(p.src) {
		switch c := p.src[p.i]; {
		case c == ' ', c == '\t':
			p.i++
		case c == '\\' && p.at(p.i+1) == '\n':
			p.i += 2
		case c == '#' && (p.i == 0 || strings.IndexByte(" \t\n;&|()", p.src[p.i-1]) >= 0):
			for p.i < len(p.src) && p.src[p.i] != '\n' {
				p.i++
			}
		case lines && c == '\n':
			p.i++
			p.bodies()
		case lines && c == ';' && p.at(p.i+1) != ';':
			p.i++
		default:
			return
		}
	}
}

// bodies reads the here-documents whose commands stood on the line that ended.
func (p *parser) bodies() {
	for _, h := range p.heredocs {
		closed := false
		for p.i < len(p.src) && !closed {
			line, _, _ := strings.Cut(p.src[p.i:], "\n")
			p.i = min(p.i+len(line)+1, len(p.src))
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			closed = line == h.end
			if !h.quoted && (strings.Contains(line, "$(") || strings.Contains(line, "`") || strings.HasSuffix(line, "\\")) {
				p.unsure = true
			}
		}
		p.unsure = p.unsure || !closed
	}
	p.heredocs = nil
}

// keyword says whether the next word is this one, unquoted.
func (p *parser) keyword(k string) bool {
	return strings.HasPrefix(p.src[p.i:], k) && (p.i+len(k) == len(p.src) || strings.IndexByte(" \t\n;&|<>()", p.src[p.i+len(k)]) >= 0)
}

// ahead is at most the next n bytes: a regexp costs what it is given.
func (p *parser) ahead(n int) string { return p.src[p.i:min(p.i+n, len(p.src))] }

func (p *parser) peek() byte { return p.at(p.i) }

// at is a byte of the text, or 0 behind it.
func (p *parser) at(i int) byte {
	if i < len(p.src) {
		return p.src[i]
	}
	return 0
}
