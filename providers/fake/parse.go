package fake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseOptions is what a script may refer to.
type ParseOptions struct {
	// Vars are the values of ${NAME}. The name n is taken: ${n} counts
	// repetitions.
	Vars map[string]string
	// Guard decides [NAME]; an error means that NAME is no guard. nil: there
	// are no guards.
	Guard func(name string) (bool, error)
	// ReadFile reads @FILE. The package opens no file itself. nil: there are
	// no files.
	ReadFile func(name string) ([]byte, error)
	// Protocol is the one that the script's frames, raw bytes and expectations of
	// wire.P are written for; "" is anthropic.
	Protocol string
	// FirstLine is the number of the first line of src, for a script that
	// lies inside another file. 0 means 1.
	FirstLine int
}

// Parse reads a reply script. The error is an Errors: everything that is
// wrong, each with its line. name is what these and all later places begin
// with.
func Parse(name string, src []byte, o ParseOptions) (*Script, error) {
	p := &parser{o: o, script: &Script{Name: name, Protocol: o.Protocol}, c: &collector{file: name}}
	first := max(1, o.FirstLine)
	if _, taken := o.Vars["n"]; taken {
		p.c.add(first, "a variable cannot be called n: ${n} counts repetitions")
	}
	if protocolNamed(o.Protocol) == nil {
		p.c.add(first, "%s", unknown("protocol", o.Protocol, Protocols()))
	}
	for i, line := range strings.Split(string(src), "\n") {
		p.line = first + i
		p.parse(strings.TrimSuffix(line, "\r"))
	}
	p.endReply()
	if p.script.Window == nil && len(p.script.Replies) == 0 && len(p.c.errs) == 0 && !p.skipped {
		p.c.add(first, "the script has no reply; write `reply` in column 1 and what it says below it, indented")
	}
	if len(p.c.errs) == 0 {
		p.script.rehearse(p.c)
	}
	if err := p.c.err(); err != nil {
		return nil, err
	}
	return p.script, nil
}

// parser reads a script line by line.
type parser struct {
	o       ParseOptions
	script  *Script
	c       *collector
	line    int
	reply   *Reply // the one that indented lines belong to
	skip    bool   // indented lines belong to something a guard took out
	skipped bool   // a guard took something out
	broken  bool   // indented lines belong to something that did not parse
}

func (p *parser) parse(line string) {
	text := strings.TrimLeft(line, " \t")
	if text == "" || text[0] == '#' {
		return
	}
	top := len(text) == len(line)
	if !top && p.skip {
		return
	}
	text, on, err := p.guards(text)
	switch {
	case err != nil:
		p.c.add(p.line, "%s", err)
		p.broken = p.broken || top
		return
	case !on:
		p.skipped = true
		if top {
			p.endReply()
			p.skip = true
		}
		return
	}
	if text, err = substitute(text, p.o.Vars); err != nil {
		p.c.add(p.line, "%s", err)
		if top {
			p.startBroken()
		}
		return
	}
	toks, err := lex(text, p.o.ReadFile)
	if err != nil {
		p.c.add(p.line, "%s", err)
		if top {
			p.startBroken()
		}
		return
	}
	if len(toks) == 0 {
		return
	}
	if top {
		p.top(toks)
	} else {
		p.indented(toks)
	}
}

// guards takes [NAME] and [!NAME] off the front of a line and says whether all
// of them hold.
func (p *parser) guards(text string) (rest string, on bool, err error) {
	on = true
	for strings.HasPrefix(text, "[") {
		inner, after, ok := strings.Cut(text[1:], "]")
		name, negated := strings.CutPrefix(inner, "!")
		if !ok || !isName(name) {
			return text, false, fmt.Errorf("%s is not a guard; write [NAME] or [!NAME] before the line", clip(text))
		}
		if p.o.Guard == nil {
			return text, false, fmt.Errorf("the guard [%s] has no meaning here: no case defines it", inner)
		}
		holds, err := p.o.Guard(name)
		if err != nil {
			return text, false, err
		}
		on = on && holds != negated
		text = strings.TrimLeft(after, " \t")
		if text == "" || text[0] == '#' {
			return text, false, fmt.Errorf("the guard [%s] stands alone; write it before the line it guards, on the same line", inner)
		}
	}
	return text, on, nil
}

// top reads a line that begins in column 1.
func (p *parser) top(toks []token) {
	p.endReply()
	switch word := toks[0].raw; word {
	case "reply":
		r, err := parseReply(toks[1:])
		if err != nil {
			p.c.add(p.line, "%s", err)
			p.startBroken()
			return
		}
		r.Line = p.line
		p.reply = r
	case "window":
		w, err := parseWindow(toks[1:])
		if err != nil {
			p.c.add(p.line, "%s", err)
			p.startBroken()
			return
		}
		w.Line = p.line
		if old := p.script.Window; old != nil {
			p.c.add(p.line, "a script has one window, and line %d has it already", old.Line)
			return
		}
		p.script.Window = w
	default:
		if _, ok := verbOf(Op(word)); ok {
			p.c.add(p.line, "`%s` belongs to a reply: indent it", word)
		} else {
			p.c.add(p.line, "%s", unknown("word in column 1,", word, []string{"reply", "window"}))
		}
		p.startBroken()
	}
}

