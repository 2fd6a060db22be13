package gemini

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

var (
	png = providers.ImageData{Type: "image/png", Data: "iVBORw0KGgo="}
	gif = providers.ImageData{Type: "image/gif", Data: "R0lGODlh"}
)

func user(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.User, Blocks: blocks}
}

func assistant(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.Assistant, Blocks: blocks}
}

func said(s string) providers.Block { return providers.Block{Kind: providers.Text, Text: s} }

// called is a call, and answered a result.
func called(id, name, input string) providers.Block {
	return providers.Block{Kind: providers.ToolCall, ID: id, Name: name, Input: input}
}

func answered(id, text string) providers.Block {
	return providers.Block{Kind: providers.ToolResult, ID: id, Text: text}
}

func signed(b providers.Block, signature string) providers.Block {
	b.Signature = signature
	return b
}

func raw(kind providers.BlockKind, s string) providers.Block {
	return providers.Block{Kind: kind, Raw: s}
}

func everything() *providers.Request {
	failed := answered("t2", "no clock")
	failed.IsError = true
	withImages := answered("t3", "two")
	withImages.Images = []providers.ImageData{png, gif}
	return &providers.Request{
		System: "Be \"brief\".", MaxTokens: 1024,
		Tools: []providers.Tool{
			{Name: "add", Description: "adds", Schema: `{ "type": "object", "properties": {"a": {"type":"integer"}} }`},
			{Name: "now"},
		},
		Messages: []providers.Message{
			user(said("1+1? <b>&\u2028\x00")),
			assistant(
				signed(providers.Block{Kind: providers.Thinking, Text: "hm"}, "T"),
				said("I will see."),
				signed(called("t1", "add", `{"a": 1.0, "b":"\u0041"}`), "Ep+/=="),
				called("t2", "now", "{}"),
				raw(providers.Opaque, `{"text": "","thoughtSignature": "B"}`),
			),
			user(answered("t1", "2"), failed, said("and?")),
			assistant(called("t3", "now", "{}")),
			user(withImages),
			assistant(signed(said("done"), "S")),
		},
	}
}

func TestEncodeRequest(t *testing.T) {
	want := `{"systemInstruction":{"parts":[{"text":"Be \"brief\"."}]},` +
		`"tools":[{"functionDeclarations":[{"name":"add","description":"adds","parametersJsonSchema":{ "type": "object", "properties": {"a": {"type":"integer"}} }},{"name":"now"}]}],` +
		`"generationConfig":{"maxOutputTokens":1024},` +
		`"contents":[{"role":"user","parts":[{"text":"1+1? <b>&` + "\u2028" + `\u0000"}]},` +
		`{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"T"},{"text":"I will see."},{"functionCall":{"id":"t1","name":"add","args":{"a": 1.0, "b":"\u0041"}},"thoughtSignature":"Ep+/=="},{"functionCall":{"id":"t2","name":"now","args":{}}},{"text": "","thoughtSignature": "B"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"add","response":{"output":"2"}}},{"functionResponse":{"id":"t2","name":"now","response":{"error":"no clock"}}},{"text":"and?"}]},` +
		`{"role":"model","parts":[{"functionCall":{"id":"t3","name":"now","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"t3","name":"now","response":{"output":"two"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"inlineData":{"mimeType":"image/gif","data":"R0lGODlh"}}]}}]},` +
		`{"role":"model","parts":[{"text":"done","thoughtSignature":"S"}]}]}`
	got := string(EncodeRequest([]byte("x"), everything()))
	if got != "x"+want {
		t.Errorf("\n got %s\nwant x%s", got, want)
	}
	back, err := DecodeRequest([]byte(want))
	if err != nil || !reflect.DeepEqual(back, everything()) {
		t.Errorf("decoded, it is %+v %v", back, err)
	}
}

