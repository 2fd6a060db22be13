package openai

import (
	"encoding/json"
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

func said(s string) providers.Block { return providers.Block{Kind: providers.Text, Text: s} }

func everything() *providers.Request {
	return &providers.Request{
		Model: "m-1", System: "Be \"brief\".", MaxTokens: 1024, Stream: true,
		Tools: []providers.Tool{
			{Name: "add", Description: "adds", Schema: `{ "type": "object", "properties": {"a": {"type":"integer"}} }`},
			{Name: "now"},
		},
		Messages: []providers.Message{
			user(said("1+1? <b>&\u2028\x00")),
			assistant(
				said("I will see."),
				providers.Block{Kind: providers.ToolCall, ID: "t1", Name: "add", Input: ` {"a": 1.0, "b":"\u0041"}`},
				providers.Block{Kind: providers.ToolCall, ID: "t2", Name: "now"},
			),
			user(
				providers.Block{Kind: providers.ToolResult, ID: "t1", Text: "2"},
				providers.Block{Kind: providers.ToolResult, ID: "t2", Text: "no clock", IsError: true},
				said("and?"), said("now"),
			),
			assistant(providers.Block{Kind: providers.ToolCall, ID: "t3", Name: "now", Input: "{}"}),
			user(providers.Block{Kind: providers.ToolResult, ID: "t3"}),
		},
	}
}

func TestEncodeChat(t *testing.T) {
	want := `{"model":"m-1","max_completion_tokens":1024,"stream":true,"stream_options":{"include_usage":true},` +
		`"tools":[{"type":"function","function":{"name":"add","description":"adds","parameters":{ "type": "object", "properties": {"a": {"type":"integer"}} }}},{"type":"function","function":{"name":"now"}}],` +
		`"messages":[{"role":"system","content":"Be \"brief\"."},{"role":"user","content":"1+1? <b>&` + "\u2028" + `\u0000"},` +
		`{"role":"assistant","content":"I will see.","tool_calls":[{"id":"t1","type":"function","function":{"name":"add","arguments":" {\"a\": 1.0, \"b\":\"\\u0041\"}"}},{"id":"t2","type":"function","function":{"name":"now","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"t1","content":"2"},{"role":"tool","tool_call_id":"t2","content":"[tool error] no clock"},` +
		`{"role":"user","content":[{"type":"text","text":"and?"},{"type":"text","text":"now"}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"t3","type":"function","function":{"name":"now","arguments":"{}"}}]},{"role":"tool","tool_call_id":"t3","content":""}]}`
	if got := string(Chat.EncodeRequest([]byte("x"), everything())); got != "x"+want {
		t.Errorf("\n got %s\nwant x%s", got, want)
	}
}

func TestEncodeResponses(t *testing.T) {
	want := `{"model":"m-1","instructions":"Be \"brief\".","max_output_tokens":1024,"stream":true,"store":false,` +
		`"tools":[{"type":"function","name":"add","description":"adds","parameters":{ "type": "object", "properties": {"a": {"type":"integer"}} },"strict":false},{"type":"function","name":"now","parameters":null,"strict":false}],` +
		`"input":[{"role":"user","content":[{"type":"input_text","text":"1+1? <b>&` + "\u2028" + `\u0000"}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will see."}]},{"type":"function_call","call_id":"t1","name":"add","arguments":" {\"a\": 1.0, \"b\":\"\\u0041\"}"},{"type":"function_call","call_id":"t2","name":"now","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"t1","output":"2"},{"type":"function_call_output","call_id":"t2","output":"[tool error] no clock"},` +
		`{"role":"user","content":[{"type":"input_text","text":"and?"},{"type":"input_text","text":"now"}]},` +
		`{"type":"function_call","call_id":"t3","name":"now","arguments":"{}"},{"type":"function_call_output","call_id":"t3","output":""}]}`
	if got := string(Responses.EncodeRequest([]byte("x"), everything())); got != "x"+want {
		t.Errorf("\n got %s\nwant x%s", got, want)
	}
}

func TestEncodeHead(t *testing.T) {
	req := &providers.Request{Model: "m", MaxTokens: 7, Stream: true}
	for _, c := range []struct {
		e    Encoder
		req  *providers.Request
		want string
	}{
		{Encoder{API: Chat}, &providers.Request{Model: "m"}, `{"model":"m","messages":[]}`},
		{Encoder{API: Chat}, &providers.Request{Model: "m", System: "s"}, `{"model":"m","messages":[{"role":"system","content":"s"}]}`},
		{Encoder{API: Chat, Options: Options{OldMaxTokens: true}}, req, `{"model":"m","max_tokens":7,"stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
		{Encoder{API: Chat, Options: Options{NoUsage: true, Encrypted: true}}, req, `{"model":"m","max_completion_tokens":7,"stream":true,"messages":[]}`},
		{Encoder{API: Responses}, &providers.Request{Model: "m"}, `{"model":"m","store":false,"input":[]}`},
		{Encoder{API: Responses, Options: Options{Encrypted: true, OldMaxTokens: true}}, req, `{"model":"m","max_output_tokens":7,"stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[]}`},
	} {
		if got := string(c.e.Encode(nil, c.req)); got != c.want {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

// One message at a time: what goes on the wire, and what is read from it again.
func TestEncodeMessages(t *testing.T) {
	const details = `{"type":"reasoning.text","text":"h","index":0}{"type":"reasoning.text","text":"m\n","signature":null,"index":0}{"type":"reasoning.text","signature":"Ep==","index":0}{"type":"reasoning.encrypted","data":"x"}`
	for _, c := range []struct {
		name string
		api  API
		m    providers.Message
		want string
		back bool // decoded, it is the same message
	}{
		{"images of results come behind all of them", Chat, user(
			providers.Block{Kind: providers.ToolResult, ID: "a", Text: "two", Images: []providers.ImageData{png, gif}}, providers.Block{Kind: providers.ToolResult, ID: "b", Text: "none"},
			providers.Block{Kind: providers.ToolResult, ID: "c", IsError: true, Images: []providers.ImageData{gif}}, said("go on")),
			`{"role":"tool","tool_call_id":"a","content":"two"},{"role":"tool","tool_call_id":"b","content":"none"},{"role":"tool","tool_call_id":"c","content":"[tool error] "},` +
				`{"role":"user","content":[{"type":"text","text":"[images of the result of call a]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlh"}},` +
				`{"type":"text","text":"[images of the result of call c]"},{"type":"image_url","image_url":{"url":"data:image/gif;base64,R0lGODlh"}}]},{"role":"user","content":"go on"}`, true},
		{"images of results are parts of them", Responses, user(
			providers.Block{Kind: providers.ToolResult, ID: "a", Text: "two", Images: []providers.ImageData{png, gif}}, providers.Block{Kind: providers.ToolResult, ID: "c", Images: []providers.ImageData{gif}}),
			`{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"two"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="},{"type":"input_image","image_url":"data:image/gif;base64,R0lGODlh"}]},` +
				`{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/gif;base64,R0lGODlh"}]}`, true},
		{"results behind words stay there: the API refuses them", Chat, user(said("a"), providers.Block{Kind: providers.ToolResult, ID: "a", Text: "x"}),
			`{"role":"user","content":"a"},{"role":"tool","tool_call_id":"a","content":"x"}`, false},
		{"nothing at all", Chat, user(), `{"role":"user","content":""}`, false},
		{"nothing at all, answered", Chat, assistant(), `{"role":"assistant","content":null}`, true},
		{"nothing at all", Responses, user(), `{"role":"user","content":[]}`, false},
		{"another role", Chat, providers.Message{Role: "developer", Blocks: []providers.Block{said("a")}}, `{"role":"developer","content":"a"}`, false},
		{"unsigned thinking", Chat, assistant(providers.Block{Kind: providers.Thinking, Text: "hm"}, said("a")), `{"role":"assistant","content":"a","reasoning_content":"hm"}`, true},
		{"thinking with its details, which came in pieces", Chat, assistant(providers.Block{Kind: providers.Thinking, Text: "hm\n", Signature: details}, providers.Block{Kind: providers.ToolCall, ID: "a", Name: "x", Input: "{}"}),
			`{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"hm\n","index":0,"signature":"Ep=="},{"type":"reasoning.encrypted","data":"x"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}}]}`, false},
		{"details of several blocks", Chat, assistant(providers.Block{Kind: providers.Thinking, Signature: `{"type":"reasoning.text","text":"a","index":0}{"type":"reasoning.text","text":"b","index":1}{"type":"reasoning.summary","summary":"c","index":1}{"type":"reasoning.summary","summary":"d","index":1}{"type":"reasoning.encrypted","data":"x","index":1}{"type":"reasoning.encrypted","data":"y","index":1}`}),
			`{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.text","text":"b","index":1},{"type":"reasoning.summary","summary":"cd","index":1},{"type":"reasoning.encrypted","data":"x","index":1},{"type":"reasoning.encrypted","data":"y","index":1}]}`, false},
		{"a signature of another API", Chat, assistant(providers.Block{Kind: providers.Thinking, Text: "hm", Signature: "Ep+/=="}, said("a")), `{"role":"assistant","content":"a","reasoning_content":"hm"}`, false},
		{"reasoning goes back as it came", Responses, assistant(providers.Block{Kind: providers.Thinking, Text: "hm", Signature: `{"id":"rs","type":"reasoning", "summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA\/=="}`}, providers.Block{Kind: providers.ToolCall, ID: "a", Name: "x", Input: "{}"}),
			`{"id":"rs","type":"reasoning", "summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"gA\/=="},{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}`, true},
		{"reasoning of others", Responses, assistant(providers.Block{Kind: providers.Thinking, Text: "hm", Signature: "s"}, providers.Block{Kind: providers.Thinking}), `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"s"},{"type":"reasoning","summary":[]}`, false},
		{"several texts", Chat, assistant(said("a"), said("b")), `{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, true},
		{"several texts", Responses, assistant(said("a"), said("b")), `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`, true},
		{"what has its own JSON", Chat, user(said("a"), providers.Block{Kind: providers.Image, Raw: `{"type":"image_url", "image_url":{"url":"https://x"}}`}, providers.Block{Kind: providers.Text, Text: "b", Raw: `{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`}),
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url", "image_url":{"url":"https://x"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}`, true},
		{"what has its own JSON", Responses, user(said("a"), providers.Block{Kind: providers.Image, Raw: `{"type":"input_image", "image_url":"https://x"}`}, providers.Block{Kind: providers.Opaque, Raw: `{"type":"local_shell_call_output","id":"l"}`}),
			`{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image", "image_url":"https://x"}]},{"type":"local_shell_call_output","id":"l"}`, false},
		{"items of the model's", Responses, assistant(providers.Block{Kind: providers.Opaque, Raw: `{"type":"web_search_call","id":"ws"}`}, said("a"), providers.Block{Kind: providers.Text, Text: "b", Raw: `{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"b"}]}`}),
			`{"type":"web_search_call","id":"ws"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]},{"type":"message","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":"b"}]}`, true},
		{"a refusal", Chat, assistant(providers.Block{Kind: providers.Opaque, Raw: `{"type":"refusal","refusal":"No."}`}), `{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}`, true},
		{"a call that says more: id and input are ours", Chat, assistant(providers.Block{Kind: providers.ToolCall, ID: "c1", Name: "x", Input: `{"a":1}`, Raw: `{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":""},"extra_content":{"g": 1}}`}),
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"x","arguments":"{\"a\":1}"},"extra_content":{"g": 1}}]}`, false},
		{"a call that says more: id and input are ours", Responses, assistant(providers.Block{Kind: providers.ToolCall, ID: "c1", Name: "x", Input: `{"a":1}`, Raw: `{"id":"fc","status":"completed","type":"function_call","call_id":"a","name":"x","arguments":"","namespace":"n"}`}),
			`{"type":"function_call","call_id":"c1","name":"x","arguments":"{\"a\":1}","namespace":"n"}`, false},
		{"a custom tool", Chat, assistant(providers.Block{Kind: providers.ToolCall, ID: "c1", Name: "sh", Input: "ls", Raw: `{"type":"custom","custom":{"name":"sh","input":""}}`}), `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"sh","input":"ls"}}]}`, false},
		{"a custom tool", Responses, assistant(providers.Block{Kind: providers.ToolCall, ID: "c1", Name: "sh", Raw: `{"type":"custom_tool_call"}`}), `{"type":"custom_tool_call","call_id":"c1","name":"sh","input":""}`, false},
		{"input that is anything is a string all the same", Chat, assistant(providers.Block{Kind: providers.ToolCall, ID: `"`, Name: "x", Input: `{"a":"}],"`}), `{"role":"assistant","content":null,"tool_calls":[{"id":"\"","type":"function","function":{"name":"x","arguments":"{\"a\":\"}],\""}}]}`, true},
		{"invalid UTF-8", Chat, user(said("a\xff\xfeb")), `{"role":"user","content":"a` + "\ufffd\ufffd" + `b"}`, false},
		{"JSON of its own that is none", Chat, user(providers.Block{Kind: providers.Opaque, Raw: `{"a":1}],"x":[`}, providers.Block{Kind: providers.Opaque}), `{"role":"user","content":["{\"a\":1}],\"x\":[",{"type":"opaque"}]}`, false},
		{"JSON of its own that is none", Responses, user(providers.Block{Kind: providers.Opaque, Raw: `{"a":1}],"x":[`}, providers.Block{Kind: providers.Opaque}), `"{\"a\":1}],\"x\":[",{"type":"opaque"}`, false},
	} {
		t.Run(fmt.Sprint(c.api, " ", c.name), func(t *testing.T) {
			member := "messages"
			got := string(chatMessage(nil, &c.m))
			if c.api == Responses {
				member, got = "input", string(responsesMessage(nil, &c.m))
			}
			if got != c.want {
				t.Fatalf("\n got %s\nwant %s", got, c.want)
			}
			body := `{"` + member + `":[` + got + `]}`
			if !json.Valid([]byte(body)) {
				t.Fatal("not JSON")
			}
			if !c.back {
				return
			}
			req, err := c.api.DecodeRequest([]byte(body))
			if err != nil || !reflect.DeepEqual(req.Messages, []providers.Message{c.m}) {
				t.Errorf("%v\n got %+v\nwant %+v", err, req.Messages, c.m)
			}
		})
	}
}

// A message of images that is not one of ours stays the user's.
func TestImagesOfTheUser(t *testing.T) {
	const (
		tool  = `{"role":"tool","tool_call_id":"a","content":"x"}`
		image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}`
		line  = `{"type":"text","text":"[images of the result of call a]"}`
	)
	for content, ours := range map[string]bool{
		line + "," + image: true, line + "," + image + "," + image: true,
		image: false, line: false, `{"type":"text","text":"see"},` + image: false, line + "," + image + "," + line + "," + image: false, line + "," + image + "," + line: false,
		strings.Replace(line, "call a", "call b", 1) + "," + image: false, line + `,{"type":"image_url","image_url":{"url":"https://x"}}`: false,
		line + `,{"type":"image_url","image_url":{"url":"data:image/png;base64,eA==","detail":"low"}}`: false,
	} {
		req, err := Chat.DecodeRequest([]byte(`{"messages":[` + tool + `,{"role":"user","content":[` + content + `]}]}`))
		if err != nil || len(req.Messages) != 1 {
			t.Fatalf("%s: %v %+v", content, err, req)
		}
		blocks := req.Messages[0].Blocks
		if got := len(blocks) == 1 && len(blocks[0].Images) > 0; got != ours {
			t.Errorf("%s: %+v", content, blocks)
		}
	}
}

