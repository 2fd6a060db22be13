package harness

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// What an edit of the context was made for: the reasons of boundary records.
const (
	triggerFull     = "proactive" // before a request, for what is in the context
	triggerOverflow = "overflow"  // the provider refused the request's tokens
	triggerTooLarge = "too_large" // the provider refused the request's bytes
	triggerImage    = "image"     // the provider refused an image
	triggerAsked    = "requested" // the model, or the user, asked for it
)

func trigger(t *Turn) string {
	switch class(t) {
	case providers.TooLarge:
		return triggerTooLarge
	case providers.BadImage:
		return triggerImage
	}
	return triggerOverflow
}

// shaper sees a history as the pipeline does: as units, with the edits that
// were made so far, and with what they fill of the window. It keeps what it has
// seen, so a request costs what is new since the last one.
type shaper struct {
	done     int
	units    []compact.Unit
	size     compact.Size
	measured int            // tokens that the provider counted last; 0: nothing counted since the last edit
	at       compact.Size   // the size then
	refused  bool           // the last answer is a refusal: it is never sent, and neither are its calls
	blocks   map[string]int // where the calls of the last step stand in its answer
}

// unitsOf returns the units of a history.
func unitsOf(h History) []compact.Unit {
	var c shaper
	c.to(h)
	return c.units
}

func (c *shaper) to(h History) {
	if h.Len() < c.done {
		*c = shaper{}
	}
	for ; c.done < h.Len(); c.done++ {
		c.fold(h, h.At(c.done))
	}
}

func (c *shaper) fold(h History, e *Entry) {
	switch e.Kind {
	case EntryUser, EntryNote:
		kind := compact.Prompt
		if e.Kind == EntryNote {
			kind = compact.Note
		}
		c.add(compact.Unit{Kind: kind, From: e.Seq, To: e.Seq + 1, Bytes: len(e.Text)})
	case EntryAssistant:
		if c.refused = e.Stop == "refusal"; c.refused {
			c.add(compact.Unit{Kind: compact.Step, From: e.Seq, To: e.Seq + 1})
			return
		}
		if n := len(c.units); n > 0 && c.units[n-1].Kind == compact.Step {
			u := c.last()
			for i := range u.Results {
				u.Results[i].Read = true
			}
			if goesOn(h, c.done) {
				u.To = e.Seq + 1
				c.grow(bytesOf(e.Blocks))
				break
			}
		}
		c.read()
		clear(c.blocks)
		c.add(compact.Unit{Kind: compact.Step, From: e.Seq, To: e.Seq + 1, Bytes: bytesOf(e.Blocks)})
	case EntryCall:
		if u := c.last(); u != nil {
			u.From, u.To = min(u.From, e.Seq), max(u.To, e.Seq+1)
			if c.blocks == nil {
				c.blocks = map[string]int{}
			}
			c.blocks[e.Call] = e.Block
		}
	case EntryResult:
		if u := c.last(); u != nil && c.refused {
			u.To = max(u.To, e.Seq+1)
		} else if u != nil {
			r := compact.Result{Call: e.Call, Tool: e.Name, Bytes: len(e.Text), Images: len(e.Images)}
			// In call order, not in the order in which they came: what a stage takes first must not depend on timing.
			at := len(u.Results)
			for at > 0 && c.blocks[u.Results[at-1].Call] > c.blocks[r.Call] {
				at--
			}
			u.Results = slices.Insert(u.Results[:len(u.Results):len(u.Results)], at, r)
			u.From, u.To, u.Images = min(u.From, e.Seq), max(u.To, e.Seq+1), u.Images+r.Images
			c.grow(r.Bytes)
			c.size.Images += r.Images
		}
	case EntryBoundary:
		c.units = compact.Apply(c.units, editOf(e))
		c.size, c.measured = compact.Sum(c.units), 0
	}
	if e.Kind == EntryAssistant && e.Tokens > 0 {
		c.measured, c.at = e.Tokens, c.size
	}
}

// read marks the results of the last step as read: an answer came behind them.
func (c *shaper) read() {
	for i := len(c.units) - 1; i >= 0; i-- {
		if u := &c.units[i]; u.Kind == compact.Step {
			for k := range u.Results {
				u.Results[k].Read = true
			}
			return
		}
	}
}

