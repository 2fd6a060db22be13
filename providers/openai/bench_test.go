package openai

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
	"github.com/harnessbench/bench/providers/sse"
)

// longStream is one answer of n deltas, as a model writes them: a few characters
// each, some escapes, some text that is not ASCII, padding of all lengths.
func longStream(api API, n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	if api == Responses {
		b.WriteString(events(created, added(0, emptyMessage), part("added", 0, ""), added(1, fnCall("a", "", "in_progress"))))
	} else {
		b.WriteString(chunks(d(`"role":"assistant","content":""`)))
	}
	for i := range n {
		text := fmt.Sprintf("chunk %d of some text", i)
		if r.IntN(5) == 0 {
			text += "\n\"q\""
		}
		if r.IntN(20) == 0 {
			text += " é世"
		}
		pad := strings.Repeat("x", r.IntN(15)+1)
		s := strict.AppendString(nil, text)
		switch {
		case api == Responses && i <= n/2:
			fmt.Fprintf(&b, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":%s,\"logprobs\":[],\"obfuscation\":\"%s\"}\n\n", i, s, pad)
		case api == Responses:
			fmt.Fprintf(&b, "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":%d,\"item_id\":\"fc_1\",\"output_index\":1,\"delta\":%s,\"obfuscation\":\"%s\"}\n\n", i, s, pad)
		default:
			delta := fmt.Sprintf(`{"content":%s}`, s)
			if i == n/2 {
				delta = `{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"x","arguments":""}}]}`
			} else if i > n/2 {
				delta = fmt.Sprintf(`{"tool_calls":[{"index":0,"function":{"arguments":%s}}]}`, s)
			}
			fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"service_tier\":\"default\",\"system_fingerprint\":\"fp\",\"choices\":[{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":null}],\"usage\":null,\"obfuscation\":\"%s\"}\n\n", delta, pad)
		}
	}
	if api == Responses {
		b.WriteString(events(terminal("completed")))
	} else {
		b.WriteString(chunks(fin("tool_calls"), usage) + done)
	}
	return b.Bytes()
}

// BenchmarkDecode sets the decoder beside what it is built on, over the same
// bytes: MB/s of events against MB/s of lines is the ratio that matters (at
// least 0.3), allocs/event the other (below 0.01). strict is the decoder without
// its templates.
func BenchmarkDecode(b *testing.B) {
	const events = 100_000
	for _, api := range []API{Chat, Responses} {
		src := longStream(api, events)
		run := func(name string, pass func(r io.Reader) error) {
			b.Run(fmt.Sprint(api, "/", name), func(b *testing.B) {
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
		run("events", func(r io.Reader) (err error) {
			for d := api.NewDecoder(r); err == nil; {
				_, err = d.Next()
			}
			return err
		})
		run("strict", func(r io.Reader) (err error) {
			for d := api.NewDecoder(r); err == nil; {
				d.plate.known = false
				_, err = d.Next()
			}
			return err
		})
	}
}

// BenchmarkRatio decodes a stream and splits it into lines, in turn, and reports
// how fast the decoder is in terms of the splitter, by processor time, and its
// allocations for an event.
func BenchmarkRatio(b *testing.B) {
	const events = 20_000
	cpu := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, api := range []API{Chat, Responses} {
		b.Run(api.String(), func(b *testing.B) {
			src := longStream(api, events)
			decode := func() {
				for d := api.NewDecoder(bytes.NewReader(src)); ; {
					if _, err := d.Next(); err == io.EOF {
						return
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			split := func() {
				for l := sse.NewLines(bytes.NewReader(src), 0); ; {
					if _, err := l.Next(); err == io.EOF {
						return
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			allocs := testing.AllocsPerRun(1, decode) / events
			var used [2]time.Duration
			for b.Loop() {
				for i, f := range []func(){decode, split} {
					begin := cpu()
					for range 10 {
						f()
					}
					used[i] += cpu() - begin
				}
			}
			b.ReportMetric(float64(used[0].Nanoseconds())/float64(b.N)/10/events, "cpu-ns/event")
			b.ReportMetric(float64(used[1])/float64(used[0]), "x-lines")
			b.ReportMetric(allocs, "allocs/event")
		})
	}
}

// BenchmarkAccumulate keeps an answer's text: ns/delta must not grow with the
// number of deltas.
func BenchmarkAccumulate(b *testing.B) {
	for _, api := range []API{Chat, Responses} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			src := longStream(api, n)
			b.Run(fmt.Sprint(api, "/", n), func(b *testing.B) {
				for b.Loop() {
					d := api.NewDecoder(bytes.NewReader(src))
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
}

// longSession is a request of n messages: calls and their results.
func longSession(n int) *providers.Request {
	req := &providers.Request{Model: "m", MaxTokens: 1, System: "s"}
	for i := range n / 2 {
		id := fmt.Sprint("call_", i)
		req.Messages = append(req.Messages,
			assistant(providers.Block{Kind: providers.Text, Text: "I will read the file."}, providers.Block{Kind: providers.ToolCall, ID: id, Name: "read_file", Input: `{"path":"a/b/c.go","limit":100}`}),
			user(providers.Block{Kind: providers.ToolResult, ID: id, Text: strings.Repeat("func main() {\n\tfmt.Println(\"é\")\n}\n", 20)}))
	}
	return req
}

// BenchmarkEncode is the request of a long session, afresh and with an Encoder
// that knows all but two of its messages; copy is the least it can cost.
func BenchmarkEncode(b *testing.B) {
	for _, api := range []API{Chat, Responses} {
		for _, n := range []int{100, 1_000, 10_000} {
			req := longSession(n)
			body := api.EncodeRequest(nil, req)
			dst := make([]byte, 0, len(body)+1)
			run := func(name string, pass func()) {
				b.Run(fmt.Sprint(api, "/", name, "/", n), func(b *testing.B) {
					b.SetBytes(int64(len(body)))
					for b.Loop() {
						pass()
					}
				})
			}
			e := Encoder{API: api}
			run("copy", func() { dst = append(dst[:0], body...) })
			run("afresh", func() { dst = api.EncodeRequest(dst[:0], req) })
			run("known", func() {
				e.kept.Keep(n - 2)
				dst = e.Encode(dst[:0], req)
			})
		}
	}
}
