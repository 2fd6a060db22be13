package tools_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/harnessbench/bench/harness/tools"
)

func nothing(context.Context, tools.Call) (tools.Output, error) { return tools.Output{}, nil }

func named(name string) tools.Tool {
	return tools.Tool{Name: name, Schema: `{"type":"object"}`, Run: nothing}
}

func registry(t testing.TB, ts ...tools.Tool) *tools.Registry {
	t.Helper()
	r, err := tools.NewRegistry(ts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNewRegistryRefuses(t *testing.T) {
	with := func(schema string) []tools.Tool {
		return []tools.Tool{{Name: "t", Schema: schema, Run: nothing}}
	}
	for _, c := range []struct {
		name  string
		tools []tools.Tool
		want  string
	}{
		{"empty name", []tools.Tool{named("")}, `tool 1: the name "" is not legal`},
		{"dot", []tools.Tool{named("a"), named("a.b")}, `tool 2: the name "a.b" is not legal`},
		{"space", []tools.Tool{named("a b")}, "not legal"},
		{"newline at the end", []tools.Tool{named("a\n")}, "not legal"},
		{"65 letters", []tools.Tool{named(strings.Repeat("a", 65))}, "not legal"},
		{"not ASCII", []tools.Tool{named("lesen_ä")}, "not legal"},
		{"twice", []tools.Tool{named("a"), named("b"), named("a")}, "tool a is registered twice"},
		{"no Run", []tools.Tool{{Name: "t", Schema: `{"type":"object"}`}}, "has no Run"},
		{"no schema", with(""), "it has no schema"},
		{"blank schema", with(" \n"), "it has no schema"},
		{"not JSON", with(`{"type":"object"`), "not complete JSON"},
		{"duplicate key", with(`{"type":"object","type":"object"}`), `names the key "type" twice`},
		{"array", with(`[]`), "not a JSON object"},
		{"true", with(`true`), "not a JSON object"},
		{"string type", with(`{"type":"string"}`), `set "type" to "object"`},
		{"list of types", with(`{"type":["object","null"]}`), `set "type" to "object"`},
		{"no type", with(`{}`), `set "type" to "object"`},
		{"not a schema", with(`{"type":"object","properties":{"a":{"type":"strnig"}}}`), "not a valid JSON Schema"},
		{"required is no list", with(`{"type":"object","required":"a"}`), "not a valid JSON Schema"},
		{"look-ahead", with(`{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`), "not a valid JSON Schema"},
		{"$ref to the network", with(`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x.json"}}}`), "only references into the same schema"},
		{"$ref to a file", with(`{"type":"object","properties":{"a":{"$ref":"file:///etc/hostname"}}}`), "only references into the same schema"},
		{"$ref to a neighbour", with(`{"type":"object","properties":{"a":{"$ref":"other"}}}`), "only references into the same schema"},
		{"$ref to nothing", with(`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`), "not a valid JSON Schema"},
		{"unknown draft", with(`{"$schema":"http://127.0.0.1:1/draft","type":"object"}`), "only references into the same schema"},
		{"two at once", []tools.Tool{named(""), {Name: "t", Schema: "[]", Run: nothing}}, "tool t: its schema is an array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := tools.NewRegistry(c.tools...)
			if err == nil {
				t.Fatal("not refused")
			}
			if r != nil {
				t.Error("a registry beside an error")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %q\nand does not hold %q", err, c.want)
			}
		})
	}
}

func TestRegistryIsTheSingleSource(t *testing.T) {
	r := registry(t, named("zeta"), named("alpha"), named("Mid-1"))
	var names []string
	for _, a := range r.Advertise() {
		names = append(names, a.Name)
		tool, ok := r.Lookup(a.Name)
		if !ok || tool.Run == nil || tool.Schema != a.Schema {
			t.Errorf("%s is advertised and cannot be executed as such", a.Name)
		}
	}
	if got, want := strings.Join(names, " "), "Mid-1 alpha zeta"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
	if _, ok := r.Lookup("beta"); ok {
		t.Error("an unknown tool was found")
	}
	if got := strings.Join(r.Names(), " "); got != strings.Join(names, " ") {
		t.Errorf("Names gives %q", got)
	}
}

func TestRegistryOwnsItsTools(t *testing.T) {
	list := []tools.Tool{named("a"), named("b")}
	r := registry(t, list...)
	print := r.Fingerprint()
	list[0].Schema, list[0].Name = `{"type":"array"}`, "evil"
	got, _ := r.Lookup("a")
	got.Schema, got.ReadOnly = "changed", true
	r.Advertise()[0].Schema = "changed"
	r.Names()[0] = "changed"

	again, ok := r.Lookup("a")
	if !ok || again.Schema != `{"type":"object"}` || again.ReadOnly {
		t.Errorf("the registry changed from outside: %+v", again)
	}
	if r.Advertise()[0].Schema != `{"type":"object"}` || r.Names()[0] != "a" || r.Fingerprint() != print {
		t.Error("the registry changed from outside")
	}
}

func TestFingerprint(t *testing.T) {
	a := tools.Tool{Name: "a", Description: "d", Schema: `{"type":"object","properties":{"x":{"type":"integer","minimum":1}}}`, Run: nothing}
	b := named("b")
	base := registry(t, a, b).Fingerprint()
	if len(base) != 64 {
		t.Fatalf("not a SHA-256: %q", base)
	}
	if got := registry(t, b, a).Fingerprint(); got != base {
		t.Error("the order of registration changes the fingerprint")
	}
	spaced := a
	spaced.Schema = "{ \"properties\": {\"x\":{\"minimum\":1, \"type\":\"integer\"}},\n\"type\":\"object\"}"
	if got := registry(t, spaced, b).Fingerprint(); got != base {
		t.Error("white space or the order of keys changes the fingerprint")
	}
	for what, change := range map[string]func(*tools.Tool){
		"name":        func(t *tools.Tool) { t.Name = "c" },
		"description": func(t *tools.Tool) { t.Description = "e" },
		"schema":      func(t *tools.Tool) { t.Schema = strings.Replace(t.Schema, "1", "2", 1) },
		"read-only":   func(t *tools.Tool) { t.ReadOnly = true },
		"idempotent":  func(t *tools.Tool) { t.Idempotent = true },
		"background":  func(t *tools.Tool) { t.Background = true },
		"shell":       func(t *tools.Tool) { t.Shell = true },
		"siblings":    func(t *tools.Tool) { t.StopsSiblings = true },
		"compacts":    func(t *tools.Tool) { t.Compacts = true },
	} {
		changed := a
		change(&changed)
		if registry(t, changed, b).Fingerprint() == base {
			t.Errorf("the fingerprint does not see the %s", what)
		}
	}
	search := tools.Tool{Name: tools.SearchTool, Schema: `{"type":"object"}`, Run: nothing} // so that none is added
	hidden := a
	hidden.Deferred = true
	if registry(t, a, search).Fingerprint() == registry(t, hidden, search).Fingerprint() {
		t.Error("the fingerprint does not see that a tool is deferred")
	}
	if registry(t, a).Fingerprint() == base {
		t.Error("the fingerprint does not see a missing tool")
	}
}

func TestAdvertisedSchemaIsCompact(t *testing.T) {
	r := registry(t, tools.Tool{Name: "a", Schema: "{\n \"type\": \"object\",\n \"properties\": {}\n}", Run: nothing})
	if got, want := r.Advertise()[0].Schema, `{"type":"object","properties":{}}`; got != want {
		t.Errorf("advertised %s, want %s", got, want)
	}
}

func TestEmptyRegistry(t *testing.T) {
	r := registry(t)
	if n := len(r.Advertise()); n != 0 {
		t.Errorf("%d tools", n)
	}
	no := r.Validate("bash", []byte("{}"))
	if no == nil || no.Sentence != `There is no tool "bash". No tools are available: answer in words.` {
		t.Errorf("got %+v", no)
	}
}

// Registries are shared by the tasks of a batch; the race detector looks on.
func TestRegistryIsShared(t *testing.T) {
	r := registry(t, tools.Tool{Name: "work", Schema: schemaOfT, Run: nothing}, named("b"))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if no := r.Validate("work", []byte(`{"path":"a","items":[{"text":"x"}],"when":3}`)); no != nil {
					t.Error(no)
				}
				if r.Validate("work", []byte(`{"x":[1]}`)) == nil || r.Validate("c", nil) == nil {
					t.Error("not refused")
				}
				r.Advertise()
				r.Lookup("b")
			}
		})
	}
	all.Wait()
}