// blocks that a loop may send and the neutral fields say whole
func anyBlock(api API, role providers.Role) *rapid.Generator[providers.Block] {
	text := rapid.StringN(0, 12, -1)
	return rapid.Custom(func(t *rapid.T) providers.Block {
		if role == providers.Assistant && rapid.Bool().Draw(t, "call") {
			return providers.Block{Kind: providers.ToolCall, ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Input: rapid.StringN(1, 12, -1).Draw(t, "input")}
		}
		if role == providers.Assistant && api == Responses && rapid.Bool().Draw(t, "thought") {
			s := string(strict.AppendString(nil, text.Draw(t, "thought")))
			var plain string
			json.Unmarshal([]byte(s), &plain)
			return providers.Block{Kind: providers.Thinking, Text: plain, Signature: `{"type":"reasoning","summary":[{"type":"summary_text","text":` + s + `}],"encrypted_content":"x"}`}
		}
		return providers.Block{Kind: providers.Text, Text: rapid.StringN(1, 12, -1).Draw(t, "text")}
	})
}

// anyConversation is as a loop builds it: results come first in the message
// behind their answer, and answers and the user take turns.
func anyConversation(api API) *rapid.Generator[[]providers.Message] {
	return rapid.Custom(func(t *rapid.T) (msgs []providers.Message) {
		for range rapid.IntRange(1, 3).Draw(t, "turns") {
			u := user()
			for i := range rapid.IntRange(0, 3).Draw(t, "results") {
				b := providers.Block{Kind: providers.ToolResult, ID: fmt.Sprint("call", len(msgs), i), Text: rapid.StringN(0, 12, -1).Draw(t, "text"), IsError: rapid.Bool().Draw(t, "failed")}
				for range rapid.IntRange(0, 2).Draw(t, "images") {
					b.Images = append(b.Images, providers.ImageData{Type: "image/png", Data: rapid.StringMatching("[a-z]+").Draw(t, "data")})
				}
				u.Blocks = append(u.Blocks, b)
			}
			u.Blocks = append(u.Blocks, rapid.SliceOfN(anyBlock(api, providers.User), 1, 2).Draw(t, "words")...)
			a := assistant(rapid.SliceOfN(anyBlock(api, providers.Assistant), 1, 4).Draw(t, "answer")...)
			if api == Chat { // which has no order of texts and calls
				var calls []providers.Block
				var texts []providers.Block
				for _, b := range a.Blocks {
					if b.Kind == providers.ToolCall {
						calls = append(calls, b)
					} else {
						texts = append(texts, b)
					}
				}
				a.Blocks = append(texts, calls...)
			}
			msgs = append(msgs, u, a)
		}
		return msgs
	})
}

