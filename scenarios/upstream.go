package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers/fake"
)

// Upstream is what answers a loop's requests: a *fake.Server with a reply
// script, or a recording.
type Upstream interface {
	// BeginLife is told that the process before is gone and another one takes
	// the session over.
	BeginLife()
	// Transport answers in memory, pulled by the reader.
	Transport() http.RoundTripper
	// Handler answers on a real connection.
	Handler() http.Handler
	OpenGate(name string)
	// Exchanges is the wire log so far.
	Exchanges() []*evidence.Exchange
	// Unused names what was required and not consumed, each as a sentence.
	Unused() []string
}

// answerer is an upstream at work in a session. An upstream numbers exchanges
// and lives from 1; a session may have several, and the world has other lives.
type answerer struct {
	e     *engine
	up    Upstream
	place string
	base  int   // exchanges of the session before it
	lives []int // world life of each exchange
	// died holds exchanges as they stood when their life was killed. Deferred
	// functions of a simulated process still run, and close connections; of a
	// killed one they do not, so what they do to the log did not happen.
	died map[int]*evidence.Exchange
}

// freeze is called at the moment in which the life ends by a kill.
func (a *answerer) freeze(life int) {
	for i, ex := range a.up.Exchanges() {
		if a.lives[i] == life && ex.Ending == "" {
			if a.died == nil {
				a.died = map[int]*evidence.Exchange{}
			}
			ex.Ending = "dropped"
			a.died[i] = ex
		}
	}
}

// add puts another upstream at work in the current session.
func (e *engine) add(place string, make func(fake.Options) (Upstream, error)) error {
	s := e.cur
	a := &answerer{e: e, place: place}
	for _, before := range s.ups {
		a.base += len(before.lives)
	}
	o := fake.Options{Sink: a, Changer: s.faults, Legality: fake.RefuseAPI} // for a guest, on the real clock
	if e.guest == nil {
		o = fake.Options{Sink: a, Changer: s.faults, Clock: sessionClock{e, s}, NewNote: sessionClock{e, s}.note}
	}
	up, err := make(o)
	if err != nil {
		return err
	}
	a.up = up
	s.ups = append(s.ups, a)
	return nil
}

// up is the upstream that answers now; nil: none.
func (s *session) up() *answerer {
	if len(s.ups) == 0 {
		return nil
	}
	return s.ups[len(s.ups)-1]
}

// exchanges is the wire log of the session, numbered through, with the lives
// of the world.
func (s *session) exchanges() []*evidence.Exchange {
	var all []*evidence.Exchange
	for _, a := range s.ups {
		for i, ex := range a.up.Exchanges() {
			if was := a.died[i]; was != nil {
				copied := *was
				ex = &copied
			}
			ex.N = a.base + i + 1
			ex.Life = a.lives[i]
			all = append(all, ex)
		}
	}
	return all
}

// mostRequests ends a loop that does not end by itself: a scenario must never
// hang a CI, and in virtual time no limit on time would.
const mostRequests = 20_000

// toldToEnd is why a variant was cut short that nobody waits for any more.
const toldToEnd = "the bench was told to end"

// mostAsked bounds the bytes of all requests of a variant: each repeats the
// conversation, so they grow as the square of its length.
const mostAsked = 128 << 20

// An answerer hears what its upstream does, for the trace.

func (a *answerer) Request(ex *evidence.Exchange) {
	a.lives = append(a.lives, a.e.lifeNow())
	a.e.world.Trace(evidence.Step{Kind: evidence.StepRequest, N: a.base + ex.N})
}

// limited ends a life whose loop asks for ever, before its next request reaches
// the upstream: a life that ends looks at what it has asked, which the upstream
// cannot tell while it takes a request in.
type limited struct {
	l  *life
	a  *answerer
	to http.RoundTripper
}

func (t limited) RoundTrip(r *http.Request) (*http.Response, error) {
	e := t.a.e
	e.asked += r.ContentLength
	why := ""
	switch {
	case t.a.base+len(t.a.lives) >= e.most:
		why = fmt.Sprintf("life %d made %d requests and did not end; the bench stopped it", t.l.n, e.most)
	case e.asked > mostAsked:
		why = fmt.Sprintf("life %d asked with more than %d MB, which the bench keeps all of; it stopped it", t.l.n, mostAsked>>20)
	case e.stop != nil && e.stop():
		why = toldToEnd
	}
	if why != "" {
		if e.broke == "" { // the lives behind it get no further than that, either
			e.broke = why
		}
		t.l.end(e.broke, false)
	}
	return t.to.RoundTrip(r)
}

func (a *answerer) Status(int, int, http.Header) {}

func (a *answerer) Delivered(int, []byte) {}

func (a *answerer) Ended(n int, _ string) {
	a.e.world.Trace(evidence.Step{Kind: evidence.StepReply, N: a.base + n})
}

// sessionClock is the time an upstream lives by: it waits in the task that
// asks, of whichever life is under way.
type sessionClock struct {
	e *engine
	s *session
}

func (c sessionClock) Now() time.Time { return c.e.world.Now() }

func (c sessionClock) Sleep(ctx context.Context, d time.Duration) error {
	if l := c.s.life; l != nil {
		return l.env.Clock.Sleep(ctx, d)
	}
	return errors.New("no process lives that could wait")
}

func (c sessionClock) note() fake.Note {
	if l := c.s.life; l != nil {
		return l.env.Clock.Note()
	}
	return deadNote{}
}

type deadNote struct{}

func (deadNote) Set() {}
func (deadNote) Wait(context.Context, string) error {
	return errors.New("no process lives that could wait")
}
