package sim

import "time"

// timer is one moment in the future: a sleeper wakes, or a context ends. It
// lies inside what it belongs to, so arming one allocates nothing.
type timer struct {
	when  time.Duration
	seq   uint64 // among equal times, the one armed first
	pos   int    // in the heap, from 1; 0: not armed
	sleep *task
	ctx   *timedContext
}

// timers is a binary heap, soonest first.
type timers []*timer

func (a *timer) before(b *timer) bool {
	return a.when < b.when || a.when == b.when && a.seq < b.seq
}

func (h *timers) push(t *timer) {
	*h = append(*h, t)
	t.pos = len(*h)
	h.up(t.pos)
}

func (h *timers) remove(t *timer) {
	i, last := t.pos, len(*h)
	h.swap(i, last)
	(*h)[last-1] = nil
	*h = (*h)[:last-1]
	t.pos = 0
	if i < last {
		h.up(i)
		h.down(i)
	}
}

func (h timers) swap(i, j int) {
	h[i-1], h[j-1] = h[j-1], h[i-1]
	h[i-1].pos, h[j-1].pos = i, j
}

func (h timers) up(i int) {
	for i > 1 && h[i-1].before(h[i/2-1]) {
		h.swap(i, i/2)
		i /= 2
	}
}

func (h timers) down(i int) {
	for {
		c := 2 * i
		if c > len(h) {
			return
		}
		if c < len(h) && h[c].before(h[c-1]) {
			c++
		}
		if !h[c-1].before(h[i-1]) {
			return
		}
		h.swap(i, c)
		i = c
	}
}
