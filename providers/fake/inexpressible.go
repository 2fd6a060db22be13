package fake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Inexpressible returns the first line of the script that a protocol cannot
// carry, with the reason in a sentence; nil if it can carry all of it. stream
// says whether the requests ask for streams.
//
// A protocol carries an answer if its codec reads from it what Anthropic's codec
// reads from the same script: the same blocks, with their texts, ids, names and
// inputs, the same stop reason, the same tokens where a stop reason came, and the
// same end. Whether a block was closed is compared too, except for the last block
// of an answer that breaks off or that a limit cut, which only Anthropic's
// protocol tells. Signatures of thoughts are each protocol's own.
//
// Frames, raw bytes, and what is expected of wire.P mean something in one
// protocol alone, the script's (see ParseOptions.Protocol): the others cannot
// carry them.
//
// A Server does not ask: where it is asked for what its protocol cannot carry,
// that is a finding.
func Inexpressible(s *Script, protocol string, stream bool) *Error {
	p := protocolNamed(protocol)
	if p == nil {
		return &Error{File: s.Name, Line: 1, Text: unknown("protocol", protocol, Protocols())}
	}
	for _, r := range s.Replies {
		err := r.foreign(s, p)
		if err == nil {
			err = r.cannot(r.few(), p, stream)
		}
		if err == nil {
			err = r.tooShort(p, stream)
		}
		if err != nil {
			return &Error{File: s.Name, Line: err.line, Text: err.text}
		}
	}
	return nil
}

// foreign finds what is written for another protocol.
func (r *Reply) foreign(s *Script, p protocol) *lineError {
	own := protocolNamed(s.Protocol)
	if own == nil || own.name() == p.name() {
		return nil
	}
	for i := range r.Lines {
		switch l := &r.Lines[i]; l.Op {
		case OpFrame:
			return no(l, "`frame` is an event of %s, and %s has others", own.name(), p.name())
		case OpRaw:
			if strings.Join(l.Values, "") != "" {
				return no(l, "`raw` writes bytes of %s, and %s has others", own.name(), p.name())
			}
		case OpExpect:
			path := strings.ToLower(l.Expect.Path)
			if strings.HasPrefix(path, "wire.") || strings.HasPrefix(path, "header.anthropic-") {
				return no(l, "`expect %s` looks into a request of %s, and one of %s is built otherwise", l.Expect.Path, own.name(), p.name())
			}
		}
	}
	return nil
}

// tooShort finds an `eof short=N` that takes another part of the answer away
// than it does in the first protocol: anything but a part of the event that ends
// it, and says nothing else.
func (r *Reply) tooShort(p protocol, stream bool) *lineError {
	at := slices.IndexFunc(r.Lines, func(l Line) bool { return l.Op == OpEOF && l.N > 0 })
	first := protocols()[0]
	if at < 0 || p.name() == first.name() {
		return nil
	}
	short := &r.Lines[at]
	for _, one := range []protocol{first, p} {
		if _, err := r.plan(1, answering{protocol: one, stream: stream, model: "model", n: 1, form: form{usage: true}}); err != nil {
			return err
		}
	}
	acts, err := r.acts(r.few(), stream)
	if err != nil || acts == nil || !stream || r.failed() {
		return err
	}
	if n := len(acts); n < 2 || acts[n-2].op != OpTail || acts[n-2].none {
		return no(short, "short=%d takes bytes of the answer away, and they are others in %s; only the event that ends an answer can be cut everywhere: write `tail` before", short.N, p.name())
	}
	if most := min(closing(first), closing(p)); short.N > most {
		return no(short, "short=%d takes more away than the event that ends an answer, which has %d bytes in %s", short.N, most, p.name())
	}
	return nil
}

// closing is the length of the event that ends an answer and says nothing else.
func closing(p protocol) int {
	b := newBuilder()
	out := p.answer(b, answering{protocol: p, stream: true, n: 1, newline: "\n"})
	if out.close(); !p.endsApart() {
		return len("\n\n")
	}
	return len(b.buf)
}

// act is one thing that an answer does: a line of the reply, or what is implied.
type act struct {
	op   Op
	line *Line
	// none: `head none`, `tail none`. reason is a stop's.
	none   bool
	reason string
}

// few are the reply's lines with each repeated twice where it is repeated: more
// changes nothing for what can be carried.
func (r *Reply) few() []Line {
	few := *r
	few.Lines = make([]Line, len(r.Lines))
	for i, l := range r.Lines {
		l.Times = min(l.Times, 2)
		few.Lines[i] = l
	}
	return few.expand(1)
}

// cannot finds what of the lines the protocol cannot carry. An HTTP error and a
// plain body are the same everywhere.
func (r *Reply) cannot(lines []Line, p protocol, stream bool) *lineError {
	if _, ok := p.(anthropic); ok && stream || r.failed() {
		return nil
	}
	acts, err := r.acts(lines, stream)
	if err != nil || acts == nil {
		return err
	}
	for i := range acts {
		switch a := &acts[i]; {
		case stream:
		case a.op == OpRaw:
			return no(a.line, "the request asks for one JSON message (stream is not true), and `raw` writes into a stream; write `body` to send other bytes")
		case a.op == OpFrame:
			return no(a.line, "the request asks for one JSON message (stream is not true), and `frame` is an event of a stream")
		}
	}
	if at := slices.IndexFunc(acts, func(a act) bool { return a.op == OpError }); at >= 0 {
		acts = acts[:at+1] // a reader stops there
	}
	return p.cannot(acts, stream)
}

