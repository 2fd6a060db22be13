// Package asktest holds clients that are built on package ask to what each of
// them must do, whatever its API: find out what an answer is, name what went
// wrong, never show the key, tell of every byte.
//
//	func TestClient(t *testing.T) {
//		asktest.Run(t, asktest.API{New: ..., Begin: ..., Rest: ...})
//	}
//
// What the API has for itself (its headers, its classes of errors) is the
// business of the codec's own tests, for which Drain, Show and Reply are here
// too.
package asktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// API is what a client is, and how its API says a few things.
type API struct {
	New    func(Config) providers.Provider
	Encode func(dst []byte, req *providers.Request) []byte // as New's client does

	Example  string // of a base URL
	Path     string // behind the base URL
	IDHeader string // tells the id of a request

	// A short answer as a stream, in two parts of whole events, and what is told
	// of it (see Show): the first Begun lines of Told are Begin's.
	Begin, Rest string
	Told        []string
	Begun       int

	Message     string // a short answer that is no stream
	MessageTold []string

	Error    func(name, message string) string // the body of an error
	Names    map[providers.Class]string        // what the API calls an error of Auth, Overloaded, Invalid
	Failure  func(message string) string       // the event of an error inside a stream, without an id
	Mistyped func(word string) string          // a JSON object that is no answer; its error quotes word
	// MistypedEvent is an event with a string where none belongs; its error quotes word.
	MistypedEvent func(word string) string

	Foreign     string // a JSON object of another protocol
	ForeignTold string // its error
}

// Config says which client is wanted. What is zero is as the API has it.
type Config struct {
	BaseURL, Key string
	HTTP         *http.Client
	MostWhole    int64
}

// key is the one that no error may show.
const key = "sk-canary-0123456789"

// Run tests the client.
func Run(t *testing.T, api API) {
	for _, c := range []struct {
		name string
		test func(*testing.T, API)
	}{
		{"keeps the key", keepsKey},
		{"keeps the key where texts are cut", cutsNoKey},
		{"keeps the key that arrives in pieces", arrivesInPieces},
		{"refuses a wrong configuration", refuses},
		{"reads", reads},
		{"reads what was no stream", readsWhole},
		{"tells who and when", tells},
		{"bounds what it reads", bounds},
		{"counts bytes", counts},
		{"closed", closed},
		{"on the network", network},
		{"lanes", lanes},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, api) })
	}
}

// hello is a request for a stream.
func hello() *providers.Request {
	return &providers.Request{Model: "m", MaxTokens: 9, Stream: true, Messages: []providers.Message{words(providers.User, "Hi")}}
}

func words(role providers.Role, text string) providers.Message {
	return providers.Message{Role: role, Blocks: []providers.Block{{Kind: providers.Text, Text: text}}}
}

// ask returns the events of one call, one a line; an error ends them.
func (api API) ask(h *http.Client, req *providers.Request) []string {
	st, err := api.New(Config{BaseURL: "http://api.test/", Key: key, HTTP: h}).Stream(context.Background(), req)
	if err != nil {
		return []string{"refused " + err.Error()}
	}
	defer st.Close()
	return Drain(st)
}

