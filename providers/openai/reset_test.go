package openai

import (
	"strings"
	"testing"
)

// A decoder that is used again decodes as a new one, and what it returned before
// stays as it was.
func TestReset(t *testing.T) {
	for _, c := range []struct {
		api    API
		before []string
		then   string
	}{
		{Chat, []string{
			"", chunks(says("one"), says("two"), usage), chunks(d(`"refusal":"No."`)), chunks(says("one")) + "data: oops\n\n", chunks(says("one")) + "data: {\"id\":",
			chunks(tc(`"index":0,"id":"a","function":{"name":"x","arguments":"{"}`), tc(`"index":0,"function":{"arguments":"1"}`), tc(`"index":0,"function":{"arguments":"1"}`)),
		}, chunks(tc(`"index":0,"function":{"arguments":"1"}`), fin("stop"), `"choices":[],"usage":{"completion_tokens":1}`) + done},
		{Responses, []string{
			"", events(created, text(0, "one"), text(0, "two"), terminal("completed")), events(created, `{"type":"response.refusal.delta","output_index":0,"delta":"No."}`), events(created, added(0, fnCall("a", "", "")), args(0, "{"), args(0, "}")),
		}, events(text(0, "three"), args(0, "x"), `{"type":"response.completed","response":{"usage":{"output_tokens":1}}}`)},
	} {
		want := listen(c.api.NewDecoder(strings.NewReader(c.then)))
		for _, before := range c.before {
			d := c.api.NewDecoder(strings.NewReader(before))
			old := listen(d)
			kept := listen(c.api.NewDecoder(strings.NewReader(before)))
			d.Reset(strings.NewReader(c.then))
			if got := listen(d); !got.equal(want) {
				t.Errorf("%s behind %q: %v; want %v", c.api, before, got, want)
			}
			if !old.equal(kept) {
				t.Errorf("%s behind %q: what was returned has changed to %v; want %v", c.api, before, old, kept)
			}
			d.Reset(strings.NewReader(before)) // left in the middle
			d.Next()
			d.Reset(strings.NewReader(c.then))
			if got := listen(d); !got.equal(want) {
				t.Errorf("%s in the middle of %q: %v; want %v", c.api, before, got, want)
			}
		}
	}
}
