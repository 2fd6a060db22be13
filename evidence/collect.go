package evidence

import (
	"slices"
	"sync"
)

// Collector takes evidence while a run goes on. Every method may be called by
// any goroutine; the order of calls is the order of the evidence. It keeps no
// clock of its own: who has one writes the time.
type Collector struct {
	mu  sync.Mutex
	ev  Evidence
	log []byte
}

// NewCollector returns an empty collector.
func NewCollector() *Collector { return &Collector{} }

// Exchange begins one exchange: its request has arrived. N is given here, by
// order of arrival. Body is kept, not copied: the caller does not touch it again.
func (c *Collector) Exchange(e Exchange) *Recording {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.N = len(c.ev.Wire) + 1
	c.ev.Wire = append(c.ev.Wire, &e)
	return &Recording{c, &e}
}

// Recording is one exchange in progress.
type Recording struct {
	c *Collector
	e *Exchange
}

// N is the exchange's number, from 1.
func (r *Recording) N() int { return r.e.N }

// Answer records the answer's head.
func (r *Recording) Answer(status int, head map[string][]string) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.e.Status, r.e.Head = status, head
}

// Deliver records bytes of the answer as they go out, in the pieces in which
// they go out. p is copied.
func (r *Recording) Deliver(p []byte) {
	if len(p) == 0 {
		return
	}
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.e.Reply = append(r.e.Reply, p...)
	r.e.Chunks = append(r.e.Chunks, len(p))
}

// End records how the connection ended; see Exchange.Ending. The first ending counts.
func (r *Recording) End(ending, reason string) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if r.e.Ending == "" {
		r.e.Ending, r.e.Reason = ending, reason
	}
}

// Show records an event that a subscriber received, and returns its number.
func (c *Collector) Show(s Shown) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Seq = int64(len(c.ev.Shown)) + 1
	c.ev.Shown = append(c.ev.Shown, s)
	return s.Seq
}

// Hook records that a hook was asked, and what it said.
func (c *Collector) Hook(h Hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ev.Hooks = append(c.ev.Hooks, h)
}

// Step records a step of the trace, and returns its number.
func (c *Collector) Step(s Step) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Seq = int64(len(c.ev.Trace)) + 1
	c.ev.Trace = append(c.ev.Trace, s)
	return s.Seq
}

// Life records how a life went.
func (c *Collector) Life(l Life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ev.Lives = append(c.ev.Lives, l)
}

// Return records what a run returned to its caller.
func (c *Collector) Return(r Returned) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ev.Runs = append(c.ev.Runs, r)
}

// Write records what the loop printed: a Collector is the io.Writer of its log.
func (c *Collector) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, p...)
	return len(p), nil
}

// Evidence returns what was collected so far. Later calls of the collector do
// not change it; an exchange that is still going on is there as far as it got.
func (c *Collector) Evidence() *Evidence {
	c.mu.Lock()
	defer c.mu.Unlock()
	ev := c.ev
	ev.Log = string(c.log)
	ev.Wire = make([]*Exchange, len(c.ev.Wire))
	for i, e := range c.ev.Wire {
		view := *e
		view.Reply, view.Chunks = slices.Clip(e.Reply), slices.Clip(e.Chunks)
		ev.Wire[i] = &view
	}
	ev.Shown, ev.Hooks, ev.Trace = slices.Clip(c.ev.Shown), slices.Clip(c.ev.Hooks), slices.Clip(c.ev.Trace)
	ev.Lives, ev.Runs = slices.Clip(c.ev.Lives), slices.Clip(c.ev.Runs)
	return &ev
}
