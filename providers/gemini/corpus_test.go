package gemini

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask/asktest"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// otherLinks are recordings that hold another number of links than the index says,
// and the reason.
var otherLinks = map[string]struct {
	links int
	why   string
}{
	"pydantic__pydantic-ai/tests/cassettes/test_tool_search/test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": {2, "its third request with results goes to the Messages API"},
	"pydantic__pydantic-ai/tests/models/cassettes/test_openai/test_multiple_agent_tool_calls.yaml":                                                                 {1, "its second request with results goes to Chat"},
}

// otherTotals are recordings whose totalTokenCount is not the sum of what it
// totals.
var otherTotals = map[string]string{
	"google-gemini__gemini-cli/perf-tests/perf.asian-language.responses": "its total counts thoughts that it does not list",
}

// TestCorpus decodes every real recording of this API in a format that can be
// read here, and holds the codec against what only real conversations can tell:
// the calls that request n+1 echoes are those decoded from reply n, with their
// signatures; the tokens that are told add up to the server's own total; and every
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
	var n count
	files, links := map[string]int{}, 0
	rows := bufio.NewScanner(bytes.NewReader(index))
	for rows.Scan() {
		col := strings.Split(rows.Text(), "\t")
		path, format, api := col[0], col[3], col[4]
		read := readers[format]
		if read == nil || !strings.Contains(api, "gemini") {
			continue
		}
		files[format]++
		t.Run(path, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Fatal(err)
			}
			recs, err := read(src)
			if err != nil || len(recs) == 0 {
				t.Fatalf("%d interactions, %v", len(recs), err)
			}
			c := conversation{t: t, path: path, count: &n}
			for i, rec := range recs {
				c.add(i, rec)
			}
			want, _ := strconv.Atoi(col[10])
			if other, ok := otherLinks[path]; ok {
				t.Logf("%d of %d links: %s", other.links, want, other.why)
				want = other.links
			}
			if c.links != want {
				t.Errorf("%d of the requests carry results of an earlier reply; the index says %d", c.links, want)
			}
			links += want
		})
	}
	t.Logf("%v files: %+v; %d pairs are linked by calls", files, n, links)
	if n.pairs != links || n.pairs < 53 || n.streams < 47 || n.arrays < 18 || n.messages < 95 || n.signatures < 45 || n.totals < 150 {
		t.Errorf("%d of %d pairs were checked; %+v", n.pairs, links, n)
	}
}

type count struct {
	streams, arrays, messages, errors, requests, others, events, fast, calls, pairs, signatures, totals int
}

// conversation is what is known of a recording so far.
type conversation struct {
	t    *testing.T
	path string
	*count
	turns []turn
	links int
}

// turn is a request, and what was decoded from its reply.
type turn struct {
	contents []any
	calls    []providers.Block
}

func (c *conversation) add(i int, rec recording) {
	t := c.t
	if m, ok := ReadPath(rec.URL); rec.URL != "" && (!ok || m.Model == "") {
		c.others++ // another API's, or a token's
		return
	}
	var now turn
	if rec.Request != "" {
		c.requests++
		req := checkRequest(t, rec.Request)
		now.contents = contentsOf(t, rec.Request)
		c.link(i, now.contents, req)
	}
	if rec.Status/100 != 2 {
		c.errors++
		if e := Classify(rec.Status, http.Header{}, []byte(rec.Body)); e.Class == providers.Unknown || e.Message == "" {
			t.Errorf("interaction %d: %+v", i, e)
		}
		return
	}
	evs := decodeReply(t, i, rec.Body)
	c.events += len(evs)
	if wrong := orderly(evs); wrong != "" {
		t.Errorf("interaction %d: %s", i, wrong)
	}
	c.checkTotal(i, rec.Body, evs)
	switch strings.TrimSpace(rec.Body)[0] {
	case '{':
		c.messages++
	case '[':
		c.arrays++
		c.fast += checkStream(t, rec.Body, "")
	default:
		c.streams++
		c.fast += checkStream(t, rec.Body, "\r\n")
	}
	now.calls = callsOf(t, evs)
	c.calls += len(now.calls)
	c.turns = append(c.turns, now)
}

// link finds the turn that a request goes on with: the one whose request it
// repeats in front of its last answer. Its calls must be those of the reply.
func (c *conversation) link(i int, contents []any, req *providers.Request) {
	last := len(req.Messages) - 1
	for ; last >= 0 && req.Messages[last].Role != providers.Assistant; last-- {
	}
	if last < 0 {
		return
	}
	var echoed []providers.Block
	for _, b := range req.Messages[last].Blocks {
		if b.Kind == providers.ToolCall {
			echoed = append(echoed, b)
		}
	}
	for _, before := range slices.Backward(c.turns) {
		if len(before.calls) == 0 || !reflect.DeepEqual(before.contents, contents[:last]) {
			continue
		}
		c.links++
		if len(before.calls) != len(echoed) {
			c.t.Errorf("request %d echoes %d calls; its reply had %d", i, len(echoed), len(before.calls))
			return
		}
		for k, d := range before.calls {
			e := echoed[k]
			if d.Name != e.Name || !sameJSON(d.Input, e.Input) || d.ID != "" && d.ID != e.ID && !IsMade(e.ID) {
				c.t.Errorf("call %d of the reply is %s %s %s; request %d echoes %s %s %s", k, d.ID, d.Name, d.Input, i, e.ID, e.Name, e.Input)
				return
			}
			if d.Signature == "" && e.Signature == "" {
				continue
			}
			if sameBytes(d.Signature, e.Signature) {
				c.signatures++
			} else {
				c.t.Errorf("call %d of the reply is signed %.20q; request %d echoes %.20q", k, d.Signature, i, e.Signature)
			}
		}
		c.pairs++
		return
	}
}

