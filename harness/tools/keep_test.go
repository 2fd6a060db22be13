package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/sim"
)

// realFS is a session's folder on the real disk.
func realFS(t *testing.T) (env.FS, string) {
	t.Helper()
	dir := t.TempDir()
	e, err := env.Real(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e.FS, dir
}

func TestKeep(t *testing.T) {
	fsys, dir := realFS(t)
	k, err := tools.Keep(fsys, "c12", "the whole of it\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (tools.Kept{File: "results/c12.txt", Bytes: 16, Digest: "be953e81affb07d2a252232235ec974fb0d82c09d39fc4a8871714db2d09cbc0"}); k != want {
		t.Errorf("kept %+v", k)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "results", "c12.txt")); string(data) != "the whole of it\n" {
		t.Errorf("on disk: %q", data)
	}
	if text, err := tools.ReadKept(fsys, k); err != nil || text != "the whole of it\n" {
		t.Errorf("read back %q, %v", text, err)
	}
	if again, err := tools.Keep(fsys, "c12", "the whole of it\n"); err != nil || again != k {
		t.Errorf("the same again: %+v, %v", again, err)
	}
	if _, err := tools.Keep(fsys, "c12", "something else"); err == nil || !strings.Contains(err.Error(), "results/c12.txt is there already and holds something else") {
		t.Errorf("another content: %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "results", "c12.txt")); string(data) != "the whole of it\n" {
		t.Errorf("evidence was overwritten: %q", data)
	}
	if empty, err := tools.Keep(fsys, "c13", ""); err != nil || empty.Bytes != 0 {
		t.Errorf("an empty one: %+v, %v", empty, err)
	}
	list, _ := os.ReadDir(filepath.Join(dir, "results"))
	if len(list) != 2 {
		t.Errorf("in the folder: %v", list)
	}
	for _, id := range []string{"", "c", "12", "C12", "c12 ", "c12\n", "c-1", "../c12", "c1/c2", "toolu_c12", "c1.txt", "c12x"} {
		if _, err := tools.Keep(fsys, id, "x"); err == nil || !strings.Contains(err.Error(), "the id must be one of ours") {
			t.Errorf("call %q: %v", id, err)
		}
	}
}

// What was kept is read only as it was kept, and only from where it lies (F:
// tamper, symlink, a reference outside).
func TestReadKeptRefuses(t *testing.T) {
	const text = "the whole of it"
	for _, c := range []struct {
		name   string
		damage func(dir string, k *tools.Kept) error
	}{
		{"one byte", func(dir string, k *tools.Kept) error {
			return os.WriteFile(filepath.Join(dir, k.File), []byte("The whole of it"), 0o600)
		}},
		{"shorter", func(dir string, k *tools.Kept) error { return os.Truncate(filepath.Join(dir, k.File), 3) }},
		{"longer", func(dir string, k *tools.Kept) error {
			return os.WriteFile(filepath.Join(dir, k.File), []byte(text+"x"), 0o600)
		}},
		{"gone", func(dir string, k *tools.Kept) error { return os.Remove(filepath.Join(dir, k.File)) }},
		{"a link to the same content", func(dir string, k *tools.Kept) error {
			p := filepath.Join(dir, k.File)
			return errors.Join(os.Rename(p, p+".moved"), os.Symlink("c1.txt.moved", p))
		}},
		{"a link out of the folder", func(dir string, k *tools.Kept) error {
			p, out := filepath.Join(dir, k.File), filepath.Join(t.TempDir(), "x")
			return errors.Join(os.Remove(p), os.WriteFile(out, []byte(text), 0o600), os.Symlink(out, p))
		}},
		{"the folder is a link", func(dir string, k *tools.Kept) error {
			p := filepath.Join(dir, "results")
			return errors.Join(os.Rename(p, p+".moved"), os.Symlink("results.moved", p))
		}},
		{"a pipe", func(dir string, k *tools.Kept) error {
			p := filepath.Join(dir, k.File)
			return errors.Join(os.Remove(p), syscall.Mkfifo(p, 0o600))
		}},
		{"another digest", func(dir string, k *tools.Kept) error { k.Digest = strings.Repeat("0", 64); return nil }},
		{"a negative size", func(dir string, k *tools.Kept) error { k.Bytes = -1; return nil }},
		{"another size", func(dir string, k *tools.Kept) error { k.Bytes++; return nil }},
		{"another folder", func(dir string, k *tools.Kept) error {
			k.File = "c1.txt"
			return os.WriteFile(filepath.Join(dir, k.File), []byte(text), 0o600)
		}},
		{"above", func(dir string, k *tools.Kept) error { k.File = "results/../results/c1.txt"; return nil }},
		{"absolute", func(dir string, k *tools.Kept) error { k.File = filepath.Join(dir, k.File); return nil }},
		{"the transcript", func(dir string, k *tools.Kept) error {
			k.File = "transcript.jsonl"
			return os.WriteFile(filepath.Join(dir, k.File), []byte(text), 0o600)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys, dir := realFS(t)
			k, err := tools.Keep(fsys, "c1", text)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.damage(dir, &k); err != nil {
				t.Fatal(err)
			}
			if got, err := tools.ReadKept(fsys, k); err == nil || got != "" {
				t.Errorf("read %q", got)
			}
		})
	}
}

// Keep writes nothing through a link.
func TestKeepRefusesLinks(t *testing.T) {
	out := t.TempDir()
	for what, prepare := range map[string]func(dir string) error{
		"the folder": func(dir string) error { return os.Symlink(out, filepath.Join(dir, "results")) },
		"the folder, inside": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "x"), 0o700), os.Symlink("x", filepath.Join(dir, "results")))
		},
		"a file is the folder": func(dir string) error { return os.WriteFile(filepath.Join(dir, "results"), nil, 0o600) },
		"the file": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "results"), 0o700), os.Symlink(filepath.Join(out, "x"), filepath.Join(dir, "results", "c1.txt")))
		},
		"the file, dangling": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "results"), 0o700), os.Symlink("c2.txt", filepath.Join(dir, "results", "c1.txt")))
		},
		"the temporary file": func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "results"), 0o700), os.Symlink(filepath.Join(out, "x"), filepath.Join(dir, "results", "c1.txt.tmp")))
		},
	} {
		fsys, dir := realFS(t)
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Keep(fsys, "c1", "secret"); err == nil {
			t.Errorf("%s: not refused", what)
		}
		if list, _ := os.ReadDir(out); len(list) > 0 {
			t.Errorf("%s: written outside: %v", what, list)
		}
		if list, _ := filepath.Glob(filepath.Join(dir, "x", "*")); len(list) > 0 {
			t.Errorf("%s: written elsewhere: %v", what, list)
		}
	}
}

