package scenarios

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/harnessbench/bench/internal/near"
)

// TestSourceCutsLikeTxtar compares our cut, which knows lines, with txtar's.
func TestSourceCutsLikeTxtar(t *testing.T) {
	for _, text := range []string{
		"", "a", "a\nb\n", "-- x --\n", "-- x --", "a\n-- x --\nb", "a\n--  x  --\nb\n-- y --\n-- z --\nc\n",
		"a\r\n-- x --\r\nb\r\n", "--x--\n", " -- x --\n", "-- x -- \n", "-- a b --\nc", "a\n-- x", "--  --\n-- y --\n",
	} {
		s, want := parseSource("f", []byte(text)), txtar.Parse([]byte(text))
		var got txtar.Archive
		for _, a := range s.archive {
			got.Files = append(got.Files, txtar.File{Name: a.name, Data: a.data})
		}
		if len(got.Files) != len(want.Files) {
			t.Errorf("%q: %d files, txtar has %d", text, len(got.Files), len(want.Files))
			continue
		}
		for i := range got.Files {
			if got.Files[i].Name != want.Files[i].Name || string(got.Files[i].Data) != string(want.Files[i].Data) {
				t.Errorf("%q: file %d is %+v, txtar has %+v", text, i, got.Files[i], want.Files[i])
			}
		}
		// The marker's line is where it stands.
		lines := strings.Split(text, "\n")
		for _, a := range s.archive {
			if !strings.HasPrefix(lines[a.marker-1], "-- ") {
				t.Errorf("%q: line %d is not a marker", text, a.marker)
			}
		}
		if n := len(strings.TrimSuffix(string(want.Comment), "\n")); n > 0 && len(s.script) != strings.Count(string(want.Comment[:n]), "\n")+1 {
			t.Errorf("%q: script has %d lines", text, len(s.script))
		}
	}
}

// TestWordsLikeTestscript gives the same lines to testscript and compares the
// words it makes of them.
func TestWordsLikeTestscript(t *testing.T) {
	lines := []string{
		"say a b", "say  a\tb ", "say 'a b'", "say 'it''s'", "say a'b c'd", "say ''", "say $X", "say ${X}y", "say '$X'",
		"say a # b", "say '#' b", "say ${X@R}", "say $$", "say a$", "say ''''", "say 'a'''", "say a\\b \"c d\"", "say [a] !",
	}
	dir := t.TempDir()
	vars := map[string]string{"X": "v.1", "$": "$"}
	for _, line := range lines {
		file := filepath.Join(dir, "s.txtar")
		if err := os.WriteFile(file, []byte("env X=v.1\n"+line+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		var want []string
		testscript.RunT(quietT{}, testscript.Params{
			Files: []string{file},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"say": func(_ *testscript.TestScript, _ bool, args []string) { want = append([]string{"say"}, args...) },
			},
		})
		words, errs := splitLine(line, func(k string) (string, bool) { v, ok := vars[k]; return v, ok })
		if len(errs) > 0 || !reflect.DeepEqual(texts(words), want) {
			t.Errorf("%s\n\tours       %q %v\n\ttestscript %q", line, texts(words), errs, want)
		}
	}
}

// quietT is a testscript.T that says nothing.
type quietT struct{}

func (quietT) Skip(...any)                          {}
func (quietT) Fatal(a ...any)                       { panic(a) }
func (quietT) Parallel()                            {}
func (quietT) Log(...any)                           {}
func (quietT) FailNow()                             { panic("failed") }
func (t quietT) Run(_ string, f func(testscript.T)) { f(t) }
func (quietT) Verbose() bool                        { return false }

func TestReadSourceBounds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "big.txtar")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, maxFile+1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := readSource(file); err == nil || !strings.Contains(err.Error(), "not a scenario") {
		t.Errorf("a file of %d bytes: %v", maxFile+1, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		word string
		list []string
		want string
	}{
		{"efects", []string{"events", "effects"}, "effects"},
		{"kil", []string{"abort", "kill"}, "kill"},
		{"ab", []string{"xy", "cd"}, ""},
		{"tihs", []string{"this", "that"}, "this"},
		{"MAIN", []string{"main"}, "main"},
		{"zzzzzzzz", []string{"a", "b"}, ""},
	} {
		if got := near.Word(c.word, c.list); got != c.want {
			t.Errorf("near.Word(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
