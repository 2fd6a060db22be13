package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/gate"
)

// steps makes steps from short words: a command, or edit for a tool that
// changes, read for one that does not; !x failed, ?x has no known outcome, %x
// was partial. Words in one argument are one batch.
func steps(turns ...string) (all []gate.Step) {
	for i, turn := range turns {
		for j, w := range strings.Split(turn, " ; ; ") {
			s := gate.Step{Turn: i + 1, Call: j + 1, OK: true, Known: true}
			switch w[0] {
			case '!':
				s.OK = false
			case '?':
				s.OK, s.Known = false, false
			case '%':
				s.Partial = true
			}
			w = strings.TrimLeft(w, "!?%")
			switch w {
			case "edit":
				s.Tool, s.Changes = "write_file", true
			case "read":
				s.Tool = "read_file"
			default:
				s.Tool, s.Shell, s.Command = "bash", true, w
			}
			all = append(all, s)
		}
	}
	return all
}

// verdict is a Verdict in short.
func verdict(v gate.Verdict) string {
	s := string(v.Outcome)
	for _, l := range []struct {
		name  string
		kinds []gate.Kind
	}{{"missing", v.Missing}, {"stale", v.Stale}, {"failed", v.Failed}, {"masked", v.Masked}} {
		if len(l.kinds) > 0 {
			s += fmt.Sprintf(" %s %v", l.name, l.kinds)
		}
	}
	if len(v.Open) > 0 {
		s += fmt.Sprintf(" open %q", v.Open)
	}
	return s
}

