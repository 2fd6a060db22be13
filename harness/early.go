package harness

import (
	"fmt"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// air is where calls of one answer run: those that began while it still
// streamed (B4), and the rest of the batch that they belong to. A call's number
// in the flight is its place among the calls that were launched.
type air struct {
	flight *tools.Flight
	jobs   []tools.Job
	open   []OpenCall
	landed []bool
	turn   Turn // the calls looked at so far, as a turn that ends with the last of them
	next   int  // the first block that was not looked at
	closed bool // nothing more begins before the answer is whole
}

// early reports whether calls may begin before their answer is whole. Not while
// one more round could close a loop: its calls must not run (N1).
func (l *loop) early() bool {
	return !l.cfg.NoEarly && !l.cfg.Whole && !looming(l.s.history, l.limits.LoopAfter)
}

// flies returns the flight, made when it is first needed.
func (l *loop) flies(a *air) *tools.Flight {
	if a.flight == nil {
		a.flight = tools.NewFlight(l.ctx, l.env, l.toolOptions(), l.limits.Concurrency)
	}
	return a.flight
}

// flyEarly looks at what a stream event changed: outcomes are recorded, and
// calls begin that are certain to be whole: their block is closed, and a later
// one has opened, or a stop reason is known that leaves the last block whole.
// Calls begin in order, up to the first that has effects or needs an approval.
func (l *loop) flyEarly(a *assembler, attempt string, ev providers.EventKind) error {
	w := l.air
	if w.flight != nil {
		if err := l.land(w, w.flight.Landed()); err != nil {
			return err
		}
	}
	if ev != providers.BlockStart && ev != providers.BlockStop && ev != providers.Stop {
		return nil
	}
	for ; !w.closed && w.next < len(a.turn.Blocks); w.next++ {
		b := &a.turn.Blocks[w.next]
		if b.Kind != providers.ToolCall {
			continue
		}
		if b.Open || !l.parts.Sure(a.sure(w.next)) || w.flight != nil && !w.flight.Free() {
			return nil
		}
		c, ok := l.admitEarly(a, w.next)
		if !ok {
			continue
		}
		t, ok := l.clearEarly(c)
		if w.closed = !ok; !ok {
			return nil
		}
		if err := l.beginEarly(t, c, attempt); err != nil {
			return err
		}
	}
	return nil
}

// sure reports whether a closed block at i is known to be whole: max_tokens
// cuts the last block even if it parses, and neither a refusal nor an answer
// whose calls the provider calls malformed runs anything.
func (a *assembler) sure(i int) bool {
	switch {
	case !a.turn.HasStop:
	case a.turn.Stop == "refusal", a.turn.Disowned():
		return false
	case a.turn.Truncated():
		return i+1 < len(a.turn.Blocks)
	}
	return a.turn.HasStop || i+1 < len(a.turn.Blocks)
}

// admitEarly judges the call of block i by what stands before it; a call that
// is no call of its own, or will be refused, is left for later.
func (l *loop) admitEarly(a *assembler, i int) (Call, bool) {
	t, b := &l.air.turn, &a.turn.Blocks[i]
	t.Calls = append(t.Calls, Call{Block: i, ID: b.ID, Name: b.Name, Input: string(a.bufs[i])})
	k := len(t.Calls) - 1
	return t.Calls[k], l.parts.Admit(t, k, l.registry()).Code == ""
}

// clearEarly returns the tool of a call that may begin now.
func (l *loop) clearEarly(c Call) (*tools.Tool, bool) {
	t, ok := l.registry().Lookup(c.Name)
	if !ok || !t.ReadOnly || t.Background || l.unrevealed(t) || l.breakers().refuses(c.Name) != nil {
		return nil, false
	}
	if l.cfg.Policy != nil && l.cfg.Policy.Decide(l.toolCall(OpenCall{Name: c.Name, Input: c.Input, ID: c.ID})).Action != tools.Allow {
		return nil, false
	}
	return l.parts.Execute(t), true
}

func (l *loop) beginEarly(t *tools.Tool, c Call, attempt string) error {
	id := fmt.Sprintf("c%d", l.s.CallIDs+1)
	recs := []*journal.Record{{
		Kind: journal.KindCall, Call: id, ID: c.ID, Name: c.Name, Input: c.Input, Attempt: attempt, Block: c.Block,
	}}
	open := OpenCall{Call: id, ID: c.ID, Name: c.Name, Input: c.Input, Early: true, Block: c.Block}
	if p := l.cfg.Policy; p != nil {
		recs = append(recs, permissionOf(open, string(tools.Allow), p.Decide(l.toolCall(open)).Rule, ""))
	}
	if err := l.commit("a call without effects is whole before its answer is", recs...); err != nil {
		return err
	}
	if err := l.started(&open); err != nil {
		return err
	}
	w := l.air
	w.jobs, w.open, w.landed = append(w.jobs, tools.Job{Tool: t, Call: l.toolCall(open)}), append(w.open, open), append(w.landed, false)
	l.flies(w).Launch(len(w.jobs)-1, w.jobs[len(w.jobs)-1])
	return nil
}

// started records that a call's tool is about to be entered (record/before-run).
func (l *loop) started(c *OpenCall) error {
	if err := l.parts.Start(func() error {
		return l.commit("the call may run", &journal.Record{Kind: journal.KindStarted, Call: c.Call, ID: c.ID, Name: c.Name})
	}); err != nil {
		return err
	}
	l.probe(env.Site{Point: env.ToolBefore, Call: c.Call, ID: c.ID})
	return nil
}

// land records outcomes.
func (l *loop) land(w *air, list []tools.Landing) error {
	for _, g := range list {
		w.landed[g.K] = true
		w.closed = w.closed || w.jobs[g.K].Tool.StopsSiblings && g.Outcome.State == journal.Failed // C7
		if err := l.outcome(w.open[g.K], w.jobs[g.K], g.Outcome); err != nil {
			return err
		}
	}
	return nil
}

// ground ends what began early in an answer that is not committed: running
// calls are told to stop, and each that started has one outcome before the
// answer is discarded. None of it is ever sent.
func (l *loop) ground(why error) error {
	w := l.air
	l.air = nil
	if w == nil || w.flight == nil {
		return nil
	}
	w.flight.Stop(why)
	var first error
	for {
		list := w.flight.Wait()
		if list == nil {
			return first
		}
		if first == nil {
			first = l.land(w, list)
		}
	}
}
