package faults

import (
	"regexp"
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	by := map[Layer]int{}
	report := regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[0-9]+$`)
	for _, f := range All() {
		by[f.Layer]++
		if len(f.Reports) == 0 {
			t.Errorf("%s names no report", f.Name)
		}
		for _, r := range f.Reports {
			if !report.MatchString(r) {
				t.Errorf("%s: %q is no report", f.Name, r)
			}
		}
		if strings.HasSuffix(f.Summary, ".") || len(f.Summary) > 160 {
			t.Errorf("%s: the summary is one sentence, short and without its stop", f.Name)
		}
		if Named(f.Name) != f {
			t.Errorf("Named(%q) is another", f.Name)
		}
	}
	if len(All()) < 90 {
		t.Errorf("there are %d faults", len(All()))
	}
	for _, l := range Layers() {
		if by[l] == 0 {
			t.Errorf("no fault of layer %s", l)
		}
	}
}

// A fault that lacks something never comes into the list.
func TestIncompleteFaults(t *testing.T) {
	good := Fault{
		Name: "x", Layer: Stream, Summary: "S", Rules: []string{"r"}, Scenario: "s", ends: "completed",
		events: func(*stream, Args) {},
	}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*Fault){
		"no name":                 func(f *Fault) { f.Name = "X" },
		"no layer":                func(f *Fault) { f.Layer = "air" },
		"no summary":              func(f *Fault) { f.Summary = "" },
		"no rule":                 func(f *Fault) { f.Rules = nil },
		"no scenario":             func(f *Fault) { f.Scenario = "" },
		"how its minimal":         func(f *Fault) { f.ends = "" },
		"does 0 things":           func(f *Fault) { f.events = nil },
		"does 2 things":           func(f *Fault) { f.deed = func(*Deed, Args) {} },
		"says nothing":            func(f *Fault) { f.Params = []Param{{Name: "p"}} },
		"the default of event":    func(f *Fault) { f.Params = []Param{eventAt(0)} },
		"the default of for: \"-": func(f *Fault) { f.Params = []Param{duration("for", "-1s", "d")} },
	} {
		f := good
		spoil(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Whatever is in the catalogue can be written, and reads as it is printed.
func TestLinesRoundTrip(t *testing.T) {
	for _, f := range All() {
		for _, more := range [][]string{nil, {"nth=3"}, {"first=2"}, {"every"}, {"lane=summary"}} {
			words := append([]string{f.Name}, f.with...)
			for _, w := range more {
				if f.Name == "stale-answer" && w != "lane=summary" || f.always && w != "lane=summary" || f.Layer == Tool && w == "lane=summary" {
					continue
				}
				words = append(words, w)
			}
			for _, p := range f.Params {
				if p.Default != "" && !strings.Contains(strings.Join(words, " "), " "+p.Name+"=") && p.Name != "byte" {
					words = append(words, p.Name+"="+p.Default)
				}
			}
			l, err := Parse(words)
			if err != nil {
				t.Errorf("%v: %v", words, err)
				continue
			}
			again, err := Parse(split(l))
			if err != nil || again.String() != l.String() {
				t.Errorf("%s reads back as %v, %v", l, again, err)
			}
		}
	}
}

// split is the line as words; texts have blanks.
func split(l *Line) []string {
	out := []string{l.Fault.Name}
	if l.Tool != "" {
		out = append(out, "tool="+l.Tool)
	}
	for _, k := range l.given {
		out = append(out, k+"="+l.Args[k])
	}
	s := l.String()
	for _, w := range strings.Fields(s) {
		if strings.HasPrefix(w, "nth=") || strings.HasPrefix(w, "first=") || w == "every" || strings.HasPrefix(w, "lane=") {
			out = append(out, w)
		}
	}
	return out
}

func TestBadLines(t *testing.T) {
	for line, want := range map[string]string{
		"":                                        "needs a name",
		"drop-evnet":                              `did you mean "drop-event"`,
		"a-silent-connection":                     "there is silent-head",
		"zzzzzz":                                  "bench list faults",
		"drop-event event=0":                      "0 is no place",
		"drop-event event=x":                      `"x" is no whole number`,
		"drop-event evnt=2":                       `did you mean "event"`,
		"drop-event event=2 event=3":              "there twice",
		"drop-event 3":                            "is not KEY=VALUE",
		"drop-event nth=0":                        "no number from 1",
		"drop-event nth=1 every":                  "keep one",
		"drop-event every=2":                      "every takes no value",
		"drop-event lane=mian":                    `did you mean "main"`,
		"drop-event tool=look":                    "changes no tool",
		"eof event=2 byte=3":                      "two places",
		"status status=200":                       "from 400 to 599",
		"window":                                  "it needs tokens=",
		"window tokens=0":                         "from 1 to",
		"window tokens=5 nth=2":                   "by itself: drop nth",
		"body-limit bytes=x":                      "is no size",
		"stall for=never":                         "is no duration",
		"stall for=0s":                            "is no duration",
		"text-call form=xml":                      "unknown value",
		"tool-error":                              "needs tool=NAME",
		"STATUS":                                  `did you mean "status"`,
		"Drop_Evnet":                              `did you mean "drop-event"`,
		"llm_timeout_single":                      "a name of AgentChaos; here it is hang, close-before-head, silent-head",
		"tool-error tool=x text=":                 "text= is empty",
		"unknown-stop reason=":                    "reason= is empty",
		"redirect to=":                            "to= is empty",
		"unknown-tool name=":                      "name= is empty",
		"status type=":                            "type= is empty",
		"unknown-stop reason=end_turn":            "it is a word that is known",
		"unknown-stop reason=STOP":                "it is a word that is known",
		"unknown-stop-with-calls reason=tool_use": "it is a word that is known",
		"retry-after for=500ms":                   "no duration from 1s to a year, as in 30s",
		"retry-after for=1500ms":                  "counts in steps of 1s",
		"retry-after-date for=500ms":              "no duration from 1s",
		"shrinking-window tokens=10 by=5 floor=100000": "floor=100000 is above tokens=10",
		"tool-error tool=look lane=main":               "no lane",
		"quota-requests n=1 per=1m every":              "drop every",
	} {
		l, err := Parse(strings.Fields(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", line, l, err, want)
		}
	}
}

func TestUnfit(t *testing.T) {
	l, err := Parse([]string{"no-start"})
	if err != nil {
		t.Fatal(err)
	}
	if why := l.Unfit("chat"); !strings.Contains(why, "only in anthropic") {
		t.Error(why)
	}
	if l.Unfit("anthropic") != "" {
		t.Error("it is made for that")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"drop-event event=2 nth=3", "status status=529 retry-after=3 first=2", "tool-flaky tool=x k=2", "window tokens=5", "eof byte=7 every lane=summary"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := Parse(strings.Fields(s))
		if err != nil {
			return
		}
		again, err := Parse(strings.Fields(l.String()))
		if err != nil || again.String() != l.String() {
			t.Errorf("%q is printed as %q, which reads as %v, %v", s, l, again, err)
		}
	})
}

// Every fault of AgentChaos that makes sense without a model has one here. Left
// out are the random strategy, and the two that are about what a text means.
func TestAgentChaos(t *testing.T) {
	want := map[string]bool{}
	for _, target := range []string{"llm", "tool"} {
		for _, kind := range []string{"error", "timeout", "empty", "truncate", "corrupt", "schema"} {
			for _, strategy := range []string{"single", "persistent", "burst"} {
				want[target+"_"+kind+"_"+strategy] = false
			}
		}
	}
	for _, kind := range []string{"error", "timeout", "schema"} {
		for _, place := range []string{"early", "mid", "late"} {
			want["llm_"+kind+"_pos_"+place] = false
		}
	}
	for _, n := range []string{"api_degradation", "content_filter", "max_tokens", "proxy_html", "stale_cache", "slow_response"} {
		want["compound_"+n] = false
	}
	for _, f := range All() {
		for _, n := range f.AgentChaos {
			if _, known := want[n]; !known {
				t.Errorf("%s: AgentChaos has no %s", f.Name, n)
			}
			want[n] = true
		}
	}
	for n, found := range want {
		if !found {
			t.Errorf("%s has no counterpart", n)
		}
	}
}
