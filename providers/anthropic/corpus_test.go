package anthropic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"gopkg.in/yaml.v3"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// recording is one request and its answer; Request is "" where the format
// keeps none.
type recording struct {
	Request string
	Status  int
	Body    string
}

// readers of the formats that this package can check itself by. Importing is
// another package's work; this is only as much as reading them takes.
var readers = map[string]func([]byte) ([]recording, error){
	"go-vcr-v2":   readVCR,
	"raw-sse":     func(b []byte) ([]recording, error) { return []recording{{Status: 200, Body: string(b)}}, nil },
	"chunks.txt":  readChunks,
	"vercel-json": func(b []byte) ([]recording, error) { return []recording{{Status: 200, Body: string(b)}}, nil },
	"pi-vcr-json": readPi,
}

func readVCR(src []byte) (out []recording, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	for _, in := range field(doc.Content[0], "interactions").Content {
		status, _ := strconv.Atoi(scalar(field(in, "response", "code")))
		out = append(out, recording{scalar(field(in, "request", "body")), status, scalar(field(in, "response", "body"))})
	}
	return out, nil
}

func field(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		var found *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				found = n.Content[i+1]
			}
		}
		n = found
	}
	return n
}

func scalar(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	var s string
	if n.Decode(&s) != nil { // also undoes !!binary
		return n.Value
	}
	return s
}

// readChunks frames a file of one JSON event per line.
func readChunks(src []byte) ([]recording, error) {
	var b strings.Builder
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fmt.Fprintf(&b, "data: %s\n\n", line)
		}
	}
	return []recording{{Status: 200, Body: b.String()}}, nil
}

func readPi(src []byte) (out []recording, err error) {
	var f struct {
		Interactions []struct {
			Request  struct{ Body json.RawMessage }
			Response struct {
				Status int
				Chunks []string `json:"body_chunks"`
			}
		}
	}
	err = json.Unmarshal(src, &f)
	for _, in := range f.Interactions {
		out = append(out, recording{string(in.Request.Body), in.Response.Status, strings.Join(in.Response.Chunks, "")})
	}
	return out, err
}

// notAnswers are files of the index that hold no answer of the Messages API.
var notAnswers = map[string]string{
	"vercel__ai/packages/anthropic/src/skills/__fixtures__/anthropic-skill-version-create.json": "an answer of the Skills API",
}

// TestCorpus decodes every real recording of this API in a format that can be
// read here, and holds the codec against what only real conversations can tell:
// the calls that request n+1 echoes are those decoded from reply n, and every
// request that was really sent survives decoding and encoding.
func TestCorpus(t *testing.T) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS names no folder of recordings")
	}
	index, err := os.ReadFile(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]int{}
	var links, pairs, streams, messages, requests, errors, events, fast, excepted int
	rows := bufio.NewScanner(bytes.NewReader(index))
	for rows.Scan() {
		col := strings.Split(rows.Text(), "\t")
		path, format, api := col[0], col[3], col[4]
		read := readers[format]
		if read == nil || !strings.Contains(api, "anthropic") {
			continue
		}
		if why := notAnswers[path]; why != "" {
			excepted++
			t.Logf("left out: %s: %s", path, why)
			continue
		}
		files[format]++
		want, _ := strconv.Atoi(col[10])
		links += want
		t.Run(path, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			recs, err := read(src)
			if err != nil || len(recs) == 0 {
				t.Fatalf("%d interactions, %v", len(recs), err)
			}
			found := 0
			var last []providers.Block
			for i, rec := range recs {
				if rec.Request != "" {
					requests++
					req := checkRequest(t, rec.Request)
					if echoed := lastCalls(req); i > 0 && len(last) > 0 && len(echoed) > 0 && echoed[0].ID == last[0].ID {
						found++
						sameCalls(t, i, last, echoed)
					}
				}
				if rec.Status/100 != 2 {
					errors++
					if e := Classify(rec.Status, http.Header{}, []byte(rec.Body)); e.Class == providers.Unknown || e.Message == "" {
						t.Errorf("interaction %d: %+v", i, e)
					}
					last = nil
					continue
				}
				evs := decodeReply(t, i, rec.Body)
				events += len(evs)
				if strings.HasPrefix(strings.TrimSpace(rec.Body), "{") {
					messages++
				} else {
					streams++
					fast += checkStream(t, rec.Body)
				}
				last = calls(t, evs)
			}
			if found != want {
				t.Errorf("%d pairs of reply and request are linked by calls; the index says %d", found, want)
			}
			pairs += found
		})
	}
	t.Logf("%v files, %d left out: %d streams (%d events, %d of them the fast way), %d messages, %d errors, %d requests; the oracle holds for %d of %d pairs",
		files, excepted, streams, events, fast, messages, errors, requests, pairs, links)
	if pairs == 0 || streams == 0 || pairs != links {
		t.Errorf("%d streams and %d of %d pairs were checked", streams, pairs, links)
	}
}

