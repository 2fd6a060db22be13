package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// later answers what is asked when the kill comes so late that all is done.
const later = `reply times=0..9
    text "Nothing more."
`

// sweeps are what is killed at every point: a call with an effect, reads
// beside each other before a write, and a resume of a killed run. A process
// costs 10 ms: all but the first take every stride-th point, unless
// BENCH_EVERY_KILL is set.
var sweeps = []struct {
	name   string
	stride int
	text   string
}{
	{"call", 1, `realkill
provider r
at * ${K} kill
run 'append hello'
resume 'go on'
` + oneCall + later},
	{"batch", 5, `realkill
provider r
tool look read takes=1s
tool mark write takes=1s
at * ${K} kill
run 'look, look, mark'
resume 'go on'
-- r --
reply
    text "I " "will."
    call r1 look {}
    call r2 look {}
    call w1 mark {}
reply
    text "Done."
` + later},
	{"resume", 5, `realkill
provider r
at tool.ran t1 kill
run 'append hello'
at * ${K} kill
resume 'go on'
resume 'go on'
` + oneCall + later},
	{"gates", 11, `realkill
provider r
config summary_keep=1 result_bytes=1KB preview=100
tool look read takes=1s big=2KB
tool tasks
tool long write background takes=5s
permit task_create=ask:yes@3s *=allow
hook stop 'block=say more' allow
hook tool allow 'block=careful' allow
at * ${K} kill
run 'begin'
compact
resume 'and more'
resume 'go on'
-- r --
reply
    call r1 look {}
    call r2 look {}
    call k1 task_create {"subject":"write"}
    call b1 long {}
reply
    delay 10s
    text "Done, and this is said at some length, so that a summary is shorter than what it stands for."
reply
    call r3 look {}
reply
    text "Really done."
reply lane=summary times=0..2
    text "<summary>It is done.</summary>"
reply times=0..1
    text "And more."
` + later},
	{"torn", 11, `realkill
provider r
at append.torn assistant kill bytes=${K}
run 'append hello'
resume 'go on'
` + oneCall},
}

// TestRealKillIsTheSimulatedOne kills a real process at every visit of every
// point, and at bytes of a torn write. The engine itself compares what the kill
// has left, byte for byte, with the simulated kill: every file, everything
// shown, every request and every step; then it lets the resume go on from the
// real bytes. Any difference fails the variant.
func TestRealKillIsTheSimulatedOne(t *testing.T) {
	for _, c := range sweeps {
		stride := c.stride
		if os.Getenv("BENCH_EVERY_KILL") != "" {
			stride = 1
		} else if testing.Short() || raceEnabled {
			stride *= 9
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kills, vacuous := 0, 0
			for k := 1; vacuous == 0 && k < 1000; k += stride {
				text := says + strings.ReplaceAll(c.text, "${K}", fmt.Sprint(k))
				if c.name == "torn" && k > 250 {
					break // behind the line's end: the whole line
				}
				for _, r := range runText(t, Options{Run: realOnly}, text) {
					switch {
					case r.Status == Vacuous && strings.Contains(r.String(), "at * "):
						vacuous++
					case strings.Contains(r.Failure, "no session here") && !strings.Contains(r.Failure, "differ"):
						kills += r.Counts.Spawns // killed before there was one
					case unusedOnly(r): // a kill so late that nothing is asked again
						kills += r.Counts.Spawns
					case r.Status != Pass:
						t.Fatalf("k=%d: %s\n%s", k, r, r.Log)
					case r.Counts.Spawns == 0:
						t.Fatalf("k=%d: no process was killed", k)
					default:
						kills += r.Counts.Spawns
					}
				}
			}
			if want := 20; kills < want && stride == 1 {
				t.Errorf("%d real kills, want at least %d", kills, want)
			}
			t.Logf("%d real kills", kills)
		})
	}
}

