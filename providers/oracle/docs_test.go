package oracle

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/oracles.md")

// TestDocs holds docs/oracles.md to the kinds: behind its mark it is made of them.
func TestDocs(t *testing.T) {
	const path, mark = "../../docs/oracles.md", "<!-- from here on made by go test -run TestDocs . -update -->\n"
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(src), mark)
	if !ok {
		t.Fatalf("%s has no line %s", path, mark)
	}
	want := head + mark + prose()
	if want == string(src) {
		return
	}
	if !*update {
		t.Fatalf("%s does not say what the kinds say; write it with: cd providers/oracle && go test -run TestDocs . -update", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func prose() string {
	var b strings.Builder
	shown := map[string]string{}
	for _, s := range streams() {
		for _, k := range strings.Fields(s.kinds) {
			if shown[k] == "" {
				shown[k] = fmt.Sprintf("%s/%s", s.api, s.name)
			}
		}
	}
	for _, part := range []struct {
		title string
		kinds []kind
	}{
		{"Server-sent events", framingKinds()}, {"JSON, and what is no answer", jsonKinds()},
		{"How an answer ends", endKinds()}, {"Calls", callKinds()}, {"Words, thoughts, the stop reason, usage", contentKinds()},
	} {
		fmt.Fprintf(&b, "\n## %s\n", part.title)
		for _, k := range part.kinds {
			apis := []string{}
			for _, a := range k.apis {
				apis = append(apis, string(a))
			}
			recorded := ""
			if k.recorded {
				recorded = " Recordings show it too."
			}
			fmt.Fprintf(&b, "\n**%s** (%s; right: %s). The SDK %s. The codec %s. Why: %s. Stream: `%s`.%s\n",
				k.name, strings.Join(apis, ", "), k.right, k.what, k.codec, k.why, shown[k.name], recorded)
		}
	}
	return b.String()
}