// keepsKey: it never reaches an error's text, whoever quotes it and how.
func keepsKey(t *testing.T, api API) {
	header := []string{api.IDHeader, "req " + key, "Retry-After", key}
	auth := api.Names[providers.Auth]
	for _, c := range []struct {
		name string
		http *http.Client
	}{
		{"in an error's message", Reply(401, "application/json", strings.NewReader(api.Error(auth, "bad key "+key)), header...)},
		{"escaped in an error's message", Reply(401, "application/json", strings.NewReader(api.Error(auth, `bad key \u0073`+key[1:])))},
		{"where the text is cut", Reply(400, "", strings.NewReader(strings.Repeat("x", ask.MostMessage-len(key)+1)+key))},
		{"in HTML", Reply(502, "text/html", strings.NewReader("<title>"+key+"</title>"))},
		{"in another kind of answer", Reply(200, "text/html "+key, strings.NewReader("<html>"+key))},
		{"in a failure inside the stream", Reply(200, EventStream, strings.NewReader(api.Failure(key)), header...)},
		{"in what is not the protocol", Reply(200, EventStream, strings.NewReader("event: "+key+"\ndata: x\n\n"))},
		{"in a whole answer", Reply(200, "", strings.NewReader(api.Mistyped(key)))},
		{"in a transport's error", &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("proxy refused %v, %s: %w", r.Header, key, syscall.ECONNREFUSED)
		})}},
		{"in a read error", Reply(200, EventStream, iotest.ErrReader(fmt.Errorf("%s: %w", key, syscall.EPIPE)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e *providers.Error
			st, err := api.New(Config{BaseURL: "http://api.test", Key: key, HTTP: c.http}).Stream(context.Background(), hello())
			if err == nil {
				var ev providers.Event
				if ev, err = st.Next(); err == nil {
					err = ev.Err
				}
			}
			if !errors.As(err, &e) {
				t.Fatalf("%v is no *providers.Error", err)
			}
			if all := texts(e); strings.Contains(all, key[:12]) {
				t.Errorf("%s", all)
			}
			if e.Cause != nil && !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, syscall.EPIPE) {
				t.Errorf("the cause is lost: %v", e.Cause)
			}
		})
	}
}

func refuses(t *testing.T, api API) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{BaseURL: "api.test"}, `invalid: the base URL "api.test" is not an http or https URL with a host, like ` + api.Example},
		{Config{BaseURL: "ftp://api.test"}, `invalid: the base URL "ftp://api.test" is not an http or https URL with a host, like ` + api.Example},
		{Config{BaseURL: "http://a b"}, `invalid: the base URL "http://a b" is not an http or https URL with a host, like ` + api.Example},
		{Config{Key: "sk-1\n"}, "invalid: the API key contains a line break or another character that no header can carry; check how it was read"},
	} {
		_, err := api.New(c.cfg).Stream(context.Background(), hello())
		if e := new(providers.Error); !errors.As(err, &e) || e.Error() != c.want || e.Class != providers.Invalid {
			t.Errorf("%+v: %v; want %s", c.cfg, err, c.want)
		}
	}
}

func counts(t *testing.T, api API) {
	for _, src := range []string{": keep-alive\n\n" + api.Begin + api.Rest, api.Message, "<html>"} {
		n, calls := 0, 0
		req := hello()
		req.OnBytes = func(k int) { n, calls = n+k, calls+1 }
		api.ask(Reply(200, "", iotest.OneByteReader(strings.NewReader(src))), req)
		if want := len(src); src != "<html>" && (n != want || calls != want) {
			t.Errorf("%q: %d bytes in %d calls; want %d of each", src, n, calls, want)
		}
		if n == 0 {
			t.Errorf("%q: no byte was told of", src)
		}
		n = 0
		api.ask(Reply(200, "", strings.NewReader(src)), req)
		if n != len(src) {
			t.Errorf("%q in large pieces: %d bytes; want %d", src, n, len(src))
		}
	}
}

func closed(t *testing.T, api API) {
	st, err := api.New(Config{HTTP: Reply(200, EventStream, strings.NewReader(api.Begin+api.Rest))}).Stream(context.Background(), hello())
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

// lanes: those of a loop share a client, and are conversations of their own.
func lanes(t *testing.T, api API) {
	bodies := make(chan []byte, 1)
	c := api.New(Config{HTTP: &http.Client{Transport: Transport(func(r *http.Request) (*http.Response, error) {
		b, _ := io.ReadAll(r.Body)
		bodies <- b
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})}})
	main := *hello()
	for i := range 4 {
		for _, lane := range []string{"", providers.LaneMain, providers.LaneTitle} {
			req := main
			req.Lane = lane
			if lane == providers.LaneTitle {
				req.Messages = []providers.Message{words(providers.User, fmt.Sprint("title ", i))}
			}
			st, err := c.Stream(context.Background(), &req)
			if err != nil {
				t.Fatal(err)
			}
			st.Close()
			if got, want := <-bodies, api.Encode(nil, &req); !bytes.Equal(got, want) {
				t.Fatalf("\n got %s\nwant %s", got, want)
			}
		}
		main.Messages = append(main.Messages, words(providers.Assistant, fmt.Sprint(i)))
	}
}
