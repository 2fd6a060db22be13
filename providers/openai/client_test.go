package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
)

// transport is an http.RoundTripper in a function.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// reply answers every request.
func reply(status int, contentType string, body io.Reader, header ...string) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		if contentType != "" {
			h.Set("Content-Type", contentType)
		}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(body), Request: r}, nil
	})}
}

const (
	canary      = "sk-proj-canary-0123456789"
	eventStream = "text/event-stream; charset=utf-8"
)

var hello = &providers.Request{Model: "m", MaxTokens: 9, Stream: true, Messages: []providers.Message{user(providers.Block{Kind: providers.Text, Text: "Hi"})}}

func user(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.User, Blocks: blocks}
}

func assistant(blocks ...providers.Block) providers.Message {
	return providers.Message{Role: providers.Assistant, Blocks: blocks}
}

// ask returns the events of one call, one a line; an error ends them.
func ask(h *http.Client, req *providers.Request) []string {
	st, err := Chat.New(Config{BaseURL: "http://api.test/", APIKey: canary, HTTP: h}).Stream(context.Background(), req)
	if err != nil {
		return []string{"refused " + err.Error()}
	}
	defer st.Close()
	return drain(st)
}

func TestClientSends(t *testing.T) {
	var got *http.Request
	var body []byte
	h := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		got = r
		body, _ = io.ReadAll(r.Body)
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})}
	req := *hello
	req.Attempt = "a7"
	for _, c := range []struct {
		api  API
		cfg  Config
		lane string
		want string
	}{
		{Chat, Config{}, "", "https://api.openai.com/v1/chat/completions map[Content-Type:[application/json]]"},
		{Responses, Config{}, "", "https://api.openai.com/v1/responses map[Content-Type:[application/json]]"},
		{Chat, Config{BaseURL: "http://h:1/base//", APIKey: "k", Options: Options{OldMaxTokens: true}}, providers.LaneTitle, "http://h:1/base/chat/completions map[Authorization:[Bearer k] Content-Type:[application/json]]"},
		{Responses, Config{BaseURL: "http://h", BenchHeaders: true, Options: Options{Encrypted: true}}, "", "http://h/responses map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[main]]"},
		{Chat, Config{BaseURL: "http://h", BenchHeaders: true}, providers.LaneTitle, "http://h/chat/completions map[Content-Type:[application/json] X-Bench-Attempt:[a7] X-Bench-Lane:[title]]"},
	} {
		c.cfg.HTTP = h
		req.Lane = c.lane
		st, err := c.api.New(c.cfg).Stream(context.Background(), &req)
		if err != nil {
			t.Fatal(err)
		}
		st.Close()
		if s := fmt.Sprint(got.URL, " ", got.Header); got.Method != "POST" || s != c.want {
			t.Errorf("\n got %s %s\nwant POST %s", got.Method, s, c.want)
		}
		e := Encoder{API: c.api, Options: c.cfg.Options}
		if want := e.Encode(nil, &req); !bytes.Equal(body, want) || got.ContentLength != int64(len(want)) {
			t.Errorf("\n got %s\nwant %s", body, want)
		}
	}
}

