package anthropic

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/sse"
)

// longStream is one answer of n deltas, as a model writes them: a few
// characters each, some escapes, some text that is not ASCII, padding.
func longStream(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(frame(msgStart, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`))
	for i := range n {
		text := fmt.Sprintf("chunk %d of some text", i)
		if r.IntN(5) == 0 {
			text += `\n\"q\"`
		}
		if r.IntN(20) == 0 {
			text += ` é世`
		}
		pad := strings.Repeat(" ", max(0, r.IntN(20)-9))
		kind := `{"type":"text_delta","text":"` + text + `"}`
		if i > n/2 {
			kind = `{"type":"input_json_delta","partial_json":"` + text + `"}`
		}
		fmt.Fprintf(&b, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":%s%s}\n\n", kind, pad)
	}
	b.WriteString(frame(`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":15}}`, msgStop))
	return b.Bytes()
}

// BenchmarkDecode sets the decoder beside what it is built on, over the same
// bytes: MB/s of events against MB/s of lines is the ratio that matters (at
// least 0.3), allocs/event the other (below 0.01). strict is the decoder
// without its fast path; text keeps what a loop keeps.
func BenchmarkDecode(b *testing.B) {
	const events = 100_000
	src := longStream(events)
	run := func(name string, pass func(r io.Reader) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			allocs := testing.AllocsPerRun(1, func() { pass(bytes.NewReader(src)) })
			for b.Loop() {
				if err := pass(bytes.NewReader(src)); err != io.EOF {
					b.Fatal(err)
				}
			}
			b.ReportMetric(allocs/events, "allocs/event")
		})
	}
	run("lines", func(r io.Reader) (err error) {
		for l := sse.NewLines(r, 0); err == nil; {
			_, err = l.Next()
		}
		return err
	})
	run("sse", func(r io.Reader) (err error) {
		for s := sse.NewReader(r, 0); err == nil; {
			_, err = s.Next()
		}
		return err
	})
	run("events", func(r io.Reader) (err error) {
		for d := NewDecoder(r); err == nil; {
			_, err = d.Next()
		}
		return err
	})
	run("text", func(r io.Reader) (err error) {
		var text strings.Builder
		for d := NewDecoder(r); err == nil; {
			var ev providers.Event
			ev, err = d.Next()
			if ev.Kind == providers.TextDelta || ev.Kind == providers.InputDelta {
				text.WriteString(ev.Text)
			}
		}
		return err
	})
	run("strict", func(r io.Reader) (err error) {
		var c codec
		for s := sse.NewReader(r, 0); err == nil; {
			var ev sse.Event
			if ev, err = s.Next(); err == nil {
				c.out = c.out[:0]
				err = c.event(ev.Name, ev.Data)
			}
		}
		return err
	})
}

// BenchmarkAccumulate keeps an answer's text: ns/delta must not grow with the
// number of deltas.
func BenchmarkAccumulate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		src := longStream(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				d := NewDecoder(bytes.NewReader(src))
				var text []byte
				for {
					ev, err := d.Next()
					if err != nil {
						break
					}
					text = append(text, ev.Text...)
				}
				if len(text) < n*10 {
					b.Fatal(len(text))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/delta")
		})
	}
}

// longSession is a request of n messages: calls and their results.
func longSession(n int) *providers.Request {
	req := &providers.Request{Model: "m", MaxTokens: 1, System: "s"}
	for i := range n / 2 {
		id := fmt.Sprint("toolu_", i)
		req.Messages = append(req.Messages,
			assistant(providers.Block{Kind: providers.Text, Text: "I will read the file."}, providers.Block{Kind: providers.ToolCall, ID: id, Name: "read_file", Input: `{"path":"a/b/c.go","limit":100}`}),
			user(providers.Block{Kind: providers.ToolResult, ID: id, Text: strings.Repeat("func main() {\n\tfmt.Println(\"é\")\n}\n", 20)}))
	}
	return req
}

// BenchmarkEncode is the request of a long session, afresh and with an Encoder
// that knows all but two of its messages; copy is the least it can cost.
func BenchmarkEncode(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		req := longSession(n)
		body := EncodeRequest(nil, req)
		dst := make([]byte, 0, len(body)+1)
		b.Run(fmt.Sprint("copy/", n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				dst = append(dst[:0], body...)
			}
		})
		b.Run(fmt.Sprint("afresh/", n), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				dst = EncodeRequest(dst[:0], req)
			}
		})
		b.Run(fmt.Sprint("known/", n), func(b *testing.B) {
			var e Encoder
			before := *req
			before.Messages = req.Messages[:n-2]
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				e.kept.Keep(n - 2)
				dst = e.Encode(dst[:0], req)
			}
		})
	}
}
