package journal

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

var ledgers = []string{TranscriptFile, AuditFile, HeadFile}

// TestEveryByte: in a session at rest no byte of any file can be changed without
// Verify noticing (I1). None is harmless: there is no list of exceptions.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	files, _ := reference(t)
	if err := verifyFiles(files); err != nil {
		t.Fatal(err)
	}
	masks := []byte{0x01, 0x20, 0x80}
	if os.Getenv("BENCH_EXHAUSTIVE") != "" {
		masks = nil
		for m := range 255 {
			masks = append(masks, byte(m+1))
		}
	}
	for _, name := range ledgers {
		good := files[name]
		b := []byte(good)
		for i := 0; i < len(b); i += stepSweeps {
			try := func(c byte) {
				if c == good[i] {
					return
				}
				b[i] = c
				f := maps.Clone(files)
				f[name] = string(b)
				if err := verifyFiles(f); err == nil {
					t.Fatalf("%s, byte %d: %q for %q is not noticed", name, i, c, good[i])
				} else if s := err.Error(); !strings.Contains(s, ": ") || strings.Contains(s, "\n") {
					t.Fatalf("%s, byte %d: no sentence: %q", name, i, s)
				}
				b[i] = good[i]
			}
			for _, m := range masks {
				try(good[i] ^ m)
			}
			try(0)
			try('\n')
		}
	}
}

// TestEveryByteAfterCrash: behind the last anchor a change may look like what a
// crash leaves. Then Open says so, with a quarantine record; it never takes the
// changed byte for what was recorded.
func TestEveryByteAfterCrash(t *testing.T) {
	t.Parallel()
	d := newDisk()
	sample(t, d.env()) // the second run is not anchored
	files := d.files()
	refused, noted := 0, 0
	for _, name := range ledgers {
		good := files[name]
		for i := 0; i < len(good); i += stepSweeps {
			for _, c := range []byte{good[i] ^ 1, 0, '\n'} {
				if c == good[i] {
					continue
				}
				f := maps.Clone(files)
				f[name] = good[:i] + string([]byte{c}) + good[i+1:]
				d := diskOf(f)
				_, l, err := Open(d.env())
				switch {
				case err != nil && !maps.Equal(d.files(), f):
					t.Fatalf("%s, byte %d: refused, and yet touched", name, i)
				case err != nil:
					refused++
				case len(l.Quarantined) > 0 && name == AuditFile:
					noted++
				default:
					t.Fatalf("%s, byte %d: %q for %q is taken as it is", name, i, c, good[i])
				}
			}
		}
	}
	t.Logf("%d refused, %d noted", refused, noted)
	if noted == 0 {
		t.Error("no change looked like a crash: the test proves less than it says")
	}
}

// TestLines moves, removes, repeats and swaps whole lines.
func TestLines(t *testing.T) {
	files, _ := reference(t)
	for _, name := range []string{TranscriptFile, AuditFile} {
		lines := strings.SplitAfter(files[name], "\n")
		lines = lines[:len(lines)-1]
		try := func(what string, i int, to ...string) {
			f := maps.Clone(files)
			f[name] = strings.Join(lines[:i], "") + strings.Join(to, "")
			if err := verifyFiles(f); err == nil {
				t.Errorf("%s of %s line %d is not noticed by Verify", what, name, i+1)
			}
			d := diskOf(f)
			if _, _, err := Open(d.env()); err == nil || !maps.Equal(d.files(), f) {
				t.Errorf("%s of %s line %d: Open says %v", what, name, i+1, err)
			}
		}
		for i := range lines {
			try("the loss", i, lines[i+1:]...)
			try("the end", i)
			try("a repeat", i, append([]string{lines[i], lines[i]}, lines[i+1:]...)...)
			if i > 0 {
				try("a copy of the first", i, append([]string{lines[0]}, lines[i+1:]...)...)
			}
			if i+1 < len(lines) {
				try("a swap", i, append([]string{lines[i+1], lines[i]}, lines[i+2:]...)...)
			}
		}
	}
}

