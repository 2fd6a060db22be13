package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

func user(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.User, Blocks: blocks}
}

func assistant(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.Assistant, Blocks: blocks}
}

func TestEncodeRequest(t *testing.T) {
	req := &providers.Request{
		Model: "m-1", System: "Be \"brief\".", MaxTokens: 1024, Stream: true,
		Tools: []providers.Tool{
			{Name: "add", Description: "adds", Schema: `{ "type": "object", "properties": {"a": {"type":"integer"}} }`},
			{Name: "now", Schema: `{"type":"object"}`},
		},
		Messages: []providers.Message{
			user(providers.Block{Kind: providers.Text, Text: "1+1? <b>&\u2028\x00"}),
			assistant(
				providers.Block{Kind: providers.Thinking, Text: "hm", Signature: "Ep+/==\n"},
				providers.Block{Kind: providers.Opaque, Raw: `{"data":"Em\/x", "type":"redacted_thinking"}`},
				providers.Block{Kind: providers.ServerCall, ID: "srv", Name: "web_search", Input: `{"q":"x"}`},
				providers.Block{Kind: providers.ServerResult, ID: "srv", Raw: `{"type":"web_search_tool_result","tool_use_id":"srv","content":[]}`},
				providers.Block{Kind: providers.ToolCall, ID: "t1", Name: "add", Input: ` {"a": 1.0, "b":"\u0041"}`},
				providers.Block{Kind: providers.ToolCall, ID: "t2", Name: "now"},
			),
			user(
				providers.Block{Kind: providers.ToolResult, ID: "t1", Text: "2"},
				providers.Block{Kind: providers.ToolResult, ID: "t2", Text: "", IsError: true},
				providers.Block{Kind: providers.Image, Raw: `{"type":"image","source":{}}`},
			),
		},
	}
	want := `{"model":"m-1","max_tokens":1024,"stream":true,"system":"Be \"brief\".",` +
		`"tools":[{"name":"add","description":"adds","input_schema":{ "type": "object", "properties": {"a": {"type":"integer"}} }},{"name":"now","input_schema":{"type":"object"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"1+1? <b>&` + "\u2028" + `\u0000"}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"Ep+/==\n"},{"data":"Em\/x", "type":"redacted_thinking"},` +
		`{"type":"server_tool_use","id":"srv","name":"web_search","input":{"q":"x"}},{"type":"web_search_tool_result","tool_use_id":"srv","content":[]},` +
		`{"type":"tool_use","id":"t1","name":"add","input": {"a": 1.0, "b":"\u0041"}},{"type":"tool_use","id":"t2","name":"now","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"2"},{"type":"tool_result","tool_use_id":"t2","content":"","is_error":true},{"type":"image","source":{}}]}]}`
	got := EncodeRequest([]byte("x"), req)
	if string(got) != "x"+want {
		t.Fatalf("\n got %s\nwant x%s", got, want)
	}
	if !json.Valid(got[1:]) {
		t.Error("not JSON")
	}
	if got := string(EncodeRequest(nil, &providers.Request{Model: "m", MaxTokens: 1})); got != `{"model":"m","max_tokens":1,"messages":[]}` {
		t.Error(got)
	}
}

// What is not an object cannot pass for one, nor break out of its place, nor
// make the body unreadable: the API names what is wrong with it.
func TestEncodeWhatIsNotAnObject(t *testing.T) {
	for _, in := range []string{`[1]`, `"x"`, `null`, `{"a":`, `{"a":1}}],"system":"evil"`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", ` `, `{} {}`} {
		b := AppendMessage(nil, assistant(providers.Block{Kind: providers.ToolCall, ID: "t", Name: "n", Input: in}))
		var m struct {
			Content []map[string]any
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatalf("%s: %v: %s", in, err, b)
		}
		if got := m.Content[0]["input"]; got != strings.ToValidUTF8(in, "\ufffd") {
			t.Errorf("input %s became %v", in, got)
		}
		b = AppendMessage(nil, assistant(providers.Block{Kind: providers.Opaque, Raw: in}))
		if !json.Valid(b) {
			t.Errorf("raw %s: %s", in, b)
		}
	}
	if got := string(AppendMessage(nil, assistant(providers.Block{Kind: providers.Opaque}))); got != `{"role":"assistant","content":[{"type":"opaque"}]}` {
		t.Error(got)
	}
	if got := string(AppendMessage(nil, user(providers.Block{Kind: providers.Text, Text: "a\xff\xfeb"}))); got != `{"role":"user","content":[{"type":"text","text":"a`+"\ufffd\ufffd"+`b"}]}` {
		t.Error(got)
	}
}

