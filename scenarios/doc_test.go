package scenarios

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness"
)

// TestDocIsTheReference: what the package comment says is what there is.
func TestDocIsTheReference(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, later, ok := strings.Cut(string(b), "# Not built yet")
	if !ok {
		t.Fatal("no section on what is not built yet")
	}
	has := func(in, what, s string) {
		t.Helper()
		for _, w := range strings.FieldsFunc(in, func(r rune) bool { return strings.ContainsRune(" \t\n,;:|()", r) }) {
			if w == s || strings.HasPrefix(w, s+"=") || strings.TrimSuffix(w, ".") == s {
				return
			}
		}
		t.Errorf("doc.go does not know the %s %s", what, s)
	}
	for i := range commands {
		c := &commands[i]
		if c.later {
			has(later, "command (as not built yet)", c.name)
		} else {
			has(doc, "command", c.name)
		}
	}
	for _, k := range configKeys() {
		def := k.def
		if d, err := time.ParseDuration(def); err == nil && d > 0 {
			def = shortDuration(d)
		}
		if def != "none" && !strings.Contains(doc, k.name+"="+def) {
			t.Errorf("doc.go does not say %s=%s", k.name, def)
		}
		var cfg harness.Config
		if none := def + " or 0"; def != "none" && k.value == "N" && (k.set(&cfg, "0") == nil) != strings.Contains(doc, k.name+"="+none) {
			t.Errorf("doc.go does not say, or wrongly says, %s=%s", k.name, none)
		}
		has(doc, "config key", k.name)
	}
	for _, d := range decisions {
		if !strings.Contains(doc, d) {
			t.Errorf("doc.go does not know the decision %s", d)
		}
	}
	for _, o := range outcomeNames() {
		has(doc, "hook outcome", o)
	}
	for _, b := range builtinNames() {
		has(doc, "tool of the loop", b)
	}
	for _, s := range eventSources {
		has(doc, "event source", s)
	}
	for _, b := range behaviours {
		if b.built {
			has(doc, "behaviour", b.name)
		} else {
			has(later, "behaviour (as not built yet)", b.name)
		}
	}
	for _, a := range actions {
		if a.name == actSignal {
			has(later, "action (as not built yet)", string(a.name))
		} else {
			has(doc, "action", string(a.name))
		}
	}
	for _, e := range errnos {
		has(doc, "errno", e.name)
	}
	for _, s := range callStates {
		has(doc, "call state", s)
	}
	for _, s := range scenarioTools {
		if !strings.Contains(doc, s+"{") {
			t.Errorf("doc.go does not know the tool %s", s)
		}
	}
}

func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if s == "1m" {
		return "60s"
	}
	return s
}
