package gemini

import (
	"errors"
	"io"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
)

func shown(evs []providers.Event) (out []string) {
	for _, ev := range evs {
		out = append(out, asktest.Show(ev))
	}
	return out
}

func TestDecodeMessage(t *testing.T) {
	body := `{"candidates":[{"content":{"parts":[
	  {"text":"hm","thought":true},
	  {"text":"Hi"},{"text":"you","thoughtSignature":"A"},{"text":""},
	  {"functionCall":{"name":"add","args":{ "a" : 1.0 }},"thoughtSignature":"Ep=="},
	  {"functionCall":{"name":"now","args":{}}},
	  {"text":"","thoughtSignature":"B"}],"role":"model"},"finishReason":"STOP"}],
	 "usageMetadata":{"promptTokenCount":7,"cachedContentTokenCount":2,"candidatesTokenCount":4,"thoughtsTokenCount":5},"modelVersion":"m","responseId":"r"}`
	evs, err := DecodeMessage([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	asktest.Equal(t, shown(evs), []string{
		"message r m",
		"start 0 thinking", `think 0 "hm"`, "stop 0",
		"start 1 text", `text 1 "Hi"`, "stop 1", "start 2 text", `text 2 "you"`, `sign 2 "A"`, "stop 2",
		"start 3 call name=add", `sign 3 "Ep=="`, `input 3 "{ \"a\" : 1.0 }"`, "stop 3",
		"start 4 call name=now", `input 4 "{}"`, "stop 4",
		`start 5 opaque raw={"text":"","thoughtSignature":"B"}`, "stop 5",
		`reason "end_turn" in=5 out=9 read=2 write=0`, "end",
	})
}

func TestDecodeMessageEnds(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"no content", `{"candidates":[{"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":1}}`, []string{begun, `reason "max_tokens" in=1 out=0 read=0 write=0`, "end"}},
		{"no candidates: the prompt is refused", `{"promptFeedback":{"blockReason":"SAFETY"}}`, []string{begun, `other "blockReason SAFETY"`, `reason "refusal"`, "end"}},
		{"no candidates, and nobody says why", `{"usageMetadata":{"promptTokenCount":1}}`, []string{begun, "usage in=1 out=0 read=0 write=0", "end"}},
		{"no reason: that it said none is the reader's to judge", `{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}`, []string{begun, "start 0 text", `text 0 "a"`, "stop 0", "end"}},
		{"a call that goes on never ends", `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","willContinue":true}}]}}]}`, []string{begun, "start 0 call name=a", "end"}},
	} {
		evs, err := DecodeMessage([]byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		asktest.Equal(t, shown(evs), c.want)
	}
}

func TestDecodeMessageErrors(t *testing.T) {
	for _, c := range []struct {
		in, want string
		class    providers.Class
	}{
		{`{"candidates":[`, "cut: the answer broke off after 15 bytes", providers.Cut},
		{``, "cut: the answer broke off after 0 bytes", providers.Cut},
		{`<html>`, "protocol: the answer is not strict JSON: invalid character '<' at start of value", providers.Protocol},
		{`[]`, "protocol: the answer is []; want an object", providers.Protocol},
		{`{"object":"chat.completion","choices":[]}`, "protocol: the answer's candidates is missing; want an array", providers.Protocol},
		{`{"candidates":"x"}`, `protocol: the answer's candidates is "x"; want an array`, providers.Protocol},
		{parts(`{"text":7}`), "protocol: the answer's candidates[0].content.parts[0].text is 7; want a string", providers.Protocol},
		{`{"candidates":[]} x`, "protocol: the answer is more than one JSON value: something follows at byte 17", providers.Protocol},
		{apiError("UNAVAILABLE", "The model is overloaded. Please try again later."), "overloaded UNAVAILABLE: The model is overloaded. Please try again later.", providers.Overloaded},
		{`{"error":{"code":500}}`, `server 500: {"error":{"code":500}}`, providers.Server},
		{`{"error":"x"}`, "unknown: x", providers.Unknown},
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
