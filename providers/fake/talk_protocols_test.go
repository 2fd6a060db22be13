package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/classify"
	geminicodec "github.com/harnessbench/bench/providers/gemini"
)

// chatter is a loop as small as it can be, over the project's own client.
type chatter struct {
	t    *testing.T
	p    providers.Provider
	req  *providers.Request
	last *turn
}

func newChatter(t *testing.T, p providers.Provider, stream bool) *chatter {
	return &chatter{t: t, p: p, req: ordinary(stream)}
}

// ask sends the conversation and returns the text of the answer, or its end.
func (c *chatter) ask() string {
	c.last = readTurn(c.p, c.req)
	if c.last.end != "end" {
		return c.last.end
	}
	return providers.TextOf(c.last.blocks)
}

// commit appends the last answer to the conversation, and results for its calls.
// Calls without an id get one, as a loop's own would.
func (c *chatter) commit() {
	m := providers.Message{Role: providers.Assistant}
	back := providers.Message{Role: providers.User}
	for i, b := range c.last.blocks {
		b.Open = false
		switch b.Kind {
		case providers.Thinking:
			continue
		case providers.ToolCall:
			if b.ID == "" {
				b.ID = fmt.Sprintf("own%d_%d", len(c.req.Messages), i)
			}
			back.Blocks = append(back.Blocks, providers.Block{Kind: providers.ToolResult, ID: b.ID, Text: "result of " + b.Input})
		}
		m.Blocks = append(m.Blocks, b)
	}
	if back.Blocks == nil {
		back.Blocks = []providers.Block{{Kind: providers.Text, Text: "Go on."}}
	}
	c.req.Messages = append(c.req.Messages, m, back)
}

// everywhere runs f in each protocol, streamed and not, in memory and on loopback.
func everywhere(t *testing.T, script string, f func(t *testing.T, srv *Server, c *chatter)) {
	for _, p := range Protocols() {
		for _, stream := range []bool{true, false} {
			for _, where := range []string{"memory", "loopback"} {
				t.Run(fmt.Sprintf("%s/stream=%v/%s", p, stream, where), func(t *testing.T) {
					srv := NewServer(mustParse(t, script), Options{})
					h, url := inMemory(srv.Wire), "http://fake"
					if where == "loopback" {
						loop := httptest.NewServer(srv.Handler())
						defer loop.Close()
						h, url = loop.Client(), loop.URL
					}
					f(t, srv, newChatter(t, client(p, url, h), stream))
				})
			}
		}
	}
}

// TestTalkProtocols: replies, expectations, ids and lives are the same whatever
// protocol a loop speaks.
func TestTalkProtocols(t *testing.T) {
	everywhere(t, `reply
    expect model == m
    expect max_tokens == 4096
    expect messages.-1.text == hi
    text "I look."
    call t1 look {"at":"é"}
    call t2 look {"at":"b"}
reply
    expect results == t1 t2
    expect result.t1 ~ 'result of \{"at":"é"\}'
    expect result.t2.error == false
    expect call.t2.input.at == b
    expect messages.1.role == assistant
    text "It is there."
reply
    expect messages.-1.text == "Go on."
    text "Done."
`, func(t *testing.T, srv *Server, c *chatter) {
		for _, want := range []string{"I look.", "It is there."} {
			if got := c.ask(); got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
			c.commit()
		}
		// A killed process asks the same again: the lane goes on behind what the
		// request shows.
		srv.BeginLife()
		if got := c.ask(); got != "Done." {
			t.Errorf("got %q", got)
		}
		c.req.Messages = c.req.Messages[:3]
		srv.BeginLife()
		if got := c.ask(); got != "It is there." {
			t.Errorf("after a kill that lost an answer: got %q", got)
		}
		if f := srv.Findings(); f != nil {
			t.Error(f)
		}
		if u := srv.Unused(); len(u) != 0 {
			t.Error(u)
		}
	})
}

