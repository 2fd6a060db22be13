package scenarios

import "testing"

// TestContext: the keys of the context, and a compaction that the user asks for.
func TestContext(t *testing.T) {
	allHold(t, []small{
		{"compact", `
provider r
config summary_keep=1
run 'first'
run 'second'
compact
run 'third'
terminal completed
requests main=3 summary=1
events transcript ... boundary:summary ... terminal:completed
events transcript ... boundary:summary:requested ...
-- r --
reply
    text "A long answer to the first question, of which nothing will be left but what a summary says. It goes on for a while."
reply
    text "And a second one, as long as the first, so that there is something to be gained by leaving them out."
reply lane=summary
    text "<summary>Two answers were given.</summary>"
reply
    expect body ~ "Two answers were given"
    text "Three."
`},
		{"killed around a compaction", `
case before AT=before
case summarised AT=summarised
realkill
provider r
config summary_keep=1
run 'first'
run 'second'
at compact.${AT} summary kill
compact
run 'third'
terminal crashed
resume
terminal completed
-- r --
reply
    text "A long answer to the first question, of which nothing will be left but what a summary says. It goes on for a while."
reply
    text "And a second one, as long as the first, so that there is something to be gained by leaving them out."
[summarised] reply lane=summary
    text "<summary>Two answers were given.</summary>"
reply
    expect messages.0.text == first
    text "Three."
`},
		{"a compaction behind a resume", `
provider r
config summary_keep=2
run 'first'
run 'second'
compact
resume 'third'
terminal completed
stdout Three
requests main=3 summary=1
-- r --
reply
    text "A long answer to the first question, of which nothing will be left but what a summary says. It goes on for a while."
reply
    text "And a second one, as long as the first, so that there is something to be gained by leaving them out."
reply lane=summary
    text "<summary>Two answers were given.</summary>"
reply
    text "Three."
`},
		{"keys of the ladder", `
case escalate
case none
provider r
[none] config escalate=0 continue=0
[escalate] config escalate=9000 continue=0
run 'first'
[none] terminal truncated
[escalate] terminal completed
[none] transitions none
[escalate] transitions max_output_escalate
-- r --
reply
    expect max_tokens == 8000
    text "Half"
    stop max_tokens
[escalate] reply
    expect max_tokens == 9000
    text "Whole."
`},
		{"fallback", `
provider r
config fallback=other-model
run 'first'
terminal completed
transitions transport_retry transport_retry model_fallback
-- r --
reply 529 times=3
reply
    expect model == other-model
    text "One."
`},
		{"a goal", `
provider r
config goal='the file is there'
run 'first'
terminal completed
requests main=2 judge=2
transitions gate_feedback
events transcript ... gate:judge:not_done ... gate:judge:done ...
-- r --
reply
    text "One."
reply lane=judge
    text '{"ok":false,"reason":"no file"}'
reply
    text "Two."
reply lane=judge
    text '{"ok":true,"reason":"it is there"}'
`},
		{"loops, budgets, nudges", `
case loop
case budget
case nudge
provider r
[loop] config loop_after=2
[budget] config token_budget=150
[nudge] config nudge=20
tool look read
run 'first'
[loop] terminal loop_detected
[budget] terminal token_budget
[nudge] terminal completed
[loop] calls t1=done t2=refused
[nudge] transitions token_budget_continuation
-- r --
[loop] reply times=2
    call t${n} look {}
[budget] reply
    usage in=100 out=60
    text "One."
[nudge] reply times=2
    text "One."
`},
		{"switches", `
provider r
config early=off spill=off dump=on result_bytes=1KB preview=100
tool long read big=3KB takes=1s
run 'first'
terminal completed
events transcript session user attempt:a1 assistant:a1 call:t1 started:t1 result:t1~"cut":[0-9]+ transition attempt assistant terminal
! events transcript ... result:t1~results/ ...
-- r --
reply
    call t1 long {}
    delay 5s
    text "One."
    delay 5s
reply
    text "Two."
`},
	})
}

// TestDump: what the loop dumps lies in the session's folder.
func TestDump(t *testing.T) {
	for _, on := range []string{"on", "off"} {
		sc, err := check(parseSource("f.txtar", []byte(says+"config dump="+on+"\nprovider r\nrun hello\n-- r --\nreply\n    text \"One.\"\n")))
		if err != nil {
			t.Fatal(err)
		}
		e := newEngine(sc, 0, 0)
		for _, o := range []op{{Line: 3, Name: "config", Args: []string{"dump=" + on}}, {Line: 4, Name: "provider", Args: []string{"r"}}, {Line: 5, Name: "run", Args: []string{"hello"}}} {
			if _, err := e.obey(o); err != nil {
				t.Fatal(err)
			}
		}
		e.finish()
		if _, got := e.world.Disk.Image()["session/dump/a1.json"]; got != (on == "on") {
			t.Errorf("dump=%s: there is a dump: %v", on, got)
		}
	}
}
