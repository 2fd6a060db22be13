package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// good is a whole scenario; the tables below break one line of it each.
const good = `# Killed between the tool's effect and its record: told as unknown.
# Article: the crash trap, accident 2. Mechanisms J2, J4.
provider replies.script
at tool.ran t1 kill
run 'append hello to notes.txt'
terminal crashed
resume 'go on'
terminal completed
calls t1=unknown
effects append=1

-- replies.script --
reply
    call t1 append {"file":"notes.txt","line":"hello"}
reply
    expect result.t1 ~ unknown
    text "I will check the file first."
`

// problemsOf checks a file's text and returns what is wrong with it.
func problemsOf(t *testing.T, text string) Problems {
	t.Helper()
	_, err := check(parseSource("f.txtar", []byte(text)))
	if err == nil {
		return nil
	}
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("the error is a %T", err)
	}
	return ps
}

func TestCheckAcceptsTheExample(t *testing.T) {
	if ps := problemsOf(t, good); ps != nil {
		t.Fatal(ps)
	}
}

// TestCheckLine puts one bad line after line 3 of the good file, and expects
// its problem at line 4.
func TestCheckLine(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"efects append=1", `unknown command "efects": did you mean "effects"?`},
		{"frobnicate", `unknown command "frobnicate": there is case, each`},
		{"kill", "kill is not a command: arm it before the run, with at POINT kill"},
		{"wait", "wait is not a command"},
		{"stop", "stop would end the scenario as passed"},
		{"skip 'later'", "skip would hide the scenario"},
		{"ttyin x", "ttyin is not for scenarios"},
		{"record x.yaml", "record is not built yet"},
		{"agent codex", "agent is not built yet"},
		{"! effects append=1", "! effects means nothing: only"},
		{"!events wire ...", "write ! events, with a blank between"},
		{"!", "! stands alone"},
		{"[x] effects none", `no case is called "x": declare it with case x`},
		{"[short] effects none", "[short] depends on how the bench was built or called"},
		{"[realkil] effects none", `no case is called "realkil": did you mean "realkill"?`},
		{"run 'a' 'b'", "run has too many arguments (single quotes keep blanks together): run PROMPT"},
		{"run", "run has no argument: run PROMPT"},
		{"run 'a", "a single quote is not closed on this line"},
		{"run ''", "the prompt is empty"},
		{"run say#hello", `the # in "say#hello" begins a comment: put the word in single quotes`},
		{"run ${NOBODY}", "${NOBODY} is not set: set it with case, each or env"},
		{"run $NOBODY", "${NOBODY} is not set"},
		{"env X=1 Y", `env takes VAR=VALUE, not "Y"`},
		{"env WORK=/", "env WORK: the bench sets that variable"},
		{"[exec:true] env X=1", "env behind a condition that only the run can answer leaves X unknown"},
		{"case a", "case belongs before the first other command, which is in line 3"},
		{"each N 1..3", "each belongs before the first other command"},

		{"provider replys.script", `provider: unknown archive file "replys.script": did you mean "replies.script"?`},
		{"replay ../x.yaml", `cassette "../x.yaml": ".." leaves the work directory`},
		{"replay x.yaml", `cassette "x.yaml" is neither beside the scenario nor in the folder above it`},
		{"replay x.yaml match=loose", "replay takes match=order (the default) or match=content"},

		{"config max_turn=3", `unknown config key "max_turn": did you mean "max_turns"?`},
		{"config max_turns", `"max_turns" is not KEY=VALUE`},
		{"config max_turns=0", `config max_turns: "0" is not a whole number from 1 on`},
		{"config idle=5", `config idle: "5" is not a duration: write a number with a unit`},
		{"config idle=0s", "config idle: a time limit of 0 would end everything at once"},
		{"config stream=yes", "config stream: stream=yes: write on or off"},
		{"config result_bytes=0", "result_bytes=0: it is at least 1 byte"},
		{"config gate=yes", "gate=yes: write on or off"},
		{"config hook_blocks=0", `config hook_blocks: "0" is not a whole number from 1 on`},
		{"config goal=", "config goal: goal= says nothing: write goal=TEXT, or leave it out"},
		{"config fallback=", "fallback= says nothing"},
		{"config goal=' '", "config: the goal is blank"},
		{"config fallback=bench-model", `config: the fallback is the model itself ("bench-model")`},
		{"config escalate=100", "config: escalate (100) is not above max_tokens (8000)"},
		{"config compact_at=1000 block_at=900", "config: block_at (900) is below compact_at (1000)"},
		{"config window=0 compact_at=5", "config: compact_at and block_at need a window"},
		{"config window=4000 max_tokens=5000", "config: max_tokens (5000) is above the window (4000 tokens)"},
		{"config loop_after=1", "config: loop_after is 1: no call could ever run"},
		{"config preview=60KB", "config: preview (60000 bytes) is above result_bytes (50000)"},
		{"config nudge=500 token_budget=100", "config: nudge (500 tokens) is above token_budget (100)"},
		{"config idle=10m", "config: progress (5m0s) is shorter than idle (10m0s)"},

		{"permit append", `"append" is not TOOL=DECISION`},
		{"permit append=maybe", `unknown decision "maybe": there is allow, deny, hard-deny, ask:yes`},
		{"permit append=ask:yess", `unknown decision "ask:yess": did you mean "ask:yes"?`},
		{"permit append=ask:hang@3s", "ask:hang takes no time"},
		{"permit append=allow@3s", "allow takes no time: only ask:yes, ask:no and ask:crash"},
		{"permit append=ask:yes@soon", `"soon" is not a duration`},
		{"permit apend=allow", `permit apend=allow: unknown tool "apend": did you mean "append"?`},
		{"permit append=allow append=deny", "permit append=deny decides nothing: append=allow stands before it"},
		{"permit *=deny append=ask:yes", "permit append=ask:yes decides nothing: *=deny stands before it"},
		{"permit append=hard-deny append=hard-deny", "decides nothing"},

		{"hook", "hook has no argument: hook stop|tool OUTCOME..."},
		{"hook stop", "hook has too few arguments"},
		{"hook end allow", `unknown hook point "end": there is stop, tool`},
		{"hook stop alow", `unknown hook outcome "alow": did you mean "allow"?`},
		{"hook stop block", "block needs to say why: block=T"},
		{"hook stop 'block= '", "block needs to say why: block=T"},
		{"hook tool crash=now", "crash takes no value: write crash"},

		{"tool x maybe", `a tool is read (no effects) or write, not "maybe"`},
		{"tool append read", "append is a scenario tool already"},
		{"tool x/y read", `"x/y" is not a tool name`},
		{"tool x read takes", "takes needs a value: takes=D"},
		{"tool x read takes=5", `"5" is not a duration`},
		{"tool x read hangs=1", "hangs takes no value: write hangs"},
		{"tool x read sleeps", `unknown behaviour "sleeps"`},
		{"tool x", "tool needs a name and read or write"},
		{"tool tsks", "or did you mean tool tasks, which the loop has itself?"},
		{"tool todo read", "todo is a tool of the loop itself: write tool todo to offer it"},
		{"tool task_get read", "task_get is a tool of the loop itself: write tool tasks to offer it"},
		{"tool tasks read", "tasks is a tool of the loop itself"},
		{"tool read_result read", "read_result is a tool of the loop itself, there when it is needed"},
		{"tool x read image=3", "image=3: the base64 of an image has a multiple of 4 bytes, from 112 on"},
		{"tool x read image=1001", "a multiple of 4 bytes"},
		{"tool x read shell", "a shell tool may change anything: declare it write"},
		{"tool x read t1:background", "background is a property of the whole tool"},
		{"tool x read polls=3", "polls takes no value"},
		{"tool x read text", "text needs a value: text=T"},
		{"tool x write checks", "tool behaviour checks is not built yet"},
		{"tool x write t1:idempotent", "idempotent is a property of the whole tool"},
		{"tool x read idempotent", "a read tool has no effects, so idempotent says nothing about it"},
		{"tool x write t7:hangs", `unknown call "t7": did you mean "t1"?`},
		{"tool x write big=3KiB", `"3KiB" is not a size`},

		{"at tool.run t1 kill", `unknown crash point "tool.run": did you mean "tool.ran"?`},
		{"at tool.ran t1 kil", `unknown action "kil": did you mean "kill"?`},
		{"at tool.ran t9 kill", `unknown call "t9": did you mean "t1"?`},
		{"at tool.ran result kill", `tool.ran is about a call, and "result" is a record kind`},
		{"at tool.ran t1 0 kill", "hit 0 does not exist: N counts from 1"},
		{"at append.before reslt kill", `unknown record kind "reslt": did you mean "result"?`},
		{"at request.before mian kill", `unknown lane "mian": did you mean "main"?`},
		{"at run.ended main kill", `run.ended names no call, record or lane: drop "main"`},
		{"at append.torn user kill", "append.torn needs bytes=N"},
		{"at append.before user kill bytes=3", "bytes= tears a write"},
		{"at append.before user error ENOSPACE", `unknown errno "ENOSPACE": did you mean "ENOSPC"?`},
		{"at append.before user error", "error needs its argument: error ERRNO"},
		{"at tool.ran error EIO", "nothing is written at tool.ran"},
		{"at tool.ran panic after=1s", "panic happens at the point itself: drop after="},
		{"at tool.ran kill later=1s", `unknown key "later"`},
		{"at tool.ran kill now", `"now" is too much after kill`},
		{"at tool.ran a b kill", `"a b" is too much before the action`},
		{"at tool.ran signal TERM", "signal is for a real agent process, which is not built yet"},
		{"at request.before open G", "no script has a gate G"},
		{"at * t1 kill", `* names no call, record or lane: drop "t1"`},
		{"at * error EIO", "nothing is written at * that could fail with EIO"},
		{"at hook stop kill", `hook names no call, record or lane: drop "stop"`},
		{"at hook error EIO", "nothing is written at hook that could fail with EIO"},
		{"at compact.before sumary kill", `unknown lane "sumary": did you mean "summary"?`},

		{"terminal completed", "terminal looks at a run, and none was begun before this line"},
		{"resume", "resume looks at a run, and none was begun before this line"},
		{"effects apend=1", `unknown tool "apend": did you mean "append"?`},
		{"effects append=x", `"x" is not a number: write N or A..B`},
		{"effects append=3..1", `"3..1" is empty: write the smaller number first`},
		{"effects append=1 append=2", "append is there twice"},
		{"requests maim=1", `unknown lane "maim": did you mean "main"?`},
		{"events transcipt ...", `unknown event source "transcipt": did you mean "transcript"?`},
		{"events transcript", "events transcript needs patterns"},
		{"events transcript usr", `unknown record kind "usr": did you mean "user"?`},
		{"events transcript user~(", `"(" is not a regular expression`},
		{"events wire main:ok", `"ok" is not a status`},
		{"events effects apend", `unknown tool "apend"`},
		{"events hooks end", `unknown hook point "end": there is stop, tool`},
		{"events hooks stop:blck", `unknown hook outcome "blck": did you mean "block"?`},
		{"clock 5", `"5" is not a duration`},
		{"finding stop/typed-ends .", `unknown rule "stop/typed-ends": did you mean "stop/typed-end"?`},
		{"finding stop/typed-end (", `"(" is not a regular expression`},
		{"session 'a b'", `"a b" is not a session name`},
		{"history nothing.jsonl", `history: unknown archive file "nothing.jsonl"`},
		{"damage transcript cut=3", "damage looks at a run, and none was begun before this line"},

		{"cd /tmp", `"/tmp": an absolute name lies outside the work directory`},
		{"cd ..", `"..": ".." leaves the work directory`},
		{"rm $WORK/../x", `"$WORK/../x": ".." leaves the work directory`},
		{"rm ${WORK}x", `"$WORKx": it only begins like the work directory`},
		{"cp stdout /etc/passwd", `"/etc/passwd": an absolute name`},
		{"cp /etc/passwd x", `"/etc/passwd": an absolute name`},
		{"mv a ../b", `".." leaves`},
		{"mkdir a/../../b", `".." leaves`},
		{"symlink a -> /etc", `symlink target "/etc": an absolute name`},
		{"symlink a -> ../..", `symlink target "../..": ".." leaves`},
		{"symlink a b c", "the second word is the arrow"},
		{"chmod 9 x", `"9" is not a mode`},
		{"chmod 644 /etc/passwd", "an absolute name"},
		{"grep root /etc/passwd", "an absolute name"},
		{"grep ( x", `"(" is not a regular expression`},
		{"stdout -count=0 x", `-count is "0": write a whole number from 1 on`},
		{"! stdout -count=1 x", "-count cannot be negated"},
		{"cmp stdout want", `unknown file "want"`},
		{"exec rm -rf x", "exec rm: only a program in the work directory may run"},
		{"exec /bin/rm x", "exec \"/bin/rm\": an absolute name"},
		{"exec ./x &bg&", "exec in the background is refused"},
		{`rm a\b`, "a backslash means different things"},
	} {
		lines := strings.SplitAfter(good, "\n")
		text := strings.Join(lines[:3], "") + c.line + "\n" + strings.Join(lines[3:], "")
		ps := problemsOf(t, text)
		found := false
		for _, p := range ps {
			found = found || p.Line == 4 && strings.Contains(p.Text, c.want)
		}
		if !found {
			t.Errorf("%s\n\twant f.txtar:4: %s\n\tgot  %v", c.line, c.want, ps)
		}
	}
}

