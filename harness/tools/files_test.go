package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// leftovers fails when a temporary file was left.
func (b *bench) leftovers() {
	b.t.Helper()
	filepath.WalkDir(b.dir, func(p string, d os.DirEntry, err error) error {
		if strings.Contains(d.Name(), ".bench-") {
			b.t.Errorf("left behind: %s", p)
		}
		return nil
	})
}

func TestWriteFile(t *testing.T) {
	b := newBench(t)
	b.expect("write_file", args{"path": "a.txt", "content": "one\n"}, "", "Created a.txt (4 bytes).")
	b.expect("write_file", args{"path": "a.txt", "content": "b"}, "", "Replaced a.txt (1 byte).")
	b.expect("write_file", args{"path": "x/y/z.txt", "content": ""}, "", "Created x/y/z.txt (0 bytes).")
	if b.read("a.txt") != "b" || b.read("x/y/z.txt") != "" {
		t.Error("the content is wrong")
	}
	b.expect("write_file", args{"path": "a.txt/b", "content": "x"}, "not_found", "...a part of the path is a file...")

	os.Chmod(filepath.Join(b.dir, "a.txt"), 0o751)
	b.expect("write_file", args{"path": "a.txt", "content": "c"}, "", "Replaced a.txt (1 byte).")
	if info, _ := os.Stat(filepath.Join(b.dir, "a.txt")); info.Mode().Perm() != 0o751 {
		t.Errorf("the mode is now %v", info.Mode())
	}
	os.Chmod(filepath.Join(b.dir, "a.txt"), 0o444)
	b.expect("write_file", args{"path": "a.txt", "content": "d"}, "access_denied", "a.txt is read-only. ...")
	if b.read("a.txt") != "c" {
		t.Error("a read-only file was changed")
	}

	b.write("real.txt", "real")
	b.link("real.txt", "link")
	b.expect("write_file", args{"path": "link", "content": "x"}, "not_regular", "link is a symbolic link to real.txt. Write to the file that it leads to.")
	b.link("gone", "dangling")
	b.expect("write_file", args{"path": "dangling", "content": "x"}, "not_regular", "dangling is a symbolic link to gone. ...")
	b.link("x", "dir-link")
	b.expect("write_file", args{"path": "dir-link/new.txt", "content": "x"}, "", "Created dir-link/new.txt (1 byte).")
	if b.read("x/new.txt") != "x" || b.read("real.txt") != "real" {
		t.Error("links were not followed as they should")
	}

	// A temporary file that a crash left is in nobody's way.
	b.write(".bench-0.tmp", "left")
	b.expect("write_file", args{"path": "new.txt", "content": "x"}, "", "Created new.txt (1 byte).")
	if b.read(".bench-0.tmp") != "left" {
		t.Error("somebody else's file was used")
	}
	os.Remove(filepath.Join(b.dir, ".bench-0.tmp"))
	b.leftovers()
}