// A call that came with more than the neutral fields goes back with it, under
// the id and with the input that the loop has for it.
func TestEncodeRawCall(t *testing.T) {
	b := providers.Block{Kind: providers.ServerCall, ID: "c1", Name: "echo", Input: `{"x":1}`,
		Raw: `{"type":"mcp_tool_use", "id":"m","name":"echo","input":{},"server_name":"s","\u0063aller":null}`}
	want := `{"role":"assistant","content":[{"id":"c1","input":{"x":1},"type":"mcp_tool_use","name":"echo","server_name":"s","caller":null}]}`
	if got := string(AppendMessage(nil, assistant(b))); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	b.Raw = `{"type":`
	if got := AppendMessage(nil, assistant(b)); !json.Valid(got) {
		t.Errorf("%s", got)
	}
}

var (
	png = providers.ImageData{Type: "image/png", Data: "iVBORw0KGgo="}
	gif = providers.ImageData{Type: "image/gif", Data: "R0lGODlh"}
)

// A result with images is a list of parts, without an empty text; one without
// images is a string, as it always was. Decoded, it is the same block.
func TestEncodeImages(t *testing.T) {
	const (
		pngPart = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
		gifPart = `{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlh"}}`
	)
	for _, c := range []struct {
		block providers.Block
		want  string // of the content and what follows
	}{
		{providers.Block{Text: "two", Images: []providers.ImageData{png, gif}}, `[{"type":"text","text":"two"},` + pngPart + `,` + gifPart + `]`},
		{providers.Block{Images: []providers.ImageData{gif}}, `[` + gifPart + `]`},
		{providers.Block{Text: "\"a\"", IsError: true, Images: []providers.ImageData{png}}, `[{"type":"text","text":"\"a\""},` + pngPart + `],"is_error":true`},
		{providers.Block{Text: "none", Images: []providers.ImageData{}}, `"none"`},
		{providers.Block{}, `""`},
	} {
		c.block.Kind, c.block.ID = providers.ToolResult, "t"
		want := `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":` + c.want + `}]}`
		if got := string(AppendMessage(nil, user(c.block))); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
		req, err := DecodeRequest([]byte(`{"messages":[` + want + `]}`))
		if err != nil || !req.Messages[0].Blocks[0].Equal(&c.block) {
			t.Errorf("%v: decoded %+v", err, req)
		}
	}
	// Data is embedded as what it is, a string: it does not break out.
	evil := providers.Block{Kind: providers.ToolResult, ID: "t", Images: []providers.ImageData{{Type: `"`, Data: `"}}],"x":[`}}}
	if got := AppendMessage(nil, user(evil)); !json.Valid(got) || strings.Contains(string(got), `"x":[`) {
		t.Errorf("%s", got)
	}
}

