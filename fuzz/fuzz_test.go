package fuzz

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/mutants"
	"github.com/harnessbench/bench/scenarios"
	"pgregory.net/rapid"
)

// mutant is a broken loop by its name.
func mutant(t testing.TB, name string) mutants.Mutant {
	t.Helper()
	all := mutants.All()
	i := slices.IndexFunc(all, func(m mutants.Mutant) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("there is no mutant %s", name)
	}
	return all[i]
}

// one is a space of one protocol and no faults: tests of the fuzzer itself need no more.
func one() Space { return Space{Protocols: Everything().Protocols[:1]} }

// FuzzScenario is the whole loop as a native target: bytes are the choices of the
// generator, so a coverage-guided fuzzer steers what is drawn.
func FuzzScenario(f *testing.F) {
	gen := Everything().Generator()
	run, err := newTrial(f.TempDir(), seam.Slot{})
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(8) { // choices in plenty: where they run out, nothing is drawn
		b := make([]byte, 16<<10)
		rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
		f.Add(b)
	}
	drawn := 0
	f.Cleanup(func() {
		if drawn == 0 {
			f.Error("no input was enough for a scenario")
		}
	})
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		d := gen.Draw(t, "scenario")
		drawn++
		red, err := run.run(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range red {
			t.Fatalf("%s: %s\nwith -seed %d:\n%s", x.rule, x.what, d.Seed, d.Text)
		}
	}))
}

// What is drawn reaches what the language has, and none of it is broken.
func TestDrawsEverything(t *testing.T) {
	gen := Everything().Generator()
	var all strings.Builder
	file := filepath.Join(t.TempDir(), "drawn.txtar")
	n := 1500
	if testing.Short() || raceEnabled {
		n = 200
	}
	for i := range n {
		d := example(gen, seedOf(7, i))
		all.WriteString(d.Text)
		if err := os.WriteFile(file, []byte(d.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := scenarios.Load(file); err != nil {
			t.Fatalf("%v\n%s", err, d.Text)
		}
	}
	if n < 1000 {
		return
	}
	for _, want := range []string{
		"protocol anthropic\n", "protocol chat\n", "protocol responses\n", "\nfault ", "\npermit ", "\nhook stop", "\nhook tool", "config goal=", "config gate=on", "config nudge=", "token_budget=",
		"config stream=off", "fallback=other-model", "snip_over=2", "compact_at=", "\nwindow tokens=", "\nwindow body=", " kill\n", " powercut\n", " abort\n", " abort after=1s\n", " panic\n", " error EIO\n",
		"append.torn", "audit.torn", "bytes=", "\ncompact\n", "\nresume ", "run 'again'", "cut-call", "stop pause_turn", "stop refusal", "retry-after=", "reply 413", "reply 529", "lane=summary", "lane=judge",
		" background", " deaf", " panics", " idempotent", " shell", " image=", " deferred", "tool todo\n", "tool tasks\n", "tool compact\n", "hang 10m", "    reset\n", "    eof\n",
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("in %d scenarios there is no %q", n, want)
		}
	}
}

// What rapid.Check draws for a seed is what Example draws: otherwise nothing
// that is found could be shrunk.
func TestCheckDrawsTheExample(t *testing.T) {
	gen := one().Generator()
	for i := range 20 {
		seed := seedOf(3, i)
		var got []Drawn
		check(seed, func(t *rapid.T) { got = append(got, gen.Draw(t, "scenario")) })
		if want := example(gen, seed); len(got) != 1 || got[0] != want {
			t.Fatalf("seed %d: %d checks, the first draws\n%v\nnot\n%v", seed, len(got), got, want)
		}
	}
}

// A broken loop is found, shrunk on the rule that was broken, and written to a
// file that fails by itself; and all of it is the same again, on one worker or on
// several.
func TestFindsAndShrinks(t *testing.T) {
	for name, js := range map[string][]int{"runs-cut-input": {1, 3}, "rolls-dice": {2}} {
		if raceEnabled {
			js = js[len(js)-1:] // of a race, the workers are enough
		}
		t.Run(name, func(t *testing.T) {
			m := mutant(t, name)
			var texts []string
			for _, j := range js {
				dir := t.TempDir()
				sum, err := Run(t.Context(), Options{Seed: 1, Max: 1000, J: j, First: true, Out: dir, Seam: m.Seam(), Space: one()})
				if err != nil {
					t.Fatal(err)
				}
				if len(sum.Found) != 1 || sum.ExitStatus() != 1 {
					t.Fatalf("%d failures in %d scenarios, status %d", len(sum.Found), sum.Scenarios, sum.ExitStatus())
				}
				f := sum.Found[0]
				if !m.MayBreak(f.Rule) {
					t.Errorf("blamed for %s: %s", f.Rule, f.What)
				}
				if f.Differs != "" || f.Lines >= 25 || f.Number != sum.Scenarios {
					t.Errorf("%+v", f)
				}
				b, err := os.ReadFile(f.File)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, string(b))

				// The file alone, for the mutant and for the correct loop.
				past, err := Run(t.Context(), Options{Past: []string{f.File}, Seam: m.Seam()})
				if err != nil || past.Past != 1 || past.Scenarios != 0 || len(past.Found) != 1 || past.Found[0].Rule != f.Rule {
					t.Errorf("again: %+v, %v", past, err)
				}
				good, err := Run(t.Context(), Options{Past: []string{f.File}})
				if err != nil || len(good.Found) != 0 || good.ExitStatus() != 0 {
					t.Errorf("the correct loop: %+v, %v", good, err)
				}
			}
			if texts[0] != texts[len(texts)-1] {
				t.Errorf("with one worker\n%s\nand with three\n%s", texts[0], texts[1])
			}
		})
	}
}

