package invariants_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers"
)

// builder makes evidence by hand, the way a correct loop leaves it: each step
// appends to the files, the trace and what was shown. A test breaks one step.
type builder struct {
	t    testing.TB
	ev   *evidence.Evidence
	life int
	at   time.Duration

	seq        int64
	run        int
	attempts   int
	calls      int
	hash       string // of the last audit entry
	transcript []byte
	audit      []byte
	ledger     []byte
	digests    map[int64]string
	msgs       []providers.Message
	wireIDs    map[string]string // call -> id on the wire

	sum     journal.Record        // what a true terminal of the run says: Usage, Turn, Calls, Text
	part    string                // of an answer that came in parts
	partial bool                  // more of it is to come
	end     func(*journal.Record) // makes it untrue
	counts  map[string]int        // the ladder's counters
	model   string
	max     int // max_tokens of requests

	// What a broken loop leaves out.
	noSync   bool // of the transcript
	quiet    bool // publish nothing
	codeless bool // outcomes that are errors have no code
}

func newBuilder(t testing.TB) *builder {
	b := &builder{
		t: t, ev: &evidence.Evidence{}, hash: strings.Repeat("0", 64), digests: map[int64]string{}, wireIDs: map[string]string{},
		model: "m", max: 100,
	}
	b.ev.Tools = []evidence.ToolInfo{
		{Name: "append", Ledger: true}, {Name: "read", ReadOnly: true},
		{Name: "set", Idempotent: true, Ledger: true}, {Name: "deaf", Deaf: true},
		{Name: "build", Background: true, Ledger: true}, {Name: "bash", Shell: true, StopsSiblings: true}, {Name: "rare", Deferred: true, ReadOnly: true},
	}
	b.ev.Limits = evidence.Limits{MaxTurns: 4, PerTurn: 2, Retries: 2}
	return b
}

// start begins the first life and the session.
func (b *builder) start() *builder {
	b.begin()
	b.commit("a session begins", journal.Record{Kind: journal.KindSession, Version: journal.Version, Model: "m"})
	return b
}

func (b *builder) begin() {
	b.life++
	b.step(evidence.Step{Kind: evidence.StepLife})
}

func (b *builder) step(s evidence.Step) int64 {
	b.at += time.Millisecond
	s.Seq, s.Life, s.At = int64(len(b.ev.Trace))+1, b.life, b.at
	b.ev.Trace = append(b.ev.Trace, s)
	return s.Seq
}

// commit records, seals and shows.
func (b *builder) commit(why string, recs ...journal.Record) []journal.Record {
	recs = b.record(recs...)
	b.seal(why, recs...)
	b.show(recs...)
	return recs
}

// record appends to the transcript and syncs it.
func (b *builder) record(recs ...journal.Record) []journal.Record {
	for i := range recs {
		b.transcript = b.line(b.transcript, &recs[i])
	}
	b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
	if !b.noSync {
		b.syncTranscript()
	}
	return recs
}

func (b *builder) syncTranscript() {
	b.step(evidence.Step{Kind: evidence.StepSync, File: "session/transcript.jsonl", Len: int64(len(b.transcript))})
}

// line fills in a record's envelope and appends its line.
func (b *builder) line(to []byte, r *journal.Record) []byte {
	b.seq++
	if r.Kind == journal.KindUser {
		b.run++
	}
	b.sumUp(r)
	if r.IsError && r.Code == "" && !b.codeless {
		r.Code = map[journal.State]string{journal.Unknown: "unknown_outcome", journal.Never: "aborted", journal.Interrupted: "aborted", journal.Failed: "execution_error"}[r.State]
	}
	r.Seq, r.Time, r.Session, r.Run, r.Audit = b.seq, b.now().UnixMilli(), "s0123456789abcdef", b.run, b.hash
	return append(journal.AppendRecord(to, r), '\n')
}

func (b *builder) now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(b.at) }

// seal appends the audit entries and syncs them.
func (b *builder) seal(why string, recs ...journal.Record) {
	for i := range recs {
		e := journal.Entry{Seq: recs[i].Seq, Kind: recs[i].Kind, Line: lineHash(&recs[i]), Why: why, Prev: b.hash}
		e.Hash = journal.Seal(&e)
		b.hash = e.Hash
		b.audit = append(journal.AppendEntry(b.audit, &e), '\n')
	}
	b.step(evidence.Step{Kind: evidence.StepAppend, File: "session/audit.jsonl", Len: int64(len(b.audit))})
	b.step(evidence.Step{Kind: evidence.StepSync, File: "session/audit.jsonl", Len: int64(len(b.audit))})
}

