package anthropic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

// frame writes data as the API frames it, under the name that its type says.
func frame(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		_, rest, _ := strings.Cut(d, `"type":`)
		typ := strings.Split(rest, `"`)[1]
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", typ, d)
	}
	return b.String()
}

const (
	msgStart = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":5,"output_tokens":1}}     }`
	msgStop  = `{"type":"message_stop"       }`
)

func delta(i int, body string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, body)
}

var decodings = []struct {
	name, src string
	want      []string
}{
	{"nothing", "", nil},
	{"a text answer, padded as recorded", frame(
		msgStart,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}           }`,
		`{"type": "ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}   }`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" 北 é 😀 \"q\" \\ \/ \b\f\n\r\t"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u5317\ud83d\ude00"}   }`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}`,
		`{"type":"content_block_stop","index":0            }`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"output_tokens":15}              }`,
		msgStop),
		[]string{"message msg_1 m in=5 out=1 read=0 write=0", "start 0 text", "ping", `text 0 "Hi"`,
			`text 0 " 北 é 😀 \"q\" \\ / \b\f\n\r\t"`, `text 0 "北😀"`, `text 0 ""`, "stop 0",
			`reason "end_turn" in=5 out=15 read=0 write=0`, "end"}},
	{"a call, its input in pieces that end inside an escape", frame(
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"add","input":{},"caller":{"type":"direct"}}     }`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}          }`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\": \"\\"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"n\"}"} }`,
		`{"type":"content_block_stop","index":1}`),
		[]string{"start 1 call id=toolu_1 name=add", `input 1 ""`, `input 1 "{\"a\": \"\\"`, `input 1 "n\"}"`, "stop 1"}},
	{"a call with no input at all stays without: only the reader knows whether it closed", frame(
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"now","input":{ }}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}`),
		[]string{"start 0 call id=t name=now", `input 0 ""`, `reason "max_tokens" in=0 out=9 read=0 write=0`}},
	{"programmatic tool calling: the start carries the input", frame(
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"roll","input":{ "n": 1.50 },"caller":{"type":"code_execution_20250825","tool_id":"s"}}}`),
		[]string{`start 0 call id=t name=roll input={ "n": 1.50 } raw={"type":"tool_use","id":"t","name":"roll","input":{ "n": 1.50 },"caller":{"type":"code_execution_20250825","tool_id":"s"}}`}},
	{"programmatic tool calling: the message starts with its content", frame(
		`{"type":"message_start","message":{"id":"i","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t","name":"roll","input":{}}],"stop_reason":"tool_use"}}`,
		msgStop),
		[]string{"message i m", "start 0 text", `text 0 "x"`, "stop 0", "start 1 call id=t name=roll", `input 1 "{}"`, "stop 1", `reason "tool_use"`, "end"}},
	{"thinking, and thinking that is only signed", frame(
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		delta(0, `{"type":"thinking_delta","thinking":"hm\n"}`),
		delta(0, `{"type":"signature_delta","signature":"Ep+/=="}`),
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		delta(1, `{"type":"signature_delta","signature":"s"}`),
		`{"type":"content_block_stop","index":1}`),
		[]string{"start 0 thinking", `think 0 "hm\n"`, `sign 0 "Ep+/=="`, "stop 0", "start 1 thinking", `sign 1 "s"`, "stop 1"}},
	{"blocks that are only carried", frame(
		`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"Em\/x"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srv","name":"web_search","input":{}}}`,
		delta(1, `{"type":"input_json_delta","partial_json":"{\"q\":1}"}`),
		`{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv","content":[ {"type":"x"} ]}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"mcp_tool_use","id":"m","name":"echo","input":{},"server_name":"s"}}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"mcp_tool_result","tool_use_id":"m","is_error":false,"content":[]}}`,
		`{"type":"content_block_start","index":5,"content_block":{"type":"compaction","content":null}}`,
		delta(5, `{"type":"compaction_delta","content":"sum"}`),
		`{"type":"content_block_start","index":6,"content_block":{"type":"image","source":{}}}`,
		`{"type":"content_block_start","index":7,"content_block":{"type":"from_the_future","x":[1]}}`),
		[]string{`start 0 opaque raw={"type":"redacted_thinking","data":"Em\/x"}`,
			"start 1 server_call id=srv name=web_search", `input 1 "{\"q\":1}"`,
			`start 2 server_result id=srv raw={"type":"web_search_tool_result","tool_use_id":"srv","content":[ {"type":"x"} ]}`,
			`start 3 server_call id=m name=echo raw={"type":"mcp_tool_use","id":"m","name":"echo","input":{},"server_name":"s"}`,
			`start 4 server_result id=m raw={"type":"mcp_tool_result","tool_use_id":"m","is_error":false,"content":[]}`,
			`start 5 opaque raw={"type":"compaction","content":null}`, `other 5 "compaction_delta"`,
			`start 6 image raw={"type":"image","source":{}}`, `start 7 opaque raw={"type":"from_the_future","x":[1]}`}},
	{"unknown events and deltas", frame(
		`{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"text":"x"}}}`,
		`{"type":"news","index":"any"}`),
		[]string{`other 3 "citations_delta"`, `other "news"`}},
	{"usage is cumulative, and may leave out what it said", frame(
		`{"type":"message_start","message":{"id":"i","model":"m","content":[],"usage":{"input_tokens":100,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1,"service_tier":"standard"}}}`,
		`{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":20}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":150,"cache_read_input_tokens":null,"output_tokens":50,"iterations":[]}}`),
		[]string{"message i m in=100 out=1 read=7 write=3", "usage in=100 out=20 read=7 write=3", `reason "end_turn" in=150 out=50 read=7 write=3`}},
	{"usage does not outlive its message", frame(
		`{"type":"message_start","message":{"id":"i","model":"m","content":[],"usage":{"input_tokens":100}}}`,
		`{"type":"message_start","message":{"id":"j","model":"m","content":[]}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`),
		[]string{"message i m in=100 out=0 read=0 write=0", "message j m", `reason "end_turn" in=0 out=5 read=0 write=0`}},
	{"stop reasons are kept as they are", frame(
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"from_the_future"},"usage":null}`,
		`{"type":"message_delta","delta":{"stop_reason":""}}`,
		`{"type":"message_delta","delta":{}}`,
		`{"type":"message_delta","delta":{"stop_reason":null}}`),
		[]string{`reason "end_turn"`, `reason "from_the_future"`, `reason ""`, `other "message_delta"`, `other "message_delta"`}},
	{"the stop reason before its call (S000)", frame(
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}`,
		`{"type":"content_block_stop","index":0}`),
		[]string{`reason "end_turn"`, "start 0 call id=t name=n", "stop 0"}},
	{"indexes are the reader's to judge", frame(
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"a"}}`,
		delta(9, `{"type":"text_delta","text":"x"}`),
		`{"type":"content_block_stop","index":5}`),
		[]string{"start 2 text text=a", `text 9 "x"`, "stop 5"}},
	{"a call without id or name", frame(
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":{}}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":null,"name":"","input":null}}`),
		[]string{"start 0 call", "start 1 call"}},
	{"an error inside the stream, then more", frame(
		msgStart,
		`{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`,
		msgStop),
		[]string{"message msg_1 m in=5 out=1 read=0 write=0", "failure overloaded overloaded_error: Overloaded instream=true", "end"}},
	{"an error with nothing in it", frame(`{"type":"error","error":{}}`), []string{"failure unknown instream=true"}},

	// Framing.
	{"no event lines", "data: " + msgStop + "\n\ndata:{\"type\":\"ping\"}\n\n", []string{"end", "ping"}},
	{"no type: the event line says it", "event: ping\ndata: {}\n\n", []string{"ping"}},
	{"CRLF", strings.ReplaceAll(frame(msgStop, delta(0, `{"type":"text_delta","text":"x"}`)), "\n", "\r\n"), []string{"end", `text 0 "x"`}},
	{"CR", strings.ReplaceAll(frame(msgStop, delta(0, `{"type":"text_delta","text":"x"}`)), "\n", "\r"), []string{"end", `text 0 "x"`}},
	{"BOM, comments, keep-alives", "\ufeff: hello\n\n" + frame(msgStop) + ": x\n\n:\n\n", []string{"end"}},
	{"data in two lines", "event: ping\ndata: {\"type\":\ndata: \"ping\"}\n\n", []string{"ping"}},
	{"a space before the field is an unknown field (a real stream)", " data: {\"type\":\"ping\"}\n\n" + frame(msgStop), []string{"end"}},
	{"a last event without its blank line is whole", strings.TrimSuffix(frame(msgStart, msgStop), "\n\n"),
		[]string{"message msg_1 m in=5 out=1 read=0 write=0", "end"}},
	{"a last event that is cut is none: a clean end, not a protocol error", frame(msgStop) + "event: content_block_delta\ndata: {\"type\":\"content_blo", []string{"end"}},
	{"a last event cut inside its name", frame(msgStop) + "data: {\"type\":\"ping\"}\nevent: pin", []string{"end"}},
	{"members in another order, escaped names, white space", "event: content_block_delta\ndata: { \"delta\" : {\"t\\u0065xt\":\"x\",\"type\":\"text_delta\"} ,\t\"index\" : 0 , \"type\":\"content_block_delta\" }\n\n", []string{`text 0 "x"`}},

	// What is not the protocol.
	{"not JSON", frame(msgStop) + "event: ping\ndata: oops\n\n", []string{"end", "error protocol: the event ending at line 6 of the stream, ping: the data is not strict JSON: invalid character 'o' at start of value"}},
	{"[DONE] of another protocol", frame(msgStop) + "data: [DONE]\n\n", []string{"end", "error protocol: the event ending at line 5 of the stream, [DONE]: the data is not strict JSON: invalid character 'D' at start of value within \"/0\" after offset 1"}},
	{"JSON that stops", "event: ping\ndata: {\"type\":\n\n", []string{"error protocol: the event ending at line 3 of the stream, ping: the data is not strict JSON: it ends too early within \"/type\" after offset 8"}},
	{"a repeated name", frame(`{"type":"content_block_delta","index":0,"index":1,"delta":{"type":"text_delta","text":"a"}}`), []string{`error protocol: the event ending at line 3 of the stream, content_block_delta: the data is not strict JSON: duplicate object member name "index"`}},
	{"invalid UTF-8", frame(delta(0, "{\"type\":\"text_delta\",\"text\":\"a\xff\"}")), []string{`error protocol: the event ending at line 3 of the stream, content_block_delta: the data is not strict JSON: invalid UTF-8 within "/delta/text" after offset 78`}},
	{"NUL", frame(delta(0, "{\"type\":\"text_delta\",\"text\":\"a\x00\"}")), []string{`error protocol: the event ending at line 3 of the stream, content_block_delta: the data is not strict JSON: invalid character '\x00' in string (expecting non-control character) within "/delta/text" after offset 78`}},
	{"half a surrogate pair", frame(delta(0, `{"type":"text_delta","text":"\ud800"}`)), []string{"error protocol: the event ending at line 3 of the stream, content_block_delta: the data is not strict JSON: invalid surrogate pair `\\ud800\"}}` in string within \"/delta/text\" after offset 77"}},
	{"trailing data", frame(msgStop + "x"), []string{"error protocol: the event ending at line 3 of the stream, message_stop: the data is more than one JSON value: something follows at byte 30"}},
	{"an array", "data: []\n\n", []string{"error protocol: the event ending at line 2 of the stream, []: the data is []; want an object"}},
	{"empty data", "event: ping\ndata:\n\n", []string{"error protocol: the event ending at line 3 of the stream, ping: the data is empty"}},
	{"names that differ", "event: ping\ndata: " + msgStop + "\n\n", []string{"error protocol: the event ending at line 3 of the stream, ping: the event line says ping, the data's type says message_stop; they are always equal"}},
	{"neither name nor type", "data: {}\n\n", []string{"error protocol: the event ending at line 2 of the stream, {}: the event has neither a name nor a type"}},
	{"type of the wrong type", "data: {\"type\":1}\n\n", []string{`error protocol: the event ending at line 2 of the stream, {"type":1}: type is 1; want a string`}},
	{"no index", frame(`{"type":"content_block_stop"}`), []string{"error protocol: the event ending at line 3 of the stream, content_block_stop: index is missing; want a whole number"}},
	{"an index that is none", frame(`{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"a"}}`), []string{"error protocol: the event ending at line 3 of the stream, content_block_delta: index is -1; want a whole number"}},
	{"a start without its block", frame(`{"type":"content_block_start","index":0}`), []string{"error protocol: the event ending at line 3 of the stream, content_block_start: content_block is missing; want an object"}},
	{"a block without a type", frame(`{"type":"content_block_start","index":0,"content_block":{}}`), []string{"error protocol: the event ending at line 3 of the stream, content_block_start: content_block.type is missing; want a string"}},
	{"a numeric id (AI-Shell-Team/aish p200)", frame(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":7,"name":"n","input":{}}}`), []string{"error protocol: the event ending at line 3 of the stream, content_block_start: content_block.id is 7; want a string"}},
	{"a delta without text", frame(delta(0, `{"type":"text_delta"}`)), []string{"error protocol: the event ending at line 3 of the stream, content_block_delta: delta.text is missing; want a string"}},
	{"a delta of null", frame(delta(0, `{"type":"input_json_delta","partial_json":null}`)), []string{"error protocol: the event ending at line 3 of the stream, content_block_delta: delta.partial_json is null; want a string"}},
	{"a delta that is none", frame(delta(0, `7`)), []string{"error protocol: the event ending at line 3 of the stream, content_block_delta: delta is 7; want an object"}},
	{"a message that is none", frame(`{"type":"message_start"}`), []string{"error protocol: the event ending at line 3 of the stream, message_start: message is missing; want an object"}},
	{"usage of the wrong type", frame(`{"type":"message_delta","delta":{"stop_reason":"x"},"usage":{"output_tokens":"9"}}`), []string{`error protocol: the event ending at line 3 of the stream, message_delta: usage.output_tokens is "9"; want a whole number`}},
	{"a stop reason of the wrong type", frame(`{"type":"message_delta","delta":{"stop_reason":["x"]}}`), []string{`error protocol: the event ending at line 3 of the stream, message_delta: delta.stop_reason is ["x"]; want a string`}},
	{"an error of the wrong type", frame(`{"type":"error","error":"x"}`), []string{`error protocol: the event ending at line 3 of the stream, error: error is "x"; want an object`}},
	{"a bad start hides nothing and shows nothing", frame(`{"type":"message_start","message":{"id":"i","content":[{"type":"text","text":"x"},7]}}`), []string{"error protocol: the event ending at line 3 of the stream, message_start: content[1] is 7; want an object"}},
}

func TestDecoder(t *testing.T) {
	for _, c := range decodings {
		t.Run(c.name, func(t *testing.T) {
			asktest.Equal(t, asktest.Drain(NewDecoder(strings.NewReader(c.src))), c.want)
		})
	}
}

// The same bytes in any pieces give the same events (wire/split-blind).
func TestSplitBlind(t *testing.T) {
	for _, c := range decodings {
		for n := range len(c.src) + 1 {
			r := io.MultiReader(strings.NewReader(c.src[:n]), strings.NewReader(c.src[n:]))
			if got := asktest.Drain(NewDecoder(r)); !slices.Equal(got, c.want) {
				t.Fatalf("%s, cut at %d: %q; want %q", c.name, n, got, c.want)
			}
		}
		if got := asktest.Drain(NewDecoder(iotest.OneByteReader(strings.NewReader(c.src)))); !slices.Equal(got, c.want) {
			t.Fatalf("%s, byte by byte: %q; want %q", c.name, got, c.want)
		}
	}
}

// Cut anywhere, the end is clean and the events are the first ones of the whole.
func TestCutAnywhere(t *testing.T) {
	c := decodings[1]
	for n := range len(c.src) {
		got := asktest.Drain(NewDecoder(strings.NewReader(c.src[:n])))
		if len(got) > len(c.want) || !slices.Equal(got, c.want[:len(got)]) {
			t.Fatalf("cut at %d: %q", n, got)
		}
	}
}

func TestDecoderErrors(t *testing.T) {
	body := frame(msgStart) + "event: ping\ndata: {"
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"reset", fmt.Errorf("read tcp 127.0.0.1:1->127.0.0.1:2: %w", syscall.ECONNRESET), "cut: the answer broke off: connection reset by peer"},
		{"closed inside the body", io.ErrUnexpectedEOF, "cut: the answer broke off: the connection was closed too early"},
		{"anything else", errors.New("http2: stream closed"), "cut: the answer broke off: http2: stream closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDecoder(io.MultiReader(strings.NewReader(body), iotest.ErrReader(c.err)))
			if ev, err := d.Next(); err != nil || ev.Kind != providers.MessageStart {
				t.Fatal(ev, err)
			}
			for range 2 {
				_, err := d.Next()
				e := new(providers.Error)
				if !errors.As(err, &e) || e.Error() != c.want || e.Class != providers.Cut || !e.InStream || !errors.Is(err, c.err) {
					t.Fatalf("%#v; want %s", err, c.want)
				}
			}
		})
	}
	t.Run("protocol errors repeat", func(t *testing.T) {
		d := NewDecoder(strings.NewReader("data: x\n\n" + frame(msgStop)))
		_, first := d.Next()
		_, again := d.Next()
		if first == nil || first != again {
			t.Fatalf("%v, then %v", first, again)
		}
	})
	t.Run("a line beyond all measure", func(t *testing.T) {
		d := NewDecoder(io.MultiReader(strings.NewReader("data: "), asktest.Endless{}))
		_, err := d.Next()
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Protocol || !strings.Contains(e.Message, "the line is longer than 33554432 bytes") {
			t.Fatal(err)
		}
	})
}

