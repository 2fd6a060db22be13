package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/harnessbench/bench/providers"
	"pgregory.net/rapid"
)

func roundTrip(t *testing.T, r Record) []byte {
	t.Helper()
	line := AppendRecord(nil, &r)
	if bytes.ContainsAny(line, "\n\r\x00\u0085\u2028\u2029") || !utf8.Valid(line) {
		t.Fatalf("the line holds a character that some reader takes for its end: %q", line)
	}
	got, err := Parse(line)
	if err != nil {
		t.Fatalf("%v\n%s", err, line)
	}
	if !reflect.DeepEqual(got, r) {
		t.Fatalf("got  %#v\nwant %#v\nline %s", got, r, line)
	}
	return line
}

// TestEveryField sets each field of a record alone, so that a field which is
// added to the types and not to the format fails here.
func TestEveryField(t *testing.T) {
	for i := range reflect.TypeFor[Record]().NumField() {
		r := Record{Kind: KindNotice}
		f := reflect.ValueOf(&r).Elem().Field(i)
		name := reflect.TypeFor[Record]().Field(i).Name
		if name != "Kind" {
			fill(t, f)
		}
		checkNames(t, roundTrip(t, r), r)
	}
	for i := range reflect.TypeFor[providers.Block]().NumField() {
		r := Record{Kind: KindAssistant, Blocks: make([]providers.Block, 2)}
		fill(t, reflect.ValueOf(&r.Blocks[1]).Elem().Field(i))
		checkNames(t, roundTrip(t, r), r)
	}
	for i := range reflect.TypeFor[providers.Usage]().NumField() {
		r := Record{Kind: KindAssistant, Usage: new(providers.Usage)}
		roundTrip(t, r)
		fill(t, reflect.ValueOf(r.Usage).Elem().Field(i))
		checkNames(t, roundTrip(t, r), r)
	}
}

func fill(t *testing.T, f reflect.Value) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("x<&>é\"")
	case reflect.Int, reflect.Int64:
		f.SetInt(-7)
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Map:
		m := reflect.MakeMap(f.Type())
		for _, k := range []string{"b", "", "a"} {
			v := reflect.New(f.Type().Elem()).Elem()
			fill(t, v)
			m.SetMapIndex(reflect.ValueOf(k), v)
		}
		f.Set(m)
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 3, 3))
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	default:
		t.Fatalf("a field of kind %v: teach the format and this test", f.Kind())
	}
}

// checkNames compares the format with the types' JSON tags: the names are the
// same, and so is their order.
func checkNames(t *testing.T, line []byte, r Record) {
	t.Helper()
	var got Record
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("the tags say\n%#v\nthe format\n%#v", got, r)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	if b.String() != string(line)+"\n" {
		t.Errorf("the tags say\n%sthe format\n%s", b.String(), line)
	}
}

