package fake

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// recorded is one request of a recording, and how the real API answered it.
type recorded struct {
	url    string
	body   []byte
	status int
	reply  string
}

// TestCorpus holds CheckMessages against what the real API said: whatever it
// answered with 2xx is legal, and whatever it refused with 400 and a sentence
// about structure is refused with that sentence. BENCH_CORPUS names a folder
// of recordings (go-vcr, vcrpy, Ruby VCR, pi, the Python SDK's snapshots).
func TestCorpus(t *testing.T) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS is not set")
	}
	var files, good, strict, bad int
	perFormat := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		format, all := readRecording(t, path)
		used := false
		for _, r := range all {
			if !strings.Contains(r.url, "/messages") && !strings.Contains(r.url, "publishers/anthropic/") || strings.Contains(r.url, "/threads/") || len(r.body) == 0 {
				continue
			}
			refusal := CheckMessages(r.body)
			switch {
			case r.status/100 == 2:
				used = true
				good++
				perFormat[format]++
				if refusal != nil && refusal.Level == API {
					t.Errorf("%s: answered %d, but refused here: %v", path, r.status, refusal)
				} else if refusal != nil {
					strict++
					t.Logf("%s: accepted by the API, strict: %s", strings.TrimPrefix(path, root), refusal.Message)
				}
			case r.status == 400:
				used = true
				bad++
				perFormat[format]++
				switch {
				case refusal == nil:
					t.Errorf("%s: accepted here, but answered %d: %s", path, r.status, r.reply)
				case !strings.Contains(r.reply, quoted(refusal.Message)):
					t.Errorf("%s: refused with %q, but the API said %s", path, refusal.Message, r.reply)
				}
			}
		}
		if used {
			files++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files: %d requests answered 2xx (%d of them strict), %d answered 400; by format %v", files, good, strict, bad, perFormat)
	if good < 50 || bad < 1 {
		t.Errorf("only %d good and %d bad requests found: the corpus is not what it was, or is not read", good, bad)
	}
}

// readRecording reads a recording of any known format; others give nothing.
func readRecording(t *testing.T, path string) (format string, all []recorded) {
	t.Helper()
	var doc yaml.Node
	switch filepath.Ext(path) {
	case ".yaml", ".yml", ".json":
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if yaml.Unmarshal(b, &doc) != nil || len(doc.Content) == 0 {
			return "", nil
		}
	default:
		return "", nil
	}
	top := doc.Content[0]
	format = "vcrpy"
	list := field(top, "interactions")
	switch {
	case top.Kind == yaml.SequenceNode:
		format, list = "snapshot", top
	case field(top, "http_interactions") != nil:
		format, list = "ruby", field(top, "http_interactions")
	case field(top, "test_name") != nil:
		format = "pi"
	}
	if list == nil || list.Kind != yaml.SequenceNode {
		return "", nil
	}
	for _, i := range list.Content {
		q, p := field(i, "request"), field(i, "response")
		if q == nil || p == nil {
			continue
		}
		r := recorded{}
		for _, name := range []string{"url", "uri"} {
			if n := field(q, name); n != nil {
				r.url = n.Value
			}
		}
		if format == "vcrpy" && field(q, "uri") == nil {
			format = "go-vcr"
		}
		r.body = content(q)
		r.reply = string(content(p))
		for _, name := range []string{"code", "status", "status_code"} {
			n := field(p, name)
			if n != nil && n.Kind == yaml.MappingNode {
				n = field(n, "code")
			}
			if n != nil && n.Kind == yaml.ScalarNode && json.Unmarshal([]byte(n.Value), &r.status) == nil && r.status > 0 {
				break
			}
		}
		all = append(all, r)
	}
	return format, all
}

// content is the body of a request or a response, wherever the format keeps it.
func content(n *yaml.Node) []byte {
	for _, name := range []string{"parsed_body", "body"} {
		b := field(n, name)
		if b == nil {
			continue
		}
		if s := field(b, "string"); s != nil {
			b = s
		}
		if b.Kind == yaml.ScalarNode {
			var s string
			if b.Decode(&s) != nil {
				return nil
			}
			return []byte(s)
		}
		var tree any
		if b.Decode(&tree) != nil {
			return nil
		}
		out, err := json.Marshal(tree)
		if err != nil {
			return nil
		}
		return out
	}
	return nil
}

func field(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
