package fake

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOrder says what is implied, and where.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines string
		want  string
	}{
		{"empty", "", "open reason close"},
		{"text", `text "a" "b"`, `open start text "a" "b" stop reason close`},
		{"stop first", "stop tool_use\ncall t1 f {}", `open reason start tool_use "" "{}" stop close`},
		{"tail right behind the stop", "stop tool_use\ntail\ncall t1 f ''", `open reason close start tool_use "" stop`},
		{"tail without a stop implies it", "tail\ntext \"a\"", `open reason close start text "a" stop`},
		{"head elsewhere", "ping\nhead\ntext \"a\"", `ping open start text "a" stop reason close`},
		{"no head", "head none\ntext \"a\"", `start text "a" stop reason close`},
		{"no tail", "text \"a\"\ntail none", `open start text "a" stop reason`},
		{"eof implies nothing", "text \"a\"\neof", `open start text "a" stop`},
		{"eof behind the stop", "text \"a\"\nstop end_turn\neof", `open start text "a" stop reason`},
		{"reset implies nothing", "reset", `open`},
		{"error implies nothing", "text \"a\"\nerror overloaded_error \"Overloaded\"", `open start text "a" stop error`},
		{"no reason at all", "text \"a\"\nstop none", `open start text "a" stop close`},
		{"never closed", "cut-text \"a\"\ncut-call t1 f '{\"a'\nstop max_tokens", `open start text "a" start tool_use "" "{\"a" reason close`},
		{"cut thought has no signature", "cut-think \"a\"\neof", `open start thinking "a"`},
		{"thought", `think "a" "b"`, `open start thinking "a" "b" sig stop reason close`},
		{"thought without signature", `think "a" sig=""`, `open start thinking "a" stop reason close`},
		{"JSON comes in pieces", `call t1 f {"file":"notes.txt","line":"hello"}`, `open start tool_use "" "{\"file\":\"" "notes.txt" "\",\"line\":" "\"hello\"}" stop reason close`},
		{"strings are deltas", `call t1 f '{"a' '":1}'`, `open start tool_use "" "{\"a" "\":1}" stop reason close`},
		{"server call", "server-call s1 web_search {}\nserver-result s1 []", `open start server_tool_use "" "{}" stop start web_search_tool_result stop reason close`},
		{"keep-alive", "ping times=2\ncomment \"x\"", "open ping ping comment x reason close"},
		{"raw and frame", `raw "event: ping\ndata: {\"type\":\"ping\"}\n\n"` + "\n" + `frame {"type":"content_block_stop","index":9}`, "open ping stop reason close"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := readStream(t, bytesOf(planOf(t, true, strings.Split(c.lines, "\n")...)))
			if got := strings.Join(a.Order, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestStop: which reason a reply ends with.
func TestStop(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{`text "a"`, "end_turn"},
		{`call t1 f {}`, "tool_use"},
		{`cut-call t1 f '{'`, "tool_use"},
		{`server-call s f {}`, "end_turn"},
		{`refusal "no"`, "refusal"},
		{"stop max_tokens", "max_tokens"},
		{"stop context_window", "model_context_window_exceeded"},
		{"stop brand_new", "brand_new"},
		{"stop null", "null"},
		{"stop none", ""},
		{"call t1 f {}\nrefusal \"no\"\nstop pause_turn", "pause_turn"},
	} {
		for _, stream := range []bool{true, false} {
			if !stream && strings.Contains(c.lines, "'{'") {
				continue // no JSON message can carry it
			}
			p := planOf(t, stream, strings.Split(c.lines, "\n")...)
			if stream {
				if got := readStream(t, bytesOf(p)).Stop; got != c.want {
					t.Errorf("%s: got %q, want %q", c.lines, got, c.want)
				}
				continue
			}
			var m struct {
				Stop *string `json:"stop_reason"`
			}
			if err := json.Unmarshal([]byte(bytesOf(p)), &m); err != nil {
				t.Fatal(err)
			}
			switch {
			case m.Stop == nil && c.want != "null" && c.want != "":
				t.Errorf("%s: got null, want %q", c.lines, c.want)
			case m.Stop != nil && *m.Stop != c.want:
				t.Errorf("%s: got %q, want %q", c.lines, *m.Stop, c.want)
			}
		}
	}
}

// TestStreamBytes holds one whole answer, byte for byte.
func TestStreamBytes(t *testing.T) {
	p := planOf(t, true, `usage in=5 out=7 cache_read=1 cache_write=2`, `text "a\"\n\x01é"`)
	const want = `event: message_start
data: {"type":"message_start","message":{"id":"msg_bench00000007","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\"\n\u0001é"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":5,"cache_creation_input_tokens":2,"cache_read_input_tokens":1,"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

`
	if got := bytesOf(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if p.Status != 200 || p.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" || p.Header.Get("Request-Id") != "req_bench00000007" {
		t.Errorf("got %d %v", p.Status, p.Header)
	}
	for newline, end := range map[string]string{"cr": "\r", "crlf": "\r\n", "lf": "\n"} {
		p := planOf(t, true, `usage in=5 out=7 cache_read=1 cache_write=2`, `text "a\"\n\x01é"`, "newline "+newline)
		if got := bytesOf(p); got != strings.ReplaceAll(want, "\n", end) {
			t.Errorf("newline %s: got %q", newline, got)
		}
	}
}

// TestMessageBytes holds the same answer as one JSON message.
func TestMessageBytes(t *testing.T) {
	p := planOf(t, false, `usage in=5 out=7`, `ping`, `think "a" "b" sig=s`, `text "x" "y"`, `cut-text "half"`,
		`call t1 f '{"a":' '1}'`, `call t2 now ''`, `server-call s1 web_search {"q":1}`, `server-result s1 [1]`, `refusal "No."`, `tail`, `comment "c"`)
	const want = `{"id":"msg_bench00000007","type":"message","role":"assistant","model":"m","content":[` +
		`{"type":"thinking","thinking":"ab","signature":"s"},{"type":"text","text":"xy"},{"type":"text","text":"half"},` +
		`{"type":"tool_use","id":"t1","name":"f","input":{"a":1}},{"type":"tool_use","id":"t2","name":"now","input":{}},` +
		`{"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":1}},` +
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[1]},{"type":"text","text":"No."}],` +
		`"stop_reason":"refusal","stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}}`
	if got := bytesOf(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := p.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("got %s", got)
	}
}

