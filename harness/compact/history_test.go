package compact

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// session is a conversation that grows, as a loop would grow it.
type session struct {
	units []Unit
	seq   int64
	calls int
	steps int
}

// grow adds n units: an answer reads all results before it.
func (s *session) grow(t *rapid.T, n int) {
	for range n {
		u := Unit{Kind: rapid.SampledFrom([]Kind{Step, Step, Step, Prompt, Note}).Draw(t, "kind"), From: s.seq, Bytes: rapid.IntRange(0, 3000).Draw(t, "bytes")}
		if u.Kind == Prompt {
			u.Images = rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "prompt images")
		}
		if u.Kind == Step {
			s.steps++
			units := clone(s.units)
			for i := range units {
				for k := range units[i].Results {
					units[i].Results[k].Read = true
				}
			}
			s.units = units
			for range rapid.IntRange(0, 4).Draw(t, "results") {
				s.calls++
				r := Result{
					Call: fmt.Sprintf("c%d", s.calls), Tool: rapid.SampledFrom([]string{"grep", "read_file", "a b\n"}).Draw(t, "tool"),
					Bytes: rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(0, 20_000)).Draw(t, "result"), Images: rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(t, "images"),
				}
				u.Results = append(u.Results, r)
				u.Bytes += r.Bytes
				u.Images += r.Images
			}
		}
		s.seq += int64(rapid.IntRange(1, 5).Draw(t, "records"))
		u.To = s.seq
		s.units = append(s.units, u)
	}
}

func drawLimits(t *rapid.T) Limits {
	n := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
	return Limits{
		MessageBytes: n("message", 0, 30_000), Preview: n("preview", 0, 3000),
		CompactAt: n("compact", -1, 20_000), BlockAt: n("block", -1, 20_000),
		SnipOver: n("snip over", -1, 20), SnipFirst: n("snip first", 0, 8), SnipLast: n("snip last", 0, 20),
		MicroKeep: n("micro keep", -1, 8), MicroOver: n("micro over", 0, 3000),
		CollapseOver: n("collapse", 0, 3000), SummaryKeep: n("keep", 0, 8),
	}
}

// holds is what every edit leaves true.
func holds(t *rapid.T, before []Unit, e Edit) []Unit {
	t.Helper()
	after := apply(t, before, e)
	if again := Apply(after, e); !reflect.DeepEqual(again, after) {
		t.Fatalf("%s applied twice:\n%+v\n%+v", e.Stage, after, again)
	}
	// Ranges still follow each other, from the first record to the last.
	for i := 1; i < len(after); i++ {
		if after[i].From != after[i-1].To {
			t.Fatalf("%s: %d..%d stands behind ..%d", e.Stage, after[i].From, after[i].To, after[i-1].To)
		}
	}
	if after[0].From != before[0].From || after[len(after)-1].To != before[len(before)-1].To {
		t.Fatalf("%s: an end is missing", e.Stage)
	}
	// Steps stay whole, with their results; only the results that are named are
	// smaller, and those not read yet only by the budget, or without their images.
	at := map[int64]Unit{}
	for _, u := range after {
		at[u.From] = u
	}
	for _, u := range before {
		n, ok := at[u.From]
		there := ok && n.Kind == u.Kind && n.To == u.To
		if u.Kind == Step && !there && u.unread() {
			t.Fatalf("%s hid a result that was not read", e.Stage)
		}
		if !there {
			continue
		}
		rest := func(u Unit) (s Size) {
			s = Size{u.Bytes, u.Images}
			for _, r := range u.Results {
				s = s.plus(-r.Bytes, -r.Images)
			}
			return s
		}
		if len(n.Results) != len(u.Results) || u.Kind == Step && rest(n) != rest(u) {
			t.Fatalf("%s: %+v became %+v", e.Stage, u, n)
		}
		for k, r := range u.Results {
			if m := n.Results[k]; m != r && (!slices.Contains(e.Calls, r.Call) || m.Call != r.Call || m.Tool != r.Tool || m.Read != r.Read ||
				!r.Read && e.Stage != Budget && e.Stage != Media) {
				t.Fatalf("%s: %+v became %+v", e.Stage, r, m)
			}
		}
	}
	// The request survives; but for a summary all that the user said does.
	var said, left []Unit
	prompts(before, func(u *Unit) { said = append(said, *u) })
	prompts(after, func(u *Unit) { left = append(left, *u) })
	if e.Stage == Summary {
		said, left = said[max(len(said)-1, 0):], left[max(len(left)-1, 0):]
	}
	if !reflect.DeepEqual(said, left) {
		t.Fatalf("%s: the user said %+v, left is %+v", e.Stage, said, left)
	}
	markers, summaries, steps := 0, 0, 0
	for i, u := range after {
		if e.To > 0 && u.From == e.From {
			size := Sum(u.Kept).plus(len(e.Text), 0)
			if size != (Size{u.Bytes, u.Images}) || u.To != e.To {
				t.Fatalf("%s: %+v stands for it: %+v", e.Stage, u, e)
			}
		}
		steps += u.steps()
		if u.marker() {
			markers++
		}
		if u.Kind == Summary {
			summaries++
			if i != 0 {
				t.Fatalf("a summary stands at %d", i)
			}
		}
	}
	was := 0
	for _, u := range before {
		was += u.steps()
	}
	if markers > 1 || summaries > 1 || steps != was {
		t.Fatalf("%s: %d markers, %d summaries, %d steps of %d: %s", e.Stage, markers, summaries, steps, was, draw(after))
	}
	return after
}

