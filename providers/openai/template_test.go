package openai

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

// What follows a delta goes the fast way exactly if it says the same around
// another text.
func TestTemplate(t *testing.T) {
	chat := func(body string) string { return `{"id":"c","model":"m","choices":[{"index":0,"delta":` + body }
	for _, c := range []struct {
		name       string
		api        API
		head       string // events before
		learn, try string
		fast       bool
	}{
		{"another text", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content":"c\n\"\\é世😀"}}]}`), true},
		{"no text", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content":""}}]}`), false},
		{"an escape by number", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content":"\u0041"}}]}`), false},
		{"white space", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content": "c"}}]}`), false},
		{"something behind", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content":"c"}}]} `), false},
		{"something missing", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"content":"c"}}]`), false},
		{"another stream", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat(`{"refusal":"c"}}]}`), false},
		{"a control character", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat("{\"content\":\"c\t\"}}]}"), false},
		{"invalid UTF-8", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"}}]}`), chat("{\"content\":\"c\xff\"}}]}"), false},
		{"the end in the template", Chat, chat(`{"content":"a"}}]}`), chat(`{"content":"b"},"finish_reason":"stop"}]}`), chat(`{"content":"c"},"finish_reason":"stop"}]}`), false},
		{"input of a call", Chat, chat(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]}}]}`), chat(`{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}}]}`), chat(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}]}`), true},
		{"input under a name, which may begin a call", Chat, chat(`{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{"}}]}}]}`), chat(`{"tool_calls":[{"function":{"name":"x","arguments":"}"}}]}}]}`), chat(`{"tool_calls":[{"function":{"name":"x","arguments":"{}"}}]}}]}`), false},
		{"padding", Chat, chat(`{"content":"a"}}],"obfuscation":"q"}`), chat(`{"content":"b"}}],"obfuscation":"qq"}`), chat(`{"content":"c"}}],"obfuscation":"rst"}`), true},
		{"padding first", Chat, `{"obfuscation":"q",` + chat(`{"content":"a"}}]}`)[1:], `{"obfuscation":"q",` + chat(`{"content":"b"}}]}`)[1:], `{"obfuscation":"",` + chat(`{"content":"c"}}]}`)[1:], true},
		{"padding that is no plain text", Chat, chat(`{"content":"a"}}],"obfuscation":"q"}`), chat(`{"content":"b"}}],"obfuscation":"qq"}`), chat(`{"content":"c"}}],"obfuscation":"\n"}`), false},
		{"padding that is no string", Chat, chat(`{"content":"a"}}],"obfuscation":7}`), chat(`{"content":"b"}}],"obfuscation":7}`), chat(`{"content":"c"}}],"obfuscation":7}`), true},
		{"a number", Responses, text(0, "a"), `{"type":"response.output_text.delta","sequence_number":9,"output_index":0,"content_index":0,"delta":"b"}`, `{"type":"response.output_text.delta","sequence_number":10,"output_index":0,"content_index":0,"delta":"c"}`, true},
		{"a number that is none", Responses, text(0, "a"), `{"type":"response.output_text.delta","sequence_number":9,"output_index":0,"content_index":0,"delta":"b"}`, `{"type":"response.output_text.delta","sequence_number":010,"output_index":0,"content_index":0,"delta":"c"}`, false},
		{"another part", Responses, text(0, "a"), text(0, "b"), text(1, "c"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := func(s string) string { return "data: " + s + "\n\n" }
			src := frame(c.head) + frame(c.learn) + frame(c.try)
			d := c.api.NewDecoder(strings.NewReader(frame(c.head) + frame(c.learn)))
			listen(d)
			if !d.plate.known && c.name != "the end in the template" && c.name != "input under a name, which may begin a call" {
				t.Fatal("nothing was learnt")
			}
			if _, fast := drainStrict(c.api, src); (fast > 0) != c.fast {
				t.Errorf("%d went the fast way; want %v", fast, c.fast)
			}
			want, _ := drainStrict(c.api, src)
			if got := asktest.Drain(c.api.NewDecoder(strings.NewReader(src))); !slices.Equal(got, want) {
				t.Errorf("%s", diff(want, got))
			}
		})
	}
}

func FuzzChat(f *testing.F)      { fuzzDecoder(f, Chat, chatDecodings) }
func FuzzResponses(f *testing.F) { fuzzDecoder(f, Responses, responsesDecodings) }

// Whatever the fast way accepts, the strict decoder reads the same; no bytes
// panic either; cut anywhere, a stream says the same; and what is kept of it
// grows no faster than it does.
func fuzzDecoder(f *testing.F, api API, seeds []decoding) {
	for i, c := range seeds {
		f.Add([]byte(c.src), i*7)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		want := asktest.Drain(api.NewDecoder(bytes.NewReader(src)))
		if wrong := orderly(listen(api.NewDecoder(bytes.NewReader(src))).events); wrong != "" {
			t.Fatal(wrong)
		}
		if strict, _ := drainStrict(api, string(src)); !slices.Equal(strict, want) {
			t.Fatalf("the fast way: %s", diff(strict, want))
		}
		if len(want) > 4*len(src)+1 {
			t.Fatalf("%d events from %d bytes", len(want), len(src))
		}
		n := max(cut, -cut, 0) % (len(src) + 1)
		got := asktest.Drain(api.NewDecoder(io.MultiReader(bytes.NewReader(src[:n]), bytes.NewReader(src[n:]))))
		if !slices.Equal(got, want) {
			t.Fatalf("cut at %d: %s", n, diff(want, got))
		}
		api.DecodeMessage(src)
	})
}
