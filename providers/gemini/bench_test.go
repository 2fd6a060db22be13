package gemini

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

// longStream is one answer of n chunks, as the API writes them: a few words each,
// with the usage so far and the same names around them.
func longStream(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := range n {
		text := fmt.Sprintf("chunk %d of some text that goes on for a while", i)
		if r.IntN(5) == 0 {
			text += `\n\"q\"`
		}
		if r.IntN(20) == 0 {
			text += ` é世`
		}
		finish := ""
		if i == n-1 {
			finish = `"finishReason": "STOP",`
		}
		fmt.Fprintf(&b, `data: {"candidates": [{"content": {"parts": [{"text": "%s"}],"role": "model"},%s"index": 0}],"usageMetadata": {"promptTokenCount": 157,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 157}],"thoughtsTokenCount": 438},"modelVersion": "gemini-3-pro-preview","responseId": "UwCzaaGdI_aEz7IPqoinwQM"}`+"\r\n\r\n",
			text, finish, 10*i, 157+438+10*i)
	}
	return b.Bytes()
}

// BenchmarkDecode sets the decoder beside what it is built on, over the same
// bytes, and counts allocations for an event (at most 0.01). text keeps what a loop
// keeps; array is the same stream without alt=sse.
func BenchmarkDecode(b *testing.B) {
	const chunks = 20_000
	src := longStream(chunks)
	list := append(append([]byte("["), bytes.TrimSuffix(bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("data: "), nil), []byte("\r\n\r\n"), []byte("\r\n,\r\n")), []byte(",\r\n"))...), ']')
	run := func(name string, src []byte, pass func(r io.Reader) (int, error)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			events := 0
			allocs := testing.AllocsPerRun(1, func() { events, _ = pass(bytes.NewReader(src)) })
			for b.Loop() {
				if _, err := pass(bytes.NewReader(src)); err != io.EOF {
					b.Fatal(err)
				}
			}
			b.ReportMetric(allocs/float64(events), "allocs/event")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
		})
	}
	run("lines", src, func(r io.Reader) (n int, err error) {
		for l := sse.NewLines(r, 0); err == nil; n++ {
			_, err = l.Next()
		}
		return n, err
	})
	events := func(r io.Reader) (n int, err error) {
		for d := NewDecoder(r); err == nil; n++ {
			_, err = d.Next()
		}
		return n, err
	}
	run("events", src, events)
	run("array", list, events)
	run("text", src, func(r io.Reader) (n int, err error) {
		var text strings.Builder
		for d := NewDecoder(r); err == nil; n++ {
			var ev providers.Event
			if ev, err = d.Next(); ev.Kind == providers.TextDelta {
				text.WriteString(ev.Text)
			}
		}
		return n, err
	})
}

// longSession is a request of n messages: calls and their results.
func longSession(n int) *providers.Request {
	req := &providers.Request{MaxTokens: 1, System: "s"}
	for i := range n / 2 {
		id := fmt.Sprint("call_", i)
		req.Messages = append(req.Messages,
			assistant(said("I will read the file."), signed(called(id, "read_file", `{"path":"a/b/c.go","limit":100}`), strings.Repeat("Ep+/", 100))),
			user(answered(id, strings.Repeat("func main() {\n\tfmt.Println(\"é\")\n}\n", 20))))
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
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				e.kept.Keep(n - 2)
				dst = e.Encode(dst[:0], req)
			}
		})
	}
}
