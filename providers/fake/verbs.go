package fake

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// verb is one kind of line: its form, as shown to whoever gets it wrong, and
// its reader.
type verb struct {
	op    Op
	form  string
	parse func(a *args, l *Line)
	// repeats: the line may carry times=N. waits: it may carry after=D.
	repeats, waits bool
}

// verbs is the closed list of lines; nobody changes it.
var verbs = []verb{
	{OpExpect, "expect PATH OP VALUE", parseExpect, false, false},
	{OpText, `text "S"...`, parseStrings, true, true},
	{OpThink, `think "S"... [sig=S]`, parseThink, true, true},
	{OpCall, `call ID NAME JSON|'bytes'...`, parseCall, true, true},
	{OpCutText, `cut-text "S"...`, parseStrings, true, true},
	{OpCutThink, `cut-think "S"...`, parseStrings, true, true},
	{OpCutCall, `cut-call ID NAME JSON|'bytes'...`, parseCall, true, true},
	{OpServerCall, `server-call ID NAME JSON|'bytes'...`, parseCall, true, true},
	{OpServerResult, "server-result ID JSON", parseServerResult, true, true},
	{OpStop, "stop REASON", parseStop, true, true},
	{OpUsage, "usage in=N out=N [cache_read=N] [cache_write=N]", parseUsage, false, false},
	{OpPing, "ping", parseNothing, true, true},
	{OpComment, `comment "S"`, parseComment, true, true},
	{OpError, `error TYPE "MSG"`, parseError, true, true},
	{OpRefusal, `refusal "S"`, parseString, false, true},
	{OpRaw, `raw "bytes"...`, parseStrings, true, true},
	{OpFrame, "frame JSON", parseFrame, true, true},
	{OpHeader, "header NAME VALUE", parseHeader, false, false},
	{OpBody, `body "T"...`, parseStrings, true, true},
	{OpHead, "head [none]", parseWhere, false, true},
	{OpTail, "tail [none]", parseWhere, false, true},
	{OpEOF, "eof [short=N]", parseEOF, false, true},
	{OpCut, "cut", parseNothing, false, true},
	{OpReset, "reset", parseNothing, false, true},
	{OpHang, "hang [D]", parseHang, false, true},
	{OpChunk, "chunk events|whole|N|at N", parseChunk, false, false},
	{OpNewline, "newline lf|cr|crlf", parseNewline, false, false},
	{OpGate, "gate NAME", parseGate, false, true},
	{OpDelay, "delay D", parseDelay, true, false},
}

func verbOf(op Op) (verb, bool) {
	for _, v := range verbs {
		if v.op == op {
			return v, true
		}
	}
	return verb{}, false
}

func opNames() []string {
	var names []string
	for _, v := range verbs {
		names = append(names, string(v.op))
	}
	return names
}

// read reads what follows the verb's word.
func (v verb) read(toks []token) (Line, error) {
	l := Line{Op: v.op}
	a := &args{verb: v, toks: toks}
	if v.repeats || v.waits {
		a.trailing(&l)
	}
	if a.err == nil {
		v.parse(a, &l)
	}
	if a.err == nil && len(a.toks) > 0 {
		a.fail("%s is one thing too many", clip(a.toks[0].raw))
	}
	return l, a.err
}

// args hands out what follows a verb's word, one by one, and keeps the first
// error.
type args struct {
	verb verb
	toks []token
	err  error
}

// fail keeps a sentence, completed by the form that would be right.
func (a *args) fail(format string, v ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("%s; write %s", fmt.Sprintf(format, v...), a.verb.form)
	}
}

// next takes the next token; what names it in the sentence when it is missing.
func (a *args) next(what string) token {
	if a.err == nil && len(a.toks) == 0 {
		a.fail("%s wants %s", a.verb.op, what)
	}
	if a.err != nil {
		return token{}
	}
	t := a.toks[0]
	a.toks = a.toks[1:]
	return t
}