// A session grows, is planned, summarised and drained, over and over.
func TestSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLimits(t)
		s := &session{seq: 1}
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			s.grow(t, rapid.IntRange(1, 12).Draw(t, "units"))
			tokens := rapid.IntRange(0, 40_000).Draw(t, "tokens")
			before := clone(s.units)
			edits, summarise, units, left := Plan(s.units, tokens, l)
			if !reflect.DeepEqual(s.units, before) {
				t.Fatal("Plan changed its input")
			}
			saved := 0
			for i, e := range edits {
				if !Reduced(e) || i > 0 && slices.Index([]Stage{Budget, Snip, Micro}, edits[i-1].Stage) >= slices.Index([]Stage{Budget, Snip, Micro}, e.Stage) {
					t.Fatalf("%d: %+v", i, e)
				}
				if e.Stage != Budget && !pressed(tokens-saved, l) {
					t.Fatalf("%s without need", e.Stage)
				}
				saved += e.Saved()
				s.units = holds(t, s.units, e)
			}
			if !reflect.DeepEqual(s.units, units) || left != max(tokens-saved, 0) {
				t.Fatalf("the plan leaves %d tokens of %d less %d and\n%+v\nits edits\n%+v", left, tokens, saved, units, s.units)
			}
			if again, _, _, _ := Plan(units, left, l); len(again) != 0 {
				t.Fatalf("planned twice: %+v", again)
			}
			if could := func() bool { _, _, _, ok := SummaryRange(units, l.SummaryKeep); return ok }(); summarise != (pressed(left, l) && could) {
				t.Fatalf("summarise is %v", summarise)
			}
			if summarise || rapid.Bool().Draw(t, "summary anyway") {
				if e, ok := SummaryEdit(s.units, l.SummaryKeep, "what happened"); ok {
					s.units = holds(t, s.units, e)
				}
				if e, ok := SummaryEdit(s.units, l.SummaryKeep, "what happened"); ok {
					t.Fatalf("summarised twice: %+v", e)
				}
			}
			for name, stage := range map[string]func([]Unit) (Edit, bool){
				"snip": func(u []Unit) (Edit, bool) { return SnipEdit(u, l) },
				"micro": func(u []Unit) (Edit, bool) {
					return MicroEdit(u, 0, Limits{MicroOver: l.MicroOver, MicroKeep: l.MicroKeep})
				},
				"budget":   func(u []Unit) (Edit, bool) { return BudgetEdit(u, l) },
				"collapse": func(u []Unit) (Edit, bool) { return CollapseEdit(u, l) },
				"media":    MediaEdit,
			} {
				e, ok := stage(s.units)
				if !ok {
					continue
				}
				if !Reduced(e) && e.Stage != Budget {
					t.Fatalf("%+v does not shrink", e)
				}
				out := holds(t, s.units, e)
				if e, ok := stage(out); ok {
					t.Fatalf("%s twice: %+v\n%s\n%s\n%+v", name, e, draw(s.units), draw(out), l)
				}
			}
			if s.steps != func() (n int) {
				for _, u := range s.units {
					n += u.steps()
				}
				return n
			}() {
				t.Fatal("a step is not accounted for")
			}
		}
	})
}
