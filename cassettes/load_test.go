package cassettes

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"gopkg.in/yaml.v3"
)

// small is a well-formed cassette of version 1.
const small = `---
version: 1
interactions:
- request:
    body: '{"model":"m","messages":[]}'
    form: {}
    headers:
      Content-Type:
      - application/json
      x-bench-lane:
      - title
    url: http://127.0.0.1/v1/messages
    method: POST
  response:
    body: |+
      event: message_stop
      data: {"type":"message_stop"}

    headers:
      Content-Type:
      - text/event-stream
    status: 200 OK
    code: 200
    duration: 1.5s
- request:
    body: ""
    form: {}
    headers: {}
    url: http://127.0.0.1/v1/models?limit=1
    method: GET
  response:
    body: '{}'
    headers: {}
    status: 200 OK
    code: 200
    duration: ""
`

func TestParse(t *testing.T) {
	c, err := Parse("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != 2 || c.Place(0) != "small.yaml:4" || c.Place(1) != "small.yaml:25" {
		t.Errorf("%d interactions at %s and %s", c.Len(), c.Place(0), c.Place(1))
	}
	r := c.At(0).Response
	if r.Duration != 1500*time.Millisecond || r.Code != 200 || r.Body != "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n" {
		t.Errorf("response is %+v", r)
	}
	if lane := c.At(0).Request.Headers.Get("x-bench-lane"); lane != "title" {
		t.Errorf("lane %q", lane)
	}
}

