package openai

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// recording is one request and its answer; Request is "" where the format
// keeps none.
type recording struct {
	URL     string
	Request string
	Status  int
	Body    string
}

// readers of the formats that this package can check itself by. Importing is
// another package's work; this is only as much as reading them takes.
var readers = map[string]func([]byte) ([]recording, error){
	"go-vcr-v2":         readYAML,
	"vcrpy":             readYAML,
	"vcrpy-parsed":      readYAML,
	"ruby-vcr":          readYAML,
	"raw-sse":           readBody,
	"chunks.txt":        readChunks,
	"vercel-json":       readBody,
	"pi-vcr-json":       readPi,
	"dd-testagent-json": readAgent,
}

func readBody(b []byte) ([]recording, error) { return []recording{{Status: 200, Body: string(b)}}, nil }

// readChunks frames a file of one JSON event per line.
func readChunks(src []byte) ([]recording, error) {
	var b strings.Builder
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fmt.Fprintf(&b, "data: %s\n\n", line)
		}
	}
	return readBody([]byte(b.String()))
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
		out = append(out, recording{scalar(field(req, "uri")) + scalar(field(req, "url")), body(req), status, body(resp)})
	}
	return out, nil
}

func body(n *yaml.Node) string {
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
	return unzip(s)
}

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

func readAgent(src []byte) (out []recording, err error) {
	var f struct {
		Request  struct{ URL, Body string }
		Response struct {
			Status struct{ Code int }
			Body   string
		}
	}
	err = json.Unmarshal(src, &f)
	return []recording{{f.Request.URL, f.Request.Body, f.Response.Status.Code, f.Response.Body}}, err
}
