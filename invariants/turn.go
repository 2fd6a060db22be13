package invariants

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/protocol"
)

// ending is what the bytes of an answer say about its end.
type ending uint8

const (
	// whole: the terminal event was delivered, or the bytes ended cleanly with
	// the stop reason behind the last block.
	whole ending = iota + 1
	// broken: neither, or an error event came first. No loop can have seen a
	// whole answer, because no loop saw more than was delivered.
	broken
	// unsure: the stream contradicts itself (an index that jumps, a second
	// message); loops may differ about it and are not judged by its end.
	unsure
)

// block is one content block of an answer.
type block struct {
	kind   providers.BlockKind
	id     string
	name   string
	buf    []byte // text, or a call's input
	closed bool
}

// turn is one answer as the wire log has it. It is this package's own reading:
// a rule that used the loop's assembler would share its mistakes.
type turn struct {
	blocks  []block
	stop    string
	firm    bool             // some stop reason came that leaves the last block whole
	done    bool             // the terminal event came
	failed  string           // an error event, or bytes that are not the protocol
	cause   *providers.Error // of failed, where it has a class
	odd     string           // what contradicts itself
	eof     bool             // the bytes ended cleanly
	endless bool             // the protocol has no terminal event
	tail    bool             // a stop reason has come, and no block began or ended since
	open    map[int]int
	next    int // the index that a new block must have
	begun   bool
}

// readTurn reads the answer of one exchange; nil when there is none: nothing
// came, or an HTTP error did.
func readTurn(x *evidence.Exchange) *turn {
	if x.Status/100 != 2 {
		return nil
	}
	wire := protocol.Of(x.Path)
	if wire == nil {
		return nil
	}
	t := &turn{open: map[int]int{}, eof: x.Ending == "eof", endless: wire.Endless}
	if isJSON(x.Reply) {
		events, err := wire.DecodeMessage(x.Reply)
		for i := range events {
			t.add(&events[i])
		}
		t.ended(err)
		return t
	}
	dec := wire.Decoder(bytes.NewReader(x.Reply))
	for !t.done && t.failed == "" {
		ev, err := dec.Next()
		if err != nil {
			t.ended(err)
			break
		}
		t.add(&ev)
	}
	return t
}

// isJSON tells a whole message from a stream of events.
func isJSON(reply []byte) bool {
	b := bytes.TrimSpace(reply)
	return len(b) > 0 && b[0] == '{'
}

func (t *turn) ended(err error) {
	if err != nil && err != io.EOF && !t.done && t.failed == "" {
		t.failed = err.Error()
		errors.As(err, &t.cause)
	}
}

func (t *turn) add(ev *providers.Event) {
	contradiction := func(what string) {
		if t.odd == "" {
			t.odd = what
		}
	}
	switch ev.Kind {
	case providers.MessageStart:
		if t.begun {
			contradiction("a second message began")
		}
		t.begun = true
	case providers.BlockStart:
		if _, ok := t.open[ev.Index]; ok || ev.Index > t.next {
			contradiction("a block began where another one was due")
		}
		t.next = max(t.next, ev.Index+1)
		t.open[ev.Index] = len(t.blocks)
		b := block{kind: ev.Block.Kind, id: ev.Block.ID, name: ev.Block.Name, buf: []byte(ev.Block.Text)}
		if b.kind == providers.ToolCall || b.kind == providers.ServerCall {
			b.buf = []byte(ev.Block.Input)
		}
		t.blocks = append(t.blocks, b)
		t.tail = false
	case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta:
		if at, ok := t.open[ev.Index]; ok {
			t.blocks[at].buf = append(t.blocks[at].buf, ev.Text...)
		} else {
			contradiction("a piece came for a block that was not open")
		}
	case providers.SignatureDelta:
		if _, ok := t.open[ev.Index]; !ok {
			contradiction("a signature came for a block that was not open")
		}
	case providers.BlockStop:
		if at, ok := t.open[ev.Index]; ok {
			t.blocks[at].closed = true
			delete(t.open, ev.Index)
		} else {
			contradiction("a block ended that was not open")
		}
		t.tail = false
	case providers.Stop:
		t.firm = t.firm || ev.Text != "" && !truncatedStop(ev.Text)
		t.stop = ev.Text
		t.tail = true
	case providers.MessageStop:
		t.done = t.eof || !t.endless // the bytes as they lie here end cleanly; on the wire they may not have
	case providers.Failure:
		t.failed, t.cause = ev.Err.Error(), ev.Err
	}
}

