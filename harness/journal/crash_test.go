package journal

import (
	"errors"
	"maps"
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

// TestKillThenPowerCut kills a process that writes, then cuts the power under the
// Open that comes after it: what the kill had left may be gone for that reason
// only now, and whatever Open had decided must not depend on it.
func TestKillThenPowerCut(t *testing.T) {
	t.Parallel()
	states := 0
	crashes(t, 131, 131, newDisk, func(e env.Env) {
		j, _, err := Create(e, "s1", Record{})
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range sampleGroups("a1", "c1")[:2] {
			if err := j.Commit("sample", group...); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Anchor(); err != nil {
			t.Fatal(err)
		}
	}, func(first string, left *disk) {
		if !strings.HasPrefix(first, "kill") {
			return
		}
		crashes(t, 131, 131, left.clone, func(e env.Env) {
			j, _, err := Open(e)
			if err == nil {
				j.Close()
			} else if !errors.Is(err, ErrNoSession) {
				t.Fatal(err)
			}
		}, func(second string, d *disk) {
			states++
			j, _, err := Open(d.env())
			if errors.Is(err, ErrNoSession) {
				return
			}
			if err == nil {
				j.Close()
				err = verifyFiles(d.files())
			}
			if err != nil {
				t.Fatalf("%s, %s: %v\n%q", first, second, err, d.files())
			}
		})
	})
	t.Logf("%d states", states)
	if states < 1000/stepSweeps {
		t.Error("the sweep proves too little")
	}
}
