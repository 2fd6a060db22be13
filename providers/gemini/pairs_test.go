package gemini

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// searched is what pairs finds, found by looking at every call.
type searched struct {
	calls []pending
	last  int
}

func (s *searched) answered(id, name string) (string, string, bool) {
	at := -1
	for i, c := range s.calls {
		switch {
		case id != "" && c.id == id:
			at = i
		case id == "" && c.name == name && !c.done && (at < 0 || at < s.last && i >= s.last):
			at = i
		}
	}
	if at < 0 {
		return id, "", true
	}
	c := &s.calls[at]
	c.done = true
	return c.id, c.name, c.bare == (id == "")
}

// Conversations of every kind: results that are late, missing, too many, of no
// call, with ids where calls have none, and the other way round.
func TestPairsAreThoseOfASearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	early, none := 0, 0
	for range 2000 {
		var p pairs
		var s searched
		for range 1 + r.IntN(5) {
			p.turn(providers.Assistant)
			s.last = len(s.calls)
			for range r.IntN(5) {
				id, name := pick("", "", "x", "y", "z"), pick("a", "b", "c")
				call := pending{id: p.called(id, name), name: name, bare: id == ""}
				s.calls = append(s.calls, call)
			}
			p.turn(providers.User)
			for range r.IntN(5) {
				id, name := pick("", "", "", "x", "y", "#1", "none"), pick("a", "b", "c", "none")
				wantID, wantName, wantSame := s.answered(id, name)
				gotID, gotName, same := p.answered(id, name)
				if gotID != wantID || gotName != wantName || same != wantSame {
					t.Fatalf("a result %q of %s answers %q of %s, %v; want %q of %s, %v\ncalls: %+v", id, name, gotID, gotName, same, wantID, wantName, wantSame, s.calls)
				}
				if wantName == "" {
					none++
				} else if at := p.byID[gotID]; at < p.last {
					early++
				}
			}
		}
	}
	if early < 1000 || none < 1000 {
		t.Errorf("%d results of earlier answers, %d of no call; want 1000 of each", early, none)
	}
}

// What a result costs does not grow with the calls before it.
func TestPairsAreLinear(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(p *pairs, n int)
	}{
		{"one answer", func(p *pairs, n int) {
			p.turn(providers.Assistant)
			for range n {
				p.called("", "a")
			}
			p.turn(providers.User)
			for range n {
				p.answered("", "a")
			}
		}},
		{"many answers, and too many results", func(p *pairs, n int) {
			for range n {
				p.turn(providers.Assistant)
				p.called("", "a")
				p.turn(providers.User)
				p.answered("", "a")
				p.answered("", "a")
			}
		}},
		{"late results, in the order of the calls", func(p *pairs, n int) {
			for range n {
				p.turn(providers.Assistant)
				p.called("", "a")
			}
			for range n {
				p.turn(providers.User)
				p.turn(providers.Assistant)
				p.answered("", "a")
			}
		}},
		{"many names", func(p *pairs, n int) {
			p.turn(providers.Assistant)
			for i := range n {
				p.called("", fmt.Sprint(i%100))
			}
			for i := range n {
				p.answered("", fmt.Sprint(99-i%100))
			}
		}},
		{"results of ids, and behind them those without", func(p *pairs, n int) {
			p.turn(providers.Assistant)
			for i := range n {
				p.called(fmt.Sprint(i), "a")
			}
			for i := range n / 2 {
				p.answered(fmt.Sprint(i), "")
			}
			for range n {
				p.answered("", "a")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			looked := func(n int) int {
				var p pairs
				c.run(&p, n)
				return p.looked
			}
			few, many := looked(1000), looked(4000)
			if few < 500 || few > 4000 || many > 5*few {
				t.Errorf("1000 calls make it look at %d, 4000 at %d; want 500 to 4000, and 4 times as many", few, many)
			}
		})
	}
}