// TestMessageEndings: what breaks an answer off means for one in one piece.
func TestMessageEndings(t *testing.T) {
	whole := len(bytesOf(planOf(t, false, `text "a"`)))
	for _, c := range []struct{ lines, want string }{
		{"delay 1s\ntext \"a\"\ngate g", fmt.Sprintf("delay 1s, gate g, w%d, eof", whole)},
		{"text \"a\"\neof", "eof"},
		{"text \"a\"\neof short=3", fmt.Sprintf("w%d, eof", whole-3)},
		{"text \"a\"\ncut", "cut"},
		{"text \"a\"\nreset after=1s", "delay 1s, reset"},
		{"text \"a\"\nhang 2s", "hang 2s"},
		{"text \"a\"\nchunk whole", fmt.Sprintf("w%d, eof", whole)},
		{"text \"a\"\nchunk at 5", fmt.Sprintf("w5, w%d, eof", whole-5)},
	} {
		if got := outline(planOf(t, false, strings.Split(c.lines, "\n")...)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.lines, got, c.want)
		}
	}
	p := planOf(t, false, `text "a"`, `error overloaded_error "Overloaded"`, `hang`)
	if p.Status != 529 || bytesOf(p) != `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_bench00000007"}` {
		t.Errorf("an error in the stream is an HTTP error here: got %d %s", p.Status, bytesOf(p))
	}
	for lines, want := range map[string]string{
		`call t1 f '{"a'`: `the input {"a of call t1 is not JSON`,
		`raw "x"`:         "`raw` writes into a stream",
		`frame {}`:        "`frame` is an event of a stream",
	} {
		s := mustParse(t, "reply\n    "+lines+"\n")
		_, err := s.Replies[0].plan(1, answering{protocol: anthropic{}})
		if err == nil || err.line != 2 || !strings.Contains(err.text, want) {
			t.Errorf("%s: got %v", lines, err)
		}
	}
}