// TestRealKillNoticesADifference: were the real process to do anything else,
// the variant would fail. Here its disk is not what the simulation has left.
func TestRealKillNoticesADifference(t *testing.T) {
	text := says + "provider r\nat tool.ran t1 kill\nrun 'append hello'\n" + oneCall
	file := tempFile(t, "s.txtar", text)
	sc, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	live := func(meddle func(dir string)) string {
		e := newEngine(sc, 0, 0)
		dir := t.TempDir()
		e.twin = &twin{dir: dir}
		meddle(dir)
		for _, o := range []op{{Line: 3, Name: "provider", Args: []string{"r"}}, {Line: 4, Name: "at", Args: []string{"tool.ran", "t1", "kill"}}, {Line: 5, Name: "run", Args: []string{"append hello"}}} {
			if _, err := e.obey(o); err != nil {
				t.Fatal(err)
			}
		}
		e.finish()
		if e.twin.spawns != 1 {
			t.Fatalf("%d processes", e.twin.spawns)
		}
		return e.differ
	}
	if d := live(func(string) {}); d != "" {
		t.Errorf("nothing was meddled with: %s", d)
	}
	d := live(func(dir string) {
		os.MkdirAll(dir+"/work", 0o700)
		os.WriteFile(dir+"/work/notes.txt", []byte("before\n"), 0o600)
	})
	contains(t, "a file that was there", d, "work/notes.txt")
	d = live(func(dir string) { os.WriteFile(dir+"/other", nil, 0o600) })
	contains(t, "a file too many", d, "other is on the real disk")
}

func TestDifferences(t *testing.T) {
	a := record{Shown: []evidence.Shown{{Seq: 1, Kind: "user"}}}
	b := record{Shown: []evidence.Shown{{Seq: 1, Kind: "call"}}}
	contains(t, "another event", diffRecords(a, b), "shown event 1 is", `"kind":"user"`, `"kind":"call"`)
	contains(t, "an event less", diffRecords(a, record{}), "shown event 1", "nothing real")
	a = record{Hooks: []evidence.Hook{{Kind: "stop", Outcome: "block"}}}
	contains(t, "a hook that was not asked", diffRecords(a, record{}), "asking of a hook 1 is", `"outcome":"block"`, "nothing real")
	a = record{Steps: []evidence.Step{{Seq: 1, Kind: evidence.StepSync}}}
	contains(t, "a step more", diffRecords(record{}, a), "step 1 is nothing simulated")
	a = record{Wire: []*evidence.Exchange{{N: 1, Reply: []byte("x")}}}
	b = record{Wire: []*evidence.Exchange{{N: 1, Reply: []byte("y")}}}
	contains(t, "another reply", diffRecords(a, b), "exchange 1 is")
	if d := diffRecords(a, a); d != "" {
		t.Error(d)
	}
	contains(t, "another byte", diffImages(map[string][]byte{"f": []byte("abc")}, map[string][]byte{"f": []byte("abd")}), "f differs at byte 2")
	contains(t, "a file less", diffImages(map[string][]byte{"f": nil}, nil), "f is on the simulated disk (0 bytes) and not on the real one")
}

// TestChildThatIsNone: a main that does not call LifeMain is found out.
func TestChildThatIsNone(t *testing.T) {
	text := says + "realkill\nprovider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\n" + oneCall
	all := runText(t, Options{Run: realOnly, Child: []string{"/bin/echo", "hi"}}, text)
	if all[0].Status != Fail {
		t.Error(all[0])
	}
	contains(t, "echo", all[0].Failure, "the child process never said hello", "scenarios.LifeMain", "hi")
}

// TestRealKillFlag makes real kills of what did not ask for them, and leaves
// power cuts simulated.
func TestRealKillFlag(t *testing.T) {
	kill := says + "provider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\n" + oneCall
	if r := one(t, Options{RealKill: true}, kill); r.Status != Pass || r.Counts.Spawns != 1 {
		t.Errorf("%s, %d processes", r, r.Counts.Spawns)
	}
	if r := one(t, Options{RealKill: true}, strings.Replace(kill, "t1 kill", "t1 powercut", 1)); r.Status != Pass || r.Counts.Spawns != 0 {
		t.Errorf("%s, %d processes", r, r.Counts.Spawns)
	}
}

// TestDamageReachesBothDisks: what a scenario does to a file between two lives
// happens on the real disk too.
func TestDamageReachesBothDisks(t *testing.T) {
	text := says + "realkill\nprovider r\nat tool.ran t1 kill\nrun 'append hello'\ndamage transcript append=torn\nresume 'go on'\nevents transcript ... quarantine ...\n" + oneCall
	for _, r := range runText(t, Options{}, text) {
		if r.Status != Pass {
			t.Errorf("%s\n%s", r, r.Log)
		}
	}
}

var realOnly = regexp.MustCompile(`/realkill$`)

// unusedOnly reports whether nothing is wrong but that a reply was not asked
// for again.
func unusedOnly(r Result) bool {
	if r.Status != Vacuous {
		return false
	}
	for _, f := range r.Findings {
		if !strings.Contains(f.What, "was never used") {
			return false
		}
	}
	return true
}