func TestRequestRoundTrip(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		rapid.Check(t, func(t *rapid.T) {
			req := &providers.Request{
				Model: rapid.String().Draw(t, "model"), System: rapid.String().Draw(t, "system"), MaxTokens: rapid.IntRange(0, 1e9).Draw(t, "max"),
				Stream: rapid.Bool().Draw(t, "stream"), Messages: anyConversation(api).Draw(t, "messages"),
			}
			body := api.EncodeRequest(nil, req)
			got, err := api.DecodeRequest(body)
			if err != nil || !reflect.DeepEqual(got, req) {
				t.Fatalf("%s: %v\n got %+v\nwant %+v\nbody %s", api, err, got, req, body)
			}
		})
	}
}

// Whatever requests follow each other, the encoder writes what EncodeRequest
// writes: after new messages, a changed one, a shorter history, another one.
func TestEncoder(t *testing.T) {
	for _, api := range []API{Chat, Responses} {
		rapid.Check(t, func(t *rapid.T) {
			e := Encoder{API: api}
			var msgs []providers.Message
			for range rapid.IntRange(1, 8).Draw(t, "requests") {
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					msgs = msgs[:rapid.IntRange(0, len(msgs)).Draw(t, "keep")]
				case 1:
					if len(msgs) > 0 { // in place, which no comparison by address would notice
						b := &msgs[rapid.IntRange(0, len(msgs)-1).Draw(t, "changed")].Blocks[0]
						if n := len(b.Images); n > 0 && rapid.Bool().Draw(t, "image") {
							b.Images[n-1].Data += "x"
						} else {
							b.Text += "x"
						}
					}
				case 2:
					if len(msgs) > 0 {
						msgs[rapid.IntRange(0, len(msgs)-1).Draw(t, "turned")].Role = providers.User
					}
				default:
					msgs = append(msgs, anyConversation(api).Draw(t, "more")...)
				}
				req := &providers.Request{Model: "m", Messages: msgs, System: rapid.SampledFrom([]string{"", "s"}).Draw(t, "system")}
				if got, want := string(e.Encode(nil, req)), string(api.EncodeRequest(nil, req)); got != want {
					t.Fatalf("\n got %s\nwant %s", got, want)
				}
			}
		})
	}
}

