package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Drawn is one scenario that was drawn: the text of its file, and the seed of
// its schedule.
type Drawn struct {
	Text string
	Seed uint64
}

// Generator draws whole scenarios: what is configured, what the model says, what
// the tools do, who dies where, and who goes on. Every rule is to hold for each
// of them. Choices come in an order in which the smallest is the plainest, so
// that what rapid shrinks becomes plain.
func (s Space) Generator() *rapid.Generator[Drawn] {
	return rapid.Custom(func(t *rapid.T) Drawn {
		d := &drawing{T: t, space: s, tools: map[string]bool{}}
		return Drawn{Text: d.scenario(), Seed: rapid.Uint64Range(0, 1<<20).Draw(t, "seed")}
	})
}

// theme is what a scenario is about. What it is about it has much of, and little
// beside, so that the parts of one mechanism meet each other; one without a
// theme has some of everything.
type theme string

const (
	mixed    theme = "mixed"
	calls    theme = "calls"    // batches, early calls, permits, the background
	crashes  theme = "crashes"  // kills, power cuts, failed writes, resumes
	ladder   theme = "ladder"   // errors, cut answers, empty ones, fallbacks
	contexts theme = "contexts" // small windows, large results, summaries
	gates    theme = "gates"    // hooks, the completion gate, the judge, nudges
	broken   theme = "faults"   // of the catalogue
)

// drawing is a scenario on its way.
type drawing struct {
	*rapid.T
	space  Space
	theme  theme
	script strings.Builder
	head   strings.Builder
	tools  map[string]bool // that the script calls

	whole  bool // answers come whole: they cannot be as broken as streams
	long   bool // as many steps as snipping needs
	goal   bool // there is a judge
	counts bool // the tokens of answers decide something
}

func (d *drawing) pick(name string, of ...string) string {
	return rapid.SampledFrom(of).Draw(d.T, name)
}

func (d *drawing) n(name string, from, to int) int { return rapid.IntRange(from, to).Draw(d.T, name) }

// rare is true once in so many; what shrinks is not.
func (d *drawing) rare(name string, in int) bool { return d.n(name, 0, in-1) == in-1 }

// about is true often in scenarios of a theme, sometimes in mixed ones, and
// seldom in others.
func (d *drawing) about(name string, of ...theme) bool {
	in := 12
	if d.theme == mixed {
		in = 3
	}
	for _, t := range of {
		if t == d.theme {
			in = 2
		}
	}
	return d.rare(name, in)
}

func (d *drawing) say(f string, a ...any)   { fmt.Fprintf(&d.script, f+"\n", a...) }
func (d *drawing) stage(f string, a ...any) { fmt.Fprintf(&d.head, f+"\n", a...) }

// header is the comment that a scenario must begin with.
const header = "# Drawn by the fuzzer: the rules hold whatever happens.\n# From: bench fuzz.\n"

func (d *drawing) scenario() string {
	themes := []theme{calls, crashes, ladder, contexts, gates, mixed, mixed, mixed}
	if len(d.space.Faults) > 0 {
		themes = append(themes, broken, broken)
	}
	d.theme = rapid.SampledFrom(themes).Draw(d.T, "theme")
	var b strings.Builder
	b.WriteString(header)
	d.config()
	d.replies()
	d.guards()
	protocols := d.protocols()
	if len(protocols) > 0 { // first, where the reducer expects it
		fmt.Fprintf(&b, "protocol %s\n", strings.Join(protocols, " "))
	}
	var faults []string
	if len(d.space.Faults) > 0 && d.about("faults", broken) {
		for range d.n("faults", 1, 2) {
			faults = append(faults, d.fault(protocols))
		}
	}
	b.WriteString(d.head.String())
	for _, l := range slices.Concat(d.toolLines(), []string{"provider replies.script"}, faults) {
		b.WriteString(l + "\n")
	}
	d.moves(&b)
	b.WriteString("\n-- replies.script --\n")
	b.WriteString(d.script.String())
	return b.String()
}

// moves are the runs and the resumes, and what happens to them.
func (d *drawing) moves(b *strings.Builder) {
	disasters := d.n("disasters", 0, 1)
	if d.theme == crashes {
		disasters = d.n("disasters here", 1, 2)
	}
	for range disasters {
		fmt.Fprintf(b, "at %s\n", d.disaster())
	}
	if d.theme == contexts && d.rare("compact first", 6) {
		b.WriteString("compact\n")
	}
	fmt.Fprintf(b, "run 'begin%s'\n", d.pick("asked", "", ", and run the tests"))
	if d.rare("again", 3) {
		b.WriteString("run 'again'\n")
	}
	for range d.n("resumes", 0, 3) {
		if disasters > 0 && d.rare("disaster", 2) {
			fmt.Fprintf(b, "at %s\n", d.disaster())
		}
		if d.about("compact", contexts) {
			b.WriteString("compact\n")
		}
		b.WriteString("resume 'go on'\n")
	}
}
