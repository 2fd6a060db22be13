package fake

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/harnessbench/bench/internal/near"
)

// testOptions are what the files in testdata refer to.
func testOptions() ParseOptions {
	return ParseOptions{
		Vars: map[string]string{"WHO": "you", "NAME": "x", "BREAK": "a\nb", "JSON": "${x}"},
		Guard: func(name string) (bool, error) {
			switch name {
			case "yes", "no":
				return name == "yes", nil
			}
			return false, fmt.Errorf("no guard %s", name)
		},
		ReadFile: func(name string) ([]byte, error) {
			if name == "page" {
				return []byte("the \"page\"\n"), nil
			}
			return nil, errors.New("no such file")
		},
	}
}

// sections splits a file of examples.
func sections(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n===\n")
}

// TestErrors holds every sentence of the parser against an example that lies
// in testdata/errors.txt: the script, then `--- LINE: sentence`.
func TestErrors(t *testing.T) {
	for _, s := range sections(t, "testdata/errors.txt") {
		src, want, ok := strings.Cut(s, "\n--- ")
		if !ok {
			t.Fatalf("no sentence for\n%s", s)
		}
		_, err := Parse("f", []byte(src), testOptions())
		var all Errors
		if err != nil && !errors.As(err, &all) {
			t.Fatalf("%T is not Errors", err)
		}
		var got []string
		for _, e := range all {
			got = append(got, fmt.Sprintf("%d: %s", e.Line, e.Text))
		}
		wants := strings.Split(strings.TrimSuffix(want, "\n"), "\n--- ")
		if !reflect.DeepEqual(got, wants) {
			t.Errorf("%s\n got %s\nwant %s", src, strings.Join(got, "\n     "), strings.Join(wants, "\n     "))
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, err := Parse("f", []byte("reply\n"+strings.Repeat("    txt\n", 50)), ParseOptions{FirstLine: 100})
	var all Errors
	if !errors.As(err, &all) || len(all) != maxErrors {
		t.Fatalf("got %v", err)
	}
	if all[0].Line != 101 || !strings.HasPrefix(err.Error(), "f:101: unknown line") {
		t.Errorf("lines are counted from FirstLine: %v", all[0])
	}
	if !strings.HasSuffix(err.Error(), "(and 30 more after it)") {
		t.Errorf("the rest is counted: %v", err)
	}
}

func TestVariableN(t *testing.T) {
	_, err := Parse("f", []byte("reply\n"), ParseOptions{Vars: map[string]string{"n": "1"}})
	if err == nil || !strings.Contains(err.Error(), "${n} counts repetitions") {
		t.Errorf("got %v", err)
	}
}

// TestRoundTrip prints what was parsed and parses it again.
func TestRoundTrip(t *testing.T) {
	used := map[Op]bool{}
	for _, s := range sections(t, "testdata/roundtrip.txt") {
		title, src, _ := strings.Cut(s, "\n")
		one, err := Parse("f", []byte(src), testOptions())
		if err != nil {
			t.Errorf("%s\n%v", title, err)
			continue
		}
		for _, r := range one.Replies {
			for _, l := range r.Lines {
				used[l.Op] = true
			}
		}
		printed := one.String()
		two, err := Parse("f", []byte(printed), ParseOptions{})
		if err != nil {
			t.Errorf("%s\n%s\n%v", title, printed, err)
			continue
		}
		if !reflect.DeepEqual(unplaced(one), unplaced(two)) {
			t.Errorf("%s\n%s\nreads back as\n%s", title, printed, two)
		}
		if again := two.String(); again != printed {
			t.Errorf("%s: printed twice\n%s\n%s", title, printed, again)
		}
	}
	for _, v := range verbs {
		if !used[v.op] {
			t.Errorf("testdata/roundtrip.txt has no example of %s", v.op)
		}
	}
}

// unplaced removes what printing does not keep: line numbers and compiled
// expressions.
func unplaced(s *Script) *Script {
	out := &Script{Name: s.Name}
	if s.Window != nil {
		w := *s.Window
		w.Line = 0
		out.Window = &w
	}
	for _, r := range s.Replies {
		one := *r
		one.Line, one.Lines = 0, nil
		for _, l := range r.Lines {
			l.Line = 0
			if l.Expect != nil {
				e := *l.Expect
				e.re = nil
				l.Expect = &e
			}
			one.Lines = append(one.Lines, l)
		}
		out.Replies = append(out.Replies, &one)
	}
	return out
}

func TestGuardsAndVariables(t *testing.T) {
	all := sections(t, "testdata/roundtrip.txt")
	_, src, _ := strings.Cut(all[len(all)-1], "\n")
	s, err := Parse("f", []byte(src), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	want := "reply\n    text \"kept\"\n    text \"#kept too\" \"you\"\n\nreply\n    text \"last\"\n"
	if s.String() != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
}

func TestFile(t *testing.T) {
	s, err := Parse("f", []byte("reply\n    body @page\n"), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Replies[0].Lines[0].Values[0]; got != "the \"page\"\n" {
		t.Errorf("got %q", got)
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"txt", "text"}, {"TEXT", "text"}, {"clal", "call"}, {"serverresult", "server-result"}, {"xyzzy", ""}, {"", ""},
	} {
		if got := near.Word(c.word, opNames()); got != c.want {
			t.Errorf("nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

func TestGateNames(t *testing.T) {
	s := mustParse(t, "reply\n    gate b\n    gate a\nreply\n    gate b\n")
	if got := s.Gates(); !reflect.DeepEqual(got, []string{"b", "a"}) {
		t.Errorf("got %q", got)
	}
}

// TestServerCallIDs: the call that a result answers may lie in an earlier
// reply and count repetitions.
func TestServerCallIDs(t *testing.T) {
	s := mustParse(t, "reply times=2\n    server-call s${n} web_search {}\n    stop pause_turn\nreply\n    server-result s2 []\n")
	if got := s.Replies[1].Lines[0].Name; got != "web_search" {
		t.Errorf("got %q", got)
	}
	if _, err := Parse("f", []byte("reply\n    server-call s${n} web_search {}\n    server-result sx []\n"), ParseOptions{}); err == nil {
		t.Error("sx is no s${n}")
	}
}
