package gemini

import (
	"reflect"
	"testing"

	"github.com/harnessbench/bench/providers"
)

func TestDecodeRequest(t *testing.T) {
	body := `{"model":"models/m","system_instruction":{"parts":[{"text":"one"},{"text":"two"}],"role":"user"},"safetySettings":[],"toolConfig":{},
	 "tools":[{"functionDeclarations":[{"name":"add","description":"d","parameters":{"type": "OBJECT"}},{"name":"b","parameters_json_schema":{}}]},{"google_search":{}},{"codeExecution":{}},{"urlContext":null}],
	 "generation_config":{"max_output_tokens":7,"temperature":1},
	 "contents":[
	  {"parts":[{"text":"hi"}]},
	  {"role":"user","parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"eA=="}},{"inline_data":{"mime_type":"image/gif","data":"eA=="}},{"fileData":{"fileUri":"u","mimeType":"application/pdf"}},{"text":"b","videoMetadata":{"fps":1}},{}]},
	  {"role":"model","parts":[{"text":"hm","thought":true,"thought_signature":"T"},{"text":"x","thoughtSignature":"S"},{"functionCall":{"id":"t","name":"add","args":{ "a":1 }},"thoughtSignature":"C"},{"function_call":{"name":"b"}},{"functionCall":{"name":"c","args":{},"x":1},"thoughtSignature":"D"},{"executableCode":{"code":"x"}},{"toolCall":{"id":"i","toolType":"S","args":{}},"thoughtSignature":"E"},{"toolResponse":{"id":"i"}},{"text":"","thoughtSignature":"F"}]},
	  {"role":"function","parts":[
	   {"functionResponse":{"id":"t","name":"add","response":{"output":"2"}}},
	   {"function_response":{"name":"b","response":{"error":"no"}}},
	   {"functionResponse":{"name":"c","response":{"result":"r"}}},
	   {"functionResponse":{"id":"u","name":"d","response":{"a":1,"b":2}}},
	   {"functionResponse":{"name":"e","response":{"output":{"n":1}},"parts":[{"inlineData":{"mimeType":"image/png","data":"eA=="}}]}},
	   {"functionResponse":{"name":"f"}},
	   {"text":"go"}]},
	  {"role":"model"}]}`
	got, err := DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	result := func(id, name, text, raw string) providers.Block {
		return providers.Block{Kind: providers.ToolResult, ID: id, Name: name, Text: text, Raw: raw}
	}
	failed, withImage := result("#1", "", "no", ""), result("", "e", `{"output":{"n":1}}`, `{"functionResponse":{"name":"e","response":{"output":{"n":1}},"parts":[{"inlineData":{"mimeType":"image/png","data":"eA=="}}]}}`)
	failed.IsError = true
	withImage.Images = []providers.ImageData{{Type: "image/png", Data: "eA=="}}
	extra := signed(called("#2", "c", "{}"), "D")
	extra.Raw = `{"functionCall":{"name":"c","args":{},"x":1},"thoughtSignature":"D"}`
	want := &providers.Request{
		MaxTokens: 7, System: "one\ntwo",
		Tools: []providers.Tool{{Name: "add", Description: "d", Schema: `{"type": "OBJECT"}`}, {Name: "b", Schema: "{}"}, {Name: "googleSearch"}, {Name: "codeExecution"}},
		Messages: []providers.Message{
			user(said("hi")),
			user(said("a"), raw(providers.Image, `{"inlineData":{"mimeType":"image/png","data":"eA=="}}`), raw(providers.Image, `{"inline_data":{"mime_type":"image/gif","data":"eA=="}}`),
				raw(providers.Opaque, `{"fileData":{"fileUri":"u","mimeType":"application/pdf"}}`), providers.Block{Kind: providers.Text, Text: "b", Raw: `{"text":"b","videoMetadata":{"fps":1}}`}, raw(providers.Opaque, "{}")),
			assistant(signed(providers.Block{Kind: providers.Thinking, Text: "hm"}, "T"), signed(said("x"), "S"), signed(called("t", "add", `{ "a":1 }`), "C"), called("#1", "b", ""), extra,
				raw(providers.Opaque, `{"executableCode":{"code":"x"}}`), signed(providers.Block{Kind: providers.ServerCall, ID: "i", Name: "S", Input: "{}"}, "E"), providers.Block{Kind: providers.ServerResult, ID: "i", Raw: `{"toolResponse":{"id":"i"}}`},
				raw(providers.Opaque, `{"text":"","thoughtSignature":"F"}`)),
			user(
				result("t", "", "2", ""), failed,
				result("#2", "", "r", `{"functionResponse":{"name":"c","response":{"result":"r"}}}`),
				result("u", "d", `{"a":1,"b":2}`, `{"functionResponse":{"id":"u","name":"d","response":{"a":1,"b":2}}}`),
				withImage, result("", "f", "", `{"functionResponse":{"name":"f"}}`), said("go")),
			{Role: providers.Assistant},
		},
	}
	for i := range want.Messages {
		if !reflect.DeepEqual(got.Messages[i], want.Messages[i]) {
			t.Errorf("message %d:\n got %+v\nwant %+v", i, got.Messages[i], want.Messages[i])
		}
	}
	got.Messages, want.Messages = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	req, err := DecodeRequest([]byte(`{"systemInstruction":"s","tools":{"functionDeclarations":[{"name":"a"}]},"contents":{"parts":{"text":"hi"}}}`))
	if err != nil || req.System != "s" || len(req.Tools) != 1 || !reflect.DeepEqual(req.Messages, []providers.Message{user(said("hi"))}) {
		t.Errorf("%+v %v", req, err)
	}
}

