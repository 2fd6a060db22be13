package faults

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValues(t *testing.T) {
	const data = ` {"a":"x\\\"y","b":[1,-2.5e3,null,true],"c":{"d~/e":"{}"},"f":{}} `
	want := map[string]string{
		"": strings.TrimSpace(data), "/a": `"x\\\"y"`, "/b": "[1,-2.5e3,null,true]", "/b/0": "1", "/b/1": "-2.5e3", "/b/2": "null", "/b/3": "true",
		"/c": `{"d~/e":"{}"}`, "/c/d~0~1e": `"{}"`, "/f": "{}",
	}
	vs := values(data)
	if len(vs) != len(want) {
		t.Fatalf("%d values, not %d: %v", len(vs), len(want), vs)
	}
	for _, v := range vs {
		if got := data[v.from:v.to]; got != want[v.path] {
			t.Errorf("%s is %q, not %q", v.path, got, want[v.path])
		}
	}
	if v, _ := at(vs, "/c/d~0~1e"); v.name != "d~/e" || data[v.member:v.from] != `"d~/e":` {
		t.Errorf("%+v", v)
	}
	if values(`{"a":`) != nil || values(`nonsense`) != nil {
		t.Error("what is no JSON has no values")
	}
}

func TestEdit(t *testing.T) {
	index := func(_ []value, v value) bool { return v.name == "index" }
	for _, c := range []struct{ data, with, want string }{
		{`{"index":1,"b":2}`, "9", `{"index":9,"b":2}`},
		{`{"index":1,"b":2}`, "", `{"b":2}`},
		{`{"b":2,"index":1}`, "", `{"b":2}`},
		{`{"b":2, "index":1 , "c":3}`, "", `{"b":2,  "c":3}`},
		{`{"index":1}`, "", `{}`},
		{`{"index":1,"in":{"index":2}}`, `"x"`, `{"index":"x","in":{"index":"x"}}`},
		{`[]`, "1", `[]`},
	} {
		if got := edit(c.data, index, func(value) string { return c.with }); got != c.want {
			t.Errorf("%s with %q is %s, not %s", c.data, c.with, got, c.want)
		}
	}
}

// Every value of any JSON is found where it stands: putting it back changes
// nothing, and taking out a member leaves JSON.
func TestValuesOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var draw func(depth int) any
		draw = func(depth int) any {
			switch n := rapid.IntRange(0, 6).Draw(t, "kind"); {
			case n == 0:
				return nil
			case n == 1:
				return rapid.Bool().Draw(t, "bool")
			case n == 2:
				return rapid.IntRange(-1000, 1000).Draw(t, "number")
			case n == 3 || depth == 0:
				return rapid.String().Draw(t, "string")
			case n == 4:
				return []any{draw(depth - 1), draw(depth - 1)}
			}
			return map[string]any{rapid.String().Draw(t, "name"): draw(depth - 1), "z": draw(depth - 1)}
		}
		b, err := json.MarshalIndent(draw(3), "", " ")
		if err != nil {
			t.Skip(err)
		}
		data := string(b)
		for _, v := range values(data) {
			if !json.Valid([]byte(data[v.from:v.to])) {
				t.Fatalf("%q at %s is no value of %s", data[v.from:v.to], v.path, data)
			}
			if v.name != "" {
				if out := without(data, v); !json.Valid([]byte(out)) {
					t.Fatalf("without %s: %s", v.path, out)
				}
			}
		}
	})
}
