package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// What the loop can do reaches it from the flags, and is told with -v.
func TestAgentLoop(t *testing.T) {
	bash := "reply\n    call t1 bash {\"command\":\"echo yes >ran\"}\nreply\n"
	for _, c := range []struct {
		name, script string
		args         []string
		status       int
		out          string
		err          []string // each matches a line of standard error, in order
		check        func(*testing.T, *place)
	}{
		{
			"fallback", "reply 529 retry-after=0 times=3\nreply\n    expect model == two\n    text \"Of the other.\"\n",
			[]string{"-model", "one", "-fallback", "two"}, 0, "Of the other.\n",
			[]string{`^discarded: transport_retry overloaded 529`, `^again: transport_retry$`, `^again: transport_retry$`, `^again: model_fallback, from now on two$`}, nil,
		},
		{
			"no fallback", "reply 529 retry-after=0 times=3\nreply\n    expect model == one\n    text \"Of the same.\"\n",
			[]string{"-model", "one"}, 0, "Of the same.\n", []string{`^again: transport_retry$`}, nil,
		},
		{
			"bash denied", bash + "    expect result.t1 ~ \"needs an approval, and none was given .standard input is no terminal.*bench agent -allow-bash\"\n    text \"I may not.\"\n",
			nil, 0, "I may not.\n",
			[]string{`^c1 bash: cancelled \(bash.requires_approval\)$`, `^c1 refused: bash was not run`, `^again: next_turn$`}, ranNothing,
		},
		{
			"bash allowed", bash + "    expect result.t1.error == false\n    text \"It ran.\"\n",
			[]string{"-allow-bash"}, 0, "It ran.\n", []string{`^c1 bash: allow \(bash.allow\)$`, `^c1 done: `},
			func(t *testing.T, p *place) {
				if got := read(t, filepath.Join(p.work, "ran")); got != "yes\n" {
					t.Errorf("the command left %q", got)
				}
			},
		},
		{
			// --help: were it run after all, it would do nothing.
			"catastrophe denied", "reply\n    call t1 bash {\"command\":\"shutdown --help\"}\nreply\n    expect result.t1 ~ forbidden\n    text \"No.\"\n",
			[]string{"-allow-bash"}, 0, "No.\n", []string{`^c1 bash: deny \(bash.hard_deny\)$`}, nil,
		},
		{
			"goal", `
reply
    text "I think so."
reply lane=judge
    expect messages.0.text ~ "the tests pass"
    text '{"ok": false, "reason": "no test was run"}'
reply
    expect messages.-1.text ~ "no test was run"
    text "Now it is shown."
reply lane=judge
    text '{"ok": true, "reason": "they were run"}'
`,
			[]string{"-goal", "the tests pass"}, 0, "Now it is shown.\n",
			[]string{`^judge: not_done: no test was run$`, `^again: gate_feedback$`, `^judge: done: they were run$`}, nil,
		},
		{
			"impossible goal", "reply\n    text \"I tried.\"\nreply lane=judge\n    text '{\"ok\": false, \"reason\": \"it has no tests\", \"impossible\": true}'\n",
			[]string{"-goal", "the tests pass"}, 1, "I tried.\n",
			[]string{`^judge: impossible: it has no tests$`, `^bench agent: goal_impossible: it has no tests$`}, nil,
		},
		{
			"gate", "reply times=2\n    text \"Done, and the tests pass (${n}).\"\n",
			[]string{"-gate", "-p", "Fix it and run the tests."}, 1, "Done, and the tests pass (2).\n",
			[]string{`^completion: fail: `, `^again: gate_feedback$`, `^completion: fail: `, `^bench agent: completion_gate_blocked: `}, nil,
		},
		{
			"token budget", "reply\n    call t1 glob {\"pattern\":\"*\"}\nreply\n    call t2 write_file {\"path\":\"ran\",\"content\":\"yes\"}\n",
			[]string{"-token-budget", "150"}, 1, "", []string{`^c2 refused: `, `^bench agent: token_budget: the run has used 220 tokens of 150`}, ranNothing,
		},
		{
			"window", "window body=1MB\n", []string{"-window", "1000", "-max-tokens", "100"}, 1, "",
			[]string{`^bench agent: blocking_limit: `}, nil,
		},
		{
			"no window", "reply\n    text \"Sent.\"\n", []string{"-window", "0"}, 0, "Sent.\n", nil, nil,
		},
		{
			"lists", `
reply
    expect tools ~ "bash.*compact.*edit_file.*glob.*grep.*read_file.*task_claim.*task_complete.*task_create.*task_depend.*task_get.*task_list.*todo.*write_file"
    call t1 todo {"items":[{"text":"look","status":"completed"}]}
    call t2 task_create {"subject":"Write it down"}
reply
    expect result.t1 ~ "1 of 1 item"
    expect result.t2 ~ "Created task_"
    text "Noted."
`,
			nil, 0, "Noted.\n", nil,
			func(t *testing.T, p *place) {
				if one, _ := filepath.Glob(filepath.Join(p.dir, "tasks", "task_*.json")); len(one) != 1 {
					t.Errorf("the session's tasks are %v", one)
				}
			},
		},
		{
			"compaction", `
reply times=8
    call t${n} read_file {"path":"big.txt","offset":${n}}
reply
    call c compact {}
reply lane=summary
    text "The file was read from several places."
reply
    expect messages.*.text ~ "The file was read from several places."
    text "Compacted."
`,
			nil, 0, "Compacted.\n", []string{`^compacted: summary \(requested\), about [0-9]+ tokens become [0-9]+$`}, nil,
		},
		{
			"early", "reply\n    call t1 glob {\"pattern\":\"*\"}\n    call t2 glob {\"pattern\":\"**\"}\nreply\n    text \"Seen.\"\n",
			nil, 0, "Seen.\n", nil, func(t *testing.T, p *place) { startsEarly(t, p, true) },
		},
		{
			"not early", "reply\n    call t1 glob {\"pattern\":\"*\"}\n    call t2 glob {\"pattern\":\"**\"}\nreply\n    text \"Seen.\"\n",
			[]string{"-early=false"}, 0, "Seen.\n", nil, func(t *testing.T, p *place) { startsEarly(t, p, false) },
		},
		{
			"dump", "reply\n    text \"Hello.\"\n", []string{"-dump"}, 0, "Hello.\n", nil,
			func(t *testing.T, p *place) {
				if got := read(t, filepath.Join(p.dir, "dump", "a1.json")); !strings.Contains(got, "please") {
					t.Errorf("the dump is %s", got)
				}
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, c.script)
			if err := os.WriteFile(filepath.Join(p.work, "big.txt"), []byte(strings.Repeat("a line of a long file\n", 300)), 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"-session", p.dir, "-p", "please"}, c.args...)
			got := p.agent(append(args, "-v")...)
			p.want(got, c.status, c.out, "")
			p.served()
			p.records(p.dir)
			rest := strings.Split(got.err, "\n")
			for _, re := range c.err {
				i := 0
				for i < len(rest) && !regexp.MustCompile(re).MatchString(rest[i]) {
					i++
				}
				if i == len(rest) {
					t.Fatalf("standard error has no line %q behind those before:\n%s", re, got.err)
				}
				rest = rest[i+1:]
			}
			if c.name == "no fallback" && strings.Contains(got.err, "model_fallback") {
				t.Errorf("fell back without a model:\n%s", got.err)
			}
			if c.check != nil {
				c.check(t, p)
			}
		})
	}
}