// TestSteps: how bytes are cut into pieces, and where a plan waits.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{`raw "abc" "de"`, "w3, w2, eof"},
		{"raw \"abc\" \"de\"\nchunk whole", "w5, eof"},
		{"raw \"abcdefg\" \"hi\"\nchunk 4", "w4, w4, w1, eof"},
		{"raw \"abcd\"\ndelay 1s\nraw \"efghi\"\nchunk 3", "w3, w1, delay 1s, w2, w3, eof"},
		{"raw \"abcd\"\nchunk at 1\nchunk at 3", "w1, w2, w1, eof"},
		{"raw \"abcd\"\nchunk at 3\nchunk at 1\nchunk at 1", "w1, w2, w1, eof"},
		{"raw \"abcd\"\nchunk at 4", "w4, eof"},
		{"raw \"abcd\"\nchunk at 99", "w4, eof"},
		{"raw \"ab\"\ndelay 1s\ngate g\nraw \"cd\" after=2s\nchunk whole", "w2, delay 1s, gate g, delay 2s, w2, eof"},
		{"raw \"a\" after=1s times=2", "delay 1s, w1, delay 1s, w1, eof"},
		{"delay 1s times=2", "delay 1s, delay 1s, eof"},
		{"raw \"abc\" \"def\"\neof short=2", "w3, w1, eof"},
		{"raw \"abc\" \"def\"\neof short=4", "w2, eof"},
		{"raw \"abc\"\ndelay 1s\nraw \"def\"\neof short=4", "w2, delay 1s, eof"},
		{"raw \"abc\"\ncut", "w3, cut"},
		{"raw \"abc\"\nreset after=1s", "w3, delay 1s, reset"},
		{"raw \"abc\"\nhang", "w3, hang"},
		{"raw \"abc\"\nhang 5s", "w3, hang 5s"},
		{"reset", "reset"},
		{"delay 1s\nraw \"\"\nhang", "delay 1s, w0, hang"},
		{"raw \"\" \"\" \"a\" \"\"", "w0, w1, eof"},
	} {
		lines := append([]string{"head none", "stop none", "tail none"}, strings.Split(c.lines, "\n")...)
		if got := outline(planOf(t, true, lines...)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.lines, got, c.want)
		}
	}
}