func TestEncodeHead(t *testing.T) {
	tool := []providers.Tool{{Name: "a", Schema: `{"type":"object"}`}}
	for _, c := range []struct {
		o    Options
		req  *providers.Request
		want string
	}{
		{Options{}, &providers.Request{Model: "m", Stream: true}, `{"contents":[]}`},
		{Options{}, &providers.Request{MaxTokens: 7}, `{"generationConfig":{"maxOutputTokens":7},"contents":[]}`},
		{Options{Thoughts: true}, &providers.Request{}, `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"contents":[]}`},
		{Options{Thoughts: true}, &providers.Request{MaxTokens: 7}, `{"generationConfig":{"maxOutputTokens":7,"thinkingConfig":{"includeThoughts":true}},"contents":[]}`},
		{Options{}, &providers.Request{Tools: tool}, `{"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"type":"object"}}]}],"contents":[]}`},
		{Options{OldSchemas: true}, &providers.Request{Tools: tool}, `{"tools":[{"functionDeclarations":[{"name":"a","parameters":{"type":"object"}}]}],"contents":[]}`},
		{Options{}, &providers.Request{Tools: []providers.Tool{{Name: "a", Schema: `}`}}}, `{"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":"}"}]}],"contents":[]}`},
		{Options{NoIDs: true}, &providers.Request{Messages: []providers.Message{assistant(called("i", "a", "")), user(answered("i", "x"))}},
			`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"x"}}}]}]}`},
	} {
		e := Encoder{Options: c.o}
		if got := string(e.Encode(nil, c.req)); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

// One message at a time: what goes on the wire, and what is read from it again.
func TestEncodeMessages(t *testing.T) {
	named := answered("zz", "x")
	named.Name = "own"
	more := called("t", "a", `{"n":1}`)
	more.Raw, more.Signature = `{ "functionCall":{"name":"x","args":{},"id":"old","extra":[1]},"thoughtSignature":"old","partMetadata":{"k":1}}`, "new"
	for _, c := range []struct {
		name string
		m    providers.Message
		want string
		back bool // decoded, it is the same message
	}{
		{"nothing at all", user(), `{"role":"user","parts":[]}`, true},
		{"another role", providers.Message{Role: "critic", Blocks: []providers.Block{said("a")}}, `{"role":"critic","parts":[{"text":"a"}]}`, true},
		{"no input is {}", assistant(called("t", "a", "")), `{"role":"model","parts":[{"functionCall":{"id":"t","name":"a","args":{}}}]}`, false},
		{"input that is no object", assistant(called("t", "a", `{"a":`), called("u", "b", "[1]"), called("v", "c", `{"a":1,"a":2}`)),
			`{"role":"model","parts":[{"functionCall":{"id":"t","name":"a","args":"{\"a\":"}},{"functionCall":{"id":"u","name":"b","args":"[1]"}},{"functionCall":{"id":"v","name":"c","args":"{\"a\":1,\"a\":2}"}}]}`, true},
		{"input that would break out", assistant(called("t", "a", `{}},{"text":"x"},{"functionCall":{`)), `{"role":"model","parts":[{"functionCall":{"id":"t","name":"a","args":"{}},{\"text\":\"x\"},{\"functionCall\":{"}}]}`, true},
		{"a call without an id, and one whose id was made", assistant(called("", "a", "{}"), called("#1", "b", "{}")), `{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}},{"functionCall":{"name":"b","args":{}}}]}`, false},
		{"a call that says more", assistant(more), `{"role":"model","parts":[{"functionCall":{"id":"t","name":"a","args":{"n":1},"extra":[1]},"thoughtSignature":"new","partMetadata":{"k":1}}]}`, false},
		{"a call whose Raw is none", assistant(providers.Block{Kind: providers.ToolCall, Raw: "}"}), `{"role":"model","parts":["}"]}`, false},
		{"a call of the provider's, and its answer", assistant(signed(providers.Block{Kind: providers.ServerCall, ID: "i", Name: "GOOGLE_SEARCH_WEB", Input: `{"q":1}`}, "s"), providers.Block{Kind: providers.ServerResult, ID: "i", Raw: `{"toolResponse":{"id":"i","response":{}}}`}),
			`{"role":"model","parts":[{"toolCall":{"id":"i","toolType":"GOOGLE_SEARCH_WEB","args":{"q":1}},"thoughtSignature":"s"},{"toolResponse":{"id":"i","response":{}}}]}`, true},
		{"a call of the provider's as it came", assistant(signed(providers.Block{Kind: providers.ServerCall, ID: "i", Name: "X", Input: `{"q":1}`, Raw: `{"toolCall":{"args":{"q":1},"id":"i","toolType":"X"},"thoughtSignature":"s"}`}, "")),
			`{"role":"model","parts":[{"toolCall":{"id":"i","toolType":"X","args":{"q":1}}}]}`, false},
		{"a result of no call has its own name, or none", user(named, answered("yy", "")), `{"role":"user","parts":[{"functionResponse":{"id":"zz","name":"own","response":{"output":"x"}}},{"functionResponse":{"id":"yy","name":"","response":{"output":""}}}]}`, true},
		{"thoughts", assistant(providers.Block{Kind: providers.Thinking, Text: "hm"}, signed(providers.Block{Kind: providers.Thinking}, "s")), `{"role":"model","parts":[{"text":"hm","thought":true},{"text":"","thought":true,"thoughtSignature":"s"}]}`, true},
		{"images", user(providers.Block{Kind: providers.Image, Images: []providers.ImageData{png, gif}}, raw(providers.Image, `{"fileData":{"fileUri":"u","mimeType":"image/png"}}`)),
			`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"inlineData":{"mimeType":"image/gif","data":"R0lGODlh"}},{"fileData":{"fileUri":"u","mimeType":"image/png"}}]}`, false},
		{"what only Raw can spell, without it", user(raw(providers.Opaque, ""), raw(providers.Opaque, "}")), `{"role":"user","parts":[{"opaque":{}},"}"]}`, false},
		{"text that is not UTF-8", user(said("a\xffb")), `{"role":"user","parts":[{"text":"a` + "\ufffd" + `b"}]}`, false},
	} {
		got := EncodeRequest(nil, &providers.Request{Messages: []providers.Message{c.m}})
		if want := `{"contents":[` + c.want + `]}`; string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
		if !strict.IsObject(got) {
			t.Errorf("%s: not JSON: %s", c.name, got)
		}
		if c.back {
			req, err := DecodeRequest(got)
			if err != nil || fmt.Sprintf("%+v", req.Messages) != fmt.Sprintf("%+v", []providers.Message{c.m}) {
				t.Errorf("%s: decoded, it is %+v %v", c.name, req, err)
			}
		}
	}
}

// A result has the name of the last call before it with its id.
func TestResultNames(t *testing.T) {
	req := &providers.Request{Messages: []providers.Message{
		assistant(called("i", "one", "{}")), user(answered("i", "1")),
		assistant(called("i", "two", "{}"), called("j", "three", "{}")), user(answered("j", "3"), answered("i", "2"), answered("k", "?")),
		assistant(called("k", "late", "{}")),
	}}
	got := string(EncodeRequest(nil, req))
	var names []string
	for _, s := range strings.Split(got, `"functionResponse":{"id":"`)[1:] {
		names = append(names, s[:strings.Index(s, `,"response"`)])
	}
	if want := []string{`i","name":"one"`, `j","name":"three"`, `i","name":"two"`, `k","name":""`}; !reflect.DeepEqual(names, want) {
		t.Errorf("%q", names)
	}
}

// An Encoder writes what EncodeRequest writes, however the conversation changes
// between its requests.
func TestEncoder(t *testing.T) {
	text := rapid.SampledFrom([]string{"a", "b", `"`})
	block := rapid.Custom(func(t *rapid.T) providers.Block {
		b := providers.Block{
			Kind: rapid.SampledFrom([]providers.BlockKind{providers.Text, providers.Thinking, providers.ToolCall, providers.ToolResult, providers.Image}).Draw(t, "kind"),
			Text: text.Draw(t, "text"), ID: rapid.SampledFrom([]string{"i", "j", "#1", ""}).Draw(t, "id"), Name: rapid.SampledFrom([]string{"", "n", "m"}).Draw(t, "name"),
			Input: rapid.SampledFrom([]string{"", "{}", `{"a":1}`, "x"}).Draw(t, "input"), Signature: rapid.SampledFrom([]string{"", "s"}).Draw(t, "signature"),
			IsError: rapid.Bool().Draw(t, "failed"),
		}
		if rapid.Bool().Draw(t, "images") {
			b.Images = []providers.ImageData{png}
		}
		return b
	})
	message := rapid.Custom(func(t *rapid.T) providers.Message {
		return providers.Message{Role: rapid.SampledFrom([]providers.Role{providers.User, providers.Assistant}).Draw(t, "role"), Blocks: rapid.SliceOfN(block, 0, 3).Draw(t, "blocks")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var e Encoder
		var msgs []providers.Message
		for range rapid.IntRange(1, 6).Draw(t, "requests") {
			msgs = msgs[:rapid.IntRange(0, len(msgs)).Draw(t, "kept")]
			if n := len(msgs); n > 0 && rapid.Bool().Draw(t, "change") {
				msgs[rapid.IntRange(0, n-1).Draw(t, "which")] = message.Draw(t, "changed")
			}
			msgs = append(msgs, rapid.SliceOfN(message, 0, 3).Draw(t, "new")...)
			req := &providers.Request{Messages: msgs, MaxTokens: rapid.IntRange(0, 2).Draw(t, "max"), System: text.Draw(t, "system")}
			got, want := e.Encode([]byte("x"), req), EncodeRequest([]byte("x"), req)
			if !bytes.Equal(got, want) {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
			if !strict.IsObject(got[1:]) {
				t.Fatalf("not JSON: %s", got)
			}
		}
	})
}
