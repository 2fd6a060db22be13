package journal

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

// tape is a probe that writes down what it is told, with the disk's log in
// between, and may do something at a point.
type tape struct {
	d    *disk
	log  []string
	at   env.Point
	do   func() error
	seen int // operations of the disk already in log
}

func (p *tape) Hit(s env.Site) error {
	p.flush()
	line := string(s.Point)
	for _, r := range s.Records {
		line += fmt.Sprintf(" %d:%s", r.Seq, r.Kind)
		if r.Call != "" {
			line += ":" + r.Call + "=" + r.ID
		}
	}
	p.log = append(p.log, line)
	if s.Point == p.at {
		p.at = ""
		return p.do()
	}
	return nil
}

func (p *tape) flush() {
	p.log = append(p.log, p.d.log[p.seen:]...)
	p.seen = len(p.d.log)
}

func probed(d *disk) (env.Env, *tape) {
	p := &tape{d: d}
	e := d.env()
	e.Probe = p
	return e, p
}

// TestProbeOrder pins the whole order of a commit: the points, what happens
// between them, and what each is told.
func TestProbeOrder(t *testing.T) {
	d := newDisk()
	e, p := probed(d)
	j, _, err := Create(e, "s1", Record{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	p.flush()
	want := `create transcript.jsonl
truncate transcript.jsonl
sync transcript.jsonl
create audit.jsonl
truncate audit.jsonl
sync audit.jsonl
empty audit.head.part
write audit.head.part
sync audit.head.part
rename audit.head.part audit.head
syncdir
` + commitOrder("1:session")
	if got := strings.Join(p.log, "\n") + "\n"; got != want {
		t.Errorf("create:\n%s\nwant:\n%s", got, want)
	}
	for _, c := range []struct {
		refs string
		recs []*Record
	}{
		{"2:call:c1=t1", []*Record{{Kind: KindCall, Call: "c1", ID: "t1"}}},
		{"3:started:c1=t1 4:result:c1=t1 5:notice", []*Record{{Kind: KindStarted, Call: "c1"}, {Kind: KindResult, Call: "c1"}, {Kind: KindNotice}}},
	} {
		p.log = nil
		if err := j.Commit("why", c.recs...); err != nil {
			t.Fatal(err)
		}
		p.flush()
		if got, want := strings.Join(p.log, "\n")+"\n", commitOrder(c.refs); got != want {
			t.Errorf("commit:\n%s\nwant:\n%s", got, want)
		}
	}
	p.log = nil
	if err := errors.Join(j.Anchor(), j.Anchor()); err != nil {
		t.Fatal(err)
	}
	p.flush()
	if got, want := strings.Join(p.log, "\n"), "empty audit.head.part\nwrite audit.head.part\nsync audit.head.part\nrename audit.head.part audit.head\nsyncdir"; got != want {
		t.Errorf("anchor:\n%s\nwant, once:\n%s", got, want)
	}
	j.Close()

	p.log = nil
	j, _ = openAll(t, e) // the provider's ids are known again, and nothing is written
	j.Commit("why", &Record{Kind: KindResult, Call: "c1"})
	p.flush()
	if got, want := strings.Join(p.log, "\n")+"\n", "sync transcript.jsonl\nsync audit.jsonl\nsyncdir\n"+commitOrder("6:result:c1=t1"); got != want {
		t.Errorf("after open:\n%s\nwant:\n%s", got, want)
	}
}

func commitOrder(refs string) string {
	return strings.ReplaceAll(`append.before REFS
append.torn REFS
write transcript.jsonl
append.written REFS
sync transcript.jsonl
append.synced REFS
audit.before REFS
audit.torn REFS
write audit.jsonl
audit.written REFS
sync audit.jsonl
audit.synced REFS
`, "REFS", refs)
}

// failures are all the ways in which a commit can fail, and what is then true:
// of the ledgers, in whole lines added, and of the error.
var failures = []struct {
	name  string
	point env.Point // where the probe fails
	op    int       // or which operation of the disk: 1 write, 2 sync, 3 write, 4 sync
	short bool
	file  string
	step  env.Point
	fate  Fate
	lines [2]int // in transcript and audit
	says  string
}{
	{"append.before", env.AppendBefore, 0, false, TranscriptFile, env.AppendBefore, Absent, [2]int{0, 0}, "step append.before of record"},
	{"append.torn", env.AppendTorn, 0, false, TranscriptFile, env.AppendTorn, Absent, [2]int{0, 0}, "the write of record"},
	{"write", "", 1, false, TranscriptFile, env.AppendTorn, Unsure, [2]int{0, 0}, "the write of record"},
	{"short write", "", 1, true, TranscriptFile, env.AppendTorn, Unsure, [2]int{0, 0}, "short write"},
	{"append.written", env.AppendWritten, 0, false, TranscriptFile, env.AppendWritten, Unsure, [2]int{1, 0}, "the sync of record"},
	{"sync", "", 2, false, TranscriptFile, env.AppendWritten, Unsure, [2]int{1, 0}, "the sync of record"},
	{"append.synced", env.AppendSynced, 0, false, TranscriptFile, env.AppendSynced, Durable, [2]int{1, 0}, "step append.synced of record"},
	{"audit.before", env.AuditBefore, 0, false, AuditFile, env.AuditBefore, Durable, [2]int{1, 0}, "audit.jsonl: step audit.before"},
	{"audit.torn", env.AuditTorn, 0, false, AuditFile, env.AuditTorn, Durable, [2]int{1, 0}, "audit.jsonl: the write"},
	{"audit write", "", 3, false, AuditFile, env.AuditTorn, Durable, [2]int{1, 0}, "audit.jsonl: the write"},
	{"audit.written", env.AuditWritten, 0, false, AuditFile, env.AuditWritten, Durable, [2]int{1, 1}, "audit.jsonl: the sync"},
	{"audit sync", "", 4, false, AuditFile, env.AuditWritten, Durable, [2]int{1, 1}, "audit.jsonl: the sync"},
	{"audit.synced", env.AuditSynced, 0, false, AuditFile, env.AuditSynced, Durable, [2]int{1, 1}, "audit.jsonl: step audit.synced"},
}

// TestFailurePoisons: a failure to record, at any step, of any kind of record,
// is reported once and for all, and nothing is written after it (H3, H6).
func TestFailurePoisons(t *testing.T) {
	for _, c := range failures {
		for _, kind := range Kinds() {
			if kind == KindSession || kind == KindQuarantine {
				continue
			}
			t.Run(c.name+"/"+string(kind), func(t *testing.T) {
				d := newDisk()
				e, p := probed(d)
				j, _, err := Create(e, "s1", Record{})
				if err != nil {
					t.Fatal(err)
				}
				if c.point != "" {
					p.at, p.do = c.point, func() error { return syscall.ENOSPC }
				} else {
					d.failAt, d.err, d.tear, d.short = d.ops+c.op, syscall.ENOSPC, 9, c.short
					if c.short {
						d.err = nil
					}
				}
				before := d.files()
				r := &Record{Kind: kind, Call: "c1"}
				err = j.Commit("why", r)
				var ce *CommitError
				if !errors.As(err, &ce) {
					t.Fatalf("got %v, want a *CommitError", err)
				}
				if ce.File != c.file || ce.Step != c.step || ce.Fate != c.fate || len(ce.Records) != 1 || ce.Records[0].Seq != 2 || ce.Records[0].Kind != string(kind) {
					t.Errorf("got %+v", ce)
				}
				if !c.short && !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("the cause is lost: %v", err)
				}
				for _, part := range []string{c.says, "2 (" + string(kind), string(c.fate)} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
				after := d.files()
				for i, name := range []string{TranscriptFile, AuditFile} {
					added := strings.TrimPrefix(after[name], before[name])
					if strings.Count(added, "\n") != c.lines[i] || !strings.HasPrefix(after[name], before[name]) {
						t.Errorf("%s gained %q, want %d lines", name, added, c.lines[i])
					}
				}
				for range 2 {
					if again := j.Commit("why", &Record{Kind: KindTerminal}); again != err {
						t.Errorf("the next commit says %v", again)
					}
					if again := j.Anchor(); again != err {
						t.Errorf("the next anchor says %v", again)
					}
				}
				if got := d.files(); !maps.Equal(got, after) {
					t.Errorf("something was written after the failure: %q", got)
				}
				if err := j.Close(); err != nil {
					t.Error(err)
				}
				d.failAt = 0
				j, l := openAll(t, d.env()) // and what is there can be opened
				defer j.Close()
				if want := 1 + c.lines[0]; len(l.Records)-len(l.Quarantined) != want {
					t.Errorf("%d records after open, want %d", len(l.Records), want)
				}
			})
		}
	}
}

// TestPanicPoisons: a panic of our own part in the middle of a commit may be
// caught further out; what follows must not be written behind half a commit.
func TestPanicPoisons(t *testing.T) {
	for _, c := range failures {
		if c.point == "" {
			continue
		}
		d := newDisk()
		e, p := probed(d)
		j, _, err := Create(e, "s1", Record{})
		if err != nil {
			t.Fatal(err)
		}
		p.at, p.do = c.point, func() error { panic("boom") }
		func() {
			defer func() {
				if recover() != "boom" {
					t.Errorf("%s: the panic was swallowed", c.name)
				}
			}()
			j.Commit("why", &Record{Kind: KindNotice})
		}()
		err = j.Commit("why", &Record{Kind: KindTerminal})
		var ce *CommitError
		if c.fate == Absent {
			if err != nil {
				t.Errorf("%s: nothing was written, and yet: %v", c.name, err)
			}
		} else if !errors.As(err, &ce) || ce.Step != c.step || ce.Fate != c.fate || ce.Records[0].Seq != 2 {
			t.Errorf("%s: got %v", c.name, err)
		}
		j.Close()
		openAll(t, d.env())
	}
}

// TestForgedEnvelope: what only the journal may say is refused, nothing is
// written, and the journal goes on (H5).
func TestForgedEnvelope(t *testing.T) {
	d := newDisk()
	j, first, err := Create(d.env(), "s1", Record{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if first.Seq != 1 || first.Version != Version || first.Session != "s1" || first.Audit != string(zeros[:]) || first.Model != "m" || first.Time == 0 {
		t.Errorf("the first record is %+v", first)
	}
	before := d.files()
	twice := &Record{Kind: KindNotice}
	for name, recs := range map[string][]*Record{
		"seq":        {{Kind: KindNotice, Seq: 2}},
		"time":       {{Kind: KindNotice, Time: 1}},
		"session":    {{Kind: KindNotice, Session: "s1"}},
		"run":        {{Kind: KindNotice, Run: 1}},
		"audit":      {{Kind: KindNotice, Audit: "x"}},
		"second one": {{Kind: KindNotice}, {Kind: KindNotice, Seq: 3}},
		"no kind":    {{}},
		"kind":       {{Kind: "message"}},
		"session2":   {{Kind: KindSession}},
		"quarantine": {{Kind: KindQuarantine}},
		"twice":      {twice, twice},
	} {
		err := j.Commit("why", recs...)
		var ce *CommitError
		if err == nil || errors.As(err, &ce) {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(err.Error(), "nothing written") {
			t.Errorf("%s: %q does not say that nothing was written", name, err)
		}
	}
	if twice.Seq != 0 || twice.Audit != "" {
		t.Errorf("a refused record keeps an envelope: %+v", twice)
	}
	if got := d.files(); !maps.Equal(got, before) {
		t.Error("something was written")
	}
	r := &Record{Kind: KindUser}
	if err := j.Commit("why", r, twice); err != nil || r.Seq != 2 || r.Run != 1 || twice.Seq != 3 || twice.Run != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	line := strings.Split(d.files()[TranscriptFile], "\n")[1]
	if got := j.LineHash(0); got != LineHash([]byte(line)) {
		t.Errorf("hash %s of %s", got, line)
	}
	if err := j.Commit("nothing"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(j.Close(), j.Close()); err != nil {
		t.Error(err)
	}
	if err := j.Commit("why", &Record{Kind: KindNotice}); err == nil {
		t.Error("a closed journal commits")
	}
}

func TestCommitAllocates(t *testing.T) {
	d := newDisk()
	j, _, err := Create(d.env(), "s1", Record{})
	if err != nil {
		t.Fatal(err)
	}
	j.transcript, j.audit = sink{}, sink{}
	r := Record{}
	got := testing.AllocsPerRun(200, func() {
		r = Record{Kind: KindResult, Call: "c1", State: Done, Text: "line\nline\n"}
		if err := j.Commit("tool returned", &r); err != nil {
			t.Fatal(err)
		}
	})
	if got > 1 { // the anchor, which the caller keeps
		t.Errorf("%v allocations a commit", got)
	}
	b := make([]byte, 0, 1<<16)
	r = *sampleGroups("a1", "c1")[1][2]
	r.Prints, r.Counters = map[string]string{"b": "x", "a": "y"}, map[string]int{"b": 1, "a": 2}
	if got := testing.AllocsPerRun(200, func() { b = AppendRecord(b[:0], &r) }); got > 0 {
		t.Errorf("AppendRecord: %v allocations", got)
	}
}

type sink struct{}

func (sink) Write(b []byte) (int, error) { return len(b), nil }
func (sink) Sync() error                 { return nil }
func (sink) Close() error                { return nil }