func lineHash(r *journal.Record) string {
	sum := sha256.Sum256(append(journal.AppendRecord(nil, r), '\n'))
	return hex.EncodeToString(sum[:])
}

func (b *builder) show(recs ...journal.Record) {
	if b.quiet {
		return
	}
	for i := range recs {
		r := &recs[i]
		n := b.step(evidence.Step{Kind: evidence.StepPublish, Record: r.Seq})
		b.ev.Shown = append(b.ev.Shown, evidence.Shown{
			Seq: int64(len(b.ev.Shown)) + 1, Life: b.life, Kind: string(r.Kind), Record: r.Seq,
			Attempt: r.Attempt, Call: r.Call, ID: r.ID, Text: r.Text, Line: lineHash(r), Step: n,
		})
	}
}

func (b *builder) preview(attempt, text string) {
	n := b.step(evidence.Step{Kind: evidence.StepPublish})
	b.ev.Shown = append(b.ev.Shown, evidence.Shown{
		Seq: int64(len(b.ev.Shown)) + 1, Life: b.life, Kind: "preview", Attempt: attempt, Text: text, Step: n,
	})
}

func (b *builder) user(text string) {
	b.commit("the user asked", journal.Record{Kind: journal.KindUser, Text: text})
	b.say(providers.User, providers.Block{Kind: providers.Text, Text: text})
}

// say adds to the conversation that the next request shows.
func (b *builder) say(role providers.Role, blocks ...providers.Block) {
	if n := len(b.msgs); n > 0 && b.msgs[n-1].Role == role {
		b.msgs[n-1].Blocks = append(b.msgs[n-1].Blocks[:len(b.msgs[n-1].Blocks):len(b.msgs[n-1].Blocks)], blocks...)
		return
	}
	b.msgs = append(b.msgs, providers.Message{Role: role, Blocks: blocks})
}

func (b *builder) startRecord(call, name string) journal.Record {
	return journal.Record{Kind: journal.KindStarted, Call: call, ID: b.wireIDs[call], Name: name}
}

func (b *builder) starts(call, name string) {
	b.commit("the call may run", b.startRecord(call, name))
}

func (b *builder) enters(call string) {
	b.step(evidence.Step{Kind: evidence.StepToolStart, Call: call, ID: b.wireIDs[call]})
}

func (b *builder) effect(call, tool, key string) {
	e := evidence.Effect{Tool: tool, Call: call, ID: b.wireIDs[call], Key: key, Life: b.life}
	last := byte(0)
	if n := len(b.ledger); n > 0 {
		last = b.ledger[n-1]
	}
	b.ledger = evidence.AppendEffect(b.ledger, last, e)
	b.step(evidence.Step{Kind: evidence.StepEffect, Call: call})
}

func (b *builder) leaves(call, what string) {
	b.step(evidence.Step{Kind: evidence.StepToolEnd, Call: call, ID: b.wireIDs[call], What: what})
}

func (b *builder) resultRecord(call, name, text string) journal.Record {
	return journal.Record{Kind: journal.KindResult, Call: call, ID: b.wireIDs[call], Name: name, State: journal.Done, Text: text}
}

func (b *builder) settle(r journal.Record) {
	b.commit("the tool returned", r)
	b.tell(r)
}

// runs runs one call from its start to its result.
func (b *builder) runs(call, name string) {
	b.starts(call, name)
	b.enters(call)
	if name == "append" || name == "set" {
		key := ""
		if name == "set" {
			key = call
		}
		b.effect(call, name, key)
	}
	b.leaves(call, evidence.ToolDone)
	b.settle(b.resultRecord(call, name, "ok "+call))
}

func (b *builder) goesOn(reason string) { b.goes(journal.Record{Reason: reason}) }

// goes records a transition, with the note that it adds in the user's place, and
// waits where a retry does.
func (b *builder) goes(r journal.Record) {
	r.Kind, r.Digest = journal.KindTransition, fmt.Sprintf("%032x", b.seq+1)
	recs := b.commit(r.Reason, r)
	b.digests[recs[0].Seq] = r.Digest
	if r.Text != "" {
		b.say(providers.User, providers.Block{Kind: providers.Text, Text: r.Text})
	}
	if r.Reason == "transport_retry" {
		b.at += min(500*time.Millisecond<<(b.counts["retries"]-1), 32*time.Second)
	}
}