// TestTalkIDs: a script's ids are the script's, also where a loop sends others.
func TestTalkIDs(t *testing.T) {
	everywhere(t, `reply
    call "" look {"at":"a"}
    call "" look {"at":"b"}
reply
    expect call.#2.input.at == b
    expect result.#1 ~ '"a"'
    expect result.#2 ~ '"b"'
    text "Done."
`, func(t *testing.T, srv *Server, c *chatter) {
		if got := c.ask(); got != "" {
			t.Fatalf("got %q", got)
		}
		c.commit()
		if got := c.ask(); got != "Done." || srv.Findings() != nil {
			t.Errorf("got %q, %v", got, srv.Findings())
		}
	})
}

// TestTalkWithoutIDs: where the wire has no ids at all, calls are known by their
// places in the conversation.
func TestTalkWithoutIDs(t *testing.T) {
	srv := NewServer(mustParse(t, `reply
    call t1 look {"at":"a"}
    call t2 look {"at":"b"}
    call t3 find {}
reply
    expect results == t1 t2 t3
    expect result.t2 ~ '"b"'
    expect call.t3.input == {}
    expect body !~ '"id"'
    call t1 look {"at":"a"}
reply
    expect results == t1
    expect result.t1#2 ~ '"a"'
    text "Done."
`), Options{})
	c := newChatter(t, geminicodec.New(geminicodec.Config{BaseURL: "http://fake/v1beta", HTTP: inMemory(srv.Wire), Options: geminicodec.Options{NoIDs: true}}), true)
	for range 2 {
		c.ask()
		c.commit()
	}
	srv.BeginLife()
	if got := c.ask(); got != "Done." || srv.Findings() != nil || len(srv.Unused()) != 0 {
		t.Errorf("got %q, %v", got, srv.Findings())
	}
}

// TestTalkExpectation: an expectation that does not hold is found in each protocol.
func TestTalkExpectation(t *testing.T) {
	everywhere(t, "reply\n    expect messages.0.text == bye\n    text \"a\"\nreply lane=judge\n", func(t *testing.T, srv *Server, c *chatter) {
		if got, f := c.ask(), srv.Findings(); got != "a" || len(f) != 1 || f[0].Text != `expect messages.0.text == bye: got "hi"` {
			t.Errorf("got %q, %v", got, f)
		}
		if got := c.ask(); got != "server 500" || len(srv.Findings()) != 2 || srv.Findings()[1].Kind != "unexpected" {
			t.Errorf("one request too many: got %q, %v", got, srv.Findings())
		}
		if u := srv.Unused(); len(u) != 1 {
			t.Errorf("got %v", u)
		}
	})
}

// TestRefusedByName: a server that is asked for what a protocol cannot carry says
// so, with the line.
func TestRefusedByName(t *testing.T) {
	everywhere(t, "reply\n    text \"a\"\n    stop pause_turn\n", func(t *testing.T, srv *Server, c *chatter) {
		got, f := c.ask(), srv.Findings()
		if strings.HasPrefix(t.Name(), "TestRefusedByName/anthropic") {
			if got != "a" || f != nil {
				t.Errorf("got %q, %v", got, f)
			}
			return
		}
		if got != "server 500" || len(f) != 1 || f[0].Kind != "script" || f[0].Place != "f:3" || !strings.Contains(f[0].Text, "has no stop reason pause_turn") {
			t.Errorf("got %q, %v", got, f)
		}
	})
}

