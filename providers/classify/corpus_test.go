package classify

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/harnessbench/bench/providers"
)

// TestCorpus classifies every error answer of the recordings that are YAML. Two
// of them are a prompt that was too long; none of the others may be taken for it.
func TestCorpus(t *testing.T) {
	root := os.Getenv("BENCH_CORPUS")
	if root == "" {
		t.Skip("BENCH_CORPUS names no folder of recordings")
	}
	index, err := os.ReadFile(filepath.Join(root, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	count := map[providers.Class]int{}
	rows := bufio.NewScanner(bytes.NewReader(index))
	for rows.Scan() {
		path, _, _ := strings.Cut(rows.Text(), "\t")
		if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(src, &doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, r := range responses(&doc) {
			status, _ := strconv.Atoi(scalar(child(child(r, "status"), "code")))
			if status/100 == 2 || status == 0 {
				continue
			}
			typ, code, message := Read([]byte(scalar(child(child(r, "body"), "string"))))
			class, n := Text(status, typ, code, message)
			count[class]++
			if want := strings.Contains(path, "context_length_exceeded"); want != (class == providers.Overflow) || message == "" {
				t.Errorf("%s: %d %q is %s", path, status, message, class)
			}
			if strings.Contains(path, "openrouter") && n != (Numbers{2500021, 0, 200000}) {
				t.Errorf("%s: %+v in %q", path, n, message)
			}
		}
	}
	t.Logf("%v", count)
	if count[providers.Overflow] != 2 || count[providers.Auth] == 0 || count[providers.Invalid] == 0 {
		t.Errorf("the recordings hold two overflows, and errors of other classes; found %v", count)
	}
}

// responses finds the answers in a recording of vcrpy or of Ruby's VCR.
func responses(n *yaml.Node) (out []*yaml.Node) {
	if r := child(n, "response"); r != nil {
		return []*yaml.Node{r}
	}
	for _, c := range n.Content {
		out = append(out, responses(c)...)
	}
	return out
}

func child(n *yaml.Node, name string) *yaml.Node {
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

func scalar(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}
