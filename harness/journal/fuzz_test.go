package journal

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

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
