package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers/protocol"
)

const oneCall = `
-- r --
reply
    call t1 append {"file":"notes.txt","line":"hello"}
reply
    text "Done."
`

// one runs a text with one variant.
func one(t *testing.T, o Options, text string) Result {
	t.Helper()
	all := runText(t, o, text)
	if len(all) != 1 {
		t.Fatalf("%d results", len(all))
	}
	return all[0]
}

// TestWrongExpectations: whatever is expected wrongly fails, and the failure
// says what came.
func TestWrongExpectations(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"terminal truncated", []string{"want terminal truncated, got completed"}},
		{"terminal completed 'no such detail'", []string{`detail "", which does not match "no such detail"`}},
		{"effects append=2", []string{"want effects append=2, got append=1", "life 1: append t1 notes.txt"}},
		{"effects none", []string{"want effects none, got append=1"}},
		{"effects append=1 counter=1", []string{"want effects append=1 counter=1, got append=1"}},
		{"requests 3", []string{"want 3 requests, got 2", `"status":200`}},
		{"requests main=1", []string{"want requests main=1, got main=2"}},
		{"calls t1=failed", []string{"want call t1 failed, got done", "t1#1: done"}},
		{"calls 't1#2=done'", []string{"want call t1#2 done, but t1 was called once"}},
		{"events transcript user ...", []string{"the one marked was expected to match user", "> session"}},
		{"events transcript ... tool_error ...", []string{"nothing from the one marked on matches tool_error"}},
		{"events transcript session", []string{"more than was expected, from the one marked on", "> user"}},
		{"events effects append append", []string{"the list ends, and append was still expected"}},
		{"events transcript ... gate ...", []string{"nothing from the one marked on matches gate"}},
		{"! events wire ...", []string{"events wire match, and were not to", "main:200"}},
		{"transitions none", []string{"transitions: 1 more than was expected", "next_turn"}},
		{"waits 1s", []string{"want waits 1s, got none"}},
		{"clock 1s..2s", []string{"want the clock at 1s..2s, got 0s"}},
		{"spent in=1", []string{"want 1 tokens in, got in="}},
		{"stdout Nothing", []string{"no match for `Nothing` found in stdout"}},
		{"resume", []string{"resume was refused: nothing to resume"}},
		{"! run 'again'", []string{"! run: it was to be refused, and it ran (terminal model_error)"}},
		{"cmp stdout want", []string{"stdout and want differ", "-Done.", "+Do."}},
		{"finding stop/typed-end .", []string{`s.txtar:5: expected a finding of stop/typed-end matching "."; there was none`}},
	} {
		r := one(t, Options{}, says+"provider r\nrun 'append hello'\n"+c.line+"\n"+oneCall+"-- want --\nDo.\n")
		if r.Status != Fail {
			t.Errorf("%s: %s", c.line, r)
			continue
		}
		contains(t, c.line, r.Failure, c.want...)
		contains(t, c.line, r.Failure, "s.txtar:5: ")
		if r.Kept == "" {
			t.Errorf("%s: no evidence was kept", c.line)
		} else if _, err := os.Stat(filepath.Join(r.Kept, "transcript.jsonl")); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		contains(t, c.line, r.Again, "bench run ", "s.txtar")
	}
}

// TestWrongExpectationsOfHooks, and of what only a run with them leaves.
func TestWrongExpectationsOfHooks(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"events hooks none", []string{"events hooks: 2 more than was expected", "> stop:block", `"text":"say more"`}},
		{"events hooks stop:block", []string{"1 more than was expected", "> stop:allow", `"active":true`}},
		{"events hooks stop:allow stop:allow", []string{"the one marked was expected to match stop:allow", "> stop:block"}},
		{"events hooks stop:block~less stop:allow", []string{"the one marked was expected to match stop:block~less"}},
		{"! events hooks stop stop", []string{"events hooks match, and were not to"}},
		{"events transcript ... gate:hook:halt ...", []string{"nothing from the one marked on matches gate:hook:halt"}},
		{"events shown ... gate:judge ...", []string{"nothing from the one marked on matches gate:judge", "gate:hook"}},
		{"events transcript ... permission:deny ...", []string{"nothing from the one marked on matches permission:deny", "permission:t1"}},
		{"transitions next_turn", []string{"transitions: 1 more than was expected", "> stop_hook_blocking"}},
		{"terminal stop_hook_prevented", []string{"want terminal stop_hook_prevented, got completed"}},
		{"calls t1=refused", []string{"want call t1 refused, got done"}},
	} {
		r := one(t, Options{}, says+"provider r\nhook stop 'block=say more' allow\npermit *=ask:yes\nrun 'append hello'\n"+c.line+"\n"+oneCall+"reply\n    text \"More.\"\n")
		if r.Status != Fail || len(r.Findings) > 0 {
			t.Errorf("%s: %s", c.line, r)
			continue
		}
		contains(t, c.line, r.Failure, append(c.want, "s.txtar:7: ")...)
	}
}

