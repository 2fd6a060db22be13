package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/tools"
)

// What is approved is shown whole, on one line, with nothing in it that a
// terminal would obey or hide.
func TestAsked(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"command":"go test ./..."}`, `go test ./...`},
		{`{"command":"echo \"a b\" 'c'","timeout_seconds":5}`, `echo "a b" 'c'`},
		{`{"command":"ls\nrm -r x"}`, `"ls\nrm -r x"`},
		{`{"command":"ls \u001b[8m; rm -r x"}`, `"ls \x1b[8m; rm -r x"`},
		{`{"command":"ls \u202e x"}`, `"ls \u202e x"`},
		{`{"command":"` + strings.Repeat("x", 5000) + `"}`, strings.Repeat("x", 5000)},
		{`{"path":"x"}`, `{"path":"x"}`},
		{"{\"path\":\"\xff\"}", `"{\"path\":\"\xff\"}"`},
		{`{}`, `{}`},
	} {
		if got := asked(tools.Call{Name: "bash", Input: []byte(c.input)}); got != c.want {
			t.Errorf("%s: %s, want %s", c.input, got, c.want)
		}
	}
}

// Without a terminal nobody is asked, and the model is told what would help.
func TestNobodyToAsk(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	a, shut := approver(null, os.Stderr)
	defer shut()
	if yes, err := a.Approve(context.Background(), tools.Ask{}); yes || err == nil || !strings.Contains(err.Error(), "-allow-bash") {
		t.Errorf("%v, %v", yes, err)
	}
}
