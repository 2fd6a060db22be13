package gemini

import (
	"reflect"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/internal/ask/asktest"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// What pieces write, one behind the other.
func TestArgs(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		want   string
	}{
		{nil, ""},
		{[]string{`"$.a","numberValue":1`}, `{"a":1}`},
		{[]string{`"$.a","nullValue":"NULL_VALUE"`, `"$.b","boolValue":false`, `"$.c","numberValue":-1.50e3`, `"$.d","stringValue":""`}, `{"a":null,"b":false,"c":-1.50e3,"d":""}`},
		{[]string{`"$.a.b.c","numberValue":1`, `"$.a.b.d","numberValue":2`, `"$.a.e","numberValue":3`, `"$.f","numberValue":4`}, `{"a":{"b":{"c":1,"d":2},"e":3},"f":4}`},
		{[]string{`"$.a[0]","numberValue":1`, `"$.a[1]","numberValue":2`, `"$.b[0][0]","numberValue":3`, `"$.b[0][1]","numberValue":4`, `"$.b[1][0]","numberValue":5`}, `{"a":[1,2],"b":[[3,4],[5]]}`},
		{[]string{`"$.a[0].x","numberValue":1`, `"$.a[0].y","numberValue":2`, `"$.a[1].x","numberValue":3`}, `{"a":[{"x":1,"y":2},{"x":3}]}`},
		{[]string{`"$.a","stringValue":"x\ny","willContinue":true`, `"$.a","stringValue":"\"é","willContinue":true`, `"$.a","stringValue":"z"`, `"$.b","stringValue":"w"`}, `{"a":"x\ny\"éz","b":"w"}`},
		{[]string{`"$['a.b'][\"c[0]\"]['\\'\\\\\\u00e9\\n']","numberValue":1`}, `{"a.b":{"c[0]":{"'\\é\n":1}}}`},
		{[]string{`"$.é x","numberValue":1`}, `{"é x":1}`},
		// The same name twice: whoever reads the input sees that it is not strict.
		{[]string{`"$.a","numberValue":1`, `"$.a","numberValue":2`}, `{"a":1,"a":2}`},
	} {
		var a args
		var arena strict.Arena
		got := ""
		for _, p := range c.pieces {
			a.out = a.out[:0]
			if err := a.add(&arena, []byte(`{"jsonPath":`+p+`}`)); err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			got += string(a.out)
		}
		if got += string(a.end()); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.pieces, got, c.want)
		}
	}
}

func TestArgsErrors(t *testing.T) {
	for _, c := range []struct {
		pieces []string // each in a chunk of its own
		want   string
	}{
		{[]string{`{"jsonPath":"$.a[1]","numberValue":1}`}, "jsonPath is $.a[1]; element 0 is next"},
		{[]string{`{"jsonPath":"$.a[0]","numberValue":1}`, `{"jsonPath":"$.a[0]","numberValue":1}`}, "jsonPath is $.a[0]; element 1 is next"},
		{[]string{`{"jsonPath":"$.a[0].x","numberValue":1}`, `{"jsonPath":"$.a[1].x","numberValue":1}`, `{"jsonPath":"$.a[0].y","numberValue":1}`}, "jsonPath is $.a[0].y; element 2 is next"},
		{[]string{`{"jsonPath":"$.a[0]","numberValue":1}`, `{"jsonPath":"$.a.b","numberValue":1}`}, "jsonPath is $.a.b; what stood there is something else"},
		{[]string{`{"jsonPath":"$.a","stringValue":"x","willContinue":true}`, `{"jsonPath":"$.b","stringValue":"x"}`}, "jsonPath is $.b, but the string at $.a has not ended"},
		{[]string{`{"jsonPath":"$.a","stringValue":"x","willContinue":true}`, `{"jsonPath":"$.a","numberValue":1}`}, "jsonPath is $.a, but the string at $.a has not ended"},
		{[]string{`7`}, "partialArgs[0] is 7; want an object"},
		{[]string{`{"jsonPath":"$.a"}`}, `partialArgs[0] has no value that is known: {"jsonPath":"$.a"}`},
		{[]string{`{"numberValue":1}`}, "jsonPath is missing; want a string"},
		{[]string{`{"jsonPath":"$.a","stringValue":1}`}, "stringValue is 1; want a string"},
		{[]string{`{"jsonPath":"$.a","stringValue":"x","willContinue":1}`}, "willContinue is 1; want true or false"},
		{[]string{`{"jsonPath":"a","numberValue":1}`}, "jsonPath is a; want a path like $.a[0]"},
	} {
		chunks := []string{fc(`"name":"a","willContinue":true`)}
		for _, p := range c.pieces {
			chunks = append(chunks, fc(`"partialArgs":[`+p+`],"willContinue":true`))
		}
		got := asktest.Drain(NewDecoder(strings.NewReader(frame(chunks...))))
		if last := got[len(got)-1]; !strings.HasPrefix(last, "error protocol: ") || !strings.HasSuffix(last, c.want) {
			t.Errorf("%q:\n got %s\nwant %s", c.pieces, last, c.want)
		}
	}
	for _, c := range []struct{ chunk, want string }{
		{fc(`"args":{}`), "functionCall.args stands behind a call in pieces; want partialArgs"},
		{fc(`"partialArgs":[{"jsonPath":"$.a","numberValue":1}]`), ""},
	} {
		got := asktest.Drain(NewDecoder(strings.NewReader(frame(fc(`"name":"a","willContinue":true`), c.chunk))))
		if last := got[len(got)-1]; !strings.HasSuffix(last, c.want) || strings.HasPrefix(last, "error") != (c.want != "") {
			t.Errorf("%s: %s", c.chunk, last)
		}
	}
	got := asktest.Drain(NewDecoder(strings.NewReader(frame(fc(`"name":"a","args":{},"willContinue":true`), piece("$.a", `"numberValue":1`)))))
	if last := got[len(got)-1]; !strings.HasSuffix(last, "partialArgs[0] comes behind args; want one of them") {
		t.Error(last)
	}
}

func TestLevels(t *testing.T) {
	for path, want := range map[string][]level{
		"$.a": {{"a", -1}}, "$.a.b[12]['c']": {{"a", -1}, {"b", -1}, {"", 12}, {"c", -1}}, `$["a"]`: {{"a", -1}}, "$['']": {{"", -1}},
		`$['\b\f\n\r\t\/\"']`: {{"\b\f\n\r\t/\"", -1}},
		"$":                   nil, "": nil, "a": nil, "$a": nil, "$.": nil, "$..a": nil, "$.a.": nil, "$[0]": nil, "$.a[": nil, "$.a[]": nil, "$.a[-1]": nil, "$.a[+1]": nil, "$.a[x]": nil,
		"$.a[0": nil, "$['a": nil, "$['a'": nil, `$['\x']`: nil, `$['\u12']`: nil, `$['\ud800']`: nil, `$['\`: nil, "$.*": {{"*", -1}},
	} {
		got, ok := levelsOf(path)
		if ok != (want != nil) || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v; want %+v", path, got, ok, want)
		}
	}
}
