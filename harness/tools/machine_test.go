package tools_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/sim"
)

// machine is where a test runs: the simulated one, in virtual time, and the
// real one, where the race detector sees more.
type machine struct {
	name  string
	short time.Duration // passes while a test waits for it
	long  time.Duration // does not
	run   func(t *testing.T, probe env.Probe, main func(e env.Env))
}

var realMachine = machine{
	name: "real", short: time.Millisecond, long: time.Hour,
	run: func(t *testing.T, probe env.Probe, main func(e env.Env)) {
		main(env.Env{Clock: env.RealClock(), Probe: probe})
	},
}

// simulated is the simulated machine with a seed, which is its schedule.
func simulated(seed uint64) machine {
	return machine{
		name: fmt.Sprintf("sim%d", seed), short: 30 * time.Second, long: time.Hour,
		run: func(t *testing.T, probe env.Probe, main func(e env.Env)) {
			t.Helper()
			m := sim.NewWorld(seed).Boot(probe)
			out := m.Run(func() { main(m.Env("session")) })
			if out.Panic != "" || out.Deadlock != "" || out.Crashed || len(out.Left) > 0 {
				t.Errorf("the life ended badly: %+v", out)
			}
		},
	}
}

// on runs a test on every machine.
func on(t *testing.T, test func(t *testing.T, m machine)) {
	t.Run(realMachine.name, func(t *testing.T) { test(t, realMachine) })
	for seed := range uint64(12) {
		m := simulated(seed)
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// probe remembers its visits, and may do something at one.
type probe struct {
	mu     sync.Mutex
	visits []env.Site
	at     env.Point
	do     func() error
}

func (p *probe) Hit(s env.Site) error {
	p.mu.Lock()
	p.visits = append(p.visits, s)
	do := p.do
	if s.Point != p.at {
		do = nil
	}
	p.mu.Unlock()
	if do != nil {
		return do()
	}
	return nil
}

func (p *probe) points() []env.Point {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []env.Point
	for _, s := range p.visits {
		out = append(out, s.Point)
	}
	return out
}
