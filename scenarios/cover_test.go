package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

// TestCover: what a variant has been through, and nothing else.
func TestCover(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a call", "provider r\nrun 'append hello'\n" + oneCall, "terminals=completed transitions=next_turn states=done"},
		{"a crash", "provider r\nat tool.ran t1 kill\nrun 'append hello'\nresume 'go on'\n" + oneCall,
			"terminals=completed,crashed points=tool.ran states=unknown"},
		{"whatever point", "provider r\nat * 20 kill\nrun 'append hello'\n" + oneCall, "terminals=crashed points=publish.after"},
		{"gates and permits", `provider r
config gate=on
hook stop 'block=more' allow
permit counter=deny append=ask:yes
run 'append hello'
-- r --
reply
    call t1 append {"file":"notes.txt","line":"hello"}
    call t2 counter {}
    call t3 nope {}
reply
    text "Done."
reply
    text "Really."
`, "terminals=completed transitions=next_turn,stop_hook_blocking gates=completion:pass,hook:allow,hook:block permissions=approved,ask,deny refusals=permission_denied,unknown_tool states=done,refused"},
		{"stages and notices", `provider r
config summary_keep=1
tool bomb write panics
run 'first'
compact
run 'second'
compact
run 'third'
-- r --
reply
    call t1 bomb {}
reply
    text "A long answer to the first question, of which nothing will be left but what a summary says. It goes on for a while."
reply lane=summary
    stop refusal
reply
    text "And a second one, as long as the first, so that there is something to be gained by leaving them out."
reply lane=summary
    text "<summary>Two answers were given.</summary>"
reply
    text "Three."
`, "terminals=completed transitions=next_turn stages=summary notices=compaction_failed states=failed"},
		{"a history is not the loop's", `provider r
history h
resume 'go on'
-- r --
reply
    text "One."
-- h --
{"kind":"user","text":"what is one and one?"}
{"kind":"attempt","attempt":"a1","lane":"main","model":"bench-model","max_tokens":8000}
{"kind":"assistant","attempt":"a1","blocks":[{"kind":"text","text":"Two."}],"stop":"end_turn","ending":"complete"}
{"kind":"terminal","reason":"max_turns","turn":1,"text":"Two.","stop":"end_turn"}
`, "terminals=completed"},
		{"a failure to record", "provider r\nat append.before assistant error EIO\nrun 'append hello'\n" + oneCall,
			"terminals=crashed,persistence_failure points=append.before"},
	} {
		r := one(t, Options{}, says+c.text)
		var got []string
		for _, l := range r.Cover.Lists() {
			if len(l.Seen) > 0 && l.Name != "kinds" { // TestCoverKinds has those
				got = append(got, l.Name+"="+strings.Join(l.Seen, ","))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%s", c.name, s, c.want, r)
		}
	}
}

// What a scenario wrote itself was not exercised, and the sessions of a variant
// are put together.
func TestCoverKinds(t *testing.T) {
	rec := func(seq int64, k journal.Kind) journal.Record { return journal.Record{Seq: seq, Kind: k} }
	e, s := &engine{}, &session{}
	var c Cover
	for i, want := range [][]string{{"user"}, {"notice", "user"}} {
		c.Add(e.cover(s, [...]*evidence.Evidence{
			{Given: 1, Records: []journal.Record{rec(1, journal.KindSession), rec(2, journal.KindUser), rec(3, journal.KindUser)}},
			{Records: []journal.Record{rec(1, journal.KindNotice)}},
		}[i]))
		if !slices.Equal(c.Kinds, want) {
			t.Errorf("%q, want %q", c.Kinds, want)
		}
	}
	if alone := e.cover(s, &evidence.Evidence{}); alone.Kinds != nil {
		t.Errorf("%q of nothing", alone.Kinds)
	}
}

func TestCoverAdds(t *testing.T) {
	c := Cover{Terminals: []string{"completed"}, Stages: []string{"snip"}}
	c.Add(Cover{Terminals: []string{"completed", "aborted_tools"}, States: []string{"done"}})
	if got := fmt.Sprint(c.Terminals, c.Stages, c.States); got != "[aborted_tools completed] [snip] [done]" {
		t.Error(got)
	}
}