func decodeReply(t *testing.T, i int, body string) (out []providers.Event) {
	st, err := New(Config{HTTP: asktest.Reply(200, "", strings.NewReader(body))}).Stream(t.Context(), hello)
	if err != nil {
		t.Fatalf("interaction %d: %v", i, err)
	}
	defer st.Close()
	for {
		ev, err := st.Next()
		if err != nil {
			if err.Error() != "EOF" {
				t.Fatalf("interaction %d: %v", i, err)
			}
			if n := len(out); n < 2 || out[0].Kind != providers.MessageStart || out[n-1].Kind != providers.MessageStop {
				t.Errorf("interaction %d: the answer has no beginning or no end", i)
			}
			return out
		}
		out = append(out, ev)
	}
}

// checkStream holds the two paths against each other on every event, and the
// stream against itself in other pieces and with other line ends.
func checkStream(t *testing.T, body string) (fast int) {
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data: "); ok && agree(t, nil, []byte(data)) {
			fast++
		}
	}
	want := asktest.Drain(NewDecoder(strings.NewReader(body)))
	for name, r := range map[string]string{"CRLF": "\r\n", "CR": "\r"} {
		if got := asktest.Drain(NewDecoder(strings.NewReader(strings.ReplaceAll(body, "\n", r)))); !slices.Equal(got, want) {
			t.Errorf("with %s line ends the stream says something else", name)
		}
	}
	if got := asktest.Drain(NewDecoder(iotest.OneByteReader(strings.NewReader(body)))); !slices.Equal(got, want) {
		t.Error("byte by byte the stream says something else")
	}
	return fast
}

// calls joins the input of every call that closed. No byte of input means {}.
func calls(t *testing.T, evs []providers.Event) (out []providers.Block) {
	open := map[int]*providers.Block{}
	for _, ev := range evs {
		switch ev.Kind {
		case providers.BlockStart:
			if ev.Block.Kind == providers.ToolCall {
				b := *ev.Block
				open[ev.Index] = &b
			}
		case providers.InputDelta:
			if b := open[ev.Index]; b != nil {
				b.Input += ev.Text
			}
		case providers.BlockStop:
			if b := open[ev.Index]; b != nil {
				if b.Input == "" {
					b.Input = "{}"
				}
				if !strict.IsObject([]byte(b.Input)) {
					t.Errorf("the input of call %s is no object: %s", b.ID, b.Input)
				}
				out = append(out, *b)
				delete(open, ev.Index)
			}
		}
	}
	return out
}

func lastCalls(req *providers.Request) (out []providers.Block) {
	for _, m := range slices.Backward(req.Messages) {
		if m.Role != providers.Assistant {
			continue
		}
		for _, b := range m.Blocks {
			if b.Kind == providers.ToolCall {
				out = append(out, b)
			}
		}
		return out
	}
	return nil
}

func sameCalls(t *testing.T, i int, decoded, echoed []providers.Block) {
	if len(decoded) != len(echoed) {
		t.Errorf("request %d echoes %d calls; reply %d had %d", i, len(echoed), i-1, len(decoded))
		return
	}
	for k, d := range decoded {
		if e := echoed[k]; d.ID != e.ID || d.Name != e.Name || !sameJSON(d.Input, e.Input) {
			t.Errorf("call %d of reply %d is %s %s %s; request %d echoes %s %s %s", k, i-1, d.ID, d.Name, d.Input, i, e.ID, e.Name, e.Input)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// checkRequest decodes a request that was really sent and compares its messages
// with what EncodeRequest makes of them: equal as JSON, but that text alone
// goes as a block of text.
func checkRequest(t *testing.T, body string) *providers.Request {
	req, err := DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	type messages struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	var in, out messages
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(EncodeRequest(nil, req), &out); err != nil {
		t.Fatal(err)
	}
	for i, m := range in.Messages {
		if s, ok := m.Content.(string); ok {
			in.Messages[i].Content = []any{map[string]any{"type": "text", "text": s}}
		}
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("the request changed:\n in  %v\n out %v", in, out)
	}
	return req
}
