package cassettes_test

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/providers/fake"
	"github.com/harnessbench/bench/scenarios"
)

var record = flag.Bool("record", false, "record the project's own cassettes again")

// own are the cassettes that the project recorded itself, each with the prompt
// that it begins with. testdata has the script of the upstream that answered,
// and a scenario that plays the cassette.
var own = []ownCassette{
	{"one-turn", "Say hello.", "Hello from a recording.", false},
	{"tool-loop", "Append two lines to notes.txt: first, and zweite, größer.", "Both lines are in notes.txt.", false},
	{"parallel-thinking", "Look at a.txt and b.txt, then note it.", "Both files are noted.", true},
}

type ownCassette struct {
	name, prompt, answer string
	look                 bool // it has the tool of that name
}

// TestRecord records the cassettes with the loop, the client and the network,
// through a recorder, from the fake provider on loopback. They are current as
// long as that gives the same bytes.
func TestRecord(t *testing.T) {
	for _, c := range own {
		t.Run(c.name, func(t *testing.T) {
			rec := recording(t, c)
			if *record {
				if err := rec.Save(c.name + ".yaml"); err != nil {
					t.Fatal(err)
				}
			}
			now := filepath.Join(t.TempDir(), "now.yaml")
			if err := rec.Save(now); err != nil {
				t.Fatal(err)
			}
			if a, b := read(t, c.name+".yaml"), read(t, now); !bytes.Equal(a, b) {
				t.Errorf("recorded now, it is another cassette; to keep that: go test ./cassettes -run TestRecord -record\n%s", b)
			}
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func recording(t *testing.T, c ownCassette) *cassettes.Recorder {
	t.Helper()
	script := "testdata/" + c.name + ".replies"
	s, err := fake.Parse(script, read(t, script), fake.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	server := fake.NewServer(s, fake.Options{})
	srv := httptest.NewServer(server.Handler())
	t.Cleanup(srv.Close)
	base, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	rec := cassettes.NewRecorder(elsewhere{base}, cassettes.Recording{
		Now:     func() time.Time { return time.Time{} }, // no durations: they differ each time
		Filters: []vcr.Filter{func(it *vcr.Interaction) error { it.Response.Headers.Del("Date"); return nil }},
	})
	res, _ := newBench(t, c, rec).live(c.prompt)
	if res.Reason != harness.Completed {
		t.Fatalf("the loop ended with %s: %s", res.Reason, res.Detail)
	}
	if f, u := server.Findings(), server.Unused(); f != nil || u != nil {
		t.Fatal(f, u)
	}
	return rec
}

// elsewhere sends a request to where the upstream really listens, so that the
// recording does not hold a port.
type elsewhere struct{ base *url.URL }

func (e elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = e.base.Scheme, e.base.Host
	return http.DefaultTransport.RoundTrip(r)
}

// Each cassette drives the whole loop to its end, however its bytes are cut.
func TestReplay(t *testing.T) {
	for _, c := range own {
		for _, o := range []cassettes.Options{{}, {Match: cassettes.Content}, {Piece: 1}, {Piece: 1 << 20}} {
			p := player(t, c.name, o)
			res, _ := newBench(t, c, p.Transport()).live(c.prompt)
			if res.Reason != harness.Completed || res.Text != c.answer {
				t.Errorf("%s, %+v: %s %q %s", c.name, o, res.Reason, res.Text, res.Detail)
			}
			if f := p.Findings(); f != nil {
				t.Errorf("%s, %+v: %v", c.name, o, f)
			}
		}
	}
}

func player(t *testing.T, name string, o cassettes.Options) *cassettes.Player {
	t.Helper()
	c, err := cassettes.Open(name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c.Player(o)
}

// Each also drives a scenario, whose engine advertises the same tools; others
// show a request that differs, and a life that ends too early.
func TestReplayInScenarios(t *testing.T) {
	files, err := filepath.Glob("../scenarios/replay-*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := scenarios.Run(t.Context(), scenarios.Options{
		Files: files, TempDir: t.TempDir(), KeepDir: t.TempDir(),
		Report: func(r scenarios.Result) {
			if r.Status != scenarios.Pass {
				t.Error(r)
			}
		},
	})
	if err != nil || sum.Scenarios != len(own)+2 {
		t.Errorf("%+v %v", sum, err)
	}
}

// The recording is changed, swapped, cut or lengthened: the loop ends, and
// the first difference is named.
func TestReplayOfAnotherRun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		edit   func([]string) []string // of the interactions, as text
		prompt string
		reason harness.Reason
		want   string
	}{
		{"changed prompt", nil, "Append one line.", harness.ModelError,
			`cassette/differs: interaction 1: $.messages[0].content[0].text: recorded "Append two lines to notes.txt: first, and zweite, größer.", got "Append one line."`},
		{"changed result", replace(1, "appended a line", "wrote a line"), "", harness.ModelError,
			`cassette/differs: interaction 2: $.messages[2].content[0].content`},
		{"changed tool", replace(0, "Count the calls", "Count calls"), "", harness.ModelError,
			`cassette/differs: interaction 1: $.tools[1].description: recorded "Count calls of this tool.", got "Count the calls of this tool."`},
		{"changed reply", replace(0, "notes.txt", "note.txt"), "", harness.ModelError,
			`cassette/differs: interaction 1: $.messages[0].content[0].text`},
		{"swapped", func(s []string) []string { return []string{s[1], s[0], s[2], s[3]} }, "", harness.ModelError,
			`cassette/differs: interaction 1: $.messages[1]: recorded {"role":"assistant",`},
		{"missing", func(s []string) []string { return append(s[:1:1], s[2:]...) }, "", harness.ModelError,
			`cassette/differs: interaction 2: $.messages[3]: recorded {"role":"assistant",`},
		{"the end is missing", func(s []string) []string { return s[:2] }, "", harness.ModelError,
			`cassette/unexpected: request 3 came on lane main behind its last interaction (2)`},
		{"one more", func(s []string) []string { return append(s, s[3]) }, "", harness.Completed,
			`cassette/unused: interaction 5 on lane main was never played`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := own[1]
			src := string(read(t, c.name+".yaml"))
			if tc.edit != nil {
				parts := strings.Split(src, "\n  - request:\n")
				src = strings.Join(append(parts[:1:1], tc.edit(parts[1:])...), "\n  - request:\n")
				src = strings.TrimSuffix(src, "\n") + "\n"
			}
			tape, err := cassettes.Parse("x.yaml", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			if tc.prompt == "" {
				tc.prompt = c.prompt
			}
			p := tape.Player(cassettes.Options{})
			res, _ := newBench(t, c, p.Transport()).live(tc.prompt)
			f := p.Findings()
			if len(f) != 1 || !strings.Contains(f[0].String(), tc.want) {
				t.Errorf("findings %v\nwant %s", f, tc.want)
			}
			if res.Reason != tc.reason {
				t.Errorf("the loop ended with %s: %s", res.Reason, res.Detail)
			}
			if tc.reason == harness.ModelError && !strings.Contains(res.Detail, f[0].Rule) {
				t.Errorf("the loop was not told: %s", res.Detail)
			}
		})
	}
}

func replace(i int, old, new string) func([]string) []string {
	return func(s []string) []string {
		s[i] = strings.Replace(s[i], old, new, 1)
		return s
	}
}

// The process dies at every point of the run, one after the other, and the
// next life plays the recording to its end. Where a call's outcome is unknown
// the request is another one than was recorded, and that is the finding.
func TestReplayAfterEveryDeath(t *testing.T) {
	for _, c := range own {
		t.Run(c.name, func(t *testing.T) {
			deaths, unknown := 0, 0
			for k := 0; ; k++ {
				p := player(t, c.name, cassettes.Options{})
				b := newBench(t, c, p.Transport())
				b.killAt = k
				res, crashed := b.live(c.prompt)
				if !crashed {
					if res.Reason != harness.Completed {
						t.Fatalf("%s: %s", res.Reason, res.Detail)
					}
					break
				}
				deaths++
				p.BeginLife()
				res, _ = b.live(c.prompt)
				found := p.Findings()
				if b.unknown() {
					unknown++
					if len(found) != 1 || found[0].Rule != cassettes.Differs || !strings.Contains(found[0].What, "unknown") || res.Reason != harness.ModelError {
						t.Errorf("visit %d: a call is unknown: %s, %v", k, res.Reason, found)
					}
					continue
				}
				if found != nil || res.Reason != harness.Completed || res.Text != c.answer {
					t.Errorf("visit %d: %s %q %s\n%v", k, res.Reason, res.Text, res.Detail, found)
				}
			}
			t.Logf("%d deaths, %d with an unknown call", deaths, unknown)
			if deaths < 30 || unknown == 0 && c.name != "one-turn" {
				t.Errorf("only %d deaths, %d unknown calls", deaths, unknown)
			}
		})
	}
}
