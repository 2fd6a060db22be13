package fake

import (
	"regexp"
	"time"

	"github.com/harnessbench/bench/providers"
)

// Script is a parsed reply script: variables replaced, guards decided.
type Script struct {
	Name string // as given to Parse; places in findings begin with it
	// Protocol is the one that frames, raw bytes and expectations of wire.P are
	// written for; "" is anthropic.
	Protocol string
	Window   *Window
	Replies  []*Reply
}

// Window refuses requests that are larger than a model's context window
// (Tokens) or than the API takes at all (Body, bytes). 0 is no limit.
type Window struct {
	Line   int
	Tokens int
	Body   int64
}

// Reply is one reply of a script: what one request is answered with.
type Reply struct {
	Line       int
	Lane       string // one of Lanes
	Status     int    // 0: 200
	Type       string // the provider's error type, for an error status
	Message    string // its message
	Min, Max   int    // repetitions: Min of them are required
	RetryAfter string // the header's value, "" for none
	Lines      []Line
}

// Line is one indented line of a reply. The fields that matter depend on Op.
type Line struct {
	Line   int
	Op     Op
	ID     string   // call, cut-call, server-call, server-result
	Name   string   // call, cut-call, server-call: the tool; header: its name; gate: its name
	Values []string // the strings, each one delta; one string for the other lines
	JSON   string   // call, cut-call, server-call, server-result, frame: JSON as written, in place of Values
	Sig    string   // think: the signature, when HasSig
	HasSig bool
	N      int           // eof: short; chunk: the size or the place
	D      time.Duration // delay, hang (0: until the client goes)
	Usage  providers.Usage
	Expect *Expect
	After  time.Duration // the line waits so long before each repetition
	Times  int           // 0 and 1: once
}

// Expect is one expectation about a request.
type Expect struct {
	Path  string
	Cmp   string
	Value string
	re    *regexp.Regexp
}

// Op is the word that a line of a reply begins with.
type Op string

// The closed list of lines. A test holds that the parser, the printer and the
// compiler know each of them.
const (
	OpExpect       Op = "expect"
	OpText         Op = "text"
	OpThink        Op = "think"
	OpCall         Op = "call"
	OpCutText      Op = "cut-text"
	OpCutThink     Op = "cut-think"
	OpCutCall      Op = "cut-call"
	OpServerCall   Op = "server-call"
	OpServerResult Op = "server-result"
	OpStop         Op = "stop"
	OpUsage        Op = "usage"
	OpPing         Op = "ping"
	OpComment      Op = "comment"
	OpError        Op = "error"
	OpRefusal      Op = "refusal"
	OpRaw          Op = "raw"
	OpFrame        Op = "frame"
	OpHeader       Op = "header"
	OpBody         Op = "body"
	OpHead         Op = "head"
	OpTail         Op = "tail"
	OpEOF          Op = "eof"
	OpCut          Op = "cut"
	OpReset        Op = "reset"
	OpHang         Op = "hang"
	OpChunk        Op = "chunk"
	OpNewline      Op = "newline"
	OpGate         Op = "gate"
	OpDelay        Op = "delay"
)

// ending reports whether the line says how the connection ends.
func (o Op) ending() bool {
	switch o {
	case OpEOF, OpCut, OpReset, OpHang:
		return true
	}
	return false
}

// Lanes returns the kinds of request a script can answer.
func Lanes() []string {
	return []string{
		providers.LaneMain, providers.LaneSummary, providers.LaneJudge,
		providers.LaneTitle, providers.LaneMemory, providers.LaneProbe,
	}
}

// Gates returns the names of the script's gates, each once, in order.
func (s *Script) Gates() []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range s.Replies {
		for _, l := range r.Lines {
			if l.Op == OpGate && !seen[l.Name] {
				seen[l.Name] = true
				names = append(names, l.Name)
			}
		}
	}
	return names
}

// times is how often the line is written.
func (l *Line) times() int { return max(1, l.Times) }