func TestEditFile(t *testing.T) {
	for _, c := range []struct {
		name, before, old, new string
		all                    bool
		code, want, after      string // after "" : unchanged
	}{
		{name: "once", before: "a\nb\nc\n", old: "b", new: "B", want: "Edited f (line 2).", after: "a\nB\nc\n"},
		{name: "over lines", before: "a\nb\nc\n", old: "a\nb\n", new: "", want: "Edited f (line 1).", after: "c\n"},
		{name: "dollar is no pattern", before: "a.c\n", old: ".", new: "$1\\", want: "Edited f (line 1).", after: "a$1\\c\n"},
		{name: "all", before: "x x\nx\n", old: "x", new: "yy", all: true, want: "Edited f (lines 1, 1, 2).", after: "yy yy\nyy\n"},
		{name: "all of one", before: "x\n", old: "x", new: "y", all: true, want: "Edited f (line 1).", after: "y\n"},
		{name: "bytes stay", before: "caf\xe9 \x00 b\n", old: "b", new: "c", want: "Edited f (line 1).", after: "caf\xe9 \x00 c\n"},
		{name: "same", before: "x\n", old: "x", new: "x", code: "invalid_arguments", want: "old_string and new_string are the same..."},
		{name: "twice", before: "x\ny\nx\n", old: "x", new: "z", code: "invalid_arguments", want: "old_string occurs 2 times in f (lines 1, 3), so nothing was changed. Take more..."},
		{name: "often", before: strings.Repeat("x\n", 15), old: "x", new: "z", code: "invalid_arguments", want: "old_string occurs 15 times in f (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, and 5 more), so..."},
		{name: "overlapping counts once", before: "aaa\n", old: "aa", new: "b", want: "Edited f (line 1).", after: "ba\n"},
		{name: "nowhere", before: "x\n", old: "y", new: "z", code: "not_found", want: "old_string does not occur in f, so nothing was changed. Read the file again and copy the text exactly."},
		{name: "nowhere in nothing", before: "", old: "y", new: "z", code: "not_found", want: "old_string does not occur in f..."},
		{name: "white space", before: "a\n\tif x  {\n\t\ty\n", old: "    if x {\n        y", new: "z", code: "not_found", want: "...Line 2 is the same but for white space: copy it exactly."},
		{name: "case", before: "Hello\n", old: "hello", new: "z", code: "not_found", want: "...other upper and lower case..."},
		{name: "CR LF", before: "a\r\nb\r\n", old: "a\nb", new: "z", code: "not_found", want: "...ends its lines with CR LF: write \\r\\n in old_string and new_string."},
		{name: "line numbers", before: "\tone\n\ttwo\n", old: "     1\t\tone\n     2\t\ttwo", new: "z", code: "not_found", want: "...Leave out the line numbers..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.write("f", c.before)
			in := args{"path": "f", "old_string": c.old, "new_string": c.new}
			if c.all {
				in["replace_all"] = true
			}
			b.expect("edit_file", in, c.code, c.want)
			want := c.after
			if c.code != "" {
				want = c.before
			}
			if got := b.read("f"); got != want {
				t.Errorf("the file is %q, want %q", got, want)
			}
			b.leftovers()
		})
	}
	b := newBench(t)
	b.write("real.txt", "real")
	b.link("real.txt", "link")
	b.expect("edit_file", args{"path": "link", "old_string": "real", "new_string": "b"}, "not_regular", "link is a symbolic link to real.txt. ...")
	b.expect("edit_file", args{"path": "none", "old_string": "a", "new_string": "b"}, "not_found", "none does not exist. ...")
	if no := b.reg.Validate("edit_file", []byte(`{"path":"f","old_string":"","new_string":"b"}`)); no == nil {
		t.Error("an empty old_string is not refused")
	}
	b.write("big", strings.Repeat("x", 16<<20+1))
	b.expect("edit_file", args{"path": "big", "old_string": "a", "new_string": "b"}, "execution_error", "big is too large for this (more than 16777216 bytes). Use bash, with sed or awk.")
}

func TestGlob(t *testing.T) {
	b := newBench(t)
	for _, n := range []string{"a.go", "b.txt", "d/c.go", "d/e/f.go", "d/e/g_test.go", ".hidden", ".git/config", "d/.git/x.go", "a-b/x.go", "a.b/x.go", "z[1].txt"} {
		b.write(n, "")
	}
	b.link("b.txt", "link.txt")
	b.link("d", "dir-link")
	b.link("gone", "dangling.txt")
	for _, c := range []struct{ pattern, path, want string }{
		{"*.go", "", "a.go\n"},
		{"**/*.go", "", "a-b/x.go\na.b/x.go\na.go\nd/c.go\nd/e/f.go\nd/e/g_test.go\n"},
		{"d/**", "", "d/c.go\nd/e/f.go\nd/e/g_test.go\n"},
		{"**/e/**", "", "d/e/f.go\nd/e/g_test.go\n"},
		{"**/**/f.go", "", "d/e/f.go\n"},
		{"d/*", "", "d/c.go\n"},
		{"d/*/*", "", "d/e/f.go\nd/e/g_test.go\n"},
		{"*.txt", "", "b.txt\nlink.txt\nz[1].txt\n"},
		{"?.txt", "", "b.txt\n"},
		{"[ab].*", "", "a.go\nb.txt\n"},
		{`z\[1\].txt`, "", "z[1].txt\n"},
		{"*.{go,txt}", "", "a.go\nb.txt\nlink.txt\nz[1].txt\n"},
		{"{a,d/{c,e/f}}.go", "", "a.go\nd/c.go\nd/e/f.go\n"},
		{"{a}.go", "", "(no files match)\n* does not match across folders: **/{a}.go searches them all."},
		{"./*.go", "", "a.go\n"},
		{"*.go", "d", "d/c.go\n"},
		{"**/*.go", "d/e", "d/e/f.go\nd/e/g_test.go\n"},
		{"c.go", filepath.Join(b.dir, "d"), "d/c.go\n"},
		{filepath.Join(b.dir, "d", "*.go"), "", "d/c.go\n"},
		{".*", "", ".hidden\n"},
		{"**/config", "", "(no files match)"},
		{"*.rs", "", "(no files match)\n* does not match across folders: **/*.rs searches them all."},
	} {
		in := args{"pattern": c.pattern}
		if c.path != "" {
			in["path"] = c.path
		}
		b.expect("glob", in, "", c.want)
	}
	b.expect("glob", args{"pattern": "[a"}, "invalid_arguments", "The pattern [a is not valid. ...")
	b.expect("glob", args{"pattern": ""}, "invalid_arguments", "...is not valid...")
	b.expect("glob", args{"pattern": "*", "path": "a.go"}, "invalid_arguments", "a.go is not a folder. ...")
	b.expect("glob", args{"pattern": "*", "path": "nope"}, "not_found", "nope does not exist. ...")
	b.expect("glob", args{"pattern": strings.Repeat("{a,b}", 7)}, "invalid_arguments", "...more than 64 alternatives...")
	b.expect("glob", args{"pattern": strings.Repeat("**/", 2000) + "x"}, "", "(no files match)")
}