// A key on its own never reaches an error's text, whoever quotes it and how.
func TestClientKeepsTheKey(t *testing.T) {
	header := []string{"X-Request-Id", "req " + canary, "Retry-After", canary}
	for _, c := range []struct {
		name string
		http *http.Client
	}{
		{"in an error's message", reply(401, "application/json", strings.NewReader(apiError("invalid_api_key", "bad key "+canary)), header...)},
		{"escaped in an error's message", reply(401, "application/json", strings.NewReader(apiError("invalid_api_key", `bad key \u0073`+canary[1:])))},
		{"where the text is cut", reply(400, "", strings.NewReader(strings.Repeat("x", mostMessage-len(canary)+1)+canary))},
		{"in HTML", reply(502, "text/html", strings.NewReader("<title>"+canary+"</title>"))},
		{"in another kind of answer", reply(200, "text/html "+canary, strings.NewReader("<html>"+canary))},
		{"in a failure inside the stream", reply(200, eventStream, strings.NewReader("data: "+apiError("server_error", canary)+"\n\n"), header...)},
		{"in what is not the protocol", reply(200, eventStream, strings.NewReader("event: "+canary+"\ndata: x\n\n"))},
		{"in a whole answer", reply(200, "", strings.NewReader(`{"choices":"`+canary+`"}`))},
		{"in a transport's error", &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxy refused %v: %w", r.Header, syscall.ECONNREFUSED)
		})}},
		{"in a read error", reply(200, eventStream, iotest.ErrReader(fmt.Errorf("%s: %w", canary, syscall.EPIPE)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e *providers.Error
			st, err := Chat.New(Config{BaseURL: "http://api.test", APIKey: canary, HTTP: c.http}).Stream(context.Background(), hello)
			if err == nil {
				var ev providers.Event
				if ev, err = st.Next(); err == nil {
					err = ev.Err
				}
			}
			if !errors.As(err, &e) {
				t.Fatalf("%v is no *providers.Error", err)
			}
			if all := fmt.Sprintf("%v %+v %v", e, *e, e.Cause); strings.Contains(all, canary[:12]) {
				t.Errorf("%s", all)
			}
			if e.Cause != nil && !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.EPIPE) {
				t.Errorf("the cause is lost: %v", e.Cause)
			}
		})
	}
}

func TestClientConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{BaseURL: "api.test"}, `invalid: the base URL "api.test" is not an http or https URL with a host, like https://api.openai.com/v1`},
		{Config{BaseURL: "ftp://api.test"}, `invalid: the base URL "ftp://api.test" is not an http or https URL with a host, like https://api.openai.com/v1`},
		{Config{BaseURL: "http://a b"}, `invalid: the base URL "http://a b" is not an http or https URL with a host, like https://api.openai.com/v1`},
		{Config{APIKey: "sk-1\n"}, "invalid: the API key contains a line break or another character that no header can carry; check how it was read"},
	} {
		_, err := Chat.New(c.cfg).Stream(context.Background(), hello)
		if e := new(providers.Error); !errors.As(err, &e) || e.Error() != c.want || e.Class != providers.Invalid {
			t.Errorf("%+v: %v; want %s", c.cfg, err, c.want)
		}
	}
}

