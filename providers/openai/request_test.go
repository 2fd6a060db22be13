package openai

import (
	"reflect"
	"testing"

	"github.com/harnessbench/bench/providers"
)

func TestDecodeChatRequest(t *testing.T) {
	body := `{"model":"m","max_tokens":5,"max_completion_tokens":7,"stream":true,"temperature":0.5,"tool_choice":"auto",
	 "tools":[{"type":"function","function":{"name":"add","description":"d","parameters":{"type": "object"},"strict":true}},{"type":"custom","custom":{"name":"sh"}},{"type":"function","function":{"name":"now","parameters":null}}],
	 "messages":[
	  {"role":"system","content":[{"type":"text","text":"one"},{"type":"text","text":"two","cache_control":{}}]},
	  {"role":"user","content":"hi","name":"Ann"},
	  {"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}},{"type":"file","file":{}}]},
	  {"role":"assistant","content":"","reasoning":"hm","refusal":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"add","arguments":"{\"a\":"}},{"id":"u","type":"function","function":{"name":"now"},"index":1},{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}]},
	  {"role":"tool","tool_call_id":"t","content":"[tool error] 2"},
	  {"role":"tool","tool_call_id":"u","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
	  {"role":"user","content":"go"},
	  {"role":"user","content":"on"},
	  {"role":"assistant","content":"a","refusal":"No.","reasoning_details":[{"type":"reasoning.text","text":"x"},{"data":"y"}]},
	  {"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{}"}},
	  {"role":"function","name":"old","content":"r"},
	  {"role":"system","content":"late"}]}`
	got, err := Chat.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := &providers.Request{
		Model: "m", MaxTokens: 7, Stream: true, System: "one\ntwo",
		Tools: []providers.Tool{{Name: "add", Description: "d", Schema: `{"type": "object"}`}, {Name: "sh"}, {Name: "now"}},
		Messages: []providers.Message{
			user(said("hi")),
			user(said("a"), providers.Block{Kind: providers.Image, Raw: `{"type":"image_url","image_url":{"url":"u"}}`}, providers.Block{Kind: providers.Text, Text: "b", Raw: `{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}`}, providers.Block{Kind: providers.Opaque, Raw: `{"type":"file","file":{}}`}),
			assistant(
				providers.Block{Kind: providers.Thinking, Text: "hm"},
				providers.Block{Kind: providers.ToolCall, ID: "t", Name: "add", Input: `{"a":`},
				providers.Block{Kind: providers.ToolCall, ID: "u", Name: "now"},
				providers.Block{Kind: providers.ToolCall, ID: "c", Name: "sh", Input: "ls", Raw: `{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}`},
			),
			user(
				providers.Block{Kind: providers.ToolResult, ID: "t", Text: "2", IsError: true},
				providers.Block{Kind: providers.ToolResult, ID: "u", Text: "a\nb", Raw: `{"role":"tool","tool_call_id":"u","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
				said("go"),
			),
			user(said("on")),
			assistant(
				providers.Block{Kind: providers.Thinking, Text: "x", Signature: `{"type":"reasoning.text","text":"x"}{"data":"y"}`},
				said("a"), providers.Block{Kind: providers.Opaque, Raw: `{"type":"refusal","refusal":"No."}`},
			),
			assistant(providers.Block{Kind: providers.ToolCall, Name: "old", Input: "{}"}),
			user(providers.Block{Kind: providers.ToolResult, Text: "r", Raw: `{"role":"function","name":"old","content":"r"}`}),
			{Role: "system", Blocks: []providers.Block{said("late")}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestDecodeResponsesRequest(t *testing.T) {
	body := `{"model":"m","max_output_tokens":7,"stream":true,"store":false,"instructions":"be brief","include":[],
	 "tools":[{"type":"function","name":"add","description":"d","parameters":{"type": "object"},"strict":true},{"type":"web_search"}],
	 "input":[
	  {"role":"developer","content":"dev"},
	  {"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"},{"type":"input_file","file_id":"f"}]},
	  {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"},{"type":"summary_text","text":"m"}],"encrypted_content":"e"},
	  {"role":"assistant","content":"one"},
	  {"type":"message","role":"assistant","id":"msg","status":"completed","content":[{"type":"output_text","text":"two","annotations":[]},{"type":"output_text","text":"three"}]},
	  {"type":"function_call","id":"fc","call_id":"t","name":"add","arguments":"{\"a\":","status":"completed"},
	  {"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"},
	  {"type":"web_search_call","id":"ws"},
	  {"type":"function_call_output","call_id":"t","output":"[tool error] no"},
	  {"type":"function_call_output","call_id":"u","output":[{"type":"input_image","image_url":"data:image/png;base64,eA=="}]},
	  {"type":"function_call_output","call_id":"v","output":[{"type":"input_text","text":"x"},{"type":"input_file"}]},
	  {"type":"custom_tool_call_output","call_id":"c","output":"out"},
	  {"role":"user","content":"go"},
	  {"type":"item_reference","id":"r"}]}`
	got, err := Responses.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	raw := func(kind providers.BlockKind, s string) providers.Block { return providers.Block{Kind: kind, Raw: s} }
	want := &providers.Request{
		Model: "m", MaxTokens: 7, Stream: true, System: "be brief",
		Tools: []providers.Tool{{Name: "add", Description: "d", Schema: `{"type": "object"}`}, {Name: "web_search"}},
		Messages: []providers.Message{
			{Role: "developer", Blocks: []providers.Block{said("dev")}},
			user(said("a"), raw(providers.Image, `{"type":"input_image","image_url":"u"}`), raw(providers.Opaque, `{"type":"input_file","file_id":"f"}`)),
			assistant(
				providers.Block{Kind: providers.Thinking, Text: "hm", Signature: `{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"},{"type":"summary_text","text":"m"}],"encrypted_content":"e"}`},
				said("one"),
				providers.Block{Kind: providers.Text, Text: "two\nthree", Raw: `{"type":"message","role":"assistant","id":"msg","status":"completed","content":[{"type":"output_text","text":"two","annotations":[]},{"type":"output_text","text":"three"}]}`},
				providers.Block{Kind: providers.ToolCall, ID: "t", Name: "add", Input: `{"a":`},
				providers.Block{Kind: providers.ToolCall, ID: "c", Name: "sh", Input: "ls", Raw: `{"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"}`},
				raw(providers.Opaque, `{"type":"web_search_call","id":"ws"}`),
			),
			user(
				providers.Block{Kind: providers.ToolResult, ID: "t", Text: "no", IsError: true},
				providers.Block{Kind: providers.ToolResult, ID: "u", Images: []providers.ImageData{{Type: "image/png", Data: "eA=="}}},
				providers.Block{Kind: providers.ToolResult, ID: "v", Text: "x", Raw: `{"type":"function_call_output","call_id":"v","output":[{"type":"input_text","text":"x"},{"type":"input_file"}]}`},
				providers.Block{Kind: providers.ToolResult, ID: "c", Text: "out", Raw: `{"type":"custom_tool_call_output","call_id":"c","output":"out"}`},
				said("go"),
			),
			assistant(raw(providers.Opaque, `{"type":"item_reference","id":"r"}`)),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	req, err := Responses.DecodeRequest([]byte(`{"model":"m","input":"hi"}`))
	if err != nil || !reflect.DeepEqual(req.Messages, []providers.Message{user(said("hi"))}) {
		t.Errorf("%+v %v", req, err)
	}
}

func TestDecodeRequestErrors(t *testing.T) {
	for _, c := range []struct {
		api      API
		in, want string
	}{
		{Chat, ``, "the request is empty"},
		{Responses, `[]`, "the request is []; want an object"},
		{Chat, `{"model":"m","model":"m"}`, `the request is not strict JSON: duplicate object member name "model"`},
		{Chat, `{"model":1}`, "model is 1; want a string"},
		{Chat, `{"max_tokens":"1"}`, `max_tokens is "1"; want a whole number`},
		{Responses, `{"max_output_tokens":1.5}`, `max_output_tokens is 1.5; want a whole number`},
		{Chat, `{"stream":1}`, "stream is 1; want true or false"},
		{Chat, `{"tools":{}}`, "tools is {}; want an array"},
		{Chat, `{"tools":[1]}`, "tools[0] is 1; want an object"},
		{Chat, `{"tools":[{"function":{"name":1}}]}`, "tools[0].name is 1; want a string"},
		{Responses, `{"tools":[{"name":"a","parameters":[]}]}`, "tools[0].parameters is []; want an object"},
		{Chat, `{"messages":{}}`, "messages is {}; want an array"},
		{Chat, `{"messages":[1]}`, "messages[0] is 1; want an object"},
		{Chat, `{"messages":[{"content":"x"}]}`, "messages[0].role is missing; want a string"},
		{Chat, `{"messages":[{"role":"user"}]}`, "messages[0].content is missing; want a string or an array"},
		{Chat, `{"messages":[{"role":"user","content":[7]}]}`, "messages[0].content[0] is 7; want an object"},
		{Chat, `{"messages":[{"role":"user","content":[{}]}]}`, "messages[0].content[0].type is missing; want a string"},
		{Chat, `{"messages":[{"role":"user","content":[{"type":"text","text":7}]}]}`, "messages[0].content[0].text is 7; want a string"},
		{Chat, `{"messages":[{"role":"system","content":7}]}`, "messages[0].content is 7; want a string or an array"},
		{Chat, `{"messages":[{"role":"tool","tool_call_id":7,"content":"x"}]}`, "messages[0].tool_call_id is 7; want a string"},
		{Chat, `{"messages":[{"role":"assistant","tool_calls":{}}]}`, "messages[0].tool_calls is {}; want an array"},
		{Chat, `{"messages":[{"role":"assistant","tool_calls":[{}]}]}`, "messages[0].tool_calls[0].function is missing; want an object"},
		{Chat, `{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":7}}]}]}`, "messages[0].tool_calls[0].arguments is 7; want a string"},
		{Chat, `{"messages":[{"role":"assistant","reasoning_content":7}]}`, "messages[0].reasoning_content is 7; want a string"},
		{Responses, `{"instructions":7}`, "instructions is 7; want a string"},
		{Responses, `{"input":7}`, "input is 7; want a string or an array"},
		{Responses, `{"input":[7]}`, "input[0] is 7; want an object"},
		{Responses, `{"input":[{"content":"x"}]}`, "input[0].role is missing; want a string"},
		{Responses, `{"input":[{"role":"user","content":7}]}`, "input[0].content is 7; want a string or an array"},
		{Responses, `{"input":[{"role":"user","content":[{"text":"x"}]}]}`, "input[0].content[0].type is missing; want a string"},
		{Responses, `{"input":[{"role":"assistant","content":[7]}]}`, "input[0].content[0] is 7; want an object"},
		{Responses, `{"input":[{"type":"function_call","call_id":7}]}`, "input[0].call_id is 7; want a string"},
		{Responses, `{"input":[{"type":"function_call_output","call_id":"a","output":7}]}`, "input[0].output is 7; want a string or an array"},
		{Responses, `{"input":[{"type":"function_call_output","call_id":"a","output":[7]}]}`, "input[0].output[0] is 7; want an object"},
	} {
		if _, err := c.api.DecodeRequest([]byte(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s %s:\n got %v\nwant %s", c.api, c.in, err, c.want)
		}
	}
}

// No body panics, and what decodes goes out and comes in again.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"user","content":[{"type":"text","text":"[images of the result of call a]"},{"type":"image_url","image_url":{"url":"data:image/png;base64,eA=="}}]}]}`))
	f.Add([]byte(`{"instructions":"s","input":[{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"x"}]},{"role":"user","content":"x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, api := range []API{Chat, Responses} {
			req, err := api.DecodeRequest(body)
			if err != nil {
				continue
			}
			once := api.EncodeRequest(nil, req)
			again, err := api.DecodeRequest(once)
			if err != nil {
				t.Fatalf("%s: %v: %s", api, err, once)
			}
			if twice := api.EncodeRequest(nil, again); string(once) != string(twice) {
				t.Fatalf("%s:\n once %s\ntwice %s", api, once, twice)
			}
		}
	})
}
