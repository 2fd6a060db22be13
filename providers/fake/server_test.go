package fake

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// talk is a conversation with a server, as a loop would have it: it decides by
// hand what is committed.
type talk struct {
	t        *testing.T
	srv      *Server
	messages []string
	last     answer
}

func newTalk(t *testing.T, script string) *talk {
	t.Helper()
	return &talk{t: t, srv: NewServer(mustParse(t, script), Options{}), messages: []string{hi}}
}

// raw sends a body on a lane and returns the status and the answer's bytes.
func (k *talk) raw(lane, body string) (int, string) {
	k.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://fake/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("X-Bench-Lane", lane)
	resp, err := k.srv.Transport().RoundTrip(r)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(b) + "!" + kindOf(err)
	}
	return resp.StatusCode, string(b)
}

// request is the conversation as a body.
func (k *talk) request() string {
	return `{"model":"claude-x","max_tokens":4096,"stream":true,"messages":[` + strings.Join(k.messages, ",") + `]}`
}

// ask sends the conversation and returns the text of the answer, or the status
// and the error type.
func (k *talk) ask() string {
	k.t.Helper()
	status, b := k.raw("main", k.request())
	b, _, broken := strings.Cut(b, "!")
	if status != 200 {
		return fmt.Sprint(status)
	}
	k.last = readStream(k.t, b)
	if broken {
		return k.last.Text + "!"
	}
	return k.last.Text
}

