package harness

import (
	"errors"
	"fmt"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// answer commits an answer together with its calls and the results of those
// that will not run. On a resume (committed) only what a torn commit lost is
// recorded. Running comes later, in runOpen.
func (l *loop) answer(t *Turn, attempt string, committed bool) error {
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
		if c.Verdict.Code == Merged {
			continue
		}
		call, ok := recorded[c.Block]
		if !ok {
			ids++
			call = fmt.Sprintf("c%d", ids)
			recs = append(recs, &journal.Record{
				Kind: journal.KindCall, Call: call, ID: c.ID, Name: c.Name, Input: c.Input,
				Attempt: attempt, Block: c.Block, Refused: c.Verdict.Code,
			})
		}
		if c.Verdict.Code != "" && (!ok || l.open(call)) {
			recs = append(recs, &journal.Record{
				Kind: journal.KindResult, Call: call, ID: c.ID, Name: c.Name,
				State: journal.Refused, IsError: true, Code: c.Verdict.Code, Text: c.Verdict.Text,
			})
		}
	}
	if len(recs) == 0 {
		return nil
	}
	return l.commit("the answer is whole", recs...)
}

// recordedCalls maps block positions of the last answer to the calls recorded
// for them.
func (l *loop) recordedCalls() map[int]string {
	if l.s.answer == nil {
		return nil
	}
	m := map[int]string{}
	for i := l.s.history.Len() - 1; i >= 0; i-- {
		e := l.s.history.At(i)
		if e.Kind == EntryAssistant {
			break
		}
		if e.Kind == EntryCall {
			m[e.Block] = e.Call
		}
	}
	return m
}

func (l *loop) open(call string) bool {
	for i := range l.s.Open {
		if l.s.Open[i].Call == call {
			return true
		}
	}
	return false
}

// runOpen runs every open call, batch by batch in call order, and records each
// outcome as it comes. When the run is aborted, what has not started never
// does, and is answered so.
func (l *loop) runOpen() error {
	open := l.s.Open
	ts := make([]*tools.Tool, len(open))
	for i := range open {
		t, ok := l.reg.Lookup(open[i].Name)
		if !ok {
			// The tool was there when the call was admitted: another life had other tools.
			return l.unavailable(open[i])
		}
		ts[i] = l.parts.Execute(t)
	}
	for _, batch := range tools.Batches(len(open), func(i int) bool { return ts[i].ReadOnly }) {
		if l.ctx.Err() != nil {
			break
		}
		if err := l.runBatch(open, ts, batch); err != nil {
			return err
		}
	}
	if l.ctx.Err() != nil {
		return l.never(abortedBefore)
	}
	return nil
}

func (l *loop) unavailable(c OpenCall) error {
	r := l.reg.Validate(c.Name, tools.Closed([]byte(c.Input)))
	text := "This call was not run."
	if r != nil {
		text = r.Sentence
	}
	if err := l.commit("the call's tool is gone", &journal.Record{
		Kind: journal.KindResult, Call: c.Call, ID: c.ID, Name: c.Name, State: journal.Refused, IsError: true, Code: "unknown_tool", Text: text,
	}); err != nil {
		return err
	}
	return l.runOpen()
}

// runBatch runs one batch: a call's started record is durable before its tool
// is entered (record/before-run), and a call that does not get its turn has none.
func (l *loop) runBatch(open []OpenCall, ts []*tools.Tool, batch []int) error {
	jobs := make([]tools.Job, len(batch))
	for k, i := range batch {
		c := &open[i]
		jobs[k] = tools.Job{Tool: ts[i], Call: tools.Call{ID: c.Call, ProviderID: c.ID, Name: c.Name, Input: tools.Closed([]byte(c.Input)), Env: l.env}}
	}
	return tools.RunBatch(l.ctx, l.env, jobs, tools.Batch{
		Options: tools.Options{Limit: l.limits.ResultBytes, Grace: l.limits.Grace, Timeout: l.limits.ToolTimeout},
		Limit:   l.limits.Concurrency,
		Start: func(k int) error {
			c := &jobs[k].Call
			if err := l.parts.Start(func() error {
				return l.commit("the call may run", &journal.Record{Kind: journal.KindStarted, Call: c.ID, ID: c.ProviderID, Name: c.Name})
			}); err != nil {
				return err
			}
			l.probe(env.Site{Point: env.ToolBefore, Call: c.ID, ID: c.ProviderID})
			return nil
		},
		Done: func(k int, o tools.Outcome) error {
			if open[batch[k]].Started && (o.State == journal.Never || o.State == journal.Interrupted) {
				// Of this life alone the tool speaks; an idempotent one may have had its effect in another.
				o.State, o.Text = journal.Interrupted, startedBefore+o.Text
			}
			return l.outcome(jobs[k].Call, o)
		},
	})
}

// startedBefore is told of a call that a crash cut short and that was
// interrupted again when it was to be run again.
const startedBefore = "This call had started before the process died, and what it did then is unknown. When it was run again: "

// outcome records what became of one call. Only the tool's own failure becomes
// a tool_error (record/no-forgery).
func (l *loop) outcome(c tools.Call, o tools.Outcome) error {
	o = l.parts.Outcome(o)
	rec := &journal.Record{
		Kind: journal.KindResult, Call: c.ID, ID: c.ProviderID, Name: c.Name,
		State: o.State, IsError: o.IsError, Code: o.Code, Text: o.Text, Cut: o.Cut,
	}
	why := "the tool returned"
	switch o.State {
	case journal.Failed:
		rec.Kind, why = journal.KindToolError, "the tool failed"
	case journal.Interrupted:
		why = "the tool was told to stop"
	case journal.Never:
		why = "the call never started"
	}
	recs := []*journal.Record{rec}
	if o.Left {
		recs = append(recs, &journal.Record{Kind: journal.KindNotice, Call: c.ID, Code: "left_running", Text: "the tool did not stop when told to and was left behind"})
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

// never answers every open call that has not started: it will not.
func (l *loop) never(text string) error {
	var recs []*journal.Record
	for _, c := range l.s.Open {
		state, why := journal.Never, text
		if c.Started {
			state, why = journal.Interrupted, "This call was interrupted; what it did until then is unknown."
		}
		recs = append(recs, &journal.Record{
			Kind: journal.KindResult, Call: c.Call, ID: c.ID, Name: c.Name, State: state, IsError: true, Text: why,
		})
	}
	if len(recs) == 0 {
		return nil
	}
	return l.commit("the calls will not run", recs...)
}
