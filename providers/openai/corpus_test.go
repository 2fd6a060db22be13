package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// lossy are recordings whose client gives back less than it was sent: what it
// should have given back is what was decoded.
var lossy = map[string]string{
	"charmbracelet__fantasy/providertests/testdata/TestOpenRouterCommon/grok/multi_tool_streaming.yaml": "it makes text of the summary, and leaves out what was encrypted",
	"charmbracelet__fantasy/providertests/testdata/TestOpenRouterCommon/kimi/multi_tool_streaming.yaml": "it leaves out the first piece of the text",
	"charmbracelet__fantasy/providertests/testdata/TestOpenRouterCommon/kimi/tool_streaming.yaml":       "it leaves out the first piece of the text",
	"charmbracelet__fantasy/providertests/testdata/TestVercelThinking/gpt-5/thinking-streaming.yaml":    "it leaves out the summary's id",
	"charmbracelet__fantasy/providertests/testdata/TestVercelThinking/gpt-5/thinking.yaml":              "it leaves out the summary's id",
}

// TestCorpus decodes every real recording of these APIs in a format that can be
// read here, and holds the codecs against what only real conversations can tell:
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
	var n count
	files := map[string]int{}
	links := 0
	rows := bufio.NewScanner(bytes.NewReader(index))
	for rows.Scan() {
		col := strings.Split(rows.Text(), "\t")
		path, format, api := col[0], col[3], col[4]
		read := readers[format]
		if read == nil || !strings.Contains(api, "openai") {
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
			want, _ := strconv.Atoi(col[10])
			skipped := n.skipped
			found := checkRecordings(t, recs, api, &n)
			if n.skipped > skipped { // replies of other APIs are among them
				want = min(want, found)
			}
			if found != want {
				t.Errorf("%d of the requests carry results of an earlier reply; the index says %d", found, want)
			}
			links += want
		})
	}
	t.Logf("%v files: %+v; %d pairs are linked by calls; in %d more, the client loses thoughts", files, n, links, len(lossy))
	if n.pairs != links || n.pairs < 119 || n.thoughts < 16 || n.streams < 145 || n.messages < 290 {
		t.Errorf("the calls of %d of %d pairs were checked, and the thoughts of %d; %d streams and %d messages", n.pairs, links, n.thoughts, n.streams, n.messages)
	}
}

type count struct {
	streams, messages, errors, requests, events, fast, pairs, thoughts, skipped int
}

func apiOf(rec recording, column string) (API, bool) {
	path, _, _ := strings.Cut(rec.URL, "?")
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat, true
	case strings.HasSuffix(path, "/responses"):
		return Responses, true
	case rec.URL != "":
		return 0, false
	case column == "openai-responses":
		return Responses, true
	}
	return Chat, column == "openai-chat"
}

func checkRecordings(t *testing.T, recs []recording, column string, n *count) (links int) {
	var replies [][]providers.Block // the calls of each
	thoughts := map[string]string{} // by the id of the first call: what was thought, as it goes back
	for i, rec := range recs {
		api, ok := apiOf(rec, column)
		if !ok {
			n.skipped++
			continue
		}
		if rec.Request != "" {
			n.requests++
			req := checkRequest(t, api, rec.Request)
			echoed := lastCalls(req)
			stored := len(echoed) == 0 && api == Responses // the API knows the calls from before
			if stored {
				echoed = results(req)
			}
			if calls := whose(replies, echoed); calls != nil {
				links++
				if sameCalls(t, i, calls, echoed, stored) {
					n.pairs++
				}
				if back := goesBack(api, req); back != "" {
					_, file, _ := strings.Cut(t.Name(), "/")
					if got := thoughts[calls[0].ID]; sameJSON(got, back) {
						n.thoughts++
					} else if lossy[file] == "" {
						t.Errorf("request %d gives back the thoughts\n     %s\nwant %s", i, back, got)
					}
				}
			}
		}
		if rec.Status/100 != 2 {
			n.errors++
			if e := Classify(rec.Status, http.Header{}, []byte(rec.Body)); e.Class == providers.Unknown || e.Message == "" {
				t.Errorf("interaction %d: %+v", i, e)
			}
			continue
		}
		if failed(t, api, rec.Body) {
			n.errors++
			continue
		}
		evs := decodeReply(t, api, i, rec.Body)
		n.events += len(evs)
		if wrong := orderly(evs) + late(evs); wrong != "" {
			t.Errorf("interaction %d: %s", i, wrong)
		}
		if strings.HasPrefix(strings.TrimSpace(rec.Body), "{") {
			n.messages++
		} else {
			n.streams++
			n.fast += checkStream(t, api, rec.Body)
		}
		replies = append(replies, calls(t, evs))
		if c := replies[len(replies)-1]; len(c) > 0 {
			thoughts[c[0].ID] = goesBack(api, &providers.Request{Messages: []providers.Message{assistant(blocksOf(evs)...)}})
		}
	}
	return links
}

