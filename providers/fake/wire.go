package fake

import (
	"net/http"
	"sync"

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
	// Changer breaks answers; nil: nobody does.
	Changer Changer
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
	asked *Asked // what is being answered, for the Changer
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
	p := w.change(ex)
	ex.Place, ex.Reason = p.Place, p.Refused
	d := &delivery{w: w, ex: ex, plan: p}
	w.log = append(w.log, d)
	if w.o.Sink != nil {
		w.o.Sink.Request(d.snapshot())
	}
	return d
}