// The kinds of red that are no rule, and what is rightly red for nothing.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		r    scenarios.Result
		want string
	}{
		{"passes", scenarios.Result{}, ""},
		{"vacuous", scenarios.Result{Status: scenarios.Vacuous}, ""},
		{"an open that could not write", scenarios.Result{Status: scenarios.Fail, Failure: "x:1: resume was refused: the append failed: EIO"}, ""},
		{"a run behind a kill", scenarios.Result{Status: scenarios.Broken, Failure: "x:1: run: the process is gone; resume opens the session again"}, ""},
		{"refused", scenarios.Result{Status: scenarios.Fail, Failure: "x:1: resume was refused: no"}, Refused},
		{"unexpected", scenarios.Result{Status: scenarios.Fail, Failure: "x:1: request 2 was not expected: all 1 replies"}, Unexpected},
		{"a panic of ours", scenarios.Result{Status: scenarios.Fail, Failure: "the bench itself panicked: nil map"}, Bench},
		{"no scenario", scenarios.Result{Status: scenarios.Broken, Problems: scenarios.Problems{{File: "x", Line: 1, Text: "no"}}}, Broken},
	} {
		got := ""
		for _, f := range failures(c.r) {
			got += f.rule
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A file that fails once more is found among those of the past, with the seed
// that its header names; nothing is drawn without a time or a number.
func TestNothingToDo(t *testing.T) {
	sum, err := Run(t.Context(), Options{Seed: 1})
	if err != nil || sum.Scenarios != 0 || sum.ExitStatus() != 3 {
		t.Errorf("%+v, %v, status %d", sum, err, sum.ExitStatus())
	}
	if sum, err = Run(t.Context(), Options{Seed: 1, Time: time.Nanosecond}); err != nil || sum.ExitStatus() != 3 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err = Run(t.Context(), Options{Past: []string{filepath.Join(t.TempDir(), "none.txtar")}}); err == nil {
		t.Error("a file that is not there is no error")
	}
	if n := scheduleOf(titled(Found{Rule: "x/y", Number: 3, Shrunk: Drawn{Text: header + "run 'x'\n", Seed: 12}}, 5)); n != 12 {
		t.Errorf("the seed of a written file is read as %d", n)
	}
}
