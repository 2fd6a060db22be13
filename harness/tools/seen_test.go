package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// C13: what the model edits is what it saw. A file that changed since read_file
// has shown it is refused, whatever its size and time say; the model's own
// changes and a mere touch are no change.
func TestEditAfterRead(t *testing.T) {
	const conflict = "f was changed since you read it, so nothing was changed. Read it again, then edit it."
	read := func(b *bench) { b.expect("read_file", args{"path": "f"}, "", "...") }
	edit := args{"path": "f", "old_string": "old", "new_string": "new"}
	for _, c := range []struct {
		name  string
		do    func(b *bench)
		code  string
		text  string
		after string
	}{
		{"nothing happened", read, "", "Edited f (line 1).", "ours new\nsecond\n"},
		{"never read", func(b *bench) { b.write("f", "ours old!\nsecond\n") }, "", "Edited f (line 1).", "ours new!\nsecond\n"},
		{"changed elsewhere in the file", func(b *bench) { read(b); b.write("f", "ours old\nSECOND\n") }, "conflict", conflict, "ours old\nSECOND\n"},
		{"same size and time", func(b *bench) {
			read(b)
			p := filepath.Join(b.dir, "f")
			info, _ := os.Stat(p)
			b.write("f", "ours old\nsecomd\n")
			os.Chtimes(p, info.ModTime(), info.ModTime())
		}, "conflict", conflict, "ours old\nsecomd\n"},
		{"a part was read, another changed", func(b *bench) {
			b.expect("read_file", args{"path": "f", "limit": 1}, "", "...")
			b.write("f", "ours old\nSECOND\n")
		}, "conflict", conflict, "ours old\nSECOND\n"},
		{"replaced", func(b *bench) {
			read(b)
			b.write("g", "their old\n")
			os.Rename(filepath.Join(b.dir, "g"), filepath.Join(b.dir, "f"))
		}, "conflict", conflict, "their old\n"},
		{"by a command", func(b *bench) { read(b); b.expect("bash", args{"command": "echo old > f"}, "", "...") }, "conflict", conflict, "old\n"},
		{"touched", func(b *bench) { read(b); b.write("f", "ours old\nsecond\n") }, "", "Edited f (line 1).", "ours new\nsecond\n"},
		{"changed and changed back", func(b *bench) { read(b); b.write("f", "x"); b.write("f", "ours old\nsecond\n") }, "", "Edited f (line 1).", "ours new\nsecond\n"},
		{"read again", func(b *bench) { read(b); b.write("f", "their old\n"); read(b) }, "", "Edited f (line 1).", "their new\n"},
		{"read again, and nothing was shown", func(b *bench) {
			read(b)
			b.write("f", "their old\n")
			b.expect("read_file", args{"path": "f", "offset": 9}, "invalid_arguments", "...")
		}, "conflict", conflict, "their old\n"},
		{"under another name", func(b *bench) {
			b.expect("read_file", args{"path": "./x/../f"}, "", "...")
			b.write("f", "their old\n")
		}, "conflict", conflict, "their old\n"},
		{"edited before", func(b *bench) {
			read(b)
			b.expect("edit_file", args{"path": "f", "old_string": "ours", "new_string": "mine"}, "", "...")
		}, "", "Edited f (line 1).", "mine new\nsecond\n"},
		{"edited before, then changed", func(b *bench) {
			read(b)
			b.expect("edit_file", args{"path": "f", "old_string": "ours", "new_string": "mine"}, "", "...")
			b.write("f", "ours old\nsecond\n") // as it was when it was read
		}, "conflict", conflict, "ours old\nsecond\n"},
		{"written before", func(b *bench) {
			read(b)
			b.expect("write_file", args{"path": "f", "content": "an old one"}, "", "...")
		}, "", "Edited f (line 1).", "an new one"},
		{"gone and made again", func(b *bench) {
			read(b)
			os.Remove(filepath.Join(b.dir, "f"))
			b.write("f", "their old\n")
		}, "conflict", conflict, "their old\n"},
		{"another file changed", func(b *bench) { read(b); b.write("g", "x") }, "", "Edited f (line 1).", "ours new\nsecond\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write("f", "ours old\nsecond\n")
			c.do(b)
			b.expect("edit_file", edit, c.code, c.text)
			if got := b.read("f"); got != c.after {
				t.Errorf("the file is %q, want %q", got, c.after)
			}
			b.leftovers()
		})
	}
}

// A long file is known whole, though only its beginning is shown.
func TestEditAfterReadOfALongFile(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("a line of text\n", 40_000)
	b.write("f", "old\n"+long)
	b.expect("read_file", args{"path": "f"}, "", "...")
	b.expect("edit_file", args{"path": "f", "old_string": "old", "new_string": "new"}, "", "Edited f (line 1).")
	b.write("f", "new\n"+long+"x")
	b.expect("edit_file", args{"path": "f", "old_string": "new", "new_string": "newer"}, "conflict", "...")
}
