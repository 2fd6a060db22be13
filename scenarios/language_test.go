package scenarios

import (
	"strings"
	"testing"
)

const says = "# One thing or another is proved here.\n# From: a test of the bench itself.\n"

// small is a scenario without its header.
type small struct{ name, text string }

// allHold runs small scenarios, every variant of each.
func allHold(t *testing.T, list []small) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range runText(t, Options{}, says+strings.TrimPrefix(c.text, "\n")) {
				if r.Status != Pass {
					t.Errorf("%s\n%s", r, r.Log)
				}
			}
		})
	}
}

// TestLanguage runs small scenarios that use one thing of the language each.
func TestLanguage(t *testing.T) {
	allHold(t, []small{
		{"two turns in one life", `
provider r
run 'first'
stdout '^One\.$'
run 'second'
stdout '^Two\.$'
terminal completed
requests 2
requests main=2
events transcript session user ... terminal:completed user ... terminal:completed
events wire main:200 main:200
-- r --
reply
    text "One."
reply
    expect messages.0.text == first
    text "Two."
`},
		{"resume with a new prompt after a clean end", `
provider r
run 'first'
resume 'second'
stdout 'Two'
-- r --
reply
    text "One."
reply
    text "Two."
`},
		{"a resume of what has ended is refused", `
provider r
run 'first'
! resume
stderr 'nothing to resume'
-- r --
reply
    text "One."
`},
		{"a killed process is resumed without a prompt", `
provider r
at turn.assembled kill
run 'first'
terminal crashed
stderr 'life 1 was killed \(at turn.assembled kill\)'
resume
terminal completed
events transcript session user attempt:a1 discarded:a1 resume attempt:a2 assistant:a2 terminal
events shown ... preview:a1 ... resume ... preview:a2 ... assistant:a2 ...
-- r --
reply
    text "One."
`},
		{"kill at the third visit of whatever point", `
provider r
at * 3 kill
run 'first'
terminal crashed
resume 'again'
terminal completed
-- r --
reply
    text "One."
`},
		{"a torn append", `
provider r
at append.torn assistant kill bytes=20
run 'first'
terminal crashed
resume
terminal completed
events transcript ... quarantine:transcript.jsonl ...
-- r --
reply
    text "One."
`},
		{"a torn append that is an error", `
provider r
at append.torn assistant error ENOSPC bytes=20
run 'first'
terminal persistence_failure 'no space left'
resume
terminal completed
events transcript ... quarantine ...
-- r --
reply
    text "One."
`},
		{"a power cut keeps what was synced", `
provider r
at audit.synced user powercut
run 'first'
terminal crashed
stderr 'the power was cut'
resume
terminal completed
events transcript session user ...
-- r --
reply
    text "One."
`},
		{"abort while streaming", `
provider r
at stream.event 2 abort
run 'first'
terminal aborted_streaming
-- r --
reply
    text "One " "two " "three."
`},
		{"abort a while after a point", `
provider r
tool slow write takes=1m
at tool.running t1 abort after=5s
run 'first'
terminal aborted_tools
calls t1=interrupted
effects none
clock 5s..10s
-- r --
reply
    call t1 slow {}
`},
		{"a fault of our own part", `
provider r
at turn.assembled panic
run 'first'
terminal internal_error 'a fault in our own part'
-- r --
reply
    text "One."
`},
		{"a gate holds a reply until it is opened", `
provider r
at stream.event 3 open later after=30s
run 'first'
terminal completed
stdout 'One two'
clock 30s..31s
-- r --
reply
    text "One "
    gate later
    text "two."
`},
		{"backoff", `
provider r
run 'first'
terminal completed
transitions transport_retry transport_retry
waits 500ms..750ms 1s..1500ms
events wire main:529 main:529 main:200
-- r --
reply 529 overloaded_error times=2
reply
    text "One."
`},
		{"retry-after wins", `
provider r
run 'first'
waits 7s
-- r --
reply 429 rate_limit_error retry-after=7
reply
    text "One."
`},
		{"spent tokens", `
provider r
run 'first'
spent in=30 out=12
-- r --
reply
    usage in=10 out=5
    call t1 counter {}
reply
    usage in=20 out=7
    text "One."
`},
		{"what tools do", `
provider r
tool slow write takes=2s
tool bad write fails='out of paper'
tool half write then-fails='too late'
tool boom write panics
tool long read big=3KB
tool some write s2:fails=second
config result_bytes=1KB preview=500 max_turns=20
run 'first'
terminal completed
effects slow=1 half=1 some=2 counter=2 append=1
calls a=done b=failed c=failed d=failed e=done s1=done s2=failed s3=done n1=done n2=done w=done
events effects slow:a half:c some:s1 some:s3 counter:n1 counter:n2~"what":"2" append:w~sub/notes
-- r --
reply
    call a slow {}
    call b bad {}
    call c half {}
    call d boom {}
    call e long {}
    call s1 some {}
    call s2 some {}
    call s3 some {}
    call n1 counter {}
    call n2 counter {}
    call w append {"file":"sub/notes.txt","line":"x"}
reply
    expect result.b ~ "out of paper"
    expect result.c ~ "too late"
    expect result.b.error == true
    expect result.a == "slow: ok"
    expect result.e ~ "line 1\n"
    text "One."
`},
		{"a tool that hangs runs into its time limit", `
provider r
tool hung write hangs
config tool_timeout=30s
run 'first'
terminal completed
calls t1=failed
effects none
clock 30s..36s
-- r --
reply
    call t1 hung {}
reply
    text "One."
`},
		{"a deaf tool is left behind", `
provider r
tool deaf write hangs deaf
config tool_timeout=30s grace=2s
run 'first'
terminal completed
calls t1=interrupted
events transcript ... notice:left_running ...
clock 32s
-- r --
reply
    call t1 deaf {}
reply
    text "One."
`},
		{"an idempotent tool counts once per key", `
provider r
tool put write idempotent
at tool.ran t1 kill
run 'first'
resume
terminal completed
effects put=1
events effects put:t1 put:t1
-- r --
reply
    call t1 put {}
reply
    text "One."
`},
		{"the same id twice is two calls", `
provider r
run 'first'
calls 't1#1=done' 't1#2=done'
events transcript ... 'call:t1#1' ... 'call:t1#2' ...
effects counter=2
-- r --
reply
    call t1 counter {}
reply
    call t1 counter {}
reply
    text "One."
`},
		{"kill at the second call with an id", `
provider r
at tool.before 't1#2' kill
run 'first'
calls 't1#1=done'
effects counter=1
resume
calls 't1#2=unknown'
effects counter=1
-- r --
reply
    call t1 counter {}
reply
    call t1 counter {}
reply
    text "One."
`},
		{"a fresh session", `
provider r
run 'first'
effects counter=1
session other
provider r2
run 'second'
stdout 'Other'
requests 1
effects none
events transcript session user attempt:a1 assistant:a1 terminal
-- r --
reply
    call t1 counter {}
reply
    text "One."
-- r2 --
reply
    text "Other."
`},
		{"a history as written", `
provider r
history h
resume 'go on'
terminal completed
-- r --
reply
    expect messages.0.text == "what is one and one?"
    expect messages.1.text == "Two."
    text "One."
-- h --
{"kind":"user","text":"what is one and one?"}
{"kind":"attempt","attempt":"a1","lane":"main","model":"bench-model","max_tokens":8000}
{"kind":"assistant","attempt":"a1","blocks":[{"kind":"text","text":"Two."}],"stop":"end_turn","ending":"complete"}
{"kind":"terminal","reason":"completed","turn":1,"text":"Two.","stop":"end_turn"}
`},
		{"limits", `
provider r
config max_turns=1
run 'first'
terminal max_turns
effects counter=1
requests 1
-- r --
reply
    call t1 counter {}
`},
		{"a limit of none", `
provider r
config retries=0
run 'first'
terminal model_error
requests 1
transitions none
-- r --
reply 529 overloaded_error
`},
		{"a process that died before there was a session", `
provider r
at append.before session kill
run 'first'
terminal crashed 'no run is on disk'
! resume
stderr 'no session here'
run 'again'
terminal completed
-- r --
reply
    text "One."
`},
		{"whole answers", `
provider r
config stream=off
run 'first'
stdout One
-- r --
reply
    expect wire.stream absent
    text "One."
`},
		{"variables and guards", `
case a WORD=One
case b WORD=Two
each N 1..2
env REST='and more'
provider r
run ${WORD}' '${N}
stdout ${WORD}' '${N}' and more'
[a] stdout One
[a] ! stdout Two
[!a] stdout Two
[!a] ! stdout One
-- r --
reply
    expect messages.0.text == "${WORD} ${N}"
    [a] text "One ${N} ${REST}"
    [b] text "Two ${N} ${REST}"
`},
		{"files", `
provider r
run 'first'
transcript
cmp stdout want
grep '"kind":"user"' $EVIDENCE/transcript.jsonl
exists $EVIDENCE/wire/1-main.request $EVIDENCE/wire/1-main.reply $EVIDENCE/shown.jsonl
mkdir sub
cp want sub/copy
cd sub
exists copy
symlink link -> copy
cmp link copy
cd $WORK
rm sub
! exists sub
-- r --
reply
    text "One."
-- want --
   1 session    model=bench-model
   2 user       run 1 "first"
   3 attempt    a1 model=bench-model max_tokens=8000
   4 assistant  a1 stop=end_turn ending=complete in=100 out=10
                  text "One."
   5 terminal   completed stop=end_turn in=100 out=10 turn=1 "One."
`},
		{"a program in the work directory", `
provider r
run 'first'
chmod 755 prog.sh
exec ./prog.sh one
stdout 'got one'
! exec ./prog.sh
-- r --
reply
    text "One."
-- prog.sh --
#!/bin/sh
test -n "$1" && echo got $1
`},
	})
}