var (
	tests = []gate.Requirement{{Kind: gate.Tests, Quote: "Run the tests."}}
	maybe = []gate.Requirement{{Kind: gate.Tests, Optional: true}}
	both  = []gate.Requirement{{Kind: gate.Lint}, {Kind: gate.Tests}}
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name     string
		required []gate.Requirement
		steps    []gate.Step
		want     string
	}{
		{"nothing asked", nil, steps("edit"), "pass"},
		{"run", tests, steps("edit", "pytest"), "pass"},
		{"run in the batch behind the edit", tests, steps("edit ; ; pytest"), "pass"},
		{"not run", tests, steps("edit"), "fail missing [tests]"},
		{"nothing ran", tests, nil, "fail missing [tests]"},
		{"mentioned only", tests, steps("echo pytest"), "fail missing [tests]"},
		{"another kind", tests, steps("ruff check"), "fail missing [tests]"},
		{"both", both, steps("ruff check", "pytest"), "pass"},
		{"both in one", both, steps("ruff check && pytest"), "pass"},
		{"one of both", both, steps("pytest"), "fail missing [lint]"},
		{"none of both", both, nil, "fail missing [tests lint]"},

		// Stale.
		{"edit in a later turn", tests, steps("pytest", "edit"), "fail stale [tests]"},
		{"edit in the same batch", tests, steps("pytest ; ; edit"), "fail stale [tests]"},
		{"edit by shell", tests, steps("pytest", "sed -i s/a/b/ x"), "fail stale [tests]"},
		{"edit in the same command", tests, steps("pytest && rm x"), "fail stale [tests]"},
		{"redirected into a file", tests, steps("pytest > log"), "fail stale [tests]"},
		{"an edit that failed", tests, steps("pytest", "!edit"), "fail stale [tests]"},
		{"an edit with an unknown outcome", tests, steps("pytest", "?edit"), "fail stale [tests]"},
		{"an unknown command", tests, steps("pytest", "./x"), "fail stale [tests]"},
		{"not understood", tests, steps("pytest", "if x; then y; fi"), "fail stale [tests]"},
		{"run again", tests, steps("pytest", "edit", "pytest"), "pass"},
		{"reading does not spoil", tests, steps("pytest", "read", "git diff", "cat x | head"), "pass"},
		{"a checker does not spoil", both, steps("pytest", "ruff check"), "pass"},
		{"one of both stale", both, steps("pytest", "edit", "ruff check"), "fail stale [tests]"},
		{"a fixing linter spoils", both, steps("pytest", "ruff check --fix", "ruff check"), "fail stale [tests]"},

		// Failed.
		{"failed", tests, steps("!pytest"), "fail failed [tests]"},
		{"partial", tests, steps("%pytest"), "fail failed [tests]"},
		{"unknown", tests, steps("?pytest"), "fail failed [tests]"},
		{"failed, then passed", tests, steps("!pytest", "edit", "pytest"), "pass"},
		{"passed, then failed", tests, steps("pytest", "!pytest"), "fail failed [tests]"},
		{"failed, then edited", tests, steps("!pytest", "edit"), "fail failed [tests]"},
		{"failed with another before it", both, steps("ruff check", "!ruff check && pytest"), "fail failed [tests lint]"},
		{"which failed", tests, steps("!which pytest"), "fail missing [tests]"},

		// Masked.
		{"or true", tests, steps("pytest || true"), "fail masked [tests]"},
		{"in a pipe", tests, steps("pytest | tail -5"), "fail masked [tests]"},
		{"a false program", tests, steps("PATH=./fake pytest"), "fail masked [tests]"},
		{"a function", tests, steps("pytest() { :; }; pytest"), "fail masked [tests]"},
		{"in a substitution", tests, steps("echo $(pytest)"), "fail masked [tests]"},
		{"with arguments that are not known", tests, steps("npm test -- $ARGS"), "fail masked [tests]"},
		{"in the background", tests, []gate.Step{{Shell: true, Command: "pytest", OK: true}}, "fail failed [tests]"},
		{"selected by name", tests, steps("go test -run X ./..."), "fail masked [tests]"},
		{"looked at after a good run", tests, steps("pytest", "pytest | tail -5"), "pass"},
		{"looked at after a failed run", tests, steps("!pytest", "pytest | tail -5"), "fail masked [tests]"},

		// Optional: missing is unverified, evidence that shows nothing fails.
		{"optional and run", maybe, steps("pytest"), "pass"},
		{"optional and not run", maybe, steps("edit"), "unverified missing [tests]"},
		{"optional and mentioned", maybe, steps("!pytest --version"), "unverified missing [tests]"},
		{"optional and stale", maybe, steps("pytest", "edit"), "fail stale [tests]"},
		{"optional and failed", maybe, steps("!pytest"), "fail failed [tests]"},
		{"optional and masked", maybe, steps("pytest || true"), "fail masked [tests]"},
		{"asked twice, the stricter counts", append(maybe[:1:1], tests...), nil, "fail missing [tests]"},
		{"optional beside a lack", []gate.Requirement{{Kind: gate.Tests, Optional: true}, {Kind: gate.Lint}}, nil, "fail missing [tests lint]"},
	} {
		if got := verdict(gate.Judge(c.required, c.steps, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestJudgeTodos(t *testing.T) {
	done := gate.Todo{Text: "read", Status: gate.Completed}
	open := gate.Todo{Text: "write", Status: gate.Pending}
	now := gate.Todo{Text: "think", Status: gate.InProgress}
	for _, c := range []struct {
		required []gate.Requirement
		todos    []gate.Todo
		want     string
	}{
		{nil, nil, "pass"},
		{nil, []gate.Todo{done}, "pass"},
		{nil, []gate.Todo{done, open}, `fail open ["write"]`},
		{nil, []gate.Todo{now, open}, `fail open ["think" "write"]`},
		{maybe, []gate.Todo{open}, `fail missing [tests] open ["write"]`},
		{tests, []gate.Todo{open}, `fail missing [tests] open ["write"]`},
	} {
		if got := verdict(gate.Judge(c.required, nil, c.todos)); got != c.want {
			t.Errorf("%v: %s, want %s", c.todos, got, c.want)
		}
	}
}

// What the feedback names is what is lacking, and nothing else.
func TestFeedback(t *testing.T) {
	for _, c := range []struct {
		required []gate.Requirement
		steps    []gate.Step
		todos    []gate.Todo
		want     []string
		never    string
	}{
		{tests, nil, nil, []string{`the user asked for tests ("Run the tests."), and no command ran it`, "run the check by itself"}, "todo"},
		{tests, steps("pytest", "edit"), nil, []string{"tests ended well in `pytest`, but write_file after it may have changed something"}, "no command"},
		{tests, steps("pytest && rm x"), nil, []string{"tests ended well in `pytest && rm x`, but the same command"}, ""},
		{tests, steps("!pytest"), nil, []string{"the last run of tests, `pytest`, failed"}, ""},
		{tests, steps("?pytest"), nil, []string{"the last run of tests, `pytest`, has no known outcome"}, ""},
		{tests, steps("%pytest"), nil, []string{"the last run of tests, `pytest`, was stopped before it was through"}, ""},
		{tests, steps("pytest || true"), nil, []string{"the exit status of `pytest || true` does not show how tests ended"}, ""},
		{nil, nil, []gate.Todo{{Text: "write", Status: gate.Pending}}, []string{`1 todo is not completed ("write" first)`}, "Not done yet"},
		{tests, nil, []gate.Todo{{Text: "a", Status: gate.Pending}, {Text: "b", Status: gate.Pending}}, []string{"no command ran it", "2 todos are not completed"}, ""},
		{maybe, nil, nil, []string{"The user asked for tests if possible, and no command ran it."}, "Not done yet"},
		{tests, steps("!pytest " + strings.Repeat("x\n", 1000)), nil, []string{"..."}, "x\n"},
	} {
		got := gate.Judge(c.required, c.steps, c.todos).Feedback
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("the feedback does not say %q:\n%s", w, got)
			}
		}
		if c.never != "" && strings.Contains(got, c.never) || len(got) > 700 {
			t.Errorf("the feedback says too much:\n%s", got)
		}
	}
	if f := gate.Judge(tests, steps("pytest"), nil).Feedback; f != "" {
		t.Errorf("feedback for a pass: %s", f)
	}
}

// some draws a command of many kinds.
func some(t *rapid.T) string {
	part := rapid.SampledFrom([]string{"pytest", "go test ./...", "ruff check", "echo pytest", "ls", "cat x", "rm x", "touch x", "echo hi > x", "sed -i s/a/b/ x", "./x", "git add .",
		"git status", "true", "false", "go fmt ./...", "tee x", "eslint --fix", "$X", "if a; then b; fi", "go vet ./..."})
	glue := rapid.SampledFrom([]string{" && ", " || ", "; ", " | ", " & ", "\n"})
	c := part.Draw(t, "part")
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		c += glue.Draw(t, "glue") + part.Draw(t, "part")
	}
	return c
}

