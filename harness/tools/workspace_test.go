package tools_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

// bench is a workspace with its tools, and a folder around it that nobody may
// reach.
type bench struct {
	t     testing.TB
	dir   string // the workspace
	reg   *tools.Registry
	clock env.Clock
	opt   tools.Options
}

func newBench(t testing.TB) *bench {
	t.Helper()
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outer, "ws")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := tools.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	b := &bench{t: t, dir: dir, reg: registry(t, tools.Builtin(w)...), clock: env.RealClock()}
	b.write("../secret.txt", "the secret outside")
	return b
}

func (b *bench) write(name, content string) {
	b.t.Helper()
	p := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) link(to, name string) {
	b.t.Helper()
	if err := os.Symlink(to, filepath.Join(b.dir, name)); err != nil {
		b.t.Fatal(err)
	}
}

type args map[string]any

// call validates and executes a call, as a loop does.
func (b *bench) call(ctx context.Context, tool string, in args) tools.Outcome {
	b.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	if no := b.reg.Validate(tool, raw); no != nil {
		b.t.Fatalf("%s %s: %s", tool, raw, no)
	}
	t, _ := b.reg.Lookup(tool)
	o := tools.Execute(ctx, env.Env{Clock: b.clock, Probe: env.NoProbe{}}, t, tools.Call{ID: "c1", Name: tool, Input: raw}, b.opt)
	if o.IsError != (o.State != journal.Done) || o.Text == "" || o.Stack != "" {
		b.t.Errorf("a bad outcome: %+v", o)
	}
	return o
}

// expect calls a tool and compares code and text; see says for want.
func (b *bench) expect(tool string, in args, code, want string) {
	b.t.Helper()
	o := b.call(context.Background(), tool, in)
	if o.Code != code || !says(o.Text, want) {
		b.t.Errorf("%s %v:\n\tgot  %q %q\n\twant %q %q", tool, in, o.Code, o.Text, code, want)
	}
	if strings.Contains(o.Text, "the secret outside") {
		b.t.Errorf("%s %v reached out of the workspace: %q", tool, in, o.Text)
	}
}

func TestOpenWorkspaceRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	os.WriteFile(file, nil, 0o644)
	for _, dir := range []string{"/does/not/exist", file} {
		if w, err := tools.OpenWorkspace(dir); err == nil || w != nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestBuiltinFlags(t *testing.T) {
	b := newBench(t)
	want := map[string]bool{"bash": false, "edit_file": false, "glob": true, "grep": true, "read_file": true, "write_file": false}
	for _, n := range b.reg.Names() {
		tool, _ := b.reg.Lookup(n)
		if ro, known := want[n]; !known || tool.ReadOnly != ro || tool.Idempotent != ro {
			t.Errorf("%s: read-only is %v, idempotent %v", n, tool.ReadOnly, tool.Idempotent)
		}
		if !strings.Contains(tool.Schema, `"additionalProperties":false`) {
			t.Errorf("%s takes unknown keys", n)
		}
		delete(want, n)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if no := b.reg.Validate("read_file", []byte(`{"path":"a","ofset":2}`)); no == nil || !strings.Contains(no.Sentence, "did you mean offset?") {
		t.Errorf("got %v", no)
	}
}

// No name leads out of the workspace, for any tool that takes one.
func TestWorkspaceConfines(t *testing.T) {
	b := newBench(t)
	outer := filepath.Dir(b.dir)
	b.write("in.txt", "inside")
	b.write("d/in.txt", "inside")
	b.link(filepath.Join(outer, "secret.txt"), "abs-link")
	b.link("../secret.txt", "rel-link")
	b.link("..", "up")
	b.link(outer, "abs-up")
	b.link("../../secret.txt", "d/deep-link")
	b.link("loop-b", "loop-a")
	b.link("loop-a", "loop-b")
	outside := []string{
		"../secret.txt", "..", "d/../../secret.txt", "./../secret.txt", "up/secret.txt", "abs-up/secret.txt",
		"abs-link", "rel-link", "d/deep-link", filepath.Join(outer, "secret.txt"), "/etc/passwd", "/", b.dir + "x/secret.txt",
		b.dir + "/../secret.txt", "up/ws/up/secret.txt",
	}
	for _, name := range outside {
		b.expect("read_file", args{"path": name}, "access_denied", "...is outside the workspace...")
		b.expect("grep", args{"pattern": "secret", "path": name}, "access_denied", "...is outside the workspace...")
		b.expect("edit_file", args{"path": name, "old_string": "secret", "new_string": "x"}, "access_denied", "...is outside the workspace...")
		if name != "abs-link" && name != "rel-link" && name != "d/deep-link" { // links themselves: see below
			b.expect("write_file", args{"path": name, "content": "x"}, "access_denied", "...is outside the workspace...")
		}
		b.expect("glob", args{"pattern": "*", "path": name}, "access_denied", "...is outside the workspace...")
	}
	for _, name := range []string{"abs-link", "rel-link", "d/deep-link"} {
		b.expect("write_file", args{"path": name, "content": "x"}, "not_regular", "...is a symbolic link to...")
	}
	for _, p := range []string{"../*", "/etc/*", "up/../../*", "a/{../..,b}/*"} {
		b.expect("glob", args{"pattern": p}, "access_denied", "...is outside the workspace...")
	}
	b.expect("read_file", args{"path": "loop-a"}, "access_denied", "...leads to itself...")
	// What is listed and searched stays inside, too.
	b.expect("glob", args{"pattern": "**"}, "", "d/in.txt\nin.txt\n")
	b.expect("grep", args{"pattern": "secret|inside"}, "", "d/in.txt:1: inside\nin.txt:1: inside\n")
	b.expect("grep", args{"pattern": "secret", "path": "up"}, "access_denied", "...")

	b.expect("write_file", args{"path": "up/new.txt", "content": "x"}, "access_denied", "...")
	b.expect("write_file", args{"path": "up/new/new.txt", "content": "x"}, "access_denied", "...")
	b.expect("write_file", args{"path": "../new/new.txt", "content": "x"}, "access_denied", "...")
	entries, err := os.ReadDir(outer)
	if err != nil || len(entries) != 2 {
		t.Errorf("something was made outside: %v %v", entries, err)
	}
	if got, _ := os.ReadFile(filepath.Join(outer, "secret.txt")); string(got) != "the secret outside" {
		t.Errorf("the file outside is now %q", got)
	}
}

func TestWorkspaceNames(t *testing.T) {
	b := newBench(t)
	b.write("a.txt", "one")
	b.link("a.txt", "link")
	b.link("dir", "dir-link")
	b.write("dir/b.txt", "two")
	for name, want := range map[string]string{
		"a.txt": "one", "./a.txt": "one", "dir/../a.txt": "one", "nope/../a.txt": "one", filepath.Join(b.dir, "a.txt"): "one",
		"link": "one", "dir-link/b.txt": "two", "dir//b.txt": "two",
	} {
		b.expect("read_file", args{"path": name}, "", "     1\t"+want+"\n")
	}
	b.expect("read_file", args{"path": ""}, "invalid_arguments", "The path is empty. ...")
	b.expect("read_file", args{"path": "a\x00b"}, "invalid_arguments", "The path holds a NUL byte...")
	b.expect("read_file", args{"path": "a.tx"}, "not_found", "a.tx does not exist. Did you mean a.txt?")
	b.expect("read_file", args{"path": "dir/B.txt"}, "not_found", "dir/B.txt does not exist. Did you mean dir/b.txt?")
	b.expect("read_file", args{"path": "zzz"}, "not_found", "zzz does not exist. Use glob to see what is there.")
	b.expect("read_file", args{"path": "no/such/dir"}, "not_found", "no/such/dir does not exist. Use glob...")
	b.expect("read_file", args{"path": "a.txt/b"}, "not_found", "...a part of the path is a file, not a directory...")
	b.expect("read_file", args{"path": strings.Repeat("n", 300)}, "invalid_arguments", "...is too long...")
	b.expect("read_file", args{"path": "."}, "is_directory", ". is a directory. Use glob with the pattern * to list it.")
	b.expect("read_file", args{"path": "dir"}, "is_directory", "dir is a directory. Use glob with the pattern dir/* to list it.")
	b.expect("edit_file", args{"path": "dir", "old_string": "a", "new_string": "b"}, "is_directory", "...")
	b.expect("write_file", args{"path": "dir", "content": "a"}, "is_directory", "...")
	b.expect("read_file", args{"path": "a\nb"}, "not_found", `"a b" does not exist. ...`)
}

// Opening a pipe nobody writes to would wait for ever.
func TestWorkspaceRefusesPipes(t *testing.T) {
	b := newBench(t)
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.link("pipe", "pipe-link")
	t.Chdir(b.dir) // a socket's path must be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, what := range map[string]string{"pipe": "a named pipe", "pipe-link": "a named pipe", "socket": "a socket"} {
		want := name + " is not a regular file (it is " + what + "). Use a regular file."
		b.expect("read_file", args{"path": name}, "not_regular", want)
		b.expect("edit_file", args{"path": name, "old_string": "a", "new_string": "b"}, "not_regular", want)
		b.expect("grep", args{"pattern": "a", "path": name}, "not_regular", want)
		if name != "pipe-link" {
			b.expect("write_file", args{"path": name, "content": "x"}, "not_regular", want)
		}
	}
	b.expect("glob", args{"pattern": "**"}, "", "(no files match)...")
	b.expect("grep", args{"pattern": "a"}, "", "(no matches)\n")
}

func TestReadFile(t *testing.T) {
	b := newBench(t)
	b.write("three", "one\ntwo\nthree\n")
	b.write("open", "one\r\ntwo")
	b.write("empty", "")
	b.write("newline", "\n")
	b.write("binary", "PNG\x00\x01")
	b.write("late", strings.Repeat("x", sniffed)+"\x00")
	b.write("latin1", "caf\xe9\n")
	b.write("long", strings.Repeat("é", 1500)+"\nnext\n")
	b.write("edge", strings.Repeat("x", 2000)+"\n"+strings.Repeat("y", 2001)+"\n"+strings.Repeat("z", 2000)+"\r\n")
	b.write("huge", strings.Repeat("0123456789", 1<<20)+"\nend\n")
	var many strings.Builder
	for range 3000 {
		many.WriteString("line\n")
	}
	b.write("many", many.String())

	b.expect("read_file", args{"path": "three"}, "", "     1\tone\n     2\ttwo\n     3\tthree\n")
	b.expect("read_file", args{"path": "three", "offset": 2}, "", "     2\ttwo\n     3\tthree\n")
	b.expect("read_file", args{"path": "three", "offset": 2, "limit": 1}, "", "     2\ttwo\n(the file goes on: continue with offset 3)\n")
	b.expect("read_file", args{"path": "three", "offset": 2, "limit": 2}, "", "     2\ttwo\n     3\tthree\n")
	b.expect("read_file", args{"path": "three", "offset": 2.0}, "", "     2\ttwo\n...")
	b.expect("read_file", args{"path": "three", "offset": 4}, "invalid_arguments", "three has only 3 lines, so there is nothing at offset 4. Use a smaller offset.")
	b.expect("read_file", args{"path": "newline", "offset": 2}, "invalid_arguments", "newline has only 1 line, so...")
	b.expect("read_file", args{"path": "open"}, "", "     1\tone\n     2\ttwo\n")
	b.expect("read_file", args{"path": "empty"}, "", "(the file is empty)")
	b.expect("read_file", args{"path": "newline"}, "", "     1\t\n")
	b.expect("read_file", args{"path": "binary"}, "binary_file", "binary is a binary file (5 bytes). Use bash...")
	b.expect("read_file", args{"path": "latin1"}, "", "     1\tcaf\uFFFD\n")
	b.expect("read_file", args{"path": "long"}, "", "     1\t"+strings.Repeat("é", 1000)+" [... 1000 bytes left out ...]\n     2\tnext\n")
	b.expect("read_file", args{"path": "edge"}, "", "     1\t"+strings.Repeat("x", 2000)+"\n     2\t"+strings.Repeat("y", 2000)+" [... 1 byte left out ...]\n     3\t"+strings.Repeat("z", 2000)+"\n")
	b.expect("read_file", args{"path": "huge"}, "", "     1\t"+strings.Repeat("0123456789", 200)+" [... 10483760 bytes left out ...]\n     2\tend\n")
	b.expect("read_file", args{"path": "many"}, "", "...  2000\tline\n(the file goes on: continue with offset 2001)\n")
	b.expect("read_file", args{"path": "many", "offset": 2999}, "", "  2999\tline\n  3000\tline\n")

	b.opt.Limit = 700 // a note that names the next line, rather than a middle that is cut out
	o := b.call(context.Background(), "read_file", args{"path": "many"})
	if o.Cut != 0 || len(o.Text) > 700 || !strings.HasSuffix(o.Text, "    33\tline\n(the file goes on: continue with offset 34)\n") {
		t.Errorf("got %+v", o)
	}
}

const sniffed = 8000
