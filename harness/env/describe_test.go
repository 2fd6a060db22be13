package env

import "testing"

func TestEveryPointIsDescribed(t *testing.T) {
	seen := map[string]Point{}
	for _, p := range Points() {
		d := Describe(p)
		if d == "" {
			t.Errorf("crash point %s has no description", p)
		}
		if o, twice := seen[d]; twice {
			t.Errorf("crash points %s and %s have the same description", o, p)
		}
		seen[d] = p
	}
	if Describe("no.such") != "" {
		t.Error("an unknown point is described")
	}
}