// 100 KB in one event exist (the longest of the corpus); megabytes do too.
func TestLongEvents(t *testing.T) {
	for _, n := range []int{64 << 10, 100867, 3 << 20} {
		text := strings.Repeat("x\\n", n/3)
		d := NewDecoder(strings.NewReader(frame(delta(0, `{"type":"text_delta","text":"`+text+`"}`), msgStop)))
		ev, err := d.Next()
		if err != nil || ev.Text != strings.Repeat("x\n", n/3) {
			t.Fatalf("%d bytes: %d, %v", n, len(ev.Text), err)
		}
		if ev, err := d.Next(); err != nil || ev.Kind != providers.MessageStop {
			t.Fatal(ev, err)
		}
	}
}

type closer struct {
	io.Reader
	closed int
}

func (c *closer) Close() error { c.closed++; return nil }

func TestDecoderClose(t *testing.T) {
	c := &closer{Reader: strings.NewReader("")}
	if err := NewDecoder(c).Close(); err != nil || c.closed != 1 {
		t.Error(err, c.closed)
	}
	if err := NewDecoder(strings.NewReader("")).Close(); err != nil {
		t.Error(err)
	}
}

// agree decodes data by both paths. Where the fast one accepts, the strict one
// must say the same; both must leave earlier strings alone.
func agree(t *testing.T, name, data []byte) (fast bool) {
	t.Helper()
	var f, s codec
	var got providers.Event
	if !f.fast(name, data, &got) {
		if got != (providers.Event{}) {
			t.Fatalf("%q: given up, with %s left behind", data, asktest.Show(got))
		}
		return false
	}
	if err := s.event(name, data); err != nil || len(s.out) != 1 || s.out[0] != got {
		t.Fatalf("%q %q:\n  fast %s\nstrict %v %v", name, data, asktest.Show(got), s.out, err)
	}
	return true
}

