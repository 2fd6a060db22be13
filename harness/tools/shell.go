package tools

import (
	"slices"
	"strings"
)

// shellCommand is one simple command of a command line: its words without
// their quotes, and where its output is redirected to. Expansions are left as
// they were written.
type shellCommand struct {
	words []shellWord
	to    []string
}

type shellWord struct {
	text    string
	dynamic bool // holds an expansion: what it will be is not known
}

// shellCommands splits a command line into its simple commands, those in
// command and process substitutions, in subshells and in here-documents
// included. whole is false when a quote or a bracket has no end; the commands
// up to there are returned all the same.
//
// It is a reading for caution, not for running: where it does not follow the
// shell exactly (here-documents, case patterns, brace expansion) it finds
// commands too many, not too few.
func shellCommands(line string) (cmds []shellCommand, whole bool) {
	p := &shellParser{s: line}
	whole = p.list(0)
	return p.cmds, whole
}

type shellParser struct {
	s    string
	at   int
	cmds []shellCommand

	cur    shellCommand
	word   strings.Builder
	inWord bool
	dyn    bool
	redir  bool // the next word is where output goes
	depth  int
}

const maxShellDepth = 50

// list reads commands up to the closing byte end, or the end of the line when
// end is 0, and reports whether it came.
func (p *shellParser) list(end byte) bool {
	if p.depth++; p.depth > maxShellDepth {
		return false
	}
	defer func() { p.depth-- }()
	for p.at < len(p.s) {
		c := p.s[p.at]
		if c == end && end != 0 {
			p.at++
			p.endCommand()
			return true
		}
		p.at++
		switch c {
		case ' ', '\t', '\r':
			p.endWord()
		case '\n', ';', '&', '|', ')':
			if (c == '&' || c == '|') && p.redir && !p.inWord { // >&2, >|file
				continue
			}
			p.endCommand()
		case '(':
			p.endCommand()
			if !p.list(')') {
				return false
			}
		case '#':
			if p.inWord {
				p.put(c)
				continue
			}
			for p.at < len(p.s) && p.s[p.at] != '\n' {
				p.at++
			}
		case '<', '>':
			if p.at < len(p.s) && p.s[p.at] == '(' { // process substitution
				p.at++
				if !p.nested(')') {
					return false
				}
				continue
			}
			if p.inWord && strings.Trim(p.word.String(), "0123456789") == "" { // 2>file
				p.word.Reset()
				p.inWord = false
			}
			p.endWord()
			p.redir = c == '>'
		default:
			if !p.piece(c, false) {
				return false
			}
		}
	}
	p.endCommand()
	return end == 0
}

// piece reads one piece of a word that begins with c, which was read already.
func (p *shellParser) piece(c byte, quoted bool) bool {
	p.inWord = true
	switch {
	case c == '\\':
		if p.at < len(p.s) {
			if n := p.s[p.at]; n != '\n' {
				p.word.WriteByte(n)
			}
			p.at++
		}
	case c == '\'' && !quoted:
		n := strings.IndexByte(p.s[p.at:], '\'')
		if n < 0 {
			return false
		}
		p.word.WriteString(p.s[p.at : p.at+n])
		p.at += n + 1
	case c == '"' && !quoted:
		for {
			if p.at >= len(p.s) {
				return false
			}
			n := p.s[p.at]
			p.at++
			if n == '"' {
				return true
			}
			if !p.piece(n, true) {
				return false
			}
		}
	case c == '`':
		p.dyn = true
		n := 0
		for p.at+n < len(p.s) && p.s[p.at+n] != '`' {
			if p.s[p.at+n] == '\\' {
				n++
			}
			n++
		}
		if p.at+n >= len(p.s) {
			return false
		}
		inner, whole := shellCommands(strings.ReplaceAll(p.s[p.at:p.at+n], "\\", ""))
		p.cmds = append(p.cmds, inner...)
		p.at += n + 1
		return whole
	case c == '$':
		p.dyn = true
		if strings.HasPrefix(p.s[p.at:], "(") {
			p.at++
			return p.nested(')')
		}
		p.word.WriteByte(c)
	default:
		p.word.WriteByte(c)
	}
	return true
}

func (p *shellParser) put(c byte) {
	p.word.WriteByte(c)
	p.inWord = true
}

// nested reads the commands of a substitution inside a word.
func (p *shellParser) nested(end byte) bool {
	in := &shellParser{s: p.s, at: p.at, depth: p.depth}
	whole := in.list(end)
	p.cmds = append(p.cmds, in.cmds...)
	p.at = in.at
	p.inWord, p.dyn = true, true
	return whole
}

func (p *shellParser) endWord() {
	if !p.inWord {
		return
	}
	w := shellWord{p.word.String(), p.dyn}
	p.word.Reset()
	p.inWord, p.dyn = false, false
	if p.redir {
		p.cur.to, p.redir = append(p.cur.to, w.text), false
		return
	}
	if len(p.cur.words) == 0 && !w.dynamic && slices.Contains(reserved[:], w.text) {
		return // what follows is a command
	}
	p.cur.words = append(p.cur.words, w)
}

func (p *shellParser) endCommand() {
	p.endWord()
	p.redir = false
	if len(p.cur.words)+len(p.cur.to) > 0 {
		p.cmds = append(p.cmds, p.cur)
	}
	p.cur = shellCommand{}
}

// reserved are the words before a command that are not its name.
var reserved = [...]string{"{", "}", "!", "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "time", "coproc"}
