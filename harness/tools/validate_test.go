package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/harnessbench/bench/harness/tools"
)

const schemaOfT = `{"type":"object","properties":{
	"path":{"type":"string","minLength":1},
	"count":{"type":"integer","minimum":1,"maximum":9223372036854775807},
	"mode":{"enum":["fast","slow"]},
	"flag":{"type":"boolean"},
	"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
	"items":{"type":"array","minItems":1,"maxItems":3,"uniqueItems":true,"items":{"$ref":"#/$defs/item"}},
	"when":{"oneOf":[{"type":"string","pattern":"^[0-9]+$"},{"type":"integer"}]}},
	"$defs":{"item":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}},
	"required":["path"],"additionalProperties":false}`

func TestValidate(t *testing.T) {
	r := registry(t,
		tools.Tool{Name: "work", Schema: schemaOfT, Run: nothing},
		named("any"), named("read_file"), named("write_file"), named("bash"))
	const usage = " Send one JSON object with path (string, required), count (integer), flag (boolean), items (array), mode, ratio (number), when."
	for _, c := range []struct {
		name, tool, input string
		code, reason      string // "" accepts
		want              string // the whole sentence, or with "..." a part of it
	}{
		{name: "good", tool: "work", input: `{"path":"a","count":3,"mode":"fast","flag":false,"ratio":0.5,"items":[{"text":"x"}],"when":"12"}`},
		{name: "white space around", tool: "work", input: " \n{\"path\":\"a\"}\r\n"},
		{name: "integer with a zero fraction", tool: "work", input: `{"path":"a","count":3.0}`},
		{name: "extra key where the schema allows", tool: "any", input: `{"x":1}`},
		{name: "a huge integer is exact", tool: "work", input: `{"path":"a","count":9223372036854775807}`},
		{name: "a deep value", tool: "any", input: `{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`},

		{"no bytes", "any", "", tools.CodeInvalid, tools.ReasonEmpty, "The input of any is empty. Send one JSON object; without arguments it is {}."},
		{"blanks", "any", " \n", tools.CodeInvalid, tools.ReasonEmpty, "The input of any is empty. ..."},
		{"array", "any", "[]", tools.CodeInvalid, tools.ReasonNotObject, "The input of any is an array, not a JSON object. ..."},
		{"array around the object", "any", `[{"a":1}]`, tools.CodeInvalid, tools.ReasonNotObject, "...send the object itself..."},
		{"null", "any", "null", tools.CodeInvalid, tools.ReasonNotObject, "The input of any is null, not a JSON object. ..."},
		{"true", "any", "true", tools.CodeInvalid, tools.ReasonNotObject, "The input of any is a boolean, not a JSON object. ..."},
		{"number", "any", "12", tools.CodeInvalid, tools.ReasonNotObject, "The input of any is an integer, not a JSON object. ..."},
		{"fraction", "any", "1.5", tools.CodeInvalid, tools.ReasonNotObject, "The input of any is a number, not a JSON object. ..."},
		{"string", "any", `"a"`, tools.CodeInvalid, tools.ReasonNotObject, "The input of any is a string, not a JSON object. ..."},
		{"object in a string", "any", `"{\"a\":1}"`, tools.CodeInvalid, tools.ReasonNotObject, "...an object written into a string: send the object itself..."},
		{"brace", "any", "{", tools.CodeInvalid, tools.ReasonNotJSON, "The input of any is not complete JSON: it ends after 1 byte in the middle of a value. ..."},
		{"cut in a string", "any", `{"cmd":"rm -rf /tmp/x`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not complete JSON: it ends after 21 bytes..."},
		{"cut after a comma", "any", `{"a":1,`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not complete JSON..."},
		{"unquoted key", "any", "{a:1}", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON: invalid character 'a'..."},
		{"single quotes", "any", "{'a':1}", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"trailing comma", "any", `{"a":1,}`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"comment", "any", `{"a":1} // note`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"fence", "any", "```json\n{}\n```", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"two objects", "any", "{} {}", tools.CodeInvalid, tools.ReasonNotJSON, "...is more than one JSON value..."},
		{"trailing bracket", "any", "{}]", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"duplicate key", "any", `{"a":1,"a":2}`, tools.CodeInvalid, tools.ReasonNotJSON, `The input of any names the key "a" twice. ...`},
		{"duplicate key, escaped", "any", `{"a":1,"\u0061":2}`, tools.CodeInvalid, tools.ReasonNotJSON, `...names the key "a" twice...`},
		{"duplicate key inside", "any", `{"x":[{"b":1,"b":2}]}`, tools.CodeInvalid, tools.ReasonNotJSON, `...names the key "b" twice...`},
		{"NaN", "any", `{"a":NaN}`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"Infinity", "any", `{"a":-Infinity}`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"leading zero", "any", `{"a":01}`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"invalid UTF-8", "any", "{\"a\":\"\xff\"}", tools.CodeInvalid, tools.ReasonNotJSON, "...invalid UTF-8..."},
		{"half a surrogate pair", "any", `{"a":"\ud800"}`, tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"control character", "any", "{\"a\":\"\x00\"}", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"byte order mark", "any", "\uFEFF{}", tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"too deep", "any", strings.Repeat(`{"a":`, 20000), tools.CodeInvalid, tools.ReasonNotJSON, "...is not valid JSON..."},
		{"an exponent that would eat the memory", "work", `{"path":"a","count":1e1000000000}`, tools.CodeInvalid, tools.ReasonNotJSON, "...has a number that is too large to handle: 1e1000000000. ..."},
		{"an exponent beyond int", "work", `{"path":"a","ratio":1e-99999999999999999999}`, tools.CodeInvalid, tools.ReasonNotJSON, "...too large to handle..."},
		{"a thousand and one digits", "work", `{"path":"a","count":` + strings.Repeat("1", 1001) + `}`, tools.CodeInvalid, tools.ReasonNotJSON, "...too large to handle..."},

		{"missing", "work", "{}", tools.CodeInvalid, tools.ReasonSchema, "The input of work does not fit its schema: path is missing." + usage},
		{"true for an integer", "work", `{"path":"a","count":true}`, tools.CodeInvalid, tools.ReasonSchema, "The input of work does not fit its schema: count must be an integer, not a boolean." + usage},
		{"string for an integer", "work", `{"path":"a","count":"3"}`, tools.CodeInvalid, tools.ReasonSchema, "...count must be an integer, not a string..."},
		{"fraction for an integer", "work", `{"path":"a","count":1.5}`, tools.CodeInvalid, tools.ReasonSchema, "...count must be an integer, not a number..."},
		{"null for a string", "work", `{"path":null}`, tools.CodeInvalid, tools.ReasonSchema, "...path must be a string, not null..."},
		{"minimum", "work", `{"path":"a","count":0}`, tools.CodeInvalid, tools.ReasonSchema, "...count must be at least 1, not 0..."},
		{"one above 2^63-1", "work", `{"path":"a","count":9223372036854775808}`, tools.CodeInvalid, tools.ReasonSchema, "...count must be at most 9223372036854775807, not 9223372036854775808..."},
		{"exclusive", "work", `{"path":"a","ratio":1}`, tools.CodeInvalid, tools.ReasonSchema, "...ratio must be less than 1, not 1..."},
		{"enum", "work", `{"path":"a","mode":"quick"}`, tools.CodeInvalid, tools.ReasonSchema, `...mode must be one of "fast", "slow"...`},
		{"empty string", "work", `{"path":""}`, tools.CodeInvalid, tools.ReasonSchema, "...path must have at least 1 character, not 0..."},
		{"extra key", "work", `{"path":"a","x":1}`, tools.CodeInvalid, tools.ReasonSchema, "...x is not allowed." + usage},
		{"extra key, nearly right", "work", `{"path":"a","coutn":1}`, tools.CodeInvalid, tools.ReasonSchema, "...coutn is not allowed (did you mean count?)..."},
		{"keys are case-sensitive", "work", `{"Path":"a"}`, tools.CodeInvalid, tools.ReasonSchema, "...Path is not allowed (did you mean path?); path is missing..."},
		{"a place inside", "work", `{"path":"a","items":[{"text":"x"},{"text":2,"b":1}]}`, tools.CodeInvalid, tools.ReasonSchema, "...items[1].b is not allowed; items[1].text must be a string, not a number..."},
		{"no items", "work", `{"path":"a","items":[]}`, tools.CodeInvalid, tools.ReasonSchema, "...items must have at least 1 item, not 0..."},
		{"the same item twice", "work", `{"path":"a","items":[{"text":"x"},{"text":"x"}]}`, tools.CodeInvalid, tools.ReasonSchema, "...items must not hold the same item twice (0 and 1)..."},
		{"none of the forms", "work", `{"path":"a","when":"soon"}`, tools.CodeInvalid, tools.ReasonSchema, "...when fits none of the allowed forms (when must match the pattern ^[0-9]+$, or when must be an integer, not a string)..."},
		{"all at once, sorted", "work", `{"zz":1,"aa":1,"count":0,"mode":1,"flag":"no"}`, tools.CodeInvalid, tools.ReasonSchema,
			`The input of work does not fit its schema: aa is not allowed; count must be at least 1, not 0; flag must be a boolean, not a string; mode must be one of "fast", "slow"; path is missing; zz is not allowed.` + usage},

		{"unknown", "frobnicate", "{}", tools.CodeUnknownTool, "", `There is no tool "frobnicate". The tools are: any, bash, read_file, work, write_file.`},
		{"unknown, other case", "Bash", "{}", tools.CodeUnknownTool, "", `There is no tool "Bash". Did you mean bash? ...`},
		{"unknown, short form", "Read", "{}", tools.CodeUnknownTool, "", `...Did you mean read_file?...`},
		{"unknown, other dialect", "writeFile", "{}", tools.CodeUnknownTool, "", `...Did you mean write_file?...`},
		{"unknown, slip", "raed_file", "{}", tools.CodeUnknownTool, "", `...Did you mean read_file?...`},
		{"unknown outranks bad input", "nope", "{", tools.CodeUnknownTool, "", `There is no tool "nope". ...`},
		{"no name", "", "{}", tools.CodeUnknownTool, "", "The call names no tool. The tools are: ..."},
		{"a path for a name", "../../etc/passwd\n", "{}", tools.CodeUnknownTool, "", `There is no tool "../../etc/passwd". ...`},
	} {
		t.Run(c.name, func(t *testing.T) {
			no := r.Validate(c.tool, []byte(c.input))
			if c.code == "" {
				if no != nil {
					t.Fatalf("refused: %s", no)
				}
				return
			}
			if no == nil {
				t.Fatal("not refused")
			}
			if no.Code != c.code || no.Reason != c.reason {
				t.Errorf("refused as %s/%s, want %s/%s: %s", no.Code, no.Reason, c.code, c.reason, no.Sentence)
			}
			if !says(no.Sentence, c.want) {
				t.Errorf("the sentence is\n\t%q, want\n\t%q", no.Sentence, c.want)
			}
			if strings.ContainsAny(no.Sentence, "\n\r") || strings.Contains(no.Sentence, ".go:") || strings.Contains(no.Sentence, "goroutine") {
				t.Errorf("not one sentence for a model: %q", no.Sentence)
			}
			for range 20 { // the schema library walks maps
				if again := r.Validate(c.tool, []byte(c.input)); again.Sentence != no.Sentence {
					t.Fatalf("two sentences for one input:\n%q\n%q", no.Sentence, again.Sentence)
				}
			}
		})
	}
}

// says compares a sentence with a pattern in which "..." stands for anything at
// the beginning or the end.
func says(s, want string) bool {
	rest, from := strings.CutPrefix(want, "...")
	rest, to := strings.CutSuffix(rest, "...")
	switch {
	case from && to:
		return strings.Contains(s, rest)
	case from:
		return strings.HasSuffix(s, rest)
	case to:
		return strings.HasPrefix(s, rest)
	}
	return s == want
}

func TestRefusalsAreBounded(t *testing.T) {
	var names []tools.Tool
	for i := range 100 {
		names = append(names, named("tool_"+strings.Repeat("x", i%30)+string(rune('a'+i%26))+string(rune('a'+i/26))))
	}
	names = append(names, tools.Tool{Name: "strict", Schema: schemaOfT, Run: nothing})
	r := registry(t, names...)
	big := strings.Repeat("k", 1<<20)
	for _, c := range [][2]string{
		{big, "{}"},
		{"strict", `{"` + big + `":1}`},
		{"strict", `{"mode":"` + big + `"}`},
		{"strict", `{"` + big + `":1,"` + big + `":1}`},
		{"strict", `{"a` + strings.Repeat(`":1,"b`, 0) + `":` + big + `}`},
		{"strict", big},
	} {
		no := r.Validate(c[0], []byte(c[1]))
		if no == nil || len(no.Sentence) > 4000 {
			t.Errorf("not refused in at most 4000 bytes: %.100v", no)
		}
	}
	many := `{"a":1`
	for i := range 50 {
		many += `,"a` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":1`
	}
	if no := r.Validate("strict", []byte(many+"}")); no == nil || !strings.Contains(no.Sentence, "; and 44 more. ") {
		t.Errorf("52 problems: %+v", no)
	}
}

func TestClosed(t *testing.T) {
	r := registry(t, named("any"), tools.Tool{Name: "write", Schema: schemaOfT, Run: nothing})
	for raw, want := range map[string]string{"": "{}", " \n": "{}", "{": "{", "null": "null", `{"a":1}`: `{"a":1}`} {
		if got := string(tools.Closed([]byte(raw))); got != want {
			t.Errorf("Closed(%q) is %q, want %q", raw, got, want)
		}
	}
	if no := r.Validate("any", tools.Closed(nil)); no != nil {
		t.Errorf("a closed call without arguments is refused: %s", no)
	}
	// charmbracelet/crush#2669: a write whose input never came is no write of nothing.
	if no := r.Validate("write", tools.Closed(nil)); no == nil || no.Reason != tools.ReasonSchema {
		t.Errorf("a closed call without its arguments is not refused: %+v", no)
	}
	if no := r.Validate("any", nil); no == nil || no.Reason != tools.ReasonEmpty {
		t.Errorf("a call that was cut before its input is not refused: %+v", no)
	}
}

// Whatever the bytes, Validate answers; what it admits is an object for the
// standard library, too, and what it refuses it refuses in one short line.
func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"path":"a","count":1e2}`, `{"path":"a","items":[{"text":"x"}],"when":"1"}`, "", "{", `{"a":1,"a":2}`, `"{}"`, "[{}]", `{"path":-0,"ratio":1e-9999}`, "{\"\xff\":\"\\ud800\"}"} {
		f.Add(s)
	}
	r := registry(f, tools.Tool{Name: "work", Schema: schemaOfT, Run: nothing}, named("any"))
	f.Fuzz(func(t *testing.T, input string) {
		for _, tool := range []string{"work", "any", input} {
			no := r.Validate(tool, []byte(input))
			if no == nil {
				var v map[string]any
				d := json.NewDecoder(strings.NewReader(input))
				d.UseNumber() // 1e700 is a number
				if err := d.Decode(&v); err != nil || v == nil {
					t.Fatalf("%s admits %q, which is not an object: %v", tool, input, err)
				}
				continue
			}
			if no.Sentence == "" || len(no.Sentence) > 4000 || !utf8.ValidString(no.Sentence) || strings.ContainsAny(no.Sentence, "\n\r") {
				t.Fatalf("%s refuses %q with %q", tool, input, no.Sentence)
			}
		}
	})
}