func (t *turn) ending() ending {
	switch {
	case t.odd != "":
		return unsure
	case t.failed != "":
		return broken
	case t.done, t.eof && t.tail && len(t.open) == 0:
		return whole
	}
	return broken
}

// text is the answer's visible text.
func (t *turn) text() string {
	var b strings.Builder
	for i := range t.blocks {
		if t.blocks[i].kind == providers.Text {
			b.Write(t.blocks[i].buf)
		}
	}
	return b.String()
}

// truncated reports whether a token limit cut the answer.
func (t *turn) truncated() bool { return truncatedStop(t.stop) }

func truncatedStop(stop string) bool {
	return stop == "max_tokens" || stop == "model_context_window_exceeded"
}

// disowned reports whether the provider says that what it called is malformed.
func disowned(stop string) bool {
	return strings.Contains(stop, "MALFORMED_FUNCTION_CALL") || strings.Contains(stop, "UNEXPECTED_TOOL_CALL")
}

// over reports whether the stop reason says that the answer is over and whole:
// tool_use does where the provider ran all that was called.
func (t *turn) over() bool {
	blocks := make([]providers.Block, len(t.blocks))
	for i := range t.blocks {
		blocks[i] = providers.Block{Kind: t.blocks[i].kind, ID: t.blocks[i].id}
	}
	return over(t.stop, blocks)
}

func over(stop string, blocks []providers.Block) bool {
	if stop != "tool_use" {
		return goodStops[stop]
	}
	served, open := false, map[string]bool{}
	for i := range blocks {
		switch b := &blocks[i]; b.Kind {
		case providers.ToolCall:
			return false
		case providers.ServerCall:
			served, open[b.ID] = true, true
		case providers.ServerResult:
			delete(open, b.ID)
		}
	}
	return served && len(open) == 0
}

// wireCall is one client-side call of an answer.
type wireCall struct {
	block int // position
	id    string
	name  string
	input string
	// closed: its block was closed. complete: closed, one strict JSON object,
	// not the last block of an answer that a token limit cut, and not one that the
	// provider itself calls malformed.
	closed   bool
	complete bool
	// same is the position, among the calls, of an earlier one with the same id; -1: none.
	same int
}

func (t *turn) calls() []wireCall {
	var list []wireCall
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.kind != providers.ToolCall {
			continue
		}
		k := wireCall{block: i, id: b.id, name: b.name, input: string(b.buf), closed: b.closed, same: -1}
		k.complete = b.closed && isObject(k.input) && !(t.truncated() && i == len(t.blocks)-1) && !disowned(t.stop)
		for j := range list {
			if list[j].id == k.id && k.id != "" {
				k.same = j
				break
			}
		}
		list = append(list, k)
	}
	return list
}

// isObject reports whether a closed call's bytes are exactly one JSON object:
// no duplicate names, valid UTF-8, nothing behind it. No bytes at all stand for
// the empty object (anthropics/anthropic-sdk-java p295).
func isObject(input string) bool {
	v := jsontext.Value(strings.TrimSpace(input))
	return len(v) == 0 || v[0] == '{' && v.IsValid()
}

// sameInput compares two inputs as JSON: spelling and the order of names do
// not matter, and nothing equals {}.
func sameInput(a, b string) bool {
	if a == b {
		return true
	}
	return canonical(a) == canonical(b)
}

func canonical(input string) string {
	v := jsontext.Value(strings.TrimSpace(input))
	if len(v) == 0 {
		return "{}"
	}
	v = v.Clone()
	if err := v.Canonicalize(); err != nil {
		return input
	}
	return string(v)
}
