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

func TestBudgetEdit(t *testing.T) {
	mixed := history("p", "u150000,100000")
	mixed[1].Results[0].Read = true
	for _, c := range []struct {
		name  string
		units []Unit
		bytes int // MessageBytes
		want  []string
	}{
		{"exactly the limit", history("p", "u100000,100000"), 200_000, nil},
		{"one more", history("p", "u100000,100001"), 200_000, []string{"c2"}},
		{"the largest first", history("p", "u60000,90000,80000"), 200_000, []string{"c2"}},
		{"until it fits, told in call order", history("p", "u90000,60000,100000"), 70_000, []string{"c1", "c3"}},
		{"of equal ones the first", history("p", "u100001,100001"), 200_000, []string{"c1"}},
		{"of many equal ones the first", history("p", "u"+strings.Join(repeat(15, "6000", "10001"), ",")), 240_000, []string{"c2"}},
		{"until it fits exactly", history("p", "u60000,50000"), 50_000 + previewBytes(Result{Call: "c1", Bytes: 60_000}, 2000), []string{"c1"}},
		{"one less", history("p", "u60000,50000"), 50_000 + previewBytes(Result{Call: "c1", Bytes: 60_000}, 2000) - 1, []string{"c1", "c2"}},
		{"what was read does not count", mixed, 200_000, nil},
		{"no limit", history("p", "u900000"), 0, nil},
		{"only the last step", history("p", "s900000", "u10"), 200_000, nil},
		{"not once it was read", history("p", "s900000"), 200_000, nil},
		{"behind it notes and a prompt", history("p", "u900000", "n", "p"), 200_000, []string{"c1"}},
		{"nothing that a preview would not shrink", history("p", "u"+strings.Join(repeat(100, "2050"), ",")), 200_000, nil},
		{"no step", history("p"), 0, nil},
		{"nothing", nil, 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, ok := BudgetEdit(c.units, Limits{MessageBytes: c.bytes, Preview: 2000})
			if ok != (c.want != nil) || !slices.Equal(e.Calls, c.want) {
				t.Fatalf("%v, %v; want %v", e.Calls, ok, c.want)
			}
			if !ok {
				return
			}
			out := apply(t, c.units, e)
			if !Reduced(e) || Sum(out).Bytes >= Sum(c.units).Bytes {
				t.Errorf("not smaller: %+v", e)
			}
			r := out[1].Results[slices.IndexFunc(out[1].Results, func(r Result) bool { return r.Call == c.want[0] })]
			was := c.units[1].Results[slices.IndexFunc(out[1].Results, func(r Result) bool { return r.Call == c.want[0] })]
			if want := len(PreviewOf(strings.Repeat("x", was.Bytes), 2000, r.Call, was.Bytes)); r.Bytes != want || !r.Short {
				t.Errorf("%+v; the preview has %d bytes", r, want)
			}
		})
	}
	// An image is not shown by a preview, so it stays.
	units := history("p", "u300000")
	units[1].Results[0].Images, units[1].Images = 1, 1
	e, _ := BudgetEdit(units, Defaults())
	if out := apply(t, units, e); out[1].Images != 1 || out[1].Results[0].Images != 1 {
		t.Errorf("%+v", out[1])
	}
}

func TestSnipEdit(t *testing.T) {
	l := Limits{SnipOver: 10, SnipFirst: 3, SnipLast: 4}
	for _, c := range []struct {
		name  string
		words []string
		l     Limits
		want  string // "" for no edit
	}{
		{"exactly the limit", append([]string{"p", "n"}, repeat(4, "s1000")...), l, ""},
		{"one more", append([]string{"p", "n", "n"}, repeat(4, "s1000")...), l, "p n n n2 s+ s+"},
		{"a unit on the edge stays whole", append([]string{"p", "p"}, repeat(5, "s1000")...), l, "p p s+ n2 s+ s+"},
		{"a tail's too", append(append([]string{"p"}, repeat(5, "s1000")...), "n"), l, "p s+ n2 s+ s+ n"},
		{"prompts in between survive", []string{"p", "s1000", "s1000", "p", "s1000", "p", "s1000", "s1000", "s1000"}, l, "p s+ n3(p@31)(p@51) s+ s+"},
		{"notes do not", []string{"p", "s1000", "s1000", "n", "s1000", "s1000", "s1000"}, l, "p s+ n2 s+ s+"},
		{"never", repeat(99, "p", "s1000"), Limits{SnipFirst: 3, SnipLast: 4}, ""},
		{"nothing between", repeat(6, "s1000"), Limits{SnipOver: 10, SnipFirst: 6, SnipLast: 6}, ""},
		{"only prompts between", append(append([]string{"p", "s1000"}, repeat(9, "p")...), "s1000", "s1000"), l, ""},
		{"too little to be worth a marker", append([]string{"p"}, repeat(5, "s1")...), l, ""},
		{"an unread result stays", append([]string{"p"}, "s1000", "s1000", "s1000", "u1000", "n", "n", "n", "n"), l, "p s+ n2 s+ n n n n"},
		{"keeping nothing", append([]string{"p"}, repeat(5, "s1000")...), Limits{SnipOver: 10}, "n5(p@1)"},
		{"all new", nil, l, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			units := history(c.words...)
			e, ok := SnipEdit(units, c.l)
			if ok != (c.want != "") {
				t.Fatalf("%+v, %v", e, ok)
			}
			if !ok {
				return
			}
			out := apply(t, units, e)
			if got := draw(out); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if e, ok := SnipEdit(out, c.l); ok {
				t.Errorf("a second time: %+v", e)
			}
		})
	}
}

