package cut

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "é", "aé😀b", strings.Repeat("世", 5)} {
		for n := -1; n <= len(s)+1; n++ {
			head, tail := Head(s, n), Tail(s, n)
			most := max(n, 0)
			if !strings.HasPrefix(s, head) || len(head) > most || !utf8.ValidString(head) || len(head) < min(most, len(s))-utf8.UTFMax+1 {
				t.Errorf("Head(%q, %d) is %q", s, n, head)
			}
			if !strings.HasSuffix(s, tail) || len(tail) > most || !utf8.ValidString(tail) || len(tail) < min(most, len(s))-utf8.UTFMax+1 {
				t.Errorf("Tail(%q, %d) is %q", s, n, tail)
			}
		}
	}
}