// indented reads a line of the current reply.
func (p *parser) indented(toks []token) {
	if p.reply == nil {
		switch {
		case p.broken:
		case p.script.Window != nil && len(p.script.Replies) == 0:
			p.c.add(p.line, "`%s` belongs to no reply: a window has no lines of its own", toks[0].raw)
		default:
			p.c.add(p.line, "`%s` belongs to no reply; write `reply` in column 1 before it", toks[0].raw)
		}
		return
	}
	word := toks[0].raw
	v, ok := verbOf(Op(word))
	if !ok {
		if word == "reply" || word == "window" {
			p.c.add(p.line, "`%s` begins in column 1", word)
		} else {
			p.c.add(p.line, "%s", unknown("line", word, opNames()))
		}
		return
	}
	l, err := v.read(toks[1:])
	if err != nil {
		p.c.add(p.line, "%s", err)
		return
	}
	l.Line = p.line
	p.reply.Lines = append(p.reply.Lines, l)
}

// startBroken begins something whose indented lines cannot be judged.
func (p *parser) startBroken() {
	p.endReply()
	p.broken = true
}

func (p *parser) endReply() {
	if p.reply != nil {
		p.reply.check(p.c)
		p.script.Replies = append(p.script.Replies, p.reply)
	}
	p.reply, p.skip, p.broken = nil, false, false
}

// parseReply reads what follows the word reply.
func parseReply(toks []token) (*Reply, error) {
	r := &Reply{Lane: Lanes()[0], Min: 1, Max: 1}
	var words []token
	for _, t := range toks {
		if t.kind != tokAttr {
			words = append(words, t)
			continue
		}
		var err error
		switch t.key {
		case "lane":
			if r.Lane = t.text; !slices.Contains(Lanes(), r.Lane) {
				err = fmt.Errorf("%s", unknown("lane", r.Lane, Lanes()))
			}
		case "times":
			r.Min, r.Max, err = parseTimes(t.text)
		case "retry-after":
			if r.RetryAfter = t.text; !isHeaderValue(r.RetryAfter) || r.RetryAfter == "" {
				err = fmt.Errorf("retry-after=%s is no value of a header; write retry-after=2 or a date in quotes", clip(t.text))
			}
		default:
			err = fmt.Errorf("%s", unknown("part of a reply,", t.key, []string{"lane", "times", "retry-after"}))
		}
		if err != nil {
			return nil, err
		}
	}
	if len(words) == 0 {
		return r, nil
	}
	status, err := strconv.Atoi(words[0].text)
	if err != nil || words[0].kind != tokWord || status < 200 || status > 599 {
		return nil, fmt.Errorf("%s is not a status; write reply [STATUS TYPE [\"MSG\"]], as in reply 429 rate_limit_error", clip(words[0].raw))
	}
	r.Status = status
	if len(words) > 1 {
		if r.Type = words[1].text; words[1].kind != tokWord {
			return nil, fmt.Errorf("%s is not an error type; the type stands before the message, as in reply 529 overloaded_error \"Overloaded\"", clip(words[1].raw))
		}
	}
	if len(words) > 2 {
		if r.Message = words[2].text; words[2].kind != tokString {
			return nil, fmt.Errorf("the message %s wants quotes", clip(words[2].raw))
		}
	}
	if len(words) > 3 {
		return nil, fmt.Errorf("%s is one thing too many; write reply [STATUS TYPE [\"MSG\"]] [lane=L] [times=N|A..B] [retry-after=X]", clip(words[3].raw))
	}
	return r, nil
}

// maxTimes bounds the repetitions of a reply or a line.
const maxTimes = 10_000

// parseTimes reads N or A..B.
func parseTimes(s string) (lo, hi int, err error) {
	a, b, ranged := strings.Cut(s, "..")
	lo, err = strconv.Atoi(a)
	hi = lo
	if ranged && err == nil {
		hi, err = strconv.Atoi(b)
	}
	if err != nil || lo < 0 || hi < 1 || hi < lo || hi > maxTimes {
		return 0, 0, fmt.Errorf("times=%s is no number of repetitions; write times=3, or times=1..3 when one is enough (at most %d)", clip(s), maxTimes)
	}
	return lo, hi, nil
}

// parseWindow reads what follows the word window.
func parseWindow(toks []token) (*Window, error) {
	w := &Window{}
	for _, t := range toks {
		switch {
		case t.kind == tokAttr && t.key == "tokens":
			n, err := strconv.Atoi(t.text)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("tokens=%s is no number of tokens; write tokens=200000", clip(t.text))
			}
			w.Tokens = n
		case t.kind == tokAttr && t.key == "body":
			n, err := parseSize(t.text)
			if err != nil {
				return nil, err
			}
			w.Body = n
		default:
			return nil, fmt.Errorf("%s is no part of a window; write window tokens=N body=SIZE, either part alone too", clip(t.raw))
		}
	}
	if w.Tokens == 0 && w.Body == 0 {
		return nil, fmt.Errorf("a window limits something; write window tokens=N body=SIZE, either part alone too")
	}
	return w, nil
}

// parseSize reads a number of bytes: 300, 300B, 30KB, 3MB. KB is 1000 bytes.
func parseSize(s string) (int64, error) {
	unit := int64(1)
	digits := s
	for _, u := range []struct {
		name string
		size int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}} {
		if d, ok := strings.CutSuffix(s, u.name); ok {
			digits, unit = d, u.size
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > 1<<40/unit {
		return 0, fmt.Errorf("%q is no size; write 5000, 32KB or 32MB (a KB is 1000 bytes)", clip(s))
	}
	return n * unit, nil
}
