package invariants

import (
	"hash/maphash"
	"sync"
)

// Memo remembers bytes that a rule has proved good, so that a caller who
// checks many runs of one scenario (a sweep, a repetition) does not have the
// same request judged and the same reply decoded a thousand times. Only good
// outcomes are kept: a finding is always made anew. It may be used by many
// checks at once.
type Memo struct {
	seed maphash.Seed
	mu   sync.Mutex
	good map[memoKey]bool
}

type memoKey struct {
	what string
	size int
	sum  uint64
}

// NewMemo returns an empty memo.
func NewMemo() *Memo { return &Memo{seed: maphash.MakeSeed(), good: map[memoKey]bool{}} }

// proof is one thing that may be known to be good.
type proof struct {
	m   *Memo
	key memoKey
}

// proof of what about b; on a nil memo nothing is ever known.
func (m *Memo) proof(what string, b []byte) proof {
	if m == nil {
		return proof{}
	}
	return proof{m, memoKey{what, len(b), maphash.Bytes(m.seed, b)}}
}

func (p proof) known() bool {
	if p.m == nil {
		return false
	}
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	return p.m.good[p.key]
}

func (p proof) keep() {
	if p.m == nil {
		return
	}
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	p.m.good[p.key] = true
}
