package harness

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// Ending is how a stream ended.
type Ending string

// The endings.
const (
	Complete Ending = "complete" // terminal event seen, or a clean end with the stop reason behind the last block's end
	Cut      Ending = "cut"      // anything that ended earlier
	Failed   Ending = "failed"   // an error: of HTTP, or an event in the stream
	Idle     Ending = "idle"     // no byte, or no event, within its limit
	Aborted  Ending = "aborted"  // our own context ended
)

// Turn is one answer, parsed once (A3): decision, records and execution read
// this value, and nobody reads the stream again.
type Turn struct {
	Blocks    []providers.Block
	Calls     []Call
	Text      string
	Stop      string // raw stop reason
	HasStop   bool
	Ending    Ending
	Err       *providers.Error // Cut, Failed, Idle
	Usage     *providers.Usage
	Anomalies []Anomaly
	TextCall  string // the tool that a final answer calls in words alone (N3); "" for none
	Said      bool   // it continues a paused answer that said something: so it may end without a word
}

// Call is one client-side call of a turn.
type Call struct {
	Block   int // position in Turn.Blocks
	ID      string
	Name    string
	Input   string // raw bytes
	Open    bool   // its block never closed
	Verdict Verdict
}

// Verdict says whether a call runs: Code is "" when it does.
type Verdict struct {
	Code string // of Refusals, or Merged: no call of its own
	Text string // what the model is told
}

// Merged marks the second of two equal calls with one id: it is no call at all.
const Merged = "merged"

// Anomaly is something illegal in a stream that was survived.
type Anomaly struct{ Code, Text string }

// Truncated reports whether the answer was cut by a token limit, so that its
// last block cannot be trusted even if it parses (jaseci-labs/jac p6766).
func (t *Turn) Truncated() bool {
	return t.Stop == "max_tokens" || t.Stop == "model_context_window_exceeded"
}

// Empty reports whether the answer, with the paused parts that it continues,
// says and does nothing: no call, no text but white space. Thinking alone is
// nothing said (B5).
func (t *Turn) Empty() bool {
	return len(t.Calls) == 0 && !t.Said && strings.TrimSpace(t.Text) == ""
}

// Over reports whether the stop reason says that the answer is over and whole.
// tool_use is true of calls that the provider ran itself, too: with all of them
// answered and none of ours, nothing is left to be done (vercel/ai p8502).
func (t *Turn) Over() bool {
	switch t.Stop {
	case "end_turn", "stop_sequence":
		return true
	case "tool_use":
		return len(t.Calls) == 0 && served(t.Blocks)
	}
	return false
}

// served reports whether there are calls that the provider ran, each answered.
func served(blocks []providers.Block) bool {
	any, open := false, map[string]bool{}
	for i := range blocks {
		switch b := &blocks[i]; b.Kind {
		case providers.ServerCall:
			any, open[b.ID] = true, true
		case providers.ServerResult:
			delete(open, b.ID)
		}
	}
	return any && len(open) == 0
}

// Disowned reports whether the provider itself says that what the answer calls
// is malformed: none of its calls is one, even if it parses
// (pydantic/pydantic-ai#631). Some servers put words of their own in front
// (coder/coder p28470).
func (t *Turn) Disowned() bool {
	return strings.Contains(t.Stop, "MALFORMED_FUNCTION_CALL") || strings.Contains(t.Stop, "UNEXPECTED_TOOL_CALL")
}

// Final reports whether the answer is whole, says something, and asks for nothing
// more: whether it may end the run is for the gates to say.
func (t *Turn) Final() bool {
	return t.Ending == Complete && len(t.Calls) == 0 && t.Over() && !t.Empty()
}

// assembler folds events into a Turn. It never re-orders and never repairs.
type assembler struct {
	turn  Turn
	bufs  [][]byte    // text or input so far, by block
	sigs  [][]byte    // signatures so far, by block
	open  map[int]int // provider's index -> position of the block that is open there
	next  int         // the index a new block must have
	tail  bool        // a stop reason has come, and no block began or ended since
	ended bool        // the terminal event was seen
	begun bool        // message_start was seen
}

