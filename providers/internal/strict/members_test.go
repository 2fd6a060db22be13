package strict

import (
	"errors"
	"testing"
)

func TestMember(t *testing.T) {
	for _, c := range []struct{ v, name, want string }{
		{`{"a":1,"b":{"c":2}}`, "b", `{"c":2}`}, {`{"a":1}`, "b", ""}, {`{"\u0061":1}`, "a", "1"}, {`[1]`, "a", ""}, {`"a"`, "a", ""}, {``, "a", ""},
	} {
		if got := Member([]byte(c.v), c.name); string(got) != c.want {
			t.Errorf("%s of %s: %s", c.name, c.v, got)
		}
	}
}

func TestHollow(t *testing.T) {
	for v, want := range map[string]bool{
		`null`: true, `""`: true, `{}`: true, `[ ]`: true, `0`: false, `false`: false, `" "`: false, `{"a":1}`: false, `[0]`: false,
	} {
		if Hollow([]byte(v)) != want {
			t.Errorf("%s: %v", v, !want)
		}
	}
	if !Hollow(nil) {
		t.Error("a missing member says something")
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct{ what, err, want string }{
		{"a", "b is 7", "a.b is 7"}, {"a", " is 7", "a is 7"}, {"a", "[0] is 7", "a[0] is 7"},
	} {
		if got := Within(c.what, errors.New(c.err)); got.Error() != c.want {
			t.Errorf("%v; want %s", got, c.want)
		}
	}
	if Within("a", nil) != nil {
		t.Error("no error is one")
	}
}
