package tools

import (
	"os"
	"path/filepath"
	"strings"
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
