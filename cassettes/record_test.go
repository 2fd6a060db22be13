package cassettes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"pgregory.net/rapid"
)

// ask sends a request through a recorder.
func ask(t *testing.T, rec *Recorder, url, body string, header ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func readAll(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func serve(t *testing.T, h http.HandlerFunc) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// go-vcr hands the client nothing until the whole answer is there; here the
// server sends its second piece only when the client has shown the first.
func TestRecorderStreams(t *testing.T) {
	seen := make(chan bool)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"event: a\n\n", "event: b\n\n"} {
			if _, err := io.WriteString(w, piece); err != nil {
				t.Error(err)
			}
			w.(http.Flusher).Flush()
			<-seen
		}
	})
	now := time.Unix(0, 0)
	rec := NewRecorder(http.DefaultTransport, Recording{Now: func() time.Time { now = now.Add(time.Second); return now }})
	resp := ask(t, rec, url+"/v1/messages?x=1", `{"a":1}`)
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := rec.Save(name); err == nil || !strings.HasSuffix(err.Error(), "its answer is still being read; record it again") {
		t.Errorf("saved in the middle of an answer: %v", err)
	}
	buf := make([]byte, 100)
	for _, want := range []string{"event: a\n\n", "event: b\n\n"} {
		n, err := io.ReadFull(resp.Body, buf[:len(want)])
		if err != nil || string(buf[:n]) != want {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
		seen <- true
	}
	if rest := readAll(t, resp); rest != "" {
		t.Errorf("rest %q", rest)
	}
	if err := rec.Save(name); err != nil {
		t.Fatal(err)
	}
	c, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	it := c.At(0)
	if c.Len() != 1 || it.Method != "POST" || it.URL != url+"/v1/messages?x=1" || it.Request.Body != `{"a":1}` ||
		it.Code != 200 || it.Status != "200 OK" || it.Duration != time.Second || it.Response.Body != "event: a\n\nevent: b\n\n" ||
		it.Response.Headers.Get("Content-Type") != "text/event-stream" {
		t.Errorf("recorded %+v", it)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(src, []byte("      body: |+\n        event: a\n\n        event: b\n\n")) {
		t.Errorf("a stream is not written as it reads:\n%s", src)
	}
}

// Requests are kept in the order in which they were sent, whichever answer
// ends first, and an answer left behind its last event is kept as read.
func TestRecorderOrder(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "answer to %s", b)
	})
	rec := NewRecorder(http.DefaultTransport, Recording{})
	first := ask(t, rec, url, "1")
	second := ask(t, rec, url, "2")
	readAll(t, second)
	if _, err := io.ReadFull(first.Body, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	if err := first.Body.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "c.yaml")
	var files []os.FileInfo
	for range 2 { // saving changes nothing, and replaces the file whole
		if err := rec.Save(name); err != nil {
			t.Fatal(err)
		}
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fi)
	}
	if os.SameFile(files[0], files[1]) {
		t.Error("the file was written in place: a crash would leave half of it")
	}
	c, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := c.At(0).Response.Body, c.At(1).Response.Body; a != "answer" || b != "answer to 2" {
		t.Errorf("recorded %q, %q", a, b)
	}
}

// What cannot be replayed as it was is not written, and a file that is there
// already stays as it is.
func TestRecorderRefuses(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.WriteString(w, "event: a\n\n"); err != nil {
			t.Error(err)
		}
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(rec *Recorder, want string) {
		t.Helper()
		err := rec.Save(name)
		if err == nil || !strings.HasPrefix(err.Error(), name+": not written: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != "old" {
			t.Errorf("the file is %q now, %v", b, err)
		}
	}
	check(NewRecorder(nil, Recording{}), "nothing was recorded")

	rec := NewRecorder(http.DefaultTransport, Recording{})
	resp := ask(t, rec, url, "")
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	check(rec, "request 1 (POST "+url+"): its answer broke off (unexpected EOF); record it again")

	rec = NewRecorder(failing{}, Recording{})
	req, err := http.NewRequest("GET", "http://h/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rec.RoundTrip(req); !errors.Is(err, errNoRoute) {
		t.Fatal(err)
	}
	check(rec, "request 1 (GET http://h/): it got no answer (no route); record it again")

	rec = NewRecorder(http.DefaultTransport, Recording{Filters: []vcr.Filter{func(*vcr.Interaction) error { return errNoRoute }}})
	readAll(t, ask(t, rec, serve(t, func(http.ResponseWriter, *http.Request) {}), ""))
	check(rec, "no route")
}

