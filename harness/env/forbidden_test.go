package env

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What must not be used in package harness and below, and what to use instead.
// Everything else of these packages is allowed: sync.Mutex is, as long as no
// wait happens under it.
var forbiddenNames = map[string]map[string]string{
	"time": {
		"Sleep": "Clock.Sleep", "After": "Clock.Sleep", "Tick": "Clock.Sleep", "NewTicker": "Clock.Sleep",
		"AfterFunc": "Clock.WithTimer", "NewTimer": "Clock.WithTimer",
		"Now": "Clock.Now", "Since": "Clock.Now", "Until": "Clock.Now",
	},
	"context": {
		"WithCancel": "Clock.WithCancel", "WithCancelCause": "Clock.WithCancel",
		"WithTimeout": "Clock.WithTimer", "WithTimeoutCause": "Clock.WithTimer",
		"WithDeadline": "Clock.WithTimer", "WithDeadlineCause": "Clock.WithTimer",
		"AfterFunc": "Note.Wait in a task of its own",
	},
	"sync": {"WaitGroup": "Note and a count", "Cond": "Note", "NewCond": "Note"},
}

// Packages that must not be imported at all.
var forbiddenImports = map[string]string{
	"crypto/rand":                    "env.IDs, or Env.Seed",
	"os/signal":                      "a context handed in by the command",
	"golang.org/x/sync/errgroup":     "Clock.Go and Note",
	"golang.org/x/sync/semaphore":    "Clock.Go and Note",
	"golang.org/x/sync/singleflight": "Clock.Go and Note",
	"testing/synctest":               "package sim",
}

// The constructors by which math/rand is seeded; its other functions draw from
// a source that no seed repeats.
var seededRand = []string{"New", "NewPCG", "NewChaCha8", "NewZipf", "NewSource", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

// forbidden returns a sentence for each thing in the file that the simulated
// machine cannot control.
func forbidden(fset *token.FileSet, file *ast.File) []string {
	var found []string
	say := func(n ast.Node, what, instead string) {
		p := fset.Position(n.Pos())
		found = append(found, fmt.Sprintf("%s:%d: %s cannot be simulated; use %s", p.Filename, p.Line, what, instead))
	}
	local := map[string]string{} // name in this file -> import path
	for _, im := range file.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		name := path.Base(p)
		if name == "v2" {
			name = path.Base(path.Dir(p))
		}
		if im.Name != nil {
			name = im.Name.Name
		}
		local[name] = p
		if instead := forbiddenImports[p]; instead != "" {
			say(im, p, instead)
		}
		if name == "." && forbiddenNames[p] != nil {
			say(im, "a dot import of "+p, "the package by its name")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			say(n, "a go statement", "Clock.Go")
		case *ast.SelectStmt:
			say(n, "select", "Note.Wait with a context")
		case *ast.ChanType:
			say(n, "a channel", "a variable and a Note")
		case *ast.SendStmt:
			say(n, "a channel send", "Note.Set")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				say(n, "a channel receive", "Note.Wait")
			}
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok || id.Obj != nil { // a variable of that name
				break
			}
			p := local[id.Name]
			if instead := forbiddenNames[p][n.Sel.Name]; instead != "" {
				say(n, p+"."+n.Sel.Name, instead)
			}
			if (p == "math/rand" || p == "math/rand/v2") && !slices.Contains(seededRand, n.Sel.Name) {
				say(n, p+"."+n.Sel.Name, "rand.New with a source made from Env.Seed")
			}
		}
		return true
	})
	return found
}

// TestForbidden keeps package harness and below on Clock: one `go` statement
// there and a seed no longer names one schedule.
func TestForbidden(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		real := filepath.Dir(p) == filepath.Join("..", "env") && strings.HasPrefix(d.Name(), "real")
		if d.IsDir() || filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") || real {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return err
		}
		files++
		for _, s := range forbidden(fset, f) {
			t.Error(s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 3 {
		t.Fatalf("%d files were looked at; the walk does not reach package harness", files)
	}
}

// TestForbiddenSample holds forbidden to a sample with everything in it: what a
// line wants is found on that line, and nothing else is found.
func TestForbiddenSample(t *testing.T) {
	const name = "testdata/forbidden.go"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := forbidden(fset, f)
	for i, line := range strings.Split(string(src), "\n") {
		at := fmt.Sprintf("%s:%d: ", name, i+1)
		var here []string
		found = slices.DeleteFunc(found, func(s string) bool {
			if strings.HasPrefix(s, at) {
				here = append(here, s)
				return true
			}
			return false
		})
		_, want, any := strings.Cut(line, "// want: ")
		switch {
		case any && !slices.ContainsFunc(here, func(s string) bool { return strings.Contains(s, want) }):
			t.Errorf("%s%q is not found; found: %q", at, want, here)
		case !any && len(here) > 0:
			t.Errorf("found where nothing is wrong: %q", here)
		}
	}
	if len(found) > 0 {
		t.Errorf("found elsewhere: %q", found)
	}
}
