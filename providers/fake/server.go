package fake

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
)

// Server plays a script: it answers each request with the next reply of its
// lane, and finds out when the requests are not those that the script expects.
type Server struct {
	*Wire
	script   *Script
	lanes    map[string]*lane
	findings []Finding
}

// Finding is something about the requests that the script did not expect.
type Finding struct {
	Kind  string // "expect", "unexpected", or "script" (the reply cannot be rendered for this request)
	N     int    // the exchange
	Place string // script line
	Text  string // a sentence
}

func (f Finding) String() string { return f.Place + ": " + f.Text }

// TypeUnexpected is the error type of the answer to a request that the script
// has no reply for.
const TypeUnexpected = "bench_unexpected_request"

// apiBody is the largest body that the real API takes.
const apiBody = 32 << 20

// NewServer returns a server at the beginning of the script, in life 1.
func NewServer(s *Script, o Options) *Server {
	srv := &Server{script: s, lanes: newLanes(s)}
	srv.Wire = NewWire(srv.reply, o)
	return srv
}

// BeginLife says that the process which asked is gone and another one takes
// over. Its first request in each lane says where the lane goes on: on the
// main lane behind the last reply that the request contains; if none was
// committed, at the first; if a compaction removed them, where the lane stood.
// A reply of another lane is spent once it was delivered whole.
func (s *Server) BeginLife() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLife()
}

func (s *Server) newLife() {
	s.beginLife()
	for _, l := range s.lanes {
		l.placed = false
	}
}

// BeginSession says that the requests from here on belong to another
// conversation: what was served so far counts as committed, although no later
// request will show it.
func (s *Server) BeginSession() {
	s.mu.Lock()
	defer s.mu.Unlock()
	main := s.lanes[providers.LaneMain]
	main.spent = nil
	for i := range main.slots {
		if main.slots[i].served > 0 {
			main.spent = append(main.spent, i)
		}
	}
}

// Unused returns a sentence for each required reply that nobody asked for.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, name := range Lanes() {
		out = append(out, s.lanes[name].unused(s.script.Name)...)
	}
	return out
}

// Findings returns what was found so far, in order.
func (s *Server) Findings() []Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Finding(nil), s.findings...)
}

// Adopt takes over the exchanges of a server of the same script in another
// process, a killed child's for example, as if this one had served them. They
// must continue this server's own log.
func (s *Server) Adopt(log []*evidence.Exchange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sink := s.o.Sink
	s.o.Sink = nil // what happened elsewhere is no news here
	defer func() { s.o.Sink = sink }()
	for _, ex := range log {
		if ex.N != len(s.log)+1 {
			return fmt.Errorf("exchange %d cannot follow exchange %d: a log is adopted from where this one ends", ex.N, len(s.log))
		}
		for s.life < ex.Life {
			s.newLife()
		}
		one := *ex
		d := s.take(&one)
		if ex.Status != 0 && ex.Status != d.plan.Status {
			return fmt.Errorf("exchange %d was answered with status %d, and here it is %d: the script is another one", ex.N, ex.Status, d.plan.Status)
		}
		d.adopt(ex)
	}
	return nil
}

// reply answers one request. It is called with the lock held.
func (s *Server) reply(ex *evidence.Exchange) *Plan {
	n := len(s.log) + 1
	path, _, _ := strings.Cut(ex.Path, "?")
	proto := protocolFor(ex.Method, path)
	if proto == nil {
		return failed(anthropic{}, n, http.StatusNotFound, "not_found_error", "")
	}
	if limit := s.bodyLimit(); int64(len(ex.Body)) > limit {
		p := failed(proto, n, http.StatusRequestEntityTooLarge, "request_too_large", "")
		p.Place = s.windowPlace()
		return p
	}
	q, refusal := proto.parse(ex.Path, ex.Body)
	if refusal != nil && (q == nil || s.refuses(refusal.Level)) {
		p := refused(proto, n, refusal)
		p.Refused = refusal.Message
		return p
	}
	q.header = http.Header(ex.Header)
	q.neutral.Lane = ex.Lane

	l := s.lanes[ex.Lane]
	s.locate(l, q)
	if p := s.overWindow(proto, n, q); p != nil {
		return p
	}
	var sl *slot
	if l != nil {
		sl = l.take()
	}
	if sl == nil {
		return s.unexpected(proto, n, q, l)
	}
	return s.serve(proto, n, q, l, sl)
}

func (s *Server) refuses(l Level) bool {
	return s.o.Legality == RefuseStrict || s.o.Legality == RefuseAPI && l == API
}

func (s *Server) bodyLimit() int64 {
	if w := s.script.Window; w != nil && w.Body > 0 {
		return w.Body
	}
	return apiBody
}

func (s *Server) windowPlace() string {
	if s.script.Window == nil {
		return ""
	}
	return s.place(s.script.Window.Line)
}

func (s *Server) place(line int) string { return fmt.Sprintf("%s:%d", s.script.Name, line) }