func ranNothing(t *testing.T, p *place) {
	if _, err := os.Stat(filepath.Join(p.work, "ran")); err == nil {
		t.Error("the command was run")
	}
}

// startsEarly wants the first call to start before its answer is committed, or not.
func startsEarly(t *testing.T, p *place, want bool) {
	started, answered := int64(0), int64(0)
	for _, r := range p.records(p.dir) {
		switch {
		case r.Kind == journal.KindStarted && started == 0:
			started = r.Seq
		case r.Kind == journal.KindAssistant && answered == 0:
			answered = r.Seq
		}
	}
	if started == 0 || answered == 0 || (started < answered) != want {
		t.Errorf("the call was started by record %d, its answer is record %d", started, answered)
	}
}

// In a pipe nothing is said of all that: the answer, where the session lies,
// and why it did not complete.
func TestAgentIsSilentInAPipe(t *testing.T) {
	p := newPlace(t, "reply 529 retry-after=0 times=3\nreply\n    call t1 bash {\"command\":\"echo yes >ran\"}\nreply\n    text \"I may not.\"\n")
	p.want(p.agent("-session", p.dir, "-p", "please", "-fallback", "two"), 0, "I may not.\n", `^session \S+\n$`)
	p.served()
	ranNothing(t, p)
}

// All that is wrong with the flags is said at once, and nothing is touched.
func TestAgentFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string // expressions, a line each
	}{
		{[]string{"-p", "x", "-model", "m", "-fallback", "m", "-window", "4000", "-token-budget", "-1", "-goal", " "}, []string{
			`-token-budget is -1; it must be at least 0`,
			`max_tokens \(8000\) is above the window \(4000 tokens\)`,
			`the fallback is the model itself \("m"\): name another one, or none`,
			`the goal is blank: .*`,
		}},
		{[]string{"x", "-protocol", "smoke", "-base-url", "nowhere", "-max-turns", "0", "-max-tokens", "0", "-retries", "-1", "-window", "-5"}, []string{
			`"x" is not a flag; .*`, `-protocol "smoke" is none that there is: it is one of anthropic, .*`, `there is no prompt; .*`, `-base-url "nowhere" is not .*`,
			`-max-turns is 0; it must be at least 1`, `-max-tokens is 0; it must be at least 1`, `-retries is -1; it must be at least 0`, `-window is -5; it must be at least 0`,
		}},
		{[]string{"-p", "x", "-goal", strings.Repeat("g", 4001)}, []string{`the goal has 4001 characters: at most 4000 are judged`}},
		{[]string{"-p", "x", "-max-turns", "many"}, []string{`invalid value "many" for flag -max-turns: .*; bench agent -h prints the flags`}},
	} {
		p := newPlace(t, "window body=1MB\n")
		want := ""
		for _, w := range c.want {
			want += "bench agent: " + w + "\n"
		}
		p.want(p.agent(append([]string{"-session", p.dir}, c.args...)...), 2, "", "^"+want+"$")
		if _, err := os.Stat(p.dir); err == nil {
			t.Error("a folder was made")
		}
	}
}

