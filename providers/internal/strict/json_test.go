package strict

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a":1}`, ""},
		{" {\"a\" : [1, {}] }\n", ""},
		{``, "empty"},
		{`   `, "empty"},
		{`{"a":1`, "not strict JSON: it ends too early after offset 6"},
		{`{"a":1}x`, "more than one JSON value: something follows at byte 7"},
		{`{"a":1}{"b":2}`, "more than one JSON value: something follows at byte 7"},
		{`{"a":1,"a":2}`, `not strict JSON: duplicate object member name "a"`},
		{`{"a":1,"\u0061":2}`, `not strict JSON: duplicate object member name "a"`},
		{"{\"a\":\"\xff\"}", `not strict JSON: invalid UTF-8 within "/a" after offset 6`},
		{`{"a":"\ud800"}`, "not strict JSON: invalid surrogate pair `\\ud800\"}` in string within \"/a\" after offset 6"},
		{"{\"a\":\"\n\"}", `not strict JSON: invalid character '\n' in string (expecting non-control character) within "/a" after offset 6`},
		{`{'a':1}`, `not strict JSON: invalid character '\'' at start of string (expecting '"') after offset 1`},
		{`NaN`, `not strict JSON: invalid character 'N' at start of value`},
	} {
		got := ""
		if err := Check([]byte(c.in)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// rebuild writes a valid value anew from what members and elements say of it.
func rebuild(dst, v []byte) []byte {
	switch v = SkipSpace(v); v[0] {
	case '{':
		dst = append(dst, '{')
		for m, n := Members(v), 0; m.Next(); n++ {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsontext.AppendQuote(dst, m.Name)
			dst = rebuild(append(dst, ':'), m.Value)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for e, n := Elements(v), 0; e.Next(); n++ {
			if n > 0 {
				dst = append(dst, ',')
			}
			dst = rebuild(dst, e.Value)
		}
		return append(dst, ']')
	case '"':
		var a Arena
		s, err := a.Text("", bytes.TrimRight(v, " \t\r\n"))
		if err != nil {
			panic(err)
		}
		return AppendString(dst, s)
	}
	return append(dst, bytes.TrimRight(v, " \t\r\n")...)
}

// FuzzWalk holds the walker against jsontext: rebuilt from its pieces, a value
// is what jsontext makes of it when it removes the white space.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{
		`{}`, ` [ ] `, `{"a":{"b":[1,2.5e-3,null,true,false,"x"]},"c":"}]\"\\"}`, "[1 , 2\t,\n3\r]", `"\\"`, `{"\\\"":"\u00e9\ud83d\ude00"}`,
		`{"":0}`, `-0`, `[[[],{}],{"a":[]}]`, `{"a" : "b" , "c" :1 }`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		if Check(v) != nil {
			return
		}
		want := jsontext.Value(bytes.Clone(v))
		if err := want.Compact(jsontext.PreserveRawStrings(false)); err != nil {
			t.Fatal(err)
		}
		if got := rebuild(nil, v); !bytes.Equal(got, want) {
			t.Fatalf("%s\n got %s\nwant %s", v, got, want)
		}
	})
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
		ok   bool
	}{
		{"0", 0, true}, {"7", 7, true}, {"1234567890", 1234567890, true},
		{"12345678901", 0, false}, {"-1", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {`"1"`, 0, false}, {"null", 0, false}, {"", 0, false},
	} {
		if got, err := Whole("n", []byte(c.in)); got != c.want || err == nil != c.ok {
			t.Errorf("%s: %d, %v", c.in, got, err)
		}
	}
}

func TestPlain(t *testing.T) {
	slow := func(q []byte) int {
		for i, c := range q {
			if c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
				return i
			}
		}
		return len(q)
	}
	for c := range 256 {
		for at := range 20 {
			for _, before := range []byte{' ', '~', '!', '#', '[', ']', 0x7f} {
				q := bytes.Repeat([]byte{before}, 20)
				q[at] = byte(c)
				if got, want := Plain(q), slow(q); got != want {
					t.Fatalf("%q: %d; want %d", q, got, want)
				}
				q = append(q[:at+1], `"\`...)
				if got, want := Plain(q), slow(q); got != want {
					t.Fatalf("%q: %d; want %d", q, got, want)
				}
			}
		}
	}
}

// A string, once given, never changes, whatever is decoded after it.
func TestArenaKeepsStrings(t *testing.T) {
	var a Arena
	var got, want []string
	for i := range 5000 {
		s := fmt.Sprintf("text %d é", i)
		want = append(want, s)
		if i%3 == 0 {
			a.Quoted([]byte(s + `\u00e9"`)) // gives up: nothing may stay behind
		}
		v, rest, ok := a.Quoted([]byte(s + `"}}`))
		if !ok || string(rest) != "}}" {
			t.Fatal(v, rest, ok)
		}
		got = append(got, v)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%q became %q", want[i], got[i])
		}
	}
}
