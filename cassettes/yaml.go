package cassettes

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"gopkg.in/yaml.v3"
)

// reader walks the YAML tree of one file. The first thing that is wrong ends
// the walk, by panic with an *Error, caught in parse.
type reader struct {
	name string
	what string // which interaction is being read, for messages
}

// parse reads a file into go-vcr's type, strictly: nothing unknown, nothing
// twice, nothing missing. It walks the tree instead of decoding into the type
// because only the tree knows lines, and go-vcr's own Load accepts anything.
func parse(name string, src []byte, most bounds) (tape []*vcr.Interaction, lines []int, err error) {
	r := &reader{name: name}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Error:
			err = p
		default:
			panic(p)
		}
	}()
	if len(src) > most.bytes {
		r.fail(0, "the file is larger than %d bytes: split the recording", most.bytes)
	}
	if len(bytes.TrimSpace(src)) == 0 {
		r.fail(0, "the file is empty: record the cassette again")
	}
	n := bytes.Count(src, []byte(",")) + bytes.Count(src, []byte("[")) + bytes.Count(src, []byte("{")) + bytes.Count(src, []byte("\n"))
	if n > most.nodes {
		r.fail(0, "the file has more than %d commas, brackets and lines: this is no recording of text", most.nodes)
	}
	if src[len(src)-1] != '\n' {
		r.fail(1+bytes.Count(src, []byte("\n")), "the last line has no end: the file was cut short; record it again")
	}
	r.characters(src)
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc yaml.Node
	if err := dec.Decode(&doc); err == io.EOF {
		r.fail(0, "the file holds nothing but comments: record the cassette again")
	} else if err != nil {
		r.syntax(src, err)
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		r.fail(more.Line, "a second YAML document begins here: a cassette is one document")
	} else if err != io.EOF {
		r.syntax(src, err)
	}
	tape, lines = r.file(doc.Content[0])
	return tape, lines, nil
}

func (r *reader) fail(line int, f string, a ...any) {
	panic(&Error{r.name, line, r.what + fmt.Sprintf(f, a...)})
}

// characters finds what YAML cannot hold; the parser would not say where.
func (r *reader) characters(src []byte) {
	line := 1
	for len(src) > 0 {
		c, n := utf8.DecodeRune(src)
		switch {
		case c == '\n':
			line++
		case c == utf8.RuneError && n == 1:
			r.fail(line, "this is not YAML: a byte is not UTF-8")
		case c < ' ' && c != '\t' && c != '\r', c == 0x7f:
			r.fail(line, "this is not YAML: a control character is not allowed")
		}
		src = src[n:]
	}
}

var (
	yamlLine   = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)
	yamlAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

func (r *reader) syntax(src []byte, err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1]) // 0 when there is none
	what := err.Error()[len(m[0]):]
	if a := yamlAnchor.FindStringSubmatch(what); a != nil {
		if i := bytes.Index(src, []byte("*"+a[1])); i >= 0 {
			line = 1 + bytes.Count(src[:i], []byte("\n"))
		}
	}
	r.fail(line, "this is not YAML: %s", what)
}

// The fields of each mapping, by version of the file. The required ones are
// those without which a replay would have to guess; a file that was cut short
// lacks one of them.
type fields struct {
	required, optional []string
}

var layout = map[int]struct{ interaction, request, response fields }{
	1: {
		interaction: fields{[]string{"request", "response"}, nil},
		request:     fields{[]string{"body", "url", "method"}, []string{"form", "headers"}},
		response:    fields{[]string{"body", "code"}, []string{"headers", "status", "duration"}}, // v1.2 wrote no duration
	},
	2: {
		interaction: fields{[]string{"request", "response"}, []string{"id"}},
		request: fields{[]string{"url", "method"}, []string{"body", "form", "headers", "proto", "proto_major", "proto_minor",
			"content_length", "transfer_encoding", "trailer", "host", "remote_addr", "request_uri"}},
		response: fields{[]string{"body", "code", "duration"}, []string{"headers", "status", "proto", "proto_major", "proto_minor",
			"content_length", "transfer_encoding", "trailer", "uncompressed"}},
	},
}

func (r *reader) file(top *yaml.Node) ([]*vcr.Interaction, []int) {
	f := r.mapping(top, "the file", fields{[]string{"version", "interactions"}, nil})
	version := r.integer(f["version"], "version")
	l, ok := layout[version]
	if !ok {
		r.fail(f["version"].Line, "version is %d: read are 1 (go-vcr v1 and v2) and 2 (go-vcr v3 and v4)", version)
	}
	list := f["interactions"]
	if list.Kind != yaml.SequenceNode {
		r.fail(list.Line, "interactions is %s: it must be a list", kind(list))
	}
	if len(list.Content) == 0 {
		r.fail(list.Line, "the cassette holds no interaction: record it again")
	}
	var tape []*vcr.Interaction
	var lines []int
	for i, n := range list.Content {
		r.what = fmt.Sprintf("interaction %d: ", i+1)
		it := r.mapping(n, "the interaction", l.interaction)
		if id := it["id"]; id != nil {
			r.integer(id, "id")
		}
		tape = append(tape, &vcr.Interaction{
			Request:  r.request(it["request"], l.request),
			Response: r.response(it["response"], l.response),
		})
		lines = append(lines, n.Line)
	}
	return tape, lines
}

