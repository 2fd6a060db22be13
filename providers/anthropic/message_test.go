package anthropic

import (
	"errors"
	"io"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

func TestDecodeMessage(t *testing.T) {
	body := `{"model":"m","id":"msg_1","type":"message","role":"assistant","content":[
	  {"type":"thinking","thinking":"hm","signature":"Ep=="},
	  {"type":"redacted_thinking","data":"x"},
	  {"type":"text","text":"Hi","citations":null},
	  {"type":"text","text":""},
	  {"type":"tool_use","id":"t1","name":"add","input":{ "a" : 1.0 },"caller":{"type":"direct"}},
	  {"type":"tool_use","id":"t2","name":"now","input":{}},
	  {"type":"server_tool_use","id":"s","name":"web_search","input":{"q":"x"}},
	  {"type":"web_search_tool_result","tool_use_id":"s","content":[]}],
	 "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":5,"cache_read_input_tokens":2,"output_tokens":9}}`
	events, err := DecodeMessage([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range events {
		got = append(got, asktest.Show(ev))
	}
	asktest.Equal(t, got, []string{
		"message msg_1 m in=5 out=9 read=2 write=0",
		"start 0 thinking", `think 0 "hm"`, `sign 0 "Ep=="`, "stop 0",
		`start 1 opaque raw={"type":"redacted_thinking","data":"x"}`, "stop 1",
		"start 2 text", `text 2 "Hi"`, "stop 2",
		"start 3 text", "stop 3",
		"start 4 call id=t1 name=add", `input 4 "{ \"a\" : 1.0 }"`, "stop 4",
		"start 5 call id=t2 name=now", `input 5 "{}"`, "stop 5",
		"start 6 server_call id=s name=web_search", `input 6 "{\"q\":\"x\"}"`, "stop 6",
		`start 7 server_result id=s raw={"type":"web_search_tool_result","tool_use_id":"s","content":[]}`, "stop 7",
		`reason "tool_use" in=5 out=9 read=2 write=0`, "end",
	})
}

func TestDecodeMessageErrors(t *testing.T) {
	for _, c := range []struct {
		in, want string
		class    providers.Class
	}{
		{`{"type":"message","content":[`, "cut: the answer broke off after 29 bytes", providers.Cut},
		{``, "cut: the answer broke off after 0 bytes", providers.Cut},
		{`<html>`, "protocol: the answer is not strict JSON: invalid character '<' at start of value", providers.Protocol},
		{`[]`, "protocol: the answer is []; want a message object", providers.Protocol},
		{`{"type":"message"}`, "protocol: the answer's content is missing; want an array", providers.Protocol},
		{`{"type":"message","content":"x"}`, `protocol: the answer's content is "x"; want an array`, providers.Protocol},
		{`{"type":"message","content":[{"type":"text","text":7}]}`, "protocol: the answer's content[0].text is 7; want a string", providers.Protocol},
		{`{"type":"message","content":[],"stop_reason":7}`, "protocol: the answer's stop_reason is 7; want a string", providers.Protocol},
		{`{"type":"message","content":[]} x`, "protocol: the answer is more than one JSON value: something follows at byte 31", providers.Protocol},
		{`{"object":"chat.completion","choices":[]}`, `protocol: the answer's type is missing; want "message"`, providers.Protocol},
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, "overloaded overloaded_error: Overloaded", providers.Overloaded},
		{`{"error":{"message":"no such model"}}`, "unknown: no such model", providers.Unknown},
		{`{"error":"x"}`, `protocol: the answer's error is "x"; want an object`, providers.Protocol},
	} {
		_, err := DecodeMessage([]byte(c.in))
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Error() != c.want || e.Class != c.class || !e.InStream {
			t.Errorf("%s:\n got %v\nwant %s", c.in, err, c.want)
		}
		if c.class == providers.Cut && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: the cause is %v", c.in, e.Cause)
		}
	}
}

// An answer without a stop reason ends all the same; that it said none is the
// reader's to judge.
func TestDecodeMessageWithoutStopReason(t *testing.T) {
	events, err := DecodeMessage([]byte(`{"type":"message","content":[],"stop_reason":null}`))
	if err != nil || len(events) != 2 || events[1].Kind != providers.MessageStop {
		t.Error(events, err)
	}
}
