package tools

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// C13: what somebody else writes while a file is being edited is not lost.
func TestEditConflict(t *testing.T) {
	for _, c := range []struct {
		name      string
		meanwhile func(path string)
		after     string
	}{
		{"changed", func(p string) { os.WriteFile(p, []byte("theirs"), 0o644) }, "theirs"},
		{"same size and time", func(p string) {
			info, _ := os.Stat(p)
			os.WriteFile(p, []byte("OURS old"), 0o644)
			os.Chtimes(p, time.Time{}, info.ModTime())
		}, "OURS old"},
		{"replaced", func(p string) {
			os.WriteFile(p+".new", []byte("theirs"), 0o644)
			os.Rename(p+".new", p)
		}, "theirs"},
		{"removed", func(p string) { os.Remove(p) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := filepath.Join(dir, "f")
			os.WriteFile(p, []byte("ours old"), 0o644)
			w, err := OpenWorkspace(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			_, err = w.edit("f", "old", "new", false, func() { c.meanwhile(p) })
			e, ok := err.(*Error)
			if !ok || e.Code != CodeConflict || !strings.HasPrefix(e.Text, "f was changed by somebody else") {
				t.Errorf("got %v", err)
			}
			if got, _ := os.ReadFile(p); string(got) != c.after {
				t.Errorf("the file is %q, want %q", got, c.after)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".bench-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A renaming that fails leaves the original, and nothing beside it.
func TestReplaceFailsToRename(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "f"), []byte("ours"), 0o640)
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	sum := sha256.Sum256([]byte("ours"))
	w.seen.read("f", sum)
	_, err = w.replace("f", []byte("new"), func() error {
		return os.Remove(filepath.Join(dir, ".bench-0.tmp")) // what is to be renamed is gone
	})
	if err == nil {
		t.Error("no error")
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != "ours" {
		t.Errorf("the file is %q", got)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
	if w.seen.files["f"] != sum {
		t.Error("what was not written counts as seen")
	}
}

// google-gemini/gemini-cli#26731: of two edits of one file at once, forced to
// read before either writes, one is told of the conflict and none is lost.
func TestEditsAtOnce(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "f"), []byte("one two"), 0o644)
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var both, ended sync.WaitGroup
	both.Add(2)
	var looking atomic.Int32
	var first sync.Once
	errs := make([]error, 2)
	for i, old := range []string{"one", "two"} {
		ended.Go(func() {
			data, err := w.readAll("f", maxEdited)
			both.Done()
			both.Wait() // both have read
			if err != nil {
				errs[i] = err
				return
			}
			_, errs[i] = w.replace("f", bytes.Replace(data, []byte(old), []byte("edited"), 1), func() error {
				if looking.Add(1) > 1 {
					t.Error("one looked while the other was between its look and its renaming")
				}
				defer looking.Add(-1)
				first.Do(func() { // give the other every chance to look, too
					for range 20_000 {
						os.Stat(filepath.Join(dir, ".bench-1.tmp"))
					}
				})
				return w.unchanged("f", data)
			})
		})
	}
	ended.Wait()
	got, _ := os.ReadFile(filepath.Join(dir, "f"))
	var e *Error
	switch {
	case errs[0] == nil && errors.As(errs[1], &e) && e.Code == CodeConflict && string(got) == "edited two":
	case errs[1] == nil && errors.As(errs[0], &e) && e.Code == CodeConflict && string(got) == "one edited":
	default:
		t.Errorf("%v; the file is %q", errs, got)
	}
}
