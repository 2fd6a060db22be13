package cassettes

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"gopkg.in/yaml.v3"
)

// marshal writes interactions as a go-vcr file of version 1. The library's own
// Save would fold bodies into quoted lines; a stream is read best as it was
// sent, so bodies become literal blocks where YAML can hold them so. The tree
// is made by hand because the encoder, left to itself, writes some texts (a
// lone line end, for one) as blocks that read back as others.
func marshal(tape []*vcr.Interaction) ([]byte, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, it := range tape {
		q, a := &it.Request, &it.Response
		list.Content = append(list.Content, mapping(
			"request", mapping(
				"body", text(q.Body),
				"form", lists(q.Form),
				"headers", lists(q.Headers),
				"url", text(q.URL),
				"method", text(q.Method),
			),
			"response", mapping(
				"body", text(a.Body),
				"headers", lists(a.Headers),
				"status", text(a.Status),
				"code", integer(a.Code),
				"duration", text(a.Duration.String()),
			),
		))
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(mapping("version", integer(1), "interactions", list))
	return b.Bytes(), err
}

// mapping makes a mapping of keys and *yaml.Node values, in order.
func mapping(kv ...any) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(kv); i += 2 {
		m.Content = append(m.Content, text(kv[i].(string)), kv[i+1].(*yaml.Node))
	}
	return m
}

func lists(h map[string][]string) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range slices.Sorted(maps.Keys(h)) {
		l := &yaml.Node{Kind: yaml.SequenceNode}
		for _, v := range h[k] {
			l.Content = append(l.Content, text(v))
		}
		m.Content = append(m.Content, text(k), l)
	}
	return m
}

func integer(i int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i)}
}

// text chooses how a text is written: as a block where that is legible and
// certain to read back, as base64 where it is not UTF-8.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case !utf8.ValidString(s):
		n.Tag, n.Value = "!!binary", base64.StdEncoding.EncodeToString([]byte(s))
	case strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }):
		n.Style = yaml.DoubleQuotedStyle
	case !strings.Contains(s, "\n"): // the encoder quotes what needs it
	case strings.ContainsAny(s[:1], " \n"):
		n.Style = yaml.DoubleQuotedStyle
	default:
		n.Style = yaml.LiteralStyle
	}
	return n
}
