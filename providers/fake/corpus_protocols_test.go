package fake

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vendor returns the protocol of a recorded request to OpenAI's or Google's own
// servers; "" of any other: those that imitate them are of other minds.
func vendor(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	switch host := u.Host; {
	case host == "api.openai.com", strings.HasSuffix(host, ".googleapis.com"):
	default:
		return ""
	}
	if p := protocolFor("POST", u.Path); p != nil {
		return p.name()
	}
	return ""
}

// TestCorpusProtocols holds CheckRequest against what the real APIs said: whatever
// they answered with 2xx is legal.
func TestCorpusProtocols(t *testing.T) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS is not set")
	}
	good, bad := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, all := readRecording(t, path)
		for _, r := range all {
			p := vendor(r.url)
			if p == "" || p == "anthropic" || len(r.body) == 0 {
				continue
			}
			refusal := CheckRequest(p, r.body)
			short := strings.TrimPrefix(path, root)
			switch {
			case r.status/100 == 2:
				good[p]++
				if refusal != nil && refusal.Level == API {
					t.Errorf("%s: %s answered %d, but refused here: %v", short, p, r.status, refusal)
				} else if refusal != nil {
					t.Logf("%s: %s: accepted by the API, strict: %s", short, p, refusal.Message)
				}
			case r.status == 400:
				bad[p]++
				t.Logf("%s: %s: refused with %v, and the API said %.300s", short, p, refusal, r.reply)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("requests answered 2xx: %v; 400: %v", good, bad)
	for _, p := range Protocols()[1:] {
		if good[p] < 50 {
			t.Errorf("only %d requests of %s found: the corpus is not what it was, or is not read", good[p], p)
		}
	}
}