func TestClientAnswers(t *testing.T) {
	stream := chunks(says("x"), fin("stop")) + done
	streamed := []string{first, "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"}
	message := ` {"id":"i","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`
	told := []string{"message i m", "start 0 text", `text 0 "x"`, "stop 0", `reason "end_turn"`, "end"}
	begun := streamed[:3]
	cut := iotest.ErrReader(io.ErrUnexpectedEOF)
	for _, c := range []struct {
		name, contentType string
		body              io.Reader
		want              []string
	}{
		{"a stream", eventStream, strings.NewReader(stream), streamed},
		{"a stream byte by byte", eventStream, iotest.OneByteReader(strings.NewReader(stream)), streamed},
		{"without a content type", "", strings.NewReader(stream), streamed},
		{"that says JSON", "application/json", iotest.OneByteReader(strings.NewReader(stream)), streamed},
		{"with data first", "", iotest.OneByteReader(strings.NewReader(done)), []string{"end"}},
		{"with a comment and a mark first", "", iotest.OneByteReader(strings.NewReader("\ufeff\n: hi\n\n" + stream)), streamed},
		{"with an unknown field first", eventStream, strings.NewReader("foo: bar\n\n" + stream), streamed},
		{"empty", eventStream, strings.NewReader(""), nil},
		{"empty, of no type", "", strings.NewReader(""), nil},
		{"empty JSON", "application/json", strings.NewReader(" \n"), nil},
		{"that ends without its end", eventStream, strings.NewReader(chunks(says("x"))), begun},
		{"that is cut", eventStream, io.MultiReader(strings.NewReader(chunks(says("x"))+"data: {"), cut), append(slices.Clone(begun), "error cut: the answer broke off: the connection was closed too early")},
		{"that is cut before its first byte", eventStream, cut, []string{"error cut: the answer broke off: the connection was closed too early"}},
		{"that is cut inside its first bytes", "", io.MultiReader(strings.NewReader("dat"), cut), []string{"error cut: the answer broke off: the connection was closed too early"}},
		{"that is cut in the read that brings its first bytes", eventStream, &together{[]byte(chunks(says("x"))), syscall.ECONNRESET}, append(slices.Clone(begun), "error cut: the answer broke off: connection reset by peer")},
		{"a message", "application/json", strings.NewReader(message), told},
		{"a message byte by byte", "", iotest.OneByteReader(strings.NewReader(message)), told},
		{"a message that says stream", eventStream, strings.NewReader(message), told},
		{"a message that is cut", "application/json", io.MultiReader(strings.NewReader(message[:20]), cut), []string{"error cut: the answer broke off: the connection was closed too early"}},
		{"a message that ends early", "application/json", strings.NewReader(message[:20]), []string{"error cut: the answer broke off after 20 bytes"}},
		{"an error under 200", "application/json", strings.NewReader(apiError("server_overloaded", "Overloaded")), []string{"error overloaded server_overloaded: Overloaded"}},
		{"an error that says stream", eventStream, strings.NewReader(apiError("model_not_found", "no")), []string{"error invalid model_not_found: no"}},
		{"a proxy's page", "text/html", strings.NewReader("<html><body>Please log in</body></html>"), []string{`error protocol: the answer's content type is "text/html" and it begins with "<html><body>Please log in</body></html>"; want text/event-stream`}},
		{"text", "", strings.NewReader("ok"), []string{`error protocol: the answer's content type is "" and it begins with "ok"; want text/event-stream`}},
		{"nearly a field", "", strings.NewReader("even"), []string{`error protocol: the answer's content type is "" and it begins with "even"; want text/event-stream`}},
		{"nearly a field, then not", "", iotest.OneByteReader(strings.NewReader("evening: 1\n")), []string{`error protocol: the answer's content type is "" and it begins with "eveni"; want text/event-stream`}},
		{"another protocol's JSON", "application/json", strings.NewReader(`{"type":"message"}`), []string{"error protocol: the answer's choices is missing; want an array"}},
	} {
		t.Run(c.name, func(t *testing.T) { equal(t, ask(reply(200, c.contentType, c.body), hello), c.want) })
	}

	whole := *hello
	whole.Stream = false
	for _, c := range []struct {
		name, contentType, body string
		want                    []string
	}{
		{"asked for a message", "application/json", message, told},
		{"asked for a message, got a stream", eventStream, stream, streamed},
		{"asked for a message, got nothing", "application/json", "", []string{"error cut: the answer broke off before its first byte"}},
		{"asked for a message, got a page", "text/html", "<p>", []string{`error protocol: the answer's content type is "text/html" and it begins with "<p>"; want application/json`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			equal(t, ask(reply(200, c.contentType, strings.NewReader(c.body)), &whole), c.want)
		})
	}

	t.Run("an encoding that was not asked for", func(t *testing.T) {
		equal(t, ask(reply(200, eventStream, strings.NewReader("x"), "Content-Encoding", "br"), hello), []string{`error protocol: the answer is encoded as "br", which was not asked for`})
	})
	t.Run("an error's head says when and who", func(t *testing.T) {
		st, err := Chat.New(Config{HTTP: reply(429, "", strings.NewReader("slow down"), "Retry-After", "7", "X-Request-Id", "req_2")}).Stream(context.Background(), hello)
		e := new(providers.Error)
		if st != nil || !errors.As(err, &e) || e.Class != providers.RateLimited || e.RetryAfter != "7" || e.RequestID != "req_2" || e.Message != "slow down" || e.InStream {
			t.Errorf("%+v", err)
		}
	})
	t.Run("a failure in the stream says who", func(t *testing.T) {
		st, err := Chat.New(Config{HTTP: reply(200, eventStream, strings.NewReader("data: "+apiError("server_error", "no")+"\n\n"), "X-Request-Id", "req_3")}).Stream(context.Background(), hello)
		if err != nil {
			t.Fatal(err)
		}
		if ev, err := st.Next(); err != nil || ev.Err.RequestID != "req_3" {
			t.Error(show(ev), err)
		}
	})
	t.Run("an answer is not read for ever", func(t *testing.T) {
		c := Chat.New(Config{HTTP: reply(200, "", io.MultiReader(strings.NewReader("{"), endless{}))})
		c.mostWhole = 10000
		st, err := c.Stream(context.Background(), hello)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, drain(st), []string{"error protocol: the answer is longer than 10000 bytes"})
	})
	t.Run("an error's body is not read for ever", func(t *testing.T) {
		equal(t, ask(reply(500, "", endless{}), hello), []string{"refused server 500: " + strings.Repeat("x", mostMessage) + "..."})
	})
	t.Run("an error's body that breaks off", func(t *testing.T) {
		equal(t, ask(reply(500, "", io.MultiReader(strings.NewReader("half"), cut)), hello), []string{"refused server 500: half"})
	})
}

