package gate

import (
	"regexp"
	"strings"
)

// parser splits a command line as far as a conservative reader needs to, and
// sums up its effect on the way. What it does not know makes the whole unsure;
// it goes on then only to see which checkers are tried.
type parser struct {
	src      string
	i        int
	depth    int  // of nested lists
	posix    bool // the shell is sh, which reads &> as & and >
	unsure   bool
	late     bool // something in the background may change anything at any time
	pipefail bool
	begun    bool      // a command other than set has been seen
	heredocs []heredoc // whose bodies follow the next newline
	subs     effect    // of the substitutions in the words read since the last command
}

type heredoc struct {
	end    string
	tabs   bool // <<-
	quoted bool // the body is not expanded
}

// Nesting deeper than this is not understood.
const deepest = 20

// understand reads a whole command line.
func understand(command string) effect {
	p := parser{src: command}
	return p.whole()
}

func (p *parser) whole() effect {
	e := p.list(0)
	if len(p.heredocs) > 0 { // no body
		p.unsure = true
	}
	if p.unsure {
		return effect{tried: e.tried, changes: true}
	}
	if p.late {
		e.fresh = 0
	}
	return e
}

// list reads commands up to end: ')', '}' or 0 for the end of the text. The end
// is consumed; a missing one is not understood.
func (p *parser) list(end byte) (e effect) {
	if p.depth++; p.depth > deepest {
		p.unsure, p.i = true, len(p.src)
	}
	defer func() { p.depth-- }()
	for {
		p.blanks(true)
		switch {
		case p.i == len(p.src):
			p.unsure = p.unsure || end != 0
			return e
		case end == ')' && p.src[p.i] == ')', end == '}' && p.keyword("}"):
			p.i++
			return e
		}
		from := p.i
		one := p.andOr()
		if p.peek() == '&' {
			p.i++
			p.late = p.late || one.changes
			one = one.masked()
		}
		e = e.then(one)
		if p.i == from { // a stray ) or ;; which command did not understand
			p.i++
		}
	}
}

func (p *parser) andOr() effect {
	e := p.pipeline()
	for {
		p.blanks(false)
		switch {
		case strings.HasPrefix(p.src[p.i:], "&&"):
			p.i += 2
			p.blanks(true)
			e = e.and(p.pipeline())
		case strings.HasPrefix(p.src[p.i:], "||"):
			p.i += 2
			p.blanks(true)
			e = e.or(p.pipeline())
		default:
			return e
		}
	}
}

func (p *parser) pipeline() effect {
	not := false
	for p.blanks(false); p.keyword("!") || p.keyword("time"); p.blanks(false) {
		not = not || p.src[p.i] == '!'
		p.i += len("!")
		if p.src[p.i-1] == 't' {
			p.i += len("ime")
		}
	}
	e := p.command()
	for p.blanks(false); p.peek() == '|' && !strings.HasPrefix(p.src[p.i:], "||"); p.blanks(false) {
		p.i++
		if p.peek() == '&' { // |&
			p.i++
		}
		p.blanks(true)
		e = e.beside(p.command(), p.pipefail)
	}
	if not {
		return e.masked()
	}
	return e
}

// Keywords that begin what is not understood: the words after them are read as
// commands all the same, for what they try.
var keywords = regexp.MustCompile(`^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|coproc|\[\[|\]\])$`)

func (p *parser) command() (e effect) {
	var words []word
	var group, any, writes bool
	for {
		p.blanks(false)
		c := p.peek()
		switch {
		case p.i == len(p.src), c == '\n', c == ';', c == ')', c == '|', c == '&' && !strings.HasPrefix(p.src[p.i:], "&>"):
			if !any {
				p.unsure = true
			}
			subs := p.subs
			p.subs = effect{}
			if len(words) > 0 {
				p.unsure = p.unsure || group
				e = p.simple(words)
			}
			e.tried |= subs.tried
			e.changes = e.changes || subs.changes || writes
			if writes { // while it ran, or after: the file is not what it was
				e.fresh = 0
			}
			return e
		case p.redirection(&writes):
			any = true
		case c == '(' && !any && !strings.HasPrefix(p.src[p.i:], "(("):
			p.i++
			e, group, any = p.nested(')'), true, true
		case c == '(': // ((, name(), a=(...)
			p.unsure, any = true, true
			p.i++
		case !any && p.keyword("{"):
			p.i++
			e, group, any = p.nested('}'), true, true
		default:
			from := p.i
			w := p.word()
			w.raw = p.src[from:p.i]
			any = true
			name, _, isAssign := strings.Cut(w.raw, "=")
			switch {
			case len(words) == 0 && !w.quoted && keywords.MatchString(w.text):
				p.unsure = true
			case len(words) == 0 && isAssign && assignable.MatchString(name):
				p.variable(w.raw)
			default:
				words = append(words, w)
			}
		}
	}
}

// nested reads a ( or { list. Its substitutions are its own.
func (p *parser) nested(end byte) effect {
	subs := p.subs
	p.subs = effect{}
	p.begun = true
	e := p.list(end)
	p.subs = subs
	return e
}

var redirects = regexp.MustCompile(`^(?:[0-9]*(?:<<<|<<-?|<>|<&|>&|>>|>\||<|>)|&>>?)`)

// redirection reads one, if one is next, and says if it writes a file.
func (p *parser) redirection(writes *bool) bool {
	op := redirects.FindString(p.ahead(20))
	if op == "" {
		return false
	}
	p.i += len(op)
	p.unsure = p.unsure || p.posix && op[0] == '&'
	p.blanks(false)
	from := p.i
	target := p.word()
	if p.i == from { // nothing, or <(...)
		p.unsure = true
	}
	switch op = strings.TrimLeft(op, "0123456789"); op {
	case "<", "<<<":
	case "<<", "<<-":
		p.unsure = p.unsure || !target.plain
		p.heredocs = append(p.heredocs, heredoc{target.text, op == "<<-", target.quoted})
	case "<&", ">&":
		if target.plain && strings.Trim(target.text, "0123456789-") == "" {
			break
		}
		fallthrough
	default:
		if !target.plain || target.text != "/dev/null" && target.text != "/dev/stdout" && target.text != "/dev/stderr" {
			*writes = true
		}
	}
	return true
}
