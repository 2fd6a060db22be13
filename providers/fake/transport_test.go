package fake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
)

// always answers every request with one plan.
func always(p *Plan, o Options) *Wire {
	return NewWire(func(*evidence.Exchange) *Plan { return p }, o)
}

// post sends a request and returns what a client sees: the head's error, or
// the status, the pieces as they were read and the error behind them.
func post(ctx context.Context, c *http.Client, url, body string) (status int, pieces []string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			pieces = append(pieces, string(buf[:n]))
		}
		if err != nil {
			return resp.StatusCode, pieces, err
		}
	}
}

// kindOf names an error as far as a client may tell it from others.
func kindOf(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "cut"
	case errors.Is(err, io.EOF):
		return "eof"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "?" + err.Error()
}

// loopback serves the wire on 127.0.0.1.
func loopback(t testing.TB, w *Wire) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(w.Handler())
	t.Cleanup(srv.Close)
	return srv
}

// inMemory is a client of the wire.
func inMemory(w *Wire) *http.Client { return &http.Client{Transport: w.Transport()} }

// TestParity runs the same plan in memory and over a socket and compares what
// the client sees and what the log says.
func TestParity(t *testing.T) {
	data := func(s string) Step { return Step{Act: Write, Data: []byte(s)} }
	for _, c := range []struct {
		name   string
		steps  []Step
		status int
		text   string
		err    string
		ending string
	}{
		{"whole", []Step{data("a"), data("b"), {Act: EOF}}, 200, "ab", "eof", "eof"},
		{"no ending", []Step{data("a")}, 200, "a", "eof", "eof"},
		{"empty", []Step{{Act: EOF}}, 200, "", "eof", "eof"},
		{"cut", []Step{data("a"), data("b"), {Act: Cut}}, 200, "ab", "cut", "cut"},
		{"reset", []Step{data("a"), data("b"), {Act: Reset}}, 200, "ab", "reset", "reset"},
		{"head, then cut", []Step{data(""), {Act: Cut}}, 200, "", "cut", "cut"},
		{"head, then reset", []Step{data(""), {Act: Reset}}, 200, "", "reset", "reset"},
		{"cut before the head", []Step{{Act: Cut}}, 0, "", "eof", "cut"},
		{"reset before the head", []Step{{Act: Reset}}, 0, "", "reset", "reset"},
		{"hang runs out", []Step{data("a"), {Act: Hang, D: time.Nanosecond}}, 200, "a", "cut", "cut"},
		{"delay", []Step{data("a"), {Act: Delay, D: time.Nanosecond}, data("b")}, 200, "ab", "eof", "eof"},
		{"large", []Step{data(strings.Repeat("x", 300_000)), {Act: Reset}}, 200, strings.Repeat("x", 300_000), "reset", "reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Plan{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Steps: c.steps}
			for _, way := range []string{"memory", "loopback"} {
				w := always(p, Options{})
				client, url := inMemory(w), "http://fake"
				if way == "loopback" {
					srv := loopback(t, w)
					client, url = srv.Client(), srv.URL
				}
				status, pieces, err := post(t.Context(), client, url, `{}`)
				if status != c.status || strings.Join(pieces, "") != c.text || kindOf(err) != c.err {
					t.Errorf("%s: got %d, %d bytes, %v; want %d, %d bytes, %s", way, status, len(strings.Join(pieces, "")), err, c.status, len(c.text), c.err)
				}
				ex := w.Exchanges()[0]
				if ex.Ending != c.ending || ex.Status != c.status || string(ex.Reply) != c.text {
					t.Errorf("%s: the log says %q, %d, %d bytes", way, ex.Ending, ex.Status, len(ex.Reply))
				}
			}
		})
	}
}

