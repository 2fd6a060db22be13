package fake

import (
	"os"
	"strings"
	"testing"
)

// TestDoc: the reference has every form, as the parser shows it to whoever
// gets a line wrong.
func TestDoc(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for _, v := range verbs {
		if !strings.Contains(doc, "//\t"+v.form) {
			t.Errorf("doc.go does not have %q", v.form)
		}
	}
	for _, word := range append(append(operatorNames(), pathWords...), Lanes()...) {
		if !strings.Contains(doc, word) {
			t.Errorf("doc.go does not have %q", word)
		}
	}
	_, example, _ := strings.Cut(doc, "// belong to the reply above them.\n//\n//\t")
	example, _, _ = strings.Cut(example, "\n//\n// A #")
	if s := mustParse(t, strings.ReplaceAll(example, "\n//\t", "\n")); len(s.Replies) != 3 {
		t.Errorf("the example has %d replies", len(s.Replies))
	}
}
