package cassettes

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDifferBody(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, tc := range []struct{ name, rec, got, ignore, want string }{
		{"equal", `{"a":1}`, `{"a":1}`, "", ""},
		{"order and space", `{"a":1,"b":[true,null]}`, "{ \"b\" : [ true,null ],\n\"a\":1}", "", ""},
		{"escapes", `{"a":"\u00e9\/"}`, `{"a":"é/"}`, "", ""},
		{"numbers", `[1,1.50,-0,1e2,12345678901234567890,0.1]`, `[1.0,1.5,0.0,100,12345678901234567890.0,1E-1]`, "", ``},
		{"large numbers", `[12345678901234567890]`, `[12345678901234567891]`, "", `$[0]: recorded 12345678901234567890, got 12345678901234567891`},
		{"text", `{"messages":[{},{},{"content":[{"text":"a"}]}]}`, `{"messages":[{},{},{"content":[{"text":"b"}]}]}`, "", `$.messages[2].content[0].text: recorded "a", got "b"`},
		{"first in the recorded order", `{"b":1,"a":1}`, `{"a":2,"b":2}`, "", `$.b: recorded 1, got 2`},
		{"type", `{"a":"1"}`, `{"a":1}`, "", `$.a: recorded "1", got 1`},
		{"null is not absent", `{"a":null}`, `{}`, "", `$.a: recorded null, got nothing`},
		{"extra", `{"a":1}`, `{"a":1,"odd key":{"x":[1]}}`, "", `$["odd key"]: recorded nothing, got {"x":[1]}`},
		{"empty key", `{"":1}`, `{"":2}`, "", `$[""]: recorded 1, got 2`},
		{"longer", `[1]`, `[1,2]`, "", `$[1]: recorded nothing, got 2`},
		{"shorter", `[1,{"a":1}]`, `[1]`, "", `$[1]: recorded {"a":1}, got nothing`},
		{"literal", `[true]`, `[false]`, "", `$[0]: recorded true, got false`},
		{"not JSON", `{"a":1}`, `{"a":1`, "", `body: recorded {"a":1}, got bytes that are not JSON (jsontext: unexpected EOF after offset 6)`},
		{"never JSON", `a=1`, `a=2`, "", `body: recorded "a=1", got "a=2"`},
		{"no longer bytes", `a=1`, `{}`, "", ``},
		{"none", ``, `{}`, "", `body: recorded bytes that are not JSON (unexpected EOF), got {}`},
		{"ignored", `{"a":{"id":1},"b":[{"c":1},{"c":2}]}`, `{"a":{"id":2},"b":[{"c":3},{}]}`, "$.a.id $.b[*].c", ""},
		{"ignored twice over", `{"a":1,"b":1}`, `{"a":2,"b":2}`, "$.a", `$.b: recorded 1, got 2`},
		{"ignored by index", `{"a":[1,1]}`, `{"a":[2,2]}`, "$.a[0]", `$.a[1]: recorded 1, got 2`},
		{"ignored extra", `{}`, `{"m":{"x":1}}`, "$.m", ""},
		{"ignored is not above", `{"a":{"b":1}}`, `{"a":2}`, "$.a.b", `$.a: recorded {"b":1}, got 2`},
		{"a star is a key or an index", `{"a":[{"x":1}]}`, `{"a":[{"x":2}]}`, "$.a.*.x", `$.a[0].x: recorded 1, got 2`},
		{"any key", `{"a":{"k":{"x":1}}}`, `{"a":{"k":{"x":2}}}`, "$.a.*.x", ``},
		{"long", `{"t":"` + long + `a` + long + `"}`, `{"t":"` + long + `b"}`, "", `$.t: recorded ..."` + strings.Repeat("x", 40) + `a` + strings.Repeat("x", 119) + `"... (byte 1000 of 2001), got ..."` + strings.Repeat("x", 40) + `b" (byte 1000 of 1001)`},
		{"long value", `{"t":["` + long + `"]}`, `{}`, "", `$.t: recorded ["` + strings.Repeat("x", 158) + `... (1004 bytes), got nothing`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.name == "no longer bytes" {
				tc.want = `body: recorded bytes that are not JSON (` + reason(t, tc.rec) + `), got {}`
			}
			if got := differBody(tc.rec, tc.got, paths(t, tc.ignore)); got != tc.want {
				t.Errorf("\ngot  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func reason(t *testing.T, src string) string {
	_, err := parseJSON(src)
	if err == nil {
		t.Fatalf("%s is JSON", src)
	}
	return err.Error()
}

func paths(t *testing.T, s string) (ps []Path) {
	for _, f := range strings.Fields(s) {
		p, err := ParsePath(f)
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	return ps
}

func TestDifferRequest(t *testing.T) {
	ask := func(method, at, body string) *question {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		return &question{method, u, body}
	}
	rec := ask("POST", "https://api.example.com/v1/messages?beta=true&x=1", `{"a":1}`)
	for _, tc := range []struct{ method, url, body, want string }{
		{"POST", "/v1/messages?x=1&beta=true", `{ "a":1}`, ""},
		{"GET", "/v1/messages?beta=true&x=1", `{"a":2}`, "method: recorded POST, got GET"},
		{"POST", "/v1/complete?beta=true&x=1", `{"a":2}`, "path: recorded /v1/messages, got /v1/complete"},
		{"POST", "/v1/messages?beta=true", `{"a":2}`, `query: recorded "beta=true&x=1", got "beta=true"`},
		{"POST", "/v1/messages?beta=true&x=1", `{"a":2}`, "$.a: recorded 1, got 2"},
	} {
		got := ask(tc.method, tc.url, tc.body)
		if d := differ(rec, got, nil); d != tc.want {
			t.Errorf("got %q, want %q", d, tc.want)
		}
		if same := rec.key(nil) == got.key(nil); same != (tc.want == "") {
			t.Errorf("%s %s: the keys are equal: %v", tc.method, tc.url, same)
		}
	}
}

func TestParsePath(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"messages", `it must begin with $`},
		{"$", `it names the whole body`},
		{"$x", `a step begins with . or [`},
		{"$.", `a key is empty`},
		{"$.a..b", `a key is empty`},
		{"$[x]", `in brackets stands a number from 0, * or a quoted key`},
		{"$[-1]", `in brackets stands a number from 0, * or a quoted key`},
		{"$[1", `in brackets stands a number from 0, * or a quoted key`},
		{`$["a]`, `a quoted key is not closed`},
		{`$["a"`, `a quoted key is not closed`},
	} {
		if _, err := ParsePath(tc.in); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", tc.in, err, tc.want)
		}
	}
	if got := differBody(`{"odd [key]":[1]}`, `{"odd [key]":[2]}`, paths(t, `$["odd\u0020[key]"][0]`)); got != "" {
		t.Error(got)
	}
}

// anyJSON draws a JSON value in two spellings that mean the same.
func anyJSON(t *rapid.T, depth int) (a, b string) {
	kinds := 5
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		s := rapid.String().Filter(utf8.ValidString).Draw(t, "s")
		return quote(s), quote(s)
	case 1:
		return "12.50", "1.25e1"
	case 2:
		return "null", "null"
	case 3:
		var as, bs []string
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			x, y := anyJSON(t, depth-1)
			as, bs = append(as, x), append(bs, y)
		}
		return "[" + strings.Join(as, ",") + "]", "[ " + strings.Join(bs, " , ") + " ]"
	}
	var as, bs []string
	for _, k := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z ]{0,3}`), 0, 3, rapid.ID).Draw(t, "keys") {
		x, y := anyJSON(t, depth-1)
		as, bs = append(as, quote(k)+":"+x), append([]string{quote(k) + " : " + y}, bs...)
	}
	return "{" + strings.Join(as, ",") + "}", "{" + strings.Join(bs, ", ") + "}"
}

// Two spellings are equal, and differ and the canonical form agree on what is
// equal: content matching looks up by the one and explains by the other.
func TestDifferAgreesWithCanon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyJSON(t, 3)
		c, _ := anyJSON(t, 3)
		if d := differBody(a, b, nil); d != "" {
			t.Fatalf("%s and %s: %s", a, b, d)
		}
		if canonOf(a) != canonOf(b) {
			t.Fatalf("%s and %s have different canonical forms", a, b)
		}
		if same := canonOf(a) == canonOf(c); same != (differBody(a, c, nil) == "") {
			t.Fatalf("%s and %s: canonical forms equal: %v, differ says %q", a, c, same, differBody(a, c, nil))
		}
	})
}

func canonOf(s string) string {
	v, err := parseJSON(s)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	v.canon(&b, &place{}, nil)
	return b.String()
}