// commit appends the last answer to the conversation, and results for its
// calls.
func (k *talk) commit() {
	var blocks, results []string
	if k.last.Text != "" {
		blocks = append(blocks, text(k.last.Text))
	}
	for _, c := range k.last.Calls {
		f := strings.SplitN(c, " ", 3)
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":"%s","name":"%s","input":%s}`, f[0], f[1], f[2]))
		results = append(results, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"%s","content":"ok"}`, f[0]))
	}
	k.messages = append(k.messages, assistant(blocks...))
	if len(results) > 0 {
		k.messages = append(k.messages, user(results...))
	} else {
		k.messages = append(k.messages, hi)
	}
}

// steps runs them: "=TEXT" asks and holds the answer against TEXT, "commit",
// "kill" begins another life, "LANE=TEXT" asks on a side lane, "drop" takes
// the last two messages back, "compact" replaces all by a summary, "keep" all but
// the last two.
func (k *talk) steps(steps ...string) {
	k.t.Helper()
	for i, s := range steps {
		lane, want, asks := strings.Cut(s, "=")
		switch {
		case s == "commit":
			k.commit()
		case s == "commit-ab":
			k.messages = append(k.messages, assistant(text("ab")), hi)
		case s == "kill":
			k.srv.BeginLife()
		case s == "session":
			k.srv.BeginSession()
			k.messages = []string{hi}
		case s == "compact":
			k.messages = []string{user(text("a summary"))}
		case s == "keep":
			k.messages = append([]string{user(text("a summary"))}, k.messages[len(k.messages)-2:]...)
		case s == "drop":
			k.messages = k.messages[:len(k.messages)-2]
		case asks && lane == "":
			if got := k.ask(); got != want {
				k.t.Fatalf("step %d %q: got %q", i, s, got)
			}
		case asks:
			_, b := k.raw(lane, k.request())
			if got := readStream(k.t, b).Text; got != want {
				k.t.Fatalf("step %d %q: got %q", i, s, got)
			}
		default:
			k.t.Fatalf("step %d %q is none", i, s)
		}
	}
}

const four = `
reply
    text "one"
    call t1 f {"a":1}
reply 429
reply
    text "two"
    call t2 f {"a":2}
reply lane=summary
    text "sum1"
reply lane=summary
    text "sum2"
reply
    text "three"
`

// TestPlacement: which reply a request gets, within a life and in the next.
func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		name, script, steps string
	}{
		{"strict order", four, "=one commit =429 =two commit =three summary=sum1 summary=sum2"},
		{"a lane does not move another", four, "summary=sum1 =one summary=sum2 commit =429"},
		{"a retry gets the next reply", four, "=one =429 =two"},
		{"killed before the commit", four, "=one kill =one commit =429 =two"},
		{"killed behind the commit", four, "=one commit kill =429 =two"},
		{"killed twice", four, "=one kill =one kill =one commit kill =429 kill =429 =two commit kill =three"},
		{"what failed is met again", four, "=one commit =429 =two kill =429 =two commit =three"},
		{"a summary shows what is committed", four, "=one commit =429 =two commit summary=sum1 compact kill =three"},
		{"a compaction removed them", four, "=one commit =429 =two commit =three compact kill =three"},
		{"a compaction in the same life", four, "=one commit =429 =two commit compact =three"},
		{"none committed", four, "=one =429 =two kill =one"},
		{"a lost tail shows", four, "=one commit =429 =two commit =three drop kill =429 =two"},
		{"a side lane goes on behind what was delivered", four, "summary=sum1 kill summary=sum2"},
		{"equal replies, neither committed", "reply\n    text \"a\"\nreply\n    text \"a\"\nreply\n    text \"b\"\n", "=a =a kill =a =a commit =b"},
		{"equal replies, the second committed", "reply\n    text \"a\"\nreply\n    text \"a\"\nreply\n    text \"b\"\n", "=a =a commit kill =b"},
		{"equal replies, both committed", "reply\n    text \"a\"\nreply\n    text \"a\"\nreply\n    text \"b\"\n", "=a commit =a commit kill =b"},
		{"equal replies, one of two committed", "reply\n    text \"a\"\nreply\n    text \"a\"\nreply\n    text \"b\"\n", "=a commit =a kill =a commit =b"},
		{"equal replies behind a compaction, one of two committed", "reply\n    text \"x\"\nreply\n    text \"a\"\nreply\n    text \"a\"\nreply\n    text \"b\"\n", "=x commit =a commit keep =a kill =a commit =b"},
		{"a lost tail, then a compaction", four, "=one commit =429 =two commit =three drop kill =429 compact kill =429"},
		{"a compaction keeps the last", four, "=one commit =429 =two commit keep =three kill =three"},
		{"repetitions", "reply times=3\n    text \"r${n}\"\nreply\n    text \"end\"\n", "=r1 commit =r2 commit kill =r3 kill =r3 commit =end"},
		{"replies of raw events", "reply\n    frame {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n    text \"b\"\nreply\n    text \"c\"\n", "=b commit-ab kill =c"},
		{"repetitions of one text", "reply times=3\n    text \"r\"\nreply\n    text \"end\"\n", "=r commit =r commit kill =r kill =r commit =end"},
		{"cut replies are never committed", "reply\n    text \"par\"\n    cut\nreply\n    text \"whole\"\nreply\n    text \"end\"\n", "=par! =whole commit kill =end"},
		{"a partial text that was kept counts", "reply\n    text \"part\"\n    cut\nreply\n    text \"whole\"\n", "=part! commit kill =whole"},
		{"another session, killed in its first request", four, "=one commit =429 =two session =three kill =three"},
		{"unexpected", "reply\n    text \"a\"\n", "=a commit =500 =500"},
		{"no reply for the lane", "reply lane=title\n    text \"a\"\n", "=500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			newTalk(t, c.script).steps(strings.Fields(c.steps)...)
		})
	}
}

// TestRawCall: a call that was written as raw events is known like any other.
func TestRawCall(t *testing.T) {
	k := newTalk(t, `
reply
    frame {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"../t","name":"f","input":{}}}
    frame {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
    frame {"type":"content_block_stop","index":0}
reply
    expect results == ../t
    text "ok"
`)
	k.steps("=")
	k.messages = append(k.messages, assistant(`{"type":"tool_use","id":"c1","name":"f","input":{ "a": 1 }}`),
		user(`{"type":"tool_result","tool_use_id":"c1","content":"x"}`))
	k.steps("=ok")
	for _, f := range k.srv.Findings() {
		t.Error(f)
	}
}

// TestExpectRepeats: ${n} in an expectation counts the reply's repetitions.
func TestExpectRepeats(t *testing.T) {
	k := newTalk(t, "reply times=2\n    expect max_tokens == ${n}\n    expect messages.0.text ~ ^${n}$\n    text \"a\"\n")
	k.raw("main", strings.Replace(body(user(text("1"))), `"max_tokens":10`, `"max_tokens":1`, 1))
	k.raw("main", strings.Replace(body(user(text("1"))), `"max_tokens":10`, `"max_tokens":2`, 1))
	fs := k.srv.Findings()
	if len(fs) != 1 || fs[0].String() != `f:3: expect messages.0.text ~ ^2$: got "1"` || k.srv.Exchanges()[1].Place != "f:1 (2 of 2)" {
		t.Errorf("got %v", fs)
	}
}

// TestResults: only those behind the last assistant message.
func TestResults(t *testing.T) {
	k := newTalk(t, `
reply
    expect results == ""
    call t1 f {}
reply
    expect results == t1
    call t2 f {}
    call t3 f {}
reply
    expect results == t2 t3
    text "ok"
`)
	k.steps("=", "commit", "=", "commit", "=ok")
	for _, f := range k.srv.Findings() {
		t.Error(f)
	}
}

// TestShownInPart: what a loop may make of a reply, and what is another reply.
func TestShownInPart(t *testing.T) {
	k := newTalk(t, "reply\n    text \"partial\"\n    cut\nreply\n    text \"whole\"\n")
	k.steps("=partial!")
	k.messages = append(k.messages, assistant(text("part")), hi)
	k.steps("kill", "=whole")

	k = newTalk(t, "reply\n    text \"a\"\n    call t1 f {}\nreply\n    text \"b\"\n    call t1 f {}\nreply\n    text \"c\"\n")
	k.steps("=a", "=b")
	k.messages = append(k.messages, assistant(text("a"), `{"type":"tool_use","id":"own","name":"f","input":{}}`),
		user(`{"type":"tool_result","tool_use_id":"own","content":"ok"}`))
	k.steps("kill", "=b")
}

// TestPaused: a paused reply and what goes on with it share one message.
func TestPaused(t *testing.T) {
	k := newTalk(t, `
reply
    text "I search."
    server-call srvtoolu_1 web_search {}
    stop pause_turn
reply
    server-result srvtoolu_1 []
    text "Found."
    call t1 f {"a":1}
reply
    expect results == t1
    text "Done."
`)
	k.steps("=I search.", "kill", "=I search.")
	first := text("I search.") + "," + search
	k.messages = []string{hi, assistant(first)}
	k.steps("=Found.", "kill", "=Found.")
	k.messages = []string{hi, assistant(first, found, text("Found."), `{"type":"tool_use","id":"c9","name":"f","input":{"a":1}}`),
		user(`{"type":"tool_result","tool_use_id":"c9","content":"ok"}`)}
	k.steps("kill", "=Done.", "kill", "=Done.")
	for _, f := range k.srv.Findings() {
		t.Error(f)
	}
}

// TestSideLaneCut: a side reply that did not arrive whole is given again.
func TestSideLaneCut(t *testing.T) {
	k := newTalk(t, "reply lane=title times=2\n    text \"t${n}\"\n")
	r, _ := http.NewRequest(http.MethodPost, "http://fake/v1/messages", strings.NewReader(k.request()))
	r.Header.Set("X-Bench-Lane", "title")
	resp, err := k.srv.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	k.steps("kill", "title=t1", "kill", "title=t2")
	if got := k.srv.Exchanges()[0].Ending; got != "dropped" {
		t.Errorf("got %q", got)
	}
}

// TestOwnIDs: a loop may send ids of its own; the script speaks of its ids all
// the same.
func TestOwnIDs(t *testing.T) {
	k := newTalk(t, `
reply
    call ../x f {"a":1}
    call t2 f {"a":2}
    call t2 g {"a":3}
reply
    expect results == "../x t2 t2"
    expect result.../x == first
    expect result.t2 == third
    expect result.t2#1 == second
    expect result.t2#2.error == true
    expect result.t2#3 absent
    expect call.../x.input.a == 1
    expect call.t2#2.input.a == 3
    text "ok"
`)
	k.steps("=")
	k.messages = append(k.messages, assistant(
		`{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}`,
		`{"type":"tool_use","id":"t2","name":"f","input":{"a":2}}`,
		`{"type":"tool_use","id":"c3","name":"g","input":{"a":3}}`),
		user(`{"type":"tool_result","tool_use_id":"c1","content":"first"}`,
			`{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"second"}]}`,
			`{"type":"tool_result","tool_use_id":"c3","content":"third","is_error":true}`))
	k.steps("=ok")
	for _, f := range k.srv.Findings() {
		t.Error(f)
	}
}

// TestExpect: each operator and path, held and not held.
func TestExpect(t *testing.T) {
	const request = `{"model":"claude-x","max_tokens":4096,"temperature":0.50,"system":[{"type":"text","text":"be good"}],` +
		`"tools":[{"name":"append","input_schema":{"type":"object"}},{"name":"bash","input_schema":{"type":"object"}}],"messages":[` +
		`{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"t1","name":"append","input":{"file":"notes.txt","n":[1,2]}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"went well"},{"type":"text","text":"go on"}]}]}`
	for _, c := range []struct {
		expect string
		got    string // "" when it holds; else what the sentence ends with
	}{
		{"model == claude-x", ""},
		{"model != claude-y", ""},
		{"model == claude-y", `expect model == claude-y: got "claude-x"`},
		{"max_tokens == 4096", ""},
		{"max_tokens < 4097", ""},
		{"max_tokens <= 4096.0", ""},
		{"max_tokens > 4096", `: got "4096"`},
		{"max_tokens >= 4096", ""},
		{fmt.Sprintf("bytes == %d", len(request)), ""},
		{"tools == append bash", ""},
		{"tools ~ bash$", ""},
		{"tools !~ bash", `expect tools !~ bash: got "append bash"`},
		{"body ~ be.good", ""},
		{"messages.0.text == hi", ""},
		{"messages.-1.text == go on", ""},
		{"messages.-3.role == user", ""},
		{"messages.-4.role present", ": the request has no such thing"},
		{"messages.3.role absent", ""},
		{"messages.3.text == x", ": the request has no such thing"},
		{"messages.3.text != x", ""},
		{"messages.*.role == assistant", ""},
		{"messages.*.text ~ look", ""},
		{"messages.*.text !~ secret", ""},
		{"messages.*.text !~ o", `: got "hi", "I look", "go on"`},
		{"messages.*.text == nothing", `: got "hi", "I look", "go on"`},
		{"results == t1", ""},
		{"results == t2", `: got "t1"`},
		{"result.t1 ~ well", ""},
		{"result.t1 !~ well", `: got "went well"`},
		{"result.t1.error == false", ""},
		{"result.t2 absent", ""},
		{"result.t1 absent", `expect result.t1 absent: got "went well"`},
		{"result.t2 ~ x", ": the request has no such thing"},
		{"call.t1.input.file == notes.txt", ""},
		{"call.t1.input.n == [1,2]", ""},
		{"call.t1.input.n.-1 == 2", ""},
		{"call.t1.input.n.* == 1", ""},
		{"call.t1.input ~ ^{.*}$", ""},
		{"call.t1.input.no absent", ""},
		{"call.t2.input absent", ""},
		{"wire.temperature == 0.5", ""},
		{"wire.temperature == 0.50", ""},
		{"wire.system.0.text == be good", ""},
		{"wire.system.0 == " + `{"type":"text","text":"be good"}`, ""},
		{"wire.tools.*.name == bash", ""},
		{"wire.tools.*.name != bash", `: got "append", "bash"`},
		{"wire.system.0.* == text", ""},
		{"wire.top_p absent", ""},
		{"wire.system.7 absent", ""},
		{"wire.model.x absent", ""},
		{"header.x-bench-lane == main", ""},
		{"header.authorization absent", ""},
	} {
		k := newTalk(t, "reply\n    expect "+c.expect+"\n    text \"a\"\n")
		if status, _ := k.raw("main", request); status != 200 {
			t.Fatal(status, k.srv.Exchanges()[0].Reason)
		}
		fs := k.srv.Findings()
		switch {
		case c.got == "" && len(fs) > 0:
			t.Errorf("%s: %v", c.expect, fs)
		case c.got == "":
		case len(fs) != 1 || fs[0].Kind != "expect" || fs[0].N != 1 || fs[0].Place != "f:2" || !strings.HasSuffix(fs[0].Text, c.got):
			t.Errorf("%s: got %v, want ...%s", c.expect, fs, c.got)
		}
	}
}

// TestUnused: what was required and not asked for, as sentences.
func TestUnused(t *testing.T) {
	k := newTalk(t, `reply times=2..3
    text "a"