// trailing takes after=D and times=N off the end.
func (a *args) trailing(l *Line) {
	for len(a.toks) > 0 {
		t := a.toks[len(a.toks)-1]
		if t.kind != tokAttr || t.key != "after" && t.key != "times" {
			return
		}
		a.toks = a.toks[:len(a.toks)-1]
		switch {
		case t.key == "after" && a.verb.waits:
			l.After = a.duration(t.text)
		case t.key == "times" && a.verb.repeats:
			n, err := strconv.Atoi(t.text)
			if err != nil || n < 1 || n > maxTimes {
				a.fail("times=%s is no number from 1 to %d", clip(t.text), maxTimes)
			}
			if l.Times = n; n == 1 {
				l.Times = 0 // once is what a line says without it
			}
		default:
			a.fail("%s takes no %s=", a.verb.op, t.key)
		}
	}
}

// attr takes the attribute key, wherever it stands.
func (a *args) attr(key string) (string, bool) {
	for i, t := range a.toks {
		if t.kind == tokAttr && t.key == key {
			a.toks = append(a.toks[:i:i], a.toks[i+1:]...)
			return t.text, true
		}
	}
	return "", false
}

// number takes the attribute key as a number of lo or more.
func (a *args) number(key string, lo int) (int, bool) {
	s, ok := a.attr(key)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < lo {
		a.fail("%s=%s is no number of %d or more", key, clip(s), lo)
	}
	return n, true
}

// maxWait bounds every duration of a script.
const maxWait = 365 * 24 * time.Hour

func (a *args) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxWait {
		a.fail("%q is no duration from 0 to a year, as in 250ms or 1m30s", clip(s))
	}
	return d
}

// strings takes all that is left; each must be quoted.
func (a *args) strings() []string {
	out := []string{a.str()}
	for a.err == nil && len(a.toks) > 0 {
		out = append(out, a.str())
	}
	return out
}

// str takes one quoted string.
func (a *args) str() string {
	t := a.next("a string")
	if a.err == nil && t.kind != tokString {
		a.fail("%s wants quotes", clip(t.raw))
	}
	return t.text
}

// name takes an id or a name: a bare word, or any string in quotes.
func (a *args) name(what string) string {
	t := a.next(what)
	switch {
	case a.err != nil:
	case t.kind == tokJSON:
		a.fail("%s stands where %s belongs", clip(t.raw), what)
	case t.kind != tokString:
		return t.raw
	}
	return t.text
}

// input takes JSON, or one or more strings of bytes.
func (a *args) input(l *Line) {
	if len(a.toks) > 0 && a.toks[0].kind == tokString {
		l.Values = a.strings()
		return
	}
	l.JSON = a.json()
}

// json takes one JSON value.
func (a *args) json() string {
	t := a.next("JSON")
	switch {
	case a.err != nil:
	case t.kind == tokJSON:
	case t.kind == tokWord && (t.text == repetition || json.Valid([]byte(t.text))):
	default:
		a.fail("%s is not JSON", clip(t.raw))
	}
	return t.text
}

func parseNothing(*args, *Line) {}

func parseStrings(a *args, l *Line) { l.Values = a.strings() }

func parseString(a *args, l *Line) { l.Values = []string{a.str()} }

func parseComment(a *args, l *Line) {
	parseString(a, l)
	if a.err == nil && strings.ContainsAny(l.Values[0], "\r\n") {
		a.fail("a comment is one line of the stream")
	}
}

func parseThink(a *args, l *Line) {
	l.Sig, l.HasSig = a.attr("sig")
	parseStrings(a, l)
}

func parseCall(a *args, l *Line) {
	l.ID, l.Name = a.name("the call's id"), a.name("the tool's name")
	a.input(l)
}

func parseServerResult(a *args, l *Line) {
	l.ID = a.name("the call's id")
	l.JSON = a.json()
}

