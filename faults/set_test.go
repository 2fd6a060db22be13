package faults

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/harnessbench/bench/providers/fake"
)

// talk asks a server of a script, with what is armed in between.
type talk struct {
	t   *testing.T
	set *Set
	srv *fake.Server
	now *clock
}

type clock struct {
	fake.Clock
	at time.Time
}

func (c *clock) Now() time.Time { return c.at }

func newTalk(t *testing.T, script string, lines ...string) *talk {
	s, err := fake.Parse("replies", []byte(script), fake.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, set: &Set{}, now: &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
	for _, l := range lines {
		k.arm(l)
	}
	k.srv = fake.NewServer(s, fake.Options{Changer: k.set, Clock: k.now, Legality: fake.RefuseNothing})
	return k
}

func (k *talk) arm(line string) *Armed {
	l, err := Parse(strings.Fields(line))
	if err != nil {
		k.t.Fatal(err)
	}
	return k.set.Arm(l, "file:1")
}

// ask sends a request, and returns the status and what came of the body.
func (k *talk) ask(lane string) (*http.Response, string) { return k.askIn("anthropic", lane) }

// asks are a request for a stream in each protocol.
func asks() map[string][2]string {
	return map[string][2]string{
		"anthropic": {"/v1/messages", `{"model":"m","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"hello you"}]}`},
		"chat":      {"/v1/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello you"}]}`},
		"responses": {"/v1/responses", `{"model":"m","stream":true,"input":[{"role":"user","content":"hello you"}]}`},
		"gemini":    {"/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[{"role":"user","parts":[{"text":"hello you"}]}]}`},
	}
}

func (k *talk) askIn(protocol, lane string) (*http.Response, string) {
	q := asks()[protocol]
	r, err := http.NewRequest(http.MethodPost, "http://x"+q[0], strings.NewReader(q[1]))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("X-Bench-Lane", lane)
	resp, err := k.srv.Transport().RoundTrip(r)
	if err != nil {
		return &http.Response{}, err.Error()
	}
	defer resp.Body.Close()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			if err.Error() != "EOF" {
				b.WriteString("!" + err.Error())
			}
			return resp, b.String()
		}
	}
}

const twice = "reply times=3\n    text \"One ${n}.\"\nreply lane=summary\n    text \"Sum.\"\n"

func TestWhichRequest(t *testing.T) {
	for line, want := range map[string][]int{
		"status":               {500, 200, 200},
		"status nth=2":         {200, 500, 200},
		"status first=2":       {500, 500, 200},
		"status every":         {500, 500, 500},
		"status lane=summary":  {200, 200, 200},
		"auth-flap":            {401, 200, 401},
		"status status=529":    {529, 200, 200},
		"bare-status nth=3":    {200, 200, 503},
		"proxy-html nth=2":     {200, 502, 200},
		"window tokens=2":      {400, 400, 400},
		"body-limit bytes=10":  {413, 413, 413},
		"error-under-200":      {200, 200, 200},
		"quota-requests n=2":   {200, 200, 429},
		"redirect nth=2":       {200, 307, 200},
		"one-too-many first=2": {400, 400, 200},
	} {
		k := newTalk(t, twice, line)
		var got []int
		for range 3 {
			resp, _ := k.ask("main")
			got = append(got, resp.StatusCode)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", line, got, want)
		}
	}
}

// What is answered ahead consumes no reply, and what is not hit is as it was.
func TestAheadConsumesNothing(t *testing.T) {
	k := newTalk(t, twice, "status first=2")
	k.ask("main")
	k.ask("main")
	if _, body := k.ask("main"); !strings.Contains(body, "One 1.") {
		t.Error(body)
	}
	if len(k.srv.Unused()) != 2 {
		t.Error(k.srv.Unused())
	}
	if ex := k.srv.Exchanges(); ex[0].Place != "file:1" || ex[2].Place == "file:1" {
		t.Error(ex[0].Place, ex[2].Place)
	}
}

// Lines behind one another all have their say, in order.
func TestCompose(t *testing.T) {
	k := newTalk(t, twice, "refusal text=No.", "newline-crlf", "bom", "eof event=-2")
	_, body := k.ask("main")
	for _, want := range []string{"No.", "\r\n", "\ufeffevent: message_start"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in %q", want, body)
		}
	}
	if strings.Contains(body, "message_stop") || strings.Contains(body, "One 1.") {
		t.Errorf("%q", body)
	}
}

// Who changes nothing has not fired, and says what was missing.
func TestFired(t *testing.T) {
	for _, c := range []struct {
		line  string
		fired int
		near  string
	}{
		{"drop-event", 1, ""},
		{"drop-event first=2", 2, ""},
		{"status every", 3, ""},
		{"drop-event event=99", 0, "it left the answer of request 1 as it was: the stream has 6 events with data, and no event 99"},
		{"cut byte=99999999", 0, "the stream has 875 bytes, so byte= goes up to 874"},
		{"cut byte=874", 1, ""},
		{"unknown-tool", 0, "nothing that the fault is about"},
		{"drop-event nth=7", 0, "there were 3 requests of lane main behind it, not 7"},
		{"drop-event lane=judge", 0, "there was no request of lane judge behind it"},
		{"window tokens=100000", 0, "request 3"},
		{"stale-answer", 0, "request 1"},
		{"stale-answer nth=2", 1, ""},
		{"max-tokens", 1, ""},
		{"malformed-input", 0, "nothing that the fault is about"},
		{"split-runes", 0, "nothing that the fault is about"},
		{"id-changed", 0, "no meaning in protocol anthropic"},
	} {
		k := newTalk(t, "reply times=3\n    text \"One.\"\n")
		a := k.arm(c.line)
		for range 3 {
			k.ask("main")
		}
		if a.Fired() != c.fired || !strings.Contains(a.Near(), c.near) || (c.near == "") != (a.Near() == "") {
			t.Errorf("%s: fired %d, %q", c.line, a.Fired(), a.Near())
		}
	}
}