// acts are what an answer does, what is implied included. Lines that only say when
// and how bytes travel are left out. nil: a plain body.
func (r *Reply) acts(lines []Line, stream bool) ([]act, *lineError) {
	top := &Line{Line: r.Line}
	is := impliedBy(lines)
	var acts, usage []act
	written := false // a stop is
	for i := range lines {
		l := &lines[i]
		a := act{op: l.Op, line: l}
		switch l.Op {
		case OpBody:
			return nil, nil
		case OpUsage:
			usage = []act{a}
			continue
		case OpExpect, OpHeader, OpChunk, OpNewline, OpGate, OpDelay, OpPing, OpComment:
			continue // the same everywhere
		case OpHead, OpTail:
			a.none = l.N != 0
		case OpStop:
			written, a.reason = true, l.Values[0]
		case OpError, OpEOF, OpCut, OpReset, OpHang:
			if !stream && (l.Op != OpEOF || l.N == 0) {
				return append(acts, a), nil // nothing comes behind it
			}
		case OpText, OpThink, OpCall, OpCutText, OpCutThink, OpCutCall, OpServerCall, OpServerResult, OpRefusal, OpRaw, OpFrame:
		default:
			return nil, no(l, "`%s` is not known to the protocols", l.Op)
		}
		acts = append(acts, a)
	}
	if is.head {
		acts = slices.Insert(acts, 0, act{op: OpHead, line: top})
	}
	if is.stop || !stream && !written {
		at := slices.IndexFunc(acts, func(a act) bool { return a.op == OpTail })
		if at < 0 {
			at = len(acts)
		}
		acts = slices.Insert(acts, at, act{op: OpStop, line: top, reason: is.reason})
	}
	if is.tail {
		acts = append(acts, act{op: OpTail, line: top})
	}
	return append(usage, acts...), nil
}

// shortened reports whether the bytes of the first act are cut off again.
func shortened(acts []act) bool {
	return len(acts) > 1 && acts[1].op == OpEOF && acts[1].line.N > 0
}

// withheld reports whether nothing of an answer in one piece is ever sent: it would
// be sent when it is complete.
func withheld(acts []act) bool {
	last := &acts[len(acts)-1]
	return last.op == OpError || last.op.ending() && last.line.N == 0
}

// block reports whether the act says a block.
func (a *act) block() bool {
	switch a.op {
	case OpText, OpCutText, OpThink, OpCutThink, OpCall, OpCutCall, OpServerCall, OpServerResult:
		return true
	case OpRefusal:
		return a.line.Values[0] != ""
	}
	return false
}

// cut reports whether the act says a block that is never closed.
func (a *act) cut() bool { return a.op == OpCutText || a.op == OpCutThink || a.op == OpCutCall }

// empty reports whether all strings of the act are empty.
func (a *act) empty() bool { return strings.Join(a.line.Values, "") == "" }

// faint reports whether the act says a call that cannot be known before it is
// over: it lacks an id or a name, and has no byte of input.
func (a *act) faint() bool {
	return a.stream() == OpCall && (a.line.ID == "" || a.line.Name == "") && strings.Join(a.line.input(), "") == ""
}

// truncates reports whether a stop reason says that a limit cut the answer.
func truncates(reason string) bool {
	return reason == stopMax || reason == stopWindow || reason == "model_context_window_exceeded"
}

// silent reports whether a stop reason is none.
func silent(reason string) bool { return reason == stopNone || reason == "null" || reason == "" }

func no(l *Line, format string, args ...any) *lineError {
	return &lineError{l.Line, fmt.Sprintf(format, args...)}
}

// common finds what none of the protocols but Anthropic's has, and what is
// nowhere but in its own place.
func common(name string, acts []act, stream bool) *lineError {
	said, tailed := false, false
	for i := range acts {
		a := &acts[i]
		l := a.line
		if tailed && stream && !a.none && !l.Op.ending() {
			return no(l, "`%s` comes behind the event that ends the answer, where a reader of %s stops", a.op, name)
		}
		switch {
		case a.op == OpServerCall || a.op == OpServerResult:
			return no(l, "`%s`: %s has no such block for tools that the provider runs itself", a.op, name)
		case a.op == OpHead && !a.none && said && stream:
			return no(l, "`head` comes behind the answer's first words, and %s has no opening of its own to send there", name)
		case !stream && name != "gemini" && a.stream() == OpCall && strings.TrimSpace(wholeInput(l.input())) == "null":
			return no(l, "the input null is none at all in a message of anthropic, and a text like any other in %s", name)
		case a.op == OpTail && !a.none:
			tailed = true
		case a.op == OpStop && a.reason == stopPause:
			return no(l, "%s has no stop reason pause_turn; no answer of it is paused", name)
		}
		said = said || a.block() || a.op == OpStop
	}
	return nil
}

// cannot: an answer in one piece holds inputs as JSON.
func (anthropic) cannot(acts []act, _ bool) *lineError {
	for i := range acts {
		switch a := &acts[i]; a.op {
		case OpCall, OpCutCall, OpServerCall:
			if err := notJSON(a.line); err != nil {
				return err
			}
		}
	}
	return nil
}

// notJSON finds an input that an answer in one piece cannot hold as JSON.
func notJSON(l *Line) *lineError {
	input := wholeInput(l.input())
	if json.Valid([]byte(input)) {
		return nil
	}
	return no(l, "the request asks for one JSON message (stream is not true), and the input %s of call %s is not JSON: only a stream can carry it", clip(input), l.ID)
}

// isObject reports whether an input is a JSON object or array.
func isObject(input string) bool {
	s := strings.TrimLeft(input, " \t\r\n")
	return s != "" && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(input))
}