// TestWindowProtocols: a request that is too large is refused at the same size in
// each protocol, and the codec understands what of it is too large.
func TestWindowProtocols(t *testing.T) {
	everywhere(t, "window tokens=1000 body=9000\nreply times=9\n    text \"a\"\n", func(t *testing.T, srv *Server, c *chatter) {
		for _, k := range []struct {
			bytes, asked  int
			class         providers.Class
			input, window int
			left          int // what may be asked for
		}{
			{4001, 100, providers.Overflow, 1001, 1000, 0},
			{4000, 100, providers.Overflow, 1000, 1000, 0},
			{3000, 251, providers.MaxTokens, 0, 0, 250},
			{9000, 100, providers.TooLarge, 0, 0, 0},
			{3000, 250, "", 0, 0, 0},
		} {
			c.req.Messages[0].Blocks[0].Text = strings.Repeat("x", k.bytes)
			c.req.MaxTokens = k.asked
			st, err := c.p.Stream(t.Context(), c.req)
			if k.class == "" {
				if err != nil {
					t.Fatal(err)
				}
				_ = st.Close()
				continue
			}
			e, ok := err.(*providers.Error)
			if !ok || e.Class != k.class || k.input != 0 && (e.Input != k.input || e.Window != k.window) || k.left != 0 && e.Window-e.Input != k.left {
				t.Errorf("%+v: got %+v", k, e)
			}
		}
		if len(srv.Unused()) != 1 || srv.Findings() != nil {
			t.Errorf("a refused request took a reply: %v %v", srv.Unused(), srv.Findings())
		}
	})
}

// TestErrorsProtocols: an error of a script is of the same class in each protocol,
// with the status and the message that are written, and with words of the API's
// own where none are.
func TestErrorsProtocols(t *testing.T) {
	for _, typ := range errorTypes() {
		status := statusOf(typ)
		want := ""
		for _, p := range protocols() {
			for _, message := range []string{"", "Something happened."} {
				w := p.words(status, typ, message)
				body := p.envelope(w, "req_1")
				if !json.Valid(body) || w.status != status || message != "" && w.message != message || w.message == "" {
					t.Errorf("%s, %s: got %+v\n%s", p.name(), typ, w, body)
				}
				kind, code, said := classify.Read(body)
				class, _ := classify.Text(status, kind, code, said)
				if want == "" {
					want = string(class)
				}
				if string(class) != want || said != w.message {
					t.Errorf("%s, %s, %q: is of class %s in %s, and %s in anthropic", typ, body, message, class, p.name(), want)
				}
				if p.name() != "anthropic" && typ != "brand_new_error" && typ != "invalid_request_error" && message == "" && w.message == defaultMessage(typ) {
					t.Errorf("%s, %s: says %q, as Anthropic's API does", p.name(), typ, w.message)
				}
			}
		}
	}
}

