package compact

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// history builds units from words: p a prompt, n a note, s a step of one read
// result, u a step of one unread result, each followed by its result's bytes;
// "s100,200" has two results. Answers, prompts and notes have 10 bytes. Units
// have ten records each, and results the calls c1, c2, ...
func history(words ...string) []Unit {
	var units []Unit
	calls := 0
	for i, w := range words {
		u := Unit{Kind: Step, From: int64(10*i + 1), To: int64(10*i + 11), Bytes: 10}
		switch w[0] {
		case 'p':
			u.Kind = Prompt
		case 'n':
			u.Kind = Note
		case 's', 'u':
			for _, n := range strings.Split(w[1:], ",") {
				r := Result{Tool: "read_file", Read: w[0] == 's'}
				calls++
				r.Call = fmt.Sprintf("c%d", calls)
				if _, err := fmt.Sscan(n, &r.Bytes); err != nil {
					panic(err)
				}
				u.Results = append(u.Results, r)
				u.Bytes += r.Bytes
			}
		}
		units = append(units, u)
	}
	return units
}

func repeat(n int, words ...string) []string {
	var all []string
	for range n {
		all = append(all, words...)
	}
	return all
}

// draw shows units in one line.
func draw(units []Unit) string {
	var b strings.Builder
	for i, u := range units {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte(string(u.Kind)[0])
		if u.Kind == Summary {
			b.WriteString("um")
		}
		if u.Kind != Step && u.Steps > 0 {
			fmt.Fprint(&b, u.Steps)
		}
		for _, r := range u.Results {
			switch {
			case r.Short:
				b.WriteByte('-')
			case r.Bare:
				b.WriteByte('~')
			default:
				b.WriteByte('+')
			}
		}
		for _, k := range u.Kept {
			fmt.Fprintf(&b, "(p@%d)", k.From)
		}
	}
	return b.String()
}

func clone(units []Unit) []Unit {
	out := slices.Clone(units)
	for i := range out {
		out[i].Results = slices.Clone(out[i].Results)
		out[i].Kept = clone(out[i].Kept)
	}
	return out
}

// apply is Apply that watches its input, the sizes that the edit tells, and
// that it needs no Kept.
func apply(t interface {
	Helper()
	Fatalf(string, ...any)
}, units []Unit, e Edit) []Unit {
	t.Helper()
	before := clone(units)
	out := Apply(units, e)
	if !reflect.DeepEqual(units, before) {
		t.Fatalf("%s changed its input:\n%+v\n%+v", e.Stage, before, units)
	}
	if e.Before != Sum(units) || e.After != Sum(out) {
		t.Fatalf("%s tells %+v -> %+v and does %+v -> %+v", e.Stage, e.Before, e.After, Sum(units), Sum(out))
	}
	e.Kept = nil
	if again := Apply(units, e); !reflect.DeepEqual(out, again) {
		t.Fatalf("%s without Kept:\n%+v\n%+v", e.Stage, out, again)
	}
	return out
}

func TestPlan(t *testing.T) {
	l := Limits{MessageBytes: 50_000, Preview: 100, CompactAt: 10_000, SnipOver: 10, SnipFirst: 1, SnipLast: 6, MicroOver: 120, SummaryKeep: 1}
	long := append([]string{"p"}, repeat(8, "s8000")...)
	for _, c := range []struct {
		name      string
		words     []string
		tokens    int
		change    func(*Limits)
		stages    []Stage
		summarise bool
	}{
		{"one token below", long, 9_999, nil, nil, false},
		{"at it: snip is enough", long, 10_000, nil, []Stage{Snip}, false},
		{"micro sees what snip left, and is enough", long, 25_000, nil, []Stage{Snip, Micro}, false},
		{"a summary is asked behind both", long, 27_000, nil, []Stage{Snip, Micro}, true},
		{"the budget is always held", append(long, "u60000"), 0, nil, []Stage{Budget}, false},
		{"and counts first", append(long, "u60000"), 24_000, nil, []Stage{Budget}, false},
		{"never compact", long, 1 << 40, func(l *Limits) { l.CompactAt = 0 }, nil, false},
		{"nothing helps but a summary", append([]string{"p"}, repeat(4, "s1")...), 10_000, nil, nil, true},
		{"nothing helps", []string{"p", "u1"}, 10_000, nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := l
			if c.change != nil {
				c.change(&l)
			}
			units := history(c.words...)
			edits, summarise, out, tokens := Plan(units, c.tokens, l)
			var stages []Stage
			saved := 0
			for _, e := range edits {
				stages = append(stages, e.Stage)
				saved += e.Saved()
				units = apply(t, units, e)
			}
			if !slices.Equal(stages, c.stages) || summarise != c.summarise {
				t.Errorf("%v, summarise %v", stages, summarise)
			}
			if !reflect.DeepEqual(units, out) || tokens != max(c.tokens-saved, 0) {
				t.Errorf("%s\n%s\n%d tokens less %d are %d", draw(units), draw(out), c.tokens, saved, tokens)
			}
		})
	}
}

func TestBlocked(t *testing.T) {
	for _, c := range []struct {
		tokens, at int
		want       bool
	}{{99, 100, false}, {100, 100, true}, {101, 100, true}, {math.MaxInt, 0, false}, {math.MaxInt, -1, false}} {
		if got := Blocked(c.tokens, Limits{BlockAt: c.at}); got != c.want {
			t.Errorf("Blocked(%d, %d) = %v", c.tokens, c.at, got)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		s    Size
		want int
	}{{Size{}, 0}, {Size{1, 0}, 1}, {Size{4, 0}, 1}, {Size{5, 0}, 2}, {Size{0, 1}, 1600}, {Size{9, 2}, 3203}} {
		if got := c.s.Tokens(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.s, got, c.want)
		}
	}
	for _, c := range []struct {
		before, after Size
		reduced, gain bool
	}{
		{Size{1000, 0}, Size{1000, 0}, false, false},
		{Size{1000, 0}, Size{999, 0}, true, false},
		{Size{1000, 0}, Size{901, 0}, true, false},
		{Size{1000, 0}, Size{900, 0}, true, true},
		{Size{1000, 0}, Size{1001, 0}, false, false},
		{Size{734_000 * 4, 0}, Size{707_000 * 4, 0}, true, false},
		{Size{0, 0}, Size{0, 0}, false, false},
		{Size{100, 1}, Size{160, 0}, true, true},               // a line for an image
		{Size{100, 0}, Size{10, 1}, false, true},               // no stage adds an image
		{Size{100, 1}, Size{100 + 6400, 0}, false, false},      // a text as large as the image
		{Size{100_000, 100}, Size{80_000, 100}, true, true},    // a fifth of the bytes, little of the tokens
		{Size{100_000, 100}, Size{100_050, 80}, true, true},    // the other way round
		{Size{100_000, 100}, Size{100_050, 100}, false, false}, // larger
	} {
		e := Edit{Before: c.before, After: c.after}
		if Reduced(e) != c.reduced || Gain(c.before, c.after) != c.gain {
			t.Errorf("%+v -> %+v: reduced %v, gain %v", c.before, c.after, Reduced(e), Gain(c.before, c.after))
		}
	}
}

func TestStages(t *testing.T) {
	var names []Stage
	for _, s := range Stages() {
		names = append(names, s.Stage)
		if s.Summary == "" || s.Threshold == "" || s.Source == "" {
			t.Errorf("%s is not described", s.Stage)
		}
	}
	if want := []Stage{"budget", "snip", "micro", "summary", "collapse", "media"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
}