reply
    text "b"
reply times=0..5 lane=title
    text "c"
reply lane=judge
    text "d"
`)
	want := []string{
		"f:1: this reply of lane main was asked for 0 times; at least 2 are required",
		"f:3: this reply of lane main was never asked for",
		"f:7: this reply of lane judge was never asked for",
	}
	if got := k.srv.Unused(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	k.steps("=a", "=a", "judge=d")
	if got := k.srv.Unused(); !reflect.DeepEqual(got, want[1:2]) {
		t.Errorf("two of two..three are enough: got %q", got)
	}
	k.steps("=a", "=b")
	if got := k.srv.Unused(); got != nil {
		t.Errorf("got %q", got)
	}
}

// TestUnexpected: a request too many is a server error of a type that nobody
// else uses, and a finding that says what it was.
func TestUnexpected(t *testing.T) {
	k := newTalk(t, "reply\n    text \"a\"\n")
	k.steps("=a", "commit")
	status, b := k.raw("main", k.request())
	if status != 500 || !strings.Contains(b, TypeUnexpected) {
		t.Errorf("got %d %s", status, b)
	}
	fs := k.srv.Findings()
	want := `f:1: request 2 was not expected: all 1 replies of lane main have been given; its last message is from the user: text "hi"`
	if len(fs) != 1 || fs[0].Kind != "unexpected" || fs[0].String() != want {
		t.Errorf("got %v", fs)
	}
	if got := k.srv.Exchanges()[1].Head["X-Should-Retry"]; !reflect.DeepEqual(got, []string{"false"}) {
		t.Errorf("got %v", got)
	}
	k.raw("nonsense", k.request())
	if got := k.srv.Findings()[1].Text; !strings.Contains(got, "no reply for lane nonsense") {
		t.Errorf("got %s", got)
	}
}

// TestRefusal: an illegal request gets the API's answer, takes no reply, and
// the log says why.
func TestRefusal(t *testing.T) {
	orphan := body(hi + "," + says + "," + user(result))
	merged := body(hi + "," + hi)
	for _, c := range []struct {
		legality Legality
		body     string
		status   int
	}{
		{RefuseStrict, orphan, 400}, {RefuseAPI, orphan, 400}, {RefuseNothing, orphan, 200},
		{RefuseStrict, merged, 400}, {RefuseAPI, merged, 200}, {RefuseNothing, merged, 200},
		{RefuseNothing, "no JSON", 400},
	} {
		k := newTalk(t, "reply\n    text \"a\"\n")
		k.srv = NewServer(k.srv.script, Options{Legality: c.legality})
		status, b := k.raw("main", c.body)
		if status != c.status {
			t.Errorf("%v: got %d %s", c, status, b)
		}
		ex := k.srv.Exchanges()[0]
		if refused := c.status == 400; refused != (ex.Ending == "refused") || refused != (ex.Reason != "") || refused != (len(k.srv.Unused()) == 1) {
			t.Errorf("%v: got %q %q %q", c, ex.Ending, ex.Reason, k.srv.Unused())
		}
		if c.status == 400 && !strings.Contains(b, `{"type":"error","error":{"type":"invalid_request_error","message":`) {
			t.Errorf("got %s", b)
		}
	}
}

// TestOtherPaths: what is no Messages request is not found, and no finding.
func TestOtherPaths(t *testing.T) {
	k := newTalk(t, "reply\n    text \"a\"\n")
	for _, r := range []struct{ method, path string }{{"GET", "/v1/messages"}, {"POST", "/v1/messages/count_tokens"}, {"POST", "/"}} {
		q, _ := http.NewRequest(r.method, "http://fake"+r.path, strings.NewReader(k.request()))
		resp, err := k.srv.Transport().RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != 404 || !bytes.Contains(b, []byte("not_found_error")) {
			t.Errorf("%v: got %d %s", r, resp.StatusCode, b)
		}
	}
	if k.srv.Findings() != nil || len(k.srv.Unused()) != 1 {
		t.Errorf("got %v %v", k.srv.Findings(), k.srv.Unused())
	}
}

// TestNotStreamed: the same script answers a request that asks for one
// message; what only a stream can carry is a finding with its line.
func TestNotStreamed(t *testing.T) {
	k := newTalk(t, "reply\n    text \"a\"\nreply\n    text \"b\"\n    call t1 f '{\"a'\n")
	status, b := k.raw("main", body(hi))
	if status != 200 || !strings.Contains(b, `"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"`) {
		t.Errorf("got %d %s", status, b)
	}
	if status, _ = k.raw("main", body(hi)); status != 500 {
		t.Errorf("got %d", status)
	}
	if fs := k.srv.Findings(); len(fs) != 1 || fs[0].Kind != "script" || fs[0].Place != "f:5" {
		t.Errorf("got %v", fs)
	}
}

// TestAdopt: a log that came through a pipe puts a second server where the
// first one stood, whether or not the last line arrived whole.
func TestAdopt(t *testing.T) {
	script := mustParse(t, four)
	var pipe bytes.Buffer
	child := &talk{t: t, srv: NewServer(script, Options{Sink: NewSinkWriter(&pipe)}), messages: []string{hi}}
	child.steps("summary=sum1", "=one", "kill", "=one", "commit", "=429", "=two", "commit")
	// The next answer is cut short by the kill.
	r, _ := http.NewRequest(http.MethodPost, "http://fake/v1/messages", strings.NewReader(child.request()))
	resp, err := child.srv.Transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	pipe.WriteString(`{"kind":"bytes","n":6,"by`)
	log, err := ReadSink(&pipe)
	if err != nil {
		t.Fatal(err)
	}
	parent := &talk{t: t, srv: NewServer(script, Options{}), messages: child.messages}
	if err := parent.srv.Adopt(log); err != nil {
		t.Fatal(err)
	}
	parent.steps("kill")
	child.srv.BeginLife()
	a, b := child.srv.Exchanges(), parent.srv.Exchanges()
	if len(a) != 6 || len(a) != len(b) {
		t.Fatalf("%d and %d exchanges", len(a), len(b))
	}
	for i := range a {
		if !a[i].At.Equal(b[i].At) {
			t.Errorf("exchange %d: %v and %v", i+1, a[i].At, b[i].At)
		}
		a[i].At = b[i].At // one of them has a monotonic reading too
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("exchange %d:\n%+v\n%+v", i+1, a[i], b[i])
		}
	}
	parent.steps("=three", "summary=sum2")
	if got := parent.srv.Unused(); got != nil {
		t.Errorf("got %q", got)
	}
	if err := parent.srv.Adopt(log); err == nil || !strings.Contains(err.Error(), "exchange 1 cannot follow exchange 8") {
		t.Errorf("got %v", err)
	}
	other := NewServer(mustParse(t, "reply 500\n"), Options{})
	if err := other.Adopt(log[1:]); err == nil {
		t.Error("a log from the middle was adopted")
	}
	log[1].N = 1
	if err := other.Adopt(log[1:2]); err == nil || !strings.Contains(err.Error(), "the script is another one") {
		t.Errorf("got %v", err)
	}
}

func TestReadSinkErrors(t *testing.T) {
	for in, want := range map[string]string{
		"nonsense\n":                    "line 1 of the wire log is not an event",
		`{"kind":"bytes","n":3}` + "\n": "which it has not announced",
		`{"kind":"request","request":{"N":1}}` + "\n" + `{"kind":"huh","n":1}` + "\n": "unknown kind",
	} {
		if _, err := ReadSink(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", in, err)
		}
	}
}

// fullPipe takes some bytes and then no more.
type fullPipe struct{ left int }

func (p *fullPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

// TestSinkWriterError: a pipe that breaks is noticed, and nothing more is
// written.
func TestSinkWriterError(t *testing.T) {
	pipe := &fullPipe{left: 1}
	sink := NewSinkWriter(pipe)
	sink.Ended(1, "eof")
	left := pipe.left
	sink.Ended(2, "eof")
	if sink.Err() != io.ErrShortWrite || pipe.left != left {
		t.Errorf("got %v, %d", sink.Err(), pipe.left)
	}
}

// TestStorm: findings are bounded.
func TestStorm(t *testing.T) {
	k := newTalk(t, "reply lane=title\n")
	for range maxFindings + 10 {
		k.raw("main", k.request())
	}
	if n := len(k.srv.Findings()); n != maxFindings {
		t.Errorf("got %d", n)
	}
}