// TestForgedSession: somebody who edits a record and repairs the hashes as far
// as one file goes is found by the other (H10).
func TestForgedSession(t *testing.T) {
	files, recs := reference(t)
	var entries []Entry
	for e, err := range Entries(strings.NewReader(files[AuditFile])) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	rebuild := func(recs []Record, entries []Entry) map[string]string {
		var tr, au []byte
		for i := range recs {
			tr = append(AppendRecord(tr, &recs[i]), '\n')
		}
		for i := range entries {
			au = append(AppendEntry(au, &entries[i]), '\n')
		}
		return map[string]string{TranscriptFile: string(tr), AuditFile: string(au), HeadFile: files[HeadFile]}
	}
	if f := rebuild(recs, entries); f[TranscriptFile] != files[TranscriptFile] || f[AuditFile] != files[AuditFile] {
		t.Fatal("the files are not what their content says")
	}
	for i := range recs {
		r, e := append([]Record(nil), recs...), append([]Entry(nil), entries...)
		r[i].Text += "forged"
		reseal := func(from int) {
			for k := from; k < len(e); k++ {
				if k > 0 {
					e[k].Prev = e[k-1].Hash
				}
				e[k].Hash = Seal(&e[k])
			}
		}
		e[i].Line = LineHash(AppendRecord(nil, &r[i]))
		for what, f := range map[string]map[string]string{
			"the record alone":     rebuild(r, entries),
			"with its line's hash": rebuild(r, e),
		} {
			if err := verifyFiles(f); err == nil {
				t.Errorf("record %d: %s is not noticed", i+1, what)
			}
		}
		e[i].Hash = Seal(&e[i])
		if err := verifyFiles(rebuild(r, e)); err == nil {
			t.Errorf("record %d: with its entry sealed again, not noticed", i+1)
		}
		reseal(i)
		if err := verifyFiles(rebuild(r, e)); err == nil { // the records behind it carry the old hash, or audit.head does
			t.Errorf("record %d: with the whole chain sealed again, not noticed", i+1)
		}
		e = append([]Entry(nil), entries...)
		e[i].Kind = KindNotice
		reseal(i)
		if err := verifyFiles(rebuild(recs, e)); err == nil {
			t.Errorf("entry %d: another kind is not noticed", i+1)
		}
	}
}

// TestWrongWriter builds sessions whose hashes all fit, by a program that gets
// one thing wrong: the hashes alone are not the check.
func TestWrongWriter(t *testing.T) {
	build := func(r func(k int, r *Record), e func(k int, e *Entry)) error {
		var tr, au []byte
		prev := string(zeros[:])
		for k := range 4 {
			rec := Record{Seq: int64(k) + 1, Session: "s1", Kind: []Kind{KindSession, KindUser, KindNotice, KindUser}[k], Run: []int{0, 1, 1, 2}[k], Audit: prev}
			if k == 0 {
				rec.Version = Version
			}
			r(k, &rec)
			line := AppendRecord(nil, &rec)
			entry := Entry{Seq: int64(k) + 1, Kind: rec.Kind, Line: LineHash(line), Why: "why", Prev: prev}
			e(k, &entry)
			entry.Hash = Seal(&entry)
			prev = entry.Hash
			tr, au = append(append(tr, line...), '\n'), append(AppendEntry(au, &entry), '\n')
		}
		return Verify(tr, au, appendHead(nil, head{4, hashText([]byte(prev))}))
	}
	none := func(int, *Record) {}
	no := func(int, *Entry) {}
	if err := build(none, no); err != nil {
		t.Fatal(err)
	}
	for says, err := range map[string]error{
		"audit.jsonl:3: an entry for record 4; want the entry for record 3 here": build(none, func(k int, e *Entry) { e.Seq += int64(k / 2) }),
		`audit.jsonl:3: the entry is for a gate record; want kind "notice"`: build(none, func(k int, e *Entry) {
			if k == 2 {
				e.Kind = KindGate
			}
		}),
		"transcript.jsonl:2: record 3 stands here; want record 2": build(func(k int, r *Record) { r.Seq += int64(k) }, no),
		`transcript.jsonl:3: the record belongs to session "s2"`: build(func(k int, r *Record) {
			if k == 2 {
				r.Session = "s2"
			}
		}, no),
		"transcript.jsonl:4: a user record of run 1; want run 2": build(func(k int, r *Record) { r.Run = min(r.Run, 1) }, no),
		"transcript.jsonl:4: a second session record": build(func(k int, r *Record) {
			if k == 3 {
				r.Kind, r.Run = KindSession, 1
			}
		}, no),
		"transcript.jsonl:1: the session's id or the record's anchor": build(func(k int, r *Record) { r.Session = "\"" }, no),
		"transcript.jsonl:3: audit is aaaa": build(func(k int, r *Record) {
			if k == 2 {
				r.Audit = strings.Repeat("a", 64)
			}
		}, no),
		"transcript.jsonl:3: the session's id or the record's anchor": build(func(k int, r *Record) {
			if k == 2 {
				r.Audit = "a"
			}
		}, no),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("got %v, want %s", err, says)
		}
	}
}

