package openai

import (
	"errors"
	"io"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

func TestDecodeMessage(t *testing.T) {
	for _, c := range []struct {
		name string
		api  API
		body string
		want []string
	}{
		{"an answer", Chat, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","refusal":null,"annotations":[],"reasoning_content":"hm",
			"tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":"{ \"a\" : 1.0 }"}},{"id":"b","type":"function","function":{"name":"now"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4}}}`,
			[]string{"message c m", "start 0 thinking", `think 0 "hm"`, "stop 0", "start 1 text", `text 1 "Hi"`, "stop 1", "start 2 call id=a name=add", `input 2 "{ \"a\" : 1.0 }"`, "stop 2", "start 3 call id=b name=now", "stop 3", `reason "tool_use"` + used, "end"}},
		{"a refusal", Chat, `{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}`, []string{"message  ", "start 0 text", `text 0 "No."`, "stop 0", `reason "refusal"`, "end"}},
		{"an old call", Chat, `{"choices":[{"message":{"content":null,"function_call":{"name":"f","arguments":"{}"}},"finish_reason":"function_call"}]}`, []string{"message  ", "start 0 call name=f", `input 0 "{}"`, "stop 0", `reason "tool_use"`, "end"}},
		{"no reason", Chat, `{"choices":[{"message":{"content":"a"},"finish_reason":null}],"usage":{"completion_tokens":1}}`, []string{"message  ", "start 0 text", `text 0 "a"`, "stop 0", "usage in=0 out=1 read=0 write=0", "end"}},
		{"filtered away (Azure)", Chat, `{"choices":[{"finish_reason":"content_filter","index":0}]}`, []string{"message  ", `reason "refusal"`, "end"}},
		{"two choices", Chat, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"},{"index":1,"message":{"content":"b"},"finish_reason":"stop"}]}`, []string{"message  ", "start 0 text", `text 0 "a"`, "stop 0", `reason "end_turn"`, `other "choice 1"`, "end"}},
		{"no choices", Chat, `{"choices":[]}`, []string{"message  ", "end"}},

		{"an answer", Responses, `{"id":"r","object":"response","status":"completed","error":null,"model":"m","output":[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"h"},{"type":"summary_text","text":"m"}],"encrypted_content":"e"},{"type":"web_search_call","id":"ws"},` + message("Hi", "completed") + `,` + fnCall("a", `{"a":1}`, "completed") + `],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":5}}`,
			[]string{"message r m" + used, "start 0 thinking", `think 0 "h"`, `think 0 "m"`, `sign 0 "{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"h\"},{\"type\":\"summary_text\",\"text\":\"m\"}],\"encrypted_content\":\"e\"}"`, "stop 0",
				`start 1 opaque raw={"type":"web_search_call","id":"ws"}`, "stop 1", "start 2 text", `text 2 "Hi"`, "stop 2", "start 3 call id=a name=add", `input 3 "{\"a\":1}"`, "stop 3", `reason "tool_use"` + used, "end"}},
		{"an answer that was cut", Responses, `{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + message("Hi", "completed") + "," + fnCall("a", `{"a"`, "incomplete") + `]}`,
			[]string{"message  ", "start 0 text", `text 0 "Hi"`, "stop 0", "start 1 call id=a name=add", `input 1 "{\"a\""`, `reason "max_tokens"`, "end"}},
		{"an empty answer", Responses, `{"output":[]}`, []string{"message  ", `reason "end_turn"`, "end"}},
		{"an answer that is not there yet", Responses, `{"status":"in_progress","output":[]}`, []string{"message  ", `reason "in_progress"`, "end"}},
	} {
		t.Run(c.api.String()+" "+c.name, func(t *testing.T) {
			evs, err := c.api.DecodeMessage([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, ev := range evs {
				got = append(got, asktest.Show(ev))
			}
			asktest.Equal(t, got, c.want)
		})
	}
}

func TestDecodeMessageErrors(t *testing.T) {
	for _, c := range []struct {
		api      API
		in, want string
		class    providers.Class
	}{
		{Chat, `{"choices":[`, "cut: the answer broke off after 12 bytes", providers.Cut},
		{Responses, ``, "cut: the answer broke off after 0 bytes", providers.Cut},
		{Chat, `<html>`, "protocol: the answer is not strict JSON: invalid character '<' at start of value", providers.Protocol},
		{Chat, `[]`, "protocol: the answer is []; want an object", providers.Protocol},
		{Chat, `{"object":"chat.completion"}`, "protocol: the answer's choices is missing; want an array", providers.Protocol},
		{Chat, `{"choices":"x"}`, `protocol: the answer's choices is "x"; want an array`, providers.Protocol},
		{Chat, `{"choices":[{}]}`, "protocol: the answer's choices[0].message is missing; want an object", providers.Protocol},
		{Chat, `{"choices":[{"message":{"content":7}}]}`, "protocol: the answer's choices[0].message.content is 7; want a string", providers.Protocol},
		{Chat, `{"choices":[]} x`, "protocol: the answer is more than one JSON value: something follows at byte 14", providers.Protocol},
		{Chat, `{"error":{"message":"overloaded","type":"server_error","code":"server_overloaded"}}`, "overloaded server_overloaded: overloaded", providers.Overloaded},
		{Chat, `{"error":{"code":"401","message":"Access denied"}}`, "auth 401: Access denied", providers.Auth}, // Azure, with status 200
		{Chat, `{"object":"error","message":"no","code":400}`, "invalid 400: no", providers.Invalid},
		{Chat, `{"error":"x"}`, "unknown: x", providers.Unknown},
		{Responses, `{"id":"r"}`, "protocol: the answer's output is missing; want an array", providers.Protocol},
		{Responses, `{"output":[7]}`, "protocol: the answer's output[0] is 7; want an object", providers.Protocol},
		{Responses, `{"status":7,"output":[]}`, "protocol: the answer's status is 7; want a string", providers.Protocol},
		{Responses, `{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"},"output":[]}`, "rate_limited rate_limit_exceeded: slow", providers.RateLimited},
		{Responses, `{"status":"failed","error":null,"output":[]}`, "unknown: the server reports an error and does not say which", providers.Unknown},
	} {
		_, err := c.api.DecodeMessage([]byte(c.in))
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Error() != c.want || e.Class != c.class || !e.InStream {
			t.Errorf("%s %s:\n got %v\nwant %s", c.api, c.in, err, c.want)
		}
		if c.class == providers.Cut && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: the cause is %v", c.in, e.Cause)
		}
	}
}