// Images that the neutral fields cannot say whole are told as far as they can,
// and go back as they came.
func TestDecodeImages(t *testing.T) {
	const part = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}`
	for _, c := range []struct {
		content, text string
		images        int
	}{
		{`[` + part + `,{"type":"text","text":"behind"}]`, "behind", 1},
		{`[{"type":"text","text":""},` + part + `]`, "", 1},
		{`[{"type":"text","text":"a","cache_control":{}},` + part + `]`, "a", 1},
		{`[{"type":"text","text":"a"},{"type":"text","text":"b"},` + part + `]`, "a\nb", 1},
		{`[{"type":"image","cache_control":{},"source":{"type":"base64","media_type":"image/png","data":"eA=="}}]`, "", 1},
		{`[{"type":"image","source":{"type":"base64","data":"eA=="}}]`, "", 1},
		{`[` + part + `,{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]`, "", 1},
		{`[{"type":"image","source":{"type":"url","data":"eA==","media_type":"image/png"}}]`, "", 0},
		{`[{"type":"image","source":7}]`, "", 0},
		{`[{"type":"text","text":"a"}]`, "a", 0},
		{`[` + part + `,{"type":"search_result"}]`, "", 1},
		{`[]`, "", 0},
	} {
		raw := `{"type":"tool_result","tool_use_id":"t","content":` + c.content + `}`
		req, err := DecodeRequest([]byte(`{"messages":[{"role":"user","content":[` + raw + `]}]}`))
		if err != nil {
			t.Fatalf("%s: %v", c.content, err)
		}
		if b := req.Messages[0].Blocks[0]; b.Text != c.text || len(b.Images) != c.images || b.Raw != raw {
			t.Errorf("%s: %+v", c.content, b)
		}
	}
}

func TestDecodeRequest(t *testing.T) {
	body := `{"model":"m","max_tokens":7,"stream":true,"temperature":0.5,"metadata":{},
	 "system":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}],
	 "tools":[{"name":"add","description":"d","input_schema":{"type": "object"}},{"type":"web_search_20250305","name":"web_search"}],
	 "messages":[
	  {"role":"user","content":"hi"},
	  {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"t","name":"add","input":{"a": 1},"caller":{"type":"direct"}},{"type":"redacted_thinking","data":"x"}]},
	  {"role":"user","content":[
	   {"type":"tool_result","tool_use_id":"t","content":"2"},
	   {"type":"tool_result","tool_use_id":"u","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]},
	   {"type":"tool_result","tool_use_id":"v"},
	   {"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}`
	got, err := DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := &providers.Request{
		Model: "m", MaxTokens: 7, Stream: true, System: "one\ntwo",
		Tools: []providers.Tool{{Name: "add", Description: "d", Schema: `{"type": "object"}`}, {Name: "web_search"}},
		Messages: []providers.Message{
			user(providers.Block{Kind: providers.Text, Text: "hi"}),
			assistant(
				providers.Block{Kind: providers.Thinking, Text: "hm", Signature: "s"},
				providers.Block{Kind: providers.ToolCall, ID: "t", Name: "add", Input: `{"a": 1}`, Raw: `{"type":"tool_use","id":"t","name":"add","input":{"a": 1},"caller":{"type":"direct"}}`},
				providers.Block{Kind: providers.Opaque, Raw: `{"type":"redacted_thinking","data":"x"}`},
			),
			user(
				providers.Block{Kind: providers.ToolResult, ID: "t", Text: "2"},
				providers.Block{Kind: providers.ToolResult, ID: "u", Text: "a\nb", IsError: true, Raw: `{"type":"tool_result","tool_use_id":"u","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}]}`},
				providers.Block{Kind: providers.ToolResult, ID: "v", Raw: `{"type":"tool_result","tool_use_id":"v"}`},
				providers.Block{Kind: providers.Text, Text: "go", Raw: `{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}`},
			),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	// What was decoded goes out as it came.
	var in, out struct{ Messages []struct{ Content any } }
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(EncodeRequest(nil, got), &out); err != nil {
		t.Fatal(err)
	}
	if in, out := in.Messages[1:], out.Messages[1:]; !reflect.DeepEqual(in, out) {
		t.Errorf("\n got %v\nwant %v", out, in)
	}
}

func TestDecodeRequestErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "the request is empty"},
		{`[]`, "the request is []; want an object"},
		{`{"model":"m","model":"m"}`, `the request is not strict JSON: duplicate object member name "model"`},
		{`{"model":1}`, "model is 1; want a string"},
		{`{"max_tokens":"1"}`, `max_tokens is "1"; want a whole number`},
		{`{"stream":1}`, "stream is 1; want true or false"},
		{`{"system":7}`, "system is 7; want a string or an array"},
		{`{"tools":{}}`, "tools is {}; want an array"},
		{`{"tools":[1]}`, "tools[0] is 1; want an object"},
		{`{"tools":[{"name":1}]}`, "tools[0].name is 1; want a string"},
		{`{"tools":[{"name":"a","input_schema":[]}]}`, "tools[0].input_schema is []; want an object"},
		{`{"messages":{}}`, "messages is {}; want an array"},
		{`{"messages":[1]}`, "messages[0] is 1; want an object"},
		{`{"messages":[{"role":7,"content":"x"}]}`, "messages[0].role is 7; want a string"},
		{`{"messages":[{"content":"x"}]}`, "messages[0].role is missing; want a string"},
		{`{"messages":[{"role":"user"}]}`, "messages[0].content is missing; want a string or an array"},
		{`{"messages":[{"role":"user","content":[7]}]}`, "messages[0].content[0] is 7; want an object"},
		{`{"messages":[{"role":"user","content":[{}]}]}`, "messages[0].content[0].type is missing; want a string"},
		{`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":7}]}]}`, "messages[0].content[1].tool_use_id is 7; want a string"},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":"yes"}]}]}`, `messages[0].content[0].is_error is "yes"; want true or false`},
		{`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[1]}]}]}`, "messages[0].content[0].content[0] is 1; want an object"},
	} {
		if _, err := DecodeRequest([]byte(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// blocks that a loop may send and the neutral fields say whole
func anyBlock(role providers.Role) *rapid.Generator[providers.Block] {
	text := rapid.StringN(0, 12, -1)
	return rapid.Custom(func(t *rapid.T) providers.Block {
		if role == providers.User && rapid.Bool().Draw(t, "result") {
			b := providers.Block{Kind: providers.ToolResult, ID: text.Draw(t, "id"), Text: text.Draw(t, "text"), IsError: rapid.Bool().Draw(t, "failed")}
			for range rapid.IntRange(0, 2).Draw(t, "images") {
				b.Images = append(b.Images, providers.ImageData{Type: text.Draw(t, "type"), Data: rapid.StringN(1, 12, -1).Draw(t, "data")})
			}
			return b
		}
		if role == providers.Assistant {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				input, _ := json.Marshal(rapid.MapOf(text, text).Draw(t, "input"))
				return providers.Block{Kind: providers.ToolCall, ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Input: string(input)}
			case 1:
				return providers.Block{Kind: providers.Thinking, Text: text.Draw(t, "text"), Signature: text.Draw(t, "signature")}
			case 2:
				return providers.Block{Kind: providers.Opaque, Raw: `{"type":"redacted_thinking","data":` + string(strict.AppendString(nil, text.Draw(t, "data"))) + `}`}
			}
		}
		return providers.Block{Kind: providers.Text, Text: text.Draw(t, "text")}
	})
}

var anyMessage = rapid.Custom(func(t *rapid.T) providers.Message {
	role := rapid.SampledFrom([]providers.Role{providers.User, providers.Assistant}).Draw(t, "role")
	return providers.Message{Role: role, Blocks: rapid.SliceOfN(anyBlock(role), 1, 4).Draw(t, "blocks")}
})

func TestRequestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		req := &providers.Request{
			Model: rapid.String().Draw(t, "model"), System: rapid.String().Draw(t, "system"), MaxTokens: rapid.IntRange(0, 1e9).Draw(t, "max"),
			Stream: rapid.Bool().Draw(t, "stream"), Messages: rapid.SliceOfN(anyMessage, 1, 5).Draw(t, "messages"),
		}
		body := EncodeRequest(nil, req)
		got, err := DecodeRequest(body)
		if err != nil || !reflect.DeepEqual(got, req) {
			t.Fatalf("%v\n got %+v\nwant %+v\nbody %s", err, got, req, body)
		}
	})
}

// Whatever requests follow each other, the encoder writes what EncodeRequest
// writes: after new messages, a changed one, a shorter history, another one.
func TestEncoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Encoder
		var msgs []providers.Message
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 4:
				if len(msgs) > 0 {
					msgs[rapid.IntRange(0, len(msgs)-1).Draw(t, "turned")].Role = providers.User
				}
			case 0:
				msgs = msgs[:rapid.IntRange(0, len(msgs)).Draw(t, "keep")]
			case 1:
				if len(msgs) > 0 { // in place, which no comparison by address would notice
					b := &msgs[rapid.IntRange(0, len(msgs)-1).Draw(t, "changed")].Blocks[0]
					switch n := len(b.Images); {
					case n > 0 && rapid.Bool().Draw(t, "image"):
						b.Images[n-1].Data += "x"
					case n > 0 && rapid.Bool().Draw(t, "fewer"):
						b.Images = b.Images[:n-1]
					default:
						b.Text += "x"
					}
				}
			default:
				msgs = append(msgs, rapid.SliceOfN(anyMessage, 1, 3).Draw(t, "new")...)
			}
			req := &providers.Request{Model: "m", MaxTokens: 1, Messages: msgs}
			if got, want := e.Encode([]byte("x"), req), EncodeRequest([]byte("x"), req); !bytes.Equal(got, want) {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
		}
	})
}