func broken(f string, a ...any) *providers.Error {
	return &providers.Error{Class: providers.Protocol, InStream: true, Message: fmt.Sprintf(f, a...)}
}

// add folds one event; an error is the end of the stream.
func (a *assembler) add(ev *providers.Event) *providers.Error {
	switch ev.Kind {
	case providers.MessageStart:
		if a.begun {
			return broken("a second message began inside the first; one stream holds one message")
		}
		a.begun = true
		a.usage(ev.Usage)
	case providers.BlockStart:
		if at, ok := a.open[ev.Index]; ok {
			return broken("block %d began again before it ended (block %d of the answer)", ev.Index, at)
		}
		if ev.Index > a.next {
			return broken("block %d began where block %d was next; a block is missing", ev.Index, a.next)
		}
		if ev.Index < a.next { // an index used twice, one after the other (anthropics/anthropic-sdk-typescript#879)
			a.note("index_reused", "block index %d was used twice", ev.Index)
		}
		a.next = max(a.next, ev.Index+1)
		if a.open == nil {
			a.open = map[int]int{}
		}
		a.open[ev.Index] = len(a.turn.Blocks)
		b := *ev.Block
		b.Open = true
		text := b.Text
		if b.Kind == providers.ToolCall || b.Kind == providers.ServerCall {
			text = b.Input
		}
		a.turn.Blocks = append(a.turn.Blocks, b)
		a.bufs = append(a.bufs, []byte(text))
		a.sigs = append(a.sigs, []byte(b.Signature))
		a.tail = false
	case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta, providers.SignatureDelta:
		at, ok := a.open[ev.Index]
		if !ok {
			return broken("a piece of block %d came, but no such block is open", ev.Index)
		}
		if ev.Kind == providers.SignatureDelta {
			a.sigs[at] = append(a.sigs[at], ev.Text...)
		} else {
			a.bufs[at] = append(a.bufs[at], ev.Text...)
		}
	case providers.BlockStop:
		at, ok := a.open[ev.Index]
		if !ok {
			return broken("block %d ended, but no such block is open", ev.Index)
		}
		delete(a.open, ev.Index)
		a.turn.Blocks[at].Open = false
		// The stop reason may come first (S000); only one that comes in or
		// after the event that closes the last block makes a clean end enough.
		a.tail = false
	case providers.Stop:
		if a.turn.HasStop && a.turn.Stop != ev.Text {
			a.note("stop_changed", "the stop reason changed from %q to %q", a.turn.Stop, ev.Text)
		}
		a.turn.Stop, a.turn.HasStop = ev.Text, true
		a.tail = true
		a.usage(ev.Usage)
	case providers.UsageEvent:
		a.usage(ev.Usage)
	case providers.MessageStop:
		a.ended = true
	case providers.Failure:
		return ev.Err
	}
	return nil
}

func (a *assembler) note(code, f string, args ...any) {
	a.turn.Anomalies = append(a.turn.Anomalies, Anomaly{code, fmt.Sprintf(f, args...)})
}

// usage folds a cumulative report: a later value replaces an earlier one (E9).
func (a *assembler) usage(u *providers.Usage) {
	if u == nil {
		return
	}
	if a.turn.Usage == nil {
		a.turn.Usage = &providers.Usage{}
	}
	for _, f := range []struct{ to, from *int }{
		{&a.turn.Usage.In, &u.In}, {&a.turn.Usage.Out, &u.Out},
		{&a.turn.Usage.CacheRead, &u.CacheRead}, {&a.turn.Usage.CacheWrite, &u.CacheWrite},
	} {
		if *f.from != 0 {
			*f.to = *f.from
		}
	}
}

