package invariants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/protocol"
)

// said is one thing of a conversation: a text, a call, a result. A conversation
// as the records have it and as a request has it are both lists of them.
type said struct {
	role  providers.Role
	block providers.Block
	call  string // ours, where known
	// since is the record from which on the thing is part of the history.
	since int
	// may: a request may leave it out, because the API does not take it or
	// because it says nothing.
	may bool
}

// prefix compares what resumed lives ask with what the records say.
func prefix(c *Case) []Finding {
	out := c.cutDurable()
	var history []said
	boundary := len(c.recs)
	for _, x := range c.exchanges {
		if x.Life < 2 || !x.main() {
			continue
		}
		a := c.attemptBy[x.Attempt]
		if a == nil || a.rec < 0 || x.Attempt == "" {
			continue
		}
		if history == nil {
			history, boundary = c.history(x)
		}
		if a.rec > boundary {
			continue // behind a compaction a request is a projection
		}
		req := x.question()
		if req == nil {
			continue // wire/legal says so
		}
		if lost := missing(history, a.rec, req.Messages); lost != nil {
			where, around := c.record(lost.since)
			_, asked := request(x)
			out = append(out, found(where, append(around, asked...), "exchange %d of life %d does not begin with the conversation that was durable before: %s (record %d) is gone or changed", x.N, x.Life, lost.named(), c.recs[lost.since].Seq))
			break // the later requests of the session lack it too
		}
	}
	return out
}

// cutDurable looks for truncations of what was durable and acted upon: shown,
// or followed by a request or a tool. An open that died while it repaired a torn
// tail may have its own notes cut off and written again by the next one; nobody
// has seen them.
func (c *Case) cutDurable() []Finding {
	var disk durable
	acted := int64(0)
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		switch s.Kind {
		case evidence.StepPublish, evidence.StepRequest, evidence.StepToolStart:
			acted = disk.transcript
		case evidence.StepTruncate:
			if isFile(s.File, evidence.TranscriptFile) && s.Len < acted {
				where, around := c.step(i)
				return []Finding{found(where, around, "the transcript was cut to %d bytes, though %d were durable and acted upon: only an unterminated tail may be cut off", s.Len, acted)}
			}
		}
		disk.step(s)
	}
	return nil
}

// history is the conversation that the records hold, in the order in which a
// request must show it, and the index of the first compaction.
func (c *Case) history(x *exchange) ([]said, int) {
	list := []said{}
	boundary := len(c.recs)
	// Another model takes no thinking that it did not sign, whichever run it was in.
	fallback := false
	for i := range c.recs {
		fallback = fallback || c.recs[i].Kind == journal.KindTransition && c.recs[i].Reason == "model_fallback"
	}
	for i := range c.recs {
		r := &c.recs[i]
		switch r.Kind {
		case journal.KindBoundary:
			boundary = min(boundary, i)
		case journal.KindTransition:
			if r.Text != "" { // what the loop says in the user's place
				list = append(list, said{role: providers.User, block: providers.Block{Kind: providers.Text, Text: r.Text}, since: i, may: blank(r.Text)})
			}
		case journal.KindUser:
			list = append(list, said{role: providers.User, block: providers.Block{Kind: providers.Text, Text: r.Text}, since: i, may: blank(r.Text)})
		case journal.KindAssistant:
			if r.Stop == "refusal" {
				break // sent back, it would be refused again (microsoft/amplifier#327)
			}
			answer := c.answer(i, fallback)
			if w := x.wire; w != nil && w.Name == protocol.Chat {
				slices.SortStableFunc(answer, callsLast) // that a text stood behind a call cannot be said there
			}
			list = append(list, answer...)
		}
	}
	return list, boundary
}

// callsLast puts what an answer said before what it called, and results behind.
func callsLast(a, b said) int {
	rank := func(s said) int {
		switch s.block.Kind {
		case providers.ToolCall:
			return 1
		case providers.ToolResult:
			return 2
		}
		return 0
	}
	return rank(a) - rank(b)
}

