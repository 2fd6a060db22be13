package harness

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What Refusals and GateVerdicts list is what the source has, neither more nor less.
func TestListsAreWhole(t *testing.T) {
	for _, r := range Ladder() {
		if r.Trigger == "" {
			t.Errorf("the rung %s has no trigger", r.Name)
		}
	}

	src := parseDir(t, ".")
	var want []string
	for _, name := range slices.Sorted(maps.Keys(src.consts)) {
		v := src.consts[name]
		switch {
		case strings.HasPrefix(name, "hook"):
			want = append(want, src.consts["gateHook"]+":"+v, src.consts["gateToolHook"]+":"+v)
		case name == "gatePass", name == "gateUnverified", name == "gateFail":
			want = append(want, src.consts["gateCompletion"]+":"+v)
		case strings.HasPrefix(name, "judge"):
			want = append(want, src.consts["gateJudge"]+":"+v)
		case strings.HasPrefix(name, "gate") && !slices.Contains([]string{"gateHook", "gateToolHook", "gateCompletion", "gateJudge"}, name):
			t.Errorf("harness has a gate word %s = %q that this test does not know", name, v)
		}
	}
	var got []string
	for _, g := range GateVerdicts() {
		got = append(got, g.Gate+":"+g.Verdict)
	}
	same(t, "gates", got, want)

	tool := parseDir(t, "tools")
	want = append(src.verdicts, tool.consts["CodePermission"]) // the loop itself refuses by the policy
	for name, v := range src.consts {
		if strings.HasPrefix(name, "refused") {
			want = append(want, v)
		}
	}
	for _, name := range tool.refusals {
		want = append(want, tool.consts[name])
	}
	got = nil
	for _, c := range Refusals() {
		got = append(got, c.Code)
	}
	same(t, "codes", got, want)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Compact(slices.Sorted(slices.Values(want)))
	if !slices.Equal(got, want) {
		t.Errorf("%s are\n%q\nin the source\n%q", what, got, want)
	}
}

// words are the string constants of a package, by name, the codes written into
// its Verdicts, and the constants written into its Refusals.
type words struct {
	consts             map[string]string
	verdicts, refusals []string
}

func parseDir(t *testing.T, dir string) words {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no Go files: %v", dir, err)
	}
	w := words{consts: map[string]string{}}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, b, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if i < len(n.Values) {
						if s, ok := literal(n.Values[i]); ok {
							w.consts[name.Name] = s
						}
					}
				}
			case *ast.CompositeLit:
				w.composite(n)
			}
			return true
		})
	}
	return w
}

func (w *words) composite(n *ast.CompositeLit) {
	typ, ok := n.Type.(*ast.Ident)
	if !ok || len(n.Elts) == 0 {
		return
	}
	first := n.Elts[0]
	if kv, ok := first.(*ast.KeyValueExpr); ok {
		first = kv.Value
	}
	switch typ.Name {
	case "Verdict":
		if s, ok := literal(first); ok {
			w.verdicts = append(w.verdicts, s)
		}
	case "Refusal":
		if id, ok := first.(*ast.Ident); ok {
			w.refusals = append(w.refusals, id.Name)
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
