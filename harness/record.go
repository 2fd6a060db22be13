package harness

import (
	"errors"
	"fmt"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
)

// persistence is a failure to record. It is never a tool's failure: it ends
// the run, forges nothing and retries nothing (H3).
type persistence struct{ err error }

func (p *persistence) Error() string { return p.err.Error() }
func (p *persistence) Unwrap() error { return p.err }

// commit makes records durable, steps the state over them, and shows them, in
// this order and nowhere else (record/before-publish). why is what the audit
// ledger says of each.
func (l *loop) commit(why string, recs ...*journal.Record) error {
	if l.lost != nil {
		return l.lost
	}
	if l.notice != nil {
		recs = append(recs, l.notice)
		l.notice = nil
	}
	if recs = l.parts.Records(recs); len(recs) == 0 {
		return nil
	}
	err := l.parts.Commit(
		func() error {
			if err := l.j.Commit(why, recs...); err != nil {
				return err
			}
			for _, r := range recs { // before showing: a panic there must find the state that the disk has
				l.s = l.parts.Apply(l.s, r)
			}
			return nil
		},
		func() { l.show(recs) },
	)
	if err != nil {
		l.lost = &persistence{err}
		return l.lost
	}
	return nil
}

// show publishes durable records. A subscriber that fails is detached, and the
// next commit notes it: a dead reader never stops a run (L1).
func (l *loop) show(recs []*journal.Record) {
	refs := refsOf(recs)
	l.due, l.shown = recs, 0
	if err := l.env.Probe.Hit(env.Site{Point: env.PublishBefore, Records: refs}); err != nil {
		l.detach(err)
	}
	l.showDue()
	l.probe(env.Site{Point: env.PublishAfter, Records: refs})
}

// showDue publishes what the last commit made durable and nobody was shown yet:
// after a panic in between, nothing may be passed over.
func (l *loop) showDue() {
	for l.shown < len(l.due) {
		i := l.shown
		l.shown++
		l.publish(Event{Record: l.due[i], Line: l.j.LineHash(i)})
	}
}

func refsOf(recs []*journal.Record) []env.RecordRef {
	refs := make([]env.RecordRef, len(recs))
	for i, r := range recs {
		refs[i] = env.RecordRef{Seq: r.Seq, Kind: string(r.Kind), Call: r.Call, ID: r.ID}
	}
	return refs
}

func (l *loop) publish(e Event) {
	if l.sub == nil {
		return
	}
	defer func() { // the subscriber is no part of ours: its panic is its failure
		if p := recover(); p != nil {
			l.detach(fmt.Errorf("it panicked: %v", p))
		}
	}()
	if err := l.sub.Publish(e); err != nil {
		l.detach(err)
	}
}

func (l *loop) detach(err error) {
	if l.sub == nil {
		return
	}
	l.sub = nil
	l.notice = &journal.Record{Kind: journal.KindNotice, Code: "subscriber_detached", Text: "the subscriber failed and is shown nothing more: " + err.Error()}
}

// probe visits a point where an error can only be a fault in our own part.
func (l *loop) probe(site env.Site) {
	if err := l.env.Probe.Hit(site); err != nil {
		panic(err)
	}
}

// goOn records why the loop goes on, with all that the next request needs to
// be built from the records: a model, a max_tokens, a hint, a note in the
// user's place. The digest is of the state behind it: what folding the
// transcript must give again (resume/replay).
func (l *loop) goOn(t *Turn, d Decision) error {
	rec := &journal.Record{Kind: journal.KindTransition, Reason: string(d.Go), Detail: detailOf(t), Text: l.note(t, d.Go)}
	if !d.Commit {
		rec.Code = l.s.hint // the same request again, hint and all
	}
	switch d.Go {
	case MaxOutputLower:
		rec.MaxTokens = lowered(l.s, t, l.limits)
	case MaxOutputEscalate:
		rec.MaxTokens = l.limits.Escalate
	case ModelFallback:
		rec.Model = l.cfg.Fallback
	case EmptyRetry:
		rec.Code = hintEmpty
	case ProtocolRetry:
		if t.TextCall != "" {
			rec.Code = hintTextCall
		}
	}
	rec = l.parts.Going(rec)
	next := l.s.step(rec)
	rec.Turn, rec.Counters, rec.Digest = next.Turn, next.Counters.record(), next.digestWith(rec)
	return l.commit(string(d.Go), rec)
}

// turns is how many turns the run has used: one for each committed answer that
// was not merely continued, the one that ends the run included.
func (l *loop) turns() int {
	if l.s.answer != nil {
		return l.s.Turn + 1
	}
	return l.s.Turn
}

// result sums up the run as it stands.
func (l *loop) result(reason Reason, detail string) Result {
	return Result{
		Reason: reason, Detail: detail, Text: l.s.Text, Stop: l.s.Stop,
		Turns: l.turns(), Calls: l.s.Calls, Usage: l.s.Usage, Run: l.s.Run,
	}
}

// end records the run's terminal: its last record, exactly one (A8).
func (l *loop) end(reason Reason, detail string) (Result, error) {
	res := l.result(reason, detail)
	usage := res.Usage
	rec := l.parts.Terminal(&journal.Record{
		Kind: journal.KindTerminal, Reason: string(reason), Detail: detail, Text: res.Text,
		Stop: res.Stop, Turn: res.Turns, Calls: res.Calls, Usage: &usage,
	})
	if rec == nil {
		return res, nil
	}
	if err := l.commit("the run ends: "+string(reason), rec); err != nil {
		return l.lostResult(err)
	}
	if err := l.j.Anchor(); err != nil {
		// The terminal is durable and shown, so it stands; only the next run cannot record.
		l.lost = &persistence{err}
		return res, l.lost
	}
	l.probe(env.Site{Point: env.RunEnded})
	return res, nil
}

// lostResult is the result of a run that could not record.
func (l *loop) lostResult(err error) (Result, error) {
	var p *persistence
	if !errors.As(err, &p) {
		return Result{}, err
	}
	return l.result(PersistenceFailure, p.Error()), p
}
