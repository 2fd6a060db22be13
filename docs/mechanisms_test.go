package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page names functions and scenarios; a name that went stale is a lie.
func TestMechanismsNamesWhatExists(t *testing.T) {
	page, err := os.ReadFile("mechanisms.md")
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, dir := range []string{"../harness", "../harness/journal", "../harness/tools", "../harness/env", "../harness/compact", "../harness/gate", "../providers/anthropic", "../providers/classify"} {
		for name := range names(t, dir) {
			exported[filepath.Base(dir)+"."+name] = true
		}
	}
	rows := 0
	for n, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !regexp.MustCompile(`^ [A-Z][0-9]+ $`).MatchString(cells[1]) {
			continue
		}
		rows++
		for _, f := range regexp.MustCompile("`([a-z]+\\.[A-Za-z.]+)`").FindAllStringSubmatch(cells[4], -1) {
			if !exported[f[1]] {
				t.Errorf("mechanisms.md:%d: nothing is called %s", n+1, f[1])
			}
		}
		for _, s := range strings.Split(cells[5], ",") {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "scenarios", s+".txtar")); err != nil {
				t.Errorf("mechanisms.md:%d: there is no scenario %s", n+1, s)
			}
		}
	}
	if rows < 90 {
		t.Errorf("only %d rows were read; has the table changed its shape?", rows)
	}
}

func names(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no Go files: %v", dir, err)
	}
	out := map[string]bool{}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					out[d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						out[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							out[n.Name] = true
						}
					}
				}
			}
		}
	}
	return out
}
