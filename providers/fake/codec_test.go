package fake_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/fake"
)

// The loop's machine can be handed in: its clock as it is, its notes one by
// one. Only this test knows of it; the package does not.
var (
	_ fake.Clock = env.Clock(nil)
	_ fake.Note  = env.Note(nil)
)

// fold reads an answer with the project's own codec.
func fold(t *testing.T, client *http.Client, url string, stream bool) string {
	t.Helper()
	c := anthropic.New(anthropic.Config{BaseURL: url, HTTP: client, BenchHeaders: true})
	st, err := c.Stream(t.Context(), &providers.Request{Model: "m", MaxTokens: 10, Stream: stream, Lane: providers.LaneMain,
		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "hi"}}}}})
	if err != nil {
		return describe(err)
	}
	defer st.Close()
	var out []string
	for {
		ev, err := st.Next()
		if err != nil {
			if err != io.EOF {
				out = append(out, describe(err))
			}
			return strings.Join(out, " ")
		}
		switch ev.Kind {
		case providers.BlockStart:
			out = append(out, fmt.Sprintf("[%s %s%s:%s%s", ev.Block.Kind, ev.Block.ID, ev.Block.Name, ev.Block.Text, ev.Block.Input))
		case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta:
			if ev.Text != "" && len(out) > 0 {
				out[len(out)-1] += ev.Text
			}
		case providers.BlockStop:
			out[len(out)-1] += "]"
		case providers.Stop:
			out = append(out, "stop="+ev.Text)
		case providers.MessageStop:
			out = append(out, "end")
		case providers.Failure:
			out = append(out, "failure "+describe(ev.Err))
		}
	}
}

// describe shows what a loop decides on: the class and the provider's words.
func describe(err error) string {
	var e *providers.Error
	if !errors.As(err, &e) {
		return "?" + err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d %s", e.Class, e.Status, e.Type))
}

// TestCodec decodes with package anthropic what this package renders: streamed
// in any pieces, over a socket, and as one message.
func TestCodec(t *testing.T) {
	for _, c := range []struct {
		lines   string
		stream  string
		message string // "" as the stream
	}{
		{`text "Hello." " More."`, "[text :Hello. More.] stop=end_turn end", ""},
		{"think \"hm\"\ntext \"a\"\ncall t1 append {\"file\":\"é\"}\ncall t2 f '{\"a\"' ':1}'", `[thinking :hm] [text :a] [call t1append:{"file":"é"}] [call t2f:{"a":1}] stop=tool_use end`, ""},
		{"stop tool_use\ncall t1 f {\"a\":1}", `stop=tool_use [call t1f:{"a":1}] end`, `[call t1f:{"a":1}] stop=tool_use end`},
		{"cut-call t1 f '{\"a'\nstop max_tokens", `[call t1f:{"a stop=max_tokens end`, "server 500 bench_unexpected_request"},
		{"text \"a\"\nerror overloaded_error \"Overloaded\"", "[text :a] failure overloaded 0 overloaded_error", "overloaded 529 overloaded_error"},
		{"server-call s1 web_search {\"q\":1}\nserver-result s1 []\nrefusal \"No.\"", `[server_call s1web_search:{"q":1}] [server_result s1:] [text :No.] stop=refusal end`, ""},
		{"text \"a\"\ncut", "[text :a] cut 0", "network 0"},
		{"text \"a\"\neof", "[text :a]", "-"},
		{"reset", "cut 0", "network 0"},
	} {
		render := func(more string) *fake.Server {
			s, err := fake.Parse("f", []byte("reply times=9\n    "+strings.ReplaceAll(c.lines, "\n", "\n    ")+more+"\n"), fake.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return fake.NewServer(s, fake.Options{})
		}
		srv := render("")
		memory := &http.Client{Transport: srv.Transport()}
		got := fold(t, memory, "http://fake", true)
		if !strings.HasPrefix(got, c.stream) && got != c.stream {
			t.Errorf("%s\n got %s\nwant %s", c.lines, got, c.stream)
		}
		loop := httptest.NewServer(srv.Handler())
		if socket := fold(t, loop.Client(), loop.URL, true); socket != got {
			t.Errorf("%s: over a socket\n got %s\nwant %s", c.lines, socket, got)
		}
		loop.Close()
		if !strings.Contains(c.lines, "cut\n") && !strings.HasSuffix(c.lines, "cut") && !strings.HasSuffix(c.lines, "reset") && !strings.HasSuffix(c.lines, "eof") {
			for _, chunk := range []string{"1", "7", "whole"} {
				other := &http.Client{Transport: render("\n    chunk " + chunk).Transport()}
				if pieces := fold(t, other, "http://fake", true); pieces != got {
					t.Errorf("%s: chunk %s\n got %s\nwant %s", c.lines, chunk, pieces, got)
				}
			}
		}
		want := c.message
		if want == "" {
			want = c.stream
		}
		if want == "-" {
			continue
		}
		if message := fold(t, memory, "http://fake", false); !strings.HasPrefix(message, want) {
			t.Errorf("%s: as one message\n got %s\nwant %s", c.lines, message, want)
		}
	}
}