// send asks for an answer of a protocol with a body of its own.
func send(t *testing.T, script, path, body string) (*http.Response, string) {
	t.Helper()
	srv := NewServer(mustParse(t, script), Options{})
	resp, err := inMemory(srv.Wire).Post("http://fake"+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

const geminiPath = "/v1beta/models/m:streamGenerateContent"

// TestWireForm: answers have the form of each API's own servers.
func TestWireForm(t *testing.T) {
	const script = "reply\n    text \"a\"\n    call t1 f {\"x\":1}\n"
	// Chat: no names, and the tokens only where they are asked for.
	resp, got := send(t, script, "/v1/chat/completions", `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[`+chatHi+`]}`)
	events := strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n")
	if resp.Header.Get("X-Request-Id") == "" || resp.Header.Get("Openai-Version") == "" || resp.Header.Get("Content-Type") != typeStream {
		t.Errorf("chat: got %v", resp.Header)
	}
	if len(events) != 7 || events[6] != "data: [DONE]" || !strings.Contains(events[0], `"role":"assistant"`) || strings.Contains(got, "event:") ||
		!strings.Contains(events[4], `"finish_reason":"tool_calls"`) || !strings.Contains(events[5], `"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":10`) {
		t.Errorf("chat:\n%s", got)
	}
	if _, got = send(t, script, "/v1/chat/completions", `{"model":"m","stream":true,"messages":[`+chatHi+`]}`); strings.Contains(got, "prompt_tokens") {
		t.Errorf("chat tells tokens that nobody asked for:\n%s", got)
	}
	// Responses: names that are the types, and numbers without a gap.
	_, got = send(t, script, "/v1/responses", `{"model":"m","stream":true,"input":"hi"}`)
	var kinds []string
	for i, e := range strings.Split(strings.TrimSuffix(got, "\n\n"), "\n\n") {
		var d struct {
			Type string
			Seq  int `json:"sequence_number"`
		}
		name, data, _ := strings.Cut(e, "\ndata: ")
		if json.Unmarshal([]byte(data), &d) != nil || name != "event: "+d.Type || d.Seq != i {
			t.Errorf("responses: event %d is %s", i, e)
		}
		kinds = append(kinds, strings.TrimPrefix(d.Type, "response."))
	}
	want := "created in_progress output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done " +
		"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done completed"
	if strings.Join(kinds, " ") != want {
		t.Errorf("responses: got %s", strings.Join(kinds, " "))
	}
	// Gemini: CRLF, or one array.
	resp, got = send(t, script, geminiPath+"?alt=sse", geminiBody(partsHi))
	chunks := strings.Split(strings.TrimSuffix(got, "\r\n\r\n"), "\r\n\r\n")
	if len(chunks) != 4 || strings.Count(got, "\n") != 8 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("gemini: %v\n%q", resp.Header, got)
	}
	for _, c := range chunks {
		if data, ok := strings.CutPrefix(c, "data: "); !ok || !json.Valid([]byte(data)) || !strings.Contains(data, `"responseId": "gen_bench`) {
			t.Errorf("gemini: chunk %q", c)
		}
	}
	if !strings.Contains(chunks[2], `"candidatesTokenCount": 1,`) || !strings.Contains(chunks[3], `"candidatesTokenCount": 10,`) {
		t.Errorf("gemini: the tokens of the answer are told too early, or too late:\n%s", got)
	}
	if _, got := send(t, "reply\n    error overloaded_error \"no\"\n", geminiPath+"?alt=sse", geminiBody(partsHi)); !strings.Contains(got, `{"error": {"code": 503,"message": "no","status": "UNAVAILABLE"}}`) {
		t.Errorf("gemini: got %s", got)
	}
	_, got = send(t, script, geminiPath, geminiBody(partsHi))
	var list []map[string]any
	if err := json.Unmarshal([]byte(got), &list); err != nil || len(list) != 4 {
		t.Errorf("gemini without alt=sse: %v\n%s", err, got)
	}
	if _, got = send(t, script+"    newline lf\n", geminiPath+"?alt=sse", geminiBody(partsHi)); strings.Contains(got, "\r") {
		t.Errorf("newline lf: got %q", got)
	}
	// Whole answers are laid out as theirs are.
	for path, body := range map[string]string{"/v1/chat/completions": chatBody(chatHi), "/v1/responses": responsesBody(itemHi), "/v1beta/models/m:generateContent": geminiBody(partsHi)} {
		if _, got := send(t, script, path, body); !json.Valid([]byte(got)) || !strings.HasPrefix(got, "{\n  \"") {
			t.Errorf("%s: got %s", path, got)
		}
	}
	// What nobody serves.
	if resp, got := send(t, script, "/v1/completions", "{}"); resp.StatusCode != 404 || !strings.Contains(got, "not_found_error") {
		t.Errorf("got %d %s", resp.StatusCode, got)
	}
	if resp, got := send(t, script, "/v1/chat/completions", "{"); resp.StatusCode != 400 || !strings.Contains(got, "We could not parse the JSON body") {
		t.Errorf("got %d %s", resp.StatusCode, got)
	}
}

// TestForeignLines: a script that is written for one protocol writes its frames in
// that one's framing, and its replies are found again in requests.
func TestForeignLines(t *testing.T) {
	for _, c := range []struct{ protocol, lines, want string }{
		{"chat", `frame {"id":"x","choices":[{"index":0,"delta":{"content":"a"}}]}
frame {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"f","arguments":"{\"x\""}}]}}]}
frame {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}
stop tool_use`, "data: {\"id\":\"x\""},
		{"responses", `frame {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}
frame {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}
frame {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"fc","call_id":"t1","name":"f","arguments":""}}
frame {"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"x\":1}"}
frame {"type":"response.completed","response":{"output":[]}}
tail none
stop none`, "event: response.output_item.added\ndata: {\"type\":"},
		{"gemini", `frame {"candidates":[{"content":{"parts":[{"text":"h","thought":true},{"text":"a"},{"functionCall":{"id":"t1","name":"f","args":{"x":1}}}]}}]}
stop zzz`, "data: {\"candidates\":[{\"content\""},
	} {
		src := "reply\n    " + strings.ReplaceAll(c.lines, "\n", "\n    ") + "\nreply\n    expect result.t1 ~ x\n    text \"b\"\n"
		s, err := Parse("f", []byte(src), ParseOptions{Protocol: c.protocol})
		if err != nil {
			t.Fatal(err)
		}
		srv := NewServer(s, Options{})
		k := newChatter(t, client(c.protocol, "http://fake", inMemory(srv.Wire)), true)
		if got := k.ask(); got != "a" || len(k.last.blocks) < 2 {
			t.Fatalf("%s: got %q, %v", c.protocol, got, k.last)
		}
		if reply := srv.Exchanges()[0].Reply; !bytes.Contains(reply, []byte(c.want)) {
			t.Errorf("%s: got %s", c.protocol, reply)
		}
		k.commit()
		srv.BeginLife() // it goes on behind the frames that the request shows
		if got := k.ask(); got != "b" || srv.Findings() != nil {
			t.Errorf("%s: got %q, %v", c.protocol, got, srv.Findings())
		}
		var shown shape
		for _, l := range s.Replies[0].Lines {
			if l.Op == OpFrame {
				protocolNamed(c.protocol).shape(l.JSON, &shown)
			}
		}
		if want := (shape{text: "a", calls: []shapeCall{{"t1", "f", `{"x":1}`}}}); !reflect.DeepEqual(shown, want) {
			t.Errorf("%s: shape %+v", c.protocol, shown)
		}
		for _, p := range protocols() {
			p.shape("5", &shown) // no event of anybody's
		}
	}
}

// TestPartialArgs: a cut input is streamed in pieces that say its very bytes, or
// not at all.
func TestPartialArgs(t *testing.T) {
	for input, want := range map[string]string{
		`{"a":"b`:                `{"jsonPath": "$.a","stringValue": "b","willContinue": true}`,
		`{"a":"\"\n`:             `{"jsonPath": "$.a","stringValue": "\"\n","willContinue": true}`,
		`{"a":"b","c-d":1.5`:     `{"jsonPath": "$.a","stringValue": "b"},{"jsonPath": "$.c-d","numberValue": 1.5}`,
		`{"a":true,"b":false`:    `{"jsonPath": "$.a","boolValue": true},{"jsonPath": "$.b","boolValue": false}`,
		`{"a":"b","c":"`:         `{"jsonPath": "$.a","stringValue": "b"},{"jsonPath": "$.c","stringValue": "","willContinue": true}`,
		``:                       "",
		`{`:                      "",
		`[1`:                     "",
		`{"a`:                    "",
		`{"a"`:                   "",
		`{"a":`:                  "",
		`{"a":"b",`:              "",
		`{"a":"b"x`:              "",
		`{"a":"b\`:               "",
		`{"a":"\u0041`:           "",
		`{"a.b":"c`:              "",
		`{"":"c`:                 "",
		`{"a": "c`:               "",
		`{"a":{"b":"c`:           "",
		`{"a":null`:              "",
		`{"a":tr`:                "",
		`{"a":"b"}`:              "",
		"{\"a\":\"\xff":          "",
		`{"a":"b","c":[1`:        "",
		`{"a":1,"b":"x","c":"\/`: "",
	} {
		if got, ok := partialArgs(input); got != want || ok != (want != "") {
			t.Errorf("%s: got %s %v, want %s", input, got, ok, want)
		}
	}
}