func genString() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.String(),
		rapid.StringN(0, 3, 3),
		rapid.SampledFrom([]string{"\u2028", "\u2029", "\u0085", "\uffff", "\ufffe", "\ufffd", "\xff", "\xc3", "\xa9", "\xed\xa0\x80", "\xf4\x90\x80\x80",
			"\xef\xbf", "\xbf", "\r\n", "\x00", "\x1f", "\x7f", "\\u0000", "\\uffffe9", `"`, `\`, "</script>", "\U0001f600", "ffff", "uffff"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 5), func(b []byte) string { return string(b) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
	})
}

func genRecord() *rapid.Generator[Record] {
	return rapid.Custom(func(t *rapid.T) Record {
		var r Record
		random(t, reflect.ValueOf(&r).Elem(), "record")
		r.Kind = rapid.SampledFrom(kinds).Draw(t, "kind")
		return r
	})
}

func random(t *rapid.T, v reflect.Value, name string) {
	if name != "record" && rapid.IntRange(0, 3).Draw(t, name+"?") == 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(genString().Draw(t, name))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, name))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, name))
	case reflect.Struct:
		for i := range v.NumField() {
			random(t, v.Field(i), v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		random(t, v.Elem(), name)
	case reflect.Slice:
		n := rapid.IntRange(0, 6).Draw(t, name)
		for range n {
			e := reflect.New(v.Type().Elem()).Elem()
			random(t, e, name)
			v.Set(reflect.Append(v, e))
		}
	case reflect.Map:
		n := rapid.IntRange(0, 20).Draw(t, name)
		for range n {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			e := reflect.New(v.Type().Elem()).Elem()
			random(t, e, name)
			v.SetMapIndex(reflect.ValueOf(genString().Draw(t, name)), e)
		}
	}
}

// TestRoundTrip: any bytes in any string come back (H7), and no line holds what
// some reader takes for its end.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := genRecord().Draw(t, "r")
		line := AppendRecord(nil, &r)
		if bytes.ContainsAny(line, "\n\r\x00\v\f\x1c\x1d\x1e\u0085\u2028\u2029") || !utf8.Valid(line) {
			t.Fatalf("bad line: %q", line)
		}
		got, err := Parse(line)
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if !reflect.DeepEqual(got, r) {
			t.Fatalf("got  %#v\nwant %#v", got, r)
		}
	})
}

// TestQuoteMeansJSON: for text that is valid, the spelling means the same to any
// JSON reader; for the rest it is still JSON that a strict reader takes.
func TestQuoteMeansJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := genString().Draw(t, "s")
		q := appendString(nil, s)
		got, err := jsontext.AppendUnquote(nil, q)
		if err != nil {
			t.Fatalf("a strict reader refuses %s: %v", q, err)
		}
		if utf8.ValidString(s) && !strings.Contains(s, "\uffff") && string(got) != s {
			t.Fatalf("%q is written %s and read as %q", s, q, got)
		}
	})
}

func TestQuoteTable(t *testing.T) {
	for s, want := range map[string]string{
		"":               `""`,
		"a\tb\r\n\b\f":   `"a\tb\r\n\b\f"`,
		"\x00\x1f\x7f":   "\"\\u0000\\u001f\x7f\"",
		"\u0085\u2028":   `"\u0085\u2028"`,
		"\u2029\u2030":   "\"\\u2029\u2030\"",
		"\xe9t\xe9":      `"\uffffe9t\uffffe9"`,
		"\uffff":         `"\uffffef\uffffbf\uffffbf"`,
		"\uffffe9":       `"\uffffef\uffffbf\uffffbfe9"`,
		"é\xc3":          `"é\uffffc3"`,
		"<&>/":           `"<&>/"`,
		"\U0001f600\"\\": "\"\U0001f600\\\"\\\\\"",
	} {
		if got := string(appendString(nil, s)); got != want {
			t.Errorf("%q is written %s, want %s", s, got, want)
		}
		var scratch []byte
		if got, end, ok := unquote(want, 0, &scratch); !ok || got != s || end != len(want) {
			t.Errorf("%s is read as %q, %d, %v", want, got, end, ok)
		}
	}
	var scratch []byte
	for _, s := range []string{``, `"`, `"\"`, `"\`, `"\u`, `"\u00"`, `"\u000"`, `"\u0041"`, `"\u000a"`, `"\u001F"`, `"\/"`, `"\ud83d\ude00"`, `"\uffff"`, `"\uffff4"`,
		`"\uffff41"`, `"\uffffE9"`, `"\uffffc3\uffffa9"`, "\"\xff\"", "\"\u2028\"", "\"\uffff\"", "\"\n\"", "\"\x00\"", `"\u00e9"`, `"\uFFFFe9"`} {
		if got, _, ok := unquote(s, 0, &scratch); ok {
			t.Errorf("%s is read as %q; it is never written", s, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := `{"seq":1,"time":2,"session":"s","run":0,"kind":"notice","text":"x","usage":{"in":1},"audit":"h"}`
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown field", `"text"`, `"texts"`, `unknown field "texts"`},
		{"unknown field inside", `"in"`, `"inn"`, `unknown field "inn"`},
		{"field twice", `"text":"x"`, `"text":"x","text":"y"`, `field "text" stands twice`},
		{"wrong type", `"seq":1`, `"seq":"1"`, `field "seq" is a string; want a whole number`},
		{"wrong type 2", `"text":"x"`, `"text":7`, `field "text" is the number; want a string`},
		{"wrong type 3", `"usage":{"in":1}`, `"usage":[1]`, `field "usage" is an array; want an object`},
		{"fraction", `"seq":1`, `"seq":1.5`, `field "seq" is the number 1.5; want a whole number`},
		{"null", `"text":"x"`, `"text":null`, `column 64, at "null`},
		{"unknown kind", `notice`, `notices`, `unknown kind "notices"`},
		{"missing", `"time":2,`, ``, `field "time" is missing`},
		{"order", `"seq":1,"time":2`, `"time":2,"seq":1`, `is not as this program writes it`},
		{"space", `"seq":1`, `"seq": 1`, `is not as this program writes it`},
		{"empty field", `"text":"x"`, `"text":""`, `column 64, at "\"\"`},
		{"zero", `"in":1`, `"in":0`, `is not as this program writes it`},
		{"leading zero", `"seq":1`, `"seq":01`, `not JSON at column`},
		{"minus zero", `"run":0`, `"run":-0`, `is not as this program writes it`},
		{"too large", `"seq":1`, `"seq":9223372036854775808`, `want a whole number`},
		{"escape", `"text":"x"`, `"text":"\u0078"`, `is not as this program writes it`},
		{"CRLF", `"h"}`, "\"h\"}\r", `ends in CR LF`},
		{"NUL", `"x"`, "\"\x00\"", `NUL byte at column 65`},
		{"invalid UTF-8", `"x"`, "\"\xff\"", `not JSON at column`},
		{"trailing", `"h"}`, `"h"}{}`, `not JSON at column`},
		{"cut", `,"audit":"h"}`, ``, `not JSON at column`},
		{"other version", `"kind":"notice"`, `"kind":"session","version":2,"hello":1`, `format version 2; want version 1`},
		{"no object", good, `[1]`, `the line is an array; want an object`},
		{"keys out of order", `"usage"`, `"counters":{"b":1,"a":2},"usage"`, `is not as this program writes it`},
		{"a map's keys out of order", `"text":"x","usage":{"in":1}`, `"counters":{"b":1,"a":2}`, `column 75, at "\"a\":2},`},
		{"a map's key twice", `"text":"x","usage":{"in":1}`, `"counters":{"a":1,"a":2}`, `field "a" stands twice`},
		{"an empty map", `"text":"x","usage":{"in":1}`, `"counters":{}`, `is not as this program writes it`},
		{"an empty array", `"text":"x","usage":{"in":1}`, `"blocks":[]`, `is not as this program writes it`},
		{"empty", good, ``, `not JSON at column 1`},
		{"raw line separator", `"x"`, "\"\u2028\"", `is not as this program writes it`},
	} {
		line := strings.Replace(good, c.old, c.new, 1)
		_, err := Parse([]byte(line))
		if err == nil {
			t.Errorf("%s: accepted %s", c.name, line)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q in one line", c.name, err, c.want)
		}
	}
}

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Entry{
			Seq: rapid.Int64().Draw(t, "seq"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Line: LineHash([]byte("x")), Why: genString().Draw(t, "why"), Prev: string(zeros[:]),
		}
		e.Hash = Seal(&e)
		line := AppendEntry(nil, &e)
		got, err := ParseEntry(line)
		if err != nil || got != e {
			t.Fatalf("%v\n%#v\n%#v", err, got, e)
		}
		if want, _ := json.Marshal(e); utf8.ValidString(e.Why) && !bytes.ContainsAny(want, "\\\x7f") && !bytes.ContainsAny(line, "\\") && string(want) != string(line) {
			t.Fatalf("the tags say %s, the format %s", want, line)
		}
		v, ok := scanEntry(line)
		if !ok || v.seq != e.Seq || v.kind != e.Kind || string(v.line) != e.Line || string(v.prev) != e.Prev || string(v.hash) != e.Hash {
			t.Fatalf("scanned as %+v, %v", v, ok)
		}
	})
}