// A client that gives up has not been cut off: what it read is recorded.
func TestRecorderOfAnAbort(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.WriteString(w, "event: a\n\n"); err != nil {
			t.Error(err)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(http.DefaultTransport, Recording{})
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := rec.Save(name); err != nil {
		t.Fatal(err)
	}
	c, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.At(0).Response.Body; got != "event: a\n\n" {
		t.Errorf("recorded %q", got)
	}
}

var errNoRoute = errors.New("no route")

type failing struct{}

func (failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNoRoute }

func TestRecorderSecrets(t *testing.T) {
	const key = "sk-bench-0123456789"
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "cookie-value-1234"})
		if _, err := io.Copy(w, r.Body); err != nil {
			t.Error(err)
		}
	})
	for _, tc := range []struct {
		name, url, body string
		header          []string
		secrets         []string
		want            string
	}{
		{"removed", "", "hello", []string{"X-Api-Key", key, "Authorization", "Bearer " + key, "Cookie", "a=" + key, "Proxy-Authorization", key, "X-Goog-Api-Key", key, "X-Amz-Security-Token", key}, []string{key}, ""},
		{"named, in the body", "", "my key is " + key, nil, []string{"", key}, "interaction 1: request.body still contains secret 2 of "},
		{"learnt from a header", "", "my key is " + key, []string{"X-Api-Key", key}, nil, "interaction 1: request.body still contains secret 2 of "},
		{"learnt from Bearer", "", "my key is " + key, []string{"Authorization", "Bearer " + key}, nil, "request.body still contains"},
		{"learnt from a cookie", "", "I saw cookie-value-1234", nil, nil, "request.body still contains"},
		{"escaped", "", `{"a":"\u0073k-bench\u002d0123456789"}`, nil, []string{key}, "request.body still contains"},
		{"escaped twice over", "", `{"a":"a\"b\\c\u00e9\ud83d\ude00"}`, nil, []string{"a\"b\\cé\U0001F600"}, "request.body still contains"},
		{"in a header of another name", "", "", []string{"X-Trace", "k=" + key}, []string{key}, "request.headers still contains"},
		{"in the URL", "?k=" + key, "", nil, []string{key}, "request.url still contains"},
		{"escaped in the URL", "?k=%73k-bench-0123456789", "", nil, []string{key}, "request.url still contains"},
		{"short values are not learnt", "", "the letter k", []string{"X-Api-Key", "k"}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := NewRecorder(http.DefaultTransport, Recording{Secrets: tc.secrets})
			readAll(t, ask(t, rec, echo+"/"+tc.url, tc.body, tc.header...))
			name := filepath.Join(t.TempDir(), "c.yaml")
			err := rec.Save(name)
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("%v, want %s", err, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), key) {
					t.Errorf("the message tells the secret: %v", err)
				}
				if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("something was written: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(src, []byte(key)) || bytes.Contains(src, []byte("cookie-value")) {
				t.Errorf("a credential is left:\n%s", src)
			}
			if tc.name == "removed" && !bytes.Contains(src, []byte("hello")) {
				t.Errorf("too much was removed:\n%s", src)
			}
		})
	}
}

// A filter can take out what Save would refuse; the recording itself is not changed by it.
func TestRecorderFilter(t *testing.T) {
	rec := NewRecorder(http.DefaultTransport, Recording{Secrets: []string{"secret"}, Filters: []vcr.Filter{func(it *vcr.Interaction) error {
		it.Request.Body = strings.ReplaceAll(it.Request.Body, "secret", "***")
		it.Request.Headers.Del("X-A")
		it.Response.Headers = nil
		return nil
	}}})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	readAll(t, ask(t, rec, url, "a secret", "X-A", "1"))
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := rec.Save(name); err != nil {
		t.Fatal(err)
	}
	c, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if it := c.At(0); it.Request.Body != "a ***" || it.Request.Headers.Get("X-A") != "" {
		t.Errorf("%+v", it)
	}
	if it := rec.takes[0].it; it.Request.Body != "a secret" || it.Request.Headers.Get("X-A") != "1" {
		t.Errorf("the filter changed the recording: %+v", it)
	}
}

// The request's own body and headers are the client's.
func TestRecorderLeavesTheRequest(t *testing.T) {
	rec := NewRecorder(http.DefaultTransport, Recording{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	body := &closing{Reader: strings.NewReader("abc")}
	req, err := http.NewRequestWithContext(ctx, "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	if !body.closed || req.Body != io.ReadCloser(body) || resp.Request != req {
		t.Error("the request was changed, or its body not closed")
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// Whatever bytes a body holds, what is written reads back as the same.
func TestMarshalKeepsEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "\r\n", " ", "\t", "- ", "a", ": ", "#", "\u2028", "\ufeff", "'", "\"", "|", "123", "null", "~", "\x00"})),
				func(s []string) string { return strings.Join(s, "") }),
		)
		in := &vcr.Interaction{
			Request:  vcr.Request{Body: text.Draw(t, "request"), Form: map[string][]string{}, Headers: http.Header{"X": {text.Draw(t, "header")}}, URL: "http://h/", Method: "POST"},
			Response: vcr.Response{Body: text.Draw(t, "response"), Headers: http.Header{}, Code: 200},
		}
		src, err := marshal([]*vcr.Interaction{in})
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := parse("x.yaml", src, reasonable)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		if a, b := out[0].Request.Body, in.Request.Body; a != b {
			t.Errorf("request %q became %q\n%s", b, a, src)
		}
		if a, b := out[0].Response.Body, in.Response.Body; a != b {
			t.Errorf("response %q became %q\n%s", b, a, src)
		}
		if a, b := out[0].Request.Headers.Get("X"), in.Request.Headers.Get("X"); a != b {
			t.Errorf("header %q became %q\n%s", b, a, src)
		}
	})
}
