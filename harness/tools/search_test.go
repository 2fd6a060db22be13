package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// deferred is a tool that nobody sees at first.
func deferred(name, description string) tools.Tool {
	t := named(name)
	t.Description, t.Deferred = description, true
	return t
}

func advertised(list []providers.Tool) string {
	var names []string
	for _, a := range list {
		names = append(names, a.Name)
	}
	return strings.Join(names, " ")
}

func TestAdvertiseWith(t *testing.T) {
	r := registry(t, named("m"), deferred("zip", "z"), deferred("ask", "a"))
	for _, c := range []struct {
		revealed []string
		want     string
	}{
		{nil, "m tool_search"},
		{[]string{"zip"}, "m tool_search zip"},
		{[]string{"zip", "ask"}, "ask m tool_search zip"}, // sorted, whatever was revealed first
		{[]string{"zip", "zip", "gone", "m"}, "m tool_search zip"},
	} {
		if got := advertised(r.AdvertiseWith(c.revealed)); got != c.want {
			t.Errorf("%v: %s, want %s", c.revealed, got, c.want)
		}
	}
	if got := advertised(r.Advertise()); got != "m tool_search" {
		t.Errorf("Advertise: %s", got)
	}
	if no := r.Validate("zip", []byte("{}")); no != nil { // whether it was revealed is the loop's to know
		t.Error(no)
	}
	no := tools.DeferredRefusal("zip")
	if want := `zip is not available yet, because you have not seen what it takes. Call tool_search with {"query":"zip"} first, and then call it again.`; no.Code != tools.CodeDeferred || no.Sentence != want {
		t.Errorf("got  %+v\nwant %s", no, want)
	}
}

// tool_search is there when it is needed and nobody brings one.
func TestSearchIsThereByItself(t *testing.T) {
	own := named(tools.SearchTool)
	own.Description = "mine"
	for _, c := range []struct {
		name string
		r    *tools.Registry
		want string // its description, "" for none
	}{
		{"nothing is deferred", registry(t, named("a")), ""},
		{"one is", registry(t, deferred("a", "x")), "... These can be found: a."},
		{"and one brings its own", registry(t, deferred("a", "x"), own), "mine"},
		{"derived, deferred before", with(t, registry(t, deferred("b", "x")), deferred("a", "x"), named("c")), "... These can be found: a, b."},
		{"derived, deferred now", with(t, registry(t, named("b")), deferred("a", "x")), "... These can be found: a."},
		{"derived, own now", with(t, registry(t, deferred("a", "x")), own), "mine"},
		{"derived, own before", with(t, registry(t, own), deferred("a", "x")), "mine"},
		{"derived twice", with(t, with(t, registry(t, deferred("a", "x")), own), named("b")), "mine"},
	} {
		tool, ok := c.r.Lookup(tools.SearchTool)
		if ok != (c.want != "") {
			t.Errorf("%s: there is one: %v", c.name, ok)
		} else if ok && !says(tool.Description, c.want) {
			t.Errorf("%s: %q, want %q", c.name, tool.Description, c.want)
		}
	}
}

