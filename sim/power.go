package sim

import (
	"maps"
	"math/rand/v2"

	"github.com/harnessbench/bench/evidence"
)

// PowerCut cuts the power: what was synced survives, and of what was not, any
// part that rng chooses. Of each file's changes since its last sync some first
// ones survive, the last of them torn at any byte, whatever became of other
// files. Of creations, removals and renames any survive, with their predecessors
// on the same names; each is whole or has not happened. One cut in four keeps
// nothing but what was synced, and one in four everything.
//
// Cut the power between lives, or right before Kill.
func (d *Disk) PowerCut(rng *rand.Rand) {
	switch rng.IntN(4) {
	case 0:
		d.PowerCutSynced()
	case 1:
		d.PowerCutBy(func(n int) int { return n - 1 })
	default:
		d.PowerCutBy(rng.IntN)
	}
}

// PowerCutSynced cuts the power and keeps exactly what was synced: the worst
// case of a journal that trusts a write, and the same one every time.
func (d *Disk) PowerCutSynced() { d.PowerCutBy(func(int) int { return 0 }) }

// PowerCutBy is PowerCut with every choice made by choose(n), which returns a
// number from 0 (less survives) to n-1 (more does). Trying all answers tries
// all outcomes.
func (d *Disk) PowerCutBy(choose func(n int) int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.pending {
		if choose(2) == 1 {
			o.commit() // and what it builds on, if that was not chosen
		}
	}
	d.pending = nil
	d.restart(d.root)
	walk(d.root, "", current, func(_ string, n *node) { n.cut(choose) })
	d.w.Trace(evidence.Step{Kind: evidence.StepPower})
}

// restart makes the durable entries the ones that everybody sees.
func (d *Disk) restart(n *node) {
	n.names = map[string]*node{}
	maps.Copy(n.names, n.durable)
	n.last = nil
	for _, below := range n.names {
		if below.folder {
			d.restart(below)
		}
	}
}

// cut keeps the durable content and some first part of the log.
func (n *node) cut(choose func(int) int) {
	steps := 0 // a step is a byte added or a cut
	for _, c := range n.log {
		steps += max(len(c.add), 1)
	}
	data := n.base
	if steps > 0 {
		left := choose(steps + 1)
		data = append([]byte{}, n.base...)
		for _, c := range n.log {
			if left == 0 {
				break
			}
			if c.add == nil {
				data = data[:c.cut]
				left--
				continue
			}
			kept := min(left, len(c.add))
			data = append(data, c.add[:kept]...)
			left -= kept
		}
	}
	n.data, n.locked = data, false
	n.sync()
}
