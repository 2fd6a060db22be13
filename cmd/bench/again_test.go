package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestProgram(t *testing.T) {
	project, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	cached := "/root/.cache/go-build/ac/" + strings.Repeat("0123456789abcdef", 4) + "-d/bench"
	for _, c := range []struct{ exe, typed, want string }{
		{"/usr/bin/bench", "bench", "bench"},
		{"/home/u/go-build/bench", "./bench", "./bench"},
		{"/tmp/testscript-main1/bin/bench", "bench", "bench"},
		{"/tmp/go-build844102426/b001/exe/bench", "/tmp/go-build844102426/b001/exe/bench", "go run ./cmd/bench"},
		{cached, cached, "go run ./cmd/bench"}, // the second time
		{"/elsewhere/ac/" + strings.Repeat("0", 64) + "-d/bench", "x", "go run ./cmd/bench"},
	} {
		t.Chdir(project)
		if got := program(c.exe, c.typed); got != c.want {
			t.Errorf("program(%q, %q) = %q, want %q", c.exe, c.typed, got, c.want)
		}
		t.Chdir(t.TempDir())
		want := c.want
		if want == "go run ./cmd/bench" {
			want = "go run github.com/harnessbench/bench/cmd/bench"
		}
		if got := program(c.exe, c.typed); !strings.HasPrefix(got, want) {
			t.Errorf("outside the project: program(%q, %q) = %q, want %q", c.exe, c.typed, got, want)
		}
	}
}

func TestMisspelt(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"completed", "complted", true},
		{"completed", "compelted", true},
		{"completed", "compxxted", true},
		{"completed", "compxxxed", false},
		{"completed", "done", false},
		{"hook", "hock", false}, // too short to say
		{"max_turns", "max_turn", true},
		{"crashed", "", false},
	} {
		if got := misspelt(c.a, c.b); got != c.want {
			t.Errorf("misspelt(%q, %q) = %v", c.a, c.b, got)
		}
	}
}
