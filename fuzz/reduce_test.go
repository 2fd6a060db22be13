package fuzz

import (
	"strings"
	"testing"
)

// The reducer leaves what the failure needs, and nothing else.
func TestReduce(t *testing.T) {
	text := header + "config retries=7 continue=2\ntool look read takes=12s\nprovider replies.script\nat append.synced 11 kill\nrun 'begin, and run the tests'\nresume 'go on'\n\n-- replies.script --\n" +
		"reply\n    text \"a long story\" \"more\"\n    call t1 look {}\nreply times=0..9\n    call t2 look {}\nreply\n    text \"Done.\"\n"
	for name, c := range map[string]struct {
		needs []string
		want  string
	}{
		"a line":       {[]string{"retries=7"}, "config retries=7\n"},
		"two far ones": {[]string{"kill", "call t2"}, "kill\n    call t2\n"},
		"a number":     {[]string{"append.synced "}, "append.synced 1\n"},
		"a reply":      {[]string{"reply\n    text"}, "reply\n    text\n"},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			d := reduce(Drawn{text, 99}, 2000, func(d Drawn) bool {
				tries++
				for _, n := range c.needs {
					if !strings.Contains(d.Text, n) {
						return false
					}
				}
				return true
			})
			got := strings.TrimSpace(strings.TrimPrefix(d.Text, header))
			for _, n := range c.needs {
				if !strings.Contains(got, strings.TrimSpace(n)) {
					t.Errorf("lost %q", n)
				}
			}
			if len(got) > len(c.want)+8 || d.Seed != 0 {
				t.Errorf("left with seed %d after %d tries:\n%s\nwant about\n%s", d.Seed, tries, got, c.want)
			}
		})
	}
}

// A budget of tries is kept, whatever is left.
func TestReduceStops(t *testing.T) {
	tries := 0
	reduce(Drawn{strings.Repeat("a b c 99\n", 400), 5}, 37, func(Drawn) bool { tries++; return tries%2 == 0 })
	if tries != 37 {
		t.Errorf("%d tries", tries)
	}
}