// Results without ids answer the calls of their name, in order, of the last answer
// first. What goes out again has the ids that came, and no other.
func TestPairs(t *testing.T) {
	withID := func(id string) string {
		if id == "" {
			return ""
		}
		return `"id":"` + id + `",`
	}
	fc := func(id, name string) string {
		return `{"functionCall":{` + withID(id) + `"name":"` + name + `","args":{}}}`
	}
	fr := func(id, name string) string {
		return `{"functionResponse":{` + withID(id) + `"name":"` + name + `","response":{"output":"x"}}}`
	}
	model := func(parts ...string) string { return content("model", parts...) }
	tool := func(parts ...string) string { return content("user", parts...) }
	for _, c := range []struct {
		name string
		in   []string
		want []string // of calls and results, in order
	}{
		{"order", []string{model(fc("", "a"), fc("", "a")), tool(fr("", "a"), fr("", "a"))}, []string{"#1", "#2", "#1", "#2"}},
		{"names", []string{model(fc("", "a"), fc("", "b"), fc("", "a")), tool(fr("", "b"), fr("", "a"), fr("", "a"))}, []string{"#1", "#2", "#3", "#2", "#1", "#3"}},
		{"one message each", []string{model(fc("", "a"), fc("", "b")), tool(fr("", "a")), tool(fr("", "b"))}, []string{"#1", "#2", "#1", "#2"}},
		{"turns", []string{model(fc("", "a")), tool(fr("", "a")), model(fc("", "a")), tool(fr("", "a"))}, []string{"#1", "#1", "#2", "#2"}},
		{"one that was not answered is not taken for the next", []string{model(fc("", "a")), tool(fr("", "b")), model(fc("", "a")), tool(fr("", "a"))}, []string{"#1", "", "#2", "#2"}},
		{"late", []string{model(fc("", "a")), tool(), model(fc("", "b")), tool(fr("", "a"))}, []string{"#1", "#2", "#1"}},
		{"an answer in two contents", []string{model(fc("", "a")), model(fc("", "a")), tool(fr("", "a"), fr("", "a"))}, []string{"#1", "#2", "#1", "#2"}},
		{"ids", []string{model(fc("x", "a"), fc("y", "a")), tool(fr("y", "a"), fr("x", "a"))}, []string{"x", "y", "y", "x"}},
		{"an id that only the call has", []string{model(fc("x", "a"), fc("y", "b")), tool(fr("", "b"), fr("", "a"))}, []string{"x", "y", "y", "x"}},
		{"an id that only the result has", []string{model(fc("", "a")), tool(fr("x", "a"))}, []string{"#1", "x"}},
		{"one too many", []string{model(fc("", "a")), tool(fr("", "a"), fr("", "a"))}, []string{"#1", "#1", ""}},
		{"the same id in two answers", []string{model(fc("x", "a")), tool(fr("x", "a")), model(fc("x", "b")), tool(fr("x", "b"))}, []string{"x", "x", "x", "x"}},
	} {
		body := `{"contents":[` + join(c.in) + `]}`
		req, err := DecodeRequest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range req.Messages {
			for _, b := range m.Blocks {
				got = append(got, b.ID)
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
		sent := EncodeRequest(nil, req)
		if string(sent) != body {
			t.Errorf("%s: sent again, it is\n     %s\nwant %s", c.name, sent, body)
		}
		again, err := DecodeRequest(sent)
		if err != nil || !reflect.DeepEqual(again, req) {
			t.Errorf("%s: sent again, it is %+v %v", c.name, again, err)
		}
	}
}

func content(role string, parts ...string) string {
	return `{"role":"` + role + `","parts":[` + join(parts) + `]}`
}

func join(list []string) (s string) {
	for i, v := range list {
		if i > 0 {
			s += ","
		}
		s += v
	}
	return s
}

func TestDecodeRequestErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "the request is empty"},
		{`[]`, "the request is []; want an object"},
		{`{"contents":[],"contents":[]}`, `the request is not strict JSON: duplicate object member name "contents"`},
		{`{"systemInstruction":7}`, "systemInstruction is 7; want an object"},
		{`{"systemInstruction":{"parts":7}}`, "systemInstruction.parts is 7; want an array"},
		{`{"systemInstruction":{"parts":[{"text":7}]}}`, "systemInstruction.parts[0].text is 7; want a string"},
		{`{"generationConfig":{"maxOutputTokens":"1"}}`, `generationConfig.maxOutputTokens is "1"; want a whole number`},
		{`{"tools":7}`, "tools is 7; want an array"},
		{`{"tools":[1]}`, "tools[0] is 1; want an object"},
		{`{"tools":[{"functionDeclarations":{}}]}`, "tools[0].functionDeclarations is {}; want an array"},
		{`{"tools":[{"functionDeclarations":[1]}]}`, "tools[0].functionDeclarations[0] is 1; want an object"},
		{`{"tools":[{"functionDeclarations":[{"name":1}]}]}`, "tools[0].functionDeclarations[0].name is 1; want a string"},
		{`{"tools":[{"functionDeclarations":[{"parameters":[]}]}]}`, "tools[0].functionDeclarations[0].parameters is []; want an object"},
		{`{"contents":7}`, "contents is 7; want an array"},
		{`{"contents":[7]}`, "contents[0] is 7; want an object"},
		{`{"contents":[{"role":7}]}`, "contents[0].role is 7; want a string"},
		{`{"contents":[{"parts":7}]}`, "contents[0].parts is 7; want an array"},
		{`{"contents":[{"parts":[7]}]}`, "contents[0].parts[0] is 7; want an object"},
		{`{"contents":[{"parts":{"text":7}}]}`, "contents[0].parts[0].text is 7; want a string"},
		{`{"contents":{"parts":[{"text":7}]}}`, "contents[0].parts[0].text is 7; want a string"},
		{`{"contents":[{"parts":[{"thoughtSignature":7}]}]}`, "contents[0].parts[0].thoughtSignature is 7; want a string"},
		{`{"contents":[{"parts":[{"functionCall":7}]}]}`, "contents[0].parts[0].functionCall is 7; want an object"},
		{`{"contents":[{"parts":[{"functionCall":{"name":7}}]}]}`, "contents[0].parts[0].functionCall.name is 7; want a string"},
		{`{"contents":[{"parts":[{"functionCall":{"id":7}}]}]}`, "contents[0].parts[0].functionCall.id is 7; want a string"},
		{`{"contents":[{"parts":[{"functionResponse":7}]}]}`, "contents[0].parts[0].functionResponse is 7; want an object"},
		{`{"contents":[{"parts":[{"functionResponse":{"name":7}}]}]}`, "contents[0].parts[0].functionResponse.name is 7; want a string"},
		{`{"contents":[{"parts":[{"functionResponse":{"response":"x"}}]}]}`, `contents[0].parts[0].functionResponse.response is "x"; want an object`},
	} {
		if _, err := DecodeRequest([]byte(c.in)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// No body panics, and what decodes goes out and comes in again.
func FuzzRequest(f *testing.F) {
	f.Add(EncodeRequest(nil, everything()))
	f.Add([]byte(`{"system_instruction":"s","contents":{"parts":{"functionCall":{"name":"a"}}}}`))
	f.Add([]byte(`{"contents":[{"role":"model","parts":[{"functionCall":{"id":"#1","name":"a","x":1}},{"functionCall":{"name":"a","args":"x"}}]},{"parts":[{"functionResponse":{"name":"a","response":{"output":""},"parts":[{}]}}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := DecodeRequest(body)
		if err != nil {
			return
		}
		once := EncodeRequest(nil, req)
		again, err := DecodeRequest(once)
		if err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		if twice := EncodeRequest(nil, again); string(once) != string(twice) {
			t.Fatalf("\n once %s\ntwice %s", once, twice)
		}
	})
}
