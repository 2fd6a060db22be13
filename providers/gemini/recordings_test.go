package gemini

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// recording is one request and its answer; Request is "" where the format keeps
// none.
type recording struct {
	URL     string
	Request string
	Status  int
	Body    string
}

// readers of the formats that this package can check itself by. Importing is
// another package's work; this is only as much as reading them takes.
var readers = map[string]func([]byte) ([]recording, error){
	"go-vcr-v2":            readYAML,
	"vcrpy":                readYAML,
	"vcrpy-parsed":         readYAML,
	"ruby-vcr":             readYAML,
	"httprr":               readHTTPRR,
	"pi-vcr-json":          readPi,
	"gemini-cli-responses": readCLI,
	"chunks.txt":           readChunks,
	"vercel-json":          readBody,
}

// readBody reads an answer on its own. That it is an error shows in its code.
func readBody(b []byte) ([]recording, error) {
	rec := recording{Status: 200, Body: string(b)}
	if d := detailsOf(b); d.status != 0 {
		rec.Status = d.status
	}
	return []recording{rec}, nil
}

// readChunks frames a file of one JSON event per line.
func readChunks(src []byte) ([]recording, error) {
	var b strings.Builder
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fmt.Fprintf(&b, "data: %s\r\n\r\n", line)
		}
	}
	return []recording{{Status: 200, Body: b.String()}}, nil
}

// readCLI reads a file of one answer per line: an object, or a list of chunks.
func readCLI(src []byte) (out []recording, err error) {
	for line := range bytes.Lines(src) {
		var v struct {
			Method   string
			Response json.RawMessage
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, err
		}
		if strings.HasPrefix(v.Method, "generateContent") {
			out = append(out, recording{Status: 200, Body: string(v.Response)})
		}
	}
	return out, nil
}

func readPi(src []byte) (out []recording, err error) {
	var f struct {
		Interactions []struct {
			Request struct {
				URL  string
				Body json.RawMessage
			}
			Response struct {
				Status int
				Chunks []string `json:"body_chunks"`
			}
		}
	}
	err = json.Unmarshal(src, &f)
	for _, in := range f.Interactions {
		out = append(out, recording{in.Request.URL, string(in.Request.Body), in.Response.Status, strings.Join(in.Response.Chunks, "")})
	}
	return out, err
}

// readHTTPRR reads requests and responses as they were on the wire, each pair
// behind a line with their lengths.
func readHTTPRR(src []byte) (out []recording, err error) {
	_, src, _ = bytes.Cut(src, []byte("\n"))
	for len(src) > 0 {
		var n, m int
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		if _, err := fmt.Sscanf(string(line), "%d %d", &n, &m); err != nil || n+m > len(rest) {
			return nil, fmt.Errorf("%q: %v", line, err)
		}
		req, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(rest[:n])))
		if err != nil {
			return nil, err
		}
		sent, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(rest[n:n+m])), req)
		if err != nil {
			return nil, err
		}
		got, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		out = append(out, recording{req.URL.String(), string(sent), resp.StatusCode, string(got)})
		src = rest[n+m:]
	}
	return out, nil
}

// readYAML reads what three recorders write: a body is a string, or an object
// around one, or (parsed_body) the JSON as YAML.
func readYAML(src []byte) (out []recording, err error) {
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
		out = append(out, recording{scalar(field(req, "uri")) + scalar(field(req, "url")), bodyOf(req), status, bodyOf(resp)})
	}
	return out, nil
}

func bodyOf(n *yaml.Node) string {
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

// scalar undoes the two tags for binary, and compression, which shows by its
// first bytes and not by what the headers say.
func scalar(n *yaml.Node) string {
	if n == nil || n.Tag == "!!null" {
		return ""
	}
	s := n.Value
	if n.Tag == "!!binary" || n.Tag == "!binary" {
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
		if err != nil {
			panic(err)
		}
		s = string(b)
	}
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
