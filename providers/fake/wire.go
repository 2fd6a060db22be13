package fake

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
)

// Options is what a wire needs from outside. The zero value serves on the real
// clock, keeps the log to itself and refuses whatever our own loop must not
// send.
type Options struct {
	// Clock and NewNote are where plans wait. With the simulated machine:
	// Clock: env.Clock, NewNote: func() fake.Note { return env.Clock.Note() }.
	Clock   Clock
	NewNote func() Note
	// Sink hears of everything as it happens.
	Sink Sink
	// Legality says which illegal requests a Server refuses.
	Legality Legality
}

// Legality says which illegal requests are refused.
type Legality uint8

const (
	RefuseStrict  Legality = iota // those of Level API and Strict: for our own loop
	RefuseAPI                     // those of Level API: for foreign agents
	RefuseNothing                 // none
)

// Sink hears of a wire's exchanges as they happen, one call at a time and in
// order. It must not call the wire. A process that may be killed hands in one
// that writes to a pipe (NewSinkWriter).
type Sink interface {
	// Request: a request has arrived whole and its answer is chosen. The
	// exchange is the sink's own copy.
	Request(ex *evidence.Exchange)
	// Status: the head of exchange n's answer goes out.
	Status(n, status int, head http.Header)
	// Delivered: the next bytes of exchange n's answer reach the client.
	Delivered(n int, b []byte)
	// Ended: exchange n is over; how is an Exchange.Ending.
	Ended(n int, how string)
}

// Wire carries plans to clients, in memory (Transport) or over HTTP (Handler),
// and keeps the wire log. What a request is answered with is decided by the
// function it was made with.
type Wire struct {
	o      Options
	answer func(*evidence.Exchange) *Plan

	mu    sync.Mutex
	life  int
	log   []*delivery // of all requests so far
	gates map[string]*gate
}

// gate is closed until it is opened; then it stays open.
type gate struct {
	open  bool
	notes []Note
}

// NewWire returns a wire that answers each request with the plan that answer
// returns. answer is called for one request at a time, in order of arrival; it
// may read the exchange and must not call the wire.
func NewWire(answer func(*evidence.Exchange) *Plan, o Options) *Wire {
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.NewNote == nil {
		o.NewNote = newRealNote
	}
	return &Wire{o: o, answer: answer, life: 1, gates: map[string]*gate{}}
}

// Exchanges returns the wire log so far, in order of arrival. Exchanges that
// are still going on appear as they stand.
func (w *Wire) Exchanges() []*evidence.Exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]*evidence.Exchange, len(w.log))
	for i, d := range w.log {
		out[i] = d.snapshot()
	}
	return out
}

// OpenGate opens a gate for good: plans that wait for it go on. A gate may be
// opened before anybody waits.
func (w *Wire) OpenGate(name string) {
	w.mu.Lock()
	g := w.gate(name)
	g.open = true
	notes := g.notes
	g.notes = nil
	w.mu.Unlock()
	for _, n := range notes {
		n.Set()
	}
}

func (w *Wire) gate(name string) *gate {
	g := w.gates[name]
	if g == nil {
		g = &gate{}
		w.gates[name] = g
	}
	return g
}

// waitGate returns once the gate is open, or with the cause of ctx's end.
func (d *delivery) waitGate(ctx context.Context, name string) error {
	for {
		d.w.mu.Lock()
		g := d.w.gate(name)
		if g.open {
			d.w.mu.Unlock()
			return nil
		}
		d.note = d.w.o.NewNote()
		g.notes = append(g.notes, d.note)
		n := d.note
		d.w.mu.Unlock()
		if err := d.wait(ctx, n, "gate "+name); err != nil {
			return err
		}
	}
}

// waitForever returns when the client is gone.
func (d *delivery) waitForever(ctx context.Context) error {
	d.w.mu.Lock()
	d.note = d.w.o.NewNote()
	n := d.note
	d.w.mu.Unlock()
	for {
		if err := d.wait(ctx, n, "a hanging answer"); err != nil {
			return err
		}
	}
}

