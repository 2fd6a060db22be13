package oracle

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// recorded is one answer of a recording.
type recorded struct {
	name   string // the file below the corpus, and the number of the interaction
	api    api
	status int
	body   string
}

// corpus reads all answers of status 2xx in the corpus that BENCH_CORPUS names:
// of every format of its index, as far as an answer takes.
func corpus(t *testing.T) (all []recorded) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS names no folder of recordings")
	}
	index, err := os.ReadFile(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	unread := map[string]int{}
	rows := bufio.NewScanner(bytes.NewReader(index))
	rows.Scan() // the columns
	for rows.Scan() {
		col := strings.Split(rows.Text(), "\t")
		path, format, kind := col[0], col[3], col[4]
		read := readers[format]
		if read == nil {
			unread[format]++
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		list, err := read(src)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for i, r := range list {
			r.name = fmt.Sprintf("%s#%d", path, i)
			if r.api == "" {
				r.api = apiOfColumn[kind]
			}
			if r.status/100 == 2 && r.api != "" && r.api != "other" && strings.TrimSpace(r.body) != "" {
				all = append(all, r)
			}
		}
	}
	for format := range unread {
		if !slices.Contains(noRecordings, format) {
			t.Errorf("%d files are of the format %q, which nothing here reads", unread[format], format)
		}
	}
	return all
}

// noRecordings are formats of files that hold no answer of an API.
var noRecordings = []string{"aimock fixture (hand-written, not a recording)", "go-vcr format sample (not LLM)", "go-vcr-v1 format sample (not LLM)"}

var apiOfColumn = map[string]api{"anthropic": messages, "openai-chat": chat, "openai-responses": responses, "gemini": gemini}

// apiOf is the API that a request's URL asks; other is one that is none of ours.
func apiOf(url string) api {
	path := url[:strings.IndexAny(url+"?", "?#")]
	switch {
	case url == "":
		return ""
	case strings.HasSuffix(path, "/v1/messages"), strings.HasSuffix(path, ":rawPredict"), strings.HasSuffix(path, ":streamRawPredict"):
		return messages
	case strings.HasSuffix(path, "/chat/completions"):
		return chat
	case strings.HasSuffix(path, "/responses"):
		return responses
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini
	}
	return "other"
}

var readers = map[string]func([]byte) ([]recorded, error){
	"go-vcr-v2":                 readYAML,
	"vcrpy":                     readYAML,
	"vcrpy-parsed":              readYAML,
	"ruby-vcr":                  readYAML,
	"raw-sse":                   readBody,
	"vercel-json":               readBody,
	"chunks.txt":                readChunks,
	"pi-vcr-json":               readPi,
	"dd-testagent-json":         readAgent,
	"polly-har-json":            readHAR,
	"httprr":                    readTrace,
	"anthropic-inline-snapshot": readSnapshot,
	"gemini-cli-responses":      readScripted,
}

func readBody(b []byte) ([]recorded, error) { return []recorded{{status: 200, body: string(b)}}, nil }

// readChunks frames a file of one JSON event per line, with the name that the
// API gives it, which is its type.
func readChunks(src []byte) ([]recorded, error) {
	var b strings.Builder
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var ev struct{ Type string }
		if json.Unmarshal(line, &ev) == nil && ev.Type != "" {
			fmt.Fprintf(&b, "event: %s\n", ev.Type)
		}
		fmt.Fprintf(&b, "data: %s\n\n", line)
	}
	return readBody([]byte(b.String()))
}

// readYAML reads what three recorders write: a body is a string, or an object
// around one, or (parsed_body) the JSON as YAML.
func readYAML(src []byte) (out []recorded, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	list := field(doc.Content[0], "interactions")
	if list == nil {
		list = field(doc.Content[0], "http_interactions")
	}
	for _, in := range list.Content {
		req, resp := field(in, "request"), field(in, "response")
		status := 0
		for _, path := range [][]string{{"code"}, {"status", "code"}, {"status_code"}} {
			if n, err := strconv.Atoi(scalar(field(resp, path...))); err == nil {
				status = n
			}
		}
		out = append(out, recorded{api: apiOf(scalar(field(req, "uri")) + scalar(field(req, "url"))), status: status, body: yamlBody(resp)})
	}
	return out, nil
}

func yamlBody(n *yaml.Node) string {
	if tree := field(n, "parsed_body"); tree != nil {
		var v any
		if tree.Decode(&v) != nil {
			return ""
		}
		b, _ := json.Marshal(v)
		return string(b)
	}
	for _, path := range [][]string{{"body", "string"}, {"body"}, {"content"}} {
		if f := field(n, path...); f != nil && f.Kind == yaml.ScalarNode {
			return scalar(f)
		}
	}
	return ""
}