func TestFastPath(t *testing.T) {
	const name = "content_block_delta"
	for _, c := range []struct {
		data string
		fast bool
	}{
		{delta(0, `{"type":"text_delta","text":"a"}`), true},
		{delta(12, `{"type":"text_delta","text":""}`) + "  ", true},
		{delta(0, `{"type":"text_delta","text":"a"}   `), true},
		{delta(0, `{"type":"text_delta","text":"a\n\"\\\/\b\f\r\té世😀"}`), true},
		{delta(0, `{"type":"input_json_delta","partial_json":"{\"a\":1}"} `), true},
		{delta(0, `{"type":"thinking_delta","thinking":"a"}`), true},
		{delta(999999, `{"type":"text_delta","text":"a"}`), true},
		// Legal, but the strict decoder's business.
		{delta(0, `{"type":"text_delta","text":"\u0041"}`), false},
		{delta(0, `{"text":"a","type":"text_delta"}`), false},
		{delta(0, `{"type":"text_delta","text":"a","more":1}`), false},
		{delta(1000000, `{"type":"text_delta","text":"a"}`), false},
		{delta(0, `{"type":"signature_delta","signature":"a"}`), false},
		{" " + delta(0, `{"type":"text_delta","text":"a"}`), false},
		{delta(0, `{"type":"text_delta","text":"a"}`) + "\t", false},
		// Illegal.
		{`{"type":"content_block_delta","index":00,"delta":{"type":"text_delta","text":"a"}}`, false},
		{`{"type":"content_block_delta","index":,"delta":{"type":"text_delta","text":"a"}}`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}x`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\`, false},
		{`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\x"}}`, false},
		{"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\xff\"}}", false},
		{"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xe4\\\"\xb8\x96\"}}", false},
		{"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xed\xa0\x80\"}}", false},
		{"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\tb\"}}", false},
	} {
		if got := agree(t, []byte(name), []byte(c.data)); got != c.fast {
			t.Errorf("%q: fast is %v; want %v", c.data, got, c.fast)
		}
	}
	if agree(t, []byte("ping"), []byte(delta(0, `{"type":"text_delta","text":"a"}`))) {
		t.Error("an event line that contradicts the data went the fast way")
	}
}

// FuzzDecoder: whatever the fast path accepts, the strict decoder reads the
// same; no bytes panic either; and cut anywhere, a stream says the same.
func FuzzDecoder(f *testing.F) {
	for i, c := range decodings {
		f.Add([]byte(c.src), i*7)
	}
	for _, text := range []string{`a`, `\n\"é世`, `\u00e9`, "\xff", `\ud83d\ude00`, "\t"} {
		f.Add([]byte(delta(0, `{"type":"text_delta","text":"`+text+`"}  `)), 3)
		f.Add([]byte(delta(3, `{"type":"input_json_delta","partial_json":"`+text+`"}`)), 80)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		agree(t, nil, src)
		want := asktest.Drain(NewDecoder(bytes.NewReader(src)))
		n := max(cut, -cut, 0) % (len(src) + 1)
		got := asktest.Drain(NewDecoder(io.MultiReader(bytes.NewReader(src[:n]), bytes.NewReader(src[n:]))))
		if !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %q; want %q", n, got, want)
		}
		for line := range bytes.Lines(src) {
			if data, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data: ")); ok {
				agree(t, nil, data)
			}
		}
	})
}