// apiError is an error as the API writes it.
func apiError(code, message string) string {
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","param":null,"code":"` + code + `"}}`
}

// together returns its bytes and its error in one read.
type together struct {
	b   []byte
	err error
}

func (r *together) Read(p []byte) (int, error) {
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, r.err
}

func TestClientCountsBytes(t *testing.T) {
	for _, src := range []string{
		": keep-alive\n\n" + chunks(says("x")) + done,
		`{"choices":[]}`,
		"<html>",
	} {
		n, calls := 0, 0
		req := *hello
		req.OnBytes = func(k int) { n, calls = n+k, calls+1 }
		ask(reply(200, "", iotest.OneByteReader(strings.NewReader(src))), &req)
		if want := len(src); src != "<html>" && (n != want || calls != want) {
			t.Errorf("%q: %d bytes in %d calls; want %d of each", src, n, calls, want)
		}
		if n == 0 {
			t.Errorf("%q: no byte was told of", src)
		}
		n = 0
		ask(reply(200, "", strings.NewReader(src)), &req)
		if n != len(src) {
			t.Errorf("%q in large pieces: %d bytes; want %d", src, n, len(src))
		}
	}
}

func TestClosedStream(t *testing.T) {
	st, err := Chat.New(Config{HTTP: reply(200, eventStream, strings.NewReader(chunks(says("x"))+done))}).Stream(context.Background(), hello)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Next(); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := st.Next()
		if e := new(providers.Error); !errors.As(err, &e) || e.Class != providers.Canceled {
			t.Fatal(err)
		}
	}
}