func with(t *testing.T, r *tools.Registry, ts ...tools.Tool) *tools.Registry {
	t.Helper()
	d, err := r.With(ts...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRegistryWith(t *testing.T) {
	first := named("a")
	first.Description = "first"
	second := named("a")
	second.Description = "second"
	r := registry(t, first)
	print := r.Fingerprint()
	d := with(t, r, second, named("b"))
	if got, _ := d.Lookup("a"); got.Description != "first" {
		t.Errorf("a is %q: the one that is there wins", got.Description)
	}
	if got := advertised(d.Advertise()); got != "a b" {
		t.Errorf("derived: %s", got)
	}
	if got := advertised(r.Advertise()); got != "a" || r.Fingerprint() != print {
		t.Errorf("the registry was changed: %s", got)
	}
	if d.Fingerprint() != registry(t, named("b"), first).Fingerprint() {
		t.Error("how a registry came about changes its fingerprint")
	}
	if no := d.Validate("b", []byte("{}")); no != nil {
		t.Error(no)
	}
	if same := with(t, d, named("a"), named("b")); same.Fingerprint() != d.Fingerprint() {
		t.Error("with nothing new the fingerprint changed")
	}
	for want, ts := range map[string][]tools.Tool{
		"tool b is registered twice": {named("b"), named("b")},
		"not legal":                  {named("b"), named("c.d")},
		"has no Run":                 {{Name: "x", Schema: `{"type":"object"}`}},
	} {
		if bad, err := r.With(ts...); err == nil || bad != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// search runs tool_search as a model would.
func search(t *testing.T, r *tools.Registry, query string, limit int) tools.Outcome {
	t.Helper()
	tool, ok := r.Lookup(tools.SearchTool)
	if !ok {
		t.Fatal("no tool_search")
	}
	input, _ := json.Marshal(map[string]string{"query": query})
	if no := r.Validate(tool.Name, input); no != nil {
		t.Fatal(no)
	}
	c := tools.Call{ID: "c1", Name: tool.Name, Input: input}
	return tools.Execute(context.Background(), env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, tool, c, tools.Options{Limit: limit})
}

func TestSearch(t *testing.T) {
	list := []tools.Tool{
		deferred("read_result", "Reads a result that was too long to be shown whole."),
		deferred("send_mail", "Sends a message to a person."),
		deferred("list_mail", "Lists the messages of a folder."),
		deferred("git_log", "Shows what was changed, with the message of each change."),
		named("bash"),
	}
	r := registry(t, list...)
	turned := registry(t, list[4], list[3], list[2], list[1], list[0])
	for query, want := range map[string]string{
		"git_log":              "git_log",
		"GIT_LOG":              "git_log",
		"result":               "read_result",
		"read":                 "read_result",
		"reading results":      "read_result",
		"mail":                 "list_mail send_mail", // equal: by name
		"send mail":            "send_mail list_mail",
		"send_mail":            "send_mail list_mail",
		"messages":             "git_log list_mail send_mail",
		"what is the weather?": "", // filler words match nothing
		"the":                  "",
		"zebra":                "",
		"bash":                 "",
		"a":                    "",
		"...":                  "",
	} {
		o := search(t, r, query, 0)
		if got := strings.Join(o.Names, " "); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
		if o.State != journal.Done || len(o.Names) == 0 && !strings.Contains(o.Text, "These can be found: git_log, list_mail, read_result, send_mail.") {
			t.Errorf("%q: %+v", query, o)
		}
		if again := search(t, turned, query, 0); again.Text != o.Text {
			t.Errorf("%q: the order of registration changes the answer", query)
		}
	}
	if got := search(t, r, "git log", 0).Text; got != "Found 1 tool, available from now on:\n\ngit_log: "+list[3].Description+"\nIt takes: {\"type\":\"object\"}\n" {
		t.Errorf("told %q", got)
	}
	if got := search(t, r, "zebra", 0).Text; !strings.HasPrefix(got, `No tool matches "zebra", and nothing was made available.`) {
		t.Errorf("a miss says %q", got)
	}
	if got := search(t, r, "bash", 0).Text; !strings.HasPrefix(got, "bash is available already: call it.") {
		t.Errorf("a tool that is not deferred: %q", got)
	}
}

func TestSearchIsBounded(t *testing.T) {
	var list []tools.Tool
	for i := range 200 {
		list = append(list, deferred(fmt.Sprintf("tool_%03d", i), strings.Repeat("writes files ", 100)))
	}
	r := registry(t, list...)
	o := search(t, r, "write", 5000)
	if got := strings.Join(o.Names, " "); got != "tool_000 tool_001 tool_002 tool_003 tool_004 tool_005 tool_006 tool_007 tool_008 tool_009" {
		t.Errorf("found %s", got)
	}
	if o.Cut > 0 || !strings.HasSuffix(o.Text, "\ntool_009: too long to show here\n") {
		t.Errorf("cut %d, and ends %q", o.Cut, o.Text[len(o.Text)-60:])
	}
	tool, _ := r.Lookup(tools.SearchTool)
	if len(tool.Description) > 2000 || !strings.HasSuffix(tool.Description, " and 150 more.") {
		t.Errorf("the description is %d bytes: %q", len(tool.Description), tool.Description)
	}
}

// A derived registry's search finds what was added, and the one it was derived
// from does not.
func TestSearchOfADerivedRegistry(t *testing.T) {
	r := registry(t, deferred("one_thing", "x"))
	d := with(t, r, deferred("other_thing", "y"))
	if got := fmt.Sprint(search(t, d, "thing", 0).Names); got != "[one_thing other_thing]" {
		t.Errorf("derived: %s", got)
	}
	if got := fmt.Sprint(search(t, r, "thing", 0).Names); got != "[one_thing]" {
		t.Errorf("original: %s", got)
	}
}
