package main

import (
	"strings"
	"testing"

	"github.com/harnessbench/bench/scenarios"
)

// The table of faults and rules names the rules of the catalogue, with 0 for one
// that was never judged, and counts the others.
func TestFaultsTimesRules(t *testing.T) {
	cov := &coverage{}
	for range 2 {
		cov.add(scenarios.Result{Cover: scenarios.Cover{
			Faults: []string{"tool-slow"}, Judged: []string{"tool-slow tools/order", "tool-slow wire/legal", "tool-slow wire/backoff"},
		}})
	}
	var b strings.Builder
	if err := cov.judged.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "faults x rules; each rule that can go red, with how many variants it was judged in:\n" +
		"  tool-slow: tools/order 2, record/before-run 0, and 2 more\n"
	if b.String() != want {
		t.Errorf("\n got %s\nwant %s", b.String(), want)
	}
	b.Reset()
	if err := (&coverage{}).judged.write(&b); err != nil || b.String() != "" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