// TestVacuous: what is armed and never fires proves nothing, and the finding
// says how near the run came.
func TestVacuous(t *testing.T) {
	for _, c := range []struct{ at, near string }{
		{"at tool.ran t1 2 kill", "tool.ran t1 was visited once, not 2"},
		{"at backoff kill", "the run never came to backoff; the last point it visited was run.ended"},
		{"at append.before tool_error kill", "append.before was visited 10 times, for session, user, attempt, assistant+call:t1, started:t1, never for tool_error"},
		{"at tool.ran t1 kill\nat resume.loaded 9 kill", "resume.loaded was visited once, not 9"},
		{"at * 9999 kill", "* was visited"},
		{"at hook kill", "the run never came to hook; the last point it visited was run.ended"},
		{"at compact.before summary kill", "the run never came to compact.before"},
	} {
		text := says + "provider r\n" + c.at + "\nrun 'append hello'\n"
		if strings.Contains(c.at, "resume") {
			text += "resume\n"
		} else {
			text += "terminal crashed\n" // it is not, because nothing was killed
		}
		r := one(t, Options{}, text+oneCall)
		if r.Status != Vacuous || len(r.Findings) != 1 {
			t.Errorf("%s: %s", c.at, r)
			continue
		}
		contains(t, c.at, r.String(), "VACUOUS", "bench/not-vacuous", c.near)
	}
	t.Run("a reply that nobody asks for", func(t *testing.T) {
		r := one(t, Options{}, says+"provider r\nrun 'append hello'\n"+oneCall+"reply\n    text \"More.\"\n")
		if r.Status != Vacuous {
			t.Error(r)
		}
		contains(t, "it", r.String(), "s.txtar:11")
	})
	t.Run("not to blame for a line that was never reached", func(t *testing.T) {
		r := one(t, Options{}, says+"provider r\nrun 'append hello'\nat resume.loaded kill\nterminal truncated\nresume 'more'\n"+oneCall)
		if r.Status != Fail || len(r.Findings) != 0 {
			t.Error(r)
		}
	})
	t.Run("unused replies behind a failed assertion", func(t *testing.T) {
		r := one(t, Options{}, says+"provider r\nrun 'append hello'\nterminal truncated\nrun more\n"+oneCall+"reply\n    text \"More.\"\n")
		if r.Status != Fail || len(r.Findings) != 0 {
			t.Error(r)
		}
	})
}

// TestRunOfADeadProcess: only resume opens a session again, and whoever forgets
// that is told.
func TestRunOfADeadProcess(t *testing.T) {
	r := one(t, Options{}, says+"provider r\nat tool.ran t1 kill\nrun 'append hello'\nrun 'again'\n"+oneCall)
	if r.Status != Broken {
		t.Error(r)
	}
	contains(t, "it", r.Failure, "s.txtar:6: run: the process is gone; resume opens the session again")
}

// TestScriptSurprises: what a reply script did not expect is red.
func TestScriptSurprises(t *testing.T) {
	r := one(t, Options{}, says+"provider r\nrun hello\n-- r --\nreply\n    expect messages.0.text == goodbye\n    text \"x\"\n")
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "a failed expect", r.Failure, "s.txtar:7: ", "goodbye", "hello")
	r = one(t, Options{}, says+"provider r\nrun hello\nterminal model_error\n-- r --\nreply\n    call t1 counter {}\n")
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "an unexpected request", r.Failure, "request 2 was not expected")
}

