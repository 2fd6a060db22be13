package scenarios

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestSignature(t *testing.T) {
	load := func(name, text string) *Scenario {
		sc, err := check(parseSource(name+".txtar", []byte(says+text)))
		if err != nil {
			t.Fatal(err)
		}
		return sc
	}
	a := load("a", "case x\ncase y\nprovider r\nat tool.ran t1 kill\n[x] at resume.loaded kill\nrun hi\n[x] resume\nresume\nterminal completed\ncalls t1=unknown\ntransitions next_turn\n"+oneCall)
	want := "faults=kill points=resume.loaded,tool.ran script=call,text transitions=next_turn terminals=completed calls=unknown"
	if got := a.Signature(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	b := load("b", "provider r\nat tool.ran t1 kill\nat resume.loaded kill\nrun 'something else'\nresume\nresume\nterminal completed\ntransitions next_turn\ncalls t1=unknown\neffects append=1\n"+oneCall)
	c := load("c", "provider r\nat tool.before t1 kill\nrun hi\nresume\nterminal completed\n"+oneCall)
	if got := SameSignature([]*Scenario{b, c, a}); !reflect.DeepEqual(got, [][]string{{"a", "b"}}) {
		t.Errorf("%q", got)
	}
}

// TestShippedSignatures lists shipped scenarios that are made of the same
// things. None may only pad: a group is allowed when one of its files says in
// its first comment what differs, by naming the other.
func TestShippedSignatures(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []*Scenario
	says := map[string]string{}
	for _, f := range files {
		sc, err := Load(f)
		if err != nil {
			t.Error(err)
			continue
		}
		all = append(all, sc)
		says[sc.Name] = strings.Join(sc.Says, " ")
	}
	for _, group := range SameSignature(all) {
		for i, a := range group {
			for _, b := range group[i+1:] {
				if !strings.Contains(says[a], b) && !strings.Contains(says[b], a) {
					t.Errorf("%s and %s have one signature: let one of them say how it differs from the other, by name", a, b)
				}
			}
		}
	}
}
