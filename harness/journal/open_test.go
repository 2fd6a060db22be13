package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

// reference is the sample session when nothing happens to it.
func reference(t testing.TB) (map[string]string, []Record) {
	t.Helper()
	d := newDisk()
	sample(t, d.env())
	j, l := openAll(t, d.env())
	j.Close()
	return d.files(), l.Records
}

func verifyFiles(f map[string]string) error {
	return Verify([]byte(f[TranscriptFile]), []byte(f[AuditFile]), []byte(f[HeadFile]))
}

// same reports whether two records say the same, apart from their envelope's
// anchor: what a repair wrote before them may differ.
func same(a, b Record) bool {
	a.Audit, b.Audit = "", ""
	return reflect.DeepEqual(a, b)
}

// changes is what a disk was told to do, syncs of what is there apart.
func changes(d *disk) []string {
	var l []string
	for _, op := range d.log {
		if op != "sync "+TranscriptFile && op != "sync "+AuditFile && op != "syncdir" {
			l = append(l, op)
		}
	}
	return l
}

// TestEveryCrashOpens writes the sample session and dies everywhere in it: at
// each operation, after each byte of each write, by kill and by power cut. What
// is left opens to a prefix of the session's records, can be continued to a
// valid session, and opening it a second time changes nothing (H7, J5).
func TestEveryCrashOpens(t *testing.T) {
	t.Parallel()
	_, want := reference(t)
	states, torn, remade := 0, 0, 0
	crashes(t, 1, 97, newDisk, func(e env.Env) { sample(t, e) }, func(what string, d *disk) {
		states++
		files := d.files()
		j, l, err := Open(d.env())
		if errors.Is(err, ErrNoSession) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v\n%q", what, err, files)
		}
		recs := l.Records[:len(l.Records)-len(l.Quarantined)]
		if len(recs) > len(want) || !slices.EqualFunc(recs, want[:len(recs)], same) {
			t.Fatalf("%s: the records are no prefix of the session's", what)
		}
		for _, q := range l.Quarantined {
			torn++
			if q.Kind != KindQuarantine || q.Bytes == 0 || q.Bytes != len(q.Text)+q.Cut || !strings.HasSuffix(files[q.Code][:len(files[q.Code])-q.Cut], q.Text) {
				t.Fatalf("%s: the tail of %s is noted as %+v", what, q.Code, q)
			}
		}
		remade += l.Remade
		if l.Entries != len(l.Records) || l.Remade > 3 {
			t.Fatalf("%s: %d entries for %d records, %d remade", what, l.Entries, len(l.Records), l.Remade)
		}
		j.Close()

		once := d.files()
		if len(once) != 3 {
			t.Fatalf("%s: left over: %q", what, once)
		}
		d.powerCuts(1, func(cut map[string]string) { // what was loaded is about to be acted upon
			if !maps.Equal(cut, once) {
				t.Fatalf("%s: a power cut right after Open takes something of what it loaded", what)
			}
		})
		d.log = nil
		j, again := openAll(t, d.env())
		if changes(d) != nil || again.Remade != 0 || again.Quarantined != nil || !maps.Equal(once, d.files()) || !reflect.DeepEqual(again.Records, l.Records) {
			t.Fatalf("%s: a second open did %q", what, d.log)
		}
		if err := j.Commit("why", &Record{Kind: KindUser}, &Record{Kind: KindTerminal}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if err := verifyFiles(d.files()); err != nil {
			t.Fatalf("%s, continued: %v", what, err)
		}
		n := 0
		for _, err := range Records(strings.NewReader(d.files()[TranscriptFile])) {
			if err != nil {
				t.Fatalf("%s, continued: %v", what, err)
			}
			n++
		}
		if n != len(l.Records)+2 || strings.Count(d.files()[AuditFile], "\"why\":\""+WhyRemade+`"`) != l.Remade {
			t.Fatalf("%s, continued: %d records after %d", what, n, len(l.Records))
		}
	})
	t.Logf("%d states, %d tails, %d entries remade", states, torn, remade)
	if states < 5000/stepSweeps || torn < 1000/stepSweeps || remade < 100 {
		t.Error("the sweep proves too little")
	}
}