// A server that gives one answer twice gives its thought the same id, and the API
// refuses a request that holds an item twice: the first one stands. Another
// conversation begins with nothing.
func TestThoughtsStandOnce(t *testing.T) {
	thought := func(id string) providers.Message {
		return providers.Message{Role: providers.Assistant, Blocks: []providers.Block{
			{Kind: providers.Thinking, Text: "hm", Signature: `{"type":"reasoning","id":"` + id + `","summary":[],"encrypted_content":"x"}`},
			{Kind: providers.Text, Text: "So."},
		}}
	}
	user := providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "hi"}}}
	e := Encoder{API: Responses}
	for _, c := range []struct {
		msgs []providers.Message
		want int
	}{
		{[]providers.Message{user, thought("rs_1")}, 1},
		{[]providers.Message{user, thought("rs_1"), user, thought("rs_1"), user, thought("rs_2")}, 2},
		{[]providers.Message{user, thought("rs_1"), user, thought("rs_1"), user, thought("rs_2"), user}, 2},
		{[]providers.Message{user, user, thought("rs_2"), user, thought("rs_1")}, 2},
	} {
		body := string(e.Encode(nil, &providers.Request{Model: "m", Messages: c.msgs}))
		if got := strings.Count(body, `"rs_`); got != c.want {
			t.Errorf("%d thoughts, want %d: %s", got, c.want, body)
		}
		if fresh := string(Responses.EncodeRequest(nil, &providers.Request{Model: "m", Messages: c.msgs})); fresh != body {
			t.Errorf("afresh it is\n%s\nnot\n%s", fresh, body)
		}
	}
}
