package fake_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers/fake"
)

// A script is played to whoever asks: here one request that the script expects
// something of.
func Example() {
	const script = `
reply
    expect max_tokens >= 1024
    text "I look." " One moment."
    call t1 append {"file":"notes.txt","line":"hello"}
reply
    expect results == t1
    text "Done."
`
	s, err := fake.Parse("replies.script", []byte(script), fake.ParseOptions{FirstLine: 1})
	if err != nil {
		log.Fatal(err)
	}
	srv := fake.NewServer(s, fake.Options{})
	client := &http.Client{Transport: srv.Transport()}

	resp, err := client.Post("http://fake/v1/messages", "application/json",
		strings.NewReader(`{"model":"m","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, len(body) > 0)
	for _, f := range srv.Findings() {
		fmt.Println(f)
	}
	for _, sentence := range srv.Unused() {
		fmt.Println(sentence)
	}
	// Output:
	// 200 OK true
	// replies.script:3: expect max_tokens >= 1024: got "100"
	// replies.script:6: this reply of lane main was never asked for
}

// Everything that is wrong with a script is told at once, with the line and
// the word that was probably meant.
func ExampleParse() {
	_, err := fake.Parse("replies.script", []byte("reply lane=sumary\n\nreply\n    txt \"a\"\n"), fake.ParseOptions{FirstLine: 40})
	fmt.Println(err)
	// Output:
	// replies.script:40: unknown lane "sumary"; did you mean "summary"?
	// replies.script:43: unknown line "txt"; did you mean "text"?
}

// A request that the real API would refuse is refused with its words.
func ExampleCheckMessages() {
	r := fake.CheckMessages([]byte(`{"model":"m","max_tokens":1,"messages":[
		{"role":"user","content":"hi"},
		{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]},
		{"role":"user","content":"go on"}]}`))
	fmt.Println(r.Level, r)
	// Output:
	// api 400 invalid_request_error: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.
}

// After a kill the first request of the next life says where the script goes
// on: an answer that it does not contain is given again.
func ExampleServer_BeginLife() {
	s, err := fake.Parse("f", []byte("reply\n    text \"one\"\nreply\n    text \"two\"\n"), fake.ParseOptions{})
	if err != nil {
		log.Fatal(err)
	}
	srv := fake.NewServer(s, fake.Options{})
	ask := func(messages string) {
		resp, err := srv.Transport().RoundTrip(request(messages))
		if err != nil {
			log.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(strings.Contains(string(b), "one"), strings.Contains(string(b), "two"))
	}
	ask(`{"role":"user","content":"hi"}`) // killed before the answer was committed
	srv.BeginLife()
	ask(`{"role":"user","content":"hi"}`)
	srv.BeginLife() // killed behind it
	ask(`{"role":"user","content":"hi"},{"role":"assistant","content":"one"},{"role":"user","content":"go on"}`)
	// Output:
	// true false
	// true false
	// false true
}

func request(messages string) *http.Request {
	r, err := http.NewRequest(http.MethodPost, "http://fake/v1/messages", strings.NewReader(`{"model":"m","max_tokens":1,"messages":[`+messages+`]}`))
	if err != nil {
		log.Fatal(err)
	}
	return r
}
