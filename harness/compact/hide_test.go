package compact

import (
	"reflect"
	"slices"
	"testing"
)

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

// Asked for again with nothing new but the asking, a summary stays what it is
// (openclaw/openclaw#120663); with a step of work beside it there is something
// to summarise.
func TestSummaryOfTheAskingAlone(t *testing.T) {
	ask := Unit{Kind: Step, From: 11, To: 14, Bytes: 2000, Results: []Result{{Call: "c2", Tool: AskTool, Bytes: 100, Read: true}}}
	work := ask
	work.Results = []Result{{Call: "c2", Tool: "look", Bytes: 100, Read: true}}
	for _, c := range []struct {
		unit Unit
		ok   bool
	}{{ask, false}, {work, true}} {
		units := []Unit{{Kind: Summary, From: 1, To: 11, Bytes: 3000, Steps: 2}, c.unit, {Kind: Step, From: 14, To: 16, Bytes: 40}}
		if _, _, _, ok := SummaryRange(units, 1); ok != c.ok {
			t.Errorf("behind a call of %s: %v, want %v", c.unit.Results[0].Tool, ok, c.ok)
		}
	}
}