func TestKindsAreOneList(t *testing.T) {
	for _, k := range Kinds() {
		if got, ok := kindOf([]byte(k)); !ok || got != k {
			t.Errorf("kind %q is not known to the format", k)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, group := range sampleGroups("a1", "c1") {
		for _, r := range group {
			f.Add(AppendRecord(nil, r))
		}
	}
	f.Add([]byte(`{"seq":1,"time":2,"session":"s","run":0,"kind":"notice","text":"\uffffe9","audit":""}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := Parse(line)
		if err != nil {
			if s := err.Error(); s == "" || strings.Contains(s, "\n") {
				t.Errorf("the error is no sentence: %q", s)
			}
			return
		}
		if got := AppendRecord(nil, &r); !bytes.Equal(got, line) {
			t.Errorf("accepted %q, which is written %q", line, got)
		}
	})
}

// TestPlainRun compares the eight at a time with the one at a time.
func TestPlainRun(t *testing.T) {
	for c := range 256 {
		for pos := range 20 {
			for _, fill := range []byte{' ', '!', '#', 'a', '[', ']', 0x7f} {
				b := bytes.Repeat([]byte{fill}, 20)
				b[pos] = byte(c)
				if pos > 0 && c%2 == 1 {
					b[19] = '"'
				}
				want := 0
				for want < 20 && plain[b[want]] {
					want++
				}
				if got, too := plainRun(b, 0), plainRun(string(b), 0); got != want || too != want {
					t.Fatalf("%q: %d and %d, want %d", b, got, too, want)
				}
			}
		}
	}
}
