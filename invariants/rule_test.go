package invariants

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
)

// Every rule of the design that is built so far, by name.
var want = []string{
	"stop/blocks-decide", "stop/complete-only", "stop/typed-end", "stop/no-empty-success",
	"ladder/order", "ladder/progress", "ladder/bounded", "ladder/no-rerun",
	"record/before-publish", "record/preview-settles", "record/before-run", "record/no-forgery", "record/envelope", "record/two-ledgers",
	"resume/prefix", "resume/effect-once", "resume/completes", "resume/replay",
	"wire/legal", "wire/split-blind", "wire/protocol-blind", "wire/retry-after", "wire/backoff", "wire/no-storm", "wire/no-hopeless-retry",
	"tools/order", "context/pairs", "context/shrinks", "context/keeps-request", "context/order",
	"cancel/settles", "secrets/none", "run/deterministic", "bench/not-vacuous",
}

// A mechanism's id, a paper, a field report or a law from them.
var cites = regexp.MustCompile(`\b[A-O][0-9]{1,2}\b|arXiv:[0-9]{4}\.[0-9]{5}|field report|invariant [0-9]+ of the mechanisms`)

var report = regexp.MustCompile(`^[\w.-]+/[\w.-]+#[0-9]+$`)

func TestRules(t *testing.T) {
	var names []string
	for _, r := range All() {
		names = append(names, r.Name)
		if !cites.MatchString(r.Why) {
			t.Errorf("%s: Why cites nothing: %q", r.Name, r.Why)
		}
		for _, rep := range r.Reports {
			if !report.MatchString(rep) {
				t.Errorf("%s: %q is no REPOSITORY#ISSUE", r.Name, rep)
			}
		}
		for what, s := range map[string]string{"Summary": r.Summary, "Why": r.Why, "Example": r.Example} {
			if !strings.HasSuffix(s, ".") {
				t.Errorf("%s: %s is no sentence: %q", r.Name, what, s)
			}
		}
		if got, ok := Lookup(r.Name); !ok || got.Summary != r.Summary {
			t.Errorf("Lookup(%q) does not find it", r.Name)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("the rules are %v; want %v", names, want)
	}
	if _, ok := Lookup("stop/nothing"); ok {
		t.Error("Lookup finds a rule that is not there")
	}
	All()[0].Name = "changed"
	if All()[0].Name != want[0] {
		t.Error("All hands out its own list")
	}
}

// A rule that lacks something does not get into the list.
func TestListRefuses(t *testing.T) {
	whole := All()[0]
	for lack, change := range map[string]func(*Rule){
		"a name that is GROUP/NAME": func(r *Rule) { r.Group = "other" },
		"a summary":                 func(r *Rule) { r.Summary = "" },
		"a strength":                func(r *Rule) { r.Strength = "maybe" },
		"a reason":                  func(r *Rule) { r.Why = "" },
		"a public report":           func(r *Rule) { r.Reports = nil },
		"an example":                func(r *Rule) { r.Example = "" },
		"a known kind of evidence":  func(r *Rule) { r.Needs = []evidence.Kind{"gossip"} },
		"a check":                   func(r *Rule) { r.Check = nil },
	} {
		r := whole
		change(&r)
		if got := r.lacks(); got != lack {
			t.Errorf("lacks() = %q; want %q", got, lack)
		}
		if !panics(func() { list(func() []Rule { return []Rule{r} }) }) {
			t.Errorf("a rule without %s is taken into the list", lack)
		}
	}
	if !panics(func() { list(func() []Rule { return []Rule{whole, whole} }) }) {
		t.Error("a rule is taken into the list twice")
	}
}

func panics(f func()) (p bool) {
	defer func() { p = recover() != nil }()
	f()
	return
}

func TestMost(t *testing.T) {
	ev := &evidence.Evidence{}
	for range 7 {
		ev.Unused = append(ev.Unused, "a reply")
	}
	findings, _, _ := Check(ev, Options{Most: 3})
	if len(findings) != 3 || !strings.Contains(findings[2].What, "and 4 more") {
		t.Errorf("with Most: 3 there are %d findings, the last: %v", len(findings), findings[len(findings)-1])
	}
}

func TestPlace(t *testing.T) {
	for _, x := range []struct {
		p    Place
		want string
	}{
		{Place{}, ""},
		{Place{File: "a.jsonl", Line: 3}, "a.jsonl:3"},
		{Place{File: "a.jsonl", Line: 3, Seq: 4, Life: 2}, "a.jsonl:3 (record 4, life 2)"},
		{Place{File: "wire/2-main.reply", Exchange: 2}, "wire/2-main.reply (exchange 2)"},
	} {
		if got := x.p.String(); got != x.want {
			t.Errorf("%+v prints as %q; want %q", x.p, got, x.want)
		}
	}
}

// Evidence may be anything. No rule panics on it, and the same evidence gives
// the same findings.
func TestAnythingGoes(t *testing.T) {
	pool := poolOf(t)
	rounds := 500
	if testing.Short() {
		rounds = 100
	}
	for seed := range rounds {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		ev := garble(pool[rng.IntN(len(pool))], rng)
		a, aa, as := Check(ev, Options{Again: pool[0], OtherSchedule: pool[0]})
		b, ba, bs := Check(ev, Options{Again: pool[0], OtherSchedule: pool[0]})
		if !reflect.DeepEqual(a, b) || !slices.Equal(aa, ba) || !slices.Equal(as, bs) {
			t.Fatalf("seed %d: two checks of the same evidence differ:\n%v\n%v", seed, a, b)
		}
	}
}

// garble drops, doubles, swaps and alters parts of an evidence.
func garble(ev *evidence.Evidence, rng *rand.Rand) *evidence.Evidence {
	out := *ev
	lines := strings.SplitAfter(string(ev.Transcript), "\n")
	some := func(n int) bool { return rng.IntN(n) == 0 }
	for range 1 + rng.IntN(4) {
		if len(lines) < 2 {
			break
		}
		i, j := rng.IntN(len(lines)), rng.IntN(len(lines))
		switch rng.IntN(5) {
		case 0:
			lines = slices.Delete(slices.Clone(lines), i, i+1)
		case 1:
			lines = slices.Insert(slices.Clone(lines), j, lines[i])
		case 2:
			lines = slices.Clone(lines)
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines = slices.Clone(lines)
			if l := lines[i]; len(l) > 2 {
				lines[i] = l[:rng.IntN(len(l))]
			}
		case 4:
			lines = slices.Clone(lines)
			lines[i] = strings.NewReplacer(`"call":"c1"`, `"call":"c9"`, `"attempt":"a1"`, `"attempt":"a2"`, `"run":1`, `"run":2`,
				`"from":`, `"from":1`, `"to":`, `"to":9`, `"names":["c1"`, `"names":["c1","c9"`, `"code":"summary"`, `"code":"snip"`, `"lane":"main"`, `"lane":"summary"`,
				`"reason":"next_turn"`, `"reason":"model_fallback"`, `"state":"done"`, `"state":"never"`).Replace(lines[i])
		}
	}
	out.Trace = shuffled(ev.Trace, rng)
	out.Shown = shuffled(ev.Shown, rng)
	out.Hooks = shuffled(ev.Hooks, rng)
	out.Lives = shuffled(ev.Lives, rng)
	out.Runs = shuffled(ev.Runs, rng)
	out.Wire = nil
	for _, x := range shuffled(ev.Wire, rng) {
		y := *x
		if some(4) {
			y.Reply = y.Reply[:rng.IntN(len(y.Reply)+1)]
		}
		if some(6) {
			y.Body = y.Body[:rng.IntN(len(y.Body)+1)]
		}
		if some(6) {
			y.Attempt, y.Life = "a1", rng.IntN(3)
		}
		out.Wire = append(out.Wire, &y)
	}
	audit := ev.Audit
	if some(4) && len(audit) > 0 {
		audit = audit[:rng.IntN(len(audit))]
	}
	ledger := ev.Ledger
	if some(3) {
		ledger = append(slices.Clone(ledger), ledger...)
	}
	if some(4) {
		out.Given = int64(rng.IntN(8))
	}
	out.Load([]byte(strings.Join(lines, "")), audit, ledger)
	return &out
}

func shuffled[T any](list []T, rng *rand.Rand) []T {
	out := slices.Clone(list)
	if len(out) > 1 && rng.IntN(2) == 0 {
		i, j := rng.IntN(len(out)), rng.IntN(len(out))
		switch rng.IntN(3) {
		case 0:
			out[i], out[j] = out[j], out[i]
		case 1:
			out = slices.Delete(out, i, i+1)
		case 2:
			out = slices.Insert(out, i, out[j])
		}
	}
	return out
}
