package compact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

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
