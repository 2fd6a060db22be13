package fake

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// scriptOf is a script of one reply, whose lines begin in line 2.
func scriptOf(t testing.TB, lines string) *Script {
	return mustParse(t, "reply\n    "+strings.ReplaceAll(lines, "\n", "\n    "))
}

// TestInexpressible has every reason for which a protocol cannot carry a line, and
// beside most of them what it can.
func TestInexpressible(t *testing.T) {
	const both, stream, whole = "", "stream", "whole"
	for _, c := range []struct {
		protocols string // all but anthropic
		form      string
		lines     string
		line      int // 0: it can be carried
		want      string
	}{
		// What is written for one protocol, and what the others have no block for.
		{"chat responses gemini", both, `frame {"type":"ping"}`, 2, "`frame` is an event of anthropic, and "},
		{"chat responses gemini", both, `raw "x"`, 2, "`raw` writes bytes of anthropic, and "},
		{"chat responses gemini", stream, `raw ""`, 0, ""},
		{"anthropic chat responses gemini", whole, "text \"a\"\nraw \"\"", 3, "`raw` writes into a stream"},
		{"anthropic", whole, `frame {}`, 2, "`frame` is an event of a stream"},
		{"anthropic", stream, "frame {}\nraw \"x\"\nserver-call s f {}\nstop pause_turn", 0, ""},
		{"chat responses gemini", both, "text \"a\"\nexpect wire.system == a", 3, "`expect wire.system` looks into a request of anthropic"},
		{"chat responses gemini", both, "expect header.Anthropic-Version present", 2, "`expect header.Anthropic-Version` looks into"},
		{"chat responses gemini", both, "expect header.x-bench-lane absent\nexpect messages.0.text == a\nexpect body ~ a", 0, ""},
		{"chat responses gemini", both, "server-call s1 web_search {}", 2, "`server-call`: "},
		{"chat responses gemini", both, "server-call s1 web_search {}\nserver-result s1 []", 2, "has no such block"},
		{"chat responses gemini", both, "text \"a\"\nstop pause_turn", 3, "has no stop reason pause_turn"},
		{"chat responses gemini", both, "text \"a\"\nstop stop_sequence", 3, "has no stop reason stop_sequence"},
		{"chat", both, "text \"a\"\nstop context_window", 0, ""},
		{"responses gemini", both, "text \"a\"\nstop context_window", 3, "has no stop reason context_window"},
		{"chat responses gemini", both, "text \"a\"\nstop zzz_new", 0, ""},
		{"chat", both, "text \"a\"\nstop length", 3, "`stop length` is one of chat's own words"},
		{"responses", both, "text \"a\"\nstop content_filter", 3, "`stop content_filter` is one of responses' own words"},
		{"gemini", both, "text \"a\"\nstop SAFETY", 3, "`stop SAFETY` is one of gemini's own words"},
		{"gemini", both, "text \"a\"\nstop 7", 3, "`stop 7` is one of gemini's own words"},
		{"gemini", both, "text \"a\"\nusage in=1 out=1 cache_write=1", 3, "gemini does not count what is written into a cache"},
		{"chat responses", both, "text \"a\"\nusage in=1 out=1 cache_read=1 cache_write=1", 0, ""},

		// Opening and closing.
		{"chat responses gemini", stream, "ping\ncomment \"x\"\nhead after=1s\ntext \"a\"\ntail after=1s", 0, ""},
		{"chat responses gemini", stream, "text \"a\"\nhead", 3, "`head` comes behind the answer's first words"},
		{"chat responses gemini", whole, "text \"a\"\nhead", 0, ""},
		{"chat responses gemini", stream, "head none\nreset", 0, ""},
		{"chat responses gemini", stream, "head none\ntext \"a\"", 0, ""},
		{"chat responses gemini", stream, "tail\ntext \"a\"", 3, "`text` comes behind the event that ends the answer"},
		{"chat responses gemini", stream, "text \"a\"\nstop end_turn\ntail\nstop end_turn", 5, "`stop` comes behind the event that ends the answer"},
		{"chat responses", stream, "text \"a\"\nstop end_turn\ntail\nhang", 0, ""},
		{"gemini", stream, "text \"a\"\nstop end_turn\ntail\nhang", 5, "`hang` comes behind the end of the answer"},
		{"chat", stream, "text \"a\"\ntail none", 0, ""},
		{"responses", stream, "text \"a\"\ntail none", 1, "cannot break off behind `stop end_turn`"},
		{"gemini", stream, "text \"a\"\ntail none", 1, "an answer of gemini that ends behind its stop reason is complete"},
		{"gemini", stream, "text \"a\"\nstop end_turn\ncut", 0, ""},
		{"responses", stream, "text \"a\"\nstop end_turn\ncut", 3, "cannot break off behind `stop end_turn`"},
		{"chat responses gemini", stream, "text \"a\"\nstop none\ntail none", 0, ""},
		{"chat", stream, "text \"a\"\nstop none", 0, ""},
		{"responses", stream, "text \"a\"\nstop none", 3, "it cannot be `none`"},
		{"responses", stream, "text \"a\"\ntail\neof", 3, "the event that ends an answer of responses has a stop reason"},
		{"gemini", stream, "text \"a\"\nstop none", 1, "one without a stop reason is cut"},
		{"gemini chat", whole, "text \"a\"\nstop none", 0, ""},
		{"responses", both, "text \"a\"\nstop null", 3, "it cannot be `null`"},

		// The stop reason beside the content.
		{"chat", stream, "stop tool_use\ncall t1 f {}", 0, ""},
		{"gemini", stream, "stop tool_use\ncall t1 f {}", 0, ""},
		{"responses", stream, "stop tool_use\ncall t1 f {}", 3, "`call` comes behind the stop reason of line 2"},
		{"chat responses gemini", whole, "stop tool_use\ncall t1 f {}", 0, ""},
		{"chat", stream, "stop tool_use\ntext \"a\"\ntail none", 3, "only [DONE] can end it in chat"},
		{"chat", stream, "stop tool_use\ntext \"a\"", 0, ""},
		{"gemini", stream, "stop max_tokens\ntext \"a\"", 3, "nothing can end it in gemini"},
		{"gemini", stream, "stop max_tokens\nthink \"a\"", 0, ""},
		{"gemini", stream, "stop max_tokens\ncut-call t1 f {}", 3, "nothing can end it in gemini"},
		{"gemini", stream, "stop tool_use\ncut-call t1 f {}\ncut", 0, ""},
		{"chat", both, "text \"a\"\nstop tool_use", 0, ""},
		{"responses gemini", both, "text \"a\"\nstop tool_use", 3, "has no word for tool_use"},
		{"chat", both, "call t1 f {}\nstop end_turn", 0, ""},
		{"responses gemini", both, "call t1 f {}\nstop end_turn", 3, "has no word for end_turn beside calls"},
		{"chat gemini", stream, "stop max_tokens\nstop end_turn", 0, ""},
		{"responses", stream, "stop max_tokens\nstop end_turn", 3, "responses says one stop reason"},
		{"chat responses gemini", both, "text \"a\"\nrefusal \"no\"", 0, ""},
		{"chat responses gemini", both, "refusal \"\"", 0, ""},
		{"gemini", both, "refusal \"no\"\nstop end_turn", 0, ""},
		{"chat responses", both, "refusal \"no\"\nstop end_turn", 3, "comes behind a refusal"},
		{"chat", stream, "stop end_turn\nrefusal \"no\"", 3, "chat's channel for refusals is a stop reason itself"},

		// Blocks.
		{"responses gemini", both, "text \"a\"\ntext \"b\"", 0, ""},
		{"chat", stream, "text \"a\"\nping\ntext \"b\"", 4, "`text` comes right behind another one in line 2"},
		{"chat", stream, "text \"a\"\ncall t1 f {}\ntext \"b\"\nthink \"c\"", 0, ""},
		{"chat", whole, "call t1 f {}\ntext \"b\"", 3, "`text` comes too late"},
		{"chat", whole, "text \"a\"\ntext \"b\"", 3, "`text` comes too late"},
		{"chat", whole, "think \"a\"\ntext \"b\"\nrefusal \"c\"\ncall t1 f {}\ncall t2 f {}", 0, ""},
		{"responses gemini", whole, "call t1 f {}\ntext \"b\"\nthink \"a\"", 0, ""},
		{"chat gemini", both, `text ""`, 2, "`text` says nothing, and an empty text is no block in "},
		{"responses", both, `text ""`, 0, ""},
		{"chat", both, `think "a" sig=abc`, 2, "`think` has the signature abc, and chat has no place for one"},
		{"chat responses gemini", both, `think "a" sig=""`, 0, ""},
		{"responses gemini", both, `think "" sig=abc`, 0, ""},
		{"gemini", both, `think "" sig=""`, 2, "`think` says nothing"},
		{"responses gemini", both, "call t1 f {}\ncall t1 g {}", 0, ""},
		{"chat", stream, "call t1 f {}\ncall t1 g {}", 0, ""},
		{"chat", whole, "call t1 f {}\ncall t1 f {}", 3, "it is a part of the call before it"},
		{"chat", whole, "call t1 f {}\ncall '' '' {}", 3, "it is a part of the call before it"},
		{"chat", whole, "call t1 f 5\ncall '' f {}", 3, "it is a part of the call before it"},
		{"chat", whole, "call t1 f {}\ncall '' f {}", 0, ""},
		{"chat", stream, "call t1 f {}\ntext \"a\"\ncall t1 '' {}", 4, "is a part of the call before it in chat"},
		{"chat", stream, "call '' f ''\ncut", 2, "is known in chat by its input or its end"},
		{"responses", stream, "cut-call '' f ''\ncut", 2, "is known in responses by its input or its end"},
		{"gemini", both, "call '' '' {}", 2, "is no call in gemini"},
		{"gemini", stream, "cut-call t1 f {}\ncall t2 '' {}", 3, "is no call in gemini, or a part of the one before it"},
		{"chat responses", whole, "call t1 f null", 2, "the input null is none at all in a message of anthropic"},
		{"gemini", stream, "call t1 f null", 2, "the input null is none at all in gemini"},
		{"gemini", whole, "call t1 f null", 0, ""},
		{"gemini", stream, "call t1 f '{\"a\":1'", 2, "is not strict JSON in one line"},
		{"gemini", stream, "call t1 f '{\"a\":1,\"a\":2}'", 2, "is not strict JSON in one line"},
		{"anthropic gemini", whole, "call t1 f '{\"a\":1'", 2, "the input {\"a\":1 of call t1 is not JSON"},
		{"chat responses", both, "call t1 f '{\"a\":1'", 0, ""},
		{"chat responses gemini", whole, "call t1 f '{'\ncut", 0, ""},
		{"anthropic", whole, "call t1 f '{'\ncut", 2, "is not JSON"},

		// Blocks that are never closed.
		{"chat responses gemini", stream, "cut-text \"a\"\ncut", 0, ""},
		{"chat responses gemini", stream, "text \"a\"\ncut-think \"b\"\nerror overloaded_error \"no\"", 0, ""},
		{"chat responses gemini", stream, "cut-call t1 f '{\"a\":\"b'\nstop max_tokens", 0, ""},
		{"chat", stream, "cut-call t1 f {}", 2, "so a finish reason or [DONE] behind `cut-call` ends it"},
		{"responses gemini", stream, "cut-call t1 f {}", 0, ""},
		{"chat", stream, "cut-text \"a\"\nstop none", 2, "so a finish reason or [DONE] behind `cut-text` ends it"},
		{"gemini", stream, "cut-text \"a\"", 2, "so `cut-text` is over behind it"},
		{"responses", stream, "cut-text \"a\"\ncall t1 f {}", 0, ""},
		{"chat", stream, "cut-text \"a\"\ncall t1 f {}", 2, "`cut-text` is not the last block"},
		{"gemini", stream, "cut-text \"a\"\ntext \"b\"", 2, "`cut-text` is not the last block"},
		{"gemini", stream, "cut-think \"a\"\ncall t1 f {}", 2, "`cut-think` is not the last block"},
		{"gemini", stream, "cut-call t1 f '{\"a\":'\ncut", 2, "gemini streams an input member by member"},
		{"gemini", stream, "cut-call t1 f ''\ncut-call t2 g '{\"a\":1}'\ncut-call t3 h '{\"a\":\"x\",\"n\":-1.5,\"b\":true'\ntext \"a\"", 0, ""},
		{"chat responses gemini", whole, "cut-call t1 f {}\ncut-text \"a\"\ncut", 0, ""},

		// Errors and ends.
		{"chat responses gemini", both, "call t1 f {}\nerror brand_new \"x\"", 0, ""},
		{"chat responses gemini", stream, "error api_error \"x\"\nstop pause_turn", 0, ""}, // a reader stops at the error
		{"responses", stream, `error overloaded_error "\xff"`, 2, "`error` has bytes that are not UTF-8"},
		{"chat", stream, "text \"a\"\nstop end_turn\ntail\neof short=14", 0, ""},
		{"chat", stream, "text \"a\"\nstop end_turn\ntail\neof short=15", 5, "short=15 takes more away than the event that ends an answer, which has 14 bytes in chat"},
		{"responses gemini", stream, "text \"a\"\nstop end_turn\ntail\neof short=3", 5, "short=3 takes more away"},
		{"chat responses gemini", stream, "text \"a\"\neof short=3", 3, "short=3 takes bytes of the answer away"},
		{"chat responses gemini", whole, "text \"a\"\neof short=3", 0, ""},
		{"chat responses gemini", whole, "text \"a\"\neof short=600", 3, "short=600 drops more than the reply has"},
		{"chat responses gemini", both, "header x y\nbody \"no\"", 0, ""},
	} {
		for _, p := range strings.Fields(c.protocols) {
			for _, stream := range []bool{true, false} {
				if c.form == "stream" && !stream || c.form == "whole" && stream {
					continue
				}
				s := scriptOf(t, c.lines)
				err := Inexpressible(s, p, stream)
				switch {
				case c.line == 0 && err != nil:
					t.Errorf("%s, %s, stream %v: got %v", c.lines, p, stream, err)
				case c.line == 0:
				case err == nil:
					t.Errorf("%s, %s, stream %v: can be carried", c.lines, p, stream)
				case err.File != "f" || err.Line != c.line || !strings.Contains(err.Text, c.want) || strings.Contains(err.Text, "\n"):
					t.Errorf("%s, %s, stream %v:\n got %v\nwant f:%d: ...%s", c.lines, p, stream, err, c.line, c.want)
				}
				if c.line == 0 && p != "anthropic" {
					sameTurn(t, timeless("f", s.Replies[0]), p, stream)
				}
			}
		}
	}
}

