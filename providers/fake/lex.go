package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of one token of a line.
type tokenKind uint8

const (
	tokWord   tokenKind = iota // a bare word
	tokString                  // "...", '...', either with *N, or @FILE
	tokJSON                    // {...} or [...]
	tokAttr                    // key=value
)

// token is one token of a line.
type token struct {
	kind tokenKind
	key  string // tokAttr
	text string // the value, unquoted
	raw  string // as written
}

// maxValue bounds one value: a line cannot ask for more memory than a real
// request could hold.
const maxValue = 64 << 20

// lexer cuts one line into tokens.
type lexer struct {
	src  string
	pos  int
	read func(name string) ([]byte, error)
}

// lex returns the tokens of a line. A comment ends it.
func lex(line string, read func(string) ([]byte, error)) ([]token, error) {
	l := &lexer{src: line, read: read}
	var toks []token
	for {
		for l.pos < len(l.src) && isSpace(l.src[l.pos]) {
			l.pos++
		}
		if l.pos == len(l.src) || l.src[l.pos] == '#' {
			return toks, nil
		}
		begin := l.pos
		t, err := l.token()
		if err != nil {
			return toks, err
		}
		if l.pos < len(l.src) && !isSpace(l.src[l.pos]) {
			return toks, fmt.Errorf("%s is followed by %q; put a space between two values", clip(l.src[begin:l.pos]), l.src[l.pos:l.pos+1])
		}
		t.raw = l.src[begin:l.pos]
		toks = append(toks, t)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func (l *lexer) token() (token, error) {
	switch c := l.src[l.pos]; c {
	case '"', '\'':
		s, err := l.quoted()
		return token{kind: tokString, text: s}, err
	case '{', '[':
		s, err := l.json()
		return token{kind: tokJSON, text: s}, err
	case '@':
		s, err := l.file()
		return token{kind: tokString, text: s}, err
	}
	begin := l.pos
	for l.pos < len(l.src) && !isSpace(l.src[l.pos]) {
		c := l.src[l.pos]
		if c == '=' && l.pos > begin && l.pos+1 < len(l.src) && isKey(l.src[begin:l.pos]) {
			if q := l.src[l.pos+1]; q == '"' || q == '\'' {
				key := l.src[begin:l.pos]
				l.pos++
				s, err := l.quoted()
				return token{kind: tokAttr, key: key, text: s}, err
			}
		}
		l.pos++
	}
	word := l.src[begin:l.pos]
	if key, value, ok := strings.Cut(word, "="); ok && isKey(key) && !strings.HasPrefix(value, "=") {
		return token{kind: tokAttr, key: key, text: value}, nil
	}
	return token{kind: tokWord, text: word}, nil
}

// isKey reports whether s can stand before the = of an attribute.
func isKey(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c == '-' || c == '_') {
			return false
		}
	}
	return s != ""
}

// quoted reads "..." or '...', and *N after it.
func (l *lexer) quoted() (string, error) {
	begin, quote := l.pos, l.src[l.pos]
	l.pos++
	for l.pos < len(l.src) && l.src[l.pos] != quote {
		if quote == '"' && l.src[l.pos] == '\\' {
			l.pos++
		}
		l.pos++
	}
	if l.pos >= len(l.src) {
		l.pos = len(l.src)
		return "", fmt.Errorf("the string %s has no closing %c; a string ends on its own line", clip(l.src[begin:]), quote)
	}
	l.pos++
	s := l.src[begin+1 : l.pos-1]
	if quote == '"' {
		var err error
		if s, err = strconv.Unquote(l.src[begin:l.pos]); err != nil {
			return "", fmt.Errorf("the string %s has an escape that Go does not know; write \\\\ for a backslash, or use '...'", clip(l.src[begin:l.pos]))
		}
	}
	if l.pos < len(l.src) && l.src[l.pos] == '*' {
		digits := l.pos + 1
		l.pos = digits
		for l.pos < len(l.src) && l.src[l.pos] >= '0' && l.src[l.pos] <= '9' {
			l.pos++
		}
		n, err := strconv.Atoi(l.src[digits:l.pos])
		if err != nil || n < 1 {
			return "", fmt.Errorf("%s* wants a number of 1 or more after the *, as in \"ab\"*1000", clip(s))
		}
		if len(s) > 0 && n > maxValue/len(s) {
			return "", fmt.Errorf("%s is longer than %d bytes", clip(l.src[begin:l.pos]), maxValue)
		}
		s = strings.Repeat(s, n)
	}
	return s, nil
}

// json reads a balanced JSON array or object.
func (l *lexer) json() (string, error) {
	begin, depth, in := l.pos, 0, false
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		l.pos++
		switch {
		case in && c == '\\':
			l.pos = min(l.pos+1, len(l.src))
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return l.src[begin:l.pos], checkJSON(l.src[begin:l.pos])
			}
		}
	}
	return "", fmt.Errorf("the JSON %s is not closed; to send bytes that are not JSON write them as '...'", clip(l.src[begin:]))
}

// checkJSON refuses what is not JSON, ${n} taken as a number or as part of a
// string, and a ${ that a second reading would replace.
func checkJSON(s string) error {
	probe := strings.ReplaceAll(s, repetition, "1")
	if strings.Contains(probe, "${") {
		return errors.New("the JSON holds ${ after variables were replaced; write it as \\u0024{")
	}
	if !json.Valid([]byte(probe)) {
		return fmt.Errorf("%s is not valid JSON; to send bytes that are not JSON write them as '...'", clip(s))
	}
	return nil
}

// file reads @NAME.
func (l *lexer) file() (string, error) {
	begin := l.pos + 1
	for l.pos < len(l.src) && !isSpace(l.src[l.pos]) {
		l.pos++
	}
	name := l.src[begin:l.pos]
	if name == "" {
		return "", errors.New("@ wants a file's name after it, as in @page.html")
	}
	if l.read == nil {
		return "", fmt.Errorf("@%s cannot be read: there are no files here", name)
	}
	b, err := l.read(name)
	if err != nil {
		return "", fmt.Errorf("@%s cannot be read: %w", name, err)
	}
	if len(b) > maxValue {
		return "", fmt.Errorf("@%s is longer than %d bytes", name, maxValue)
	}
	return string(b), nil
}

// clip shortens a text for a sentence.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
