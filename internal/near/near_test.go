package near

import "testing"

func TestWord(t *testing.T) {
	known := []string{"completed", "truncated", "cut", "cat"}
	for in, want := range map[string]string{
		"completed": "completed", "cmpletd": "completed", "ocmpleted": "completed", "COMPLETED": "completed", "trunc": "",
		"cit": "cut", "c": "", "": "", "zzzzzzzzz": "",
	} {
		if got := Word(in, known); got != want {
			t.Errorf("%q is taken for %q, want %q", in, got, want)
		}
	}
	if got, want := Unknown("end", "cmpletd", known), `unknown end "cmpletd": did you mean "completed"?`; got != want {
		t.Error(got)
	}
	if got, want := Unknown("end", "zzzz", known), `unknown end "zzzz": there is completed, truncated, cut, cat`; got != want {
		t.Error(got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got, back := Distance(c.a, c.b), Distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("%q and %q are %d and %d apart, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