func (r *reader) request(n *yaml.Node, l fields) vcr.Request {
	f := r.mapping(n, "request", l)
	q := vcr.Request{
		Body:    r.text(f["body"], "request.body"),
		Form:    url.Values(r.lists(f["form"], "request.form")),
		Headers: canonical(http.Header(r.lists(f["headers"], "request.headers"))),
		URL:     r.text(f["url"], "request.url"),
		Method:  r.text(f["method"], "request.method"),
	}
	if q.Method == "" {
		r.fail(f["method"].Line, "request.method is empty: it must be an HTTP method such as POST")
	}
	return q
}

func (r *reader) response(n *yaml.Node, l fields) vcr.Response {
	f := r.mapping(n, "response", l)
	a := vcr.Response{
		Body:    r.text(f["body"], "response.body"),
		Headers: canonical(http.Header(r.lists(f["headers"], "response.headers"))),
		Status:  r.text(f["status"], "response.status"),
		Code:    r.integer(f["code"], "response.code"),
	}
	if a.Code < 200 || a.Code > 599 {
		r.fail(f["code"].Line, "response.code is %d: it must be a final HTTP status, 200 to 599", a.Code)
	}
	if d := r.text(f["duration"], "response.duration"); d != "" { // go-vcr v1 wrote ""
		var err error
		if a.Duration, err = time.ParseDuration(d); err != nil {
			r.fail(f["duration"].Line, "response.duration is %q: it must be a duration such as 1.2s", d)
		}
	}
	return a
}

// mapping returns the values of a mapping by key.
func (r *reader) mapping(n *yaml.Node, what string, l fields) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s is %s: it must be a mapping with the keys %s", what, kind(n), strings.Join(l.required, ", "))
	}
	out := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		k := n.Content[i]
		key := r.text(k, "a key of "+what)
		if !slices.Contains(l.required, key) && !slices.Contains(l.optional, key) {
			r.fail(k.Line, "%s has an unknown key %q: known are %s", what, key, strings.Join(append(slices.Clone(l.required), l.optional...), ", "))
		}
		if out[key] != nil {
			r.fail(k.Line, "%s has the key %q twice", what, key)
		}
		out[key] = n.Content[i+1]
	}
	for _, key := range l.required {
		if out[key] == nil {
			r.fail(n.Line, "%s has no %s: the file may have been cut short; record it again", what, key)
		}
	}
	return out
}

// text is the value of a string, or of a binary scalar, decoded. An absent one
// is "".
func (r *reader) text(n *yaml.Node, what string) string {
	if n == nil {
		return ""
	}
	r.plain(n, what)
	switch {
	case n.Kind != yaml.ScalarNode:
	case n.Tag == "!!str":
		return n.Value
	case n.Tag == "!!binary", n.Tag == "!binary":
		b, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\n", "", " ", "", "\r", "", "\t", "").Replace(n.Value))
		if err != nil {
			r.fail(n.Line, "%s is marked binary and is not base64: %v", what, err)
		}
		return string(b)
	}
	r.fail(n.Line, "%s is %s: it must be text; put it in quotes", what, kind(n))
	return ""
}

func (r *reader) integer(n *yaml.Node, what string) int {
	r.plain(n, what)
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil {
		r.fail(n.Line, "%s is %s: it must be a whole number", what, kind(n))
	}
	return i
}

// lists reads a mapping from names to lists of strings: headers, form values.
func (r *reader) lists(n *yaml.Node, what string) map[string][]string {
	out := map[string][]string{}
	if n == nil {
		return out
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s is %s: it must be a mapping from names to lists", what, kind(n))
	}
	for i := 0; i < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := r.text(k, "a name in "+what)
		if _, ok := out[key]; ok {
			r.fail(k.Line, "%s has %q twice", what, key)
		}
		if v.Kind != yaml.SequenceNode {
			r.fail(v.Line, "%s: %q is %s: it must be a list", what, key, kind(v))
		}
		vs := make([]string, len(v.Content))
		for j, e := range v.Content {
			vs[j] = r.text(e, what+": a value of "+strconv.Quote(key))
		}
		out[key] = vs
	}
	return out
}

// plain refuses anchors: with aliases a few lines can stand for gigabytes, and
// no recorder writes them.
func (r *reader) plain(n *yaml.Node, what string) {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		r.fail(n.Line, "%s uses a YAML anchor or alias: write the value out", what)
	}
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "missing or null"
	}
	v := n.Value
	if len(v) > 40 {
		v = v[:40] + "..."
	}
	return strconv.Quote(v) + " (" + strings.TrimPrefix(n.Tag, "!!") + ")"
}
