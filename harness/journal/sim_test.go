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

// killer ends its machine's life at the n-th point from now, some with a power cut.
type killer struct {
	w   *sim.World
	m   *sim.Machine
	rng *rand.Rand
	n   int
}

func (k *killer) Hit(s env.Site) error {
	if k.n--; k.n == 0 {
		if k.rng != nil {
			k.w.Disk.PowerCut(k.rng)
		}
		k.m.Kill("at " + string(s.Point))
	}
	return nil
}

// TestSimulatedMachine kills a session at every probe point, and again in the
// life after it, on the machine that scenarios use.
func TestSimulatedMachine(t *testing.T) {
	deaths := 0
	for n := 1; n < 60; n++ {
		for seed := range uint64(4) {
			w := sim.NewWorld(seed)
			k := &killer{w: w}
			if seed > 0 {
				k.rng = rand.New(rand.NewPCG(seed, uint64(n)))
			}
			for done, next := false, n; !done; next /= 2 {
				k.m, k.n = w.Boot(k), next
				out := k.m.Run(func() { done = life(t, k.m.Env("session")) })
				if out.Panic != "" || out.Deadlock != "" || t.Failed() {
					t.Fatalf("killed at point %d, seed %d: %+v", n, seed, out)
				}
				if out.Crashed {
					deaths++
				}
			}
			image := w.Disk.Image()
			if err := journal.Verify(image["session/transcript.jsonl"], image["session/audit.jsonl"], image["session/audit.head"]); err != nil {
				t.Errorf("killed at point %d, seed %d: %v", n, seed, err)
			}
		}
	}
	if deaths < 100 {
		t.Errorf("%d deaths prove nothing", deaths)
	}
}

func life(t *testing.T, e env.Env) bool {
	j, _, err := journal.Open(e)
	if errors.Is(err, journal.ErrNoSession) {
		j, _, err = journal.Create(e, e.IDs.Session(), journal.Record{})
	}
	if err != nil {
		t.Error(err)
		return true
	}
	defer j.Close()
	for i := range 3 {
		if err := j.Commit("test", &journal.Record{Kind: journal.KindUser, Text: fmt.Sprint(i)}, &journal.Record{Kind: journal.KindNotice}); err != nil {
			t.Error(err)
			return true
		}
	}
	if err := j.Anchor(); err != nil {
		t.Error(err)
	}
	return true
}
