package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/scenarios"
)

// Every closed list of the loop is exercised by the shipped scenarios, whole.
func TestShippedScenariosCoverEverything(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("runs every shipped scenario; the tests of package scenarios look for races in them")
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "scenarios", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	cov := &coverage{}
	if _, err := scenarios.Run(t.Context(), scenarios.Options{
		Files: files, KeepDir: t.TempDir(), Report: cov.add,
	}); err != nil {
		t.Fatal(err)
	}
	for _, s := range cov.sections() {
		for _, name := range s.never {
			t.Errorf("%s: no scenario exercises %s", s.kind, name)
		}
		for _, name := range s.strays {
			t.Errorf("%s: %s was exercised and is in no list", s.kind, name)
		}
	}
}

// lines are what -cover says of a list, if it was exercised as seen says
// ("NAME N", in the list's order).
func lines(label string, names []string, seen ...string) string {
	var never []string
	for _, n := range names {
		if !slices.ContainsFunc(seen, func(s string) bool { return strings.HasPrefix(s, n+" ") }) {
			never = append(never, n)
		}
	}
	s := fmt.Sprintf("%s: %d of %d", label, len(seen), len(names))
	if len(seen) > 0 {
		s += ": " + strings.Join(seen, ", ")
	}
	if len(never) > 0 {
		s += "\n  never: " + strings.Join(never, ", ")
	}
	return s + "\n"
}

func namesOf[T any](list []T, name func(T) string) []string {
	var out []string
	for _, v := range list {
		out = append(out, name(v))
	}
	return out
}

func itemNames(items []item) []string {
	return namesOf(items, func(it item) string { return it.name })
}

func TestCover(t *testing.T) {
	cmd := exec.Command("bench", "run", "-cover", "good.txtar", "killed.txtar", "hooked.txtar")
	cmd.Dir = filepath.Join("testdata", "scenarios")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, got, _ := strings.Cut(string(out), "\n3 scenarios, 5 variants: 5 passed")
	_, got, _ = strings.Cut(got, "\n")
	want := "\nexercised by 5 variants; each name with how many:\n" +
		lines("terminals", namesOf(harness.Terminals(), func(i harness.TerminalInfo) string { return string(i.Reason) }), "completed 5", "crashed 2") +
		lines("transitions, rungs", namesOf(harness.Ladder(), func(r harness.Rung) string { return string(r.Name) }), "stop_hook_blocking 1", "next_turn 4") +
		lines("stages", namesOf(compact.Stages(), func(s compact.StageInfo) string { return string(s.Stage) })) +
		lines("points", namesOf(env.Points(), func(p env.Point) string { return string(p) }), "tool.ran 2") +
		lines("kinds", namesOf(journal.Kinds(), func(k journal.Kind) string { return string(k) }),
			"session 5", "user 5", "attempt 5", "call 4", "permission 1", "started 3", "result 4", "assistant 5", "transition 4", "gate 1", "resume 2", "terminal 5") +
		lines("codes", itemNames(codes()), "permission_denied 1") +
		lines("gates", itemNames(gates()), "hook:allow 1", "hook:block 1") +
		lines("faults", itemNames(faultItems()))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A list of which nothing is left out is one line; a name of no list is seen.
func TestCoverSection(t *testing.T) {
	for _, c := range []struct {
		s    section
		want string
	}{
		{section{names: []string{"a", "b"}, n: map[string]int{"a": 2, "b": 1}}, "2 of 2: a 2, b 1"},
		{section{names: []string{"a", "b"}, n: map[string]int{"b": 1}, never: []string{"a"}}, "1 of 2: b 1\n  never: a"},
		{section{names: []string{"a"}, never: []string{"a"}}, "0 of 1\n  never: a"},
		{section{names: []string{"a"}, n: map[string]int{"a": 1, "z": 1}, strays: []string{"z"}}, "1 of 1: a 1\n  in no list: z"},
	} {
		if got := c.s.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	cov := &coverage{}
	cov.add(scenarios.Result{Name: "x", Cover: scenarios.Cover{Stages: []string{"snip", "squeeze"}}})
	i := slices.IndexFunc(cov.sections(), func(s section) bool { return s.kind == "stages" })
	if s := cov.sections()[i]; !slices.Equal(s.strays, []string{"squeeze"}) || slices.Contains(s.never, "snip") || s.n["snip"] != 1 {
		t.Errorf("%+v", s)
	}
}

// checkCovers is the script command `covers JSON XML TEXT`: the reports of one
// run with -cover say the same.
func checkCovers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: covers JSON XML TEXT")
	}
	variants, sum, err := objects(ts.ReadFile(args[0]))
	ts.Check(err)
	var cover struct {
		Part  []string
		Lists map[string]struct {
			Seen  map[string]int
			Never []string
		}
	}
	ts.Check(json.Unmarshal(sum.Cover, &cover))
	var su struct {
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
	}
	ts.Check(xml.Unmarshal([]byte(ts.ReadFile(args[1])), &su))
	_, text, ok := strings.Cut(ts.ReadFile(args[2]), "\nexercised by ")
	if !ok || strings.Contains(text, "a part of them ("+strings.Join(cover.Part, ", ")+")") != (len(cover.Part) > 0) {
		ts.Fatalf("the text is of %q, JSON of a part %q", text, cover.Part)
	}
	counts := map[string]int{}
	for _, v := range variants {
		var lists map[string][]string
		ts.Check(json.Unmarshal(v.Cover, &lists))
		for kind, names := range lists {
			for _, n := range names {
				counts["cover/"+kind+"/"+n]++
			}
		}
	}
	var parts []string
	n := 0
	for _, p := range su.Properties {
		if p.Name == "cover/part" {
			parts = append(parts, p.Value)
			continue
		}
		n++
		kind, name, _ := strings.Cut(strings.TrimPrefix(p.Name, "cover/"), "/")
		l := cover.Lists[kind]
		if strconv.Itoa(l.Seen[name]) != p.Value || slices.Contains(l.Never, name) != (p.Value == "0") || counts[p.Name] != l.Seen[name] {
			ts.Fatalf("%s is %s in XML, %d and never %v in JSON, and %d variants have it", p.Name, p.Value, l.Seen[name], l.Never, counts[p.Name])
		}
		if shown := strings.Contains(text, " "+name+" "+p.Value); p.Value != "0" && !shown {
			ts.Fatalf("the text does not say %s %s: %s", name, p.Value, text)
		}
	}
	if n < 50 || !slices.Equal(parts, cover.Part) {
		ts.Fatalf("%d properties, of the part %q; JSON says %q", n, parts, cover.Part)
	}
}
