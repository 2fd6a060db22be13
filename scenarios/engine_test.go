package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/protocol"
)

func TestMain(m *testing.M) {
	LifeMain()
	if os.Getenv(bareEnv) != "" {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runFiles runs scenario files and returns what came of each variant.
func runFiles(t testing.TB, o Options, files ...string) ([]Result, Summary) {
	t.Helper()
	var all []Result
	o.Files = files
	if o.KeepDir == "" {
		o.KeepDir = t.TempDir()
	}
	if o.Protocols == nil {
		o.Protocols = []string{protocol.Anthropic} // the first says enough, but where all are meant
	}
	o.Report = func(r Result) { all = append(all, r) }
	sum, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return all, sum
}

// runText runs one scenario that is given as text.
func runText(t testing.TB, o Options, text string) []Result {
	t.Helper()
	all, _ := runFiles(t, o, tempFile(t, "s.txtar", text))
	return all
}

// TestShipped runs every scenario that lies here, in every protocol, and reads
// every stream that came in other pieces.
func TestShipped(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var seen streams
	o := Options{Protocols: protocol.Names(), Evidence: seen.add}
	if raceEnabled {
		o.Protocols = o.Protocols[:1] // what runs beside what does not depend on the wire
	}
	all, sum := runFiles(t, o, files...)
	for _, r := range all {
		if r.Status != Pass {
			t.Errorf("%s\n%s", r, r.Log)
		}
	}
	t.Log(sum)
	seen.blind(t)
}

func contains(t *testing.T, what, s string, subs ...string) {
	t.Helper()
	for _, sub := range subs {
		if !strings.Contains(s, sub) {
			t.Errorf("%s does not say %q:\n%s", what, sub, s)
		}
	}
}
