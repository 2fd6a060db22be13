package fake

import (
	"net/http"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// meddler is a Changer of three functions.
type meddler struct {
	ahead func(*Asked) *Plan
	lines func(*Asked, []Line) []Line
	plan  func(*Asked, *Plan) *Plan
	asked []*Asked
}

func (m *meddler) Ahead(q *Asked) *Plan {
	m.asked = append(m.asked, q)
	if m.ahead == nil {
		return nil
	}
	return m.ahead(q)
}

func (m *meddler) Lines(q *Asked, l []Line) []Line {
	if m.lines == nil {
		return l
	}
	return m.lines(q, l)
}

func (m *meddler) Plan(q *Asked, p *Plan) *Plan {
	if m.plan == nil {
		return p
	}
	return m.plan(q, p)
}

func meddled(t *testing.T, script string, m *meddler) *talk {
	k := newTalk(t, script)
	k.srv = NewServer(k.srv.script, Options{Changer: m})
	return k
}

// What is answered ahead consumes nothing, not even for a request that is
// illegal or in a lane without replies.
func TestChangerAhead(t *testing.T) {
	m := &meddler{}
	m.ahead = func(q *Asked) *Plan {
		if len(m.asked) == 1 {
			return q.Refuse(http.StatusTooManyRequests, "", "")
		}
		return nil
	}
	k := meddled(t, "reply\n    text \"One.\"\n", m)
	status, body := k.raw("main", k.request())
	if status != http.StatusTooManyRequests || !strings.Contains(body, `"type":"rate_limit_error"`) {
		t.Errorf("%d %s", status, body)
	}
	if len(k.srv.Unused()) != 1 {
		t.Error("the reply was consumed")
	}
	if status, body = k.raw("main", k.request()); status != http.StatusOK || !strings.Contains(body, "One.") || len(k.srv.Unused()) != 0 {
		t.Errorf("%d %s", status, body)
	}
	if f := k.srv.Findings(); len(f) > 0 {
		t.Error(f)
	}
}

// A later request shows the reply as it was changed, so the lane stands behind
// it in the next life.
func TestChangerLines(t *testing.T) {
	m := &meddler{lines: func(_ *Asked, lines []Line) []Line {
		for i := range lines {
			if lines[i].Op == OpText {
				lines[i].Values = []string{"Changed."}
			}
		}
		return lines
	}}
	k := meddled(t, "reply\n    text \"One.\"\nreply\n    text \"Two.\"\nreply 529\nreply\n    body \"B\"\n", m)
	if _, body := k.raw("main", k.request()); !strings.Contains(body, "Changed.") {
		t.Error(body)
	}
	k.messages = append(k.messages, `{"role":"assistant","content":[{"type":"text","text":"Changed."}]}`, hi)
	k.srv.BeginLife()
	k.raw("main", k.request())
	if n := len(k.srv.Unused()); n != 2 {
		t.Errorf("%d replies are left, not 2: the first was given again", n)
	}
	before := 0
	m.lines = func(_ *Asked, lines []Line) []Line { before++; return nil }
	k.raw("main", k.request())
	if _, body := k.raw("main", k.request()); body != "B" || before != 0 {
		t.Errorf("%q, %d: an error and a plain answer have no lines to change", body, before)
	}
}

// The finished answer can be changed whoever made it: a script, nobody, or the
// changer itself.
func TestChangerPlan(t *testing.T) {
	m := &meddler{plan: func(q *Asked, p *Plan) *Plan {
		c := *p
		c.Steps = append([]Step{{Act: Write, Data: []byte(": " + q.Lane + "\n\n")}}, p.Steps...)
		return &c
	}}
	k := meddled(t, "reply\n    text \"One.\"\n", m)
	if _, body := k.raw("main", k.request()); !strings.HasPrefix(body, ": main\n\nevent: message_start") {
		t.Error(body)
	}
	if status, body := k.raw("main", k.request()); status != 500 || !strings.HasPrefix(body, ": main\n\n{") {
		t.Errorf("%d %s", status, body)
	}
}

// What a changer may know of a request, in each protocol.
func TestAsked(t *testing.T) {
	for path, want := range map[string]string{"/v1/messages": "anthropic", "/v1/messages?beta=true": "anthropic", "/nowhere": "anthropic"} {
		q := newAsked(&evidence.Exchange{N: 7, Lane: "judge", Method: http.MethodPost, Path: path, Body: []byte(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"12345678"}]}`)})
		if q.Protocol() != want || q.Tokens() != 2 || q.MaxTokens() != 9 || !q.Streams() {
			t.Errorf("%s: %s %d %d %v", path, q.Protocol(), q.Tokens(), q.MaxTokens(), q.Streams())
		}
		if q.Overflow(1_000) != nil || q.Overflow(1) == nil {
			t.Error("the window is another one")
		}
		if e := string(q.ErrorEvent("overloaded_error", "x")); !strings.HasPrefix(e, "event: error\ndata: {") || !strings.HasSuffix(e, "\n\n") {
			t.Errorf("%q", e)
		}
		if p := string(q.PingEvent()); p != "event: ping\ndata: {\"type\":\"ping\"}\n\n" {
			t.Errorf("%q", p)
		}
	}
	q := newAsked(&evidence.Exchange{Method: http.MethodPost, Path: "/v1/messages", Body: []byte("no JSON")})
	if q.Tokens() != 0 || q.MaxTokens() != 0 || q.Streams() || q.Overflow(1) != nil {
		t.Error("what cannot be read has no facts")
	}
	if p := q.Refuse(418, "", ""); p.Status != 418 || !strings.Contains(string(p.Steps[0].Data), `"api_error"`) {
		t.Errorf("%s", p.Steps[0].Data)
	}
}