// Whatever ran before: what may change something after the evidence, and is no
// evidence itself, turns a pass into a fail; what changes nothing and tries
// nothing leaves it a pass.
func TestAnyChangeMakesStale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var before []string
		for range rapid.IntRange(0, 5).Draw(t, "before") {
			before = append(before, some(t))
		}
		all := steps(append(before, "pytest")...)
		if got := gate.Judge(tests, all, nil); got.Outcome != gate.Pass {
			t.Fatalf("a run at the end is no pass: %s", verdict(got))
		}
		c := some(t)
		then := append(all, gate.Step{Turn: 99, Tool: "bash", Shell: true, Command: c, OK: true, Known: true})
		got := gate.Judge(tests, then, nil).Outcome
		fresh := strings.Contains(proves(c), "tests")
		switch {
		case fresh && got != gate.Pass:
			t.Fatalf("%q proves tests and leaves %s", c, got)
		case !fresh && gate.MayChange(c) && got != gate.Fail:
			t.Fatalf("%q may change something and leaves %s", c, got)
		case !gate.MayChange(c) && got != gate.Pass:
			t.Fatalf("%q changes nothing and leaves %s", c, got)
		}
		then = append(all, gate.Step{Turn: 99, Tool: "edit", Changes: true, OK: rapid.Bool().Draw(t, "ok"), Known: true})
		if got := gate.Judge(maybe, then, nil).Outcome; got != gate.Fail {
			t.Fatalf("an edit leaves %s", got)
		}
	})
}

// Judge changes nothing of what it is given, and is the same every time.
func TestJudgeIsPure(t *testing.T) {
	all := steps("edit", "pytest", "rm x", "!ruff check")
	was := fmt.Sprint(all, both)
	first := gate.Judge(both, all, nil)
	for range 50 {
		if v := gate.Judge(both, all, nil); fmt.Sprint(v) != fmt.Sprint(first) {
			t.Fatalf("%v and %v", first, v)
		}
	}
	if fmt.Sprint(all, both) != was {
		t.Error("the input was changed")
	}
}

// FuzzCommand: the splitter survives anything, and what may be evidence is
// never what it did not understand.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"pytest", "a && b || c; d | e & f", "cat <<EOF\nx\nEOF\npytest", "echo \"$(ls `x`)\" '$y'", "{ a; } > b 2>&1", "(((a)))", "if a; then b; fi", "bash -c 'sh -c pytest'",
		"set -euo pipefail; x", "${x}", "\\", "'", "<<", "env env A=1 timeout 5 npx jest", "make -j 4 test", "git -C x status"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kinds := gate.Proves(s)
		gate.MayChange(s)
		for _, b := range []string{"if x; then\n", "f() {\n", "((\n", "[[ x ]]\n", "alias a=b\n", "exit 0\n", "PATH=x\n", "echo $((1))\n", "a <(b)\n", "x=$'y'\n"} {
			if p := gate.Proves(b + s); len(p) > 0 || !gate.MayChange(b+s) {
				t.Fatalf("%q is not understood, proves %v, and changes something: %v", b+s, p, gate.MayChange(b+s))
			}
		}
		if len(kinds) > 0 {
			if v := gate.Judge(tests, []gate.Step{{Shell: true, Command: s, Known: true}}, nil); v.Outcome == gate.Pass {
				t.Fatal("a failed run is a pass")
			}
		}
	})
}

// Growth is linear in the number of steps, and in the length of one command.
func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		var turns []string
		for len(turns) < n {
			turns = append(turns, "cd x && go test ./...", "sed -i s/a/b/ x", "read", "edit", "git diff | head -50")
		}
		all := steps(turns...)
		b.Run(fmt.Sprintf("%d-steps", n), func(b *testing.B) {
			for b.Loop() {
				gate.Judge(both, all, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/step")
		})
	}
	for _, n := range []int{1000, 10_000, 100_000} {
		for name, part := range map[string]string{"words": "a ", "lists": "a;", "quotes": "'a' ", "subs": "$(a) ", "env": "env ", "lines": "a\n", "braces": "{ ", "assignments": "A=1 "} {
			c := strings.Repeat(part, n/len(part))
			b.Run(fmt.Sprintf("%dB-%s", n, name), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					gate.Proves(c)
				}
			})
		}
	}
}
