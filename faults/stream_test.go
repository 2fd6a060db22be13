package faults

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers/fake"
)

func planOf(end fake.Act, pieces ...string) *fake.Plan {
	p := &fake.Plan{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}}
	for _, s := range pieces {
		p.Steps = append(p.Steps, fake.Step{Act: fake.Write, Data: []byte(s)})
	}
	p.Steps = append(p.Steps, fake.Step{Act: end})
	return p
}

func streamOf(p *fake.Plan) *stream {
	return newStream(&fake.Asked{}, "anthropic", p)
}

func TestEvents(t *testing.T) {
	s := streamOf(planOf(fake.EOF, "event: a\ndata: 1\n\n: c\n\ndata:2\rdata: 3\r\rid: 7\r\ndata\r\n\r\ndata: last"))
	var got []string
	for _, e := range s.events {
		got = append(got, fmt.Sprintf("%s|%s|%v|%s", e.name, e.data, e.has, s.b[e.dataFrom:e.dataTo]))
	}
	want := []string{"a|1|true|1", "||false|", "|2\n3|true|2\rdata: 3", "||true|", "|last|true|last"}
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if e, _ := s.event(-1); e.data != "last" {
		t.Error(e.data)
	}
	if _, ok := s.event(5); ok {
		t.Error("there is no fifth event with data")
	}
}

// What is not changed comes out as it went in, in the same pieces, with the same
// waits and the same ending.
func TestStreamUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &fake.Plan{Status: 200}
		if rapid.Bool().Draw(t, "head") {
			p.Steps = append(p.Steps, fake.Step{Act: fake.Write})
		}
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "wait") == 0 {
				p.Steps = append(p.Steps, fake.Step{Act: fake.Delay, D: time.Duration(rapid.IntRange(1, 9).Draw(t, "d"))})
				continue
			}
			p.Steps = append(p.Steps, fake.Step{Act: fake.Write, Data: []byte(rapid.StringMatching("(data: [a-z]{0,5}|\n|\r|é){1,4}").Draw(t, "data"))})
		}
		p.Steps = append(p.Steps, fake.Step{Act: rapid.SampledFrom([]fake.Act{fake.EOF, fake.Cut, fake.Reset, fake.Hang}).Draw(t, "end")})
		if got := streamOf(p).plan(p); !same(got, p) {
			t.Fatalf("\n got %+v\nwant %+v", got.Steps, p.Steps)
		}
	})
}

// Ends of pieces and waits stay with the bytes they stand by.
func TestSplice(t *testing.T) {
	p := planOf(fake.EOF, "data: a\n\n", "data: b\n\n", "data: c\n\n")
	p.Steps = append(p.Steps[:1:1], append([]fake.Step{{Act: fake.Delay, D: 5}}, p.Steps[1:]...)...)
	s := streamOf(p)
	e, _ := s.event(2)
	s.setData(e, "longer")
	e, _ = s.event(3)
	s.insert(e.from, []byte(": x\n\n"))
	e, _ = s.event(1)
	s.drop(e)
	var got []string
	for _, st := range s.plan(p).Steps {
		got = append(got, fmt.Sprintf("%d%q", st.Act, st.Data))
	}
	want := `2"" 1"data: longer\n\n" 1": x\n\n" 1"data: c\n\n" 4""`
	if strings.Join(got, " ") != want {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestPieces(t *testing.T) {
	p := planOf(fake.EOF, "data: é\n\n", "data: b\n\n")
	s := streamOf(p)
	s.wait(10, stallFor(3))
	s.pieces(func(from int) int { return from + 7 })
	var got []string
	for _, st := range s.plan(p).Steps {
		got = append(got, fmt.Sprintf("%d%q", st.Act, st.Data))
	}
	if want := `1"data: \xc3" 1"\xa9\n\n" 2"" 1"data" 1": b\n\n" 4""`; strings.Join(got, " ") != want {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestNewlines(t *testing.T) {
	if got := string(newline([]byte("a\nb\r\nc\rd"), func(int) string { return "|" })); got != "a|b|c|d" {
		t.Error(got)
	}
	f := Named("newline-mixed")
	p := planOf(fake.EOF, strings.Repeat("event: x\ndata: 1\n\n", 5))
	s := streamOf(p)
	f.events(s, nil)
	n := 0
	for _, e := range s.events {
		if e.data == "1" && e.name == "x" {
			n++
		}
	}
	if n != 5 {
		t.Errorf("%d of 5 events are left in %q", n, s.b)
	}
}

func TestBreakLines(t *testing.T) {
	for in, want := range map[string]string{ // | is a newline
		`{"a":"x,{\"y\":1}","b":[1,2]}`: `{|"a":"x,{\"y\":1}",|"b":[1,|2]}`,
		`{"a":"C:\\","b":"x,y"}`:        `{|"a":"C:\\",|"b":"x,y"}`,
		`{"a":"\\\"x,y","b":"{"}`:       `{|"a":"\\\"x,y",|"b":"{"}`,
	} {
		if got := strings.ReplaceAll(breakLines(in), "\n", "|"); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}

func TestLatin1(t *testing.T) {
	if got := string(latin1([]byte("señor"))); got != "seÃ±or" {
		t.Error(got)
	}
}
