package harness

import (
	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/providers"
)

// offer is what the model is offered: the registry's tools, less the deferred
// ones that were not revealed. It changes only when something is revealed.
type offer struct {
	revealed int
	made     bool
	list     []providers.Tool
	bytes    int // of all that is said of the tools
}

func (l *loop) offered() *offer {
	o := &l.offer
	if o.made && o.revealed == len(l.s.revealed) {
		return o
	}
	*o = offer{revealed: len(l.s.revealed), made: true, list: l.registryWith(l.s.revealed).AdvertiseWith(l.s.revealed)}
	for _, t := range o.list {
		o.bytes += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return o
}

// fixed is what every request carries beside the history.
func (l *loop) fixed() compact.Size {
	return compact.Size{Bytes: len(l.cfg.System) + l.offered().bytes}
}