// TestEndlessLoop: a loop that asks for ever is stopped, told, and judged, in
// place of hanging whoever runs it; also in the second run of a repetition.
func TestEndlessLoop(t *testing.T) {
	text := says + "protocol anthropic\nconfig retries=1000\nprovider r\nrun hello\n-- r --\nreply 529 times=0..1000\n"
	r := one(t, Options{MostRequests: 40, Repeat: 2}, text)
	if r.Status != Fail || r.Counts.Requests != 40 {
		t.Errorf("%d requests: %s", r.Counts.Requests, r)
	}
	contains(t, "it", r.Failure, "life 1 made 40 requests and did not end; the bench stopped it")
	// Nor does a life behind it go on for ever.
	r = one(t, Options{MostRequests: 40}, strings.Replace(text, "run hello\n", "run hello\nresume\nresume\n", 1))
	if r.Status != Fail || r.Counts.Requests != 40 || r.Counts.Lives != 3 {
		t.Errorf("%d requests in %d lives: %s", r.Counts.Requests, r.Counts.Lives, r)
	}
	if r = one(t, Options{MostRequests: 1002}, text); r.Status != Fail || strings.Contains(r.Failure, "did not end") {
		t.Errorf("a loop that ends in time: %s", r)
	}
}

// A life ends where its requests have become too many bytes, and where nobody
// waits for it any more.
func TestLifeIsBounded(t *testing.T) {
	sc, err := check(parseSource("f.txtar", []byte(says+"protocol anthropic\nprovider r\nrun hello\n"+oneCall)))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bound func(*engine)
		says  string
	}{
		"none":           {func(*engine) {}, ""},
		"a byte is left": {func(e *engine) { e.asked = mostAsked - 1 }, "asked with more than 128 MB"},
		"nobody waits":   {func(e *engine) { e.stop = func() bool { return true } }, toldToEnd},
		"somebody waits": {func(e *engine) { e.stop = func() bool { return false } }, ""},
	} {
		e := newEngine(sc, 0, 0)
		c.bound(e)
		for _, o := range []op{{Line: 4, Name: "provider", Args: []string{"r"}}, {Name: "run", Args: []string{"append hello"}}} {
			if _, err := e.obey(o); err != nil && c.says == "" {
				t.Fatalf("%s: %v", name, err)
			}
		}
		e.finish()
		if !strings.Contains(e.broke, c.says) || (e.broke == "") != (c.says == "") {
			t.Errorf("%s: %q, want %q", name, e.broke, c.says)
		}
	}
}

// broken is a loop with one part swapped.
func broken(f func(*harness.Parts)) seam.Slot {
	return seam.Of(func() harness.Parts {
		var p harness.Parts
		f(&p)
		return p
	})
}

var noTerminal = broken(func(p *harness.Parts) {
	p.Terminal = func(*journal.Record) *journal.Record { return nil }
})

// TestFindings: a rule's finding is red, unless a finding line expects it.
func TestFindings(t *testing.T) {
	base := says + "provider r\nrun hello\n"
	const script = "-- r --\nreply\n    text \"x\"\n"
	r := one(t, Options{Seam: noTerminal}, base+script)
	if r.Status != Fail || len(r.Findings) == 0 || r.Failure != "" {
		t.Errorf("a loop without a terminal: %s", r)
	}
	contains(t, "it", r.String(), "stop/typed-end")

	// Rules run also behind a failed assertion.
	r = one(t, Options{Seam: noTerminal}, base+"terminal truncated\n"+script)
	contains(t, "behind a failed assertion", r.String(), "want terminal truncated", "stop/typed-end")

	// An expected finding is not red; one that does not match is.
	r = one(t, Options{Seam: noTerminal}, base+"finding stop/typed-end 'terminal'\n"+script)
	if r.Status != Pass || len(r.Expected) == 0 {
		t.Errorf("with its finding expected: %s", r)
	}
	r = one(t, Options{Seam: noTerminal}, base+"finding stop/typed-end 'no such words'\n"+script)
	if r.Status != Fail || len(r.Findings) == 0 {
		t.Errorf("with another finding expected: %s", r)
	}
	contains(t, "it", r.Failure, "expected a finding of stop/typed-end")
}

