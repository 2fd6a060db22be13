package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Scenarios run inside the tests of somebody else's module, real kills
// included: that is how users hold their own loop to them.
func TestFromAnotherModule(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("builds a module of its own")
	}
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to build with")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	theirs := regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(string(mod), "module example.com/theirs")
	theirs = regexp.MustCompile(`(?m)^tool .*$`).ReplaceAllString(theirs, "") +
		"\nrequire github.com/harnessbench/bench v0.0.0\n\nreplace github.com/harnessbench/bench => " + root + "\n"
	for name, text := range map[string]string{
		"go.mod": theirs,
		"go.sum": string(sum),
		"theirs_test.go": `package theirs

import (
	"os"
	"testing"

	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain()
	os.Exit(m.Run())
}

func TestScenarios(t *testing.T) { scenarios.Test(t, "testdata/*.txtar", nil) }
`,
		"testdata/good.txtar": read(t, "killed-after-effect.txtar"),
		"testdata/bad.txtar":  strings.Replace(read(t, "stop-unknown.txtar"), "terminal unknown_stop zzz_new", "terminal completed", 1),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(gotool, "test", "-mod=mod", "-count=1", "-v", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("a scenario that does not hold passed in another module")
	}
	for _, want := range []string{
		"--- PASS: TestScenarios/killed-after-effect/realkill",
		"--- FAIL: TestScenarios/bad/new",
		"--- PASS: TestScenarios/bad/missing",
		"want terminal completed, got unknown_stop",
		"go test -run '^TestScenarios$/^bad$/^new$'",
	} {
		want = strings.Replace(want, "killed-after-effect", "good", 1)
		if !strings.Contains(string(out), want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