// A request costs its new messages: nothing that was encoded is encoded again.
func TestEncoderCostsWhatIsNew(t *testing.T) {
	var e Encoder
	req := &providers.Request{Model: "m", MaxTokens: 1}
	for i := range 1000 {
		req.Messages = append(req.Messages, user(providers.Block{Kind: providers.Text, Text: fmt.Sprintf("message %d", i)}))
	}
	e.Encode(nil, req)
	req.Messages = append(req.Messages, user(providers.Block{Kind: providers.Text, Text: "new"}))
	dst := make([]byte, 0, 1<<20)
	before := len(e.kept.Encode(req.Messages[:1000], appendMessage))
	if n := e.kept.Known(req.Messages); n != 1000 {
		t.Fatalf("%d of 1000 messages are known", n)
	}
	if n := testing.AllocsPerRun(20, func() { e.Encode(dst[:0], req) }); n > 0 {
		t.Errorf("%v allocations for a request that is known", n)
	}
	text := e.kept.Encode(req.Messages, appendMessage)
	text[bytes.IndexByte(text, '7')] = '!' // in "message 7": nobody may write it again
	if body := e.Encode(dst[:0], req); !bytes.Contains(body, []byte("message !")) {
		t.Error("a message that is known was encoded again")
	}
	if grown := len(text) - before; grown != len(AppendMessage(nil, req.Messages[1000]))+1 {
		t.Errorf("one message added %d bytes", grown)
	}
}
