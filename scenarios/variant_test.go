package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/protocol"
)

func TestVariants(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		want        []string
	}{
		{"all", "protocol all\nrealkill\n", append([]string{"f", "f/realkill"}, others("f")...)},
		{"without the line", "", append([]string{"f"}, others("f")...)},
		{"two", "protocol responses chat\neach N 1 2\n", []string{"f/N=1", "f/N=1/chat", "f/N=2", "f/N=2/chat"}},
		{"none", "", []string{"f"}},
		{"cases", "case a X=1\ncase b X=2\n", []string{"f/a", "f/b"}},
		{"sweep", "each N 1..3\n", []string{"f/N=1", "f/N=2", "f/N=3"}},
		{"product", "case a X=1\ncase b X=2\neach N 1 2\neach M x\n", []string{"f/a/N=1/M=x", "f/a/N=2/M=x", "f/b/N=1/M=x", "f/b/N=2/M=x"}},
		{"guarded sweep", "case a X=1\ncase b X=2\n[a] each N 1 2\n", []string{"f/a/N=1", "f/a/N=2", "f/b"}},
		{"guarded by not", "case a X=1\ncase b X=2\n[!a] each N 1 2\n", []string{"f/a", "f/b/N=1", "f/b/N=2"}},
		{"real", "realkill\n", []string{"f", "f/realkill"}},
		{"real for one", "case a X=1\ncase b X=2\nrealkill b\n", []string{"f/a", "f/b", "f/b/realkill"}},
	} {
		if c.lines != "" && !strings.HasPrefix(c.lines, "protocol") || c.name == "none" {
			c.lines = "protocol anthropic\n" + c.lines
		}
		text := "# One thing or another is proved here.\n# From: a test.\n" + c.lines + "provider r\nat request.before 1 kill\nrun hi\n-- r --\nreply\n    text \"x\"\n"
		s, err := check(parseSource("f.txtar", []byte(text)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.Variants(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// others are the variants of a name in the protocols behind the first.
func others(name string) []string {
	var out []string
	for _, p := range protocol.Names()[1:] {
		out = append(out, name+"/"+p)
	}
	return out
}

func TestVariantsAreBounded(t *testing.T) {
	ps := problemsOf(t, "# One thing or another is proved here.\n# From: a test.\neach A 1..200\neach B 1..200\nprovider r\nrun hi\n-- r --\nreply\n    text \"x\"\n")
	if len(ps) == 0 || !strings.Contains(ps[0].Text, "more than 20000 variants") {
		t.Errorf("40000 variants: %v", ps)
	}
}

func TestSweepProblems(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"N", "each needs a variable and its values"},
		{"1N 1", `"1N" is not a variable name`},
		{"N 3..1", `"3..1" is not a range`},
		{"N a..b", `"a..b" is not a range`},
		{"N 1..99999", "has more than 20000 values"},
		{"N 1 1", `each N has "1" twice`},
	} {
		if _, err := parseSweep(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("each %s: %v, want %s", c.args, err, c.want)
		}
	}
}

func TestArming(t *testing.T) {
	for _, c := range []struct {
		line string
		want arming
	}{
		{"tool.ran t1 kill", arming{point: "tool.ran", what: "t1", call: callRef{id: "t1"}, n: 1, act: actKill, bytes: -1}},
		{"tool.ran t1#2 3 kill", arming{point: "tool.ran", what: "t1#2", call: callRef{"t1", 2}, n: 3, act: actKill, bytes: -1}},
		{"append.torn result:t1 kill bytes=4", arming{point: "append.torn", what: "result:t1", kind: "result", call: callRef{id: "t1"}, n: 1, act: actKill, bytes: 4}},
		{"append.written error EIO", arming{point: "append.written", n: 1, act: actError, arg: "EIO", bytes: -1}},
		{"request.before main 2 abort after=1s", arming{point: "request.before", what: "main", lane: "main", n: 2, act: actAbort, bytes: -1, after: 1e9}},
		{"stream.event open G", arming{point: "stream.event", n: 1, act: actOpen, arg: "G", bytes: -1}},
		{"run.ended powercut", arming{point: "run.ended", n: 1, act: actPower, bytes: -1}},
	} {
		got, err := parseArming(strings.Fields(c.line))
		c.want.text = "at " + c.line
		if err != nil || got != c.want {
			t.Errorf("at %s\n\tgot  %+v %v\n\twant %+v", c.line, got, err, c.want)
		}
	}
}

func TestToolSpec(t *testing.T) {
	got, err := parseTool(strings.Fields("slow write takes=2s t2:fails=no t1#2:then-fails=later deaf idempotent big=2KB"))
	if err != nil {
		t.Fatal(err)
	}
	want := toolSpec{name: "slow", deaf: true, idempotent: true, behaviours: []behaviour{
		{what: "takes", takes: 2e9}, {call: callRef{id: "t2"}, what: "fails", text: "no"},
		{call: callRef{"t1", 2}, what: "then-fails", text: "later"}, {what: "big", size: 2000},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	var names []string
	for _, b := range got.of("t1", 1) {
		names = append(names, b.what)
	}
	if n := strings.Join(names, " "); n != "takes big" {
		t.Errorf("the first t1: %s", n)
	}
	if n := len(got.of("t1", 2)); n != 3 {
		t.Errorf("the second t1 has %d behaviours", n)
	}
}

func TestMatchAll(t *testing.T) {
	list := func(s string) (out []item) {
		for _, w := range strings.Fields(s) {
			kind, id, _ := strings.Cut(w, ":")
			out = append(out, item{kind: kind, ids: []string{id}, line: w})
		}
		return out
	}
	for _, c := range []struct {
		patterns, list string
		ok             bool
		items, pattern int
	}{
		{"user call result", "user call result", true, 3, 3},
		{"...", "", true, 0, 1},
		{"... ...", "user call", true, 2, 2},
		{"... result", "user call result", true, 3, 2},
		{"user ... result", "user result", true, 2, 3},
		{"... call ... call ...", "user call", false, 2, 3},
		{"user call", "user call result", false, 2, 2},
		{"user result", "user call result", false, 1, 1},
		{"... call:b ...", "call:a call:b", true, 2, 3},
		{"... call:b result ...", "call:b call:b result", true, 3, 4},
		{"call~a:.$", "call:a", false, 0, 0},
		{"call~^call:a$", "call:a", true, 1, 1},
	} {
		ps, err := parsePatterns("transcript", strings.Fields(c.patterns))
		if err != nil {
			t.Fatal(err)
		}
		l := list(c.list)
		ok, items, pattern := matchAll(ps, l)
		if ok != c.ok || !ok && (items != c.items || pattern != c.pattern) {
			t.Errorf("%q on %q: %v after %d items, %d patterns; want %v %d %d", c.patterns, c.list, ok, items, pattern, c.ok, c.items, c.pattern)
		}
	}
}

func TestDamage(t *testing.T) {
	const file = "one\ntwo\nthree\n"
	for _, c := range []struct{ args, want, err string }{
		{"transcript line=2 nul", "one\n\x00\x00\x00\nthree\n", ""},
		{"transcript line=2 drop", "one\nthree\n", ""},
		{"transcript line=3 from=r to=R", "one\ntwo\nthRee\n", ""},
		{"transcript cut=3", "one\ntwo\nthr", ""},
		{"transcript append=x", file + "x", ""},
		{`audit append="a\nb"`, file + "a\nb", ""},
		{"head line=4 nul", "", "there is no line 4"},
		{"transcript line=1 from=x to=y", "", `does not contain "x"`},
		{"transcript line=1 from=o to=o", "", "or the change is none"},
		{"transcript cut=99", "", "it cannot lose 99"},
	} {
		d, err := parseDamage(strings.Fields(c.args))
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		got, err := d.apply([]byte(file))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.args, err, c.err)
			}
			continue
		}
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q %v, want %q", c.args, got, err, c.want)
		}
	}
	for _, args := range []string{"transcript", "transcript line=1", "transcript nul", "transcript cut=1 nul", "transcript line=1 cut=2", "x cut=1", "transcript line=1 to=x", "transcript cut=0"} {
		if _, err := parseDamage(strings.Fields(args)); err == nil {
			t.Errorf("damage %s is accepted", args)
		}
	}
}