// answer is a committed answer and the results of its calls.
func (c *Case) answer(i int, fallback bool) []said {
	r := &c.recs[i]
	a := c.attemptBy[r.Attempt]
	var blocks, results []said
	for pos, b := range r.Blocks {
		s := said{role: providers.Assistant, block: b, since: i}
		switch b.Kind {
		case providers.Text:
			s.may = blank(b.Text)
		case providers.Thinking:
			s.may = b.Signature == "" || fallback
		case providers.ToolCall:
			k := c.callAt(a, pos)
			if k == nil {
				continue // merged with an equal one: it is no call at all
			}
			s.call, s.since = k.id, max(i, k.rec)
			if len(k.settled) == 1 { // which of two outcomes counts is record/no-forgery's concern
				res := &c.recs[k.settled[0]]
				results = append(results, said{
					role: providers.User, call: k.id, since: max(i, k.settled[0]), // an early one waits for its answer
					block: providers.Block{Kind: providers.ToolResult, Text: res.Text},
				})
			}
		default:
			s.may = true
		}
		blocks = append(blocks, s)
	}
	for j := len(blocks) - 1; j >= 0; j-- { // thinking that ends an answer is refused (tailcallhq/forgecode#2107)
		if blocks[j].block.Kind == providers.Thinking {
			blocks[j].may = true
		} else if !blocks[j].may {
			break
		}
	}
	return append(blocks, results...)
}

func (c *Case) callAt(a *attempt, block int) *call {
	for _, k := range a.calls {
		if c.recs[k.rec].Block == block {
			return k
		}
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// missing returns the first thing of the history before record upTo that the
// messages do not show, in its order and unchanged; nil when all is there. A
// request may say more (a hint, a repair), never less. Results may stand in any
// order: tools/order judges that.
func missing(history []said, upTo int, msgs []providers.Message) *said {
	next := 0
	ours := map[string]string{}    // id on the wire -> our call
	results := map[string]string{} // our call -> text
	for _, m := range msgs {
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if b.Kind == providers.ToolResult {
				if k, ok := ours[b.ID]; ok {
					results[k] = b.Text
				}
				continue
			}
			// What may be left out is not looked for, so it cannot take the place of
			// an equal thing that must be there: earliest match is then the best one.
			for next < len(history) && (history[next].may || history[next].since >= upTo || history[next].block.Kind == providers.ToolResult) {
				next++
			}
			if next < len(history) {
				if h := &history[next]; h.role == m.Role && h.shownAs(b) {
					if h.call != "" {
						ours[b.ID] = h.call
					}
					next++
				}
			}
		}
	}
	for j := range history {
		h := &history[j]
		if h.since >= upTo || h.may {
			continue
		}
		if h.block.Kind != providers.ToolResult {
			if j >= next {
				return h
			}
			continue
		}
		if text, ok := results[h.call]; !ok || text != h.block.Text && !strings.Contains(text, h.block.Text) {
			return h
		}
	}
	return nil
}

// shownAs reports whether a block of a request shows what was recorded.
func (h *said) shownAs(b *providers.Block) bool {
	if h.block.Kind != b.Kind {
		return false
	}
	switch b.Kind {
	case providers.Text, providers.Thinking:
		// A request that ends with an answer ends without white space: the API
		// refuses it otherwise.
		return h.block.Text == b.Text || h.role == providers.Assistant && strings.TrimRight(h.block.Text, " \t\r\n") == b.Text
	case providers.ToolCall:
		return (h.block.Name == b.Name || !namesATool(h.block.Name)) && (!isObject(h.block.Input) || sameInput(h.block.Input, b.Input))
	case providers.ServerCall, providers.ServerResult:
		return h.block.ID == b.ID
	}
	return h.block.Raw == b.Raw
}

// namesATool reports whether every API takes a call under that name; one under
// another goes back under a name of the loop's choice.
func namesATool(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// named is the thing as a sentence names it.
func (h *said) named() string {
	switch h.block.Kind {
	case providers.ToolCall:
		return "the call " + h.call + " of " + h.block.Name
	case providers.ToolResult:
		return "the result of call " + h.call + ", " + quoted(h.block.Text)
	case providers.Thinking:
		return "the thinking " + quoted(h.block.Text)
	}
	if h.role == providers.User {
		return "the prompt " + quoted(h.block.Text)
	}
	return "the answer " + quoted(h.block.Text)
}
