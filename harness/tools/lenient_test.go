package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/tools"
)

const noteSchema = `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array"},"deep":{"type":"object"}},"required":["path"],"additionalProperties":false}`

// N3: what is not strict JSON is refused, always; the refusal says what strict
// JSON it most likely means, when there is one such object and it would fit.
func TestValidateSuggests(t *testing.T) {
	r := registry(t, tools.Tool{Name: "note", Schema: noteSchema, Run: nothing})
	for _, c := range []struct{ name, input, want string }{
		{"a code fence", "```json\n{\"path\":\"a\"}\n```", `{"path":"a"}`},
		{"a fence without a name", "```\n{\"path\": \"a\"}```", `{"path":"a"}`},
		{"single quotes", `{'path':'it is "a"','n':1}`, `{"path":"it is \"a\"","n":1}`},
		{"an escaped single quote", `{'path':'it\'s'}`, `{"path":"it's"}`},
		{"an apostrophe in double quotes", `{"path":"it's",}`, `{"path":"it's"}`},
		{"a trailing comma", `{"path":"a","list":[1,2,],}`, `{"path":"a","list":[1,2]}`},
		{"unquoted keys", `{path:"a",n:-1.0e0,deep:{list:[true,false,null]}}`, `{"path":"a","n":-1.0e0,"deep":{"list":[true,false,null]}}`},
		{"prose before", `Here it is: {"path":"a"}`, `{"path":"a"}`},
		{"prose behind", `{"path":"a"} That is all.`, `{"path":"a"}`},
		{"prose around, all at once", "I'll call it.\n```\n{path: 'a',}\n```\nDone.", `{"path":"a"}`},
		{"braces in a string", `{'path':'{a}{'}`, `{"path":"{a}{"}`},
		{"escapes", `{'path':'\n\\\u00e9\t'}`, `{"path":"\n\\\u00e9\t"}`},
		{"other characters", `{'path':'日本'}`, `{"path":"日本"}`},

		{"strict", `{"path":"a"}`, "-"},
		{"does not fit", `{'path':1}`, ""},
		{"a key is missing", `{n:1}`, ""},
		{"two objects", `{"path":"a"} {"path":"b"}`, ""},
		{"two objects in prose", `either {path:'a'} or {path:'b'}`, ""},
		{"one key twice", `{path:'a',path:'b'}`, ""},
		{"cut", `{"path":"a`, ""},
		{"cut behind a value", `{"path":"a"`, ""},
		{"cut behind a comma", `{"path":"a",`, ""},
		{"cut in a list", `{"path":"a","list":[1,2`, ""},
		{"cut, an inner object whole", `{"deep":{"path":"a"}`, ""},
		{"cut at its beginning", `"deep":{"path":"a"}}`, ""},
		{"cut in single quotes", `{'path':'a}`, ""},
		{"a comma too many", `{"path":"a",,}`, ""},
		{"a comma only", `{,}`, ""},
		{"no colon", `{path 'a'}`, ""},
		{"no comma", `{"path":"a" "n":1}`, ""},
		{"an unquoted value", `{path:a}`, ""},
		{"a number that is none", `{path:'a',n:01}`, ""},
		{"a line break in a string", "{'path':'a\nb'}", ""},
		{"an escape that is none", `{'path':'\x41'}`, ""},
		{"not a number in JSON", `{path:'a',n:NaN}`, ""},
		{"only prose", "I will note it.", ""},
		{"a list", `[{'path':'a'}]`, ""},                 // brackets are no prose, but it would be a guess all the same
		{"a string around it", `"note: {path:'a'}"`, ""}, // it is strict JSON, of another type
		{"too long", `{'path':'` + strings.Repeat("a", 5000) + `'}`, ""},
		{"too deep", `{'path':'a','list':` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`, ""},
		{"not UTF-8", "{'path':'\xff'}", ""},
	} {
		no := r.Validate("note", []byte(c.input))
		if (no == nil) != (c.want == "-") {
			t.Errorf("%s: refused %v", c.name, no != nil)
			continue
		}
		if no == nil {
			continue
		}
		_, got, found := strings.Cut(no.Sentence, " As strict JSON it would be: ")
		got, end := strings.CutSuffix(got, ". If that is what you mean, make the call again with it.")
		if found != (c.want != "") || found && (got != c.want || !end) {
			t.Errorf("%s: suggested %q, want %q\n%s", c.name, got, c.want, no.Sentence)
		}
		if found && r.Validate("note", []byte(got)) != nil {
			t.Errorf("%s: the suggestion %s is refused", c.name, got)
		}
		if !strings.HasPrefix(no.Sentence, "The input of note ") {
			t.Errorf("%s: %s", c.name, no.Sentence)
		}
	}
}

// No part of an object is ever taken for the whole: cut anywhere, it suggests
// nothing, or the very object if only what stands around it was cut.
func TestSuggestionNeverCompletes(t *testing.T) {
	r := registry(t, tools.Tool{Name: "any", Schema: `{"type":"object"}`, Run: nothing})
	pieces := rapid.SampledFrom([]string{"path", "a b", `q"q`, "it's", "{", "}", "é", ""})
	rapid.Check(t, func(t *rapid.T) {
		obj := map[string]any{}
		for range rapid.IntRange(1, 3).Draw(t, "keys") {
			obj["k"+rapid.StringMatching("[a-z]{1,3}").Draw(t, "key")] = rapid.OneOf(
				rapid.Map(pieces, func(s string) any { return s }),
				rapid.Map(rapid.IntRange(-5, 5), func(n int) any { return n }),
				rapid.Map(rapid.SliceOfN(pieces, 0, 3), func(l []string) any { return l }),
				rapid.Map(pieces, func(s string) any { return map[string]any{"in": s} }),
			).Draw(t, "value")
		}
		strict, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		text := string(strict)
		n := rapid.IntRange(1, len(text)-1).Draw(t, "cut at")
		no := r.Validate("any", strict[:n])
		if no == nil || strings.Contains(no.Sentence, "As strict JSON") {
			t.Fatalf("%s: %+v", strict[:n], no)
		}
		whole := r.Validate("any", []byte("Here: "+text+"."))
		if whole == nil {
			t.Fatal("prose was admitted")
		}
		if _, got, found := strings.Cut(whole.Sentence, "it would be: "); found {
			var back map[string]any
			if err := json.NewDecoder(strings.NewReader(got)).Decode(&back); err != nil {
				t.Fatal(err)
			}
			again, _ := json.Marshal(back)
			if string(again) != text {
				t.Fatalf("%s became %s", text, again)
			}
		} else if !strings.ContainsAny(text[1:len(text)-1], "{}") {
			t.Fatalf("nothing is suggested for %s", text)
		}
	})
}

func TestTextCall(t *testing.T) {
	r := registry(t, tools.Tool{Name: "note", Schema: noteSchema, Run: nothing}, deferred("hidden", "x"))
	for text, want := range map[string]string{ // want is the tool, or ""
		`{"name":"note","arguments":{"path":"a"}}`:                        "note",
		`{"name":"note","input":{}}`:                                      "note", // a bad call, but a call
		`{"name":"note","parameters":{"path":"a"}}`:                       "note",
		" \n{\"name\":\"note\",\"input\":{}}\n":                           "note",
		"```json\n{\"name\":\"note\",\"arguments\":{}}\n```":              "note",
		"```\n{\"name\":\"note\",\"arguments\":{}}\n```\n":                "note",
		"```{\"name\":\"note\",\"arguments\":{}}```":                      "note",
		`{"name":"note","arguments":"{\"path\":\"a\"}"}`:                  "note",
		`{"type":"function","function":{"name":"note","arguments":"{}"}}`: "note",
		`{"function":{"name":"note","arguments":{}}}`:                     "note",
		`{"tool":"note","input":{"path":"a"}}`:                            "note",
		`{"tool":"note","path":"a"}`:                                      "note",
		"```json\n{\"name\":\"note\",\"input\":{\"path\":\"```\"}}\n```":  "note",
		`{"name":"hidden","input":{}}`:                                    "hidden",

		"": "", "I will call note.": "", "note": "", "[]": "", `"note"`: "",
		`{"name":"note"}`:                                                  "", // an object about something called so
		`{"name":"note","arguments":"none"}`:                               "",
		`{"name":"note","arguments":[1]}`:                                  "",
		`{"tool":"note","result":"it worked"}`:                             "",
		`{"tool":"note"}`:                                                  "",
		`{"name":"other","arguments":{}}`:                                  "",
		`{"tool":"other","input":{}}`:                                      "",
		`{"function":{"name":"other"}}`:                                    "",
		`{"function":"note","arguments":{}}`:                               "",
		`{"name":["note"],"arguments":{}}`:                                 "",
		`{"arguments":{}}`:                                                 "",
		`Call {"name":"note","arguments":{}}`:                              "",
		`{"name":"note","arguments":{}} Done.`:                             "",
		`> {"name":"note","arguments":{}}`:                                 "", // a quotation
		`"{\"name\":\"note\",\"arguments\":{}}"`:                           "",
		"`{\"name\":\"note\",\"arguments\":{}}`":                           "",
		`[{"name":"note","arguments":{}}]`:                                 "",
		`{'name':'note','arguments':{}}`:                                   "", // nothing is read leniently
		`{"name":"note","arguments":{}`:                                    "",
		`{"name":"note","name":"x","input":{}}`:                            "",
		`{"name":"note","input":{}}{"name":"x"}`:                           "",
		"{\"name\":\"note\",\"arguments\":{}}\n{}":                         "",
		"For example:\n```json\n{\"name\":\"note\",\"arguments\":{}}\n```": "",
		"```json\n{\"name\":\"note\",\"arguments\":{}}\n```\nlike this":    "",
		"```json\n{\"name\":\"note\",\"arguments\":{}}\n```\n```json\n{\"name\":\"note\",\"arguments\":{}}\n```": "",
		"```json\nfor example {\"name\":\"note\",\"arguments\":{}}\n```":                                         "",
		"```json\n{\"name\":\"note\",\"arguments\":{}}":                                                          "",
	} {
		name, ok := tools.TextCall(text, r)
		if name != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", text, name, ok)
		}
	}
	if _, ok := tools.TextCall(`{"name":"note","arguments":{}}`, nil); ok {
		t.Error("without any tools")
	}
}

// FuzzLenient lets TextCall and the suggestion read whatever a model may write.
func FuzzLenient(f *testing.F) {
	for _, s := range []string{"{a:1}", "```json\n{'a':[1,]}\n```", `{"name":"note","input":{}}`, "{'a", `{"a":"\u0`, "{{{{", "[,]", "{:}"} {
		f.Add(s)
	}
	r, err := tools.NewRegistry(tools.Tool{Name: "any", Schema: `{"type":"object"}`, Run: nothing})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tools.TextCall(s, r)
		no := r.Validate("any", []byte(s))
		if no == nil {
			return
		}
		if _, got, found := strings.Cut(no.Sentence, " As strict JSON it would be: "); found {
			got = strings.TrimSuffix(got, ". If that is what you mean, make the call again with it.")
			if again := r.Validate("any", []byte(got)); again != nil {
				t.Errorf("%q suggests %q, which is refused: %s", s, got, again.Sentence)
			}
		}
	})
}
