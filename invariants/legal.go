package invariants

import (
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/fake"
)

// refusal is the sentence with which the API of that protocol would refuse a
// request; "" when it would not. What is legal is decided in one place, the
// fake's, and checked against recordings there. What the real API takes but a
// loop of ours must not send is held against a loop that keeps a transcript,
// not against a foreign agent.
func (c *Case) refusal(wire string, body []byte) string {
	switch r := fake.CheckRequest(wire, body); {
	case r == nil:
		return ""
	case r.Level != fake.Strict:
		return "the API answers " + r.Error()
	case c.ev.Has(evidence.KindTranscript):
		return "the API takes it today, but " + r.Message
	}
	return ""
}

// sentDiscarded finds a request that shows, in the model's place, what no
// committed answer said: words or calls of an attempt that was discarded (B3).
// Nothing is decoded where nothing was discarded that says anything.
func (c *Case) sentDiscarded() []Finding {
	if !c.ev.Has(evidence.KindTranscript) || c.lost(evidence.KindTranscript) {
		return nil
	}
	from := -1 // the first discard of something
	for _, a := range c.attempts {
		if a.main() && a.assistant < 0 && a.discarded >= 0 && (from < 0 || a.discarded < from) {
			if t := a.turn(); len(a.calls) > 0 || t != nil && len(t.blocks) > 0 {
				from = a.discarded
			}
		}
	}
	if from < 0 {
		return nil
	}
	committed := map[string]int{}
	renamed := 0 // committed calls that go back under a name of the loop's choice
	next := 0    // the first record that is not counted yet
	for _, x := range c.exchanges {
		a := c.attemptBy[x.Attempt]
		if !x.main() || a == nil || a.rec < from {
			continue
		}
		for ; next < a.rec; next++ {
			for i := range c.recs[next].Blocks {
				b := &c.recs[next].Blocks[i]
				if b.Kind == providers.ToolCall && !namesATool(b.Name) {
					renamed++
				} else if key := spoken(b); key != "" {
					committed[key]++
				}
			}
		}
		req := x.question()
		if req == nil {
			continue
		}
		said, free := map[string]int{}, renamed
		for _, m := range req.Messages {
			for i := range m.Blocks {
				key := spoken(&m.Blocks[i])
				if m.Role != providers.Assistant || key == "" {
					continue
				}
				switch said[key]++; {
				case said[key] <= committed[key]:
				case m.Blocks[i].Kind == providers.ToolCall && free > 0:
					free--
				default:
					where, around := request(x)
					return []Finding{found(where, around, "request %d shows %s as the model's words, which no committed answer holds: what was discarded is never sent", x.N, quoted(key))}
				}
			}
		}
	}
	return nil
}

// spoken is a block of the model's by what it says; "" where it says nothing
// that a request must take from an answer as it was.
func spoken(b *providers.Block) string {
	switch b.Kind {
	case providers.Text:
		return strings.TrimSpace(onWire(b.Text))
	case providers.ToolCall:
		if !isObject(b.Input) {
			return b.Name + " {}" // such input goes as the empty object
		}
		return b.Name + " " + canonical(onWire(b.Input))
	}
	return ""
}
