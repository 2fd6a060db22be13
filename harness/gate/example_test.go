package gate_test

import (
	"fmt"

	"github.com/harnessbench/bench/harness/gate"
)

// The user asked for the tests; the model ran them and then edited on.
func ExampleJudge() {
	required := gate.Required("Fix the parser and run the tests. Lint it if you can.")
	steps := []gate.Step{
		{Turn: 1, Tool: "write_file", Changes: true, OK: true, Known: true},
		{Turn: 2, Tool: "bash", Shell: true, Command: "go test ./...", OK: true, Known: true},
	}
	v := gate.Judge(required, steps, nil)
	fmt.Println(v.Outcome, v.Missing)

	steps = append(steps, gate.Step{Turn: 3, Tool: "bash", Shell: true, Command: "sed -i s/a/b/ parse.go", OK: true, Known: true})
	v = gate.Judge(required, steps, nil)
	fmt.Println(v.Outcome, v.Stale)
	fmt.Println(v.Feedback)
	// Output:
	// unverified [lint]
	// fail [tests]
	// Not done yet: tests ended well in `go test ./...`, but `sed -i s/a/b/ parse.go` after it may have changed something. After your last change, run the check by itself, so that its exit status is the command's own (no pipe, no ||, no ;, no & behind it); if it cannot be made to pass, say so plainly.
}

func ExampleRequired() {
	for _, prompt := range []string{
		"Fix the bug, run the tests and, if possible, the linter.",
		"Do not run the tests.",
		"What does the build step do?",
		"修复后请运行测试，不要构建。",
	} {
		for _, r := range gate.Required(prompt) {
			fmt.Println(r.Kind, r.Optional, r.Quote)
		}
	}
	// Output:
	// tests false Fix the bug, run the tests and, if possible, the linter.
	// lint true Fix the bug, run the tests and, if possible, the linter.
	// tests false 修复后请运行测试，不要构建。
}

func ExampleProves() {
	for _, command := range []string{
		"cd web && npm run lint && npm test",
		"set -o pipefail; pytest 2>&1 | tail -20",
		"pytest | tail -20",
		"pytest || true",
		"pytest && git commit -am done",
		"echo pytest",
	} {
		fmt.Println(gate.Proves(command), command)
	}
	// Output:
	// [tests lint] cd web && npm run lint && npm test
	// [tests] set -o pipefail; pytest 2>&1 | tail -20
	// [] pytest | tail -20
	// [] pytest || true
	// [] pytest && git commit -am done
	// [] echo pytest
}

func ExampleMayChange() {
	for _, command := range []string{"git diff | head", "ls > /dev/null", "ls > list", "git checkout .", "go test ./...", "./deploy"} {
		fmt.Println(gate.MayChange(command), command)
	}
	// Output:
	// false git diff | head
	// false ls > /dev/null
	// true ls > list
	// true git checkout .
	// false go test ./...
	// true ./deploy
}

func ExampleReadJudgement() {
	for _, text := range []string{
		`{"ok": false, "reason": "go test was never run"}`,
		"Sure! ```json\n{\"ok\": true, \"reason\": \"done\"}\n```",
	} {
		j := gate.ReadJudgement(text, false, "end_turn")
		fmt.Printf("%s: %s\n", j.Outcome, j.Reason)
	}
	// Output:
	// not_done: go test was never run
	// error: the judge's answer is not JSON, or has something around it: it must be exactly {"ok": boolean, "reason": string, "impossible": boolean}
}
