package asktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// reads: what an answer is shows in its first bytes, whatever its head says.
func reads(t *testing.T, api API) {
	stream, begun := api.Begin+api.Rest, api.Told[:api.Begun]
	plain := regexp.MustCompile(`(?m)^event: .*\n`).ReplaceAllString(stream, "")
	cut := iotest.ErrReader(io.ErrUnexpectedEOF)
	broke := []string{"error cut: the answer broke off: the connection was closed too early"}
	after := func(lines []string, err string) []string { return append(slices.Clone(lines), err) }
	named := func(c providers.Class, message string) []string {
		return []string{fmt.Sprintf("error %s %s: %s", c, api.Names[c], message)}
	}
	for _, c := range []struct {
		name, contentType string
		body              io.Reader
		want              []string
	}{
		{"a stream", EventStream, strings.NewReader(stream), api.Told},
		{"a stream byte by byte", EventStream, iotest.OneByteReader(strings.NewReader(stream)), api.Told},
		{"without a content type", "", strings.NewReader(stream), api.Told},
		{"that says JSON", "application/json", iotest.OneByteReader(strings.NewReader(stream)), api.Told},
		{"with data first", "", iotest.OneByteReader(strings.NewReader(plain)), api.Told},
		{"with a comment and a mark first", "", iotest.OneByteReader(strings.NewReader("\ufeff\n: hi\n\n" + stream)), api.Told},
		{"with an unknown field first", EventStream, strings.NewReader("foo: bar\n\n" + stream), api.Told},
		{"empty", EventStream, strings.NewReader(""), nil},
		{"empty, of no type", "", strings.NewReader(""), nil},
		{"empty JSON", "application/json", strings.NewReader(" \n"), nil},
		{"that ends without its end", EventStream, strings.NewReader(api.Begin), begun},
		{"that is cut", EventStream, io.MultiReader(strings.NewReader(api.Begin+api.Rest[:9]), cut), after(begun, broke[0])},
		{"that is cut before its first byte", EventStream, cut, broke},
		{"that is cut inside its first bytes", "", io.MultiReader(strings.NewReader("eve"), cut), broke},
		{"that is cut inside its first bytes of data", "", io.MultiReader(strings.NewReader("dat"), cut), broke},
		{"that is cut in the read that brings its first bytes", EventStream, &together{[]byte(api.Begin), syscall.ECONNRESET}, after(begun, "error cut: the answer broke off: connection reset by peer")},
		{"a message", "application/json", strings.NewReader(api.Message), api.MessageTold},
		{"a message byte by byte", "", iotest.OneByteReader(strings.NewReader(api.Message)), api.MessageTold},
		{"a message that says stream", EventStream, strings.NewReader(api.Message), api.MessageTold},
		{"a message that is cut", "application/json", io.MultiReader(strings.NewReader(api.Message[:20]), cut), broke},
		{"a message that ends early", "application/json", strings.NewReader(api.Message[:20]), []string{"error cut: the answer broke off after 20 bytes"}},
		{"an error under 200", "application/json", strings.NewReader(api.Error(api.Names[providers.Overloaded], "Overloaded")), named(providers.Overloaded, "Overloaded")},
		{"an error that says stream", EventStream, strings.NewReader(api.Error(api.Names[providers.Invalid], "no")), named(providers.Invalid, "no")},
		{"a proxy's page", "text/html", strings.NewReader("<html><body>Please log in</body></html>"), []string{`error protocol: the answer's content type is "text/html" and it begins with "<html><body>Please log in</body></html>"; want text/event-stream`}},
		{"text", "", strings.NewReader("ok"), []string{`error protocol: the answer's content type is "" and it begins with "ok"; want text/event-stream`}},
		{"nearly a field", "", strings.NewReader("even"), []string{`error protocol: the answer's content type is "" and it begins with "even"; want text/event-stream`}},
		{"nearly a field, then not", "", iotest.OneByteReader(strings.NewReader("evening: 1\n")), []string{`error protocol: the answer's content type is "" and it begins with "eveni"; want text/event-stream`}},
		{"another protocol's JSON", "application/json", strings.NewReader(api.Foreign), []string{"error " + api.ForeignTold}},
	} {
		t.Run(c.name, func(t *testing.T) { Equal(t, api.ask(Reply(200, c.contentType, c.body), hello()), c.want) })
	}
	t.Run("an encoding that was not asked for", func(t *testing.T) {
		Equal(t, api.ask(Reply(200, EventStream, strings.NewReader("x"), "Content-Encoding", "br"), hello()), []string{`error protocol: the answer is encoded as "br", which was not asked for`})
	})
}

// readsWhole: the same where no stream was asked for.
func readsWhole(t *testing.T, api API) {
	whole := hello()
	whole.Stream = false
	for _, c := range []struct {
		name, contentType, body string
		want                    []string
	}{
		{"a message", "application/json", api.Message, api.MessageTold},
		{"a stream", EventStream, api.Begin + api.Rest, api.Told},
		{"nothing", "application/json", "", []string{"error cut: the answer broke off before its first byte"}},
		{"a page", "text/html", "<p>", []string{`error protocol: the answer's content type is "text/html" and it begins with "<p>"; want application/json`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			Equal(t, api.ask(Reply(200, c.contentType, strings.NewReader(c.body)), whole), c.want)
		})
	}
}

// tells: whom to ask about an error, and when to try again.
func tells(t *testing.T, api API) {
	t.Run("in an error's head", func(t *testing.T) {
		st, err := api.New(Config{HTTP: Reply(429, "", strings.NewReader("slow down"), "Retry-After", "7", api.IDHeader, "req_2")}).Stream(context.Background(), hello())
		e := new(providers.Error)
		if st != nil || !errors.As(err, &e) || e.Class != providers.RateLimited || e.RetryAfter != "7" || e.RequestID != "req_2" || e.Message != "slow down" || e.InStream {
			t.Errorf("%+v", err)
		}
	})
	t.Run("in a failure in the stream", func(t *testing.T) {
		st, err := api.New(Config{HTTP: Reply(200, EventStream, strings.NewReader(api.Failure("no")), api.IDHeader, "req_3")}).Stream(context.Background(), hello())
		if err != nil {
			t.Fatal(err)
		}
		if ev, err := st.Next(); err != nil || ev.Err.RequestID != "req_3" {
			t.Error(Show(ev), err)
		}
	})
}

func bounds(t *testing.T, api API) {
	t.Run("an answer is not read for ever", func(t *testing.T) {
		c := api.New(Config{HTTP: Reply(200, "", io.MultiReader(strings.NewReader("{"), Endless{})), MostWhole: 10000})
		st, err := c.Stream(context.Background(), hello())
		if err != nil {
			t.Fatal(err)
		}
		Equal(t, Drain(st), []string{"error protocol: the answer is longer than 10000 bytes"})
	})
	t.Run("an error's body is not read for ever", func(t *testing.T) {
		Equal(t, api.ask(Reply(500, "", Endless{}), hello()), []string{"refused server 500: " + strings.Repeat("x", ask.MostMessage) + "..."})
	})
	t.Run("an error's body that breaks off", func(t *testing.T) {
		body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF))
		Equal(t, api.ask(Reply(500, "", body), hello()), []string{"refused server 500: half"})
	})
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
