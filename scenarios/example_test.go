package scenarios_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harnessbench/bench/scenarios"
)

const killed = `# Killed between the tool's effect and its record: told as unknown, never run twice.
# Article: the crash trap, accident 2. Mechanisms J2, J4.
provider replies.script
at tool.ran t1 kill
run 'append hello to notes.txt'
terminal crashed
resume 'go on'
terminal completed
calls t1=unknown
effects append=1

-- replies.script --
reply
    call t1 append {"file":"notes.txt","line":"hello"}
reply
    expect result.t1 ~ unknown
    text "I will check the file first."
`

// A scenario is a file; Run reports what became of each of its variants.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "killed.txtar")
	if err := os.WriteFile(file, []byte(killed), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	sum, err := scenarios.Run(context.Background(), scenarios.Options{
		Protocols: []string{"anthropic"},
		Files:     []string{file},
		Report:    func(r scenarios.Result) { fmt.Println(r) },
	})
	fmt.Println(err, sum.ExitStatus(), sum.Lives, "lives,", sum.Effects, "effect")
	// Output:
	// ok      killed
	// <nil> 0 2 lives, 1 effect
}

// In a test of one's own, with the loop of one's own.
func ExampleTest() {
	var t *testing.T // of func TestScenarios(t *testing.T)
	var mine scenarios.Agent

	if t != nil {
		scenarios.Test(t, "testdata/*.txtar", mine)
	}
	// Output:
}

// Load only checks: every problem is named, with its line in the file.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "bad.txtar")
	bad := "# A sentence that says what it proves.\n# From: nobody.\nprovider replies\nat tool.run t1 kill\nrun $PROMPT\n"
	if err := os.WriteFile(file, []byte(bad), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	_, err = scenarios.Load(file)
	fmt.Println(strings.ReplaceAll(err.Error(), dir+"/", ""))
	// Output:
	// bad.txtar:3: provider replies: the archive has no such file; add it below the script, after a line -- replies --
	// bad.txtar:4: unknown crash point "tool.run": did you mean "tool.ran"?
	// bad.txtar:5: ${PROMPT} is not set: set it with case, each or env, or put the word in single quotes
}
