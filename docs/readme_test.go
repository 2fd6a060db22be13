package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/protocol"
	"github.com/harnessbench/bench/scenarios"
)

// What README shows and names is there, and its example is a scenario.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(page), -1)
	folders := regexp.MustCompile("(?m)^\\| (`[^|]+) \\|").FindAllStringSubmatch(string(page), -1)
	if len(links) < 5 || len(folders) < 5 {
		t.Fatalf("README has %d links and %d rows of folders; has it changed its shape?", len(links), len(folders))
	}
	for _, l := range links {
		if _, err := os.Stat(filepath.Join("..", l[1])); err != nil {
			t.Errorf("README links to %s, which is not there", l[1])
		}
	}
	for _, row := range folders {
		for _, f := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if _, err := os.Stat(filepath.Join("..", f[1])); err != nil {
				t.Errorf("README names the folder %s, which is not there", f[1])
			}
		}
	}
	var example []string
	for _, line := range strings.Split(string(page), "\n") {
		if strings.HasPrefix(line, "    # Killed between") || len(example) > 0 {
			if line != "" && !strings.HasPrefix(line, "    ") {
				break
			}
			example = append(example, strings.TrimPrefix(line, "    "))
		}
	}
	file := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(file, []byte(strings.Join(example, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := scenarios.Run(t.Context(), scenarios.Options{Files: []string{file}, KeepDir: t.TempDir(), Report: func(r scenarios.Result) {
		if r.Status != scenarios.Pass {
			t.Errorf("README's example:\n%s", r)
		}
	}})
	if err != nil || sum.Passed != len(protocol.Names()) {
		t.Errorf("README's example did not run: %v, %v", sum, err)
	}
}
