package journal

import "testing"

func TestEveryKindIsDescribed(t *testing.T) {
	for _, k := range Kinds() {
		if Describe(k) == "" {
			t.Errorf("record kind %s has no description", k)
		}
	}
	if Describe("no_such") != "" {
		t.Error("an unknown kind is described")
	}
}
