package harness

import (
	"errors"
	"fmt"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// answer commits an answer together with its calls and the results of those
// that will not run: all of them under the code refuse, if that is set. On a
// resume (committed) only what a torn commit lost is recorded. Running comes
// later, in runOpen.
func (l *loop) answer(t *Turn, attempt string, committed bool, refuse string) error {
	var recs []*journal.Record
	if !committed {
		recs = append(t.anomalies(attempt), &journal.Record{
			Kind: journal.KindAssistant, Attempt: attempt, Blocks: t.Blocks, Stop: t.Stop,
			Ending: string(t.Ending), Usage: t.Usage,
		})
	}
	recorded := l.recordedCalls()
	ids := l.s.CallIDs
	for i := range t.Calls {
		c := &t.Calls[i]
		v := c.Verdict
		if v.Code == Merged {
			continue
		}
		if v.Code == "" && refuse != "" {
			v = Verdict{refuse, refusedText(refuse)}
		}
		call, ok := recorded[c.Block]
		if !ok {
			ids++
			call = fmt.Sprintf("c%d", ids)
			recs = append(recs, &journal.Record{
				Kind: journal.KindCall, Call: call, ID: c.ID, Name: c.Name, Input: c.Input,
				Attempt: attempt, Block: c.Block, Refused: v.Code,
			})
		}
		if v.Code != "" && (!ok || l.waits(call)) {
			recs = append(recs, notRun(OpenCall{Call: call, ID: c.ID, Name: c.Name}, journal.Refused, v.Code, v.Text))
		}
	}
	if len(recs) == 0 {
		return nil
	}
	return l.commit("the answer is whole", recs...)
}

// notRun is the outcome of a call that the loop itself answers: refused, never
// started, interrupted or unknown.
func notRun(c OpenCall, state journal.State, code, text string) *journal.Record {
	return &journal.Record{
		Kind: journal.KindResult, Call: c.Call, ID: c.ID, Name: c.Name, State: state, IsError: true, Code: code, Text: text,
	}
}

// recordedCalls maps block positions of the answer at hand to the calls recorded
// for them: those that began early, or those behind an answer taken up again.
func (l *loop) recordedCalls() map[int]string {
	var m map[int]string
	note := func(e *Entry) {
		if e.Kind == EntryCall {
			if m == nil {
				m = map[int]string{}
			}
			m[e.Block] = e.Call
		}
	}
	for i := range l.s.early {
		note(&l.s.early[i])
	}
	if l.s.answer != nil {
		for i := l.s.history.Len() - 1; i >= 0 && l.s.history.At(i).Kind != EntryAssistant; i-- {
			note(l.s.history.At(i))
		}
	}
	return m
}

// waits reports whether a call has no outcome and has not started.
func (l *loop) waits(call string) bool {
	for i := range l.s.Open {
		if l.s.Open[i].Call == call {
			return !l.s.Open[i].Started
		}
	}
	return false
}

// runOpen runs every open call, batch by batch in call order, and records each
// outcome as it comes. When the run is aborted, or a call failed whose failure
// stops its siblings (C7), what has not started never does, and is answered so.
func (l *loop) runOpen() error {
	stopper := l.stopped() // early, or in front of a crash
	if stopper == nil {
		if err := l.clear(); err != nil {
			return err
		}
	}
	w := l.air
	l.air = nil
	open, ts, flying := l.toRun(w)
	for _, batch := range tools.Batches(len(open), func(i int) bool { return ts[i].ReadOnly && !ts[i].Background }) {
		b := w // what began early is in the first batch, and has to be waited for
		if batch[0] != 0 || flying == 0 {
			b = nil
		}
		if b == nil && (stopper != nil || l.ctx.Err() != nil) {
			break
		}
		var err error
		if stopper, err = l.runBatch(open, ts, batch, b, stopper); err != nil {
			return err
		}
	}
	if w != nil && w.flight != nil {
		w.flight.Stop(errLanded)
	}
	switch {
	case l.ctx.Err() != nil:
		return l.never("", abortedBefore)
	case stopper != nil:
		return l.siblings(stopper)
	}
	return nil
}

// stopped returns the tool whose failure, on record already, stops the rest of
// the answer at hand; nil when none did.
func (l *loop) stopped() *tools.Tool {
	h := l.s.history
	for i := h.Len() - 1; i >= 0 && h.At(i).Kind != EntryAssistant; i-- {
		if e := h.At(i); e.Kind == EntryResult && e.State == journal.Failed {
			if t, ok := l.registry().Lookup(e.Name); ok && t.StopsSiblings {
				return t
			}
		}
	}
	return nil
}

var errLanded = errors.New("the calls of the answer are over")

// toRun are the calls to run, in call order, with their tools. Those that began
// early come first, also those that are over: a batch counts them in.
func (l *loop) toRun(w *air) (open []OpenCall, ts []*tools.Tool, flying int) {
	if w != nil {
		flying = len(w.open)
		open = append(open, w.open...)
		for i := range w.jobs {
			ts = append(ts, w.jobs[i].Tool)
		}
	}
	for _, c := range l.s.Open {
		if w != nil && w.has(c.Call) {
			continue
		}
		t, ok := l.registry().Lookup(c.Name)
		if !ok {
			continue // clear has answered it
		}
		open, ts = append(open, c), append(ts, l.parts.Execute(t))
	}
	return open, ts, flying
}

func (w *air) has(call string) bool {
	for i := range w.open {
		if w.open[i].Call == call {
			return true
		}
	}
	return false
}

func (l *loop) toolCall(c OpenCall) tools.Call {
	return tools.Call{ID: c.Call, ProviderID: c.ID, Name: c.Name, Input: tools.Closed([]byte(c.Input)), Env: l.env}
}

// runBatch runs one batch: a call's started record is durable before its tool
// is entered (record/before-run), and a call that does not get its turn has
// none. It returns the tool whose failure stopped the batch, if one did: stopper,
// where that was before.
func (l *loop) runBatch(open []OpenCall, ts []*tools.Tool, batch []int, w *air, stopper *tools.Tool) (*tools.Tool, error) {
	if t := ts[batch[0]]; t.Background {
		return nil, l.background(open[batch[0]], t)
	}
	jobs := make([]tools.Job, len(batch))
	for k, i := range batch {
		jobs[k] = tools.Job{Tool: ts[i], Call: l.toolCall(open[i])}
	}
	b := tools.Batch{
		Options: l.toolOptions(),
		Limit:   l.limits.Concurrency,
		Stopper: stopper,
		Start:   func(k int) error { return l.started(&open[batch[k]]) },
		Done:    func(k int, o tools.Outcome) error { return l.outcome(open[batch[k]], jobs[k], o) },
	}
	if w != nil && w.flight != nil {
		b.Flight = w.flight
		b.Launched = func(k int) bool { return k < len(w.open) }
		b.Delivered = func(k int) bool { return k < len(w.open) && w.landed[k] }
	}
	return tools.RunBatch(l.ctx, l.env, jobs, b)
}

// siblings answers the calls behind one whose failure stops the rest.
func (l *loop) siblings(stopper *tools.Tool) error {
	var recs []*journal.Record
	for _, c := range l.s.Open {
		if c.Started {
			continue
		}
		t, ok := l.registry().Lookup(c.Name)
		if !ok {
			t = &tools.Tool{Name: c.Name}
		}
		o := tools.SiblingFailed(stopper, t)
		recs = append(recs, notRun(c, o.State, o.Code, o.Text))
	}
	if len(recs) == 0 {
		return nil
	}
	return l.commit("a call before them failed", recs...)
}

// startedBefore is told of a call that a crash cut short and that was
// interrupted again when it was to be run again.
const startedBefore = "This call had started before the process died, and what it did then is unknown. When it was run again: "

// outcome records what became of one call. Only the tool's own failure becomes
// a tool_error (record/no-forgery).
func (l *loop) outcome(open OpenCall, j tools.Job, o tools.Outcome) error {
	if open.Started && (o.State == journal.Never || o.State == journal.Interrupted) {
		// Of this life alone the tool speaks; an idempotent one may have had its effect in another.
		o.State, o.Text = journal.Interrupted, startedBefore+o.Text
	}
	o = l.parts.Outcome(o)
	rec := &journal.Record{
		Kind: journal.KindResult, Call: open.Call, ID: open.ID, Name: open.Name,
		State: o.State, IsError: o.IsError, Code: o.Code, Text: o.Text, Cut: o.Cut,
		Images: o.Images, Names: o.Names, Millis: int(o.Elapsed.Milliseconds()),
	}
	why := "the tool returned"
	switch o.State {
	case journal.Done:
		if j.Tool.Compacts {
			rec.Code = codeCompact
		}
	case journal.Failed:
		rec.Kind, why = journal.KindToolError, "the tool failed"
	case journal.Interrupted:
		why = "the tool was told to stop"
	case journal.Never:
		why = "the call never started"
	}
	recs := []*journal.Record{rec}
	if n := l.keep(rec); n != nil {
		recs = append(recs, n)
	}
	if o.Left {
		recs = append(recs, &journal.Record{Kind: journal.KindNotice, Call: open.Call, Code: "left_running", Text: "the tool did not stop when told to and was left behind"})
	}
	err := l.commit(why, recs...)
	if err == nil && o.Fault != nil {
		panic(o.Fault) // a part of ours failed around the tool; what the tool did is recorded
	}
	if err != nil && l.parts.Recorded != nil {
		return l.parts.Recorded(rec, err, func(r *journal.Record) error {
			l.lost = nil
			return errors.Join(l.reopen(), l.commit(why, r))
		})
	}
	return err
}

// reopen opens the journal anew, for a part that will not take a failure to
// record for an answer. The correct loop never does.
func (l *loop) reopen() error {
	l.j.Close()
	j, loaded, err := journal.Open(l.env)
	if err != nil {
		return err
	}
	l.j, l.s, l.proj = j, State{}, projector{}
	l.load(loaded.Records)
	return nil
}

// abortedBefore is told of a call that an abort kept from starting.
const abortedBefore = "The run was aborted before this call started; it was not run."

// never answers every open call that has not started: it will not. One that has
// is interrupted.
func (l *loop) never(code, text string) error {
	if code == "" {
		code = tools.CodeAborted
	}
	var recs []*journal.Record
	for _, c := range l.s.Open {
		state, why := journal.Never, text
		if c.Started {
			state, why = journal.Interrupted, "This call was interrupted; what it did until then is unknown."
		}
		recs = append(recs, notRun(c, state, code, why))
	}
	if len(recs) == 0 {
		return nil
	}
	return l.commit("the calls will not run", recs...)
}