// On the real network: what a server does, and what the reader is told.
func TestClientOnTheNetwork(t *testing.T) {
	hangs := make(chan struct{})
	reset := func(w http.ResponseWriter) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	mux := http.NewServeMux()
	begin := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, chunks(d(`"role":"assistant"`)))
		w.(http.Flusher).Flush()
	}
	mux.HandleFunc("/ok/", func(w http.ResponseWriter, r *http.Request) { begin(w); io.WriteString(w, done) })
	mux.HandleFunc("/eof/", func(w http.ResponseWriter, r *http.Request) { begin(w) })
	mux.HandleFunc("/gzip/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			http.Error(w, "no gzip asked for", 500)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/event-stream")
		z := gzip.NewWriter(w)
		io.WriteString(z, chunks(d(`"role":"assistant"`))+done)
		z.Close()
	})
	mux.HandleFunc("/notgzip/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		begin(w)
	})
	mux.HandleFunc("/short/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		begin(w)
	})
	mux.HandleFunc("/reset/", func(w http.ResponseWriter, r *http.Request) {
		begin(w)
		<-r.Context().Value(readKey{}).(chan struct{})
		reset(w)
	})
	mux.HandleFunc("/reset0/", func(w http.ResponseWriter, r *http.Request) { reset(w) })
	mux.HandleFunc("/hang/", func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() })
	mux.HandleFunc("/hang0/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then does the server notice that the client went
		hangs <- struct{}{}
		<-r.Context().Done()
	})
	mux.HandleFunc("/away/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok/chat/completions", http.StatusTemporaryRedirect)
	})
	read := make(chan struct{}) // closed once the client has read what came before the reset
	srv := httptest.NewUnstartedServer(mux)
	srv.Config.BaseContext = func(net.Listener) context.Context {
		return context.WithValue(context.Background(), readKey{}, read)
	}
	srv.Start()
	defer srv.Close()
	host := strings.TrimPrefix(srv.URL, "http://")

	call := func(ctx context.Context, path string) (got []string) {
		st, err := Chat.New(Config{BaseURL: srv.URL + path, APIKey: canary}).Stream(ctx, hello)
		if err != nil {
			return []string{"refused " + err.Error()}
		}
		defer st.Close()
		if ev, err := st.Next(); err != nil {
			return []string{"error " + err.Error()}
		} else if got = append(got, show(ev)); path == "/reset" {
			close(read)
		}
		return append(got, drain(st)...)
	}
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/ok", []string{first, "end"}},
		{"/eof", []string{first}},
		{"/gzip", []string{first, "end"}},
		{"/notgzip", []string{"error protocol: the answer says that it is compressed with gzip, and is not"}},
		{"/short", []string{first, "error cut: the answer broke off: the connection was closed too early"}},
		{"/reset", []string{first, "error cut: the answer broke off: connection reset by peer"}},
		{"/reset0", []string{"refused network: no answer from " + host + ": connection reset by peer"}},
		{"/away", []string{"refused invalid 307: the server redirects to /ok/chat/completions; a redirect is not followed, because it would take the API key elsewhere: set the base URL to where the API lives"}},
	} {
		t.Run(c.path[1:], func(t *testing.T) { equal(t, call(context.Background(), c.path), c.want) })
	}

	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		_, err = Chat.New(Config{BaseURL: "http://" + l.Addr().String()}).Stream(context.Background(), hello)
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Network || !errors.Is(err, syscall.ECONNREFUSED) || e.Message != "no answer from "+l.Addr().String()+": connection refused" {
			t.Errorf("%v", err)
		}
	})

	stop := errors.New("the user has had enough")
	isStop := func(t *testing.T, err error, inStream bool) {
		t.Helper()
		e := new(providers.Error)
		if !errors.As(err, &e) || e.Class != providers.Canceled || e.InStream != inStream || !errors.Is(err, stop) || e.Error() != "canceled: the user has had enough" {
			t.Errorf("%#v", err)
		}
	}
	t.Run("canceled while reading", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		st, err := Chat.New(Config{BaseURL: srv.URL + "/hang"}).Stream(ctx, hello)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if _, err := st.Next(); err != nil {
			t.Fatal(err)
		}
		cancel(stop)
		_, err = st.Next()
		isStop(t, err, true)
	})
	t.Run("canceled while waiting for the head", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { <-hangs; cancel(stop) }()
		_, err := Chat.New(Config{BaseURL: srv.URL + "/hang0"}).Stream(ctx, hello)
		isStop(t, err, false)
	})
	t.Run("canceled before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(stop)
		_, err := Chat.New(Config{BaseURL: srv.URL + "/ok"}).Stream(ctx, hello)
		isStop(t, err, false)
	})
}

type readKey struct{}

// The lanes of a loop share a client; each keeps its own encoder.
func TestClientLanes(t *testing.T) {
	bodies := make(chan string, 1)
	c := Chat.New(Config{HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		b, _ := io.ReadAll(r.Body)
		bodies <- string(b)
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})}})
	main := *hello
	for i := range 4 {
		for _, lane := range []string{"", providers.LaneMain, providers.LaneTitle} {
			req := main
			req.Lane = lane
			if lane == providers.LaneTitle {
				req.Messages = []providers.Message{user(providers.Block{Kind: providers.Text, Text: fmt.Sprint("title ", i)})}
			}
			st, err := c.Stream(context.Background(), &req)
			if err != nil {
				t.Fatal(err)
			}
			st.Close()
			if got, want := <-bodies, string(Chat.EncodeRequest(nil, &req)); got != want {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
		}
		main.Messages = append(main.Messages, assistant(providers.Block{Kind: providers.Text, Text: fmt.Sprint(i)}))
	}
	if len(c.encoders) != 2 {
		t.Errorf("%d encoders; want one for main and one for title", len(c.encoders))
	}
	kept := c.encoders[providers.LaneMain]
	if c.encode(&main); c.encoders[providers.LaneMain] != kept {
		t.Error("what was encoded before is forgotten")
	}
}