// TestPlain: HTTP errors and plain answers.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		reply  string
		status int
		body   string
		header map[string]string
	}{
		{`reply 429 rate_limit_error "slow" retry-after=3`, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"},"request_id":"req_bench00000007"}`, map[string]string{"Retry-After": "3", "Content-Type": "application/json"}},
		{"reply 529", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_bench00000007"}`, nil},
		{"reply 529\n    header request-id x\n    header a 1\n    header a 2", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_bench00000007"}`, map[string]string{"Request-Id": "x", "A": "1 2"}},
		{"reply 502\n    header content-type text/html; charset=x\n    body \"<html>\" \"</html>\"", 502, "<html></html>", map[string]string{"Content-Type": "text/html; charset=x"}},
		{"reply\n    body \"\"", 200, "", map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		{"reply 500 api_error\n    eof short=1", 500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"},"request_id":"req_bench00000007"`, nil},
	} {
		s := mustParse(t, c.reply+"\n")
		p, err := s.Replies[0].plan(1, answering{protocol: anthropic{}, stream: true, n: 7})
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != c.status || bytesOf(p) != c.body {
			t.Errorf("%s: got %d %s", c.reply, p.Status, bytesOf(p))
		}
		for k, v := range c.header {
			if got := strings.Join(p.Header[k], " "); got != v {
				t.Errorf("%s: %s is %q, want %q", c.reply, k, got, v)
			}
		}
	}
}

// TestRepetition: ${n} counts a reply's repetitions, and within a line that
// repeats itself the line's.
func TestRepetition(t *testing.T) {
	s := mustParse(t, "reply 500 api_error \"m${n}\" times=3 retry-after=${n}\n\nreply times=3\n    call t${n} f${n} {\"a\":${n},\"b\":\"${n}\"}\n    call u${n} g '${n}' times=2\n    think \"${n}\" sig=s${n}\n")
	a := answering{protocol: anthropic{}, stream: true}
	p, err := s.Replies[0].plan(2, a)
	if err != nil || !strings.Contains(bytesOf(p), `"m2"`) || p.Header.Get("Retry-After") != "2" {
		t.Errorf("got %v %s %v", err, bytesOf(p), p.Header)
	}
	if p, err = s.Replies[1].plan(3, a); err != nil {
		t.Fatal(err)
	}
	got := readStream(t, bytesOf(p))
	want := []string{`t3 f3 {"a":3,"b":"3"}`, "u1 g 1", "u2 g 2"}
	if !reflect.DeepEqual(got.Calls, want) || got.Think != "3" || got.Sig != "s3" {
		t.Errorf("got %q %q %q", got.Calls, got.Think, got.Sig)
	}
}

// TestPiecesOfJSON: a piece of an input never ends inside a rune, since each
// piece is a JSON string of its own.
func TestPiecesOfJSON(t *testing.T) {
	for n := range 12 {
		l := Line{JSON: `{"a":"` + strings.Repeat("x", n) + `ééé€€€😀😀😀"}`}
		pieces := l.input()
		if strings.Join(pieces, "") != l.JSON || len(pieces) < 3 {
			t.Errorf("got %q", pieces)
		}
		for _, p := range pieces {
			if !utf8.ValidString(p) {
				t.Errorf("%q in %q", p, pieces)
			}
		}
	}
}

// TestEveryLineActs: no line is parsed, printed, and then forgotten.
func TestEveryLineActs(t *testing.T) {
	examples := map[Op]string{
		OpText: `text "a"`, OpThink: `think "a"`, OpCall: "call t f {}", OpCutText: `cut-text "a"`, OpCutThink: `cut-think "a"`,
		OpCutCall: "cut-call t f '{'", OpServerCall: "server-call s f {}", OpServerResult: "server-call s f {}\nserver-result s 1",
		OpStop: "stop max_tokens", OpUsage: "usage in=1", OpPing: "ping", OpComment: `comment "c"`, OpError: `error t "m"`,
		OpRefusal: `refusal "r"`, OpRaw: `raw "r"`, OpFrame: "frame {}", OpHeader: "header a b", OpBody: `body "b"`, OpHead: "head none",
		OpTail: "tail none", OpEOF: "eof", OpCut: "cut", OpReset: "reset", OpHang: "hang", OpChunk: "chunk whole", OpNewline: "newline cr",
		OpGate: "gate g", OpDelay: "delay 1s",
	}
	show := func(lines string) string {
		p := planOf(t, true, strings.Split(lines, "\n")...)
		return fmt.Sprint(outline(p), bytesOf(p), p.Header)
	}
	for _, v := range verbs {
		if v.op == OpExpect {
			continue // acts on the request
		}
		lines, ok := examples[v.op]
		if !ok {
			t.Errorf("no example of %s", v.op)
			continue
		}
		without := ""
		if v.op == OpServerResult {
			without = "server-call s f {}"
		}
		if show(lines) == show(without) {
			t.Errorf("%s changes nothing", v.op)
		}
	}
}

// TestCutting: whatever the chunking, the bytes are the same.
func TestCutting(t *testing.T) {
	lines := []string{`text "héllo" "x"*300`, `delay 1s`, `call t1 f {"a":"é"}`, `ping times=3`}
	want := bytesOf(planOf(t, true, lines...))
	for _, how := range []string{"events", "whole", "1", "2", "7", "1000", "at 1", "at 333"} {
		p := planOf(t, true, append(lines, "chunk "+how)...)
		if got := bytesOf(p); got != want {
			t.Errorf("chunk %s changes the bytes", how)
		}
		if how == "1" {
			for _, s := range p.Steps {
				if s.Act == Write && len(s.Data) != 1 {
					t.Errorf("a piece of %d bytes", len(s.Data))
				}
			}
		}
	}
}
