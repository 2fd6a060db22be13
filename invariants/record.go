package invariants

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

func recordRules() []Rule {
	return []Rule{
		{
			Name: "record/before-publish", Group: "record", Strength: Ours,
			Summary: "Every published event but a preview was durable first: its record in the transcript, and its entry in the audit ledger, appended and synced. What was shown is what is recorded.",
			Why:     "An event that was shown and then lost in a crash is a memory that only the user has: the loop resumes from a past that did not happen (H2, H9).",
			Reports: []string{"Kilo-Org/kilocode#12545", "CommandCodeAI/command-code#836", "receptron/mulmoterminal#2161", "Gitlawb/zero#471"},
			Example: "The loop shows the answer, then appends it, and is killed between the two.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindShown},
			Check:   beforePublish,
		},
		{
			Name: "record/preview-settles", Group: "record", Strength: Ours,
			Summary: "Deltas are previews: no record stands behind them, each names its attempt, and the attempt's assistant event, a visible discard or a resume follows. An attempt that was cut is discarded, never shown as an answer.",
			Why:     "A preview that nobody takes back stays on the screen as an answer that was never given (B2, B3, D4).",
			Reports: []string{"HKUDS/nanobot#4038", "NousResearch/hermes-agent#14151", "openai/openai-agents-python#3587", "zirkelc/ai-retry#51"},
			Example: "The stream breaks off after three words; the retry shows a whole answer, and nothing says that the three words are void.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindShown},
			Check:   previewSettles,
		},
		{
			Name: "record/before-run", Group: "record", Strength: Ours,
			Summary: "A call's record, with its id, and its started record are durable before its tool is entered, and a call that is recorded as refused never starts. That somebody is asked is recorded before they are; nothing of the batch starts before the answer, " +
				"and a call that was asked about, or denied, never starts without a yes.",
			Why:     "A tool that runs before its call is on disk leaves no trace of itself when the process dies: the resume runs it again (H2, H3, C9, C11; arXiv:2607.14166 for the approval).",
			Reports: []string{"anthropics/claude-code#31328", "anthropics/claude-code#61188", "GEMISIS/leviath#96", "google/adk-python#6732"},
			Example: "The tool is started from the stream, its call is recorded with its result.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindEffects},
			Check:   beforeRun,
		},
		{
			Name: "record/no-forgery", Group: "record", Strength: Ours,
			Summary: "Each call is settled once and truly: only the tool's own failure becomes tool_error, nothing that did not run is done, nothing that ran was never started or refused, and unknown is said only of a call that a crash cut off. " +
				"A background call is answered with a placeholder, and one notice tells its end: never a second result.",
			Why:     "An error written over a success makes the model do it again; a success without an effect makes it rely on nothing (H3, H4, C11, C14, J2).",
			Reports: []string{"crewAIInc/crewAI#5802", "vellum-ai/vellum-assistant#42190", "anthropics/claude-code#39830", "vanillagreencom/kendex#275"},
			Example: "The result cannot be appended because the disk is full: the loop appends a tool_error instead, and the file that the tool wrote is there.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindEffects},
			Check:   noForgery,
		},
		{
			Name: "record/envelope", Group: "record", Strength: Ours,
			Summary: "Each outcome says what it is: an error exactly if the call is not done, with a code exactly then (and for a placeholder, or a request to compact); what was left out is said in the text; a kept output has a file of its own inside the session's folder, its size and its digest. " +
				"No text is empty, and none that the loop wrote holds a stack trace.",
			Why:     "A model that is told of an error as of a success goes on from there, and one that reads half a file as a whole one edits what it did not see (O5, C2, C5, C8, F).",
			Reports: []string{"smallest-inc/smallest-python-sdk#118", "zed-industries/zed#63237", "NousResearch/hermes-agent#63161", "cline/cline#8787"},
			Example: "The tool panics, and the model is told goroutine 1 [running].",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   envelope,
		},
		{
			Name: "record/two-ledgers", Group: "record", Strength: Ours,
			Summary: "The transcript is gapless, and the audit ledger has one entry per record: its seq, its kind, the hash of its line, why it was allowed, and the hash of the entry before. Both verify; a suffix that a crash took is made again at open, and marked.",
			Why:     "Two ledgers that seal each other show tampering, a torn write that somebody wrote on, and a sync that was forgotten (H5, H7, H10, I1, I2, I4).",
			Reports: []string{"github/copilot-cli#4098", "openai/codex#24425", "anthropics/claude-code#49876", "earendil-works/pi#8177", "letta-ai/letta-code#3580"},
			Example: "A killed process left half a line; the next one appends behind it, and both records are gone.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindAudit},
			Check:   twoLedgers,
		},
	}
}