func field(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		if n == nil || n.Kind != yaml.MappingNode {
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

// scalar undoes the two tags for binary, and compression.
func scalar(n *yaml.Node) string {
	if n == nil || n.Tag == "!!null" {
		return ""
	}
	if n.Tag == "!!binary" || n.Tag == "!binary" {
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			panic(err)
		}
		return unzip(string(b))
	}
	return unzip(n.Value)
}

// unzip undoes compression, which shows by its first bytes and not by what the
// headers say.
func unzip(s string) string {
	if !strings.HasPrefix(s, "\x1f\x8b") {
		return s
	}
	z, err := gzip.NewReader(strings.NewReader(s))
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func readPi(src []byte) (out []recorded, err error) {
	var f struct {
		Interactions []struct {
			Request  struct{ URL string }
			Response struct {
				Status int
				Chunks []string `json:"body_chunks"`
			}
		}
	}
	err = json.Unmarshal(src, &f)
	for _, in := range f.Interactions {
		out = append(out, recorded{api: apiOf(in.Request.URL), status: in.Response.Status, body: strings.Join(in.Response.Chunks, "")})
	}
	return out, err
}

func readAgent(src []byte) ([]recorded, error) {
	var f struct {
		Request  struct{ URL string }
		Response struct {
			Status struct{ Code int }
			Body   string
		}
	}
	err := json.Unmarshal(src, &f)
	return []recorded{{api: apiOf(f.Request.URL), status: f.Response.Status.Code, body: f.Response.Body}}, err
}

// readHAR reads what Polly writes: a body in base64 is an array of pieces that
// are one compressed stream together.
func readHAR(src []byte) (out []recorded, err error) {
	var f struct {
		Log struct {
			Entries []struct {
				Request  struct{ URL string }
				Response struct {
					Status  int
					Content struct{ Text, Encoding string }
				}
			}
		}
	}
	if err := json.Unmarshal(src, &f); err != nil {
		return nil, err
	}
	for _, e := range f.Log.Entries {
		body := e.Response.Content.Text
		if e.Response.Content.Encoding == "base64" {
			var pieces []string
			if err := json.Unmarshal([]byte(body), &pieces); err != nil {
				return nil, err
			}
			var b strings.Builder
			for _, p := range pieces {
				raw, err := base64.StdEncoding.DecodeString(p)
				if err != nil {
					return nil, err
				}
				b.Write(raw)
			}
			body = unzip(b.String())
		}
		out = append(out, recorded{api: apiOf(e.Request.URL), status: e.Response.Status, body: body})
	}
	return out, nil
}

// readTrace reads the traces of Go's internal/httprr: pairs of a request and an
// answer as they were on the wire, each pair behind a line with their lengths.
func readTrace(src []byte) (out []recorded, err error) {
	head, rest, _ := bytes.Cut(src, []byte("\n"))
	if string(head) != "httprr trace v1" {
		return nil, fmt.Errorf("the first line is %q", head)
	}
	for len(rest) > 0 {
		var line []byte
		var nreq, nresp int
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), "%d %d", &nreq, &nresp); err != nil || nreq+nresp > len(rest) {
			return nil, fmt.Errorf("%q are no two lengths", line)
		}
		req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(rest[:nreq])))
		if err != nil {
			return nil, err
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(rest[nreq:nreq+nresp])), req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		out = append(out, recorded{api: apiOf(req.URL.String()), status: resp.StatusCode, body: unzip(string(body))})
		rest = rest[nreq+nresp:]
	}
	return out, nil
}

// readSnapshot reads the snapshots of Anthropic's Python SDK.
func readSnapshot(src []byte) (out []recorded, err error) {
	var list []struct {
		Request  struct{ URL string }
		Response struct {
			Status int `json:"status_code"`
			Body   json.RawMessage
		}
	}
	err = json.Unmarshal(src, &list)
	for _, in := range list {
		body := string(in.Response.Body)
		if s := ""; json.Unmarshal(in.Response.Body, &s) == nil {
			body = s
		}
		out = append(out, recorded{api: apiOf(in.Request.URL), status: in.Response.Status, body: body})
	}
	return out, err
}

// readScripted reads the answers that gemini-cli's tests play: an answer on each
// line, a streamed one as a list of its chunks.
func readScripted(src []byte) (out []recorded, err error) {
	for line := range bytes.Lines(src) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var in struct {
			Method   string
			Response json.RawMessage
		}
		if err := json.Unmarshal(line, &in); err != nil {
			return nil, err
		}
		r := recorded{api: gemini, status: 200, body: string(in.Response)}
		switch in.Method {
		case "generateContent":
		case "generateContentStream":
			var chunks []json.RawMessage
			if err := json.Unmarshal(in.Response, &chunks); err != nil {
				return nil, err
			}
			var b strings.Builder
			for _, c := range chunks {
				fmt.Fprintf(&b, "data: %s\r\n\r\n", c)
			}
			r.body = b.String()
		default: // countTokens
			continue
		}
		out = append(out, r)
	}
	return out, nil
}
