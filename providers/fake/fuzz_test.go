package fake

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse: the parser never panics; what it refuses it refuses with
// sentences that have a line of the script; what it accepts prints to itself
// and renders in both forms.
func FuzzParse(f *testing.F) {
	for _, file := range []string{"testdata/roundtrip.txt", "testdata/errors.txt"} {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range strings.Split(string(b), "\n===\n") {
			f.Add(s)
			if _, src, ok := strings.Cut(s, "\n"); ok {
				f.Add(src)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		if strings.Contains(src, "*") && strings.Contains(src, "0000") {
			t.Skip("megabytes of padding slow a fuzzer down and find nothing")
		}
		s, err := Parse("f", []byte(src), testOptions())
		if err != nil {
			var all Errors
			if !errors.As(err, &all) || len(all) == 0 || len(all) > maxErrors {
				t.Fatalf("%T %v", err, err)
			}
			for _, e := range all {
				if e.Line < 1 || e.Line > 1+strings.Count(src, "\n") || e.Text == "" || strings.Contains(e.Text, "\n") {
					t.Fatalf("%q", e)
				}
			}
			return
		}
		printed := s.String()
		again, err := Parse("f", []byte(printed), ParseOptions{})
		if len(s.Replies) == 0 && s.Window == nil {
			return // a guard took everything out
		}
		if err != nil {
			t.Fatalf("%q prints as %q: %v", src, printed, err)
		}
		if !reflect.DeepEqual(unplaced(s), unplaced(again)) {
			t.Fatalf("%q prints as %q, which reads back as %q", src, printed, again)
		}
		for _, r := range s.Replies {
			for _, stream := range []bool{true, false} {
				for _, one := range protocols() {
					p, err := r.plan(1, answering{protocol: one, stream: stream})
					if (p == nil) == (err == nil) {
						t.Fatalf("%s, %q: neither a plan nor an error, or both", one.name(), src)
					}
					if why := Inexpressible(s, one.name(), stream); why != nil && (why.Line < 1 || why.Text == "") {
						t.Fatalf("%s, %q: %v", one.name(), src, why)
					}
				}
			}
		}
	})
}

// FuzzCheckMessages: whatever the body, the check gives a verdict.
func FuzzCheckMessages(f *testing.F) {
	for _, m := range []string{hi, hi + "," + asks + "," + user(result), hi + "," + assistant(search) + "," + assistant(found)} {
		f.Add([]byte(body(m)))
	}
	f.Add([]byte(tools(`{"name":"f","input_schema":{"type":"object"}}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r := CheckMessages(b); r != nil && (r.Status != 400 || r.Message == "" || r.Level != API && r.Level != Strict) {
			t.Fatalf("%+v", r)
		}
	})
}
