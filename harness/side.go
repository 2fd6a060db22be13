package harness

import (
	"context"
	"time"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// side asks a model in a lane of its own: a summary, or a judgement. What it
// answers is never part of the history, so the attempt ends discarded. A side
// lane has no tools, is not retried, and takes no longer than its limit. The
// error is a failure to record.
func (l *loop) side(lane, system, question string, maxTokens int, limit time.Duration) (*Turn, error) {
	ctx, timer := l.env.Clock.WithTimer(l.ctx, errSide)
	defer timer.Stop()
	timer.Reset(limit)
	req := &providers.Request{
		Lane: lane, Model: l.model(), System: system, MaxTokens: maxTokens, Stream: !l.cfg.Whole,
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: question}}}},
	}
	t, err := l.ask(ctx, req)
	if err != nil {
		return nil, err
	}
	attempt := l.s.Attempt
	return t, l.commit("a side lane answered", append(t.anomalies(attempt), discardedOf(t, attempt, lane))...)
}

// discardedOf is the record of an answer that is not part of the history.
func discardedOf(t *Turn, attempt, reason string) *journal.Record {
	return &journal.Record{
		Kind: journal.KindDiscarded, Attempt: attempt, Reason: reason, Detail: detailOf(t), Code: string(class(t)),
		Text: t.Text, Stop: t.Stop, Ending: string(t.Ending), Usage: t.Usage,
	}
}

// failureOf says in a sentence why a side lane has no answer, "" when it has one.
func failureOf(ctx context.Context, t *Turn) string {
	switch {
	case ctx.Err() != nil:
		return "the run was aborted"
	case t.Ending != Complete && t.Err != nil:
		return t.Err.Error()
	case t.Ending != Complete:
		return "the answer did not end"
	}
	return ""
}
