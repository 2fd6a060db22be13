package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page about scale names every native fuzz target there is, in its table and
// in its build script, and none that is not there.
func TestScale(t *testing.T) {
	b, err := os.ReadFile("scale.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	var targets []string
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`).FindAllStringSubmatch(string(code), -1) {
			targets = append(targets, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))+" "+m[1])
		}
		return err
	})
	if err != nil || len(targets) < 10 {
		t.Fatalf("%d targets: %v", len(targets), err)
	}
	var inTable, inScript []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (`Fuzz[^|]*) \\|").FindAllStringSubmatch(page, -1) {
		for _, f := range regexp.MustCompile(`Fuzz\w+`).FindAllString(row[2], -1) {
			inTable = append(inTable, row[1]+" "+f)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^    ([a-z/]+ Fuzz\w+)$`).FindAllStringSubmatch(page, -1) {
		inScript = append(inScript, m[1])
	}
	for _, target := range targets {
		if !slices.Contains(inTable, target) {
			t.Errorf("the table lacks %s", target)
		}
		if !slices.Contains(inScript, target) && target != "fuzz FuzzScenario" {
			t.Errorf("the build script lacks %s", target)
		}
	}
	for _, named := range slices.Concat(inTable, inScript) {
		if !slices.Contains(targets, named) {
			t.Errorf("%s is not there", named)
		}
	}
}
