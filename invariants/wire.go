package invariants

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/protocol"
)

func wireRules() []Rule {
	return []Rule{
		{
			Name: "wire/legal", Group: "wire", Strength: Must,
			Summary: "Every request is one that the real API accepts: each call answered once, directly and in the next message, no result without its call, roles in turn, ids unique, nothing empty, max_tokens set. " +
				"In the model's place it shows what committed answers said, and nothing of an attempt that was discarded.",
			Why:     "One illegal message stays in the history, and from then on every request of the session is refused (A10, B3, J6; field report law 1).",
			Reports: []string{"anthropics/claude-code#3003", "anthropics/claude-code#31328", "rescrv/claudius#106", "charmbracelet/crush#3109", "anthropics/claude-code#28515"},
			Example: "A call is interrupted, nothing is recorded for it, and the next prompt goes out behind an unanswered call.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Check:   legal,
		},
		{
			Name: "wire/split-blind", Group: "wire", Strength: Must,
			Summary: "The same bytes in any chunking give the same answer: the reply decodes alike whole, byte by byte and at random splits, and the answer that the loop committed is the one that these bytes hold.",
			Why:     "Networks cut where they like: inside a character, between CR and LF, inside an escape. A reader that minds shows what the model did not say (B1; field report law 9).",
			Reports: []string{"musistudio/claude-code-router#1672", "Effect-TS/effect#7670", "a2aproject/a2a-js#714", "hey-api/hey-api#3054"},
			Example: "A character of three bytes arrives in two chunks, and the text of the answer holds two replacement characters.",
			Needs:   []evidence.Kind{evidence.KindWire},
			Check:   splitBlind,
		},
	}
}

// legal asks for each request whether the real API would take it.
func legal(c *Case) []Finding {
	var out []Finding
	for _, x := range c.exchanges {
		wire := x.wire
		if wire == nil {
			continue
		}
		proof := c.opts.Memo.proof("legal "+wire.Name, x.Body)
		if proof.known() {
			continue
		}
		if why := c.refusal(wire.Name, x.Body); why != "" {
			where, around := request(x)
			out = append(out, found(where, around, "request %d (%s lane) is illegal: %s", x.N, laneOf(x), why))
		} else if c.ev.Has(evidence.KindTranscript) { // otherwise more is allowed
			proof.keep()
		}
	}
	return append(out, c.sentDiscarded()...)
}

func laneOf(x *exchange) string {
	if x.Lane == "" {
		return providers.LaneMain
	}
	return x.Lane
}

// splitBlind decodes each streamed reply in several chunkings and compares,
// then compares the loop's committed answers with this package's own reading.
func splitBlind(c *Case) []Finding {
	var out []Finding
	memo := c.opts.Memo
	if memo == nil {
		memo = NewMemo() // within one evidence the same bytes often come again
	}
	for _, x := range c.exchanges {
		wire := x.wire
		if x.Status/100 != 2 || len(x.Reply) == 0 || isJSON(x.Reply) || wire == nil {
			continue
		}
		proof := memo.proof("split "+wire.Name, x.Reply)
		if proof.known() {
			continue
		}
		if how, what := splits(x.Reply, wire.Decoder); how != "" {
			where, around := reply(x)
			out = append(out, found(where, around, "the reply of exchange %d decodes to other events %s than whole: %s", x.N, how, what))
		} else {
			proof.keep()
		}
	}
	for _, a := range c.attempts {
		if a.assistant < 0 || c.given(a.assistant) {
			continue
		}
		if t := a.turn(); t != nil && t.ending() == whole {
			if what := differs(t, c.recs[a.assistant].Blocks); what != "" {
				where, around := c.record(a.assistant)
				out = append(out, found(where, around, "the answer committed for %s is not what its bytes say: %s", a.id, what))
			}
		}
	}
	return out
}

// splits compares chunkings of one reply: whole against byte by byte, and
// against random pieces that the bytes themselves seed.
func splits(reply []byte, open func(io.Reader) protocol.Stream) (how, what string) {
	dec := open(bytes.NewReader(reply))
	want := decode(dec)
	again := func(r io.Reader) protocol.Stream { // one decoder serves all readings, if it can
		if d, ok := dec.(interface{ Reset(io.Reader) }); ok {
			d.Reset(r)
			return dec
		}
		return open(r)
	}
	rng := rand.New(rand.NewPCG(uint64(len(reply)), uint64(reply[len(reply)-1])))
	if d := want.difference(again(&bytewise{b: reply})); d != "" {
		return "byte by byte", d
	}
	if d := want.difference(again(&pieces{reply, func() int { return 1 + rng.IntN(1+rng.IntN(100)) }})); d != "" {
		return "in random pieces", d
	}
	return "", ""
}

