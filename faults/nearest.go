package faults

import (
	"fmt"
	"strings"
)

// unknown is the sentence for a word that is in no list.
func unknown(what, word string, known []string) string {
	if n := nearest(word, known); n != "" {
		return fmt.Sprintf("unknown %s %q: did you mean %q?", what, word, n)
	}
	return fmt.Sprintf("unknown %s %q: there is %s", what, word, strings.Join(known, ", "))
}

// nearest returns the known word that a typo most likely meant, or "".
func nearest(word string, known []string) string {
	best, limit := "", max(1, len(word)/3)
	for _, k := range known {
		if d := distance(word, k); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// distance is the number of letters to add, drop, change or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