// goesBack returns what the last answer in a request gives back of its thoughts:
// the details that OpenRouter wants, or what was encrypted; "" if nothing.
func goesBack(api API, req *providers.Request) string {
	for _, m := range slices.Backward(req.Messages) {
		if m.Role != providers.Assistant {
			continue
		}
		var back []any
		for _, b := range m.Blocks {
			var item struct {
				Encrypted any `json:"encrypted_content"`
			}
			if b.Kind == providers.Thinking && api == Responses && json.Unmarshal([]byte(b.Signature), &item) == nil && item.Encrypted != nil {
				back = append(back, item.Encrypted)
			}
		}
		if api == Chat {
			var msg struct {
				Details []any `json:"reasoning_details"`
			}
			json.Unmarshal(chatMessage(nil, &m), &msg)
			back = msg.Details
		}
		if len(back) > 0 {
			b, _ := json.Marshal(back)
			return string(b)
		}
		return ""
	}
	return ""
}

// blocksOf folds events into blocks.
func blocksOf(evs []providers.Event) (out []providers.Block) {
	for _, ev := range evs {
		switch ev.Kind {
		case providers.BlockStart:
			out = append(out, *ev.Block)
		case providers.TextDelta, providers.ThinkingDelta:
			out[ev.Index].Text += ev.Text
		case providers.SignatureDelta:
			out[ev.Index].Signature += ev.Text
		case providers.InputDelta:
			out[ev.Index].Input += ev.Text
		}
	}
	return out
}

// whose finds the latest reply with one of the calls.
func whose(replies [][]providers.Block, echoed []providers.Block) []providers.Block {
	for _, calls := range slices.Backward(replies) {
		for _, c := range calls {
			if len(echoed) > 0 && c.ID == echoed[0].ID {
				return calls
			}
		}
	}
	return nil
}

// late reports a delta of a block that is over: no real stream has one.
func late(evs []providers.Event) string {
	over := map[int]bool{}
	for i, ev := range evs {
		switch ev.Kind {
		case providers.MessageStart:
			over = map[int]bool{}
		case providers.BlockStop:
			over[ev.Index] = true
		case providers.TextDelta, providers.ThinkingDelta, providers.InputDelta, providers.SignatureDelta:
			if over[ev.Index] {
				return fmt.Sprintf("event %d, %s: the block is over", i, asktest.Show(ev))
			}
		}
	}
	return ""
}

// failed reports whether an answer with status 200 is an error object.
func failed(t *testing.T, api API, body string) bool {
	if !strings.HasPrefix(strings.TrimSpace(body), "{") || strict.Hollow(strict.Member([]byte(strings.TrimSpace(body)), "error")) {
		return false
	}
	_, err := api.DecodeMessage([]byte(body))
	if e := new(providers.Error); !errors.As(err, &e) || e.Class == providers.Unknown || e.Class == providers.Protocol || e.Message == "" {
		t.Errorf("%s: %v", body, err)
	}
	return true
}

func decodeReply(t *testing.T, api API, i int, body string) (out []providers.Event) {
	st, err := api.New(Config{HTTP: asktest.Reply(200, "", strings.NewReader(body))}).Stream(t.Context(), hello)
	if err != nil {
		t.Fatalf("interaction %d: %v", i, err)
	}
	defer st.Close()
	for {
		ev, err := st.Next()
		if err != nil {
			if err.Error() != "EOF" {
				t.Errorf("interaction %d: %v", i, err)
			}
			return out
		}
		out = append(out, ev)
	}
}

// checkStream holds the fast way against the strict one, and the stream against
// itself in other pieces and with other line ends.
func checkStream(t *testing.T, api API, body string) (fast int) {
	want := asktest.Drain(api.NewDecoder(strings.NewReader(body)))
	slow, fast := drainStrict(api, body)
	if !slices.Equal(slow, want) {
		t.Errorf("the strict way the stream says something else:\n%s", diff(want, slow))
	}
	for name, r := range map[string]string{"CRLF": "\r\n", "CR": "\r"} {
		if got := asktest.Drain(api.NewDecoder(strings.NewReader(strings.ReplaceAll(body, "\n", r)))); !slices.Equal(got, want) {
			t.Errorf("with %s line ends the stream says something else", name)
		}
	}
	if got := asktest.Drain(api.NewDecoder(iotest.OneByteReader(strings.NewReader(body)))); !slices.Equal(got, want) {
		t.Error("byte by byte the stream says something else")
	}
	return fast
}

