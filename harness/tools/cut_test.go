package tools

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestJoin(t *testing.T) {
	const limit = 10
	for _, c := range []struct {
		name string
		out  Output
		want string
		cut  int
	}{
		{"empty", Output{}, "", 0},
		{"exactly the limit", Output{Text: "0123456789"}, "0123456789", 0},
		{"one more", Output{Text: "0123456789a"}, "01234\n[... 1 byte left out ...]\n6789a", 1},
		{"twice", Output{Text: "0123456789abcdefghij"}, "01234\n[... 10 bytes left out ...]\nfghij", 10},
		{"a rune across the first cut", Output{Text: "0123ä56789abcdefghij"}, "0123\n[... 12 bytes left out ...]\nfghij", 12},
		{"a rune across the second cut", Output{Text: "0123456789abcdäfghi"}, "01234\n[... 11 bytes left out ...]\nfghi", 11},
		{"wide runes only", Output{Text: strings.Repeat("😀", 5)}, "😀\n[... 12 bytes left out ...]\n😀", 12},
		{"a rune wider than the room", Output{Text: "北京北京"}, "北\n[... 6 bytes left out ...]\n京", 6},
		{"not UTF-8", Output{Text: "a\xffb"}, "a\uFFFDb", 0},
		{"text and tail", Output{Text: "abc", Tail: "def"}, "abcdef", 0},
		{"text and tail, too long", Output{Text: "0123456", Tail: "789abcd"}, "01234\n[... 4 bytes left out ...]\n9abcd", 4},
		{"cut by the tool", Output{Text: "abc", Tail: "def", Cut: 94}, "abc\n[... 94 bytes left out ...]\ndef", 94},
		{"cut by both", Output{Text: "0123456789", Tail: "abcdefghij", Cut: 80}, "01234\n[... 90 bytes left out ...]\nfghij", 90},
		{"cut by both, short tail", Output{Text: "0123456789", Tail: "ab", Cut: 80}, "01234567\n[... 82 bytes left out ...]\nab", 82},
		{"cut by both, short head", Output{Text: "ab", Tail: "0123456789", Cut: 80}, "ab\n[... 82 bytes left out ...]\n23456789", 82},
		{"cut by the tool, nothing kept", Output{Cut: 7}, "\n[... 7 bytes left out ...]\n", 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, cut := c.out.join(limit)
			if got != c.want || cut != c.cut {
				t.Errorf("join is %q, %d bytes cut, want %q, %d", got, cut, c.want, c.cut)
			}
		})
	}
}

func TestJoinOneLineOfTenMegabytes(t *testing.T) {
	s := strings.Repeat("x", 10<<20)
	got, cut := Output{Text: s}.join(50_000)
	if want := 10<<20 - 50_000; cut != want || len(got) != 50_000+len(note(want)) {
		t.Errorf("%d bytes cut and %d left", cut, len(got))
	}
	if n := testing.AllocsPerRun(5, func() { Output{Text: s}.join(50_000) }); n > 8 {
		t.Errorf("%v allocations: the line is copied", n)
	}
}

// A cut text is valid, keeps at most the limit, loses less than a rune more
// than it must on either side, and counts exactly what it lost.
func TestJoinProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Output{Text: rapid.String().Draw(t, "text"), Tail: rapid.String().Draw(t, "tail"), Cut: rapid.IntRange(0, 3).Draw(t, "cut")}
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		whole := len(o.Text) + len(o.Tail)
		got, cut := o.join(limit)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		kept := len(got)
		if cut > 0 {
			kept -= len(note(cut))
		}
		switch {
		case kept > limit:
			t.Fatalf("%d bytes kept, the limit is %d", kept, limit)
		case kept+cut != whole+o.Cut:
			t.Fatalf("%d kept, %d cut, of %d", kept, cut, whole+o.Cut)
		case whole > limit && kept < limit-6:
			t.Fatalf("only %d bytes kept of %d, the limit is %d", kept, whole, limit)
		}
	})
}

// However the bytes arrive, the keeper keeps what cutting the whole would.
func TestKeeperProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		k := newKeeper(limit)
		var all []byte
		for _, s := range rapid.SliceOfN(rapid.String(), 0, 12).Draw(t, "writes") {
			// Pieces may end in the middle of a rune.
			cut := rapid.IntRange(0, len(s)).Draw(t, "cut")
			for _, p := range []string{s[:cut], s[cut:]} {
				if n, err := k.Write([]byte(p)); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
			}
			all = append(all, s...)
		}
		if cap(k.head) > 4*limit+128 || cap(k.ring) > 4*limit+128 {
			t.Fatalf("%d and %d bytes held, the limit is %d", cap(k.head), cap(k.ring), limit)
		}
		got, cut := k.output().join(limit)
		want, wantCut := Output{Text: string(all)}.join(limit)
		if got != want || cut != wantCut {
			t.Fatalf("kept %q (%d cut), want %q (%d cut)", got, cut, want, wantCut)
		}
	})
}

func TestKeeperIsBounded(t *testing.T) {
	k := newKeeper(1000)
	chunk := []byte(strings.Repeat("y\n", 16<<10))
	for range 3000 { // 98 MB
		k.Write(chunk)
	}
	if held := cap(k.head) + cap(k.ring); held > 8000 {
		t.Errorf("%d bytes held", held)
	}
	if o := k.output(); o.Cut != 3000*len(chunk)-1000 {
		t.Errorf("%d bytes cut", o.Cut)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"bash", "edit_file", "glob", "grep", "read_file", "write_file"}
	for name, want := range map[string]string{
		"Bash": "bash", "bahs": "bash", "read": "read_file", "ReadFile": "read_file", "read-file": "read_file",
		"edit": "edit_file", "Edit": "edit_file", "writeFile": "write_file", "grpe": "grep", "Glob": "glob",
		"": "", "_": "", "x": "", "web_search": "", "python": "", "task": "", "ls": "", "read_image": "",
	} {
		if got := nearest(name, names); got != want {
			t.Errorf("nearest(%q) is %q, want %q", name, got, want)
		}
	}
}