// A later snip takes the marker of an earlier one in, with what it stands for.
func TestSnipWidens(t *testing.T) {
	l := Limits{SnipOver: 10, SnipFirst: 3, SnipLast: 4}
	all := history("p", "s1000", "s1000", "p", "s1000", "s1000", "s1000", "p", "s1000", "s1000", "s1000", "s1000")
	units := all[:7:7]
	e, _ := SnipEdit(units, l)
	if units = apply(t, units, e); draw(units) != "p s+ n2(p@31) s+ s+" || e.Text != SnipText(2) {
		t.Fatalf("%s: %+v", draw(units), e)
	}
	e, _ = SnipEdit(append(units, all[7:]...), l)
	units = apply(t, append(units, all[7:]...), e)
	if got := draw(units); got != "p s+ n6(p@31)(p@71) s+ s+" {
		t.Error(got)
	}
	if e.From != 21 || e.To != 101 || e.Text != SnipText(6) || !slices.Equal(e.Kept, []int64{31, 71}) {
		t.Errorf("%+v", e)
	}
	// With other limits the marker would stand in what stays at the beginning
	// (it is taken in all the same) or at the end (nothing is snipped).
	more := append(slices.Clone(units), history(repeat(14, "s1000")...)[12:]...)
	if e, _ := SnipEdit(more, Limits{SnipOver: 10, SnipFirst: 6, SnipLast: 2}); draw(apply(t, more, e)) != "p s+ n9(p@31)(p@71) s+" {
		t.Errorf("%s", draw(Apply(more, e)))
	}
	if e, ok := SnipEdit(more, Limits{SnipOver: 10, SnipFirst: 1, SnipLast: 9}); ok {
		t.Errorf("%+v", e)
	}
	// Behind a summary the marker stands nearer to the beginning; still only what
	// is before the end is hidden.
	sum := append(history("n", "s1000"), Unit{Kind: Note, From: 21, To: 31, Bytes: 90, Steps: 3})
	sum = append(sum, history(repeat(8, "s1000")...)[3:]...)
	sum[0].Kind = Summary
	if e, ok := SnipEdit(sum, Limits{SnipOver: 1, SnipFirst: 5, SnipLast: 9}); ok {
		t.Errorf("%+v", e)
	}
	// A summary is not hidden by a snip.
	more[1].Kind, more[1].Results = Summary, nil
	if e, _ := SnipEdit(more, Limits{SnipOver: 6, SnipLast: 4}); draw(apply(t, more, e)) != "p sum n8(p@31)(p@71) s+ s+" {
		t.Errorf("%s", draw(Apply(more, e)))
	}
}