// locate finds out which replies the request shows, places the lane if this is
// its first request of the life, and learns the calls' ids.
func (s *Server) locate(l *lane, q *request) {
	main := s.lanes[providers.LaneMain]
	var messages []seen
	for i := range q.neutral.Messages {
		if m := &q.neutral.Messages[i]; m.Role == providers.Assistant {
			messages = append(messages, seen{shapeOfMessage(m), -1})
		}
	}
	messages = main.unpause(messages)
	shown := main.mark(messages)
	for _, m := range messages {
		if m.slot < 0 {
			continue
		}
		reply := main.slots[m.slot].shape
		for i, j := range m.shape.pair(reply) {
			if wire, script := m.shape.calls[i].id, reply.calls[j].id; wire != script {
				if q.names == nil {
					q.names = map[string]string{}
				}
				q.names[wire] = script
			}
		}
	}
	if l == nil || l.placed {
		return
	}
	l.placed = true
	if s.life == 1 {
		return
	}
	if l == main {
		l.place(shown)
		return
	}
	for l.next = 0; l.next < len(l.slots); l.next++ {
		sl := &l.slots[l.next]
		if sl.served == 0 || !s.log[sl.n-1].complete() {
			return
		}
	}
}

// serve renders the slot's reply and judges what it expects.
func (s *Server) serve(proto protocol, n int, q *request, l *lane, sl *slot) *Plan {
	lines := s.changed(sl.reply, sl.reply.expand(sl.rep))
	l.gave(sl, n, shapeOf(lines, proto))
	for i := range lines {
		if e := &lines[i]; e.Op == OpExpect {
			if ok, sentence := e.Expect.judge(q); !ok {
				s.find("expect", n, s.place(e.Line), sentence)
			}
		}
	}
	p, err := sl.reply.planOf(lines, sl.rep, answering{protocol: proto, stream: q.neutral.Stream, model: q.neutral.Model, n: n, form: q.form})
	if err != nil {
		s.find("script", n, s.place(err.line), err.text)
		p = failed(proto, n, http.StatusInternalServerError, TypeUnexpected, err.text)
	}
	p.Place = s.place(sl.reply.Line)
	if sl.reply.Max > 1 {
		p.Place += fmt.Sprintf(" (%d of %d)", sl.rep, sl.reply.Max)
	}
	return p
}

// unexpected answers a request that the script has no reply for.
func (s *Server) unexpected(proto protocol, n int, q *request, l *lane) *Plan {
	place, why := s.script.Name, fmt.Sprintf("the script has no reply for lane %s", q.neutral.Lane)
	if l != nil && len(l.slots) > 0 {
		last := l.slots[len(l.slots)-1].reply.Line
		place, why = s.place(last), fmt.Sprintf("all %d replies of lane %s have been given", len(l.slots), l.name)
	}
	text := fmt.Sprintf("request %d was not expected: %s", n, why)
	if m := q.neutral.Messages; len(m) > 0 {
		text += fmt.Sprintf("; its last message is from the %s: %s", m[len(m)-1].Role, describe(&m[len(m)-1]))
	}
	s.find("unexpected", n, place, text)
	p := failed(proto, n, http.StatusInternalServerError, TypeUnexpected, text)
	p.Header.Set("X-Should-Retry", "false")
	p.Place = place
	return p
}

// describe shows a message in a few words.
func describe(m *providers.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		switch b.Kind {
		case providers.Text:
			parts = append(parts, fmt.Sprintf("text %q", clip(b.Text)))
		case providers.ToolResult:
			parts = append(parts, fmt.Sprintf("result of %s %q", b.ID, clip(b.Text)))
		case providers.ToolCall:
			parts = append(parts, fmt.Sprintf("call %s of %s", b.ID, b.Name))
		default:
			parts = append(parts, string(b.Kind))
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:3], fmt.Sprintf("and %d more blocks", len(parts)-3))
	}
	return strings.Join(parts, ", ")
}

// maxFindings bounds what a storm of requests can leave behind.
const maxFindings = 1000

func (s *Server) find(kind string, n int, place, text string) {
	if len(s.findings) < maxFindings {
		s.findings = append(s.findings, Finding{kind, n, place, text})
	}
}

// failed is an HTTP error of a script, in the provider's words and envelope.
func failed(proto protocol, n, status int, typ, message string) *Plan {
	return errorPlan(proto, n, proto.words(status, typ, message))
}

// refused is the answer to a request that the API does not take.
func refused(proto protocol, n int, r *Refusal) *Plan {
	return errorPlan(proto, n, wireError{r.Status, r.Type, r.Code, r.Param, r.Message})
}

func errorPlan(proto protocol, n int, e wireError) *Plan {
	id := answering{n: n}.requestID()
	return &Plan{
		Status: e.status,
		Header: proto.header(typeJSON, id),
		Steps:  []Step{{Act: Write, Data: proto.envelope(e, id)}, {Act: EOF}},
	}
}
