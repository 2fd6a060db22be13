package harness

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// unknownText is what the model is told of a call that had started when the
// process died.
const unknownText = "The outcome of this call is unknown: it had started when the process died, and nothing more was recorded. It may or may not have taken effect. It was not run again. Check before you repeat it."

// settle closes what a crash left open, once: the attempt that has neither
// assistant nor discarded, and each call that had started. A call that never
// started stays open and is run by the resume; so is one whose tool is
// declared idempotent.
func (l *loop) settle() error {
	if !l.s.Live() || l.s.settled && !l.unsettled() {
		return nil
	}
	var recs []*journal.Record
	if a := l.s.Attempt; a != "" {
		recs = append(recs, l.grounded()...)
		recs = append(recs, &journal.Record{Kind: journal.KindDiscarded, Attempt: a, Reason: "crash", Detail: "the process died before the answer was committed"})
	}
	// The resume event settles the previews of the last attempt, whatever became
	// of it: the record that did may be durable and never shown.
	settles := ""
	if l.s.Attempts > 0 {
		settles = attemptID(l.s.Attempts)
	}
	recs = append(recs, &journal.Record{Kind: journal.KindResume, Life: l.s.Life + 1, Attempt: settles})
	for _, c := range l.s.Open {
		if !c.Started || c.Early || l.rerun(c.Name) {
			continue
		}
		recs = append(recs, notRun(c, journal.Unknown, codeUnknown, unknownText))
	}
	l.probe(env.Site{Point: env.ResumeSettled})
	if err := l.commit("a crash is settled", recs...); err != nil {
		return err
	}
	l.probe(env.Site{Point: env.ResumeRecorded})
	return nil
}

// codeUnknown is the code of a call whose outcome a crash made unknown.
const codeUnknown = "unknown_outcome"

// grounded are the outcomes of calls that began early in an answer that a crash
// cut short. None is run again or sent: the attempt is discarded behind them.
func (l *loop) grounded() []*journal.Record {
	var recs []*journal.Record
	for _, c := range l.s.Open {
		switch {
		case !c.Early:
		case c.Started:
			recs = append(recs, notRun(c, journal.Unknown, codeUnknown, unknownText))
		default:
			recs = append(recs, notRun(c, journal.Never, tools.CodeAborted, "The process died before this call started; it was not run."))
		}
	}
	return recs
}

// unsettled reports whether the last settling was itself torn: its resume
// record stands, and an outcome behind it was lost.
func (l *loop) unsettled() bool {
	for _, c := range l.s.Open {
		if c.Started && !l.rerun(c.Name) {
			return true
		}
	}
	return false
}

func (l *loop) rerun(name string) bool {
	t, ok := l.reg.Lookup(name)
	if !ok {
		return false
	}
	return l.parts.Rerun(t)
}

func fingerprint(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:8])
}
