package cassettes_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/harnessbench/bench/cassettes"
)

// A request that is not the recorded one is refused, and the first difference
// is named.
func Example() {
	c, err := cassettes.Open("one-turn.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := c.Player(cassettes.Options{})
	client := &http.Client{Transport: p.Transport()}

	resp, err := client.Post("http://127.0.0.1/v1/messages", "application/json",
		strings.NewReader(`{"max_tokens":8000,"model":"another-model"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	for _, f := range p.Findings() {
		fmt.Println(f)
	}
	// Output:
	// 400 Bad Request
	// one-turn.yaml:4: cassette/differs: interaction 1: $.model: recorded "bench-model", got "another-model"
}

// The key that was sent is in no file.
func ExampleRecorder() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		fmt.Fprint(w, `{"answer":42}`)
	}))
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	rec := cassettes.NewRecorder(http.DefaultTransport, cassettes.Recording{
		Filters: []vcr.Filter{func(it *vcr.Interaction) error {
			u, err := url.Parse(it.URL)
			it.URL = "https://api.example.com" + u.Path
			it.Duration = 0
			return err
		}},
	})
	req, err := http.NewRequest("POST", srv.URL+"/v1/ask", strings.NewReader(`{"q":"?"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer sk-0123456789")
	resp, err := (&http.Client{Transport: rec}).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := io.Copy(os.Stdout, resp.Body); err != nil {
		fmt.Println(err)
	}
	resp.Body.Close()
	fmt.Println()

	file := filepath.Join(dir, "mine.yaml")
	if err := rec.Save(file); err != nil {
		fmt.Println(err)
		return
	}
	c, err := cassettes.Open(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	it := c.At(0)
	fmt.Println(it.Method, it.URL, it.Request.Body, it.Request.Headers, it.Response.Body)
	// Output:
	// {"answer":42}
	// POST https://api.example.com/v1/ask {"q":"?"} map[] {"answer":42}
}