// TestReaderOnEveryPrefix: the streaming reader yields the whole records of any
// beginning of a transcript, and no more.
func TestReaderOnEveryPrefix(t *testing.T) {
	files, want := reference(t)
	text := files[TranscriptFile]
	for n := range len(text) + 1 {
		var got []Record
		for r, err := range Records(strings.NewReader(text[:n])) {
			if err != nil {
				t.Fatal(n, err)
			}
			got = append(got, r)
		}
		if k := strings.Count(text[:n], "\n"); len(got) != k || !reflect.DeepEqual(got, want[:k:k]) && k > 0 {
			t.Fatalf("%d bytes: %d records, want %d", n, len(got), k)
		}
	}
}

// wrecks are what crashes leave, one of each sort.
func wrecks(t testing.TB) map[string]map[string]string {
	t.Helper()
	whole, _ := reference(t)
	m := map[string]map[string]string{"nothing": whole}
	old := newDisk() // not anchored since its creation
	e := old.env()
	j, _, err := Create(e, "s1", Record{})
	if err != nil {
		t.Fatal(err)
	}
	sampleRun(t, j, "a1", "c1")
	base := old.files()
	for _, group := range sampleGroups("a2", "c2")[:2] {
		if err := j.Commit("sample", group...); err != nil {
			t.Fatal(err)
		}
	}
	last := old.files()
	j.Close()
	cutLines := func(s string, n int) string {
		l := strings.SplitAfter(s, "\n")
		return strings.Join(l[:len(l)-1-n], "")
	}
	tr, au := last[TranscriptFile], last[AuditFile]
	put := func(name, transcript, audit string) {
		m[name] = map[string]string{TranscriptFile: transcript, AuditFile: audit, HeadFile: base[HeadFile], LockFile: ""}
		delete(m[name], LockFile)
	}
	before := cutLines(au, 3)
	put("audit lost", tr, before)
	put("audit partly lost", tr, cutLines(au, 1))
	put("audit torn", tr, au[:len(before)+100])
	put("audit torn in its second line", tr, au[:len(au)-400])
	put("audit without its newline", tr, au[:len(au)-1])
	put("audit with holes", tr, au[:len(before)+50]+strings.Repeat("\x00", 300)+au[len(before)+350:])
	put("transcript torn", tr[:len(tr)-700], before)
	put("transcript torn in the second line", tr[:len(tr)-200], before)
	put("transcript without its newline", tr[:len(tr)-1], before)
	hole := len(cutLines(tr, 3)) + 50
	put("transcript with holes", tr[:hole]+strings.Repeat("\x00", 300)+tr[hole+300:], before)
	put("transcript padded with NUL", tr+strings.Repeat("\x00", 4096), au)
	put("audit padded with NUL", tr, au+strings.Repeat("\x00", 4096))
	put("garbage behind both", tr+"\xff\xfe{", au+`{"seq":`)
	return m
}