// TestResetOfSlowReader: an RST behind more bytes than a socket buffers must
// not take any of them back.
func TestResetOfSlowReader(t *testing.T) {
	const size = 16 << 20
	w := always(&Plan{Status: 200, Steps: []Step{{Act: Write, Data: make([]byte, size)}, {Act: Reset}}}, Options{})
	srv := loopback(t, w)
	resp, err := srv.Client().Post(srv.URL+"/v1/messages", "", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if n != size || kindOf(err) != "reset" {
		t.Errorf("got %d of %d bytes, %v", n, size, err)
	}
}

// TestPieces: a Read never returns bytes of two pieces, whatever the buffer.
func TestPieces(t *testing.T) {
	p := &Plan{Status: 200, Steps: []Step{{Act: Write, Data: []byte("abcde")}, {Act: Write, Data: []byte("f")}, {Act: Write}, {Act: Write, Data: []byte("gh")}}}
	for size, want := range map[int][]string{1: {"a", "b", "c", "d", "e", "f", "g", "h"}, 3: {"abc", "de", "f", "gh"}, 100: {"abcde", "f", "gh"}} {
		w := always(p, Options{})
		resp, err := inMemory(w).Post("http://fake/", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		buf := make([]byte, size)
		for {
			n, err := resp.Body.Read(buf)
			if n > 0 {
				got = append(got, string(buf[:n]))
			}
			if err != nil {
				break
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("reads of %d: got %q, want %q", size, got, want)
		}
		var chunks []int
		for _, s := range want {
			chunks = append(chunks, len(s))
		}
		if ex := w.Exchanges()[0]; !reflect.DeepEqual(ex.Chunks, chunks) {
			t.Errorf("the log has pieces %v, want %v", ex.Chunks, chunks)
		}
	}
}

// stepClock is a clock that only sleeping moves.
type stepClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *stepClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *stepClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return nil
}

// TestWaitsOnTheClock: delays and hangs take the clock's time, none of ours.
func TestWaitsOnTheClock(t *testing.T) {
	clock := &stepClock{now: time.Unix(1000, 0)}
	p := &Plan{Status: 200, Steps: []Step{{Act: Delay, D: time.Hour}, {Act: Write, Data: []byte("a")}, {Act: Hang, D: 24 * time.Hour}}}
	w := always(p, Options{Clock: clock})
	_, _, err := post(t.Context(), inMemory(w), "http://fake", "{}")
	if kindOf(err) != "cut" || clock.Now().Sub(time.Unix(1000, 0)) != 25*time.Hour {
		t.Errorf("got %v after %v", err, clock.Now())
	}
	if ex := w.Exchanges()[0]; !ex.At.Equal(time.Unix(1000, 0)) {
		t.Errorf("At is %v", ex.At)
	}
}

// TestHangEndsWithTheContext, on both ways.
func TestHangEndsWithTheContext(t *testing.T) {
	p := &Plan{Status: 200, Steps: []Step{{Act: Write, Data: []byte("a")}, {Act: Hang}}}
	for _, way := range []string{"memory", "loopback"} {
		w := always(p, Options{})
		client, url := inMemory(w), "http://fake"
		var srv *httptest.Server
		if way == "loopback" {
			srv = httptest.NewServer(w.Handler())
			client, url = srv.Client(), srv.URL
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 10)
		if n, err := resp.Body.Read(buf); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		cancel()
		if _, err := resp.Body.Read(buf); kindOf(err) != "canceled" {
			t.Errorf("%s: got %v", way, err)
		}
		resp.Body.Close()
		if srv != nil {
			srv.Close() // waits for the handler
		}
		if got := w.Exchanges()[0].Ending; way == "loopback" && got != "hang" || way == "memory" && got != "dropped" && got != "hang" {
			t.Errorf("%s: ended as %q", way, got)
		}
	}
}

// TestCanceledBetween: nothing is read once the context is over, though more
// has been sent.
func TestCanceledBetween(t *testing.T) {
	w := always(&Plan{Status: 200, Steps: []Step{{Act: Write, Data: []byte("a")}, {Act: Write, Data: []byte("b")}}}, Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://fake/", nil)
	resp, err := inMemory(w).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := resp.Body.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	cause := errors.New("the cause")
	cancel(cause)
	if n, err := resp.Body.Read(make([]byte, 10)); n != 0 || !errors.Is(err, cause) {
		t.Errorf("got %d, %v", n, err)
	}
	if ex := w.Exchanges()[0]; ex.Ending != "dropped" || string(ex.Reply) != "a" {
		t.Errorf("got %q %q", ex.Ending, ex.Reply)
	}
}

// watched is a note that says when somebody waits for it.
type watched struct {
	Note
	waiting chan bool
}

func (n watched) Wait(ctx context.Context, at string) error {
	n.waiting <- true
	return n.Note.Wait(ctx, at)
}

// TestCloseWakesAReader: a body may be closed while somebody reads it.
func TestCloseWakesAReader(t *testing.T) {
	for name, act := range map[string]Step{"hang": {Act: Hang}, "dropped": {Act: Gate, Name: "g"}} {
		waiting := make(chan bool)
		w := always(&Plan{Status: 200, Steps: []Step{{Act: Write, Data: []byte("a")}, act}}, Options{
			NewNote: func() Note { return watched{newRealNote(), waiting} },
		})
		resp, err := inMemory(w).Post("http://fake/", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := resp.Body.Read(make([]byte, 1))
			done <- err
		}()
		<-waiting
		resp.Body.Close()
		if err := <-done; !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("%s: got %v", name, err)
		}
		if got := w.Exchanges()[0].Ending; got != name {
			t.Errorf("ended as %q, want %q", got, name)
		}
	}
}

// TestGates: a plan waits until the gate is open; a gate may be opened first.
func TestGates(t *testing.T) {
	w := always(&Plan{Status: 200, Steps: []Step{{Act: Gate, Name: "g"}, {Act: Write, Data: []byte("a")}, {Act: Gate, Name: "g"}}}, Options{})
	type seen struct {
		text string
		err  error
	}
	done := make(chan seen)
	for range 2 {
		go func() {
			_, pieces, err := post(context.Background(), inMemory(w), "http://fake", "{}")
			done <- seen{strings.Join(pieces, ""), err}
		}()
	}
	for len(w.Exchanges()) < 2 {
		runtime.Gosched() // until both are taken in; whether they wait already does not matter
	}
	w.OpenGate("g")
	for range 2 {
		if s := <-done; s.text != "a" || kindOf(s.err) != "eof" {
			t.Errorf("got %q %v", s.text, s.err)
		}
	}
	if _, pieces, _ := post(t.Context(), inMemory(w), "http://fake", "{}"); strings.Join(pieces, "") != "a" {
		t.Errorf("an open gate stays open: got %q", pieces)
	}
}

// TestEarlyClose: how the log says that the client went first.
func TestEarlyClose(t *testing.T) {
	for _, c := range []struct {
		name   string
		steps  []Step
		read   int
		ending string
	}{
		{"in the middle", []Step{{Act: Write, Data: []byte("ab")}, {Act: Write, Data: []byte("c")}}, 2, "dropped"},
		{"inside a piece", []Step{{Act: Write, Data: []byte("ab")}}, 1, "dropped"},
		{"all bytes read", []Step{{Act: Write, Data: []byte("ab")}, {Act: EOF}}, 2, "eof"},
		{"all bytes read before a cut", []Step{{Act: Write, Data: []byte("ab")}, {Act: Cut}}, 2, "cut"},
		{"before a delay", []Step{{Act: Write, Data: []byte("ab")}, {Act: Delay, D: time.Hour}, {Act: EOF}}, 2, "dropped"},
		{"before a hang", []Step{{Act: Write, Data: []byte("ab")}, {Act: Hang}}, 2, "hang"},
	} {
		w := always(&Plan{Status: 200, Steps: c.steps}, Options{})
		resp, err := inMemory(w).Post("http://fake/", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, c.read)); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		resp.Body.Close() // twice is once
		if ex := w.Exchanges()[0]; ex.Ending != c.ending || len(ex.Reply) != c.read {
			t.Errorf("%s: %q with %d bytes, want %q", c.name, ex.Ending, len(ex.Reply), c.ending)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("%s: read after close: %v", c.name, err)
		}
	}
}

// TestGoneOverSocket: a client that goes in the middle is noticed, though the
// plan never waits.
func TestGoneOverSocket(t *testing.T) {
	p := &Plan{Status: 200}
	for range 4096 {
		p.Steps = append(p.Steps, Step{Act: Write, Data: make([]byte, 64<<10)})
	}
	w := always(p, Options{})
	srv := httptest.NewServer(w.Handler())
	resp, err := srv.Client().Post(srv.URL, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	srv.Close() // waits for the handler
	if ex := w.Exchanges()[0]; ex.Ending != "dropped" || len(ex.Reply) == p.size() {
		t.Errorf("got %q with %d bytes", ex.Ending, len(ex.Reply))
	}
}

// TestCanceledBefore: a request whose context is over is not sent.
func TestCanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the cause")
	cancel(cause)
	w := always(&Plan{Status: 200}, Options{})
	if _, _, err := post(ctx, inMemory(w), "http://fake", "{}"); !errors.Is(err, cause) || len(w.Exchanges()) != 0 {
		t.Errorf("got %v, %d exchanges", err, len(w.Exchanges()))
	}
}

// TestNoSecrets: credentials do not reach the log, in header or URL.
func TestNoSecrets(t *testing.T) {
	w := always(&Plan{Status: 200}, Options{})
	r, _ := http.NewRequest(http.MethodPost, "http://fake/v1/x?beta=true&key=CANARY&access_token=CANARY", strings.NewReader("{}"))
	for _, name := range append([]string{"X-Bench-Lane", "X-Bench-Attempt"}, secretHeaders...) {
		r.Header.Set(name, "CANARY")
	}
	r.Header.Set("X-Bench-Lane", "title")
	r.Header.Set("X-Bench-Attempt", "a7")
	resp, err := inMemory(w).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	ex := w.Exchanges()[0]
	if ex.Lane != "title" || ex.Attempt != "a7" || ex.Method != "POST" || ex.Path != "/v1/x?beta=true&key=redacted&access_token=redacted" {
		t.Errorf("got %+v", ex)
	}
	for name, values := range ex.Header {
		if strings.Contains(strings.Join(values, ""), "CANARY") {
			t.Errorf("%s is in the log", name)
		}
	}
	if r.Header.Get("Authorization") != "CANARY" {
		t.Error("the client's own request was changed")
	}
}

// recorder is a sink that writes down what it hears.
type recorder struct{ got []string }

func (r *recorder) Request(ex *evidence.Exchange) { r.got = append(r.got, "request "+ex.Lane) }
func (r *recorder) Status(n, s int, h http.Header) {
	r.got = append(r.got, "status "+http.StatusText(s)+" "+h.Get("A"))
}
func (r *recorder) Delivered(n int, b []byte) { r.got = append(r.got, string(b)) }
func (r *recorder) Ended(n int, how string)   { r.got = append(r.got, "ended "+how) }

// TestSink: a sink hears of everything, in order, when it happens.
func TestSink(t *testing.T) {
	r := &recorder{}
	w := always(&Plan{Status: 200, Header: http.Header{"A": {"1"}}, Steps: []Step{{Act: Write, Data: []byte("ab")}, {Act: Write, Data: []byte("c")}, {Act: Write, Data: []byte("d")}, {Act: Hang}}}, Options{Sink: r})
	resp, err := inMemory(w).Post("http://fake/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"request main", "status OK 1"}
	if !reflect.DeepEqual(r.got, want) {
		t.Errorf("got %q, want %q", r.got, want)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	w.BeginLife() // the process died here
	want = append(want, "ab", "c", "ended dropped")
	if !reflect.DeepEqual(r.got, want) {
		t.Errorf("got %q, want %q", r.got, want)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if !reflect.DeepEqual(r.got, want) || string(w.Exchanges()[0].Reply) != "abc" {
		t.Errorf("an exchange ends once, and then nothing is delivered: got %q", r.got)
	}
	if w.Exchanges()[0].Life != 1 {
		t.Error("the exchange belongs to life 1")
	}
}