// wait waits for a note. The lock is not held: the waiter may be killed here.
func (d *delivery) wait(ctx context.Context, n Note, at string) error {
	if d.closed.Load() {
		return http.ErrBodyReadAfterClose
	}
	err := n.Wait(ctx, at)
	if err == nil && d.closed.Load() {
		return http.ErrBodyReadAfterClose
	}
	return err
}

// BeginLife says that the process which used the wire is gone and another one
// takes over: what was going on has been dropped, and nobody waits at a gate.
func (w *Wire) BeginLife() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beginLife()
}

func (w *Wire) beginLife() {
	for _, d := range w.log {
		d.settle("dropped")
	}
	for _, g := range w.gates {
		g.notes = nil
	}
	w.life++
}

// begin takes a request in and chooses its answer.
func (w *Wire) begin(r *http.Request, body []byte) *delivery {
	ex := &evidence.Exchange{
		Method:  r.Method,
		Path:    requestPath(r.URL),
		Header:  redact(r.Header),
		Body:    body,
		Lane:    r.Header.Get("X-Bench-Lane"),
		Attempt: r.Header.Get("X-Bench-Attempt"),
		At:      w.o.Clock.Now(),
	}
	if ex.Lane == "" {
		ex.Lane = providers.LaneMain
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.take(ex)
}

// take gives the exchange its number and its answer, and logs it.
func (w *Wire) take(ex *evidence.Exchange) *delivery {
	ex.N, ex.Life = len(w.log)+1, w.life
	p := w.answer(ex)
	ex.Place, ex.Reason = p.Place, p.Refused
	d := &delivery{w: w, ex: ex, plan: p}
	w.log = append(w.log, d)
	if w.o.Sink != nil {
		w.o.Sink.Request(d.snapshot())
	}
	return d
}

// delivery is one answer on its way to its client, and the log's record of it.
// One goroutine delivers; close may come from another. The exchange, chunks,
// written and note are guarded by the wire's lock.
type delivery struct {
	w       *Wire
	ex      *evidence.Exchange // Reply and Chunks are filled in by snapshot
	plan    *Plan
	step    int // the next step
	written int // bytes delivered
	chunks  []int
	note    Note // what a wait waits for
	closed  atomic.Bool
}

// snapshot is the exchange as it stands.
func (d *delivery) snapshot() *evidence.Exchange {
	one := *d.ex
	if one.Reply == nil && d.written > 0 {
		one.Reply, one.Chunks = d.plan.first(d.written), slices.Clone(d.chunks)
		if one.Ending != "" {
			d.ex.Reply, d.ex.Chunks = one.Reply, one.Chunks // no more will come
		}
	}
	return &one
}

// settle records how the exchange ended; the first word counts.
func (d *delivery) settle(how string) {
	if d.ex.Ending != "" {
		return
	}
	d.ex.Ending = how
	if d.w.o.Sink != nil {
		d.w.o.Sink.Ended(d.ex.N, how)
	}
}

// advance goes through the waits and returns the next step that the client
// notices: Write, EOF, Cut or Reset. The error is the cause of ctx's end; how
// the exchange ended is then recorded already.
func (d *delivery) advance(ctx context.Context) (Step, error) {
	for {
		s := Step{Act: EOF}
		if d.step < len(d.plan.Steps) {
			s = d.plan.Steps[d.step]
		}
		var err error
		gone := "dropped"
		switch s.Act {
		case Delay:
			err = d.w.o.Clock.Sleep(ctx, s.D)
		case Gate:
			err = d.waitGate(ctx, s.Name)
		case Hang:
			gone = "hang"
			if s.D > 0 {
				err = d.w.o.Clock.Sleep(ctx, s.D)
			} else {
				err = d.waitForever(ctx)
			}
			if err == nil {
				return Step{Act: Cut}, nil
			}
		default:
			d.step++
			return s, nil
		}
		if err != nil {
			d.end(gone)
			return Step{}, err
		}
		d.step++
	}
}

// head records that the head goes out.
func (d *delivery) head() {
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	if d.ex.Ending != "" {
		return
	}
	d.ex.Status, d.ex.Head = d.plan.Status, d.plan.Header.Clone()
	d.chunks = make([]int, 0, len(d.plan.Steps))
	if d.w.o.Sink != nil {
		d.w.o.Sink.Status(d.ex.N, d.ex.Status, d.plan.Header.Clone())
	}
}

// wrote records a piece that reaches the client. It is called for every piece:
// it moves no pointers and copies nothing.
func (d *delivery) wrote(b []byte) {
	d.w.mu.Lock()
	if d.ex.Ending == "" {
		d.chunks = append(d.chunks, len(b))
		d.written += len(b)
		if d.w.o.Sink != nil {
			d.w.o.Sink.Delivered(d.ex.N, b)
		}
	}
	d.w.mu.Unlock()
}

// end records how the exchange ended.
func (d *delivery) end(how string) {
	d.w.mu.Lock()
	defer d.w.mu.Unlock()
	d.settle(d.refused(how))
}

// close is the client going away. It wakes a reader that waits for a note.
func (d *delivery) close() {
	d.closed.Store(true)
	d.w.mu.Lock()
	if d.ex.Ending == "" {
		d.settle(d.left())
	}
	n := d.note
	d.w.mu.Unlock()
	if n != nil {
		n.Set()
	}
}

// left says how the exchange ends for a client that goes now: as the plan
// ends, if all its bytes are delivered and nothing is left to wait for.
func (d *delivery) left() string {
	if !d.complete() {
		return "dropped"
	}
	ending := "eof"
	for i := range d.plan.Steps {
		switch s := &d.plan.Steps[i]; s.Act {
		case Write:
			if len(s.Data) > 0 {
				ending = "eof"
			}
		case Delay, Gate:
			ending = "dropped"
		default:
			if ending != "dropped" {
				ending = endings[s.Act]
			}
			return d.refused(ending)
		}
	}
	return d.refused(ending)
}

// refused says so where the request was illegal and the answer arrived.
func (d *delivery) refused(how string) string {
	if how == "eof" && d.plan.Refused != "" {
		return "refused"
	}
	return how
}

// complete reports whether all bytes have been delivered.
func (d *delivery) complete() bool { return d.written == d.plan.size() }

// adopt takes over what became of the answer elsewhere.
func (d *delivery) adopt(ex *evidence.Exchange) {
	d.ex.Life, d.ex.Status, d.ex.Head, d.ex.Ending = ex.Life, ex.Status, ex.Head, ex.Ending
	d.ex.Reply, d.ex.Chunks, d.written = ex.Reply, ex.Chunks, len(ex.Reply)
}

// endings are the words of Exchange.Ending for the acts that end a plan.
var endings = map[Act]string{EOF: "eof", Cut: "cut", Reset: "reset", Hang: "hang"}

// secretHeaders and secretParams never reach the log.
var (
	secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Amz-Security-Token"}
	secretParams  = []string{"key", "api_key", "api-key", "access_token", "token"}
)

// redact copies a header without credentials.
func redact(h http.Header) map[string][]string {
	out := h.Clone()
	for _, name := range secretHeaders {
		out.Del(name)
	}
	return out
}

// requestPath is path and query without credentials.
func requestPath(u *url.URL) string {
	path := u.EscapedPath()
	if u.RawQuery == "" {
		return path
	}
	params := strings.Split(u.RawQuery, "&")
	for i, p := range params {
		name, _, _ := strings.Cut(p, "=")
		if slices.Contains(secretParams, strings.ToLower(name)) {
			params[i] = name + "=redacted"
		}
	}
	return path + "?" + strings.Join(params, "&")
}