// boundary records an edit of the context, with the bytes of the request before
// and after it.
func (b *builder) boundary(r journal.Record, before, after int) {
	r.Kind = journal.KindBoundary
	r.Counters = map[string]int{"bytes_before": before, "bytes_after": after, "tokens_before": (before + 3) / 4, "tokens_after": (after + 3) / 4}
	b.commit("the context is edited: "+r.Code, r)
}

// gate records what a gate said of the last answer.
func (b *builder) gate(code, verdict string) {
	b.commit("an answer is judged: "+code, journal.Record{Kind: journal.KindGate, Code: code, Reason: verdict, Text: verdict})
}

func (b *builder) discards(attempt, reason string) {
	b.commit("the attempt is discarded: "+reason, journal.Record{Kind: journal.KindDiscarded, Attempt: attempt, Reason: reason, Ending: "cut"})
}

// ends records the terminal, returns it, and closes the life.
func (b *builder) ends(reason string) {
	b.terminal(reason)
	b.over()
}

func (b *builder) terminal(reason string) {
	b.commit("the run ends: "+reason, journal.Record{Kind: journal.KindTerminal, Reason: reason, Turn: 1})
	b.returns(reason)
}

func (b *builder) returns(reason string) {
	b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: b.life, Run: b.run, Reason: reason, Text: b.sum.Text})
}

func (b *builder) over() {
	b.ev.Lives = append(b.ev.Lives, evidence.Life{N: b.life, Outcome: "ended"})
}

func (b *builder) killed() {
	b.step(evidence.Step{Kind: evidence.StepKill})
	b.ev.Lives = append(b.ev.Lives, evidence.Life{N: b.life, Outcome: "killed", Point: "tool.ran"})
	b.ev.Runs = append(b.ev.Runs, evidence.Returned{Life: b.life, Run: b.run})
	b.ev.Faults = append(b.ev.Faults, evidence.Armed{What: "at tool.ran t1 kill", Place: "s.txtar:3", Fired: 1})
}

// reopens begins the next life and settles what the last one left: the open
// attempt, and the calls that had started.
func (b *builder) reopens(attempt string, unknown ...string) {
	b.begin()
	var recs []journal.Record
	if attempt != "" {
		recs = append(recs, journal.Record{Kind: journal.KindDiscarded, Attempt: attempt, Reason: "crash"})
	}
	recs = append(recs, journal.Record{Kind: journal.KindResume, Life: b.life, Attempt: attempt})
	for _, c := range unknown {
		recs = append(recs, journal.Record{Kind: journal.KindResult, Call: c, ID: b.wireIDs[c], State: journal.Unknown, IsError: true, Code: "unknown_outcome", Text: "The outcome is unknown."})
	}
	for _, r := range b.commit("a crash is settled", recs...) {
		if r.Kind == journal.KindResult {
			b.tell(r)
		}
	}
}

// done is the evidence.
func (b *builder) done() *evidence.Evidence {
	b.ev.Load(b.transcript, b.audit, b.ledger)
	if len(b.ev.Entries) > 0 {
		b.ev.Head = fmt.Appendf(nil, "{\"count\":%d,\"head\":%q}\n", len(b.ev.Entries), b.hash)
	}
	return b.ev
}

func (b *builder) options() invariants.Options {
	return invariants.Options{Fold: func([]journal.Record) (map[int64]string, error) { return b.digests, nil }}
}

// rewrite changes records after the fact: an altered file.
func (b *builder) rewrite(change func(*journal.Record)) {
	recs := slices.Clone(b.done().Records)
	b.transcript = nil
	for i := range recs {
		change(&recs[i])
		b.transcript = append(journal.AppendRecord(b.transcript, &recs[i]), '\n')
	}
	for i := range b.ev.Shown {
		b.ev.Shown[i].Line = ""
	}
}

// check applies all rules.
func (b *builder) check() []invariants.Finding {
	findings, _, _ := invariants.Check(b.done(), b.options())
	return findings
}

// firstTurn is a session up to the moment at which call t1 of append is
// recorded and has not started.
func firstTurn(t testing.TB) (*builder, string) {
	b := newBuilder(t).start()
	b.user("append hello")
	a := answer{text: "I will.", calls: []tc{{id: "t1", name: "append", input: `{"file":"notes.txt","line":"hello"}`}}}
	return b, b.answered(b.ask(a), a, nil)[0]
}

// lastTurn is the last answer and the end.
func (b *builder) lastTurn() {
	a := answer{text: "Done."}
	b.answered(b.ask(a), a, nil)
	b.ends("completed")
}