// A life that dies, or fails, at any operation of Keep leaves the whole result
// or none under its name; the next life keeps it, and a power cut then takes
// nothing of it.
func TestKeepSurvives(t *testing.T) {
	text := strings.Repeat("0123456789", 500)
	for _, how := range []string{"kill", "kill after", "tear", "power", "error"} {
		ops := 0
		for k := 0; ; k++ {
			w := sim.NewWorld(1)
			m := w.Boot(nil)
			hit := false
			m.OnOp(func(op sim.Op) sim.Action {
				if ops = max(ops, op.N+1); op.N != k {
					return sim.Action{}
				}
				hit = true
				end := func() error { m.Kill("op"); return nil }
				switch how {
				case "tear":
					return sim.Action{Keep: op.Bytes / 2, Then: end}
				case "kill after":
					return sim.Action{After: true, Then: end}
				case "error":
					return sim.Fail(syscall.ENOSPC)
				}
				return sim.Action{Then: end}
			})
			var kept tools.Kept
			var err error
			m.Run(func() { kept, err = tools.Keep(m.Env("session").FS, "c1", text) })
			if !hit {
				if err != nil || k < 8 {
					t.Fatalf("%s: after %d operations: %+v, %v", how, k, kept, err)
				}
				break
			}
			if how == "error" && err == nil {
				t.Errorf("%s: operation %d failed and nobody heard of it", how, k)
			}
			if how == "power" {
				w.Disk.PowerCut(rand.New(rand.NewPCG(uint64(k), 1)))
			}
			name := "session/results/c1.txt"
			image, _ := w.Image()
			if _, left := image[name+".tmp"]; left && how == "error" {
				t.Errorf("error at %d: the temporary file is left", k)
			}
			if data, there := image[name]; there && string(data) != text {
				t.Errorf("%s at %d: half a result, %d bytes", how, k, len(data))
			}
			next := w.Boot(nil)
			next.Run(func() {
				fsys := next.Env("session").FS
				kept, err := tools.Keep(fsys, "c1", text)
				if err != nil {
					t.Errorf("%s at %d, the next life: %v", how, k, err)
					return
				}
				if got, err := tools.ReadKept(fsys, kept); err != nil || got != text {
					t.Errorf("%s at %d, read back: %v", how, k, err)
				}
			})
			w.Disk.PowerCutSynced()
			image, _ = w.Image()
			if string(image[name]) != text {
				t.Errorf("%s at %d: a kept result was not durable", how, k)
			}
		}
	}
}

// readResult runs read_result as a model would.
func readResult(t *testing.T, text string, input map[string]any, limit int) tools.Outcome {
	t.Helper()
	tool := tools.ReadResult(func(call string) (string, error) {
		switch call {
		case "c12":
			return text, nil
		case "c13":
			return "", &tools.Error{Code: tools.CodeNotFound, Text: "There is no result of c13."}
		}
		return "", &fs.PathError{Op: "open", Path: "results/c14.txt", Err: fs.ErrNotExist}
	})
	r := registry(t, tool)
	raw, _ := json.Marshal(input)
	if no := r.Validate(tool.Name, raw); no != nil {
		return tools.Outcome{Code: no.Code, Text: no.Sentence}
	}
	return tools.Execute(context.Background(), env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, &tool, tools.Call{ID: "c20", Name: tool.Name, Input: raw}, tools.Options{Limit: limit})
}