// TestCheckFile breaks what is not one line of the script.
func TestCheckFile(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the good file does not contain %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"no header", strings.TrimPrefix(good, strings.Join(strings.SplitAfter(good, "\n")[:2], "")), 1, "the file must begin with a comment"},
		{"a header that says nothing", replace("# Killed between the tool's effect and its record: told as unknown.", "# test 7"), 1, "says in a sentence what the scenario proves"},
		{"no origin", replace("# Article: the crash trap, accident 2. Mechanisms J2, J4.\n", ""), 1, "must also say where the scenario comes from"},
		{"absolute name", good + "-- /etc/x --\n", 18, "an absolute name"},
		{"name going up", good + "-- a/../../x --\n", 18, `".." leaves`},
		{"backslash", good + "-- a\\b --\n", 18, "a backslash"},
		{"dollar", good + "-- $WORK/x --\n", 18, "a $ would be replaced"},
		{"duplicate", good + "-- replies.script --\n", 18, "is there already, in line 12"},
		{"duplicate, spelt otherwise", good + "-- ./replies.script --\n", 18, "is there already, in line 12"},
		{"duplicate but for case", good + "-- Replies.script --\n", 18, "is there already, in line 12"},
		{"below a file", good + "-- replies.script/x --\n", 18, "lies below a file, in line 12"},
		{"marker without a name", good + "-- --\n", 18, "a marker line without a name"},
		{"marker without a name, wider", good + "--  --\n", 18, "a marker line without a name"},
		{"own folder", good + "-- .evidence/x --\n", 18, "that folder belongs to the bench"},
		{"script: typo", replace(`    text "I`, `    txet "I`), 17, `"txet"`},
		{"script: unset variable", replace(`"I will`, `"${WHO} will`), 17, "WHO"},
		{"script: unknown guard", replace(`    text "I`, `    [nobody] text "I`), 17, `no case is called "nobody"`},
		{"case twice", "# One thing or another is proved here.\n# From: a test.\ncase a X=1\ncase a X=2\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 4, `case "a" is there twice`},
		{"case that only pads", "# One thing or another is proved here.\n# From: a test.\ncase a\ncase b\ncase c\nprovider r\n[a] run hi\n[!a] run ho\n-- r --\nreply\n    text \"x\"\n", 5, "case c changes nothing"},
		{"case named as a condition", "# One thing or another is proved here.\n# From: a test.\ncase linux\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 3, `case "linux" would hide the condition [linux]`},
		{"what the protocol cannot say", "# One thing or another is proved here.\n# From: a test.\nprotocol chat\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n    stop pause_turn\n", 9, "pause_turn"},
		{"what no protocol can say", "# One thing or another is proved here.\n# From: a test.\nprovider r\nfault ping-flood\nfault newline-lf\nrun hi\n-- r --\nreply\n    text \"x\"\n", 0, "no protocol can express"},
		{"protocols twice", "# One thing or another is proved here.\n# From: a test.\nprotocol chat\nprotocol responses\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 4, "the protocols are named in line 3 already"},
		{"one protocol twice", "# One thing or another is proved here.\n# From: a test.\nprotocol chat chat\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 3, "protocol chat is there twice"},
		{"all and another", "# One thing or another is proved here.\n# From: a test.\nprotocol all chat\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 3, "name no other beside it"},
		{"unknown protocol", "# One thing or another is proved here.\n# From: a test.\nprotocol anthropc\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n", 3, `unknown protocol "anthropc": did you mean "anthropic"?`},
		{"set in another case only", "# One thing or another is proved here.\n# From: a test.\ncase a X=1\ncase b\nprovider r\n[b] run hi\nrun $X\n-- r --\nreply\n    text \"x\"\n", 7, "${X} is not set"},
		{"nothing runs", "# One thing or another is proved here.\n# From: a test.\nprovider r\n-- r --\nreply\n    text \"x\"\n", 0, "the scenario runs nothing"},
		{"nothing answers", "# One thing or another is proved here.\n# From: a test.\nrun hi\n", 3, "nothing answers the loop yet"},
		{"too late", replace("terminal crashed\n", "terminal crashed\nconfig retries=0\n"), 7, "config comes too late"},
		{"damage without sense", replace("terminal crashed\n", "terminal crashed\ndamage transcript line=3\n"), 7, "damage transcript takes line=N nul"},
		{"damage of what is no file", replace("terminal crashed\n", "terminal crashed\ndamage transcipt cut=3\n"), 7, `unknown file "transcipt": did you mean "transcript"?`},
		{"power cut of a real process", replace("provider", "realkill\nprovider") + "", 0, ""},
		{"unknown terminal", replace("terminal completed", "terminal complete"), 8, `unknown terminal "complete": did you mean "completed"?`},
		{"terminal detail", replace("terminal completed", "terminal completed ("), 8, "is not a regular expression"},
		{"unknown state", replace("t1=unknown", "t1=unknwon"), 9, `unknown call state "unknwon": did you mean "unknown"?`},
		{"unknown call", replace("calls t1=", "calls t2="), 9, `unknown call "t2": did you mean "t1"?`},
		{"transition", replace("calls t1=unknown", "transitions next_trun"), 9, `unknown transition "next_trun": did you mean "next_turn"?`},
		{"permit too late", replace("terminal crashed\n", "terminal crashed\npermit append=allow\n"), 7, "permit comes too late"},
		{"hook too late", replace("terminal crashed\n", "terminal crashed\nhook stop allow\n"), 7, "hook comes too late"},
		{"a compaction of nothing", replace("calls t1=unknown\n", "calls t1=unknown\ncompact\n"), 10, "compact asks for a compaction before the next request, and the session makes none any more"},
		{"a compaction twice", replace("resume 'go on'\n", "compact\ncompact\nresume 'go on'\n"), 8, "a compaction is asked for already, in line 7"},
		{"effects of the loop's own tool", replace("provider", "tool todo\nprovider") + "", 0, ""},
		{"a ledger line of the loop's own tool", strings.Replace(replace("provider", "tool tasks\nprovider"), "append=1", "append=1 task_get=1", 1), 11, "task_get writes no line into the effect ledger"},
		{"a tool that is declared behind its permit", replace("provider", "permit look=allow append=allow\ntool look read\nprovider"), 0, ""},
		{"a tool of another session", strings.Replace(replace("terminal crashed\n", "terminal crashed\nsession b\npermit look=allow\n"), "provider", "tool look read\nprovider", 1), 9, `permit look=allow: unknown tool "look"`},
		{"a contradiction of two lines", replace("provider", "config window=100000\nconfig max_tokens=150000\nprovider"), 4, "config: max_tokens (150000) is above the window (100000 tokens)"},
		{"a contradiction that a later line resolves", replace("provider", "config max_tokens=250000 escalate=0\nconfig window=300000\nprovider"), 0, ""},
		{"a contradiction that comes back", replace("provider", "config max_tokens=250000 escalate=0\nconfig window=300000\nconfig window=200000\nprovider"), 5, "config: max_tokens (250000) is above the window (200000 tokens)"},
		{"a contradiction of another session", replace("terminal crashed\n", "terminal crashed\nsession b\nconfig loop_after=1\n"), 8, "loop_after is 1"},
		{"real power cut", strings.Replace(replace("provider", "realkill\nprovider"), "t1 kill", "t1 powercut", 1), 5, "a real process cannot have its power cut"},
		{"realkill of nothing", replace("provider", "realkill x\nprovider"), 0, `realkill: unknown case "x"`},
		{"history", good + "-- h --\n{\"kind\":\"user\",\"txt\":\"x\"}\n", 0, ""},
	} {
		ps := problemsOf(t, c.text)
		if c.want == "" {
			if len(ps) != 0 {
				t.Errorf("%s: %v", c.name, ps)
			}
			continue
		}
		found := false
		for _, p := range ps {
			found = found || p.Line == c.line && strings.Contains(p.Text, c.want)
		}
		if !found {
			t.Errorf("%s\n\twant f.txtar:%d: %s\n\tgot  %v", c.name, c.line, c.want, ps)
		}
	}
}

// TestCheckNamesEverything: all problems at once, in line order, each once
// however many variants meet it.
func TestCheckNamesEverything(t *testing.T) {
	ps := problemsOf(t, `# One thing or another is proved here.
# From: a test.
each N 1..50
provider nowhere
config max_turn=1 retry=2
run hi
terminal complte
-- r --
reply
    txet "x"
`)
	var got []string
	for _, p := range ps {
		got = append(got, fmt.Sprint(p.Line))
	}
	if want := "4 5 5 6 7"; strings.Join(got, " ") != want {
		t.Errorf("lines %v, want %s\n%v", got, want, ps)
	}
}

func TestHistoryProblems(t *testing.T) {
	text := "# One thing or another is proved here.\n# From: a test.\nprovider r\nhistory h\nresume 'go on'\n-- r --\nreply\n    text \"x\"\n-- h --\n"
	for _, c := range []struct{ record, want string }{
		{`{"kind":"user","txt":"x"}`, `unknown field`},
		{`{"kind":"usr"}`, `unknown record kind "usr": did you mean "user"?`},
		{`{"kind":"user","seq":3}`, "the journal's to fill in"},
		{`{"kind":"session"}`, "the session record is the journal's to write"},
		{`{"kind":`, "not a record"},
		{``, "the file has no records"},
	} {
		ps := problemsOf(t, text+c.record+"\n")
		line := 10
		if c.record == "" {
			line = 9
		}
		if len(ps) != 1 || ps[0].Line != line || !strings.Contains(ps[0].Text, c.want) {
			t.Errorf("%s\n\twant f.txtar:%d: %s\n\tgot  %v", c.record, line, c.want, ps)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(good)
	f.Add("# a\n-- x --\n")
	f.Add("run 'x\n[a] [!b] ! events ''\n-- --\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := check(parseSource("f.txtar", []byte(text))); err == nil && len(s.Variants()) == 0 {
			t.Error("a right file without a variant")
		}
	})
}
