package harness

import (
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// feed assembles events written as words: S message_start, T0 text block 0
// begins, C0:id a call, t0:x a piece of text, j0:x a piece of input, E0 block
// end, =reason the stop, X message_stop, !class an error event.
func feed(script string) *Turn {
	var a assembler
	ending, failure := Complete, (*providers.Error)(nil)
	for _, w := range strings.Fields(script) {
		var ev providers.Event
		idx := 0
		if len(w) > 1 && w[1] >= '0' && w[1] <= '9' {
			idx = int(w[1] - '0')
		}
		_, arg, _ := strings.Cut(w, ":")
		switch w[0] {
		case 'S':
			ev = providers.Event{Kind: providers.MessageStart}
		case 'T':
			ev = providers.Event{Kind: providers.BlockStart, Index: idx, Block: &providers.Block{Kind: providers.Text}}
		case 'C':
			ev = providers.Event{Kind: providers.BlockStart, Index: idx, Block: &providers.Block{Kind: providers.ToolCall, ID: arg, Name: "note"}}
		case 't':
			ev = providers.Event{Kind: providers.TextDelta, Index: idx, Text: arg}
		case 'j':
			ev = providers.Event{Kind: providers.InputDelta, Index: idx, Text: arg}
		case 'E':
			ev = providers.Event{Kind: providers.BlockStop, Index: idx}
		case '=':
			ev = providers.Event{Kind: providers.Stop, Text: w[1:]}
		case 'X':
			ev = providers.Event{Kind: providers.MessageStop}
		case '!':
			ev = providers.Event{Kind: providers.Failure, Err: &providers.Error{Class: providers.Class(w[1:])}}
		}
		if e := a.add(&ev); e != nil {
			ending, failure = Failed, e
			break
		}
		if a.ended {
			break
		}
	}
	return a.finish(ending, failure)
}

func TestEndings(t *testing.T) {
	for _, tc := range []struct {
		script string
		ending Ending
		calls  int
		class  providers.Class
	}{
		{"S T0 t0:hi E0 =end_turn X", Complete, 0, ""},
		{"S T0 t0:hi E0 =end_turn", Complete, 0, ""},                      // the missing tail is noted
		{"S T0 t0:hi E0", Cut, 0, providers.Cut},                          // no stop reason
		{"S", Cut, 0, providers.Cut},                                      // zeroclaw-labs/zeroclaw p8663
		{"", Cut, 0, providers.Cut},                                       // nothing at all
		{"S =tool_use C0:t1 j0:{} E0 X", Complete, 1, ""},                 // S000: the stop before its call
		{"S =tool_use C0:t1 j0:{} E0", Cut, 1, providers.Cut},             // the same, and the terminal event is missing
		{"S C0:t1 j0:{\"a =tool_use", Cut, 1, providers.Cut},              // a block is open
		{"S C0:t1 j0:{\"a =max_tokens X", Complete, 1, ""},                // truncation leaves it open, legally
		{"S T0 t0:a !overloaded", Failed, 0, providers.Overloaded},        // an error event ends the stream at once
		{"S T0 E0 T2 t2:x", Failed, 0, providers.Protocol},                // jundot/omlx#1353
		{"S E5", Failed, 0, providers.Protocol},                           //
		{"S t0:x", Failed, 0, providers.Protocol},                         //
		{"S T0 T0", Failed, 0, providers.Protocol},                        //
		{"S S", Failed, 0, providers.Protocol},                            //
		{"S T0 t0:a E0 T0 t0:b E0 =end_turn X", Complete, 0, ""},          // anthropics/anthropic-sdk-typescript#879
		{"S T0 C1:t1 t0:a j1:{} E1 t0:b E0 =tool_use X", Complete, 1, ""}, // interleaved
	} {
		got := feed(tc.script)
		class := providers.Class("")
		if got.Err != nil {
			class = got.Err.Class
		}
		if got.Ending != tc.ending || len(got.Calls) != tc.calls || class != tc.class {
			t.Errorf("%q: got %s with %d calls and class %q, want %s, %d, %q", tc.script, got.Ending, len(got.Calls), class, tc.ending, tc.calls, tc.class)
		}
	}
}

// Any legal interleaving of blocks gives the same turn (B1).
func TestInterleaving(t *testing.T) {
	a := feed("S T0 t0:a t0:b E0 C1:t1 j1:{\"x\": j1:1} E1 =tool_use X")
	b := feed("S T0 C1:t1 j1:{\"x\": t0:a j1:1} E1 t0:b E0 =tool_use X")
	for i := range a.Blocks {
		if !a.Blocks[i].Equal(&b.Blocks[i]) {
			t.Errorf("block %d: %+v and %+v", i, a.Blocks[i], b.Blocks[i])
		}
	}
	if a.Text != "ab" || a.Calls[0].Input != `{"x":1}` {
		t.Errorf("text %q, input %q", a.Text, a.Calls[0].Input)
	}
}

// Usage is cumulative: a later report replaces, a zero does not erase (E9).
func TestUsage(t *testing.T) {
	var a assembler
	for _, u := range []*providers.Usage{{In: 10, Out: 1}, {Out: 20}, nil, {Out: 30}} {
		a.add(&providers.Event{Kind: providers.UsageEvent, Usage: u})
	}
	if got := a.finish(Complete, nil).Usage; *got != (providers.Usage{In: 10, Out: 30}) {
		t.Errorf("usage is %+v", got)
	}
}
