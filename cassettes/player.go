package cassettes

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/fake"
)

// Match says how the recording of a request is found.
type Match string

// The ways to match.
const (
	// Order plays each lane in the recorded order. It is the default.
	Order Match = "order"
	// Content plays the first interaction of the lane that was not played and
	// has this request, for a loop that may ask in another order. Every
	// interaction must be played all the same.
	Content Match = "content"
)

// Options say how a cassette is played.
type Options struct {
	Match Match // "": Order
	// Ignore names what is not compared in the bodies of requests.
	Ignore []Path
	// Piece is how many bytes of a body reach the client at once. With 0 a
	// stream comes event by event, as from the real API, and anything else
	// whole. The format keeps no boundaries of its own.
	Piece int
	// Wire is where plans wait and who hears of the exchanges. Legality has no
	// meaning here: the recording says what was answered.
	Wire fake.Options
}

// The findings, as rules.
const (
	Differs    = "cassette/differs"
	Unexpected = "cassette/unexpected"
	Unused     = "cassette/unused"
)

// Finding is what a player found wrong.
type Finding struct {
	Rule  string // Differs, Unexpected or Unused
	What  string // one sentence
	Place string // file:line of the interaction
	N     int    // the exchange; 0 for Unused
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s: %s", f.Place, f.Rule, f.What) }

// Player plays a cassette, once, to the lives of one session. It has the same
// transports and the same wire log as the fake provider.
type Player struct {
	*fake.Wire
	c *Cassette
	o Options

	mu     sync.Mutex
	lanes  map[string]*lane
	played []bool // by interaction, in any life
	found  *Finding
}

// lane is one kind of request, and where its recording stands.
type lane struct {
	name  string
	tape  []int            // its interactions; a position is an index into it
	next  int              // Order: the position that is played next
	fresh bool             // the next request is the first of a life that is not the first
	asked map[int]int      // position: number of the exchange that played it in this life
	free  map[string][]int // Content: the positions to play, by the key of their request
}

// Player begins to play the cassette from its beginning.
func (c *Cassette) Player(o Options) *Player {
	p := &Player{c: c, o: o, lanes: map[string]*lane{}, played: make([]bool, c.Len())}
	for i := range c.tape {
		l := p.lane(laneOf(c.tape[i].Request.Headers))
		l.tape = append(l.tape, i)
		if o.Match == Content {
			key := c.asked[i].key(o.Ignore)
			l.free[key] = append(l.free[key], len(l.tape)-1)
		}
	}
	p.Wire = fake.NewWire(p.answer, o.Wire)
	return p
}

func laneOf(h http.Header) string {
	if l := h.Get("X-Bench-Lane"); l != "" {
		return l
	}
	return providers.LaneMain
}

func (p *Player) lane(name string) *lane {
	l := p.lanes[name]
	if l == nil {
		l = &lane{name: name, free: map[string][]int{}, asked: map[int]int{}}
		p.lanes[name] = l
	}
	return l
}

// answer chooses what a request is answered with. The wire calls it for one
// request at a time.
func (p *Player) answer(ex *evidence.Exchange) *fake.Plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return refusal(p.found)
	}
	u, err := url.Parse(ex.Path)
	if err != nil {
		u = &url.URL{Path: ex.Path}
	}
	got := &question{ex.Method, u, string(ex.Body)}
	l := p.lane(ex.Lane)
	at, ok := p.choose(l, got, ex.N)
	if !ok {
		return refusal(p.found)
	}
	l.asked[at] = ex.N
	p.played[l.tape[at]] = true
	return p.plan(l.tape[at])
}

// choose returns the position in the lane of the interaction that answers a
// request; without one it sets the finding.
func (p *Player) choose(l *lane, got *question, n int) (at int, ok bool) {
	if p.o.Match == Content {
		key := got.key(p.o.Ignore)
		if free := l.free[key]; len(free) > 0 {
			l.free[key] = free[1:]
			return free[0], true
		}
		for at < len(l.tape) && p.played[l.tape[at]] {
			at++
		}
		p.found = p.wrong(l, at, got, n)
		return at, false
	}
	if l.fresh {
		l.fresh = false
		l.next = p.standing(l, got)
	}
	at = l.next
	if at < len(l.tape) && differ(&p.c.asked[l.tape[at]], got, p.o.Ignore) == "" {
		l.next++
		return at, true
	}
	p.found = p.wrong(l, at, got, n)
	return at, false
}

// wrong says how a request is not the one recorded at a position of its lane.
func (p *Player) wrong(l *lane, at int, got *question, n int) *Finding {
	switch {
	case at < len(l.tape):
		i := l.tape[at]
		d := differ(&p.c.asked[i], got, p.o.Ignore)
		return &Finding{Differs, fmt.Sprintf("interaction %d: %s%s", i+1, d, p.other(l, got)), p.c.Place(i), n}
	case at > 0:
		last := l.tape[at-1]
		return &Finding{Unexpected, fmt.Sprintf("request %d came on lane %s behind its last interaction (%d)", n, l.name, last+1), p.c.Place(last), n}
	default:
		return &Finding{Unexpected, fmt.Sprintf("request %d came on lane %s, which the recording does not have", n, l.name), p.c.path, n}
	}
}

// other names the interaction that the request would have been right for: that
// one was left out, or two were swapped.
func (p *Player) other(l *lane, got *question) string {
	for _, i := range l.tape {
		if differ(&p.c.asked[i], got, p.o.Ignore) == "" {
			return fmt.Sprintf(" (it is the request of interaction %d, line %d)", i+1, p.c.lines[i])
		}
	}
	return ""
}

// Findings says what is wrong if the run is over now: nothing, or one finding.
// A recording that was not played to its end is reported only if nothing went
// wrong before.
func (p *Player) Findings() []Finding {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return []Finding{*p.found}
	}
	u := p.unused()
	if len(u) == 0 {
		return nil
	}
	what := fmt.Sprintf("interaction %d on lane %s was never played", u[0]+1, laneOf(p.c.tape[u[0]].Request.Headers))
	if n := len(u) - 1; n > 0 {
		what += fmt.Sprintf(", nor were %d more", n)
	}
	return []Finding{{Unused, what, p.c.Place(u[0]), 0}}
}

// Unused names each interaction that was not played so far, as a sentence.
// Findings has them already, as one finding.
func (p *Player) Unused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, i := range p.unused() {
		q := &p.c.tape[i].Request
		out = append(out, fmt.Sprintf("%s: interaction %d (%s %s) was never played", p.c.Place(i), i+1, q.Method, q.URL))
	}
	return out
}

func (p *Player) unused() (out []int) {
	for i, done := range p.played {
		if !done {
			out = append(out, i)
		}
	}
	return out
}
