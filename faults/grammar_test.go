package faults

import "testing"

// What an input calls text is no text: only the whole path counts, and a thought
// is not what the model says.
func TestWhatEventsDo(t *testing.T) {
	for _, c := range []struct {
		protocol, data string
		want           kind
	}{
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"Hi."}]}}]}`, texts_},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":""}]}}]}`, 0},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true}]}}]}`, 0},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":false}]}}]}`, texts_},
		{"gemini", `{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"Hi."}]}}]}`, texts_},
		{"gemini", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"text":"door"}}}]}}]}`, opens | inputs | closes},
		{"gemini", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"finishReason":"x","parts":[{"text":"y"}]}}}]}}]}`, opens | inputs | closes},
		{"gemini", `{"candidates":[{"finishReason":"STOP"}]}`, stops},
		{"gemini", `{"note":{"functionCall":{}}}`, 0},
		{"chat", `{"choices":[{"delta":{"role":"assistant","content":""}}]}`, start},
		{"chat", `{"choices":[{"delta":{"content":"Hi."}}],"note":{"role":"x"}}`, texts_},
		{"chat", `{"choices":[{"delta":{"reasoning":{"content":"Hm."}}}]}`, 0},
		{"chat", `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, stops},
		{"chat", `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}}]}`, opens | inputs},
	} {
		g := grammarOf(c.protocol)
		if got := g.of(event{data: c.data}); got != c.want {
			t.Errorf("%s %s: %b, not %b", c.protocol, c.data, got, c.want)
		}
	}
}

func TestPieceOf(t *testing.T) {
	g := grammarOf("gemini")
	const data = `{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"parts":[{"text":"no"}]}}},{"text":""},{"text":"Hm.","thought":true},{"text":"Hi."}]}}]}`
	v, ok := g.pieceOf(event{data: data}, texts_)
	if !ok || v.text(data) != "Hi." {
		t.Errorf("%v: %q", ok, v.text(data))
	}
}

// Counts of tokens are those of the answer, not what an input calls so.
func TestUsagePath(t *testing.T) {
	const call = `{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"usageMetadata":{"n":1}}}}]}}]`
	p := planOf(0, "data: "+call+`,"usageMetadata":{"n":7}}`+"\n\n")
	for with, want := range map[string]string{"": call + "}", "null": call + `,"usageMetadata":{"n":null}}`} {
		s := streamOf(p)
		s.g = grammarOf("gemini")
		s.usage(func(string) string { return with })
		if e, _ := s.event(1); e.data != want {
			t.Errorf("%q: %s", with, e.data)
		}
	}
}
