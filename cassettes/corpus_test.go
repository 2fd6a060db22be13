package cassettes_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/cassettes"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/anthropic"
	"github.com/harnessbench/bench/providers/fake"
)

// corpus lists the go-vcr recordings below BENCH_CORPUS: path and API.
func corpus(t *testing.T) (root string, files [][2]string) {
	root = os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS is not set")
	}
	f, err := os.Open(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		if strings.HasPrefix(row[3], "go-vcr") {
			files = append(files, [2]string{row[0], row[4]})
		}
	}
	return root, files
}

// Every go-vcr recording of the corpus is read, whatever API it is of, and
// plays to its own requests: the same answers, byte for byte, no finding.
func TestCorpusReplays(t *testing.T) {
	root, files := corpus(t)
	count := map[string]int{}
	for _, f := range files {
		c, err := cassettes.Open(filepath.Join(root, f[0]))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		count["files"]++
		for _, o := range []cassettes.Options{{}, {Match: cassettes.Content}, {Piece: 7}} {
			p := c.Player(o)
			for i := range c.Len() {
				it := c.At(i)
				status, body := send(t, p, it.Method, it.URL, it.Request.Body)
				if status != it.Code || body != it.Response.Body && o.Match != cassettes.Content {
					t.Errorf("%s: %d, recorded %d\n%s", c.Place(i), status, it.Code, body)
					break
				}
				count["interactions"]++
			}
			if found := p.Findings(); found != nil {
				t.Error(found)
			}
		}
		// One character more in the last request is seen.
		p, last := c.Player(cassettes.Options{}), c.Len()-1
		for i := range c.Len() {
			it := c.At(i)
			body := it.Request.Body
			if i == last {
				body += "x"
			}
			send(t, p, it.Method, it.URL, body)
		}
		if found := p.Findings(); len(found) != 1 || found[0].Rule != cassettes.Differs || found[0].Place != c.Place(last) {
			t.Errorf("%s: a changed request: %v", f[0], found)
		}
	}
	t.Logf("%d of %d files, %d interactions played", count["files"], len(files), count["interactions"])
	if count["files"] < 85 {
		t.Errorf("only %d files: the corpus is not what it was", count["files"])
	}
}

func send(t *testing.T, p *cassettes.Player, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// The oracle: what the model called in one answer is what the next request of
// the conversation says that it called. And what the real API accepted is
// legal, what it refused is not.
func TestCorpusOracle(t *testing.T) {
	root, files := corpus(t)
	var count struct{ files, answers, streams, calls, pairs, legal, illegal int }
	for _, f := range files {
		if !strings.Contains(f[1], "anthropic") {
			continue
		}
		c, err := cassettes.Open(filepath.Join(root, f[0]))
		if err != nil {
			t.Error(err)
			continue
		}
		count.files++
		var before []providers.Block // the calls of the answer before
		for i := range c.Len() {
			it := c.At(i)
			body := it.Request.Body
			if f[1] == "vertex-anthropic" { // there the model is in the URL
				body = strings.Replace(body, "{", `{"model":"m",`, 1)
			}
			refusal := fake.CheckMessages([]byte(body))
			switch {
			case it.Code/100 == 2 && refusal != nil && refusal.Level == fake.API:
				t.Errorf("%s: answered %d, refused here: %v", c.Place(i), it.Code, refusal)
			case it.Code == 400 && refusal == nil:
				t.Errorf("%s: answered 400, accepted here: %s", c.Place(i), it.Response.Body)
			case it.Code/100 == 2:
				count.legal++
			case it.Code == 400:
				count.illegal++
			}
			if i > 0 && len(before) > 0 {
				echoed, err := echo([]byte(it.Request.Body))
				if err != nil {
					t.Errorf("%s: %v", c.Place(i), err)
				}
				if d := sameCalls(before, echoed); d != "" {
					t.Errorf("%s: %s", c.Place(i), d)
				}
				count.pairs++
			}
			var stream bool
			if before, stream, err = answered(it.Response.Body); err != nil {
				t.Errorf("%s: the answer: %v", c.Place(i), err)
			}
			if stream {
				count.streams++
			}
			count.answers++
			count.calls += len(before)
		}
	}
	t.Logf("%+v", count)
	if count.files < 9 || count.pairs < 7 || count.legal < 16 {
		t.Error("the corpus is not what it was, or is not read")
	}
}

// answered returns the calls of an answer.
func answered(body string) (calls []providers.Block, stream bool, err error) {
	var events []providers.Event
	if stream = !strings.HasPrefix(body, "{"); stream {
		d := anthropic.NewDecoder(strings.NewReader(body))
		for {
			ev, err := d.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, stream, err
			}
			events = append(events, ev)
		}
	} else if events, err = anthropic.DecodeMessage([]byte(body)); err != nil {
		return nil, stream, err
	}
	at := map[int]int{}
	stopped := false
	for _, ev := range events {
		switch ev.Kind {
		case providers.BlockStart:
			if ev.Block.Kind == providers.ToolCall {
				at[ev.Index] = len(calls)
				calls = append(calls, *ev.Block)
			}
		case providers.InputDelta:
			if i, ok := at[ev.Index]; ok {
				calls[i].Input += ev.Text
			}
		case providers.MessageStop:
			stopped = true
		case providers.Failure:
			return nil, stream, ev.Err
		}
	}
	if !stopped {
		return nil, stream, fmt.Errorf("it has no end")
	}
	return calls, stream, nil
}

// echo returns the calls of the last assistant message of a request.
func echo(body []byte) (calls []providers.Block, err error) {
	req, err := anthropic.DecodeRequest(body)
	if err != nil {
		return nil, err
	}
	for _, m := range req.Messages {
		if m.Role == providers.Assistant {
			calls = nil
			for _, b := range m.Blocks {
				if b.Kind == providers.ToolCall {
					calls = append(calls, b)
				}
			}
		}
	}
	return calls, nil
}

func sameCalls(answer, request []providers.Block) string {
	if len(answer) != len(request) {
		return fmt.Sprintf("the answer has %d calls, the next request %d", len(answer), len(request))
	}
	for i := range answer {
		a, b := answer[i], request[i]
		if a.Input == "" {
			a.Input = "{}"
		}
		if a.ID != b.ID || a.Name != b.Name || !bytes.Equal(plainJSON(a.Input), plainJSON(b.Input)) {
			return fmt.Sprintf("call %d is %s %s %s in the answer and %s %s %s in the next request", i+1, a.ID, a.Name, a.Input, b.ID, b.Name, b.Input)
		}
	}
	return ""
}

// plainJSON is the value with sorted keys and without white space.
func plainJSON(s string) []byte {
	v := jsontext.Value(s)
	if err := v.Canonicalize(); err != nil {
		return []byte("not JSON: " + s)
	}
	return v
}