// TestPanicsOfTheLoop: a panic that the loop does not catch, and a standstill,
// are failures with a stack, not the end of the bench.
func TestPanicsOfTheLoop(t *testing.T) {
	text := says + "provider r\nrun hello\n-- r --\nreply\n    text \"x\"\n"
	panics := broken(func(p *harness.Parts) {
		p.Env = func(e env.Env) env.Env {
			e.Clock.Go("stray", func() { panic("stray task") })
			return e
		}
	})
	r := one(t, Options{Seam: panics}, text)
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "a panic", r.Failure, "life 1 panicked: stray: stray task", "fail_test.go")

	hangs := broken(func(p *harness.Parts) {
		p.Env = func(e env.Env) env.Env {
			e.Clock.Note().Wait(context.Background(), "what never comes")
			return e
		}
	})
	r = one(t, Options{Seam: hangs}, text)
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "a standstill", r.Failure, "life 1 came to a standstill", "what never comes")
}

// TestDeterminism: the same seed gives the same evidence, twenty times; a loop
// that does not is convicted.
func TestDeterminism(t *testing.T) {
	for _, seed := range []uint64{0, 7} {
		for _, c := range sweeps {
			text := says + strings.NewReplacer("realkill\n", "", "${K}", "60").Replace(c.text)
			if r := one(t, Options{Repeat: 20, Seed: seed}, text); r.Status != Pass && !unusedOnly(r) {
				t.Errorf("seed %d: %s", seed, r)
			}
		}
	}
	// Background work that is under way between two commands: how long the bench
	// takes from one to the next is not the scenario's.
	r := one(t, Options{Repeat: 200, Seed: 7}, says+"config max_turns=1\ntool work write background takes=3s\nprovider r\nrun 'begin'\nresume 'go on'\n-- r --\nreply\n    call t1 work {}\nreply\n    text \"Done.\"\n")
	if r.Status != Pass {
		t.Error(r)
	}
	var n atomic.Int64
	r = one(t, Options{Repeat: 2, Seam: broken(func(p *harness.Parts) {
		p.Terminal = func(r *journal.Record) *journal.Record {
			r.Detail = fmt.Sprint("moment ", n.Add(1))
			return r
		}
	})}, says+"provider r\nrun hello\n-- r --\nreply\n    text \"x\"\n")
	if r.Status != Fail {
		t.Error(r)
	}
	contains(t, "a loop that is never the same", r.String(), "run/deterministic")
}