func TestMicroEdit(t *testing.T) {
	stub := stubBytes(Result{Tool: "read_file", Call: "c1", Bytes: 4000})
	small := stubBytes(Result{Tool: "read_file", Call: "c1", Bytes: 90})
	for _, c := range []struct {
		name   string
		units  []Unit
		tokens int
		l      Limits
		want   string
	}{
		{"at four fifths", history("s4000", "s4000"), 800, Limits{CompactAt: 1000}, ""},
		{"one more, and one is enough", history("s4000", "s4000"), 801, Limits{CompactAt: 1000}, "s- s+"},
		{"exactly enough", history("s4000", "s4000"), 800 + (4000-stub)/4, Limits{CompactAt: 1000}, "s- s+"},
		{"one token short", history("s4000", "s4000"), 800 + (4000-stub)/4 + 1, Limits{CompactAt: 1000}, "s- s-"},
		{"the newest stay", history("s4000", "s4000,4000", "s4000"), 9999, Limits{CompactAt: 1000, MicroKeep: 2}, "s- s-+ s+"},
		{"all of them are new", history("s4000", "s4000"), 9999, Limits{CompactAt: 1000, MicroKeep: 2}, ""},
		{"unread ones stay, and count as new", history("s4000", "s4000", "u4000,4000"), 9999, Limits{CompactAt: 1000, MicroKeep: 1}, "s- s- s++"},
		{"exactly the size", history("s4000", "s4001"), 9999, Limits{CompactAt: 1000, MicroOver: 4000}, "s+ s-"},
		{"a stub that is no smaller", history(fmt.Sprintf("s%d", small)), 9999, Limits{CompactAt: 1000}, ""},
		{"a stub that is one byte smaller", history(fmt.Sprintf("s%d", small+1)), 9999, Limits{CompactAt: 1000}, "s-"},
		{"without a limit, all", history("s4000", "s4000"), 0, Limits{}, "s- s-"},
		{"nothing", nil, 9999, Limits{CompactAt: 1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, ok := MicroEdit(c.units, c.tokens, c.l)
			if ok != (c.want != "") {
				t.Fatalf("%+v, %v", e, ok)
			}
			if !ok {
				return
			}
			out := apply(t, c.units, e)
			if got := draw(out); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if e, ok := MicroEdit(out, c.tokens-e.Saved(), c.l); ok {
				t.Errorf("a second time: %+v", e)
			}
		})
	}
}

func TestDrains(t *testing.T) {
	units := history("p", "s2000,2001", "s9000", "u9000")
	units[2].Results[0].Short = true
	e, ok := CollapseEdit(units, Defaults())
	if !ok || !slices.Equal(e.Calls, []string{"c2"}) {
		t.Fatalf("%+v, %v", e, ok)
	}
	out := apply(t, units, e)
	if r := out[1].Results[1]; r.Bytes != len(StubOf("read_file", "c2", 2001)) || !r.Short {
		t.Errorf("%+v", r)
	}
	if e, ok := CollapseEdit(out, Defaults()); ok {
		t.Errorf("a second time: %+v", e)
	}
	if e, ok := MediaEdit(units); ok {
		t.Errorf("there are no images: %+v", e)
	}
	// Images go, read or not; a result whose images are gone is left alone.
	for i, images := range []int{0, 2, 1, 3} {
		units[i].Images = images
		for k := range units[i].Results[:min(1, len(units[i].Results))] {
			units[i].Results[k].Images = images
		}
	}
	units[2].Results[0].Bare = true
	e, ok = MediaEdit(units)
	if !ok || !slices.Equal(e.Calls, []string{"c1", "c4"}) {
		t.Fatalf("%+v, %v", e, ok)
	}
	out = apply(t, units, e)
	if r := out[3].Results[0]; r.Images != 0 || !r.Bare || r.Short || r.Bytes != 9000+len(MediaStub(3)) {
		t.Errorf("%+v", r)
	}
	if e.After.Images != 1 || !Reduced(e) || !Gain(e.Before, e.After) {
		t.Errorf("%+v", e)
	}
	if e, ok := MediaEdit(out); ok {
		t.Errorf("a second time: %+v", e)
	}
	// A stub stands for the images too.
	e, _ = CollapseEdit(history("s9000"), Defaults())
	one := history("s9000")
	one[0].Images, one[0].Results[0].Images = 1, 1
	if e, _ = CollapseEdit(one, Defaults()); e.After.Images != 0 || apply(t, one, e)[0].Images != 0 {
		t.Errorf("%+v", e)
	}
}

