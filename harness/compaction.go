package harness

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

const (
	// codeCompact is the code of a result that asks for a compaction (E3).
	codeCompact = "compact"
	// noticeCompaction notes a summary that failed; three in a row and none is
	// tried any more in the session (D14).
	noticeCompaction = "compaction_failed"
)

// shape runs the context pipeline before a request, in order: budget, snip,
// micro-compaction, summary, blocking check (E1). It returns blocking_limit
// when nothing may be sent. The error is a failure to record.
//
// A request that is only sent again is not shaped again: what could be done for
// it was done, and a summary that failed would fail once more for each retry.
func (l *loop) shape() (Reason, string, error) {
	if l.s.again() {
		return "", "", nil
	}
	l.ctxt.to(l.s.history)
	tokens := l.ctxt.tokens(l.fixed())
	edits, full, _, _ := compact.Plan(l.ctxt.units, tokens, l.limits.compact())
	for _, e := range edits {
		if err := l.edit(e, triggerFull); err != nil || l.ctx.Err() != nil {
			return "", "", err
		}
	}
	if asked := l.asked.Swap(false) || l.s.compacts; full || asked {
		trigger := triggerFull
		if asked {
			trigger = triggerAsked
		}
		if _, err := l.summarise(trigger, l.limits.SummaryKeep); err != nil || l.ctx.Err() != nil {
			return "", "", err
		}
	}
	l.ctxt.to(l.s.history)
	if tokens = l.ctxt.tokens(l.fixed()); compact.Blocked(tokens, l.limits.compact()) {
		return BlockingLimit, fmt.Sprintf("the next request would have about %d tokens; nothing is sent from %d on, and nothing can be compacted any more", tokens, l.limits.BlockAt), nil
	}
	return "", "", nil
}

// edit records an edit of the context. That is all that makes it hold.
func (l *loop) edit(e compact.Edit, trigger string) error {
	if e, ok := l.parts.Edit(e); ok {
		return l.commit("the context is edited: "+string(e.Stage), &journal.Record{
			Kind: journal.KindBoundary, Code: string(e.Stage), Reason: trigger,
			From: e.From, To: e.To, Names: e.Calls, Text: e.Text, Bytes: e.Preview,
			Counters: map[string]int{
				"bytes_before": e.Before.Bytes, "bytes_after": e.After.Bytes,
				"tokens_before": e.Before.Tokens(), "tokens_after": e.After.Tokens(),
				"images_before": e.Before.Images, "images_after": e.After.Images,
			},
		})
	}
	return nil
}

// drain commits what was staged for an overflow (D1).
func (l *loop) drain(t *Turn) error {
	for _, e := range drains(l.s, trigger(t), l.limits) {
		if err := l.edit(e, trigger(t)); err != nil {
			return err
		}
	}
	return nil
}

// summarise asks for a summary of all but the newest keep units and, if it may
// stand for them, puts it in their place. A summary that is empty, is a call,
// fails, hangs, or does not shrink changes nothing (E7). One that is itself
// too long for the model is tried once more with half of the material
// (google-gemini/gemini-cli#16516). The error is a failure to record.
func (l *loop) summarise(trigger string, keep int) (done bool, err error) {
	units := unitsOf(l.s.history)
	from, to, _, ok := compact.SummaryRange(units, keep)
	if !ok || l.s.summaryFails >= l.limits.SummaryFails {
		if l.s.compacts { // asked for, and there is nothing to be done
			return false, l.failed(trigger, "there is nothing that a summary could stand for")
		}
		return false, nil
	}
	l.probe(env.Site{Point: env.CompactBefore, Lane: providers.LaneSummary})
	if l.ctx.Err() != nil {
		return false, nil
	}
	most := l.material()
	why := "there is no room for what it would be made from"
	for range 2 {
		question := compact.Material(l.told(from, to), most)
		if question == "" {
			break
		}
		asked := sha256.Sum256([]byte(question))
		if l.futile[asked] {
			why = "the same summary was asked for before, and refused for what it asks"
			break
		}
		t, err := l.side(providers.LaneSummary, compact.SummaryPrompt(), question, l.limits.SummaryTokens, l.limits.SummaryTimeout)
		if err != nil {
			return false, err
		}
		e, _ := compact.SummaryEdit(units, keep, compact.SummaryText(t.Text))
		if why = failureOf(l.ctx, t); why == "" {
			var ok bool
			if ok, why = l.parts.Summary(t, e); ok {
				l.probe(env.Site{Point: env.CompactSummary, Lane: providers.LaneSummary})
				return true, l.edit(e, trigger)
			}
		}
		if l.ctx.Err() != nil || t.Err == nil || t.Err.Retryable() {
			break
		}
		if l.futile == nil {
			l.futile = map[[sha256.Size]byte]bool{}
		}
		l.futile[asked] = true
		if c := class(t); c != providers.Overflow && c != providers.TooLarge && c != providers.MaxTokens {
			break
		}
		most = min(most, len(question)) / 2
	}
	if l.ctx.Err() != nil { // the user's abort is no failure of the summary
		return false, nil
	}
	return false, l.failed(trigger, why)
}

