package harness

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// Digests folds records and returns, by sequence number, the digest of the
// state after each transition: what resume/replay compares with the digest
// that the live loop wrote.
func Digests(records []journal.Record) map[int64]string {
	var s State
	m := map[int64]string{}
	for i := range records {
		s = Apply(s, &records[i])
		if records[i].Kind == journal.KindTransition {
			m[records[i].Seq] = s.Digest()
		}
	}
	return m
}

// digestWith is the digest that a state will have once the note of a transition
// is in its history.
func (s State) digestWith(r *journal.Record) string {
	if r.Text != "" {
		e := noteOf(r)
		s.history.sum = e.chain(s.history.sum)
	}
	return s.Digest()
}

// Digest identifies a state: equal digests, equal states, history included.
// It costs the same however long the history is.
func (s State) Digest() string {
	var room [1024]byte
	b := room[:0]
	str := func(v string) {
		b = binary.AppendUvarint(b, uint64(len(v)))
		b = append(b, v...)
	}
	num := func(vs ...int) {
		for _, v := range vs {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	flag := func(v bool) {
		if v {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	str(s.Session)
	num(s.Run, s.Turn, s.Calls, s.Attempts, s.CallIDs, s.Life)
	str(string(s.Last))
	for _, c := range s.Counters.list() {
		num(c.n)
	}
	num(s.Usage.In, s.Usage.Out, s.Usage.CacheRead, s.Usage.CacheWrite, s.MaxTokens)
	for _, v := range [...]string{
		s.Text, s.Stop, string(s.Ended), s.Model, s.Attempt, s.lane, s.model, s.part, s.hint,
		s.Verdicts.Hook, s.Verdicts.ToolHook, s.Verdicts.Completion, s.Verdicts.Judge, s.Verdicts.Text,
	} {
		str(v)
	}
	flag(s.paused)
	flag(s.said)
	flag(s.told)
	flag(s.cut)
	flag(s.compacts)
	num(s.summaryFails, len(s.revealed), s.offered, len(s.Open), len(s.Background), len(s.early))
	for _, n := range s.revealed {
		str(n)
	}
	for i := range s.Open {
		str(s.Open[i].Call)
		flag(s.Open[i].Started)
		flag(s.Open[i].Early)
	}
	for i := range s.Background {
		str(s.Background[i].Call)
	}
	for i := range s.early {
		sum := s.early[i].chain([32]byte{})
		b = append(b, sum[:]...)
	}
	num(s.nudges.mark, s.nudges.last)
	for _, m := range [...]map[string]tools.Breaker{s.breakers, s.known} {
		for _, n := range sortedKeys(m) {
			k := m[n]
			str(n)
			num(k.Fails, int(k.Opened))
			flag(k.Probing)
		}
		num(len(m))
	}
	b = append(b, s.history.sum[:]...)
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}