// sameBytes compares two signatures: some clients spell base64 in the alphabet of
// URLs.
func sameBytes(a, b string) bool {
	decode := func(s string) []byte {
		out, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "="))
		if err != nil {
			return nil
		}
		return out
	}
	x := decode(a)
	return x != nil && bytes.Equal(x, decode(b))
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// checkTotal compares the tokens told last with the server's own sum of them.
func (c *conversation) checkTotal(i int, body string, evs []providers.Event) {
	at := strings.LastIndex(body, `"totalTokenCount"`)
	var last *providers.Usage
	for _, ev := range evs {
		if ev.Usage != nil {
			last = ev.Usage
		}
	}
	if at < 0 || last == nil {
		return
	}
	digits := strings.TrimLeft(body[at+len(`"totalTokenCount"`):], ": \n")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if total, err := strconv.Atoi(digits[:end]); err == nil && last.Total() == total {
		c.totals++
	} else if otherTotals[c.path] == "" {
		c.t.Errorf("interaction %d: %+v are %d tokens; the server says %d", i, *last, last.Total(), total)
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
			if n := len(out); n < 3 || out[0].Kind != providers.MessageStart || out[n-2].Kind != providers.Stop || out[n-1].Kind != providers.MessageStop {
				t.Errorf("interaction %d: the answer has no beginning, no reason or no end: %v", i, shown(out))
			}
			return out
		}
		out = append(out, ev)
	}
}

// checkStream holds the fast way against the strict one, a stream against itself
// in other pieces and with other line ends, and against the JSON array that says
// the same.
func checkStream(t *testing.T, body, lineEnd string) (fast int) {
	want := asktest.Drain(NewDecoder(strings.NewReader(body)))
	if got := asktest.Drain(NewDecoder(iotest.OneByteReader(strings.NewReader(body)))); !slices.Equal(got, want) {
		t.Error("byte by byte the stream says something else")
	}
	slow, fast := drainStrict(body)
	if !slices.Equal(slow, want) {
		t.Error("the strict way the stream says something else")
	}
	if lineEnd == "" {
		return fast
	}
	for name, r := range map[string]string{"LF": "\n", "CR": "\r"} {
		if got := asktest.Drain(NewDecoder(strings.NewReader(strings.ReplaceAll(body, lineEnd, r)))); !slices.Equal(got, want) {
			t.Errorf("with %s line ends the stream says something else", name)
		}
	}
	var list []string
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, strings.TrimRight(data, "\r\n"))
		}
	}
	if got := asktest.Drain(NewDecoder(strings.NewReader("[" + join(list) + "]"))); !slices.Equal(got, want) {
		t.Error("as an array the stream says something else")
	}
	return fast
}

// callsOf joins the input of every call that closed. No byte of input means {}.
func callsOf(t *testing.T, evs []providers.Event) (out []providers.Block) {
	open := map[int]*providers.Block{}
	for _, ev := range evs {
		b := open[ev.Index]
		switch {
		case ev.Kind == providers.BlockStart && ev.Block.Kind == providers.ToolCall:
			call := *ev.Block
			open[ev.Index] = &call
		case b == nil:
		case ev.Kind == providers.InputDelta:
			b.Input += ev.Text
		case ev.Kind == providers.SignatureDelta:
			b.Signature += ev.Text
		case ev.Kind == providers.BlockStop:
			if b.Input == "" {
				b.Input = "{}"
			}
			if !strict.IsObject([]byte(b.Input)) {
				t.Errorf("the input of call %s is no object: %s", b.Name, b.Input)
			}
			out = append(out, *b)
			delete(open, ev.Index)
		}
	}
	return out
}

// checkRequest decodes a request that was really sent and compares what is said
// in it with what the encoder makes of it.
func checkRequest(t *testing.T, body string) *providers.Request {
	req, err := DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	once := EncodeRequest(nil, req)
	if in, out := contentsOf(t, body), contentsOf(t, string(once)); !reflect.DeepEqual(in, out) {
		x, _ := json.Marshal(in)
		y, _ := json.Marshal(out)
		t.Errorf("the request changed:\n in  %s\n out %s", x, y)
	}
	again, err := DecodeRequest(once)
	if err != nil {
		t.Fatal(err)
	}
	if twice := EncodeRequest(nil, again); !bytes.Equal(once, twice) {
		t.Errorf("the request changed when it was sent again:\n %s\n %s", once, twice)
	}
	return req
}

// contentsOf is what a request says, in one form: the API takes two names for a
// member.
func contentsOf(t *testing.T, body string) []any {
	var v struct{ Contents []map[string]any }
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, m := range v.Contents {
		parts, _ := m["parts"].([]any)
		for i, p := range parts {
			part := map[string]any{}
			for name, v := range p.(map[string]any) {
				part[string(camel([]byte(name)))] = v
			}
			parts[i] = part
		}
		out = append(out, []any{m["role"], parts})
	}
	return out
}