func TestParseRefuses(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("the small cassette has no %q", old)
		}
		return strings.Replace(small, old, new, 1)
	}
	for _, tc := range []struct{ name, src, want string }{
		{"empty", "", "x.yaml: the file is empty: record the cassette again"},
		{"comment", "# nothing\n", "x.yaml: the file holds nothing but comments: record the cassette again"},
		{"null", "---\n", "x.yaml:2: the file is missing or null: it must be a mapping with the keys version, interactions"},
		{"list", "- a\n", "x.yaml:1: the file is a list: it must be a mapping with the keys version, interactions"},
		{"version 3", edit("version: 1", "version: 3"), "x.yaml:2: version is 3: read are 1 (go-vcr v1 and v2) and 2 (go-vcr v3 and v4)"},
		{"version text", edit("version: 1", `version: "1"`), `x.yaml:2: version is "1" (str): it must be a whole number`},
		{"no version", edit("version: 1\n", ""), "x.yaml:2: the file has no version: the file may have been cut short; record it again"},
		{"no interactions", "version: 1\n", "x.yaml:1: the file has no interactions: the file may have been cut short; record it again"},
		{"none", "version: 1\ninteractions: []\n", "x.yaml:2: the cassette holds no interaction: record it again"},
		{"vcrpy", "interactions:\n- request:\n    body: null\nversion: 1\n", "x.yaml:2: interaction 1: the interaction has no response: the file may have been cut short; record it again"},
		{"unknown top", edit("version: 1", "version: 1\nrecorded_with: VCR"), `x.yaml:3: the file has an unknown key "recorded_with": known are version, interactions`},
		{"unknown field", edit("    method: POST", "    method: POST\n    verb: POST"), `x.yaml:14: interaction 1: request has an unknown key "verb": known are body, url, method, form, headers`},
		{"version 2 field", edit("    method: POST", "    method: POST\n    proto: HTTP/1.1"), `x.yaml:14: interaction 1: request has an unknown key "proto": known are body, url, method, form, headers`},
		{"twice", edit("    method: POST", "    method: POST\n    method: POST"), `x.yaml:14: interaction 1: request has the key "method" twice`},
		{"header twice", edit("      x-bench-lane:", "      Content-Type:\n      - a\n      x-bench-lane:"), `x.yaml:10: interaction 1: request.headers has "Content-Type" twice`},
		{"header scalar", edit("      Content-Type:\n      - application/json", "      Content-Type: application/json"), `x.yaml:8: interaction 1: request.headers: "Content-Type" is "application/json" (str): it must be a list`},
		{"null body", edit(`body: ""`, `body:`), "x.yaml:26: interaction 2: request.body is missing or null: it must be text; put it in quotes"},
		{"number body", edit(`body: ""`, `body: 12`), `x.yaml:26: interaction 2: request.body is "12" (int): it must be text; put it in quotes`},
		{"code", edit("code: 200", "code: 20"), "x.yaml:23: interaction 1: response.code is 20: it must be a final HTTP status, 200 to 599"},
		{"code text", edit("code: 200", "code: OK"), `x.yaml:23: interaction 1: response.code is "OK" (str): it must be a whole number`},
		{"duration", edit("1.5s", "1.5"), `x.yaml:24: interaction 1: response.duration is "1.5" (float): it must be text; put it in quotes`},
		{"duration text", edit("1.5s", "soon"), `x.yaml:24: interaction 1: response.duration is "soon": it must be a duration such as 1.2s`},
		{"method", edit("method: GET", `method: ""`), "x.yaml:30: interaction 2: request.method is empty: it must be an HTTP method such as POST"},
		{"url", edit("url: http://127.0.0.1/v1/messages", `url: "http://a b/"`), `x.yaml:4: interaction 1: request.url is "http://a b/": it must be a URL`},
		{"binary", edit(`body: ""`, `body: !!binary "*"`), "x.yaml:26: interaction 2: request.body is marked binary and is not base64: illegal base64 data at input byte 0"},
		{"gzip", edit(`    body: '{}'`, `    body: !!binary "H4sAAAAA"`), "x.yaml:25: interaction 2: response.body begins as gzip does, but unexpected EOF"},
		{"second document", small + "---\na: 1\n", "x.yaml:37: a second YAML document begins here: a cassette is one document"},
		{"no newline", strings.TrimSuffix(small, "\n"), "x.yaml:36: the last line has no end: the file was cut short; record it again"},
		{"syntax", edit("  response:", "  response: ["), "x.yaml:15: this is not YAML: found character that cannot start any token"},
		{"tab", edit("    method", "\tmethod"), "x.yaml:12: this is not YAML: found a tab character that violates indentation"},
		{"anchor", edit("    method: POST", "    method: &a POST"), "x.yaml:13: interaction 1: request.method uses a YAML anchor or alias: write the value out"},
		{"alias", edit("    method: POST", "    method: &a POST") + "- *a\n", "x.yaml:13: interaction 1: request.method uses a YAML anchor or alias: write the value out"},
		{"merge", edit("  response:", "  <<: *a\n  response:"), "x.yaml:14: this is not YAML: unknown anchor 'a' referenced"},
		{"invalid utf-8", edit("'{}'", "'\xff'"), "x.yaml:32: this is not YAML: a byte is not UTF-8"},
		{"NUL", edit("'{}'", "'\x00'"), "x.yaml:32: this is not YAML: a control character is not allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := Parse("x.yaml", []byte(tc.src))
			if err == nil {
				t.Fatalf("read %d interactions; want %s", c.Len(), tc.want)
			}
			var e *Error
			if err.Error() != tc.want || !errors.As(err, &e) {
				t.Errorf("got  %v (%T)\nwant %s", err, err, tc.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
		})
	}
}

// A file that was cut short is never read as whole, except where the cut falls
// between two interactions, or before the duration, which early versions did
// not write: what is left is a whole cassette then.
func TestParseTruncated(t *testing.T) {
	whole := []int{
		strings.LastIndex(small, "- request:"),
		strings.Index(small, "    duration:"), strings.LastIndex(small, "    duration:"),
	}
	for n := range len(small) {
		c, err := Parse("x.yaml", []byte(small[:n]))
		if (err == nil) != slices.Contains(whole, n) {
			t.Errorf("cut to %d bytes (...%q): %v, %v", n, small[max(0, n-20):n], c, err)
		}
	}
}

