package gate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sentenceOf makes a command of what a shell has, from words that the oracle can
// watch: pytest is a checker, alter changes something.
func sentenceOf(r *rand.Rand, depth int) string {
	atoms := []string{"pytest", "pytest", "pytest", "pytest -q", "true", "false", "echo pytest", "cat", "alter", "exit 0", "exit 1", ":", "X=1 pytest",
		"pytest >/dev/null", "pytest > log", "pytest 2>&1", "pytest &> log", "set -e", "set -o pipefail", "set +o pipefail", "timeout 5 pytest", "env A=1 pytest",
		"time pytest", "command pytest", "pytest <<< x", "pytest \\\n-q", "\\pytest", "'pytest'", "py\"test\"", "pytest # x", "PATH=$FAKE pytest", "PATH=$FAKE",
		"x=$(pytest)", "echo `pytest`", "cat <<EOF\npytest\nEOF\n", "cat <<'EOF' | cat\n$(alter)\nEOF\n", "pytest() { true; }", "alias pytest=true", "wait", "test -d .", "[ -d . ]",
		"export PATH=$FAKE:$PATH", "export A=1", "hash -p /bin/true pytest", "eval true", "printf -v PATH x", "set -euo pipefail", "exec true", "trap 'exit 0' EXIT", "sleep 0", "$(echo pytest)"}
	if depth == 0 || r.IntN(4) == 0 {
		return atoms[r.IntN(len(atoms))]
	}
	a, b := sentenceOf(r, depth-1), sentenceOf(r, depth-1)
	switch r.IntN(16) {
	case 0, 1, 2:
		return a + " && " + b
	case 3, 4:
		return a + " || " + b
	case 5, 6:
		return a + "; " + b
	case 7:
		return a + "\n" + b
	case 8, 9:
		return a + " | " + b
	case 10:
		return "(" + a + "\n)"
	case 11:
		return "{ " + a + "\n}"
	case 12:
		return "! " + a
	case 13:
		return a + " & " + b
	case 14:
		return "if " + a + "; then " + b + "; fi"
	default:
		return []string{"bash", "sh"}[r.IntN(2)] + " -c '" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
}

// The real shell is the oracle: where Proves says that a command that ends with
// status 0 shows that the tests passed, it never ends so when they fail, nor
// without having run them, nor with a change after them. The same commands are
// made from the same seeds.
func TestOracle(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	n := 80
	if s := os.Getenv("GATE_ORACLE"); s != "" {
		fmt.Sscan(s, &n)
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/pytest", "#!/bin/sh\necho run >> $LEDGER\nexit $STATUS\n", 0o755)
	write("bin/alter", "#!/bin/sh\necho alter >> $LEDGER\n", 0o755)
	write("fake/pytest", "#!/bin/sh\nexit 0\n", 0o755)
	write("w/x", "", 0o644)
	write("drive", "for c in cmd/*; do for STATUS in 0 1; do export STATUS LEDGER=$PWD/ledger; : > ledger\n"+
		"(cd w; "+bash+" -c \"$(cat ../$c)\") </dev/null >/dev/null 2>&1; s=$?\nwait; echo \"$(basename $c) $STATUS $s $(tr '\\n' ' ' < ledger)\"; done; done\n", 0o644)
	var commands []string
	for seed := uint64(1); len(commands) < n; seed++ {
		c := sentenceOf(rand.New(rand.NewPCG(seed, 8)), 3)
		if proves(c) != "" {
			write(fmt.Sprintf("cmd/%06d", len(commands)), c, 0o644)
			commands = append(commands, c)
		}
	}
	cmd := exec.Command(bash, "drive")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + dir + "/bin:/usr/bin:/bin", "FAKE=" + dir + "/fake"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		var i int
		fmt.Sscanf(f[0], "%06d", &i)
		ledger := strings.Join(f[3:], " ")
		if f[2] != "0" {
			continue
		}
		switch {
		case f[1] == "1":
			t.Errorf("%q ends with status 0 when the tests fail", commands[i])
		case !strings.HasSuffix(ledger, "run"):
			t.Errorf("%q ends with status 0 and has done %q: the tests are not last", commands[i], ledger)
		}
		good++
	}
	if good < n/2 {
		t.Errorf("only %d of %d commands ended with status 0 at all", good, n)
	}
}