func TestGlobIsBounded(t *testing.T) {
	b := newBench(t)
	for i := range 1003 {
		b.write("f"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))+".txt", "")
	}
	b.expect("glob", args{"pattern": "*.txt"}, "", "...\n(and 3 files more: use a narrower pattern)\n")
	b.opt.Limit = 400
	if o := b.call(context.Background(), "glob", args{"pattern": "*.txt"}); o.Cut != 0 || !strings.HasSuffix(o.Text, " files more: use a narrower pattern)\n") {
		t.Errorf("got %+v", o)
	}
}

func TestGrep(t *testing.T) {
	b := newBench(t)
	b.write("a.go", "package a\n\nfunc Foo() {}\n")
	b.write("d/b.go", "func Bar() {}\r\nfoo\n")
	b.write("d.txt", "func in text\n")
	b.write("bin", "func\x00")
	b.write(".git/x", "func")
	b.write("long", strings.Repeat("é", 5000)+"NEEDLE"+strings.Repeat("ü", 5000))
	for _, c := range []struct {
		in   args
		want string
	}{
		{args{"pattern": "func"}, "a.go:3: func Foo() {}\nd.txt:1: func in text\nd/b.go:1: func Bar() {}\n"},
		{args{"pattern": "^func .*$"}, "a.go:3: func Foo() {}\nd.txt:1: func in text\nd/b.go:1: func Bar() {}\n"},
		{args{"pattern": "func", "glob": "*.go"}, "a.go:3: func Foo() {}\nd/b.go:1: func Bar() {}\n"},
		{args{"pattern": "func", "glob": "d/*.go"}, "d/b.go:1: func Bar() {}\n"},
		{args{"pattern": "func", "glob": "*.{rs,txt}"}, "d.txt:1: func in text\n"},
		{args{"pattern": "func", "path": "d"}, "d/b.go:1: func Bar() {}\n"},
		{args{"pattern": "func", "path": "d", "glob": "b.go"}, "d/b.go:1: func Bar() {}\n"},
		{args{"pattern": "func", "path": "a.go"}, "a.go:3: func Foo() {}\n"},
		{args{"pattern": "foo", "ignore_case": true}, "a.go:3: func Foo() {}\nd/b.go:2: foo\n"},
		{args{"pattern": `foo$`}, "d/b.go:2: foo\n"},
		{args{"pattern": "{}$", "glob": "b.go"}, "d/b.go:1: func Bar() {}\n"}, // the CR is no part of the line
		{args{"pattern": "nothing"}, "(no matches)\n"},
		{args{"pattern": "NEEDLE"}, "long:1: ..." + strings.Repeat("é", 37) + "NEEDLE" + strings.Repeat("ü", 110) + "...\n"},
		{args{"pattern": "^$"}, "a.go:2: \n"},
	} {
		b.expect("grep", c.in, "", c.want)
	}
	b.expect("grep", args{"pattern": "a(?=b)"}, "invalid_arguments", "The pattern a(?=b) is not a valid regular expression: invalid or unsupported Perl syntax...")
	b.expect("grep", args{"pattern": "("}, "invalid_arguments", "...missing closing )...")
	b.expect("grep", args{"pattern": "a", "path": "nope"}, "not_found", "...")
	b.expect("grep", args{"pattern": "a", "glob": "[a"}, "invalid_arguments", "The pattern [a is not valid. ...")

	b.write("many", strings.Repeat("hit\n", 600))
	b.expect("grep", args{"pattern": "hit"}, "", "...many:500: hit\n(there are more matches: use a narrower pattern, path or glob)\n")
	b.write("big", strings.Repeat("x", 16<<20+1))
	b.expect("grep", args{"pattern": "Foo"}, "", "a.go:3: func Foo() {}\n(1 file not searched: too large, or not readable)\n")
	b.opt.Limit = 330
	b.expect("grep", args{"pattern": "hit"}, "", "...many:13: hit\n(there are more matches: use a narrower pattern, path or glob)\n(1 file not searched: too large, or not readable)\n")
}