// TestOpenCrash kills Open at every operation and after every byte of every
// write, and cuts the power there. Opened again, the session is byte for byte
// what an undisturbed Open makes of it.
func TestOpenCrash(t *testing.T) {
	t.Parallel()
	states := 0
	for name, files := range wrecks(t) {
		d := diskOf(files)
		j, first := openAll(t, d.env())
		j.Close()
		want := d.files()
		if err := verifyFiles(want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name != "nothing" && first.Remade == 0 && len(first.Quarantined) == 0 {
			t.Errorf("%s: nothing was repaired", name)
		}
		crashes(t, 7, 53, func() *disk { return diskOf(files) }, func(e env.Env) {
			j, _, err := Open(e)
			if err != nil {
				t.Fatal(err)
			}
			j.Close()
		}, func(what string, d *disk) {
			states++
			opensTo(t, name+", "+what, d, want)
		})
	}
	t.Logf("%d states", states)
	if states < 1000/stepSweeps {
		t.Error("the sweep proves too little")
	}
}

// opensTo opens a disk and compares.
func opensTo(t *testing.T, what string, d *disk, want map[string]string) {
	t.Helper()
	left := d.files()
	j, _, err := Open(d.env())
	if err != nil {
		t.Fatalf("%s: %v\n%q", what, err, left)
	}
	j.Close()
	got := d.files()
	for f := range want {
		if got[f] != want[f] {
			t.Errorf("%s: got\n%s\nwant\n%s", f, got[f], want[f])
		}
	}
	if !maps.Equal(got, want) {
		t.Fatalf("%s: not the same as undisturbed, %d files", what, len(got))
	}
}

// TestOpenCrashTwice kills an Open, and then the next one, or its power: what the
// first had written and not synced may go only now.
func TestOpenCrashTwice(t *testing.T) {
	t.Parallel()
	open := func(e env.Env) {
		j, _, err := Open(e)
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
	}
	states := 0
	for _, name := range []string{"transcript torn in the second line", "audit torn", "audit lost"} {
		files := wrecks(t)[name]
		d := diskOf(files)
		j, _ := openAll(t, d.env())
		j.Close()
		want := d.files()
		crashes(t, 401, 401, func() *disk { return diskOf(files) }, open, func(first string, left *disk) {
			if !strings.HasPrefix(first, "kill") {
				return // the power is gone already: the same as from a fresh disk
			}
			crashes(t, 401, 401, left.clone, open, func(second string, d *disk) {
				states++
				opensTo(t, name+", "+first+", "+second, d, want)
			})
		})
	}
	t.Logf("%d states", states)
	if states < 1000/stepSweeps {
		t.Error("the sweep proves too little")
	}
}

// TestOpenFails: an operation of Open that fails is an error that names its
// file, the lock is free again, and the next Open finishes the work.
func TestOpenFails(t *testing.T) {
	for name, files := range wrecks(t) {
		d := diskOf(files)
		j, _ := openAll(t, d.env())
		j.Close()
		want := d.files()
		for op := 1; ; op++ {
			d := diskOf(files)
			d.failAt, d.err, d.tear = op, errors.New("disk full"), 5
			j, _, err := Open(d.env())
			if d.ops < op {
				if err != nil {
					t.Fatal(err)
				}
				j.Close()
				break
			}
			if err == nil || !strings.Contains(err.Error(), "disk full") || d.locked {
				t.Fatalf("%s, operation %d (%s): %v, locked %v", name, op, d.log[op-1], err, d.locked)
			}
			d.failAt = 0
			j, _ = openAll(t, d.env())
			j.Close()
			if !maps.Equal(d.files(), want) {
				t.Fatalf("%s, operation %d (%s): not the same as undisturbed", name, op, d.log[op-1])
			}
		}
	}
}

// TestQuarantineNote pins what a reader of the transcript sees of a tail.
func TestQuarantineNote(t *testing.T) {
	files := wrecks(t)["garbage behind both"]
	files[TranscriptFile] += strings.Repeat("x", 2000)
	d := diskOf(files)
	e, p := probed(d)
	j, l := openAll(t, e)
	defer j.Close()
	var got []string
	for _, q := range l.Quarantined {
		got = append(got, fmt.Sprintf("%d run %d %s: %s: %.6q %d bytes, %d of them not shown", q.Seq, q.Run, q.Code, q.Detail, q.Text, q.Bytes, q.Cut))
	}
	n := strings.Count(files[TranscriptFile], "\n")
	want := []string{
		fmt.Sprintf("%d run 2 transcript.jsonl: line %d, from byte %d: \"\\xff\\xfe{xxx\" 2003 bytes, 1747 of them not shown", n+1, n+1, len(files[TranscriptFile])-2003),
		fmt.Sprintf("%d run 2 audit.jsonl: line %d, from byte %d: \"{\\\"seq\\\"\" 7 bytes, 0 of them not shown", n+2, n+1, len(files[AuditFile])-7),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	p.flush()
	if all := strings.Join(p.log, "\n"); !strings.Contains(all, fmt.Sprintf("append.before %d:quarantine %d:quarantine", n+1, n+2)) {
		t.Errorf("the note does not pass the probe:\n%s", all)
	}
}

// TestRemadeMarked: entries that Open made again say so, pass the probe, and
// hold what the lost ones held.
func TestRemadeMarked(t *testing.T) {
	files := wrecks(t)["audit partly lost"]
	d := diskOf(files)
	e, p := probed(d)
	j, l := openAll(t, e)
	defer j.Close()
	p.flush()
	n := len(l.Records)
	if all := strings.Join(p.log, "\n"); l.Remade != 1 || !strings.Contains(all, fmt.Sprintf("audit.torn %d:assistant\nwrite audit.jsonl\naudit.written %d:assistant\nsync audit.jsonl", n, n)) {
		t.Errorf("%d remade:\n%s", l.Remade, all)
	}
	var last Entry
	for e, err := range Entries(strings.NewReader(d.files()[AuditFile])) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	line := AppendRecord(nil, &l.Records[n-1])
	if last.Why != WhyRemade || last.Seq != int64(n) || last.Kind != KindAssistant || last.Line != LineHash(line) || last.Hash != Seal(&last) {
		t.Errorf("%+v", last)
	}
}

func TestOpenRefuses(t *testing.T) {
	whole, _ := reference(t)
	with := func(over map[string]string) map[string]string {
		m := maps.Clone(whole)
		for k, v := range over {
			if m[k] = v; v == "-" {
				delete(m, k)
			}
		}
		return m
	}
	tr := whole[TranscriptFile]
	one := func(old, new string) map[string]string {
		if !strings.Contains(tr, old) {
			t.Fatalf("the sample lacks %q", old)
		}
		return with(map[string]string{TranscriptFile: strings.Replace(tr, old, new, 1)})
	}
	unsealed := wrecks(t)["audit lost"]
	unsealed[TranscriptFile] = strings.Replace(unsealed[TranscriptFile], `"kind":"assistant","attempt":"a2"`, `"kind":"assistent","attempt":"a2"`, 1)
	for _, c := range []struct {
		name  string
		files map[string]string
		links map[string]fs.FileMode
		is    error
		says  string
	}{
		{"a bad line that no entry seals", unsealed, nil, nil, `unknown kind "assistent"`},
		{"an empty folder", nil, nil, ErrNoSession, "no session here"},
		{"a folder of something else", map[string]string{"README": "x"}, nil, ErrNoSession, ""},
		{"a creation that was interrupted", map[string]string{TranscriptFile: opening}, nil, ErrNoSession, ""},
		{"a stranger's file", map[string]string{TranscriptFile: "my notes"}, nil, nil, `begins with "my notes"`},
		{"a stranger's lines", with(map[string]string{TranscriptFile: "my\nnotes\n"}), nil, nil, "transcript.jsonl:1: not JSON at column 1"},
		{"no session record", with(map[string]string{TranscriptFile: strings.Replace(tr, `"kind":"session","version":1,`, `"kind":"notice",`, 1)}), nil, nil, `transcript.jsonl:1: the first record is "notice": the folder is not a session`},
		{"another version", one(`"version":1`, `"version":2`), nil, nil, "transcript.jsonl:1: format version 2; want version 1"},
		{"no version", one(`"version":1,`, ``), nil, nil, "transcript.jsonl:1: format version 0; want version 1"},
		{"another session's record", one(`"session":"s0123456789abcdef","run":1,"kind":"user"`, `"session":"s2","run":1,"kind":"user"`), nil, nil, `transcript.jsonl:2: the record belongs to session "s2"; want session "s0123456789abcdef"`},
		{"a gap", one(`{"seq":2,`, `{"seq":3,`), nil, nil, "transcript.jsonl:2: record 3 stands here; want record 2"},
		{"a wrong run", one(`"run":1,"kind":"attempt"`, `"run":2,"kind":"attempt"`), nil, nil, "transcript.jsonl:3: a attempt record of run 2; want run 1"},
		{"a bad line", one(`"kind":"started"`, `"kind":"begun"`), nil, nil, `transcript.jsonl:6: unknown kind "begun"`},
		{"CR LF", one("}\n", "}\r\n"), nil, nil, "transcript.jsonl:1: the line ends in CR LF"},
		{"an edited line", one(`"cut":7`, `"cut":8`), nil, nil, "transcript.jsonl:7: the line was altered: its hash is not the one in its audit entry; want sha256 "},
		{"a link", with(map[string]string{TranscriptFile: "-"}), map[string]fs.FileMode{TranscriptFile: fs.ModeSymlink}, nil, "transcript.jsonl: not a regular file but a symbolic link"},
		{"a linked audit", with(map[string]string{AuditFile: "-"}), map[string]fs.FileMode{AuditFile: fs.ModeSymlink}, nil, "audit.jsonl: not a regular file but a symbolic link"},
		{"a linked head", with(map[string]string{HeadFile: "-"}), map[string]fs.FileMode{HeadFile: fs.ModeSymlink}, nil, "audit.head: not a regular file but a symbolic link"},
		{"audit deleted", with(map[string]string{AuditFile: "-"}), nil, nil, "audit.jsonl: missing"},
		{"audit emptied", with(map[string]string{AuditFile: ""}), nil, nil, "audit.jsonl:1: no entry for record 1, though record 2 was written after it"},
		{"head deleted", with(map[string]string{HeadFile: "-"}), nil, nil, "audit.head: missing"},
		{"audit and head deleted", with(map[string]string{HeadFile: "-", AuditFile: "-"}), nil, nil, "audit"},
		{"head emptied", with(map[string]string{HeadFile: ""}), nil, nil, `audit.head:1: unreadable: ""`},
		{"head of zero entries, audit emptied", with(map[string]string{AuditFile: "", HeadFile: string(appendHead(nil, head{hash: zeros}))}), nil, nil, "no entry for record 1"},
		{"a long head", with(map[string]string{HeadFile: strings.Repeat("x", 1000)}), nil, nil, "audit.head: 1000 bytes long; want at most 256"},
		{"a foreign repair file", with(map[string]string{RepairFile: "x"}), nil, nil, "repair: not what an interrupted open leaves"},
		{"a repair file that cuts records off", with(map[string]string{RepairFile: fmt.Sprintf("{\"transcript\":%d,\"audit\":%d}\n", strings.LastIndex(tr[:len(tr)-1], "\n")+1, len(whole[AuditFile]))}), nil, nil, ""},
		{"a repair file that cuts both", with(map[string]string{
			RepairFile: fmt.Sprintf("{\"transcript\":%d,\"audit\":%d}\n", strings.LastIndex(tr[:len(tr)-1], "\n")+1, strings.LastIndex(whole[AuditFile][:len(whole[AuditFile])-1], "\n")+1),
			HeadFile:   string(appendHead(nil, head{hash: zeros})),
		}), nil, nil, "repair:1: would cut lines off transcript.jsonl that no repair wrote"},
		{"a repair file that cuts in a line", with(map[string]string{RepairFile: "{\"transcript\":100,\"audit\":100}\n"}), nil, nil, "audit.head:1: counts 17 audit entries"},
		{"a repair file beyond the end", with(map[string]string{RepairFile: "{\"transcript\":1000000,\"audit\":1000000}\n"}), nil, nil, "which are no ends of lines"},
	} {
		d := diskOf(c.files)
		d.links = c.links
		_, _, err := Open(d.env())
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
		if d.ops > 0 || !maps.Equal(d.files(), c.files) && len(c.files) > 0 {
			t.Errorf("%s: something was touched: %q", c.name, d.log)
		}
		if d.locked {
			t.Errorf("%s: the lock is still held", c.name)
		}
	}
	d := diskOf(whole)
	d.locked = true
	_, _, err := Open(d.env())
	if !errors.Is(err, env.ErrLocked) || !strings.Contains(err.Error(), "lock: the session is held by another process") {
		t.Errorf("%v", err)
	}
}

// TestLongLines: lines longer than any buffer, and the exact ends of buffers.
func TestLongLines(t *testing.T) {
	for _, n := range []int{1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000, 1 << 20} {
		d := newDisk()
		j, _, err := Create(d.env(), "s1", Record{})
		if err != nil {
			t.Fatal(err)
		}
		pad := n - len(AppendRecord(nil, &Record{Seq: 2, Time: 1_700_000_000_000, Session: "s1", Kind: KindNotice, Text: "x", Audit: string(zeros[:])}))
		r := &Record{Kind: KindNotice, Text: strings.Repeat("x", max(pad, 1))}
		if err := j.Commit("why", r, &Record{Kind: KindNotice, Text: "after"}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		_, l := openAll(t, d.env())
		if len(l.Records) != 3 || !reflect.DeepEqual(&l.Records[1], r) || l.Records[2].Text != "after" {
			t.Errorf("%d bytes: not the same", n)
		}
	}
}

func FuzzOpen(f *testing.F) {
	whole, _ := reference(f)
	add := func(m map[string]string) {
		f.Add([]byte(m[TranscriptFile]), []byte(m[AuditFile]), []byte(m[HeadFile]), []byte(m[RepairFile]))
	}
	add(whole)
	for _, m := range wrecks(f) {
		add(m)
		fix := newRepairOf(f, m)
		m[RepairFile] = fix
		add(m)
	}
	f.Fuzz(func(t *testing.T, tr, au, hd, fix []byte) {
		files := map[string]string{TranscriptFile: string(tr), AuditFile: string(au), HeadFile: string(hd)}
		if len(fix) > 0 {
			files[RepairFile] = string(fix)
		}
		d := diskOf(files)
		j, l, err := Open(d.env())
		if err != nil {
			if d.ops > 0 || !maps.Equal(d.files(), files) {
				t.Fatalf("refused (%v), and yet touched: %q", err, d.log)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("no sentence: %v", err)
			}
			return
		}
		if len(fix) == 0 {
			if st, err := Inspect(tr, au, hd); err != nil || st.Records != int64(len(l.Records)-len(l.Quarantined)) || st.Records-st.Entries != int64(l.Remade) || len(st.Tails) != len(l.Quarantined) {
				t.Fatalf("opened, but inspected as %+v, %v", st, err)
			}
			lines := bytes.SplitAfter([]byte(d.files()[TranscriptFile]), []byte("\n"))[:len(l.Records)-len(l.Quarantined)]
			if !bytes.HasPrefix(tr, bytes.Join(lines, nil)) {
				t.Fatal("a record was changed")
			}
		}
		if err := j.Commit("why", &Record{Kind: KindUser}); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if err := verifyFiles(d.files()); err != nil {
			t.Fatal(err)
		}
	})
}

// newRepairOf is the repair file that an Open of a wreck makes.
func newRepairOf(t testing.TB, files map[string]string) string {
	t.Helper()
	p, err := newPass(newLines(TranscriptFile, strings.NewReader(files[TranscriptFile]), 0), newLines(AuditFile, strings.NewReader(files[AuditFile]), 0), []byte(files[HeadFile]))
	if err == nil {
		err = p.run(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(newRepair(p).encode())
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// TestLongestLine: no line is written that is too long to be read.
func TestLongestLine(t *testing.T) {
	if os.Getenv("BENCH_EXHAUSTIVE") == "" {
		t.Skip("takes a gigabyte; BENCH_EXHAUSTIVE=1 runs it")
	}
	for _, err := range Records(endless{}) {
		if err == nil || !strings.Contains(err.Error(), "transcript.jsonl:1: longer than 268435456 bytes") {
			t.Error(err)
		}
	}
	d := newDisk()
	j, _, err := Create(d.env(), "s1", Record{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{Kind: KindNotice, Text: strings.Repeat("x", maxLine)}
	before := d.ops
	if err := j.Commit("why", r); err == nil || !strings.Contains(err.Error(), "refused, nothing written: record 1 of them (notice) takes more than") || d.ops != before || r.Seq != 0 {
		t.Error(err)
	}
	if err := j.Commit("why", &Record{Kind: KindNotice}); err != nil {
		t.Error(err)
	}
}
