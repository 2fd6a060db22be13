package scenarios

import (
	"io"
	"mime"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/internal/splits"
	"github.com/harnessbench/bench/providers/protocol"
)

// streams are the event streams that scenarios brought, each once: what
// differs only in digits (ids, counts, repetitions of one reply) is one stream.
type streams struct {
	mu    sync.Mutex
	seen  map[string]stream
	asked map[string]bool // protocols in which any request was made
}

type stream struct {
	of   string // the protocol
	from string // the variant
	body []byte
}

// add is Options.Evidence. The variant with the first name gives the bytes, so
// that they do not depend on which ran first.
func (s *streams) add(r Result, all []*evidence.Evidence) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen, s.asked = map[string]stream{}, map[string]bool{}
	}
	for _, ev := range all {
		for _, x := range ev.Wire {
			p := protocol.Of(x.Path)
			if p == nil {
				continue
			}
			s.asked[p.Name] = true
			kind, _, _ := mime.ParseMediaType(http.Header(x.Head).Get("Content-Type"))
			if kind != "text/event-stream" || len(x.Reply) == 0 {
				continue
			}
			shape := p.Name + " " + withoutDigits(x.Reply)
			if old, ok := s.seen[shape]; !ok || r.Name < old.from {
				s.seen[shape] = stream{p.Name, r.Name, x.Reply}
			}
		}
	}
}

func withoutDigits(b []byte) string {
	out := slices.Clone(b)
	for i, c := range out {
		if '1' <= c && c <= '9' {
			out[i] = '0'
		}
	}
	return string(out)
}

// blind reads each stream in many ways: every one of them must say the same
// (wire/split-blind).
func (s *streams) blind(t *testing.T) {
	t.Helper()
	effort := splits.Effort{Seed: 1, Two: 512, Sample: 16} // longer ones in combs: each place is a boundary in one
	if testing.Short() || raceEnabled {
		effort = splits.Effort{Seed: 1, Two: 64, Comb: 8, Sample: 4, Random: 2}
	}
	shapes := make([]string, 0, len(s.seen))
	for k := range s.seen {
		shapes = append(shapes, k)
	}
	slices.Sort(shapes)
	ways, count := 0, map[string]int{}
	for _, k := range shapes {
		x := s.seen[k]
		p, err := protocol.Named(x.of)
		if err != nil {
			t.Fatal(err)
		}
		n, err := splits.Blind(func(r io.Reader) splits.Events { return p.Decoder(r) }, x.body, effort)
		if ways += n; err != nil {
			t.Errorf("%s: a stream of %s, %d bytes: %v\n%s", x.from, x.of, len(x.body), err, x.body)
		}
		count[x.of]++
	}
	t.Logf("streams that differ in more than digits: %v, read in %d ways", count, ways)
	for name := range s.asked {
		if count[name] == 0 {
			t.Errorf("%s was spoken, and no stream of it was seen", name)
		}
	}
}
