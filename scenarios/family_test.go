package scenarios

import (
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// Evidence of the first protocol is kept for variants that will ask for it, and
// no longer.
func TestFamiliesKeepNothingForNobody(t *testing.T) {
	sc, err := check(parseSource("f.txtar", []byte(says+"provider r\nrun hi\n-- r --\nreply\n    text \"x\"\n")))
	if err != nil {
		t.Fatal(err)
	}
	all := []*evidence.Evidence{{}}
	first := func() *engine { return newEngine(sc, 0, 0) }

	var alone families
	alone.join(sc, 0)
	alone.leave(first(), all)
	if len(alone.left) > 0 {
		t.Error("kept, though nobody else runs")
	}

	var two families
	for i := range 3 {
		two.join(sc, i)
	}
	two.leave(first(), all)
	for i, kept := range []int{1, 0} {
		if got := two.other(newEngine(sc, i+1, 0), true); len(got) != 1 || got[0] != all[0] {
			t.Errorf("variant %d is compared with %v", i+1, got)
		}
		if len(two.left) != kept {
			t.Errorf("behind variant %d %d are kept, want %d", i+1, len(two.left), kept)
		}
	}
}
