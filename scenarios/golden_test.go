package scenarios

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sebdah/goldie/v2"

	"github.com/harnessbench/bench/evidence"
)

// What a person reads: transcript and audit of ten scenarios, without times
// and hashes. `go test ./scenarios -run Golden -update` writes them anew; read
// the difference before you commit it.
func TestGolden(t *testing.T) {
	for _, name := range []string{
		"killed-after-effect",
		"stop-before-call/end-turn",
		"stop-tool-use-without-call/empty",
		"stop-refusal/call",
		"stream-cut/in-call",
		"call-truncated/cut",
		"call-duplicate-ids/other-input",
		"batch-order",
		"abort-in-batch/writes",
		"crash-batch/second-ran",
	} {
		t.Run(name, func(t *testing.T) {
			file, _, _ := strings.Cut(name, "/")
			var got []byte
			sum, err := Run(context.Background(), Options{
				Files: []string{filepath.Join(file + ".txtar")},
				Run:   regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$"),
				Evidence: func(_ Result, all []*evidence.Evidence) {
					for _, ev := range all {
						got = append(got, "-- transcript --\n"...)
						got = append(got, evidence.Normalise(ev.Transcript)...)
						got = append(got, "-- audit --\n"...)
						got = append(got, evidence.NormaliseAudit(ev.Audit)...)
					}
				},
			})
			if err != nil || sum.Passed != 1 {
				t.Fatalf("%s: %v, %v", name, sum, err)
			}
			goldie.New(t, goldie.WithFixtureDir("testdata/golden"), goldie.WithNameSuffix(".txt"), goldie.WithDiffEngine(goldie.ColoredDiff)).
				Assert(t, strings.ReplaceAll(name, "/", "-"), got)
		})
	}
}