func TestUpdate(t *testing.T) {
	text := says + "case a WORD=One\ncase b WORD=One\n[a] env X=1\n[b] env X=2\nprovider r\nrun hello\ncmp stdout want\n-- r --\nreply\n    text \"${WORD}\"\n-- want --\nold\n"
	file := tempFile(t, "s.txtar", text)
	all, _ := runFiles(t, Options{Update: true, J: 2}, file)
	for _, r := range all {
		if r.Status != Pass {
			t.Error(r)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != strings.Replace(text, "old\n", "One\n", 1) {
		t.Errorf("%v\n%s", err, got)
	}

	// Two variants that want different texts can never both be right.
	file = tempFile(t, "s.txtar", strings.Replace(text, "case b WORD=One", "case b WORD=Two", 1))
	all, _ = runFiles(t, Options{Update: true}, file)
	if all[0].Status != Pass || all[1].Status != Fail {
		t.Error(all)
	}
	contains(t, "the conflict", all[1].Failure, "variants want different texts of want: s/a updated it, and now s/b")
}

func TestRunOptions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		f := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(f), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return f
	}
	sweep := write("sweep.txtar", says+"each N 1..10\nprovider r\nrun 'hello ${N}'\n-- r --\nreply\n    text \"x\"\n")
	bad := write("bad.txtar", says+"provider r\nrnu hello\n-- r --\nreply\n    text \"x\"\n")
	twin := write("sub/sweep.txtar", says+"provider r\nrun hello\n-- r --\nreply\n    text \"x\"\n")
	names := func(all []Result) (out []string) {
		for _, r := range all {
			out = append(out, strings.TrimPrefix(r.Name, filepath.ToSlash(dir)+"/"))
		}
		return out
	}

	temp := t.TempDir()
	all, sum := runFiles(t, Options{J: 4, TempDir: temp}, sweep, bad, filepath.Join(dir, "none.txtar"))
	if got := strings.Join(names(all), " "); got != "sweep/N=1 sweep/N=2 sweep/N=3 sweep/N=4 sweep/N=5 sweep/N=6 sweep/N=7 sweep/N=8 sweep/N=9 sweep/N=10 bad none" {
		t.Errorf("in the wrong order: %s", got)
	}
	if sum.ExitStatus() != 2 || sum.Scenarios != 3 || sum.Variants != 12 || sum.Passed != 10 || sum.Broken != 2 || sum.Lives != 10 {
		t.Errorf("%+v", sum)
	}
	contains(t, "the broken file", all[10].String(), "BROKEN", "bad.txtar:4: unknown command \"rnu\"", "did you mean \"run\"?")
	contains(t, "the file that is not there", all[11].String(), "none.txtar: cannot be read: no such file")

	all, _ = runFiles(t, Options{Run: regexp.MustCompile(`N=(2|3)$`)}, sweep)
	if got := strings.Join(names(all), " "); got != "sweep/N=2 sweep/N=3" {
		t.Errorf("-run: %s", got)
	}
	all, _ = runFiles(t, Options{Shard: Shard{2, 3}}, sweep)
	if got := strings.Join(names(all), " "); got != "sweep/N=2 sweep/N=5 sweep/N=8" {
		t.Errorf("-shard: %s", got)
	}
	all, _ = runFiles(t, Options{}, sweep, twin)
	if got := names(all); got[0] != "sweep/N=1" || got[10] != "sub/sweep" {
		t.Errorf("two files of one name: %q", got)
	}

	for _, o := range []Options{{}, {Files: []string{sweep}, Run: regexp.MustCompile("nobody")}, {Files: []string{twin}, Protocols: []string{protocol.Anthropic}, Shard: Shard{2, 2}}} {
		if _, err := Run(context.Background(), o); err == nil {
			t.Errorf("%+v runs", o)
		}
	}
	const most = 2000 // the workers may be far ahead of the report
	many := write("many.txtar", fmt.Sprintf("%sprotocol anthropic\neach N 1..%d\nprovider r\nrun 'hello ${N}'\n-- r --\nreply\n    text \"x\"\n", says, most))
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err := Run(ctx, Options{Files: []string{many}, J: 1, Report: func(Result) {
		if n++; n == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || n == most { // what was done by then is reported
		t.Errorf("after a cancel: %d results, %v", n, err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestParseShard(t *testing.T) {
	if h, err := ParseShard("2/3"); err != nil || h != (Shard{2, 3}) {
		t.Error(h, err)
	}
	for _, s := range []string{"", "1", "0/3", "4/3", "a/b", "1/2/3", "1/2 "} {
		if _, err := ParseShard(s); err == nil {
			t.Errorf("%q is a shard", s)
		}
	}
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		s    Summary
		want int
	}{
		{Summary{Passed: 3}, 0},
		{Summary{Passed: 3, Vacuous: 1}, 3},
		{Summary{Failed: 1, Vacuous: 1}, 1},
		{Summary{Failed: 1, Broken: 1, Vacuous: 1}, 2},
	} {
		if got := c.s.ExitStatus(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.s, got, c.want)
		}
	}
}

// TestMainMustCallLifeMain: a process that was started to live a life and runs
// scenarios instead would start others without end.
func TestMainMustCallLifeMain(t *testing.T) {
	t.Setenv(lifeEnv, "1")
	if _, err := Run(context.Background(), Options{Files: []string{"any.txtar"}}); err == nil || !strings.Contains(err.Error(), "LifeMain") {
		t.Error(err)
	}
}