// TestInexpressibleScript: the first reply counts; HTTP errors are the same
// everywhere; a script may be written for another protocol.
func TestInexpressibleScript(t *testing.T) {
	s := mustParse(t, "reply 529\nreply times=3\n    text \"a${n}\" times=2\nreply\n    stop pause_turn\n")
	if err := Inexpressible(s, "chat", true); err == nil || err.Line != 3 {
		t.Errorf("a line that repeats itself: got %v", err)
	}
	if err := Inexpressible(s, "responses", true); err == nil || err.Error() != "f:5: responses has no stop reason pause_turn; no answer of it is paused" {
		t.Errorf("got %v", err)
	}
	if err := Inexpressible(s, "", true); err != nil {
		t.Errorf("got %v", err)
	}
	if err := Inexpressible(s, "chats", true); err == nil || !strings.Contains(err.Text, `unknown protocol "chats"; did you mean "chat"?`) {
		t.Errorf("got %v", err)
	}
	own, err := Parse("f", []byte("reply\n    expect wire.model == m\n    frame {}\n"), ParseOptions{Protocol: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	if err := Inexpressible(own, "chat", true); err != nil {
		t.Errorf("got %v", err)
	}
	if err := Inexpressible(own, "anthropic", true); err == nil || !strings.Contains(err.Text, "looks into a request of chat, and one of anthropic is built otherwise") {
		t.Errorf("got %v", err)
	}
	if _, err := Parse("f", []byte("reply\n"), ParseOptions{Protocol: "gemmini"}); err == nil || !strings.Contains(err.Error(), `unknown protocol "gemmini"; did you mean "gemini"?`) {
		t.Errorf("got %v", err)
	}
	if got, want := Protocols(), []string{"anthropic", "chat", "responses", "gemini"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestOps: every line is known to the protocols: carried, or refused by name.
func TestOps(t *testing.T) {
	example := map[Op]string{
		OpExpect: "expect model == m", OpText: `text "a"`, OpThink: `think "a"`, OpCall: "call t f {}", OpCutText: `cut-text "a"`,
		OpCutThink: `cut-think "a"`, OpCutCall: "cut-call t f {}", OpServerCall: "server-call s f {}", OpServerResult: "server-call s f {}\nserver-result s []",
		OpStop: "stop zzz", OpUsage: "usage in=1 out=2", OpPing: "ping", OpComment: `comment "a"`, OpError: `error api_error "a"`, OpRefusal: `refusal "a"`,
		OpRaw: `raw "a"`, OpFrame: "frame {}", OpHeader: "header a b", OpBody: `body "a"`, OpHead: "head", OpTail: "tail", OpEOF: "eof", OpCut: "cut",
		OpReset: "reset", OpHang: "hang 1s", OpChunk: "chunk whole", OpNewline: "newline cr", OpGate: "gate a", OpDelay: "delay 1s",
	}
	if len(example) != len(verbs) {
		t.Errorf("%d examples for %d lines", len(example), len(verbs))
	}
	for _, v := range verbs {
		r := scriptOf(t, example[v.op]).Replies[0]
		if last := r.Lines[len(r.Lines)-1]; last.Op != v.op {
			t.Fatalf("the example of %s is one of %s", v.op, last.Op)
		}
		for _, stream := range []bool{true, false} {
			if _, err := r.acts(r.few(), stream); err != nil {
				t.Errorf("%s: %v", v.op, err)
			}
			for _, p := range protocols() {
				plan, err := r.plan(1, answering{protocol: p, stream: stream, n: 1})
				if (plan == nil) == (err == nil) {
					t.Errorf("%s, %s: neither carried nor refused, or both", v.op, p.name())
				}
				if err != nil && (err.line != r.Line && err.line < 2 || err.text == "") {
					t.Errorf("%s, %s: refused with %v", v.op, p.name(), err)
				}
			}
		}
	}
	r := &Reply{Line: 1, Lines: []Line{{Line: 2, Op: "sing"}}}
	if _, err := r.acts(r.Lines, true); err == nil || fmt.Sprint(err) != "line 2: `sing` is not known to the protocols" {
		t.Errorf("got %v", err)
	}
}