// checkSummary is the correct judgement of a summary (Parts.Summary).
func checkSummary(t *Turn, e compact.Edit) (ok bool, why string) {
	return compact.CheckSummary(t.Text, len(t.Calls) > 0, t.Stop, e.Before, e.After)
}

func (l *loop) failed(trigger, why string) error {
	return l.commit("the summary changes nothing", &journal.Record{
		Kind: journal.KindNotice, Code: noticeCompaction, Reason: trigger, Text: "the context was not summarised: " + why,
	})
}

// material is how many bytes a summary is made from: what leaves room in the
// window, or enough for a small one.
func (l *loop) material() int {
	const most = 400_000
	if n := l.limits.CompactAt * 2; n > 0 {
		return min(n, most)
	}
	return most
}

// told is what a summary, or a judgement, is made from: what was said and done in
// a range of records, in order. A summary that was made of its beginning stands
// for that, and what stayed of it word for word is said behind it; what it left
// alone is told, although it is older than the summary's own record.
func (l *loop) told(from, to int64) []compact.Part {
	var parts []compact.Part
	say := func(who, text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, compact.Part{Who: who, Text: text})
		}
	}
	h := l.s.history
	for i := h.Len() - 1; i >= 0; i-- {
		e := h.At(i)
		if e.Kind != EntryBoundary || compact.Stage(e.Code) != compact.Summary || e.From < from || e.To > to {
			continue
		}
		say("earlier summary", e.Text)
		for k, kept := 0, keeps(h, i); k < i; k++ {
			if u := h.At(k); slices.Contains(kept, u.Seq) {
				say("user", u.Text)
			}
		}
		from = e.To
		break
	}
	var results []*Entry // of the last answer: told in the order of its calls, whatever came first
	blocks := map[string]int{}
	tellResults := func() {
		slices.SortStableFunc(results, func(a, b *Entry) int { return cmp.Compare(blocks[a.Call], blocks[b.Call]) })
		for _, e := range results {
			l.tell(say, e)
		}
		results = results[:0]
	}
	for i := range h.Len() {
		switch e := h.At(i); {
		case e.Seq < from || e.Seq >= to:
		case e.Kind == EntryCall:
			blocks[e.Call] = e.Block
		case e.Kind == EntryResult:
			results = append(results, e)
		default:
			tellResults()
			l.tell(say, e)
		}
	}
	tellResults()
	return parts
}

// tell says one entry in words.
func (l *loop) tell(say func(who, text string), e *Entry) {
	switch e.Kind {
	case EntryUser:
		say("user", e.Text)
	case EntryNote:
		say("harness", e.Text)
	case EntryAssistant:
		for i := range e.Blocks {
			switch b := &e.Blocks[i]; b.Kind {
			case providers.Text:
				say("assistant", b.Text)
			case providers.ToolCall:
				say("call of "+b.Name, b.Input)
			}
		}
	case EntryResult:
		who := "result of " + e.Name
		if e.IsError {
			who = "error of " + e.Name
		}
		say(who, e.Text)
	}
}
