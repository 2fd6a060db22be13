package fuzz

import (
	"flag"
	"testing"

	"github.com/harnessbench/bench/internal/seam"
	"pgregory.net/rapid"
)

// Whatever the provider says, whatever the tools do, wherever the process dies
// or a write fails, and in whatever schedule: every rule holds. The same
// scenarios each time: -rapid.seed=N draws others, -rapid.checks=N more.
func TestAnyScenarioKeepsTheRules(t *testing.T) {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		defer setFlags(setFlags(map[string]string{"rapid.seed": "1"}))
	}
	run, err := newTrial(t.TempDir(), seam.Slot{})
	if err != nil {
		t.Fatal(err)
	}
	gen := Everything().Generator()
	rapid.Check(t, func(rt *rapid.T) {
		d := gen.Draw(rt, "scenario")
		red, err := run.run(t.Context(), d)
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range red {
			rt.Fatalf("%s: %s\nwith -seed %d:\n%s", f.rule, f.what, d.Seed, d.Text)
		}
	})
}