// beforePublish compares what was shown with what was durable by then.
func beforePublish(c *Case) []Finding {
	var out []Finding
	blamed := map[int64]bool{}
	var disk durable
	audited := slices.ContainsFunc(c.ev.Trace, func(s evidence.Step) bool { return isFile(s.File, evidence.AuditFile) })
	for _, d := range c.ev.Damaged { // the entries no longer stand where the loop wrote them
		audited = audited && !(d.Kind == evidence.KindAudit && d.Lost)
	}
	entryBySeq := map[int64]int{}
	for i := range c.ev.Entries {
		entryBySeq[c.ev.Entries[i].Seq] = i
	}
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		disk.step(s)
		if s.Kind != evidence.StepPublish || s.Record <= 0 {
			continue
		}
		why := ""
		r, ok := c.bySeq[s.Record]
		e, sealed := entryBySeq[s.Record]
		switch {
		case !ok:
			why = "the transcript holds no such record"
		case disk.transcript < c.at[r].End:
			why = "its record was not durable: " + c.durableUpTo(disk.transcript)
		case audited && sealed && disk.audit < c.ev.EntryAt[e].End:
			why = "its entry in the audit ledger was not durable"
		}
		if why != "" && !blamed[s.Record] {
			blamed[s.Record] = true
			where, around := c.step(i)
			out = append(out, found(where, around, "record %d%s was shown before it was recorded: at that moment %s", s.Record, c.kindOf(s.Record), why))
		}
	}
	for i := range c.ev.Shown {
		s := &c.ev.Shown[i]
		if s.Kind == previewKind || blamed[s.Record] {
			continue
		}
		if why := c.notRecorded(s); why != "" {
			blamed[s.Record] = s.Record > 0
			where, around := c.shown(i)
			out = append(out, found(where, around, "an event of kind %s was shown, but %s", s.Kind, why))
		}
	}
	return out
}

const previewKind = "preview"

// durable follows how much of the two ledgers is durable, step by step.
type durable struct{ transcript, audit int64 }

func (d *durable) step(s *evidence.Step) {
	var size *int64
	switch {
	case isFile(s.File, evidence.TranscriptFile):
		size = &d.transcript
	case isFile(s.File, evidence.AuditFile):
		size = &d.audit
	default:
		return
	}
	switch s.Kind {
	case evidence.StepSync:
		*size = s.Len
	case evidence.StepTruncate:
		*size = min(*size, s.Len)
	}
}

// durableUpTo names the last record that size bytes hold.
func (c *Case) durableUpTo(size int64) string {
	i, _ := slices.BinarySearchFunc(c.at, size, func(s evidence.Spot, n int64) int {
		if s.End <= n {
			return -1
		}
		return 1
	})
	if i == 0 {
		return "nothing of the transcript was"
	}
	return "the transcript was durable up to record " + itoa(c.recs[i-1].Seq)
}

func (c *Case) kindOf(seq int64) string {
	if i, ok := c.bySeq[seq]; ok {
		return " (" + string(c.recs[i].Kind) + ")"
	}
	return ""
}

// notRecorded says what is wrong with an event that was shown, given the
// transcript as it is at the end; "" when nothing is.
func (c *Case) notRecorded(s *evidence.Shown) string {
	if s.Record <= 0 {
		return "it has no record yet: record first, then show"
	}
	i, ok := c.bySeq[s.Record]
	if !ok {
		return "the transcript holds no record " + itoa(s.Record) + ": it was shown and never recorded, or lost"
	}
	r := &c.recs[i]
	switch {
	case s.Kind != string(r.Kind):
		return "record " + itoa(s.Record) + " is of kind " + string(r.Kind)
	case s.Line != "" && s.Line != c.lineHash(i):
		return "record " + itoa(s.Record) + " is another one on disk: what was shown is lost"
	case s.Call != "" && s.Call != r.Call, s.Attempt != "" && s.Attempt != r.Attempt:
		return "record " + itoa(s.Record) + " is about something else"
	}
	return ""
}

// lineHash is the hash of a record's line as it stands on disk.
func (c *Case) lineHash(i int) string {
	if c.hashes == nil {
		c.hashes = make([]string, len(c.recs))
	}
	if c.hashes[i] == "" {
		sum := sha256.Sum256(c.ev.Transcript[c.at[i].Off:c.at[i].End])
		c.hashes[i] = hex.EncodeToString(sum[:])
	}
	return c.hashes[i]
}

// preview is what was shown of one attempt.
type preview struct {
	attempt string
	first   int // indexes in ev.Shown
	last    int
	settled int
}

