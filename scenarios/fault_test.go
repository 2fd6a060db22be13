package scenarios

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/providers/protocol"
)

// What bench explain shows runs as it stands, and its fault fires.
func TestMinimalFaultScenarios(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, f := range faults.All() {
		file := filepath.Join(dir, f.Name+".txtar")
		if err := os.WriteFile(file, []byte(f.Minimal()), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	said := map[string]bool{}
	_, err := Run(t.Context(), Options{Files: files, NoKeep: true, Report: func(r Result) {
		if r.Status != Pass {
			t.Errorf("%s", r)
		}
		if r.Skipped == "" {
			said[r.File] = true
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !said[f] {
			t.Errorf("%s ran in no protocol", f)
		}
	}
}

// Every fault fires in the shipped variant that it names, and rules that it
// names are judged there.
func TestEveryFaultIsExercised(t *testing.T) {
	files, err := filepath.Glob("fault-*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := map[string]Cover{}
	if _, err := Run(t.Context(), Options{Files: files, NoKeep: true, Report: func(r Result) { seen[r.Name] = r.Cover }}); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range invariants.All() {
		known[r.Name] = true
	}
	for _, f := range faults.All() {
		c, ran := seen[f.Scenario]
		if !ran {
			t.Errorf("%s: there is no variant %s", f.Name, f.Scenario)
			continue
		}
		if !slices.Contains(c.Faults, f.Name) {
			t.Errorf("%s did not fire in %s, only %v", f.Name, f.Scenario, c.Faults)
		}
		judged := 0
		for _, r := range f.Rules {
			if !known[r] {
				t.Errorf("%s: there is no rule %s", f.Name, r)
			}
			if slices.Contains(c.Judged, f.Name+" "+r) {
				judged++
			}
		}
		if judged == 0 {
			t.Errorf("%s: none of its rules was judged in %s", f.Name, f.Scenario)
		}
	}
}

// A fault that changes nothing is no fault: the variant proved nothing.
func TestFaultThatChangesNothing(t *testing.T) {
	for _, line := range []string{
		"fault drop-event event=99", "fault drop-event nth=9", "fault unknown-tool", "fault drop-event lane=judge",
		"fault window tokens=100000", "fault tool-error tool=counter",
	} {
		r := one(t, Options{}, says+"provider r\n"+line+"\nrun 'hi'\nterminal completed\n-- r --\nreply\n    text \"Hello.\"\n")
		if r.Status != Vacuous || !strings.Contains(r.String(), line) {
			t.Errorf("%s:\n%s", line, r)
		}
	}
}

func TestBadFaultLines(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"fault drop-evnet", `3: unknown fault "drop-evnet": did you mean "drop-event"?`},
		{"fault window tokens=0", `3: fault window: tokens=0: "0" is no whole number from 1`},
		{"fault tool-error tool=loook\ntool look read", `3: fault tool-error: unknown tool "loook": did you mean "look"?`},
		{"fault tool-error tool=todo\ntool todo", "3: fault tool-error: todo is a tool of the loop itself"},
		{"fault tool-error tool=todo_write\ntool todo", "3: fault tool-error: unknown tool"},
		{"fault tool-deaf tool=counter", "3: fault tool-deaf: counter does its work at once"},
		{"fault drop-event\nconfig stream=off", "3: fault drop-event changes a stream, and config stream=off asks for none"},
		{"protocol chat\nfault no-start", "4: fault no-start has no meaning in protocol chat"},
		{"fault unknown-stop reason=end_turn", "3: fault unknown-stop: reason=end_turn: it is a word that is known"},
		{"fault redirect to=", "3: fault redirect: to= is empty"},
		{"fault llm_timeout_single", "3: unknown fault \"llm_timeout_single\": that is a name of AgentChaos"},
		{"protocol anthropic\nconfig stream=off\nfault half-and-tool-use", "5: fault half-and-tool-use makes of a reply what cannot be said"},
		{"protocol anthropic\nfault half-and-tool-use\nconfig stream=off", "4: fault half-and-tool-use makes of a reply what cannot be said"},
		{"protocol chat\nfault pause", "4: fault pause makes of a reply what cannot be said: chat has no"},
	} {
		script := c.script + "\nprovider r\nrun 'hi'\n-- r --\nreply\n    text \"Hello.\"\n    call t1 counter {\"key\":\"a\"}\nreply times=0..9\n    text \"Bye.\"\n"
		r := one(t, Options{}, says+script)
		if r.Status != Broken || !strings.Contains(r.String(), c.want) {
			t.Errorf("%s:\n%s\nwant %s", c.script, r, c.want)
		}
	}
	late := one(t, Options{}, says+"provider r\ntool look read\nrun 'hi'\nfault tool-deaf tool=look\nrun 'and?'\n-- r --\nreply times=2\n    text \"Hello.\"\n")
	if late.Status != Broken || !strings.Contains(late.String(), "comes too late") {
		t.Error(late)
	}
}

// Calls are counted from the line on, in the order in which they were recorded,
// and a session has its own.
func TestFaultsCountFromTheirLine(t *testing.T) {
	const text = says + `provider r
tool mark write
run 'one'
fault tool-error tool=mark nth=2
run 'two'
calls m1=done m2=done m3=failed
fault status
run 'three'
transitions next_turn next_turn transport_retry
session other
provider r
tool mark write
run 'again'
calls m1=done
-- r --
reply
    call m1 mark {"n":1}
reply
    text "One."
reply times=0..1
    call m2 mark {"n":2}
    call m3 mark {"n":3}
reply times=0..1
    text "Two."
reply times=0..1
    text "Three."
`
	if r := one(t, Options{}, text); r.Status != Pass {
		t.Error(r)
	}
}

// A fault of a tool that another outcome forestalls, or that makes of an output
// what it is already, proves nothing.
func TestToolFaultThatDoesNothing(t *testing.T) {
	for _, c := range []struct{ stage, idle string }{
		{"tool look read fails=no\nfault tool-empty tool=look", "fault tool-empty tool=look"},
		{"tool look read fails=no\nfault tool-error-after tool=look", "fault tool-error-after tool=look"},
		{"tool look read\nfault tool-empty tool=look\nfault tool-partial tool=look", "fault tool-partial tool=look"},
		{"tool look read\nfault tool-panic tool=look\nfault tool-error tool=look", "fault tool-error tool=look"},
		{"tool look read\nfault tool-error-after tool=look\nfault tool-huge tool=look", "fault tool-huge tool=look"},
		{"tool look read\nfault tool-error tool=look\nat tool.before t1 kill\nrun 'hi'\nresume", "call 1 of look behind it was never carried out"},
	} {
		run := "\nrun 'hi'"
		if strings.Contains(c.stage, "resume") {
			run = ""
		}
		r := one(t, Options{}, says+"provider r\n"+c.stage+run+"\n-- r --\nreply times=1..2\n    call t1 look {\"at\":\"door\"}\nreply times=0..9\n    text \"Hello.\"\n")
		if r.Status != Vacuous || !strings.Contains(r.String(), c.idle) {
			t.Errorf("%s:\n%s", c.stage, r)
		}
	}
}

// A reply that a fault of the content breaks is asked about in the form in which
// its own session gets it.
func TestFaultInItsSessionsForm(t *testing.T) {
	const text = says + `protocol anthropic
provider r
tool look read
fault half-and-tool-use
run 'hi'
terminal completed
session whole
config stream=off
provider r
run 'hi'
terminal completed
-- r --
reply times=0..1
    call t1 look {"at":"door"}
reply times=0..9
    text "Hello."
`
	if r := one(t, Options{}, text); r.Status != Pass {
		t.Error(r)
	}
}

// A text that is very long can be said in every protocol, whatever it stands by.
func TestHugeTextEverywhere(t *testing.T) {
	text := says + "provider r\ntool look read\nfault huge-text size=1000\nrun 'hi'\nterminal completed\n-- r --\nreply\n    text \"I look.\"\n    call t1 look {\"at\":\"door\"}\nreply\n    text \"Hello.\"\n"
	all := runText(t, Options{Protocols: protocol.Names()}, text)
	for _, r := range all {
		if r.Status != Pass || r.Skipped != "" {
			t.Error(r)
		}
	}
	if len(all) < 4 {
		t.Errorf("%d variants", len(all))
	}
}

// Only a fault that has fired makes a run another one in another protocol.
func TestOnBytes(t *testing.T) {
	l, err := faults.Parse([]string{"bom"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := fake.Parse("replies", []byte("reply\n    text \"Hello.\"\n"), fake.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set := &faults.Set{}
	e := &engine{faults: []*armedFault{{Armed: set.Arm(l, "")}}}
	if e.onBytes() {
		t.Error("nothing was asked")
	}
	srv := fake.NewServer(s, fake.Options{Changer: set, Legality: fake.RefuseNothing})
	q, err := http.NewRequest(http.MethodPost, "http://x/v1/messages", strings.NewReader(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := srv.Transport().RoundTrip(q)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !e.onBytes() {
		t.Error("the answer begins with a byte order mark")
	}
}