// bytewise is a reader that returns one byte at a time.
type bytewise struct {
	b  []byte
	at int
}

func (r *bytewise) Read(b []byte) (int, error) {
	if r.at == len(r.b) {
		return 0, io.EOF
	}
	if len(b) == 0 {
		return 0, nil
	}
	b[0] = r.b[r.at]
	r.at++
	return 1, nil
}

// pieces is a reader that returns the next piece of at most size() bytes.
type pieces struct {
	b    []byte
	size func() int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.b[:min(p.size(), len(p.b))])
	p.b = p.b[n:]
	return n, nil
}

// decoded is a reply as a list of events and the error behind them.
type decoded struct {
	events []providers.Event
	err    string
}

func decode(dec protocol.Stream) decoded {
	var d decoded
	for {
		ev, err := dec.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				d.err = err.Error()
			}
			return d
		}
		d.events = append(d.events, ev)
	}
}

// difference reads dec and names the first difference; "" when there is none.
func (d decoded) difference(dec protocol.Stream) string {
	for i := 0; ; i++ {
		ev, err := dec.Next()
		if err != nil {
			end := ""
			if !errors.Is(err, io.EOF) {
				end = err.Error()
			}
			switch {
			case i != len(d.events):
				return fmt.Sprintf("%d events, not %d", i, len(d.events))
			case end != d.err:
				return fmt.Sprintf("the end is %q, not %q", end, d.err)
			}
			return ""
		}
		if i >= len(d.events) {
			return fmt.Sprintf("event %d is %s, not the end", i+1, eventText(&ev))
		}
		if !sameEvent(&d.events[i], &ev) {
			return fmt.Sprintf("event %d is %s, not %s", i+1, eventText(&ev), eventText(&d.events[i]))
		}
	}
}

func sameEvent(a, b *providers.Event) bool {
	return a.Kind == b.Kind && a.Index == b.Index && a.Text == b.Text && a.ID == b.ID && a.Model == b.Model &&
		sameBlock(a.Block, b.Block) && sameUsage(a.Usage, b.Usage) &&
		(a.Err == nil) == (b.Err == nil) && (a.Err == nil || reflect.DeepEqual(a.Err, b.Err))
}

func sameBlock(a, b *providers.Block) bool {
	return a == b || a != nil && b != nil && a.Equal(b)
}

func sameUsage(a, b *providers.Usage) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func eventText(e *providers.Event) string {
	out := fmt.Sprintf("kind %d of block %d", e.Kind, e.Index)
	if e.Text != "" {
		out += " " + quoted(e.Text)
	}
	return out
}

// differs compares an answer on the wire with committed blocks: the visible
// text, and the calls with their bytes.
func differs(t *turn, blocks []providers.Block) string {
	var text strings.Builder
	var calls []providers.Block
	for _, b := range blocks {
		switch b.Kind {
		case providers.Text:
			text.WriteString(b.Text)
		case providers.ToolCall:
			calls = append(calls, b)
		}
	}
	if got, want := text.String(), t.text(); got != want {
		return "the text is " + around(got, want) + ", not " + around(want, got)
	}
	want := t.calls()
	if len(want) != len(calls) {
		return fmt.Sprintf("%d calls are committed, the bytes hold %d", len(calls), len(want))
	}
	for i, w := range want {
		b := &calls[i]
		if b.ID != w.id || b.Name != w.name || b.Input != w.input && !(emptyObject(b.Input) && emptyObject(w.input)) {
			return fmt.Sprintf("call %d is %s %s %s, not %s %s %s", i+1, word(b.ID), word(b.Name), raw(b.Input), word(w.id), word(w.name), raw(w.input))
		}
	}
	return ""
}

// around quotes a around the first place where it differs from b.
func around(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-20)
	out := quoted(a[from:])
	if from > 0 {
		out = "..." + out
	}
	return out
}