func parseFrame(a *args, l *Line) { l.JSON = a.json() }

func parseStop(a *args, l *Line) { l.Values = []string{a.name("a reason")} }

func parseError(a *args, l *Line) {
	l.Name = a.name("the error's type")
	l.Values = []string{a.str()}
}

func parseUsage(a *args, l *Line) {
	if len(a.toks) == 0 {
		a.fail("usage wants a number")
	}
	l.Usage.In, _ = a.number("in", 0)
	l.Usage.Out, _ = a.number("out", 0)
	l.Usage.CacheRead, _ = a.number("cache_read", 0)
	l.Usage.CacheWrite, _ = a.number("cache_write", 0)
}

func parseHeader(a *args, l *Line) {
	l.Name = a.name("a name")
	if a.err == nil && !isHeaderName(l.Name) {
		a.fail("%q is no name of a header", clip(l.Name))
	}
	l.Values = []string{a.rest("a value")}
	if a.err == nil && !isHeaderValue(l.Values[0]) {
		a.fail("the value %q cannot stand in a header", clip(l.Values[0]))
	}
}

// rest takes all that is left as one text: a string, or bare words as they
// stand, one space between two.
func (a *args) rest(what string) string {
	if len(a.toks) == 1 && a.toks[0].kind == tokString {
		return a.str()
	}
	words := []string{a.next(what).raw}
	for a.err == nil && len(a.toks) > 0 {
		words = append(words, a.next(what).raw)
	}
	return strings.Join(words, " ")
}

func parseWhere(a *args, l *Line) {
	if len(a.toks) == 0 {
		return
	}
	if word := a.name("none"); word != "none" {
		a.fail("%q is not where it is written", clip(word))
	}
	l.N = -1
}

func parseEOF(a *args, l *Line) { l.N, _ = a.number("short", 1) }

func parseHang(a *args, l *Line) {
	if len(a.toks) > 0 {
		if l.D = a.duration(a.name("a duration")); a.err == nil && l.D == 0 {
			a.fail("hang 0s does not hang")
		}
	}
}

func parseDelay(a *args, l *Line) { l.D = a.duration(a.name("a duration")) }

func parseGate(a *args, l *Line) {
	if l.Name = a.name("a name"); a.err == nil && !isName(l.Name) {
		a.fail("%q is no name of a gate: letters, digits, - _ and . after a letter", clip(l.Name))
	}
}

func parseChunk(a *args, l *Line) {
	word := a.name("a way to cut the bytes")
	switch {
	case a.err != nil:
	case word == "events" || word == "whole":
		l.Name = word
	case word == "at":
		l.Name = "at"
		l.N = a.positive(a.name("the place"))
	default:
		l.N = a.positive(word)
	}
}

func (a *args) positive(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		a.fail("%q is no number of bytes", clip(s))
	}
	return n
}

func parseNewline(a *args, l *Line) {
	switch l.Name = a.name("lf, cr or crlf"); l.Name {
	case "lf", "cr", "crlf":
	default:
		a.fail("%q is no end of a line", clip(l.Name))
	}
}

func parseExpect(a *args, l *Line) {
	e := &Expect{Path: a.name("a path"), Cmp: a.name("an operator")}
	if a.err != nil {
		return
	}
	if err := checkPath(e.Path); err != nil {
		a.err = err
		return
	}
	op, known := operators[e.Cmp]
	switch {
	case !known:
		a.err = fmt.Errorf("%s", unknown("operator", e.Cmp, operatorNames()))
		return
	case op.alone:
	default:
		e.Value = a.rest("a value")
	}
	if a.err == nil {
		a.err = e.compile()
	}
	l.Expect = e
}

// isHeaderName reports whether s is a token of RFC 9110.
func isHeaderName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// isHeaderValue reports whether s can be sent as a header's value.
func isHeaderValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return strings.TrimSpace(s) == s
}
