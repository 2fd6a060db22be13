package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain() // a real kill starts this binary, by whichever name
	// Each process would sleep a second at its end, to hear of late races.
	os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0"))
	testscript.Main(m, map[string]func(){"bench": main})
}

// The scripts of testdata drive the command through its own main. Each has the
// files of testdata/scenarios in its folder.
func TestScripts(t *testing.T) {
	shipped, err := filepath.Abs("../../scenarios")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TERM", "xterm") // only a pipe keeps escape codes away
			e.Setenv("GOTMPDIR", filepath.Join(e.WorkDir, ".tmp"))
			e.Setenv("NO_COLOR", "")
			e.Setenv("SHIPPED", shipped)
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return os.CopyFS(e.WorkDir, os.DirFS(filepath.Join("testdata", "scenarios")))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":  wantStatus,
			"reports": checkReports,
			"covers":  checkCovers,
		},
	})
}

// wantStatus is the script command `status N bench ARGS...`: the exit status is N.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