func (c *shaper) add(u compact.Unit) {
	c.units = append(c.units, u)
	c.size.Bytes += u.Bytes
	c.size.Images += u.Images
}

// grow adds to the last step.
func (c *shaper) grow(bytes int) {
	c.last().Bytes += bytes
	c.size.Bytes += bytes
}

// last is the last step, to which calls and results belong; nil when there is none.
func (c *shaper) last() *compact.Unit {
	for i := len(c.units) - 1; i >= 0; i-- {
		if c.units[i].Kind == compact.Step {
			return &c.units[i]
		}
	}
	return nil
}

// goesOn reports whether the answer at i only continues the paused one before it.
func goesOn(h History, i int) bool {
	return i > 0 && h.At(i-1).Kind == EntryAssistant && h.At(i-1).Stop == "pause_turn"
}

// tokens estimates what a request fills of the window: by its bytes, or, where
// that is more, by what the provider counted last and the bytes since. fixed
// is what every request carries.
func (c *shaper) tokens(fixed compact.Size) int {
	all := compact.Size{Bytes: c.size.Bytes + fixed.Bytes, Images: c.size.Images}.Tokens()
	if c.measured == 0 {
		return all
	}
	since := compact.Size{Bytes: c.size.Bytes - c.at.Bytes, Images: c.size.Images - c.at.Images}
	return max(all, c.measured+since.Tokens())
}

// bytesOf weighs what goes back of an answer: no thought that it ends in, none
// without a signature, no white space alone (answerView.message).
func bytesOf(blocks []providers.Block) int {
	for len(blocks) > 0 && isThinking(&blocks[len(blocks)-1]) {
		blocks = blocks[:len(blocks)-1]
	}
	n := 0
	for i := range blocks {
		b := &blocks[i]
		if b.Kind == providers.Thinking && b.Signature == "" || b.Kind == providers.Text && strings.TrimSpace(b.Text) == "" {
			continue
		}
		n += len(b.Text) + len(b.Signature) + len(b.Input) + len(b.Name) + len(b.Raw)
	}
	return n
}

// staged reports whether a drain would free something of what was refused.
func staged(s State, t *Turn, l Limits) bool {
	return len(drains(s, trigger(t), l)) > 0
}

// offerReadResult is about how many bytes a request grows by when read_result is
// first offered in it.
const offerReadResult = 700

// drains are the edits of a drain, in order: results that were read and are
// large, and images. A refused image is no reason to shorten results. What
// frees less than the tool costs that reads it again frees nothing.
func drains(s State, trigger string, l Limits) []compact.Edit {
	units := unitsOf(s.history)
	var edits []compact.Edit
	if trigger != triggerImage {
		e, ok := compact.CollapseEdit(units, l.compact())
		if ok && (slices.Contains(s.revealed, readResult) || e.Before.Bytes-e.After.Bytes > offerReadResult) {
			edits, units = append(edits, e), compact.Apply(units, e)
		}
	}
	if e, ok := compact.MediaEdit(units); ok {
		edits = append(edits, e)
	}
	return edits
}

// summarisable reports whether there is anything that a summary could stand for.
func summarisable(s State, l Limits) bool {
	_, _, _, ok := compact.SummaryRange(unitsOf(s.history), reactiveKeep)
	return ok
}

// reactiveKeep: a summary after an overflow may replace everything but the
// user's request (design: the last results may be what is too long).
const reactiveKeep = -1

// boundaryOf is the history's entry for an applied edit, editOf the edit again.
func boundaryOf(r *journal.Record) Entry {
	return Entry{Kind: EntryBoundary, Seq: r.Seq, Code: r.Code, From: r.From, To: r.To, Names: r.Names, Text: r.Text, Bytes: r.Bytes}
}

func editOf(e *Entry) compact.Edit {
	return compact.Edit{Stage: compact.Stage(e.Code), From: e.From, To: e.To, Calls: e.Names, Text: e.Text, Preview: e.Bytes}
}

// noteOf is the entry for what the loop says in the user's place.
func noteOf(r *journal.Record) Entry {
	return Entry{Kind: EntryNote, Seq: r.Seq, Text: r.Text, Call: r.Call}
}
