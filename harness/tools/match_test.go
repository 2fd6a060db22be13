package tools

import (
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// matchPlainly is the definition: ** stands for any number of segments.
func matchPlainly(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchPlainly(pattern[1:], name) || len(name) > 0 && matchPlainly(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, _ := path.Match(pattern[0], name[0])
	return ok && matchPlainly(pattern[1:], name[1:])
}

func TestMatchSegments(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"**/a/b", "a/a/b", true}, // the first a is the wrong one
		{"**/a/*/b/**/c", "a/x/a/y/b/b/c", true},
		{"**/a/**/b", "a/b/c", false},
		{"**", "a", true},
		{"a/**", "a", true},
		{"a/**", "b/a", false},
		{"**/a", "a", true},
		{"a**", "ab", true}, // ** is special only as a whole segment
		{"a**", "ab/c", false},
	} {
		if got := matchSegments(strings.Split(c.pattern, "/"), strings.Split(c.name, "/")); got != c.want {
			t.Errorf("%s against %s: %v", c.pattern, c.name, got)
		}
	}
}

func TestMatchSegmentsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "?", "**"}), 0, 6).Draw(t, "pattern")
		name := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 8).Draw(t, "name")
		if got, want := matchSegments(pattern, name), matchPlainly(pattern, name); got != want {
			t.Fatalf("%s against %s: %v, want %v", strings.Join(pattern, "/"), strings.Join(name, "/"), got, want)
		}
	})
}

func TestMatchSegmentsIsNotExponential(t *testing.T) {
	pattern := strings.Split(strings.Repeat("**/a/", 40)+"b", "/")
	name := strings.Split(strings.Repeat("a/", 200)+"c", "/")
	if matchSegments(pattern, name) {
		t.Error("matched")
	}
}

func TestExpand(t *testing.T) {
	for pattern, want := range map[string][]string{
		"a": {"a"}, "{a}": {"{a}"}, "{a,b}": {"a", "b"}, "x{a,b}y{c,}": {"xayc", "xay", "xbyc", "xby"}, "{a,{b,c}d}": {"a", "bd", "cd"},
		"{a,b": {"{a,b"}, "a,b}": {"a,b}"}, `\{a,b}`: {`\{a,b}`}, "": {""}, "{,}": {"", ""},
	} {
		if got, ok := expand(pattern); !ok || !slices.Equal(got, want) {
			t.Errorf("%s expands to %q, want %q", pattern, got, want)
		}
	}
}