func TestSummaryEdit(t *testing.T) {
	for _, c := range []struct {
		name  string
		words []string
		keep  int
		want  string
	}{
		{"two hundred steps behind one prompt", append([]string{"p"}, repeat(200, "s1000")...), 5, "sum195(p@1) s+ s+ s+ s+ s+"},
		{"exactly what is kept", []string{"p", "s1000", "s1000"}, 3, ""},
		{"one more, but it is the request", []string{"p", "s1000", "s1000"}, 2, ""},
		{"two more", []string{"p", "s1000", "s1000"}, 1, "sum1(p@1) s+"},
		{"everything but the request", []string{"p", "s1000", "s1000"}, 0, "sum2(p@1)"},
		{"less than nothing", []string{"p", "s1000", "s1000"}, -1, "sum2(p@1)"},
		{"of several prompts the last", []string{"p", "s1000", "p", "s1000", "s1000"}, 1, "sum2(p@21) s+"},
		{"none if one stands behind", []string{"p", "s1000", "p", "s1000", "s1000"}, 3, "sum1 p s+ s+"},
		{"unread results stay, and what is behind them", []string{"p", "s1000", "u1000", "n"}, 0, "sum1(p@1) s+ n"},
		{"an unread result first", []string{"u1000", "s1000", "p"}, 0, ""},
		{"the request alone", []string{"p"}, 0, ""},
		{"prompts alone, the request apart", []string{"p", "p"}, 0, "sum(p@11)"},
		{"nothing", nil, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			units := history(c.words...)
			from, to, inner, could := SummaryRange(units, c.keep)
			e, ok := SummaryEdit(units, c.keep, "short")
			if ok != (c.want != "") || could != ok || from != e.From || to != e.To {
				t.Fatalf("%+v, %v; the range says %d..%d, %v", e, ok, from, to, could)
			}
			if !ok {
				return
			}
			if inner[0].From != from || inner[len(inner)-1].To != to {
				t.Errorf("inner is %d..%d", inner[0].From, inner[len(inner)-1].To)
			}
			out := apply(t, units, e)
			if got := draw(out); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if e, ok := SummaryEdit(out, c.keep, "shorter"); ok {
				t.Errorf("a second time: %+v", e)
			}
		})
	}
}

// A chain of summaries and snips keeps one of each, and the request.
func TestSummaryTakesInWhatStandsBefore(t *testing.T) {
	units := history("p", "s1000", "s1000", "p", "s1000", "s1000", "s1000", "s1000")
	e, _ := SnipEdit(units, Limits{SnipOver: 6, SnipFirst: 3, SnipLast: 2})
	units = apply(t, units, e)
	if got := draw(units); got != "p s+ n4(p@31) s+" {
		t.Fatal(got)
	}
	e, ok := SummaryEdit(units, 1, "one")
	units = apply(t, units, e)
	if got := draw(units); !ok || got != "sum5(p@31) s+" {
		t.Fatal(got)
	}
	if units[0].Bytes != len("one")+10 {
		t.Errorf("%+v", units[0])
	}
	units = append(units, history(repeat(10, "s1000")...)[8:]...)
	e, ok = SummaryEdit(units, 1, "two")
	units = apply(t, units, e)
	if got := draw(units); !ok || got != "sum7(p@31) s+" {
		t.Fatal(got)
	}
	next := history(append(repeat(10, "s1000"), "p", "s1000", "s1000")...)[10:]
	units = append(units, next...)
	e, ok = SummaryEdit(units, 1, "three")
	units = apply(t, units, e)
	if got := draw(units); !ok || got != "sum9(p@101) s+" {
		t.Fatal(got)
	}
	// A marker with nothing new behind it is not summarised again either.
	units[0] = Unit{Kind: Note, From: 1, To: 121, Bytes: 90, Steps: 9}
	if e, ok := SummaryEdit(units, 1, "four"); ok {
		t.Errorf("%+v", e)
	}
}

// An edit's range takes units whole: one that it only touches stays, and one
// that is gone is no error.
func TestApplyRange(t *testing.T) {
	units := history("p", "s1000", "s1000", "s1000")
	for _, c := range []struct {
		from, to int64
		want     string
	}{
		{11, 31, "p n2 s+"},
		{12, 31, "p s+ n1 s+"},
		{11, 30, "p n1 s+ s+"},
		{12, 20, "p s+ s+ s+"},
		{11, 11, "p s+ s+ s+"},
		{0, 0, "p s+ s+ s+"},
		{500, 600, "p s+ s+ s+"},
		{-5, 600, "n3(p@1)"},
	} {
		if got := draw(Apply(units, Edit{Stage: Snip, From: c.from, To: c.to, Text: "x"})); got != c.want {
			t.Errorf("[%d,%d): %s, want %s", c.from, c.to, got, c.want)
		}
	}
	// Chained: an inner boundary inside what a later one keeps changes nothing
	// of it (earendil-works/pi#4570).
	once := Apply(units, Edit{Stage: Snip, From: 11, To: 31, Text: "x"})
	if got := Apply(once, Edit{Stage: Snip, From: 21, To: 31, Text: "y"}); !reflect.DeepEqual(got, once) {
		t.Error(draw(got))
	}
	if got := Apply(once, Edit{Stage: Micro, Calls: []string{"c1", "nobody"}}); !reflect.DeepEqual(got, once) {
		t.Error(draw(got))
	}
	// Kept is followed where it is there.
	if got := draw(Apply(history("p", "p", "s1000"), Edit{Stage: Summary, From: 1, To: 31, Kept: []int64{1}})); got != "sum1(p@1)" {
		t.Error(got)
	}
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
