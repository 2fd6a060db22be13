package fake

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers"
)

// chunks is the length of the benchmarked answer: 1000 deltas and what
// surrounds them.
const chunks = 1005

func benchPlan(b *testing.B) *Plan {
	return planOf(b, true, `text `+strings.Repeat(`"chunk of a text" `, 1000))
}

// readAll reads an answer and returns the number of its pieces.
func readAll(b *testing.B, c *http.Client, url string, buf []byte) int {
	resp, err := c.Post(url+"/v1/messages", "application/json", strings.NewReader(`{"x":1}`))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	for n := 0; ; {
		k, err := resp.Body.Read(buf)
		if k > 0 {
			n++
		}
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchRead(b *testing.B, c *http.Client, url string, exact bool) {
	buf := make([]byte, 32<<10)
	for b.Loop() {
		if n := readAll(b, c, url, buf); exact && n != chunks {
			b.Fatalf("%d pieces", n)
		}
	}
	b.ReportMetric(chunks*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
}

// fresh is a wire that does not keep what it served: a benchmark serves
// gigabytes.
func fresh(p *Plan) *Wire {
	var w *Wire
	w = NewWire(func(*evidence.Exchange) *Plan {
		w.log = w.log[:0]
		return p
	}, Options{})
	return w
}

// bare is the handler that anybody would write: the pieces, flushed.
func bare(p *Plan) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		out := http.NewResponseController(w)
		for _, s := range p.Steps {
			if len(s.Data) > 0 {
				if _, err := w.Write(s.Data); err != nil || out.Flush() != nil {
					return
				}
			}
		}
	})
}

func BenchmarkMemory(b *testing.B) { benchRead(b, inMemory(fresh(benchPlan(b))), "http://fake", true) }

func BenchmarkHandler(b *testing.B) {
	srv := httptest.NewServer(fresh(benchPlan(b)).Handler())
	defer srv.Close()
	benchRead(b, srv.Client(), srv.URL, false)
}

func BenchmarkBareHandler(b *testing.B) {
	srv := httptest.NewServer(bare(benchPlan(b)))
	defer srv.Close()
	benchRead(b, srv.Client(), srv.URL, false)
}

// cpu is the processor time this process has used. Unlike the clock on the
// wall it does not count what the neighbours do.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRatio brings the same answer to a client in three ways, in turn, and
// reports how many times cheaper than a bare handler the other two are: handler
// (target 0.9) and memory (target 100).
func BenchmarkRatio(b *testing.B) {
	p := benchPlan(b)
	ours := httptest.NewServer(fresh(p).Handler())
	defer ours.Close()
	plain := httptest.NewServer(bare(p))
	defer plain.Close()
	ways := []struct {
		name   string
		client *http.Client
		url    string
		times  int
		used   time.Duration
	}{{"bare", plain.Client(), plain.URL, 1, 0}, {"handler", ours.Client(), ours.URL, 1, 0}, {"memory", inMemory(fresh(p)), "http://fake", 50, 0}}
	buf := make([]byte, 32<<10)
	for b.Loop() {
		for i := range ways {
			w := &ways[i]
			begin := cpu()
			for range w.times {
				readAll(b, w.client, w.url, buf)
			}
			w.used += (cpu() - begin) / time.Duration(w.times)
		}
	}
	for i, w := range ways {
		b.ReportMetric(float64(w.used.Nanoseconds())/float64(b.N)/chunks, w.name+"-cpu-ns/chunk")
		if i == 0 {
			continue
		}
		b.ReportMetric(float64(ways[0].used)/float64(w.used), w.name+"/bare")
	}
}

// BenchmarkTurn is what one request of a typical loop costs the fake: check,
// place, render and deliver an answer of 25 events.
func BenchmarkTurn(b *testing.B) {
	s := mustParse(b, "reply times=10000\n    text "+strings.Repeat(`"some words " `, 10)+"\n    call t${n} append {\"file\":\"notes.txt\",\"line\":\"hello\"}\n")
	request := `{"model":"m","max_tokens":10,"stream":true,"messages":[` + hi + `]}`
	srv := NewServer(s, Options{})
	c := inMemory(srv.Wire)
	buf := make([]byte, 32<<10)
	n := 0
	begin := cpu()
	for b.Loop() {
		if n++; n == 10000 {
			srv = NewServer(s, Options{})
			c, n = inMemory(srv.Wire), 1
		}
		resp, err := c.Post("http://fake/v1/messages", "application/json", strings.NewReader(request))
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		resp.Body.Close()
	}
	b.ReportMetric(float64((cpu()-begin).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// BenchmarkParse reads a script of 40 lines.
func BenchmarkParse(b *testing.B) {
	var src strings.Builder
	for i := range 10 {
		fmt.Fprintf(&src, "reply\n    expect results == t%d\n    text \"some words\"\n    call t%d append {\"file\":\"notes.txt\"}\n", i, i+1)
	}
	in := []byte(src.String())
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := Parse("f", in, ParseOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck checks a conversation of 200 messages.
func BenchmarkCheck(b *testing.B) {
	var m []string
	for i := range 100 {
		id := fmt.Sprintf("t%d", i)
		m = append(m, user(text("go on")), strings.ReplaceAll(asks, "t1", id), user(strings.ReplaceAll(result, "t1", id)), says)
	}
	in := []byte(body(strings.Join(m, ",")))
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if r := CheckMessages(in); r != nil {
			b.Fatal(r)
		}
	}
}

// BenchmarkCheckRequest checks a conversation of 200 messages in each protocol.
func BenchmarkCheckRequest(b *testing.B) {
	req := ordinary(true)
	for i := range 100 {
		id := fmt.Sprintf("t%d", i)
		req.Messages = append(req.Messages,
			providers.Message{Role: providers.Assistant, Blocks: []providers.Block{{Kind: providers.ToolCall, ID: id, Name: "f", Input: `{"file":"notes.txt"}`}}},
			providers.Message{Role: providers.User, Blocks: []providers.Block{{Kind: providers.ToolResult, ID: id, Text: "it is there"}}})
	}
	for protocol, in := range bodiesOf(req) {
		b.Run(protocol, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if r := CheckRequest(protocol, in); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkAnswer renders an answer of 25 events in each protocol.
func BenchmarkAnswer(b *testing.B) {
	r := mustParse(b, "reply\n    text "+strings.Repeat(`"some words " `, 10)+"\n    call t1 append {\"file\":\"notes.txt\",\"line\":\"hello\"}\n").Replies[0]
	for _, p := range protocols() {
		b.Run(p.name(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.plan(1, answering{protocol: p, stream: true, model: "m", n: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
