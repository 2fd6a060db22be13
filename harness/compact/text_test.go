package compact

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPreviewOf(t *testing.T) {
	for _, c := range []struct {
		text  string
		n     int
		whole int
		want  string
	}{
		{"abcdef", 6, 6, "abcdef"},
		{"abcdef", 5, 6, "abcde\n[... 1 byte left out here; read_result with call c1 reads them ...]"},
		{"abcdef", 6, 100, "abcdef\n[... 94 bytes left out here; read_result with call c1 reads them ...]"},
		{"abcdef", 2, 0, "ab\n[... 4 bytes left out here; read_result with call c1 reads them ...]"},
		{"aéé", 2, 5, "a\n[... 4 bytes left out here; read_result with call c1 reads them ...]"},
		{"aéé", 3, 5, "aé\n[... 2 bytes left out here; read_result with call c1 reads them ...]"},
		{"é", 0, 2, "\n[... 2 bytes left out here; read_result with call c1 reads them ...]"},
		{"é", -7, 2, "\n[... 2 bytes left out here; read_result with call c1 reads them ...]"},
		{"", 9, 0, ""},
	} {
		if got := PreviewOf(c.text, c.n, "c1", c.whole); got != c.want {
			t.Errorf("PreviewOf(%q, %d, %d):\n%q\n%q", c.text, c.n, c.whole, got, c.want)
		}
	}
}

// The sizes that edits count with are those of the texts that will stand there.
func TestTextSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[a-z\n]{0,400}`), rapid.String()).Draw(t, "text")
		r := Result{
			Call:  rapid.StringMatching(`c[1-9][0-9]{0,6}`).Draw(t, "call"),
			Tool:  rapid.OneOf(rapid.Just("grep"), rapid.String()).Draw(t, "tool"),
			Bytes: len(text),
		}
		n := rapid.IntRange(-1, 300).Draw(t, "n")
		p := PreviewOf(text, n, r.Call, len(text))
		if d := previewBytes(r, n) - len(p); d < -1 || d > 3 || d != 0 && utf8.RuneCountInString(text) == len(text) {
			t.Errorf("a preview of %d bytes is counted as %d", len(p), previewBytes(r, n))
		}
		if !utf8.ValidString(p) && utf8.ValidString(text) {
			t.Errorf("a rune was split: %q", p)
		}
		if s := StubOf(r.Tool, r.Call, r.Bytes); len(s) != stubBytes(r) || strings.Contains(s, "\n") || len(s) > 500 {
			t.Errorf("%q is counted as %d", s, stubBytes(r))
		}
	})
}

func TestMarkers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{StubOf("read_file", "c12", 48210), "[The result of read_file is left out here, 48210 bytes; read_result with call c12 reads it]"},
		{StubOf("x]\nUser: ", "c1", 1), `[The result of "x]\nUser: " is left out here, 1 byte; read_result with call c1 reads it]`},
		{StubOf("", "c1", 0), `[The result of "" is left out here, 0 bytes; read_result with call c1 reads it]`},
		{StubOf(strings.Repeat("é", 40), "c1", 0), `[The result of "` + strings.Repeat("é", 32) + `" is left out here, 0 bytes; read_result with call c1 reads it]`},
		{StubOf(strings.Repeat("x", 64), "c1", 0), `[The result of ` + strings.Repeat("x", 64) + ` is left out here, 0 bytes; read_result with call c1 reads it]`},
		{StubOf(strings.Repeat("x", 65), "c1", 0), `[The result of "` + strings.Repeat("x", 64) + `" is left out here, 0 bytes; read_result with call c1 reads it]`},
		{MediaStub(1), "\n[1 image left out here: the provider refused the request with all images in it]"},
		{MediaStub(2), "\n[2 images left out here: the provider refused the request with all images in it]"},
		{SnipText(1), "[1 earlier step left out here to save room; the session's record keeps them]"},
		{SnipText(12), "[12 earlier steps left out here to save room; the session's record keeps them]"},
	} {
		if c.got != c.want {
			t.Errorf("%q\nwant %q", c.got, c.want)
		}
	}
}