// Nine lines that stand for ten billion strings, deep nesting, gzip that grows
// a thousandfold, and a list of single characters: refused, fast and small.
func TestParseBombs(t *testing.T) {
	most := bounds{bytes: 1 << 20, nodes: 1 << 16}
	laughs := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'j'; c++ {
		laughs += fmt.Sprintf("%c: &%c [*%c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c]\n", c, c, c-1)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(make([]byte, most.bytes+1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	gz := strings.Replace(small, "'{}'", "!!binary "+base64.StdEncoding.EncodeToString(z.Bytes()), 1)
	for _, tc := range []struct{ name, src, want string }{
		{"laughs", laughs, `x.yaml:1: the file has an unknown key "a": known are version, interactions`},
		{"laughs inside", "version: 1\ninteractions:\n  - &a {request: [x,x]}\n  - *a\n", "x.yaml:3: interaction 1: the interaction has no response: the file may have been cut short; record it again"},
		{"alias item", strings.Replace(small, "- request", "- &a\n  request", 1) + "- *a\n", "x.yaml:38: interaction 3: the interaction is an alias: it must be a mapping with the keys request, response"},
		{"deep", strings.Repeat("[", 20_000) + "\n", "x.yaml: this is not YAML: exceeded max depth of 10000"},
		{"many", "version: 1\ninteractions: [" + strings.Repeat("a,", most.nodes) + "]\n", "x.yaml: the file has more than 65536 commas, brackets and lines: this is no recording of text"},
		{"huge", strings.Repeat("#", most.bytes) + "\n", "x.yaml: the file is larger than 1048576 bytes: split the recording"},
		{"gzip", gz, "x.yaml:25: interaction 2: response.body: the compressed bodies grow to more than 1048576 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := parseWithin("x.yaml", []byte(tc.src), most); err == nil || err.Error() != tc.want {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestOpenMissing(t *testing.T) {
	name := filepath.Join(t.TempDir(), "none.yaml")
	_, err := Open(name)
	if want := name + ": there is no such cassette; a replay never records: check the name, or record it first"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("opening made a file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was read as a cassette")
	}
}

// What go-vcr writes is what we read, and what we write go-vcr reads.
func TestSameAsGoVCR(t *testing.T) {
	want, err := Parse("small.yaml", []byte(strings.Replace(small, `duration: ""`, "duration: 0s", 1)))
	if err != nil {
		t.Fatal(err)
	}
	want.tape[0].Response.Body += " \u2028\t\x01\U0001F600\n"
	want.tape[1].Response.Body = "\xff\xfe"
	dir := t.TempDir()
	theirs := vcr.New(filepath.Join(dir, "theirs"))
	theirs.Interactions = want.tape
	if err := theirs.Save(); err != nil {
		t.Fatal(err)
	}
	got, err := Open(theirs.File)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.tape, want.tape) {
		t.Errorf("we read\n%s\nof what go-vcr wrote from\n%s", dump(t, got.tape), dump(t, want.tape))
	}
	src, err := marshal(want.tape)
	if err != nil {
		t.Fatal(err)
	}
	ours := filepath.Join(dir, "ours")
	if err := os.WriteFile(ours+".yaml", src, 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := vcr.Load(ours)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if !reflect.DeepEqual(read.Interactions, want.tape) {
		t.Errorf("go-vcr read\n%s\nof what we wrote from\n%s", dump(t, read.Interactions), dump(t, want.tape))
	}
}

func dump(t *testing.T, v any) string {
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// FuzzParse: whatever the bytes, an error or a cassette, never a panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("version: 2\ninteractions: [{id: 0}]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if c, err := Parse("x.yaml", src); err == nil && c.Len() == 0 {
			t.Error("a cassette without interactions")
		}
	})
}