// TestWhatNobodyNotices lists, as a test, what these files cannot prove: the
// chain has no key, and nothing outside the folder holds the head.
func TestWhatNobodyNotices(t *testing.T) {
	d := newDisk()
	sample(t, d.env()) // ends unanchored
	files := d.files()
	cut := func(s string) string { return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] }
	both := maps.Clone(files)
	both[TranscriptFile], both[AuditFile] = cut(files[TranscriptFile]), cut(files[AuditFile])
	if err := verifyFiles(both); err != nil {
		t.Errorf("both ledgers cut by the same lines behind the last anchor: %v", err)
	}
	anchored, _ := reference(t)
	both[HeadFile] = anchored[HeadFile]
	if err := verifyFiles(both); err == nil {
		t.Error("the same in front of the anchor is not noticed")
	}
	other := newDisk()
	j, _, err := Create(other.env(), "s0123456789abcdef", Record{Model: "another"})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	if err := verifyFiles(other.files()); err != nil {
		t.Errorf("everything written anew: %v", err)
	}
}

// TestVerifyAfterCrash: Verify says what Open would still repair; Inspect counts it.
func TestVerifyAfterCrash(t *testing.T) {
	for name, files := range wrecks(t) {
		err := verifyFiles(files)
		st, ierr := Inspect([]byte(files[TranscriptFile]), []byte(files[AuditFile]), []byte(files[HeadFile]))
		if ierr != nil {
			t.Errorf("%s: %v", name, ierr)
		}
		if name == "nothing" {
			if err != nil || st.Records != 17 || st.Entries != 17 || st.Anchored != 17 || st.Session != "s0123456789abcdef" || st.Tails != nil {
				t.Errorf("%s: %+v, %v", name, st, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "once the session was opened again") {
			t.Errorf("%s: %v", name, err)
		}
		if st.Entries == st.Records && len(st.Tails) == 0 {
			t.Errorf("%s: %+v", name, st)
		}
	}
	files, _ := reference(t)
	if err := Verify([]byte(files[TranscriptFile]), []byte(files[AuditFile]), nil); err == nil || !strings.Contains(err.Error(), "audit.head: missing") {
		t.Errorf("%v", err)
	}
	if err := Verify(nil, nil, appendHead(nil, head{hash: zeros})); err != nil {
		t.Errorf("an empty session: %v", err)
	}
}

// TestTornThenLost: a second crash in the next life, before anything else was
// anchored, is settled as the first was.
func TestTornThenLost(t *testing.T) {
	d := diskOf(wrecks(t)["transcript torn"])
	e := d.env()
	for round := range 5 {
		d.ops = 0
		d.killAt, d.tear = 0, 40
		var n int
		died := d.life(func(env.Env) {
			j, l := openAll(t, e)
			n = len(l.Records)
			d.killAt = d.ops + 1 + 2*(round%2) // the write of the transcript, or of the audit ledger
			j.Commit("why", &Record{Kind: KindUser})
		})
		if !died {
			t.Fatal("it lived")
		}
		j, l := openAll(t, e)
		j.Close()
		if len(l.Quarantined) != 1 || len(l.Records) != n+1+round%2 {
			t.Fatalf("round %d: %d records after %d, %d quarantined", round, len(l.Records), n, len(l.Quarantined))
		}
		if err := verifyFiles(d.files()); err != nil {
			t.Fatal(err)
		}
	}
}
