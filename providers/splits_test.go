package providers_test

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
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/harnessbench/bench/internal/splits"
	"github.com/harnessbench/bench/providers/protocol"
)

// Every streamed answer of every recording says the same in any pieces
// (wire/split-blind). What the recorders' formats have in common is that a
// stream is text with events in it, so all of them are searched for that.
func TestCorpusIsBlindToSplits(t *testing.T) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS names no folder of recordings")
	}
	index, err := os.ReadFile(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	effort := splits.Effort{Seed: 1, Two: 4096, Comb: 256}
	if testing.Short() || raceEnabled {
		effort.Two, effort.Comb = 64, 16
	}
	streams, ways, bytes := map[string]int{}, 0, 0
	seen := map[string]bool{}
	rows := bufio.NewScanner(strings.NewReader(string(index)))
	for rows.Scan() {
		col := strings.Split(rows.Text(), "\t")
		if col[5] != "yes" {
			continue
		}
		t.Run(col[0], func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(root, col[0]))
			if err != nil {
				t.Fatal(err)
			}
			found := streamsIn(src)
			if len(found) == 0 {
				t.Fatalf("no stream was found, and the index says that it streams (%s, %s)", col[3], col[4])
			}
			for i, body := range found {
				name := speaks(body)
				if name == "" {
					t.Errorf("stream %d is of no protocol: %.200q", i, body)
					continue
				}
				p, err := protocol.Named(name)
				if err != nil {
					t.Skip(err)
				}
				if seen[body] {
					continue
				}
				seen[body] = true
				streams[p.Name]++
				bytes += len(body)
				n, err := splits.Blind(func(r io.Reader) splits.Events { return p.Decoder(r) }, []byte(body), effort)
				if ways += n; err != nil {
					t.Errorf("stream %d (%s, %d bytes): %v", i, p.Name, len(body), err)
				}
			}
		})
	}
	t.Logf("%v streams, %d bytes, read in %d ways", streams, bytes, ways)
	for name, least := range map[string]int{"anthropic": 39, "chat": 117, "responses": 23, "gemini": 47} {
		if streams[name] < least && slices.Contains(protocol.Names(), name) {
			t.Errorf("only %d streams of %s were read, of %d at least", streams[name], name, least)
		}
	}
}

// speaks tells the protocol of a stream by what its events look like.
func speaks(body string) string {
	body = strings.ReplaceAll(body, `": `, `":`)
	for _, s := range [][2]string{
		{`"type":"message_start"`, protocol.Anthropic}, {`"type":"response.`, protocol.Responses},
		{`"choices":`, protocol.Chat}, {`"candidates":`, protocol.Gemini},
	} {
		if strings.Contains(body, s[0]) {
			return s[1]
		}
	}
	return ""
}

// streamsIn returns the event streams in a recording, whatever its format.
func streamsIn(src []byte) []string {
	if isStream(string(src)) {
		return []string{string(src)}
	}
	if bytes.HasPrefix(src, []byte("httprr trace")) {
		return httprr(src)
	}
	if lines := framed(src); lines != "" {
		return []string{lines}
	}
	var doc yaml.Node
	var v any
	if json.Unmarshal(src, &v) == nil { // YAML's own reader knows no surrogates
		if doc.Encode(v) != nil {
			return nil
		}
	} else if yaml.Unmarshal(src, &doc) != nil {
		return nil
	}
	var out []string
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Kind == yaml.SequenceNode { // one stream, kept in its pieces
			var b strings.Builder
			for _, e := range n.Content {
				if e.Kind != yaml.ScalarNode {
					b.Reset()
					break
				}
				b.WriteString(text(e))
			}
			if s := b.String(); isStream(s) {
				out = append(out, s)
				return
			}
		}
		if s := text(n); n.Kind == yaml.ScalarNode && isStream(s) {
			out = append(out, s)
		}
		for _, e := range n.Content {
			walk(e)
		}
	}
	walk(&doc)
	return out
}

// text is a scalar's bytes, unpacked where a recorder packed them.
func text(n *yaml.Node) string {
	var s string
	if n.Decode(&s) != nil {
		s = n.Value
	}
	if raw, err := base64.StdEncoding.DecodeString(s); err == nil && len(s) > 100 {
		s = string(raw)
	}
	if z, err := gzip.NewReader(strings.NewReader(s)); err == nil {
		if plain, err := io.ReadAll(z); err == nil {
			s = string(plain)
		}
	}
	return s
}

func isStream(s string) bool {
	s = strings.TrimLeft(s, "\ufeff\r\n")
	for _, field := range []string{"data:", "event:", ":"} {
		if strings.HasPrefix(s, field) {
			return strings.Contains(s, "data:")
		}
	}
	return false
}

// framed makes a stream of a file with one JSON event a line, "" of any other.
func framed(src []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] != '{' || !json.Valid(line) {
			return ""
		}
		fmt.Fprintf(&b, "data: %s\n\n", line)
	}
	if strings.Count(b.String(), "data:") < 2 {
		return ""
	}
	return b.String()
}

// httprr reads a file of requests and answers as they go over the wire: behind
// its first line, each pair stands behind a line with both lengths.
func httprr(src []byte) []string {
	var out []string
	_, rest, _ := bytes.Cut(src, []byte("\n"))
	for len(rest) > 0 {
		line, more, _ := bytes.Cut(rest, []byte("\n"))
		var q, a int
		if _, err := fmt.Sscanf(string(line), "%d %d", &q, &a); err != nil || q+a > len(more) {
			return out
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(more[q:q+a])), nil)
		if err != nil {
			return out
		}
		if body, err := io.ReadAll(resp.Body); err == nil && isStream(string(body)) {
			out = append(out, string(body))
		}
		rest = more[q+a:]
	}
	return out
}
