package faults

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/fake"
)

// A fault that leaves the answer as it was has not fired: the bytes are those
// of the answer without it.
func TestSameAnswer(t *testing.T) {
	for _, c := range []struct {
		reply, line string
		fires       bool
	}{
		{`call t1 look {}`, "single-quotes", false},
		{`call t1 look {}`, "malformed-input", false},
		{`call t1 look {}`, "missing-field", false},
		{`call t1 look {}`, "extra-field", false},
		{`call t1 look {"at":"door"}`, "extra-field", true},
		{`call t1 look null`, "malformed-input", false},
		{`call t1 look null`, "null-input", false},
		{`call t1 look {"at":1}`, "nul-in-input", false},
		{`call t1 look [1]`, "trailing-comma", false},
		{`call t1 look '{"a"' ':1}'`, "trailing-comma", true},
		{`call t1 look ''`, "empty-input", false},
		{`call t1 look ''`, "half-and-tool-use", false},
		{`call t1 look {"at":"door"}`, "half-and-tool-use", true},
		{`call t1 look {"at":"door"}`, "tool-use-without-call", true},
		{"call t1 look {}\nstop end_turn", "calls-under-end-turn", false},
		{"call t1 look {}\nstop tool_use", "calls-under-end-turn", true},
		{`call t1 look {}`, "unknown-tool name=look", false},
		{"text \"Hi.\"\nstop max_tokens", "max-tokens", false},
		{"text \"Hi.\"\nstop max_tokens\nping", "max-tokens", false},
		{"text \"Hi.\"", "max-tokens", true},
		{"refusal \"No.\"", "refusal-after-text", false},
		{"refusal \"No.\"", "refusal text=No.", false},
		{"refusal \"No.\"", "refusal text=Never.", true},
		{"stop refusal", "refusal-empty", false},
		{"text \"\"", "empty-text", false},
		{"text \"\"\nstop end_turn", "empty-text", false},
		{"text \" \"", "empty-text", true},
		{"stop end_turn", "empty-answer", false},
		{"think \"Hm.\"", "thinking-only", false},
		{"think \"Hm.\" sig=\"\"", "unsigned-thinking", false},
		{"text \"Hi.\"\nstop none", "no-stop", false},
		{"text \"Hi.\"\nstop null", "null-stop", false},
		{"text \"Hi.\"\nstop end_turn", "stop-first", true},
		{"stop end_turn\ntext \"Hi.\"", "stop-first", false},
		{"text \"Hi.\"\ncut", "no-stop", false},
	} {
		script := "reply\n    " + strings.ReplaceAll(c.reply, "\n", "\n    ") + "\n"
		plain, broken := newTalk(t, script), newTalk(t, script)
		a := broken.arm(c.line)
		_, was := plain.ask("main")
		_, is := broken.ask("main")
		if (a.Fired() > 0) != c.fires || (is != was) != c.fires {
			t.Errorf("%s on %q fired %d\n was %q\n  is %q", c.line, c.reply, a.Fired(), was, is)
		}
	}
}

// No fault of the content fires on an answer whose bytes it leaves as they were.
func TestFiredMeansChanged(t *testing.T) {
	for _, reply := range []string{
		`text "Hi."`, `text ""`, `think "Hm."`, `refusal "No."`, `call t1 look {}`, `call t1 look null`, `call t1 look {"a":1}`, `call t1 look ''`,
		"text \"Hi.\"\nstop end_turn", "text \"Hi.\"\nstop max_tokens", "call t1 look {\"at\":\"door\"}\nstop tool_use", "stop none",
		"think \"Hm.\"\ntext \"I look.\"\ncall t1 look {\"at\":\"door\",\"why\":\"no \\\\ reason\"}",
	} {
		script := "reply\n    " + strings.ReplaceAll(reply, "\n", "\n    ") + "\n"
		s, err := fake.Parse("replies", []byte(script), fake.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, protocol := range slices.Sorted(maps.Keys(asks())) {
			if fake.Inexpressible(s, protocol, true) != nil {
				continue
			}
			resp, was := newTalk(t, script).askIn(protocol, "main")
			if resp.StatusCode != http.StatusOK {
				t.Fatal(protocol, was)
			}
			for _, f := range All() {
				if f.Layer != Content {
					continue
				}
				k := newTalk(t, script)
				a := k.arm(f.Name)
				if changed, is := a.Line.Rewrite(s.Replies[0].Lines); is {
					broken := *s.Replies[0]
					broken.Lines = changed
					if fake.Inexpressible(&fake.Script{Replies: []*fake.Reply{&broken}}, protocol, true) != nil {
						continue // no scenario has it
					}
				}
				_, is := k.askIn(protocol, "main")
				if fired := a.Fired() > 0; fired != (is != was) {
					t.Errorf("%s in %s on %q: fired is %v\n was %q\n  is %q", f.Name, protocol, reply, fired, was, is)
				}
			}
		}
	}
}

// Very long text goes into the text that is there: two texts side by side are
// not said in every protocol.
func TestHugeText(t *testing.T) {
	l, err := Parse([]string{"huge-text", "size=100"})
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]int{"text \"Hi.\"\n    call t1 look {}": 2, "call t1 look {}": 2, "think \"Hm.\"\n    text \"Hi.\" \"Ho.\"": 2} {
		s, err := fake.Parse("replies", []byte("reply\n    "+reply+"\n"), fake.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		was := len(s.Replies[0].Lines)
		lines, is := l.Rewrite(s.Replies[0].Lines)
		if !is || len(lines) != want {
			t.Errorf("%q has %d lines, then %d", reply, was, len(lines))
		}
	}
}