// drainStrict decodes without templates, and counts what they would have read.
func drainStrict(api API, body string) (got []string, fast int) {
	d := api.NewDecoder(strings.NewReader(body))
	for {
		d.plate.known = false
		ev, err := d.Next()
		if err != nil {
			if err != io.EOF {
				got = append(got, "error "+err.Error())
			}
			break
		}
		got = append(got, asktest.Show(ev))
	}
	d = api.NewDecoder(strings.NewReader(body))
	mark := []byte{}
	for {
		queued := d.at < len(d.c.out)
		d.c.pad = mark // which the strict way forgets
		if _, err := d.Next(); err != nil {
			return got, fast
		}
		if !queued && d.c.pad != nil && len(d.c.pad) == 0 {
			fast++
		}
	}
}

func diff(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%d: %s\n%d: %s", i, a[i], i, b[i])
		}
	}
	return fmt.Sprintf("%d and %d events", len(a), len(b))
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

// results returns the results of a request that does not repeat its calls.
func results(req *providers.Request) (out []providers.Block) {
	for _, m := range req.Messages {
		for _, b := range m.Blocks {
			if b.Kind == providers.ToolResult {
				out = append(out, b)
			}
		}
	}
	return out
}

func sameCalls(t *testing.T, i int, decoded, echoed []providers.Block, idsOnly bool) bool {
	if len(decoded) != len(echoed) {
		t.Errorf("request %d echoes %d calls; its reply had %d", i, len(echoed), len(decoded))
		return false
	}
	for k, d := range decoded {
		if e := echoed[k]; d.ID != e.ID || !idsOnly && (d.Name != e.Name || !sameJSON(d.Input, e.Input)) {
			t.Errorf("call %d of the reply is %s %s %s; request %d echoes %s %s %s", k, d.ID, d.Name, d.Input, i, e.ID, e.Name, e.Input)
			return false
		}
	}
	return true
}

// checkRequest decodes a request that was really sent and compares what is said
// in it with what the encoder makes of it.
func checkRequest(t *testing.T, api API, body string) *providers.Request {
	req, err := api.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	in, out := normal(t, api, []byte(body)), normal(t, api, api.EncodeRequest(nil, req))
	if !reflect.DeepEqual(in, out) {
		x, _ := json.Marshal(in)
		y, _ := json.Marshal(out)
		t.Errorf("the request changed:\n in  %s\n out %s", x, y)
	}
	once := api.EncodeRequest(nil, req)
	again, err := api.DecodeRequest(once)
	if err != nil {
		t.Fatal(err)
	}
	if twice := api.EncodeRequest(nil, again); !bytes.Equal(once, twice) {
		t.Errorf("the request changed when it was sent again:\n %s\n %s", once, twice)
	}
	return req
}

// normal is what a request says, in one form: the API takes several for the same.
func normal(t *testing.T, api API, body []byte) any {
	var v struct {
		Instructions string
		Messages     []map[string]any
		Input        any
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	text := func(m map[string]any, name, typ string) {
		if s, ok := m[name].(string); ok {
			m[name] = []any{map[string]any{"type": typ, "text": s}}
		}
	}
	if api == Chat {
		for i, m := range v.Messages {
			if i == 0 && m["role"] == "developer" {
				m["role"] = "system"
			}
			if s, _ := m["content"].(string); s == "" && m["role"] == "assistant" {
				delete(m, "content")
			}
			if list, ok := m["content"].([]any); ok && len(list) == 0 {
				delete(m, "content")
			}
			text(m, "content", "text")
			if m["reasoning_details"] != nil || m["reasoning_content"] == nil {
				delete(m, "reasoning_content")
			}
			if m["reasoning"] != nil && m["reasoning_content"] == nil && m["reasoning_details"] == nil {
				m["reasoning_content"] = m["reasoning"]
			}
			for name, v := range m { // what has no place in a neutral message
				switch name {
				case "role", "content", "tool_calls", "tool_call_id", "reasoning_content", "reasoning_details", "function_call":
				default:
					v = nil
				}
				if v == nil {
					delete(m, name)
				}
			}
			list, _ := m["tool_calls"].([]any)
			for _, c := range list {
				delete(c.(map[string]any), "index")
			}
		}
		return v.Messages
	}
	if s, ok := v.Input.(string); ok {
		v.Input = []any{map[string]any{"role": "user", "content": s}}
	}
	for _, e := range v.Input.([]any) {
		m := e.(map[string]any)
		if m["type"] == "message" {
			delete(m, "type")
		}
		typ := "input_text"
		if m["role"] == "assistant" {
			typ = "output_text"
		}
		if m["type"] == nil {
			text(m, "content", typ)
		}
		if m["type"] == "function_call" {
			delete(m, "id")
			delete(m, "status")
		}
	}
	return []any{v.Instructions, v.Input}
}
