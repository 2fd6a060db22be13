package cassettes

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"pgregory.net/rapid"
)

// take1 is one interaction for a test, on a lane.
type take1 struct {
	lane, body string
	code       int
	reply      string
}

// made returns a cassette of POST requests to /v1/messages.
func made(t testing.TB, takes ...take1) *Cassette {
	t.Helper()
	var tape []*vcr.Interaction
	for _, k := range takes {
		it := &vcr.Interaction{
			Request:  vcr.Request{Method: "POST", URL: "http://127.0.0.1/v1/messages", Body: k.body, Headers: http.Header{}},
			Response: vcr.Response{Code: k.code, Body: k.reply, Headers: http.Header{"Content-Length": {"1"}, "Request-Id": {"req_1"}}},
		}
		if it.Code == 0 {
			it.Code = 200
		}
		if k.lane != "" {
			it.Request.Headers.Set("X-Bench-Lane", k.lane)
		}
		tape = append(tape, it)
	}
	src, err := marshal(tape)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse("x.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say asks a player and reads the answer to its end.
func say(t testing.TB, p *Player, lane, body string) (status int, answer string, h http.Header) {
	t.Helper()
	req, err := http.NewRequest("POST", "http://elsewhere.invalid/v1/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if lane != "" {
		req.Header.Set("X-Bench-Lane", lane)
	}
	resp, err := p.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

const stream = "event: a\ndata: 1\n\nevent: b\ndata: 2\n\n"

func TestPlayer(t *testing.T) {
	c := made(t, take1{"", `{"m":1}`, 0, stream}, take1{"", `{"m":2}`, 529, `{"type":"error"}`}, take1{"title", `{"t":1}`, 0, `{}`})
	p := c.Player(Options{})
	status, answer, h := say(t, p, "", ` { "m" : 1 } `)
	if status != 200 || answer != stream || h.Get("Content-Type") != "text/event-stream" || h.Get("Request-Id") != "req_1" || h.Get("Content-Length") != "" {
		t.Errorf("%d %q %v", status, answer, h)
	}
	// Lanes are independent of each other.
	if status, answer, h := say(t, p, "title", `{"t":1}`); status != 200 || answer != "{}" || h.Get("Content-Type") != "application/json" {
		t.Errorf("%d %q %v", status, answer, h)
	}
	if f := p.Findings(); len(f) != 1 || f[0].String() != "x.yaml:26: cassette/unused: interaction 2 on lane main was never played" {
		t.Errorf("findings %v", f)
	}
	if u := p.Unused(); len(u) != 1 || u[0] != "x.yaml:26: interaction 2 (POST http://127.0.0.1/v1/messages) was never played" {
		t.Errorf("unused %q", u)
	}
	if status, _, _ := say(t, p, "main", `{"m":2}`); status != 529 {
		t.Errorf("status %d", status)
	}
	if f, u := p.Findings(), p.Unused(); f != nil || u != nil {
		t.Errorf("%v %v", f, u)
	}
	log := p.Exchanges()
	if len(log) != 3 {
		t.Fatalf("%d exchanges", len(log))
	}
	ex := log[0]
	if ex.N != 1 || ex.Lane != "main" || ex.Path != "/v1/messages" || ex.Status != 200 || string(ex.Reply) != stream ||
		!reflect.DeepEqual(ex.Chunks, []int{18, 18}) || ex.Ending != "eof" || ex.Place != "x.yaml:4" {
		t.Errorf("%+v", ex)
	}
	if log[1].Lane != "title" || log[2].Status != 529 {
		t.Errorf("%+v %+v", log[1], log[2])
	}
}

func TestPlayerFindings(t *testing.T) {
	c := made(t,
		take1{"", `{"messages":["a"]}`, 0, "{}"}, take1{"", `{"messages":["a","b"]}`, 0, "{}"},
		take1{"title", `{"t":1}`, 0, "{}"}, take1{"", `{"messages":["a","b","c"]}`, 0, "{}"})
	type q struct{ lane, body string }
	one, two, title, three := q{"", `{"messages":["a"]}`}, q{"", `{"messages":["a","b"]}`}, q{"title", `{"t":1}`}, q{"", `{"messages":["a","b","c"]}`}
	for _, tc := range []struct {
		name string
		ask  []q
		want string
	}{
		{"all", []q{one, two, title, three}, ""},
		{"lanes in another order", []q{title, one, two, three}, ""},
		{"changed", []q{one, {"", `{"messages":["a","x"]}`}, title, three}, `x.yaml:20: cassette/differs: interaction 2: $.messages[1]: recorded "b", got "x"`},
		{"swapped", []q{two, one, title, three}, `x.yaml:4: cassette/differs: interaction 1: $.messages[1]: recorded nothing, got "b" (it is the request of interaction 2, line 20)`},
		{"left out", []q{one, title, three}, `x.yaml:20: cassette/differs: interaction 2: $.messages[2]: recorded nothing, got "c" (it is the request of interaction 4, line 54)`},
		{"asked twice", []q{one, one, two, title, three}, `x.yaml:20: cassette/differs: interaction 2: $.messages[1]: recorded "b", got nothing (it is the request of interaction 1, line 4)`},
		{"one too many", []q{one, two, title, three, three}, `x.yaml:54: cassette/unexpected: request 5 came on lane main behind its last interaction (4)`},
		{"another lane", []q{one, {"judge", "{}"}}, `x.yaml: cassette/unexpected: request 2 came on lane judge, which the recording does not have`},
		{"none", nil, `x.yaml:4: cassette/unused: interaction 1 on lane main was never played, nor were 3 more`},
		{"a lane unused", []q{one, two, three}, `x.yaml:36: cassette/unused: interaction 3 on lane title was never played`},
		{"wrong first, then unexpected and unused", []q{{"", "{}"}, {"judge", "{}"}}, `x.yaml:4: cassette/differs: interaction 1: $.messages: recorded ["a"], got nothing`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := c.Player(Options{})
			refused := 0
			for _, q := range tc.ask {
				status, answer, h := say(t, p, q.lane, q.body)
				if status == 200 {
					if refused > 0 {
						t.Errorf("%v was answered behind a finding", q)
					}
					continue
				}
				refused++
				rule := h.Get("X-Bench-Finding")
				if status != 400 || rule == "" || !strings.Contains(tc.want, ": "+rule+": ") || !strings.Contains(answer, quote(tc.want)) {
					t.Errorf("%d %s %s", status, rule, answer)
				}
			}
			var got []string
			for _, f := range p.Findings() {
				got = append(got, f.String())
			}
			if strings.Join(got, "\n") != tc.want {
				t.Errorf("\ngot  %s\nwant %s", strings.Join(got, "\n"), tc.want)
			}
			if n := len(p.Exchanges()); n != len(tc.ask) {
				t.Errorf("%d of %d requests are in the log", n, len(tc.ask))
			}
		})
	}
}

func TestPlayerMethodAndPath(t *testing.T) {
	c := made(t, take1{"", "", 0, "{}"})
	for _, tc := range []struct{ method, url, want string }{
		{"GET", "http://h/v1/messages", "method: recorded POST, got GET"},
		{"POST", "http://h/v1/other", "path: recorded /v1/messages, got /v1/other"},
		{"POST", "http://h/v1/messages?beta=1", `query: recorded "", got "beta=1"`},
	} {
		p := c.Player(Options{})
		req, err := http.NewRequest(tc.method, tc.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := p.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if f := p.Findings(); len(f) != 1 || f[0].Rule != Differs || f[0].What != "interaction 1: "+tc.want {
			t.Errorf("%v, want %s", f, tc.want)
		}
	}
}

func TestPlayerIgnores(t *testing.T) {
	c := made(t, take1{"", `{"metadata":{"user_id":"a"},"m":1}`, 0, "{}"})
	for _, match := range []Match{Order, Content} {
		p := c.Player(Options{Match: match, Ignore: paths(t, "$.metadata.user_id")})
		if status, answer, _ := say(t, p, "", `{"metadata":{"user_id":"b"},"m":1}`); status != 200 {
			t.Errorf("%s: %s", match, answer)
		}
		p = c.Player(Options{Match: match})
		if _, answer, _ := say(t, p, "", `{"metadata":{"user_id":"b"},"m":1}`); !strings.Contains(answer, "$.metadata.user_id") {
			t.Errorf("%s: a field that nobody named was ignored: %s", match, answer)
		}
	}
}

func TestPlayerContent(t *testing.T) {
	c := made(t, take1{"", `{"a":1,"b":1}`, 0, "1"}, take1{"", `{"x":1}`, 0, "2"}, take1{"", `{"b":1,"a":1.0}`, 0, "3"})
	for _, tc := range []struct {
		ask  []string
		want []string // answers
		find string
	}{
		{[]string{`{"x":1}`, `{"b":1,"a":1}`, `{"a":1,"b":1}`}, []string{"2", "1", "3"}, ""},
		{[]string{`{"x":1}`, `{"x":1}`}, []string{"2"}, `x.yaml:4: cassette/differs: interaction 1: $.a: recorded 1, got nothing (it is the request of interaction 2, line 20)`},
		{[]string{`{"x":1}`, `{"b":1,"a":1}`, `{"a":1,"b":1}`, `{"x":1}`}, []string{"2", "1", "3"}, `x.yaml:36: cassette/unexpected: request 4 came on lane main behind its last interaction (3)`},
		{[]string{`{"a":1,"b":1}`}, []string{"1"}, `x.yaml:20: cassette/unused: interaction 2 on lane main was never played, nor were 1 more`},
	} {
		p := c.Player(Options{Match: Content})
		var got []string
		for _, body := range tc.ask {
			if status, answer, _ := say(t, p, "", body); status == 200 {
				got = append(got, answer)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q: answers %q, want %q", tc.ask, got, tc.want)
		}
		if f := p.Findings(); len(f) > 1 || len(f) == 0 && tc.find != "" || len(f) == 1 && f[0].String() != tc.find {
			t.Errorf("%q: %v\nwant %s", tc.ask, f, tc.find)
		}
	}
}

func TestPieces(t *testing.T) {
	for _, tc := range []struct {
		body string
		n    int
		want []string
	}{
		{"", 0, nil},
		{"plain\n\ntext", 0, []string{"plain\n\ntext"}},
		{`{"a":"\n\n"}` + "\n\n", 0, []string{`{"a":"\n\n"}` + "\n\n"}},
		{"data: 1\n\ndata: 2\n\n", 0, []string{"data: 1\n\n", "data: 2\n\n"}},
		{"data: 1\r\n\r\ndata: 2\r\n\r\n", 0, []string{"data: 1\r\n\r\n", "data: 2\r\n\r\n"}},
		{"data: 1\r\rdata: 2\r\r", 0, []string{"data: 1\r\r", "data: 2\r\r"}},
		{": hello\nevent: a\ndata: x\ndata: y\n\nevent: b", 0, []string{": hello\nevent: a\ndata: x\ndata: y\n\n", "event: b"}},
		{" data: 1\n\n", 0, []string{" data: 1\n\n"}},
		{"data: é\n\n", 5, []string{"data:", " \xc3\xa9\n\n"}},
		{"abc", 1, []string{"a", "b", "c"}},
	} {
		var got []string
		for _, p := range pieces([]byte(tc.body), tc.n) {
			got = append(got, string(p))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%q by %d: %q", tc.body, tc.n, got)
		}
	}
}

// The same on loopback, and from several goroutines at once, one for each lane.
func TestPlayerHandler(t *testing.T) {
	var takes []take1
	lanes := []string{"main", "title", "judge"}
	for i := range 30 {
		takes = append(takes, take1{lanes[i%3], fmt.Sprintf(`{"n":%d}`, i), 0, stream})
	}
	p := made(t, takes...).Player(Options{Piece: 1})
	srv := httptest.NewServer(p.Handler())
	defer srv.Close()
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			for i := lane; i < len(takes); i += 3 {
				req, err := http.NewRequest("POST", srv.URL+"/v1/messages", strings.NewReader(takes[i].body))
				if err != nil {
					t.Error(err)
					return
				}
				req.Header.Set("X-Bench-Lane", lanes[lane])
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != 200 || !bytes.Equal(b, []byte(stream)) {
					t.Errorf("%d %q %v", resp.StatusCode, b, err)
				}
			}
		})
	}
	wg.Wait()
	if f := p.Findings(); f != nil {
		t.Error(f)
	}
}

// conversation records n replies, the ones named failing with 529 first, as a
// loop would: each request holds the replies committed before it.
func conversation(t testing.TB, failures []int) *Cassette {
	var takes []take1
	for i, f := range failures {
		for range f {
			takes = append(takes, take1{"", history(i), 529, "{}"})
		}
		takes = append(takes, take1{"", history(i), 0, fmt.Sprint(i)})
	}
	return made(t, takes...)
}

func history(n int) string {
	msgs := []string{`"u"`}
	for i := range n {
		msgs = append(msgs, fmt.Sprintf(`"a%d"`, i), fmt.Sprintf(`"r%d"`, i))
	}
	return `{"messages":[` + strings.Join(msgs, ",") + `]}`
}

// Whenever the process dies, between any two of its steps, the recording goes
// on where the next life stands, to the end, without a finding.
func TestPlayerSurvivesEveryDeath(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		failures := rapid.SliceOfN(rapid.IntRange(0, 2), 1, 5).Draw(rt, "failures")
		match := rapid.SampledFrom([]Match{Order, Content}).Draw(rt, "match")
		p := conversation(t, failures).Player(Options{Match: match})
		committed := 0
		for deaths := rapid.IntRange(0, 6).Draw(rt, "deaths"); committed < len(failures); {
			status, answer, _ := say(t, p, "", history(committed))
			switch {
			case status == 529:
			case status != 200 || answer != fmt.Sprint(committed):
				rt.Fatalf("%d committed: %d %s", committed, status, answer)
			case deaths > 0 && rapid.Bool().Draw(rt, "dies before the commit"):
				p.BeginLife()
				deaths--
				continue
			default:
				committed++
			}
			if deaths > 0 && rapid.Bool().Draw(rt, "dies") {
				p.BeginLife()
				deaths--
			}
		}
		if f := p.Findings(); f != nil {
			rt.Fatal(f)
		}
	})
}