func TestReadResult(t *testing.T) {
	type in = map[string]any
	long := strings.Repeat("x", 20_000) + "yz"
	for _, c := range []struct {
		name, text string
		input      in
		code, want string
	}{
		{"short", "abc\n", in{"call": "c12"}, "", "abc\n(bytes 0 to 4 of 4 of the result of c12: this is its end)"},
		{"no newline", "abc", in{"call": "c12"}, "", "abc\n(bytes 0 to 3 of 3 of the result of c12: this is its end)"},
		{"empty", "", in{"call": "c12"}, "", "(bytes 0 to 0 of 0 of the result of c12: this is its end)"},
		{"a part", "abcdef", in{"call": "c12", "offset": 1, "limit": 2}, "", "bc\n(bytes 1 to 3 of 6 of the result of c12: continue with offset 3)"},
		{"the end", "abcdef", in{"call": "c12", "offset": 4, "limit": 9}, "", "ef\n(bytes 4 to 6 of 6 of the result of c12: this is its end)"},
		{"at most 20000", long, in{"call": "c12"}, "", "...x\n(bytes 0 to 20000 of 20002 of the result of c12: continue with offset 20000)"},
		{"the rest", long, in{"call": "c12", "offset": 20_000}, "", "yz\n(bytes 20000 to 20002 of 20002 of the result of c12: this is its end)"},
		{"cut before a rune", "aé日b", in{"call": "c12", "limit": 2}, "", "a\n(bytes 0 to 1 of 7 of the result of c12: continue with offset 1)"},
		{"inside a rune", "aé日b", in{"call": "c12", "offset": 4}, "", "日b\n(bytes 3 to 7 of 7 of the result of c12: this is its end)"},
		{"a rune is longer than the limit", "日本", in{"call": "c12", "limit": 1}, "", "日\n(bytes 0 to 3 of 6 of the result of c12: continue with offset 3)"},
		{"behind the end", "abc", in{"call": "c12", "offset": 3}, tools.CodeInvalid, "The result of c12 has 3 bytes, so there is nothing at offset 3. Use a smaller offset."},
		{"unknown", "", in{"call": "c13"}, tools.CodeNotFound, "There is no result of c13."},
		{"unreadable", "", in{"call": "c14"}, tools.CodeExecution, "The result of c14 cannot be read: open results/c14.txt: file does not exist. Make the call again if you need it."},
		{"a path", "", in{"call": "../c12"}, tools.CodeInvalid, "...must match the pattern..."},
		{"too many", "", in{"call": "c12", "limit": 20_001}, tools.CodeInvalid, "...must be at most 20000..."},
		{"negative", "", in{"call": "c12", "offset": -1}, tools.CodeInvalid, "...must be at least 0..."},
	} {
		o := readResult(t, c.text, c.input, 0)
		if o.Code != c.code || !says(o.Text, c.want) || o.Cut > 0 {
			t.Errorf("%s: got %s %.200q\nwant %s %q", c.name, o.Code, o.Text, c.code, c.want)
		}
	}
	if o := readResult(t, long, in{"call": "c12"}, 1000); o.Cut > 0 || !says(o.Text, "...x\n(bytes 0 to 700 of 20002 of the result of c12: continue with offset 700)") {
		t.Errorf("with little room: cut %d, %q", o.Cut, o.Text)
	}
	tool := tools.ReadResult(nil)
	if !tool.Deferred || !tool.ReadOnly || tool.Name != "read_result" {
		t.Errorf("%+v", tool)
	}
}

// Going on where a piece says to go on gives the whole text, whatever the
// limits, and nothing is ever cut out of a piece.
func TestReadResultProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(0, -1, 3000).Draw(rt, "text")
		if !utf8.ValidString(text) {
			rt.Skip()
		}
		limit := rapid.IntRange(400, 2000).Draw(rt, "limit of the machine")
		var got strings.Builder
		at := 0
		for n := 0; ; n++ {
			if n > len(text)+1 {
				rt.Fatal("it never ends")
			}
			input := map[string]any{"call": "c12", "offset": at}
			if l := rapid.IntRange(0, 900).Draw(rt, "limit"); l > 0 {
				input["limit"] = l
			}
			o := readResult(t, text, input, limit)
			if o.Cut > 0 || o.IsError {
				rt.Fatalf("%+v", o)
			}
			i := strings.LastIndex(o.Text, "(bytes ")
			var from, to, all int
			if _, err := fmt.Sscanf(o.Text[i:], "(bytes %d to %d of %d of", &from, &to, &all); err != nil || from != at || all != len(text) {
				rt.Fatalf("%v: %q", err, o.Text[i:])
			}
			part := o.Text[:i]
			if len(part) > to-from {
				part = strings.TrimSuffix(part, "\n")
			}
			got.WriteString(part)
			if to == all {
				break
			}
			at = to
		}
		if got.String() != text {
			rt.Fatalf("got %q, want %q", got.String(), text)
		}
	})
}