// finish ends the turn. err is what ended the stream: nil for the end of the
// bytes or the terminal event.
func (a *assembler) finish(ending Ending, err *providers.Error) *Turn {
	t := &a.turn
	for i := range t.Blocks {
		b := &t.Blocks[i]
		switch b.Kind {
		case providers.ToolCall, providers.ServerCall:
			b.Input = string(a.bufs[i])
		case providers.Text, providers.Thinking:
			b.Text = string(a.bufs[i])
		}
		b.Signature = string(a.sigs[i])
	}
	t.Ending, t.Err = ending, err
	if ending == Complete && !a.ended {
		if a.tail && len(a.open) == 0 {
			a.note("no_terminal_event", "the stream ended without its terminal event; the stop reason had come last")
		} else {
			t.Ending = Cut
			t.Err = &providers.Error{Class: providers.Cut, InStream: true, Message: "the stream ended before the answer did"}
		}
	}
	t.parse()
	return t
}

// parse derives text and calls from the blocks.
func (t *Turn) parse() {
	t.Text = providers.TextOf(t.Blocks)
	for i := range t.Blocks {
		if b := &t.Blocks[i]; b.Kind == providers.ToolCall {
			t.Calls = append(t.Calls, Call{Block: i, ID: b.ID, Name: b.Name, Input: b.Input, Open: b.Open})
		}
	}
}

// Admit judges whether call i of a turn may run (stop/complete-only): closed,
// strictly valid, schema-valid, not the last block of a truncated answer, not
// a second call under one id. Truncation outranks every other fault. It reads
// the calls up to i, and none behind it.
func Admit(t *Turn, i int, reg *tools.Registry) Verdict {
	c := &t.Calls[i]
	last := c.Block == len(t.Blocks)-1
	switch first := sameID(t.Calls[:i], c.ID); {
	case t.Stop == "refusal":
		return Verdict{refusedAnswer, "This call was not run: the answer that made it was a refusal."}
	case c.Open || t.Truncated() && last:
		return Verdict{refusedCut, fmt.Sprintf("This call was cut off before its input was complete, so it was not run. The input began: %s. Make the call again, with a shorter input if need be.", quote(c.Input))}
	case first >= 0 && t.Calls[first].Name == c.Name && sameInput(t.Calls[first].Input, c.Input):
		return Verdict{Merged, ""}
	case first >= 0:
		return Verdict{refusedDuplicate, fmt.Sprintf("This call was not run: its id %q was already used by another call of the same answer. Make the call again under a new id.", c.ID)}
	}
	if r := reg.Validate(c.Name, tools.Closed([]byte(c.Input))); r != nil {
		return Verdict{r.Code, r.Sentence}
	}
	return Verdict{}
}

func sameID(calls []Call, id string) int {
	if id == "" {
		return -1
	}
	for i := range calls {
		if calls[i].ID == id {
			return i
		}
	}
	return -1
}

// quote shows raw bytes in a sentence, bounded.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("%q and %d bytes more", s[:most], len(s)-most)
	}
	return fmt.Sprintf("%q", s)
}

// sameInput compares two inputs as JSON where both are, else as bytes.
func sameInput(a, b string) bool {
	if a == b {
		return true
	}
	if x, plain := weight(a); plain {
		if y, plain := weight(b); plain && x != y {
			return false
		}
	}
	x, y := jsontext.Value(a), jsontext.Value(b)
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}

// weight is the same for two spellings of one input that differ in the order of
// keys and in white space: it saves canonicalising most that differ. It says
// nothing of an input that is not plain: with escapes, or numbers that can be
// spelled in another way.
func weight(s string) (n int, plain bool) {
	for i := range len(s) {
		c := s[i]
		if c > ' ' {
			n += int(c) * int(c)
		}
		digit := i > 0 && s[i-1] >= '0' && s[i-1] <= '9'
		if c == '\\' || digit && (c == '.' || c == 'e' || c == 'E') || c == '0' && i > 0 && s[i-1] == '-' {
			return 0, false
		}
	}
	return n, true
}