// previewSettles looks at what follows the previews of each attempt.
func previewSettles(c *Case) []Finding {
	var out []Finding
	var list []*preview
	byAttempt := map[string]*preview{}
	for i := range c.ev.Shown {
		s := &c.ev.Shown[i]
		p := byAttempt[s.Attempt]
		switch {
		case s.Kind != previewKind:
			if p != nil && p.settled < 0 && settles(s.Kind) {
				p.settled = i
			}
			continue
		case s.Attempt == "":
			where, around := c.shown(i)
			out = append(out, found(where, around, "a preview names no attempt: nobody can take it back"))
			continue
		case s.Record != 0:
			where, around := c.shown(i)
			out = append(out, found(where, around, "a preview of %s claims to be record %d: deltas are not recorded", s.Attempt, s.Record))
		case p == nil:
			p = &preview{attempt: s.Attempt, first: i, settled: -1}
			byAttempt[s.Attempt] = p
			list = append(list, p)
		case p.settled >= 0:
			where, around := c.shown(i)
			out = append(out, found(where, around, "a preview of %s was shown behind its %s event: it was over", s.Attempt, c.ev.Shown[p.settled].Kind))
		}
		if p != nil {
			p.last = i
		}
	}
	for _, p := range list {
		if p.settled < 0 {
			if i, why := c.leftOpen(p); i >= 0 {
				where, around := c.shown(i)
				out = append(out, found(where, around, "the previews of %s were shown and never settled: %s", p.attempt, why))
			}
		}
	}
	for _, a := range c.attempts {
		if a.assistant < 0 || c.given(a.assistant) {
			continue
		}
		why := ""
		switch r, t := &c.recs[a.assistant], a.turn(); {
		case a.discarded >= 0:
			why = "but it was also discarded"
		case r.Ending != "" && r.Ending != "complete":
			why = "but it ended " + r.Ending + ": it is to be discarded"
		case t != nil && t.ending() == broken:
			why = "but it was cut: " + brokenWhy(t)
		}
		if why != "" {
			where, around := c.record(a.assistant)
			out = append(out, found(where, around, "attempt %s is committed as an answer, %s", a.id, why))
		}
	}
	return out
}

func settles(kind string) bool {
	return kind == string(journal.KindAssistant) || kind == string(journal.KindDiscarded) || kind == string(journal.KindResume)
}

// leftOpen finds the event at which it is certain that an attempt's previews
// were left standing; -1 when they may still be settled, or were settled by a
// record whose event a death kept from being shown.
func (c *Case) leftOpen(p *preview) (int, string) {
	rec := -1
	if a := c.attemptBy[p.attempt]; a != nil {
		rec = max(a.assistant, a.discarded)
	}
	for i := p.last + 1; i < len(c.ev.Shown); i++ {
		s := &c.ev.Shown[i]
		if s.Record == 0 {
			continue
		}
		if rec >= 0 {
			if s.Record <= c.recs[rec].Seq {
				continue
			}
			// Its record stands. It was passed over if the life that wrote it
			// went on to show later ones.
			if s.Life == c.ev.Shown[p.last].Life || s.Life == c.lifeOfRecord(rec) {
				return i, "record " + itoa(c.recs[rec].Seq) + " (" + string(c.recs[rec].Kind) + ") was passed over, and a later one shown"
			}
			return -1, ""
		}
		switch journal.Kind(s.Kind) {
		case journal.KindAttempt, journal.KindTransition, journal.KindTerminal, journal.KindUser:
			return i, "the loop went on (" + s.Kind + ") as if they had not been shown"
		}
	}
	return -1, ""
}

// beforeRun compares each start of a tool with what was durable by then.
func beforeRun(c *Case) []Finding {
	var out []Finding
	blamed := map[string]bool{}
	blame := func(k *call, where Place, around []string, why string) {
		if !blamed[k.id] {
			blamed[k.id] = true
			out = append(out, found(where, around, "%s was entered for call %s before that was recorded: %s", k.named(), k.id, why))
		}
	}
	var disk durable
	for i := range c.ev.Trace {
		s := &c.ev.Trace[i]
		disk.step(s)
		if s.Kind != evidence.StepToolStart || s.Call == "" {
			continue
		}
		k := c.callBy[s.Call]
		why := ""
		switch {
		case k.rec < 0:
			why = "the transcript holds no call record with that id"
		case disk.transcript < c.at[k.rec].End:
			why = "its call record was not durable; " + c.durableUpTo(disk.transcript)
		case len(k.started) == 0:
			why = "the transcript holds no started record for it"
		case disk.transcript < c.at[k.started[0]].End:
			why = "its started record was not durable; " + c.durableUpTo(disk.transcript)
		}
		if why != "" {
			where, around := c.step(i)
			blame(k, where, around, why)
		}
	}
	for _, k := range c.calls {
		if blamed[k.id] {
			continue
		}
		switch {
		case len(k.effects) > 0 && k.rec < 0:
			where, around := c.effect(k.effects[0])
			blame(k, where, around, "it had an effect, and the transcript holds no call record with that id")
		case len(k.effects) > 0 && len(k.started) == 0:
			where, around := c.effect(k.effects[0])
			blame(k, where, around, "it had an effect, and the transcript holds no started record for it")
		case len(k.started) > 0 && (k.rec < 0 || k.rec > k.started[0]):
			where, around := c.record(k.started[0])
			blame(k, where, around, "its started record stands before any record of the call")
		case len(k.started) > 0 && c.recs[k.rec].Refused != "" && !c.isGiven(k):
			where, around := c.record(k.started[0])
			out = append(out, found(where, around, "%s was started for call %s, whose record says that it is refused (%s): what was refused does not run, whoever takes it up", k.named(), k.id, c.recs[k.rec].Refused))
		}
	}
	return append(out, c.approvals()...)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
