package fake

import (
	"context"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/harnessbench/bench/evidence"
)

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
