package invariants

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// Pool is filled by the external tests, which have the builder.
var Pool func(t testing.TB) []*evidence.Evidence

func poolOf(t testing.TB) []*evidence.Evidence { return Pool(t) }

// NewCase is newCase, for benchmarks of single rules.
func NewCase(ev *evidence.Evidence, o Options) *Case { return newCase(ev, o) }