func TestPlayerBeginLife(t *testing.T) {
	c := made(t,
		take1{"", `{"messages":["u"]}`, 0, "0"},
		take1{"", `{"messages":["u","a0","r0"]}`, 0, "1"},
		take1{"", `{"messages":["summary of u, a0"]}`, 0, "2"},
		take1{"title", `{"t":1}`, 0, "t1"}, take1{"title", `{"t":2}`, 0, "t2"})
	start := func(bodies ...string) *Player {
		p := c.Player(Options{})
		for _, b := range bodies {
			if status, answer, _ := say(t, p, "", b); status != 200 {
				t.Fatal(answer)
			}
		}
		p.BeginLife()
		return p
	}
	for _, tc := range []struct {
		name   string
		before []string
		first  string
		want   string
	}{
		{"nothing committed", []string{`{"messages":["u"]}`}, `{"messages":["u"]}`, "0"},
		{"committed", []string{`{"messages":["u"]}`}, `{"messages":["u","a0","r0"]}`, "1"},
		{"compacted", []string{`{"messages":["u"]}`, `{"messages":["u","a0","r0"]}`}, `{"messages":["summary of u, a0"]}`, "2"},
		{"compacted, asked again", []string{`{"messages":["u"]}`, `{"messages":["u","a0","r0"]}`, `{"messages":["summary of u, a0"]}`}, `{"messages":["summary of u, a0"]}`, "2"},
		{"not ahead of what was reached", nil, `{"messages":["u","a0","r0"]}`, `interaction 1: $.messages[1]: recorded nothing, got "a0" (it is`},
		{"a result that is unknown now", []string{`{"messages":["u"]}`}, `{"messages":["u","a0","unknown"]}`, `interaction 2: $.messages[2]: recorded "r0", got "unknown"`},
		{"never like this", []string{`{"messages":["u"]}`}, `{"messages":["v"]}`, `interaction 1: $.messages[0]: recorded "u", got "v"`},
		{"behind the end", []string{`{"messages":["u"]}`, `{"messages":["u","a0","r0"]}`, `{"messages":["summary of u, a0"]}`}, `{"messages":["summary of u, a0","more"]}`, `cassette/unexpected: request 4 came on lane main`},
		{"not JSON", []string{`{"messages":["u"]}`}, `x`, `interaction 2: body: recorded`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, answer, _ := say(t, start(tc.before...), "", tc.first); answer != tc.want && !strings.Contains(strings.ReplaceAll(answer, `\"`, `"`), tc.want) {
				t.Errorf("%s, want %s", answer, tc.want)
			}
		})
	}

	// Another lane goes on behind what was delivered whole.
	p := start()
	if _, answer, _ := say(t, p, "title", `{"t":1}`); answer != "t1" {
		t.Fatal(answer)
	}
	req, err := http.NewRequest("POST", "http://h/v1/messages", strings.NewReader(`{"t":2}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Bench-Lane", "title")
	if _, err := p.Transport().RoundTrip(req); err != nil { // dies before it reads
		t.Fatal(err)
	}
	p.BeginLife()
	if _, answer, _ := say(t, p, "title", `{"t":2}`); answer != "t2" {
		t.Errorf("an answer that was not read is not given again: %s", answer)
	}
	p.BeginLife()
	if status, answer, _ := say(t, p, "title", `{"t":2}`); status == 200 {
		t.Errorf("an answer that was read is given again: %s", answer)
	}
}

// By content, too, an answer is given once in each life, and only if it was
// not kept in the lives before.
func TestPlayerContentBeginLife(t *testing.T) {
	c := made(t, take1{"", `{"a":1}`, 0, "1"}, take1{"", `{"a":2}`, 0, "2"}, take1{"title", `{}`, 0, "t"})
	p := c.Player(Options{Match: Content})
	for _, lane := range []string{"", "title"} {
		body := map[string]string{"": `{"a":1}`, "title": "{}"}[lane]
		if status, answer, _ := say(t, p, lane, body); status != 200 {
			t.Fatal(answer)
		}
	}
	p.BeginLife()
	p.BeginLife()
	for _, body := range []string{`{"a":2}`, `{"a":1}`} {
		if status, answer, _ := say(t, p, "", body); status != 200 {
			t.Fatal(answer)
		}
	}
	if f := p.Findings(); f != nil {
		t.Error(f)
	}
	if _, answer, _ := say(t, p, "", `{"a":1}`); !strings.Contains(answer, Unexpected) {
		t.Errorf("given twice in one life: %s", answer)
	}
	p = c.Player(Options{Match: Content})
	say(t, p, "title", "{}")
	p.BeginLife()
	if _, answer, _ := say(t, p, "title", "{}"); !strings.Contains(answer, Unexpected) {
		t.Errorf("what was delivered whole is given again: %s", answer)
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for _, match := range []Match{Order, Content} {
			b.Run(fmt.Sprintf("%s/%d", match, n), func(b *testing.B) {
				takes := make([]take1, n)
				for i := range takes {
					takes[i] = take1{"", fmt.Sprintf(`{"messages":[{"role":"user","content":"question %d"}]}`, i), 0, stream}
				}
				c := made(b, takes...)
				for b.Loop() {
					p := c.Player(Options{Match: match})
					for i := range takes {
						if status, answer, _ := say(b, p, "", takes[i].body); status != 200 {
							b.Fatal(answer)
						}
					}
					if f := p.Findings(); f != nil {
						b.Fatal(f)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/interaction")
			})
		}
	}
}
