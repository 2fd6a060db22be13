package journal

import (
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