func TestNarrator(t *testing.T) {
	for _, c := range []struct {
		r              journal.Record
		quiet, verbose string
	}{
		{journal.Record{Kind: journal.KindTransition, Reason: "next_turn"}, "", "again: next_turn\n"},
		{journal.Record{Kind: journal.KindTransition, Reason: "model_fallback", Model: "two"}, "again: model_fallback, from now on two\n", "="},
		{journal.Record{Kind: journal.KindPermission, Call: "c1", Name: "glob", Code: "allow", Detail: "path.read_allow"}, "", "c1 glob: allow (path.read_allow)\n"},
		{journal.Record{Kind: journal.KindPermission, Call: "c1", Name: "bash", Code: "ask", Detail: "r"}, "", ""},
		{journal.Record{Kind: journal.KindPermission, Call: "c1", Name: "bash", Code: "rejected", Detail: "r"}, "c1 bash: rejected (r)\n", "="},
		{journal.Record{Kind: journal.KindBoundary, Code: "snip", Reason: "proactive", Counters: map[string]int{"tokens_before": 9, "tokens_after": 5}},
			"compacted: snip (proactive), about 9 tokens become 5\n", "="},
		{journal.Record{Kind: journal.KindGate, Code: "completion", Reason: "pass"}, "completion: pass\n", "="},
		{journal.Record{Kind: journal.KindGate, Code: "hook", Reason: "block", Text: "not\nyet"}, "hook: block: not yet\n", "="},
		{journal.Record{Kind: journal.KindNotice, Code: "background_done", Text: "<system-reminder>Background call c3 (build): it is done:\nok</system-reminder>"},
			"background_done: Background call c3 (build): it is done: ok\n", "="},
		{journal.Record{Kind: journal.KindDiscarded, Reason: "judge"}, "", ""},
		{journal.Record{Kind: journal.KindDiscarded, Reason: "transport_retry", Detail: "reset"}, "discarded: transport_retry reset\n", "="},
		{journal.Record{Kind: journal.KindCall, Call: "c1", Name: "a\x1b[31m", Input: "{}"}, "c1 a\\x1b[31m {}\n", "="},
		{journal.Record{Kind: journal.KindAttempt}, "", ""},
	} {
		for verbose, want := range map[bool]string{false: c.quiet, true: c.verbose} {
			if want == "=" {
				want = c.quiet
			}
			var b strings.Builder
			n := &narrator{w: &b, verbose: verbose}
			if err := n.Publish(harness.Event{Record: &c.r}); err != nil || b.String() != want {
				t.Errorf("%v %v, verbose %v: %q, want %q (%v)", c.r.Kind, c.r.Code, verbose, b.String(), want, err)
			}
		}
	}
	// Whatever comes behind a preview begins on a line of its own.
	var b strings.Builder
	n := &narrator{w: &b, verbose: true}
	n.Publish(harness.Event{Text: "half a line"})
	n.Publish(harness.Event{Record: &journal.Record{Kind: journal.KindPermission, Code: "ask"}})
	if got := b.String(); got != "half a line\n" {
		t.Errorf("%q", got)
	}
}
