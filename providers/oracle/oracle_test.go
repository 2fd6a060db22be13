package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStreams holds codec and SDK against each other on every answer that was
// written by hand: they agree, or differ in the kinds that the table names and in
// no other, and every kind is met.
func TestStreams(t *testing.T) {
	met := map[string]bool{}
	seen := map[string]bool{}
	for _, s := range streams() {
		name := fmt.Sprintf("%s/%s", s.api, s.name)
		if seen[name] {
			t.Errorf("two streams are called %s", name)
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			for _, k := range compare(t, s.api, s.body, strings.Fields(s.kinds)) {
				met[k+" in "+string(s.api)] = true
			}
		})
	}
	for _, k := range kinds() {
		for _, a := range k.apis {
			if !met[k.name+" in "+string(a)] {
				t.Errorf("the kind %s is met by no stream of %s: it no longer occurs there, or needs a stream that shows it", k.name, a)
			}
		}
	}
}

// compare reports what the SDK makes of an answer that neither the codec nor a
// kind of difference says, and where the kinds are others than want.
func compare(t *testing.T, api api, body string, want []string) []string {
	expected, met := expect(kinds(), api, body)
	got := theirs(api, body)
	for _, d := range differences(expected, got) {
		t.Errorf("%v\nexplained so far: %v; the codec's sentence: %q\n%.2000s", d, met, expected.why, body)
	}
	if want != nil {
		slices.Sort(want)
		if !slices.Equal(met, want) {
			t.Errorf("kinds met: %v; the table says %v", met, want)
		}
		for _, k := range met {
			others := slices.DeleteFunc(kinds(), func(o kind) bool { return o.name == k })
			if without, _ := expect(others, api, body); len(differences(without, got)) == 0 {
				t.Errorf("the kind %s is met, and nothing differs without it", k)
			}
		}
	}
	return met
}

// TestRecordings does the same with every recorded answer. Which recordings show
// a kind is not listed, but whether any does.
func TestRecordings(t *testing.T) {
	answers := map[api]int{}
	count := map[string]int{}
	for _, r := range corpus(t) {
		answers[r.api]++
		t.Run(r.name, func(t *testing.T) {
			for _, k := range compare(t, r.api, r.body, nil) {
				count[k]++
			}
		})
	}
	for _, k := range kinds() {
		if got := count[k.name] > 0; got != k.recorded {
			t.Errorf("%s: %d recordings show it; the table says %v", k.name, count[k.name], k.recorded)
		}
	}
	t.Logf("answers %v, differences %v", answers, count)
	for _, a := range all {
		if answers[a] < 100 {
			t.Errorf("%d answers of %s were compared", answers[a], a)
		}
	}
}
