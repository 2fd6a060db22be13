package journal_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/sim"
)

type killer struct {
	m *sim.Machine
	n int
	w *sim.World
	cut bool
	rng *rand.Rand
}

func (k *killer) Hit(s env.Site) error {
	k.n--
	if k.n == 0 {
		if k.cut {
			k.w.Disk.PowerCut(k.rng)
		}
		k.m.Kill("test")
	}
	return nil
}

func TestSim(t *testing.T) {
	count := 0
	for n := 1; n < 60; n++ {
		for seed := range uint64(20) {
			w := sim.NewWorld(seed)
			n2 := n
			k := &killer{n: n, w: w, cut: seed > 0, rng: rand.New(rand.NewPCG(seed, uint64(n)))}
			for life := 0; ; life++ {
				m := w.Boot(k)
				k.m = m
				var fin bool
				out := m.Run(func() {
					e := m.Env("session")
					j, l, err := journal.Open(e)
					if errors.Is(err, journal.ErrNoSession) {
						j, _, err = journal.Create(e, e.IDs.Session(), journal.Record{})
						l = &journal.Loaded{}
					}
					if err != nil {
						t.Errorf("n %d seed %d life %d: %v", n, seed, life, err)
						return
					}
					_ = l
					for i := range 3 {
						if err := j.Commit("x", &journal.Record{Kind: journal.KindUser, Text: fmt.Sprint(i)}, &journal.Record{Kind: journal.KindNotice}); err != nil {
							t.Error(err)
							return
						}
					}
					if err := j.Anchor(); err != nil {
						t.Error(err)
					}
					j.Close()
					fin = true
				})
				if out.Panic != "" || out.Deadlock != "" {
					t.Fatal(out)
				}
				if fin || t.Failed() {
					break
				}
				count++
				n2 /= 2
				k.n = n2
			}
			im := w.Disk.Image()
			if err := journal.Verify(im["session/transcript.jsonl"], im["session/audit.jsonl"], im["session/audit.head"]); err != nil {
				t.Errorf("n %d seed %d: %v", n, seed, err)
			}
			if t.Failed() { return }
		}
	}
	t.Log(count, "deaths")
}