// A quota lets so much through in each window, and says how long the rest of it
// is.
func TestQuota(t *testing.T) {
	k := newTalk(t, "reply times=9\n    text \"One.\"\n", "quota-requests n=2 per=1m")
	for _, c := range []struct {
		after  time.Duration
		status int
		wait   string
	}{
		{0, 200, ""}, {10 * time.Second, 200, ""}, {5*time.Second + time.Millisecond, 429, "45"}, {44 * time.Second, 429, "1"},
		{time.Second, 200, ""}, {time.Second, 200, ""}, {0, 429, "59"},
	} {
		k.now.at = k.now.at.Add(c.after)
		resp, _ := k.ask("main")
		if resp.StatusCode != c.status || resp.Header.Get("Retry-After") != c.wait {
			t.Errorf("at %s: %d, wait %q; want %d, %q", k.now.at.Format("04:05.000"), resp.StatusCode, resp.Header.Get("Retry-After"), c.status, c.wait)
		}
	}
}

// A script's reply that is plain, or an error, is no stream and says nothing.
func TestNoStream(t *testing.T) {
	k := newTalk(t, "reply\n    body \"Hi.\"\nreply 529\n")
	a, b := k.arm("drop-event every"), k.arm("refusal every")
	k.ask("main")
	k.ask("main")
	if a.Fired()+b.Fired() > 0 || !strings.Contains(a.Near(), "no stream") {
		t.Error(a.Fired(), b.Fired(), a.Near())
	}
}

func TestDeeds(t *testing.T) {
	set := &Set{}
	arm := func(line string) *Armed {
		l, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		return set.Arm(l, "")
	}
	flaky, empty := arm("tool-flaky tool=x k=2"), arm("tool-blank tool=x nth=3")
	arm("tool-ansi tool=x nth=3")
	number := func(n int) func(*Armed) int { return func(*Armed) int { return n } }
	for n, want := range map[int]string{1: "", 2: "try again later", 3: "", 4: "try again later"} {
		d := set.Deed("x", number(n))
		got := ""
		if d != nil {
			got = d.Fails
		}
		if got != want {
			t.Errorf("call %d fails with %q", n, got)
		}
		if n == 3 {
			if said, _ := d.Says("text"); said != "\x1b[2J\x1b[31m \n\t\n\x1b[0m\x07" {
				t.Errorf("%q", said)
			}
		} else if d != nil {
			d.Did(Failed)
		}
	}
	if flaky.Fired() != 2 || empty.Fired() != 1 || set.Deed("y", number(1)) != nil {
		t.Error(flaky.Fired(), empty.Fired())
	}
}

// A line that is armed behind the first answer knows what that was.
func TestArmedLater(t *testing.T) {
	k := newTalk(t, "reply\n    text \"One.\"\nreply\n    text \"Two.\"\n")
	_, first := k.ask("main")
	a := k.arm("stale-answer")
	if _, again := k.ask("main"); again != first || a.Fired() != 1 {
		t.Errorf("fired %d: %q", a.Fired(), again)
	}
}

// Of several outcomes the first one happens, and only what is told happened has
// fired; an output that stays as it was is no change.
func TestDeedsThatDoNothing(t *testing.T) {
	for _, c := range []struct {
		lines []string
		do    func(d *Deed)
		fired []int
	}{
		{[]string{"tool-empty"}, func(*Deed) {}, []int{0}}, // its tool failed
		{[]string{"tool-empty"}, func(d *Deed) { d.Says("x") }, []int{1}},
		{[]string{"tool-empty"}, func(d *Deed) { d.Says("") }, []int{0}},
		{[]string{"tool-partial", "tool-empty"}, func(d *Deed) { d.Says("x") }, []int{1, 0}},
		{[]string{"tool-panic", "tool-error", "tool-blank"}, func(d *Deed) { d.Did(Panicked) }, []int{1, 0, 0}},
		{[]string{"tool-error", "tool-error-blank"}, func(d *Deed) { d.Did(Failed) }, []int{1, 0}},
		{[]string{"tool-slow", "tool-deaf", "tool-hang"}, func(d *Deed) { d.Did(Waited) }, []int{1, 1, 0}},
		{[]string{"tool-bad-image", "tool-image-type"}, func(d *Deed) { d.Says("") }, []int{1, 1}},
	} {
		set := &Set{}
		var armed []*Armed
		for _, l := range c.lines {
			l, err := Parse([]string{l, "tool=x"})
			if err != nil {
				t.Fatal(err)
			}
			armed = append(armed, set.Arm(l, ""))
		}
		d := set.Deed("x", func(*Armed) int { return 1 })
		c.do(d)
		for i, a := range armed {
			if a.Fired() != c.fired[i] || (a.Near() == "") != (a.Fired() > 0) {
				t.Errorf("%v: %s fired %d, %q", c.lines, a.Line, a.Fired(), a.Near())
			}
		}
	}
}

// A call that was counted and not carried out is said to be that.
func TestCallNeverCarriedOut(t *testing.T) {
	set := &Set{}
	l, err := Parse([]string{"tool-error", "tool=look"})
	if err != nil {
		t.Fatal(err)
	}
	a := set.Arm(l, "")
	set.Deed("look", func(*Armed) int { return 2 })
	if want := "call 1 of look behind it was never carried out"; a.Near() != want {
		t.Errorf("%q, not %q", a.Near(), want)
	}
}
